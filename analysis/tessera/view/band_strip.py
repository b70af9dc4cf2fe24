"""How full the bands of a run's layer were over time, as a page draws them."""

from typing import Any

import numpy as np

from tessera.errors import damaged
from tessera.figures.bands import levels
from tessera.results.run_folder import Run
from tessera.view.packed import packed

MOST_LOOKS = 1_000  # of a page
MOST_BANDS = 200  # more are less than two dots wide
PICOSECONDS = 10**12


def band_strip(run: Run, until: int | None) -> dict[str, Any] | None:
    """Percent of each band that is written and that is cached in front of it, look after look; of bands that share a place, the fullest. None
    where the run has no record of its bands, or nothing ever happened to them."""
    if not (run.folder / "bands.csv").exists():
        return None
    try:
        bands = run.frames.bands
        if bands.height == 0:
            return None
        times, held, cached = levels(bands)
    except (ValueError, TypeError, ArithmeticError, IndexError, KeyError):
        raise damaged(run.folder / "bands.csv") from None
    shown = times * PICOSECONDS <= (np.inf if until is None else until)
    if not shown.any() or not (held.any() or cached.any()):
        return None
    looks = np.flatnonzero(shown)[:: -(-int(shown.sum()) // MOST_LOOKS)]
    together = -(-held.shape[1] // MOST_BANDS)
    places = np.arange(0, held.shape[1], together)
    columns = {name: np.ceil(np.maximum.reduceat(share[looks], places, axis=1)).clip(0, 100) for name, share in (("held", held), ("cached", cached))}
    return {
        "count": len(places),
        "together": together,
        "at": packed((times[looks] * PICOSECONDS).astype(np.uint64), "u64"),
        **{name: packed(share.astype(np.uint8).ravel(), "u8") for name, share in columns.items()},
    }
