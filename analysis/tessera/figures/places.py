"""Pictures of where on the drive the work fell: tracks, flash blocks, and how full what holds data was."""

import numpy as np
import polars as pl

from tessera.figures.chart import Axis, Line, Lines, Stack
from tessera.results.human import counted
from tessera.results.run_folder import Run

BINS = 240  # of the radius: more than that are less than a dot wide
WEAR_BINS = 12
GAUGES_FROM = 12  # columns of intervals.csv in front of the gauges'


def track_heat(run: Run) -> Lines:
    """Accesses of a track by its radius, reads and writes apart; regions that hold no user data are shaded."""
    tracks = run.frames.tracks
    surfaces, radii = int(tracks["surface"].max()) + 1, int(tracks["radius"].max()) + 1
    width = max(1, -(-radii // BINS))
    binned = tracks.group_by(pl.col("radius") // width).agg(pl.col("reads", "writes").sum()).sort("radius")
    at = ((binned["radius"] + 0.5) * width).to_list()
    lines = [Line(name, at, [value / (width * surfaces) or None for value in binned[name]], points_only=True) for name in ("reads", "writes")]
    sizes = tracks.group_by("region", maintain_order=True).agg(pl.col("radius").min().alias("first"), pl.col("radius").max().alias("last"), pl.len())
    others = sizes.filter(pl.col("len") < sizes["len"].max())
    return Lines(
        "track-heat", "Track heat: how often each place of the platters is read and written", Axis("radius (tracks from the outer edge)"), Axis(f"accesses of a track (mean of {width * surfaces:,})", log=True), lines,
        shades=[(float(first), float(last) + 1) for _, first, last, _ in others.rows()], shade_label=", ".join(others["region"].to_list()),
    )  # fmt: skip


def wear(run: Run) -> Stack:
    """Blocks of the flash by how often they were erased."""
    blocks = run.frames.blocks
    most = int(blocks["erases"].max())
    width = max(1, -(-(most + 1) // WEAR_BINS))
    lows = range(0, most + 1, width)
    names = [counted(low, "erase") if width == 1 else f"{low} to {low + width - 1} erases" for low in lows]

    def blocks_of(bad: int) -> list[float]:
        found = np.bincount(blocks.filter(pl.col("bad") == bad)["erases"].to_numpy() // width, minlength=len(names))
        return [float(count) for count in found]

    parts = {name: values for name, values in (("good blocks", blocks_of(0)), ("bad blocks", blocks_of(1))) if sum(values)}
    return Stack("wear", "Wear of the flash: blocks by how often each was erased", Axis("blocks"), names, parts)


def occupancy(run: Run) -> Lines:
    """Levels of caches, buffers and zones over time, each as a share of the most that it had in the run."""
    rows = run.frames.intervals
    seconds = rows["end_s"].to_list()
    lines = []
    for name in rows.columns[GAUGES_FROM:]:
        most = rows[name].max()
        if most:
            lines.append(Line(f"{name}, of {most:,.0f}", seconds, (100 * rows[name] / most).to_list()))
    level = f"{lines[0].name} (%)" if len(lines) == 1 else "share of the highest level (%)"
    return Lines("occupancy", "How full caches, buffers and bands are", Axis("simulated time (s)"), Axis(level), lines, steps=True)


def of_places(run: Run) -> list[Lines | Stack]:
    """Those that the run wrote the data for."""
    charts: list[Lines | Stack] = []
    if (run.folder / "tracks.csv").exists() and run.frames.tracks.height:
        charts.append(track_heat(run))
    if (run.folder / "blocks.csv").exists():
        charts.append(wear(run))
    if (run.folder / "intervals.csv").exists() and len(run.frames.intervals.columns) > GAUGES_FROM:
        charts.append(occupancy(run))
    return [chart for chart in charts if not isinstance(chart, Lines) or chart.lines]
