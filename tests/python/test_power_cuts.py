"""Nothing that was promised durable is lost, wherever the power fails: the scoreboard reads everything back after each cut."""

import pytest
from simulate import FLASH_LAYERS, LAYERS, run

CUTS = ("3 ms", "41.7 ms", "2 s", "7.123456 s", "9 s", "13.37 s", "17.000001 s", "20 s")
QUICK_RETURN = ("--set", "power.outage=10 ms", "--set", "power.boot_time=1 ms")
# 640 flash blocks: recovery reads the out-of-band area of every page, four seconds of it; flash is fast, so it takes more requests.
FLASH = (20_000, ("--set", "nand.blocks=640"))
PLATTERS = (3000, ())


def run_with_cuts(folder, layer, *more):
    requests, settings = FLASH if layer in FLASH_LAYERS else PLATTERS
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
@pytest.mark.parametrize("sector", ["atomic", "atomic_old", "atomic_new", "corrupt"])
def test_every_layer_keeps_its_promise_over_many_cuts(tmp_path, layer, sector):
    run_with_cuts(tmp_path, layer, "--set", f"media.powerfail.sector={sector}")


@pytest.mark.parametrize("layer", ["cmr", "imr-rmw"])
@pytest.mark.parametrize("durability", ["plp", "journal", "volatile"])
def test_a_write_cache_keeps_the_promise_of_its_durability(tmp_path, layer, durability):
    run_with_cuts(
        tmp_path, layer, "--set", "firmware.write_cache.capacity=2 MiB", "--set", f"firmware.write_cache.durability={durability}",
        *("--set", f"layers.{layer.replace('-', '_')}.journal_tracks=16"),
    )
