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


def hits(folder, trace, *settings):
    """A closed loop of flash hits; the array answers fast, so that the processor is what they wait for."""
    sets = [word for setting in ("nand.read_time=2 us", *settings) for word in ("--set", setting)]
    options = ("--trace", trace, "--format", "ascii", "--replay", f"closed:{DEPTH}", "--warmup", WARM_UP)
    return run(folder, "common", "--layer", "skylight-flash", *options, *sets)


def cycles_share(hits) -> float:
    """Of the measured time, the part in which the cores carried out operations, memory excluded."""
    times = [name for name in hits.summary["metrics"] if name.startswith("cpu.by_operation.") and name.endswith(".time")]
    time = sum(hits.metric(name) for name in times)
    return time * DEPTH / (hits.metric("host.latency.mean") * READS)  # Little's law: the loop is closed


def test_at_a_tenth_of_the_clock_a_flash_hit_takes_longer_as_the_cpu_s_share_says(tmp_path, flash_hits):
    fast = hits(tmp_path / "fast", flash_hits, "controller.clock=20 MHz")
    slow = hits(tmp_path / "slow", flash_hits, "controller.clock=2 MHz")
    share = cycles_share(fast)
    assert 0.8 < share < 0.99  # the rest of a busy core's time are accesses to the DRAM, which the clock does not slow down
    assert fast.metric("cpu.utilisation") > 0.99
    assert slow.metric("host.latency.mean") / fast.metric("host.latency.mean") == pytest.approx(10 * share + (1 - share), rel=0.01)


def test_operations_are_counted_by_name(tmp_path, flash_hits):
    one = hits(tmp_path, flash_hits)
    for operation in ("command", "completion", "submit", "reap"):
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
    one = run(tmp_path, "common", "--layer", layer, *options, "--set", f"controller.cores={cores}")
    assert one.metric("scoreboard.errors") == 0
    assert one.metric("cpu.core1.utilisation") > 0


def test_a_line_that_gathers_without_a_time_is_refused(tmp_path):
    result = simulate("run", "common", "--workload", "web-server", "--limit", 10, "--set", "controller.disk_interrupt.coalesce=4", "--out", tmp_path, status=2)
    assert "controller.disk_interrupt.coalesce_time" in result.stderr
