"""Nothing that was promised durable is lost, wherever the power fails: the scoreboard reads everything back after each cut."""

import pytest
from simulate import run

CUTS = ("3 ms", "41.7 ms", "2 s", "7.123456 s", "9 s", "13.37 s", "17.000001 s", "20 s")
QUICK_RETURN = ("--set", "power.outage=10 ms", "--set", "power.boot_time=1 ms")
# 640 flash blocks: recovery of mu-rmw reads every page's out-of-band area, four seconds of it.
# Intervals so short that tracks are moved between the cuts.
FLIPS = ("--set", "layers.imr_flip.update_frequency=200", "--set", "layers.imr_flip.flip_threshold=3")
CACHE = ("--set", "layers.imr_cache.update_frequency=200", "--set", "layers.imr_cache.swap_hysteresis=3", "--set", "layers.imr_cache.cache_tracks=6")
SWAPS = ("--set", "layers.imr_dtm.update_frequency=200", "--set", "layers.imr_dtm.swap_threshold=3")
LAYERS = {
    "cmr": (3000, ()),
    "imr-rmw": (2000, ()),
    "imr-flip": (2000, FLIPS),
    "imr-cache": (2000, CACHE),
    "imr-dtm": (2000, SWAPS),
    "mu-rmw": (20_000, ("--set", "nand.blocks=640")),
}


def run_with_cuts(folder, layer, *more):
    requests, settings = LAYERS[layer]
    cuts = [word for at in CUTS for word in ("--cut-at", at)]
    result = run(
        folder, "common", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", requests,
        "--check", *cuts, *QUICK_RETURN, *settings, *more,
    )
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("scoreboard.checked") > requests
    assert result.metric("host.served") == requests
    assert result.summary["run"]["power_cuts"] >= 2


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("sector", ["atomic", "atomic_old", "atomic_new"])
def test_every_layer_keeps_its_promise_over_many_cuts(tmp_path, layer, sector):
    run_with_cuts(tmp_path, layer, "--set", f"media.powerfail.sector={sector}")


@pytest.mark.parametrize("layer", ["cmr", "imr-rmw", "imr-dtm"])
@pytest.mark.parametrize("durability", ["plp", "journal", "volatile"])
def test_a_write_cache_keeps_the_promise_of_its_durability(tmp_path, layer, durability):
    run_with_cuts(
        tmp_path, layer, "--set", "firmware.write_cache.capacity=2 MiB", "--set", f"firmware.write_cache.durability={durability}",
        *("--set", f"layers.{layer.replace('-', '_')}.journal_tracks=16"),
    )
