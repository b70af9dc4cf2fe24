"""Comparisons over several seeds: mean, and the half-width of its 95 % confidence interval."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from tessera.evidence.intervals import of_mean
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.lab import Grid, Lab
from validation.papers.outcome import Tally

SEEDS = 5


@dataclass(frozen=True)
class Comparison:
    """A figure of a grid that a claim says to lie between two bounds."""

    what: str
    of: Callable[[Grid], float | None]
    above: float = -inf
    below: float = inf

    def claim(self) -> str:
        bounds = [f"above {self.above:g}"] if self.above > -inf else []
        bounds += [f"below {self.below:g}"] if self.below < inf else []
        return " and ".join(bounds)

    def verdict(self, low: float, high: float) -> str:
        """What an interval says of the claim."""
        held = True if self.above < low and high < self.below else False if high <= self.above or self.below <= low else None
        return Tally.of([held]).text + ("" if held is not None else ": the interval holds a bound")


def quotient(measure: Callable[[Run], float], row: str, of: str, over: str) -> Callable[[Grid], float | None]:
    """A measure of one variant over that of another, under the same input; None where the other has nothing."""

    def value(grid: Grid) -> float | None:
        base = measure(grid[row][over])
        return measure(grid[row][of]) / base if base else None

    return value


def over_seeds(lab: Lab, grid: Callable[[Lab], Grid], seeds: int = SEEDS) -> list[Grid]:
    """The same grid under seeds that count up from 1; a seed draws the input and where the spindle stands."""
    return [grid(lab.seeded(seed)) for seed in range(1, seeds + 1)]


class SeedTable(str):
    """The table as text, which still has its lines: what, claim, spread, mean, verdict."""

    lines: tuple[tuple[str, ...], ...] = ()


def seed_table(grids: Sequence[Grid], comparisons: Iterable[Comparison]) -> SeedTable:
    """A line a comparison. The runs of a seed share their input, so a ratio of two of them is one sample."""
    rows = []
    for each in comparisons:
        values = [each.of(grid) for grid in grids]
        if None in values:
            rows.append([each.what, each.claim(), "-", "-", "undefined"])
            continue
        centre, width = (found := of_mean(np.array(values))).value, found.half_width
        spread = f"{number(min(values), 3)} to {number(max(values), 3)}"
        cells = (each.claim(), spread, f"{number(centre, 3)} ± {number(width, 3)}", each.verdict(centre - width, centre + width))
        rows.append([each.what, *cells])
    text = SeedTable(table([f"{len(grids)} seeds", "claim", "least and largest", "mean, 95 %", "verdict"], rows))
    text.lines = tuple(map(tuple, rows))
    return text
