"""A dump that ends before it is whole: what was flushed stays, what was lost is counted, and the run ends in order."""

import pytest
from simulate import run, simulate

CUTS = [word for n in range(1, 9) for word in ("--cut-at", f"{n * 40}.{n} ms")]
WRITES = ("--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", 1500, "--check", *CUTS)
# Buffers of durability plp on the small drive: in front of the layer, or the layer's own.
CACHED = ("--set", "firmware.write_cache.durability=plp")


def failed_dumps(folder, layer, *settings):
    result = run(folder, "torture", "--layer", layer, *WRITES, *CACHED, *settings)
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.served") > 1000
    assert result.metric("host.failed") == result.metric("host.excused")
    return result


@pytest.mark.parametrize("layer", ["imr-rmw", "vguard", "sblock", "hwsr", "mu-rmw", "fluid-loop"])
def test_dumps_that_fail_lose_what_was_in_dram_alone_and_say_how_much(tmp_path, layer):
    # With another seed the eight dumps may lack nothing but clean slots.
    result = failed_dumps(tmp_path, layer, "--set", "power.dump_failures=1000000", "--prefill", 50, "--seed", 2)
    made = result.metric("power.dump.count")
    assert made >= 4
    assert result.metric("power.dumps_failed") == made
    assert result.metric("recovery.dumps_torn") == made
    lost = result.metric("scoreboard.lost_in_dumps")
    assert lost > 0
    assert f"dumps that failed lost {lost:.0f} acknowledged blocks of 512 B" in result.summary["run"]["notes"]


def test_an_aged_store_is_not_seen_by_the_check_but_by_the_dump(tmp_path):
    size = "--set", "power.hold_up_energy=4 mJ"  # a dump takes 3.5 mJ
    whole = failed_dumps(tmp_path / "new", "cmr", *size)
    assert (whole.metric("power.dumps_failed"), whole.metric("scoreboard.lost_in_dumps")) == (0, 0)
    simulate("check", "torture", "--layer", "cmr", *CACHED, *size, "--set", "power.hold_up_left=50")
    aged = failed_dumps(tmp_path / "aged", "cmr", *size, "--set", "power.hold_up_left=50")
    assert aged.metric("power.dumps_failed") == aged.metric("power.dump.count")
    assert aged.metric("power.dump.unsaved") == aged.metric("power.dump.count") * 8 * 4096  # 9 of 17 pieces fit 2 mJ
    assert aged.metric("scoreboard.lost_in_dumps") > 0


def test_one_dump_can_be_told_to_fail_and_is_an_event(tmp_path):
    result = failed_dumps(tmp_path, "cmr", "--set", "power.torn_dumps=[[2, 20000]]", "--events")
    assert result.metric("power.dumps_failed") == 1
    assert result.metric("power.dump.unsaved") == 13 * 4096
    kinds = [line.split(",")[1] for line in (tmp_path / "events.csv").read_text().splitlines()]
    assert [kind for kind in kinds if kind in ("power_cut", "dump_failed")][:4] == ["power_cut", "power_cut", "dump_failed", "power_cut"]


def test_a_cut_between_a_restart_and_its_boot_dumps_and_one_before_a_first_boot_has_nothing_to(tmp_path):
    slow = ("--set", "power.boot_time=50 ms", "--set", "power.torn_dumps=[[1, 0]]", "--restart-at", "50 ms", "--cut-at", "80 ms", "--cut-at", "120 ms")
    result = run(tmp_path, "torture", "--layer", "tessera", *WRITES[: -len(CUTS)], *slow, "--events")
    assert result.metric("scoreboard.errors") == 0
    assert (result.metric("power.dump.count"), result.metric("power.dumps_failed")) == (1, 1)
    kinds = [line.split(",")[1] for line in (tmp_path / "events.csv").read_text().splitlines()[1:]]
    assert [kind for kind in kinds if kind in ("firmware_restart", "power_cut", "dump_failed")] == ["firmware_restart", "power_cut", "dump_failed", "power_cut"]


def test_dumps_that_cannot_fail_or_are_badly_told_are_spoken_of(tmp_path):
    result = run(tmp_path, "torture", "--layer", "cmr", *WRITES, "--set", "firmware.write_cache.capacity=0 B", "--set", "power.dump_failures=5")
    assert "this drive dumps nothing at a power cut: dumps that fail have no effect" in result.summary["run"]["notes"]
    assert "power.torn_dumps" in simulate("check", "torture", "--layer", "cmr", "--set", "power.torn_dumps=[[0, 1]]", status=2).stderr
