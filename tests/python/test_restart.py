"""A restart of the firmware without a power cut loses nothing that was acknowledged, on every layer; and what recoveries cost is told."""

import pytest
from simulate import LAYERS, run

# 640 flash blocks, and a write buffer so small that it is emptied between the restarts.
SMALL = ("--set", "nand.blocks=640", "--set", "layers.sblock.memory=1 MiB", "--set", "layers.hwsr.memory=1 MiB",
         "--set", "layers.sblock.flash=32 MiB", "--set", "layers.hwsr.flash=32 MiB", "--set", "power.boot_time=1 ms")


@pytest.mark.parametrize("layer", LAYERS)
def test_a_restart_loses_nothing(tmp_path, layer):
    restarts = [word for at in ("3 ms", "41.7 ms", "2 s", "2.0001 s", "7.123456 s") for word in ("--restart-at", at)]
    result = run(
        tmp_path, "bare", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", "2000",
        "--check", "--events", *restarts, "--cut-at", "2.0002 s", *SMALL,
    )  # fmt: skip
    assert result.metric("scoreboard.errors") == 0
    made = result.metric("recovery.restarts")
    assert made >= 2
    assert result.metric("recovery.count") + result.metric("recovery.interrupted") <= made + 1
    assert result.metric("recovery.time_total") >= result.metric("recovery.time") >= 0
    assert (tmp_path / "events.csv").read_text().count("firmware_restart") == made


def test_an_outage_lasts_as_long_as_the_description_says_and_a_restart_has_none(tmp_path):
    common = ("bare", "--layer", "cmr", "--workload", "random-4k", "--replay", "closed:8", "--fold", "--limit", "500", "--requests")
    outage = lambda result: result.requests["outage"].max()  # noqa: E731
    cut = outage(run(tmp_path / "cut", *common, "--cut-at", "1 s"))
    restart = outage(run(tmp_path / "restart", *common, "--restart-at", "1 s"))
    assert restart >= 0.1e12  # power.boot_time; life is in picoseconds
    assert float(cut) - float(restart) == pytest.approx(1e12, rel=0.1)  # power.outage
