"""What a controller architect reads first: memory, lifetime, what a power loss must save, recovery, capacity."""

import pytest
from simulate import LAYERS, run, simulate

MIB = 1 << 20
DRAM_CATEGORIES = ("descriptors", "host_buffer", "merge_buffer", "metadata", "read_cache", "write_cache")


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_reports_it(tmp_path, layer):
    result = run(tmp_path, "bare", "--layer", layer, "--workload", "web-server", "--fold", "--limit", 200)
    parts = sum(result.metric(f"dram.reserved.{category}") for category in DRAM_CATEGORIES)
    assert result.metric("dram.reserved.total") == pytest.approx(parts, abs=64 * 1024)  # tables begin at cache lines
    assert result.metric("capacity.user") > 0 and result.metric("capacity.gain_vs_cmr") > 0
    assert result.metric("nand.endurance") == 5000
    assert result.metric("power.dirty.peak") == 0 and result.metric("power.dirty.energy") == 0
    assert result.metric("recovery.time") is None or result.metric("recovery.time") >= 0


def test_the_lifetime_follows_from_erases_a_second(tmp_path):
    result = run(
        tmp_path, "mu-rmw-paper", "--layer", "mu-rmw", "--workload", "quarter-updates", "--fold", "--replay", "closed:8", "--limit", 6000,
        "--set", "nand.blocks=64", "--set", "nand.endurance=3000",
    )
    years = result.metric("run.measured_seconds") / (365.25 * 86400)
    assert result.metric("nand.erases") > 0
    assert result.metric("nand.lifetime.years.mean") == pytest.approx(3000 * 64 / result.metric("nand.erases") * years)
    assert result.metric("nand.lifetime.years.worst_block") == pytest.approx(3000 / result.metric("nand.wear.max") * years)
    assert result.metric("nand.lifetime.years.worst_block") <= result.metric("nand.lifetime.years.mean")


def test_dirty_data_takes_hold_up_time_and_energy(tmp_path):
    result = run(
        tmp_path, "bare", "--layer", "cmr", "--workload", "zipf-writes", "--replay", "closed:32", "--limit", 2000, "--cut-at", "20 ms",
        *("--set", "firmware.write_cache.capacity=2 MiB", "--set", "power.dump_rate=20 MB/s", "--set", "power.dump_power=3 W"),
    )
    dirty = result.metric("power.dirty.peak")
    assert 0 < dirty == result.metric("cache.dirty.peak") <= 2 * MIB
    image = dirty * 4112 / 4096  # 16 B of check with each piece of 4 KiB
    assert result.metric("power.dirty.hold_up") == pytest.approx(image / 20e6 * 1e3)
    assert result.metric("power.dirty.energy") == pytest.approx(image / 20e6 * 3 * 1e3)
    assert result.metric("recovery.time") >= 0


def test_a_dump_area_larger_than_the_blocks_that_hold_it_is_refused(tmp_path):
    cache = ("--set", "firmware.write_cache.capacity=1 MiB", "--limit", 10, "--workload", "web-server")
    message = simulate("run", "bare", *cache, "--set", "nand.dump_blocks=100", "--out", tmp_path, status=2).stderr
    assert "power.dump_area is 16777216 B and the nand.dump_blocks that hold it, 100, are 13107200 B: give the flash 128 of them" in message
    run(tmp_path, "bare", *cache, "--set", "nand.dump_blocks=100", "--set", "power.dump_area=12 MiB")
    run(tmp_path, "bare", *cache, "--set", "nand.blocks=0", "--set", "nand.dump_blocks=0")
