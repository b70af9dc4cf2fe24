"""The controller's processor in a whole drive: what its clock, its cores and its interrupts do to requests that wait for nothing else."""

import random

import pytest
from simulate import run, simulate

DEPTH = 32
WARM_UP, READS = 256, 3000
CUTS = ("--cut-at", "700ms", "--cut-at", "3s", "--cut-at", "boot+5ms")


@pytest.fixture(scope="module")
def flash_hits(tmp_path_factory):
    """Sectors are written to the flash cache, then read from it at random."""
    draw = random.Random(1)
    trace = tmp_path_factory.mktemp("trace") / "hits.trace"
    writes = [f"0 0 {8 * sector} 8 0" for sector in range(WARM_UP)]
    reads = [f"0 0 {8 * draw.randrange(WARM_UP)} 8 1" for _ in range(READS)]
    trace.write_text("\n".join(writes + reads) + "\n")
    return trace


def hits(folder, trace, *settings, options=()):
    """A closed loop of flash hits; the array answers fast, so that the processor is what they wait for. By the estimates, which have cycles for
    each step of a request; what was measured of a step stands with others."""
    sets = [word for setting in ("nand.read_time=2 us", "controller.costs.source=estimated", *settings) for word in ("--set", setting)]
    options = ("--trace", trace, "--format", "ascii", "--replay", f"closed:{DEPTH}", "--warmup", WARM_UP, *options)
    return run(folder, "bare", "--layer", "skylight-flash", *options, *sets)


def cycles_share(hits) -> float:
    """Of the measured time, the part that is core cycles: operations, and accesses to the TCM."""
    times = [name for name in hits.summary["metrics"] if name.startswith("cpu.by_operation.") and name.endswith(".time")]
    time = sum(hits.metric(name) for name in times) + hits.metric("tcm.time")
    return time * DEPTH / (hits.metric("host.latency.mean") * READS)  # Little's law: the loop is closed


def test_at_a_tenth_of_the_clock_a_flash_hit_takes_longer_as_the_cpu_s_share_says(tmp_path, flash_hits):
    fast = hits(tmp_path / "fast", flash_hits, "controller.clock=20 MHz")
    slow = hits(tmp_path / "slow", flash_hits, "controller.clock=2 MHz")
    share = cycles_share(fast)
    assert 0.8 < share < 0.99  # the rest of a busy core's time are DRAM and registers, which the clock does not slow down
    assert fast.metric("cpu.utilisation") > 0.99
    assert slow.metric("host.latency.mean") / fast.metric("host.latency.mean") == pytest.approx(10 * share + (1 - share), rel=0.01)


def test_operations_are_counted_by_name(tmp_path, flash_hits):
    one = hits(tmp_path, flash_hits)
    for operation in ("command", "completion", "submit", "reap", "flash_command"):
        assert one.metric(f"cpu.by_operation.{operation}.count") == pytest.approx(READS, rel=0.02), operation
    assert one.metric("cpu.interrupts.host") == pytest.approx(READS, rel=0.02)
    assert one.metric("cpu.interrupts.flash") == pytest.approx(READS, rel=0.02)


def test_with_cores_of_their_own_requests_wait_for_the_busiest_role_alone(tmp_path, flash_hits):
    means = [hits(tmp_path / str(n), flash_hits, "controller.clock=10 MHz", f"controller.cores={n}").metric("host.latency.mean") for n in (1, 2, 3, 4)]
    # Of some 800 cycles a request the host's part is 480 (interrupt, command, completion), that of the devices 200 (submit, interrupt, reap).
    assert means[1] < 0.99 * means[0]
    assert means[2] / means[1] == pytest.approx(480 / 680, rel=0.05)
    assert means[3] == pytest.approx(means[2], rel=0.02)  # the translation was not what they waited for


def test_gathered_interrupts_spare_a_bound_processor_their_entries(tmp_path, flash_hits):
    alone = hits(tmp_path / "alone", flash_hits, "controller.clock=20 MHz")
    together = hits(tmp_path / "together", flash_hits, "controller.clock=20 MHz", "controller.flash_interrupt.coalesce=8",
                    "controller.flash_interrupt.coalesce_time=100 us")  # fmt: skip
    assert together.metric("cpu.interrupts.flash") < 0.5 * alone.metric("cpu.interrupts.flash")
    assert together.metric("cpu.interrupts.flash_completions") == pytest.approx(READS, rel=0.02)
    assert together.metric("host.latency.mean") < 0.97 * alone.metric("host.latency.mean")


@pytest.mark.parametrize("layer", ("cmr", "mu-rmw", "amphisbaena"))
@pytest.mark.parametrize("cores", (2, 4))
def test_data_is_right_and_cuts_lose_nothing_with_several_cores(tmp_path, layer, cores):
    options = ("--workload", "web-server", "--fold", "--limit", 1500, "--replay", f"closed:{DEPTH}", "--check", *CUTS, "--seed", 3)
    one = run(tmp_path, "bare", "--layer", layer, *options, "--set", f"controller.cores={cores}")
    assert one.metric("scoreboard.errors") == 0
    assert one.metric("cpu.core1.utilisation") > 0


