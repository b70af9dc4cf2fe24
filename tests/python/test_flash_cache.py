"""Flash in front of any layer: what is refused, what it does for reads and writes, and what it costs."""

from dataclasses import replace

import pytest
from simulate import FLASH_LAYERS, LAYERS, run, simulate

from tessera.engine.simulation import Simulation
from tessera.explore.idle_parts import is_idle

CACHE = "firmware.flash_cache.capacity"
OLTP = ("common", "--layer", "cmr", "--workload", "oltp", "--fold", "--replay", "closed:8", "--limit", 6000)


def given(*settings: str) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


@pytest.mark.parametrize(
    "layer, settings, expected",
    [
        ("cmr", [f"{CACHE}=3 GiB"], "firmware.flash_cache.capacity is 24576 flash blocks; nand.blocks is 16384"),
        ("cmr", [f"{CACHE}=1 GiB", "nand.blocks=0"], "asks for NAND flash and the drive has none"),
        ("mu-rmw", [f"{CACHE}=2 GiB"], "the layer mu-rmw needs flash; firmware.flash_cache.capacity leaves 0 of nand.blocks = 16384 to the layer"),
        ("hwsr", [f"{CACHE}=1 GiB"], "journals and read cache take 16256 flash blocks"),
        ("mu-rmw", [f"{CACHE}=1 GiB", "firmware.flash_cache.use=both"], "the layer mu-rmw keeps data in flash itself"),
        ("cmr", [f"{CACHE}=1 MiB", "firmware.flash_cache.use=both"], "firmware.flash_cache.capacity is 8 flash blocks; one for reads and writes needs at least 10"),
    ],
)  # fmt: skip
def test_flash_that_is_not_there_twice_is_refused_before_the_run(layer, settings, expected):
    said = simulate("check", "common", "--layer", layer, *given(*settings), status=2)
    assert expected in said.stderr and "firmware.flash_cache" in said.stderr


def test_a_layer_with_flash_of_its_own_has_what_the_cache_leaves(tmp_path):
    made = run(tmp_path, "common", "--layer", "mu-rmw", "--workload", "oltp", "--fold", "--limit", 1000, "--check", *given(f"{CACHE}=1 GiB"))
    assert made.metric("scoreboard.errors") == 0 and made.metric("flash.area.flash_cache.blocks") == 8192


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_runs_behind_flash_and_survives_a_cut(layer, tmp_path):
    use = "reads" if layer in FLASH_LAYERS else "both"
    cache = given(f"{CACHE}=1536 KiB" if use == "both" else f"{CACHE}=768 KiB", f"firmware.flash_cache.use={use}", "firmware.flash_cache.admit=every_read")
    made = run(tmp_path, "torture", "--layer", layer, "--workload", "random-4k", "--fold", "--limit", 300, "--replay", "closed:4", "--check", "--cut-at", "200 ms", *cache)
    assert made.metric("scoreboard.errors") == 0 and made.metric("scoreboard.checked") > 0


def test_reads_that_come_again_come_from_flash_and_writes_stay_there(tmp_path):
    without = run(tmp_path / "without", *OLTP)
    reads = run(tmp_path / "reads", *OLTP, "--check", *given(f"{CACHE}=1 GiB", "firmware.flash_cache.admit=every_read"))
    writes = run(tmp_path / "writes", *OLTP, "--check", *given(f"{CACHE}=1 GiB", "firmware.flash_cache.use=writes"))
    assert reads.metric("flash_cache.hit_ratio") > 0.1
    assert reads.metric("host.read.latency.mean") < without.metric("host.read.latency.mean")
    assert writes.metric("flash.written") > 0
    assert reads.metric("scoreboard.errors") == writes.metric("scoreboard.errors") == 0


def test_flash_is_paid_for_where_the_cache_uses_it():
    plain = Simulation(drive="common", workload="oltp")
    of_drive = {"layer": "cmr", CACHE: "0 B"}.get
    assert is_idle("nand.blocks", plain, of_drive)
    assert not is_idle("nand.blocks", replace(plain, settings={CACHE: "1 GiB"}), of_drive)
    assert not is_idle("nand.blocks", plain, {"layer": "cmr", CACHE: "1 GiB"}.get)
