"""What an axis of a sweep does to a figure: paired by all else, with an interval over seeds alone that holds for all pairs of its values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from tessera.evidence.blocks import BLOCKS
from tessera.evidence.family import equal, margin, pairs
from tessera.evidence.marks import rankable
from tessera.evidence.ratios import Difference, Ratio
from tessera.explore.dataset import AXIS
from tessera.explore.designs import SEED, is_recorded, zipped_axes
from tessera.figures.pictures import in_order, text
from tessera.results.human import counted, figure, number


@dataclass(frozen=True)
class Effect:
    """Figures are geometric means over all else that was run alike, so that none outweighs the others."""

    low: tuple[Any, float]
    """The value with the smallest figure, and the figure."""
    high: tuple[Any, float]
    least: float
    """The factor between the two, where it is smallest and where it is largest; each over seeds."""
    most: float
    ratio: Ratio
    """The factor by seed; its interval holds for all pairs of values, of which this is the widest apart."""
    over: Mapping[str, int] | None = None
    """The other axes, with as many values as the means are over."""
    recorded: bool = False
    """On a recorded trace, where the interval is over its blocks."""

    def sentence(self, unit: str) -> str:
        factor, seeds, difference = self.high[1] / self.low[1], self.ratio.count, self.ratio.difference
        over = " and ".join(f"{count} values of {name}" for name, count in (self.over or {}).items())
        means = f"; geometric means over {over}" if over else ""
        of, alone = ("blocks", "no blocks of this recording") if self.recorded else ("seeds", "one seed")
        sure = f" [{number(self.ratio.low)} to {number(self.ratio.high)}, {seeds} {of}]" if seeds > 1 else f" ({alone}: no interval)"
        if max(factor, self.most) < margin() and difference is not Difference.NOT_SETTLED:
            return f"equal within {equal()}, a factor of {self.most:.3f} at the most{sure}{means}."
        between = f", {number(self.least)} to {number(self.most)} by what else differs" if self.most > margin() * self.least else ""
        ends = " to ".join(f"{figure(value, unit)} ({text(at)})" for at, value in (self.low, self.high))
        settled = "" if difference is not Difference.NOT_SETTLED else "not settled: "
        return f"{settled}from {ends}, a factor of {number(factor)}{sure}, all else alike{between}{means}."


def effect_of(good: pl.DataFrame, axes: Sequence[str], axis: str, metric: str, comparisons: int = 0) -> Effect | None:
    """Of `comparisons` that share the confidence, all pairs of the axis at least. Over those combinations of the other axes that were run with every value of this one: else the figures would be those of other layers
    or seeds. Axes that always go with this one are this one. None where there is no such combination, or a figure that is not positive."""
    column = AXIS + axis
    if column not in good.columns:
        return None
    known = good.drop_nulls(column)
    values = in_order(known[column])
    with_it = next((group for group in zipped_axes(known, axes) if axis in group), (axis,))
    others = [AXIS + name for name in axes if name not in with_it and AXIS + name in known.columns]
    alike = known.filter(pl.col(column).n_unique().over(others) == len(values)) if others else known
    if len(values) < 2 or alike.height == 0 or alike[metric].min() <= 0:
        return None
    means = {value: math.exp(float(alike.filter(pl.col(column) == value)[metric].log().mean())) for value in values}
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    factors = _factors(alike, column, low, high, others, metric)
    seed = AXIS + SEED
    mean = pl.col("log").mean()
    by_seed = factors.group_by(seed, maintain_order=True).agg(mean) if seed in factors.columns else factors.select(mean)
    rest = [name for name in others if name != seed]
    by_other = (factors.group_by(rest).agg(mean) if rest else factors.select(mean))["log"].to_numpy()
    comparisons = max(comparisons, pairs(len(values)))
    recorded = is_recorded(alike)
    ratio = _over_blocks(alike, column, low, high, others, metric, comparisons) if recorded else Ratio.of(by_seed["log"], comparisons)
    over = {name.removeprefix(AXIS): alike[name].n_unique() for name in rest if alike[name].n_unique() > 1}
    return Effect((low, means[low]), (high, means[high]), math.exp(by_other.min()), math.exp(by_other.max()), ratio, over, recorded)


def _factors(alike: pl.DataFrame, column: str, low: Any, high: Any, others: Sequence[str], metric: str) -> pl.DataFrame:
    """The logarithm of the factor between two values, for each combination of the others."""
    sides = [alike.filter(pl.col(column) == value) for value in (high, low)]
    if not others:
        return pl.DataFrame({"log": [math.log(float(sides[0][metric].mean()) / float(sides[1][metric].mean()))]})
    means = [side.group_by(others).agg(pl.col(metric).log().mean()) for side in sides]
    both = means[0].join(means[1], on=others, suffix=".low", nulls_equal=True)
    return both.with_columns((pl.col(metric) - pl.col(f"{metric}.low")).alias("log"))


def _over_blocks(alike: pl.DataFrame, column: str, low: Any, high: Any, others: Sequence[str], metric: str, comparisons: int) -> Ratio:
    """The factor on a recording, by block; without an interval where the sweep has no blocks of it."""
    logs = lambda name: float(_factors(alike, column, low, high, others, name)["log"].mean())  # noqa: E731
    whole = f"{metric}.of_all"
    if whole not in alike.columns or alike[whole].null_count():
        return Ratio.of([logs(metric)], comparisons)
    blocks = [BLOCKS * logs(whole) - (BLOCKS - 1) * logs(f"{metric}.without.{block}") for block in range(1, BLOCKS + 1)]
    return replace(Ratio.of(blocks, comparisons), mean=logs(metric))


def effects(good: pl.DataFrame, axes: Sequence[str], metric: str, unit: str) -> list[str]:
    """A sentence for each axis, axes that go together as one; all share the confidence. Runs that must not be ranked are left out, and said to be."""
    ranks = rankable(good, [metric])
    left_out = good.height - ranks.height
    groups = zipped_axes(good, axes)
    family = sum(pairs(good[AXIS + group[0]].drop_nulls().n_unique()) for group in groups)
    recorded = " On this recording, from this start." if is_recorded(good) else ""
    found = []
    for group in groups:
        name = " with ".join(group)
        effect = effect_of(ranks, axes, group[0], metric, family) if ranks.height else None
        if effect is not None:
            without = f" {counted(left_out, 'run')} that must not be ranked left out." if left_out else ""
            found.append(f"{metric} over {name}: {effect.sentence(unit)}{without}{recorded}")
        elif left_out:
            found.append(f"{metric} over {name}: not ranked, as {counted(left_out, 'run')} must not be.")
    return found
