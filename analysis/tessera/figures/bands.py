"""Pictures of how full the bands of a drive are over time: what is cached of each, and how far each is written."""

import numpy as np
import polars as pl

from tessera.figures.chart import Axis, Field
from tessera.results.run_folder import Run

COLUMNS, ROWS = 240, 160  # more cells than that are less than a dot each


def levels(bands: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The times of the looks, and for each look (row) and band (column) the share of the band that is written and that is cached, in percent. What a look says
    nothing of is as it was."""
    times = bands["time_s"].unique().sort().to_numpy()
    count = int(bands["band"].max()) + 1
    held, cached = np.zeros((len(times), count)), np.zeros((len(times), count))
    now = np.zeros((2, count))
    for look, (_, rows) in enumerate(bands.sort("time_s", maintain_order=True).group_by("time_s", maintain_order=True)):
        sectors = rows["sectors"].to_numpy()
        for level, name in zip(now, ("held", "cached")):
            level[rows["band"].to_numpy()] = 100 * rows[name].to_numpy() / sectors
        held[look], cached[look] = now
    return times, held, cached


def of_bands(run: Run) -> list[Field]:
    """What is cached of each band, where anything ever is; and how far each is written, where that changes."""
    if not (run.folder / "bands.csv").exists() or run.frames.bands.height == 0:
        return []
    times, held, cached = levels(run.frames.bands)
    if len(times) < 2:
        return []
    charts = []
    if cached.any():
        charts.append(_field("bands", "Band occupancy: what lies in front of each band, in flash, buffer or log", "newest copies elsewhere (% of the band)", times, cached))
    if (held != held[0]).any():
        charts.append(_field("bands-written", "Band occupancy: how far each band is written", "in front of the write pointer (% of the band)", times, held))
    return charts


def _field(name: str, title: str, label: str, times: np.ndarray, shares: np.ndarray) -> Field:
    """A cell holds from one look to the next; of bands that share a row it shows the fullest, and where there is nothing it is blank. Bands behind the last one that
    ever holds anything are left out."""
    used = shares[:, : int(np.flatnonzero(shares.any(axis=0))[-1]) + 1]
    looks, bands = _bounds(len(times) - 1, COLUMNS), _bounds(used.shape[1], ROWS)
    fullest = np.maximum.reduceat(used[:-1], bands[:-1], axis=1)
    cells = np.add.reduceat(fullest, looks[:-1], axis=0).T / np.diff(looks)
    values = [[value or None for value in row] for row in cells.tolist()]
    together = int(bands[1] - bands[0])
    place = "band, by logical address" + (f" (the fullest of {together} side by side)" if together > 1 else "")
    return Field(name, title, Axis("simulated time (s)"), Axis(place), times[looks].tolist(), bands.tolist(), values, label)


def _bounds(count: int, most: int) -> np.ndarray:
    """Of at most `most` groups of `count` things that lie side by side, all but the last as large."""
    return np.append(np.arange(0, count, -(-count // most)), count)