def test_a_line_that_gathers_without_a_time_is_refused(tmp_path):
    result = simulate("run", "bare", "--workload", "web-server", "--limit", 10, "--set", "controller.disk_interrupt.coalesce=4", "--out", tmp_path, status=2)
    assert "controller.disk_interrupt.coalesce_time" in result.stderr


TABLES_IN_TCM = ("firmware.placement.metadata=tcm", 'controller.tcm.size="128 MiB"')


def test_tables_in_the_tcm_take_no_dram_and_the_core_no_time_there(tmp_path, flash_hits):
    def time_in_dram(settled) -> float:
        """Mean of the reads, in ms, of what the CPU waited for the DRAM."""
        return float(settled.requests["dram"][-READS:].mean()) * 1e-9

    settings, options = ("controller.clock=50 MHz",), ("--requests",)
    dram = hits(tmp_path / "dram", flash_hits, *settings, options=options)
    tcm = hits(tmp_path / "tcm", flash_hits, *settings, *TABLES_IN_TCM, options=options)
    rings = hits(tmp_path / "rings", flash_hits, *settings, "firmware.placement.descriptors=dram", options=options)
    assert dram.metric("tcm.accesses.metadata") == 0 < dram.metric("dram.accesses")
    assert tcm.metric("dram.accesses") == 0 == tcm.metric("bus.cpu.bytes")
    assert tcm.metric("tcm.accesses.metadata") == pytest.approx(dram.metric("dram.accesses"), rel=0.01)
    assert tcm.metric("tcm.reserved.metadata") == dram.metric("dram.reserved.metadata") == tcm.metric("metadata.bytes")
    assert tcm.metric("dram.reserved.metadata") == 0 == rings.metric("tcm.reserved.total")
    assert tcm.metric("dram.energy") < dram.metric("dram.energy")
    assert time_in_dram(tcm) == 0
    # One table access a read takes 26.75 ns at least (crossing 8, column 13.75, burst 5); of a ring's four accesses each takes as much.
    assert time_in_dram(dram) > 20e-6
    assert time_in_dram(rings) > time_in_dram(dram) + 2 * 20e-6


def test_tables_in_the_tcm_lose_nothing_in_power_cuts(tmp_path):
    options = ("--workload", "web-server", "--fold", "--limit", 1500, "--replay", f"closed:{DEPTH}", "--check", *CUTS, "--seed", 3)
    sets = [word for setting in TABLES_IN_TCM for word in ("--set", setting)]
    for layer in ("cmr", "mu-rmw", "amphisbaena"):
        one = run(tmp_path / layer, "bare", "--layer", layer, *options, *sets)
        assert one.metric("scoreboard.errors") == 0


def test_a_placement_that_does_not_fit_is_refused_by_check_and_by_a_run(tmp_path):
    placed = ("--layer", "mu-rmw", "--set", "firmware.placement.metadata=tcm")
    for command in (("check", "bare", *placed), ("run", "bare", *placed, "--workload", "web-server", "--limit", 10, "--out", tmp_path)):
        message = simulate(*command, status=2).stderr
        assert "the TCM of 131072 B (controller.tcm.size) cannot hold the " in message
        assert "B are left; a TCM of " in message and 'firmware.placement.metadata = "dram" asks for less' in message
    needed = message.split("a TCM of ")[1].split(" B")[0]
    simulate("check", "bare", *placed, "--set", f"controller.tcm.size={needed} B")
    simulate("check", "bare", *placed, "--set", f"controller.tcm.size={int(needed) - 1} B", status=2)


def test_a_placement_of_what_the_drive_does_not_have_is_said(tmp_path):
    placed = ("--layer", "cmr", "--set", "firmware.placement.read_cache=tcm")
    sentence = "firmware.placement.read_cache: without effect, this firmware has nothing of that kind"
    assert f"warning: {sentence}" in simulate("check", "bare", *placed).stdout
    assert sentence in run(tmp_path, "bare", *placed, "--workload", "web-server", "--limit", 10).summary["run"]["notes"]


def test_fast_timing_leaves_the_bus_out_and_says_so(tmp_path, flash_hits):
    slow = "controller.clock=20 MHz"  # the CPU waits for registers, so that the bus is seen
    default = hits(tmp_path / "default", flash_hits, slow)
    full = hits(tmp_path / "full", flash_hits, slow, "simulation.timing=full")
    fast = hits(tmp_path / "fast", flash_hits, slow, "simulation.timing=fast")
    endless = hits(tmp_path / "endless", flash_hits, slow, "bus.clock=0 Hz")
    assert default.metric("host.latency.mean") == full.metric("host.latency.mean") > fast.metric("host.latency.mean")
    assert full.metric("bus.utilisation") > 0 == fast.metric("bus.utilisation")
    assert fast.metric("bus.flash.bytes") == full.metric("bus.flash.bytes")  # what crosses it is counted
    assert fast.metric("host.latency.mean") == endless.metric("host.latency.mean")
    note = "simulation.timing is fast: the bus is left out"
    assert any(note in sentence for sentence in fast.summary["run"]["notes"])
    assert not any(note in sentence for sentence in full.summary["run"]["notes"])
