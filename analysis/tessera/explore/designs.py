"""What the axes of a sweep are: designs, inputs, and the seeds over which alone there are intervals."""

import itertools
import math
from collections.abc import Sequence

import polars as pl

from tessera.evidence.blocks import BLOCKS, pseudo_values
from tessera.evidence.front import places, ties_of
from tessera.evidence.intervals import student_t_975
from tessera.evidence.marks import with_marks
from tessera.evidence.ratios import Measured
from tessera.explore.dataset import AXIS

SEED = "seed"
_DESIGN_OPTIONS = ("drive", "layer", "firmware", "elf")


def is_design(axis: str) -> bool:
    """Whether an axis is something that an architect chooses: a parameter, a layer, a drive. Traces, workloads and their lengths are not.

    >>> [is_design(axis) for axis in ("nand.blocks", "layer", "trace", "seed", "replay")]
    [True, True, False, False, False]
    """
    return "." in axis or axis in _DESIGN_OPTIONS


def varied(frame: pl.DataFrame, axes: Sequence[str]) -> list[str]:
    """The axes with more than one value, seeds left out."""
    return [name for name in axes if name != SEED and AXIS + name in frame.columns and frame[AXIS + name].drop_nulls().n_unique() > 1]


def zipped_axes(frame: pl.DataFrame, axes: Sequence[str]) -> list[tuple[str, ...]]:
    """The varied axes, those that always go together as one group: each value of one comes with one value of the other.

    >>> frame = pl.DataFrame({"axis.a": [1, 2, 1], "axis.b": ["x", "y", "x"], "axis.c": [1, 1, 2]})
    >>> zipped_axes(frame, ["a", "b", "c"])
    [('a', 'b'), ('c',)]
    """
    groups: list[tuple[str, ...]] = []
    for name in varied(frame, axes):
        for place, group in enumerate(groups):
            if _together(frame, group[0], name):
                groups[place] = (*group, name)
                break
        else:
            groups.append((name,))
    return groups


def _together(frame: pl.DataFrame, one: str, other: str) -> bool:
    both = frame.select(AXIS + one, AXIS + other)
    counts = {both[AXIS + name].n_unique() for name in (one, other)}
    return counts == {both.unique().height} and both.drop_nulls().height == frame.height


def over_seeds(frame: pl.DataFrame, axes: Sequence[str], metrics: Sequence[str]) -> pl.DataFrame:
    """A row for each combination of all axes but the seed: each metric's mean, METRIC.half_width (95 %, Student's t; 0 of one seed),
    `seeds`, and the marks that any of the runs has."""
    keys = [AXIS + name for name in axes if name != SEED and AXIS + name in frame.columns]
    marked = with_marks(frame, metrics)
    aggregates = [pl.len().alias("seeds"), pl.col("marks").unique().str.join("; ").str.strip_chars("; ")]
    for metric in metrics:
        aggregates += [pl.col(metric).mean(), pl.col(metric).std().alias(f"{metric}.deviation")]
    grouped = marked.group_by(keys, maintain_order=True).agg(aggregates) if keys else marked.select(aggregates)
    factors = [student_t_975(count - 1) / math.sqrt(count) if count > 1 else 0.0 for count in grouped["seeds"]]
    return grouped.with_columns(
        (pl.col(f"{metric}.deviation").fill_null(0.0) * pl.Series(factors)).alias(f"{metric}.half_width") for metric in metrics
    )  # fmt: skip


def is_recorded(rows: pl.DataFrame) -> bool:
    """Whether runs served a recorded trace: seeds then vary the spindle's phase, and not what was recorded."""
    return "recorded" in rows.columns and bool(rows["recorded"].any())


def on_recording(rows: pl.DataFrame, metric: str) -> Measured:
    """A figure on a recording, as the geometric mean of rows, by block where the sweep has blocks of it. Figures are above 0."""
    whole = math.exp(rows[metric].log().mean())
    if f"{metric}.of_all" not in rows.columns or rows[f"{metric}.of_all"].null_count():
        return Measured({}, whole=whole)
    each = [pseudo_values(row[f"{metric}.of_all"], [row[f"{metric}.without.{block}"] for block in range(1, BLOCKS + 1)]) for row in rows.iter_rows(named=True)]
    blocks = set.intersection(*map(set, each))
    return Measured({block: math.exp(sum(math.log(values[block]) for values in each) / len(each)) for block in sorted(blocks)}, whole=whole)


def _by_seed(rows: pl.DataFrame, metric: str) -> Measured:
    seed = AXIS + SEED
    if is_recorded(rows) and rows[metric].min() > 0:
        return on_recording(rows, metric)
    return Measured(dict(zip(map(int, rows[seed]) if seed in rows.columns else itertools.count(1), rows[metric].to_list())))


def with_places(frame: pl.DataFrame, axes: Sequence[str], metrics: Sequence[str]) -> pl.DataFrame:
    """The same of metrics that are all to be small, with where each design stands with regard to the front, as a search says it: `front`,
    `settled`, `point` (of the design that it is like, a number), `ties` and the design's `key`, its number."""
    designs = over_seeds(frame, axes, metrics)
    keys = [AXIS + name for name in axes if name != SEED and AXIS + name in frame.columns]
    groups = frame.group_by(keys, maintain_order=True) if keys else [((), frame)]
    figures = [[_by_seed(group, metric) for metric in metrics] for _, group in groups]
    found = places(figures, [False] * len(metrics))
    points = [place.point for place in found]
    return designs.with_columns(
        pl.Series("key", range(len(found)), dtype=pl.Int64), pl.Series("front", [place.on for place in found]), pl.Series("settled", [place.settled for place in found]),
        pl.Series("point", points, dtype=pl.Int64), pl.Series("ties", ties_of(found), dtype=pl.Int64),
    )  # fmt: skip
