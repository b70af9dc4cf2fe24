"""Values at the ends of their documented ranges are simulated or refused, never a bug of the model."""

import subprocess

import pytest
from simulate import LAYERS, SIMULATOR, run, simulate

IDLE = {
    "imr-flip": "layers.imr_flip.idle_after",
    "imr-dtm": "layers.imr_dtm.idle_after",
    "imr-cache": "layers.imr_cache.idle_after",
    "skylight-flash": "layers.skylight_flash.idle_after",
    "hwsr": "layers.hwsr.idle_after",
}
SMALL_WRITES = ("--workload", "web-server", "--fold", "--limit", "800", "--replay", "closed:8")


LARGEST_DRIVE = ("demo", "--set", "media.tracks=4194304", "--set", "media.surfaces=64", "--set", "media.sectors_per_track=16384")


@pytest.mark.parametrize("layer", ("cmr", "imr-rmw", "shingled-in-place-r4123"))
def test_the_largest_drive_is_simulated(tmp_path, layer):
    five = ("--workload", "random-4k", "--limit", "5", "--fold", "--prefill", "0")
    largest = run(tmp_path, *LARGEST_DRIVE, "--layer", layer, "--set", "dram.capacity=8 GiB", *five)
    assert largest.metric("host.served") == 5 and largest.metric("capacity.user") > 1e16
    assert largest.metric("run.peak_memory_bytes") < 1e9


def test_a_drive_beyond_the_largest_is_refused():
    refused = simulate("check", *LARGEST_DRIVE, "--set", "media.tracks=4194305", status=2).stderr
    assert "268435520 on all surfaces; expected at most 268435456" in refused
    simulate("check", "demo", "--set", "media.tracks=16777217", status=2)


def test_the_largest_flash_is_simulated_and_one_beyond_it_is_refused(tmp_path):
    for command in (("check", "demo"), ("run", "demo", *SMALL_WRITES, "--out", tmp_path)):
        assert "nand.blocks: expected a whole number" in simulate(*command, "--layer", "cmr", "--set", "nand.blocks=4194305", status=2).stderr
    assert run(tmp_path, "demo", "--layer", "cmr", "--set", "nand.blocks=4194304", *SMALL_WRITES).metric("host.served") == 800


@pytest.mark.parametrize("layer", LAYERS)
def test_tracks_of_one_sector_are_simulated_or_refused(tmp_path, layer):
    drive = ("bare", "--layer", layer, "--set", "media.sectors_per_track=1")
    checked = subprocess.run([SIMULATOR, "check", *drive], capture_output=True, text=True)
    assert checked.returncode in (0, 2), checked.stderr
    simulate("run", *drive, "--workload", "random-4k", "--limit", "50", "--fold", "--check", "--out", tmp_path, status=checked.returncode)


@pytest.mark.parametrize("option", ["--layer", "--workload", "--out", "--set"])
def test_an_empty_value_is_refused(tmp_path, option):
    arguments = {"--layer": "cmr", "--workload": "random-4k", "--out": tmp_path, "--set": "media.tracks=4000"} | {option: ""}
    words = [word for pair in arguments.items() for word in pair]
    assert f"{option}: expected a value" in simulate("run", "demo", *words, status=2).stderr


def test_a_warm_up_past_the_end_is_said(tmp_path):
    common = ("demo", "--layer", "cmr", "--workload", "random-4k", "--limit", "20")
    for warmup, said in ((19, False), (20, True), (1000, True)):
        folder = tmp_path / str(warmup)
        notes = run(folder, *common, "--warmup", warmup).summary["run"]["notes"]
        assert any(f"the warm-up of {warmup} requests covers the whole run of 20" in note for note in notes) == said


@pytest.mark.parametrize("layer", IDLE)
def test_an_idle_detector_does_not_keep_the_processor_busy(tmp_path, layer):
    parameters = {"skylight-flash": "layers.skylight_flash.cleaning=aggressive"} | {
        name: f"layers.{name.replace('-', '_')}.update_frequency=50" for name in IDLE if name.startswith("imr")
    }
    aggressive = ("--set", parameters[layer]) if layer in parameters else ()
    shortest = run(tmp_path / "shortest", "demo", "--layer", layer, *SMALL_WRITES, *aggressive, "--set", f"{IDLE[layer]}=1 us")
    assert shortest.metric("host.served") == 800
    assert shortest.metric("cpu.utilisation") < 0.1


def test_a_write_cache_that_destages_at_once_does_not_keep_the_processor_busy(tmp_path):
    cache = ("--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.idle_after=1 us")
    assert run(tmp_path, "demo", "--layer", "cmr", *SMALL_WRITES, *cache).metric("cpu.utilisation") < 0.1
