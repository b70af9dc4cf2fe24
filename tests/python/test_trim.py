"""TRIM brings nothing older back: what a sector held before, or nothing, while the drive works and after power cuts, on every layer."""

import pytest
from simulate import LAYERS, run

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
