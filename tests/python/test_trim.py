"""TRIM brings nothing older back: what a sector held before, or nothing, while the drive works and after power cuts, on every layer."""

import pytest
from simulate import LAYERS, run, simulate

SECTORS = (96, 97, 130, 700)  # in units of 4 KiB: neighbours, another track, another band
OTHERS = range(1024, 1792, 4)  # more than buffers of the drive hold


def history(folder, *, flushed):
    """Each sector is written twice, far apart, and trimmed; a second apart, so that a cut may come anywhere between."""
    lines = []
    at = 0

    def ask(op, sector=0, count=1):
        lines.append(f"{at},{op},{sector * 8},{count * 8}")

    for content in ("older", "newer"):
        for sector in SECTORS:
            ask("w", sector)
        at += 1_000_000
        if content == "older" or flushed:
            ask("f")
        if content == "older":
            for other in OTHERS:
                at += 100_000
                ask("w", other, 4)
            ask("f")
        at += 10_000_000
    trimmed = at
    for sector in SECTORS:
        ask("t", sector)
    for _ in range(2):
        at += 5_000_000
        for sector in SECTORS:
            ask("r", sector)
    path = folder / "history.csv"
    path.write_text("\n".join(lines) + "\n")
    return path, trimmed


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("flushed", [True, False], ids=["flushed", "in the caches"])
@pytest.mark.parametrize("cache", ["0 B", "64 KiB"])
def test_a_trim_uncovers_nothing_older(tmp_path, layer, flushed, cache):
    trace, trimmed = history(tmp_path, flushed=flushed)
    words = ("--layer", layer, "--trace", trace, "--format", "columns:time=1:us,op=2:r=r,w=w,f=f,t=t,offset=3:512,size=4:512", "--check", "--fold")
    words += ("--replay", "timed", "--prefill", 100, "--set", f"firmware.write_cache.capacity={cache}")
    cuts = [word for after in (100, 2_500_000, 7_500_000) for word in ("--cut-at", f"{trimmed + after}us")]
    for more in ((), cuts):
        result = run(tmp_path / ("cut" if more else "plain"), "torture", *words, *more)
        assert result.metric("scoreboard.errors") == 0
        assert result.metric("host.trims") == len(SECTORS)


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer not in ("zoned", "host-aware")])
@pytest.mark.parametrize("cache", ["0 B", "64 KiB"])
def test_where_zeros_are_promised_trimmed_sectors_read_as_zeros(tmp_path, layer, cache):
    """The scoreboard takes nothing else then, after power cuts neither: on a drive without this promise it finds what was there before."""
    trace, trimmed = history(tmp_path, flushed=True)
    words = ("--layer", layer, "--trace", trace, "--format", "columns:time=1:us,op=2:r=r,w=w,f=f,t=t,offset=3:512,size=4:512", "--check", "--fold")
    words += ("--replay", "timed", "--prefill", 100, "--set", f"firmware.write_cache.capacity={cache}", "--set", "firmware.zeros_after_trim=true")
    for cuts in ((), ("--cut-at", f"{trimmed + 4_900_000}us")):
        result = run(tmp_path / ("cut" if cuts else "plain"), "torture", *words, *cuts)
        assert result.metric("scoreboard.errors") == 0


@pytest.mark.parametrize("layer", ["zoned", "host-aware"])
def test_zeros_after_trim_are_refused_where_a_reset_empties_zones(layer):
    ended = simulate("check", "torture", "--layer", layer, "--set", "firmware.zeros_after_trim=true", status=2)
    assert f"firmware.zeros_after_trim is true, and hosts empty the zones of the layer {layer} by a reset" in ended.stderr
