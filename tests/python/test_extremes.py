"""Values at the ends of their documented ranges are simulated or refused, never a bug of the model."""

import pytest
from simulate import run, simulate

IDLE = {
    "imr-flip": "layers.imr_flip.idle_after",
    "imr-dtm": "layers.imr_dtm.idle_after",
    "imr-cache": "layers.imr_cache.idle_after",
    "skylight-flash": "layers.skylight_flash.idle_after",
    "hwsr": "layers.hwsr.idle_after",
}
SMALL_WRITES = ("--workload", "web-server", "--fold", "--limit", "800", "--replay", "closed:8")


@pytest.mark.parametrize("layer", IDLE)
def test_an_idle_detector_does_not_keep_the_processor_busy(tmp_path, layer):
    aggressive = ("--set", "layers.skylight_flash.cleaning=aggressive") if layer == "skylight-flash" else ()
    shortest = run(tmp_path / "shortest", "demo", "--layer", layer, *SMALL_WRITES, *aggressive, "--set", f"{IDLE[layer]}=1 us")
    assert shortest.metric("host.served") == 800
    assert shortest.metric("cpu.utilisation") < 0.1


def test_a_write_cache_that_destages_at_once_does_not_keep_the_processor_busy(tmp_path):
    cache = ("--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.idle_after=1 us")
    assert run(tmp_path, "demo", "--layer", "cmr", *SMALL_WRITES, *cache).metric("cpu.utilisation") < 0.1
