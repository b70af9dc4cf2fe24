"""Where a layer stands among others: a rank for each measure, and no number over all of them.

A figure of the suite is the geometric mean over its cells, seed by seed; a ratio is over the cells in which both layers may be ranked, and takes half of
them at least. A layer's ratios to all others in one measure are a family (tessera.evidence.paired)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tessera.evidence.intervals import Estimate, of_mean
from tessera.evidence.paired import NOT_SETTLED, WORSE, judged
from tessera.evidence.ratios import Ratio
from tessera.scoring.measures import MEASURES, Figures, Measure
from tessera.scoring.suite import Suite


@dataclass(frozen=True)
class Standing:
    measure: Measure
    cells: int
    """In which the layer may be ranked."""
    of: int
    times: Ratio | None
    """How many times the yardstick's figure its own is; None where too few cells may be ranked."""
    against: Mapping[str, Ratio]
    """The same of every other layer that can be compared."""
    verdicts: Mapping[str, str]
    """Whether the layer is better than each of them."""
    marks: str
    """Why it may not be ranked in some cells."""
    others: int
    """How many other layers there are, comparable or not."""

    def layers(self, verdict: str) -> list[str]:
        return [layer for layer, said in self.verdicts.items() if said == verdict]

    @property
    def count(self) -> int:
        """Layers that are ranked, this one among them."""
        return len(self.verdicts) + 1

    @property
    def rank(self) -> tuple[int, int] | None:
        """The best and the worst that it can be: what is equal shares a rank, what is not settled may be on either side. None where it can be compared with
        fewer than half of the others, for nobody would be left who is better."""
        first = 1 + len(self.layers(WORSE))
        return (first, first + len(self.layers(NOT_SETTLED))) if self.verdicts and 2 * len(self.verdicts) >= self.others else None

    def rank_text(self) -> str:
        """ "3", "3-5", or "-" where there is none."""
        return "-".join(map(str, dict.fromkeys(self.rank))) if self.rank else "-"

    def place(self) -> str:
        return f"{self.rank_text()} of {self.count}" if self.rank else "-"


def ranked_cells(suite: Suite, measure: Measure, figures: Figures) -> list[str]:
    """In which the figure is there with every seed, above 0, and may be ranked."""
    known = {cell: figures.get(cell, {}).get(measure.metric) for cell in suite.cells_of(measure)}
    return [cell for cell, figure in known.items() if figure and not figure.unranked and all(figure.by_seed.get(seed, 0) > 0 for seed in suite.seeds)]


def ratio_of(suite: Suite, measure: Measure, one: Figures, other: Figures) -> Ratio | None:
    """None where they share fewer than half of the cells."""
    theirs = set(ranked_cells(suite, measure, other))
    shared = [cell for cell in ranked_cells(suite, measure, one) if cell in theirs]
    if not shared or 2 * len(shared) < len(suite.cells_of(measure)):
        return None
    log = lambda cell, seed: math.log(one[cell][measure.metric].by_seed[seed] / other[cell][measure.metric].by_seed[seed])  # noqa: E731
    return Ratio.of(math.fsum(log(cell, seed) for cell in shared) / len(shared) for seed in suite.seeds)


def standings(suite: Suite, own: Figures, others: Mapping[str, Figures], yardstick: Figures) -> list[Standing]:
    """One for each measure; `others` without the layer itself."""
    found = []
    for measure in MEASURES:
        against = {layer: ratio for layer, figures in others.items() if (ratio := ratio_of(suite, measure, own, figures)) is not None}
        every = suite.cells_of(measure)
        marks = dict.fromkeys(figure.unranked for cell in every if (figure := own.get(cell, {}).get(measure.metric)) and figure.unranked)
        found.append(Standing(measure, len(ranked_cells(suite, measure, own)), len(every), ratio_of(suite, measure, own, yardstick), against, judged(against, measure.more_is_better), "; ".join(marks), len(others)))
    return found


def as_it_is(suite: Suite, column: Measure, figures: Figures) -> Estimate | None:
    """A figure that has no rank, over the cells and seeds; None where some are missing. Of several cells it is their mean, for it may be 0."""
    known = [found for cell in suite.cells_of(column) if (found := figures.get(cell, {}).get(column.metric)) and all(seed in found.by_seed for seed in suite.seeds)]
    if len(known) < len(suite.cells_of(column)):
        return None
    return of_mean(np.array([math.fsum(found.by_seed[seed] for found in known) / len(known) for seed in suite.seeds]))


def by_cell(suite: Suite, measure: Measure, own: Figures, yardstick: Figures) -> dict[str, float]:
    """Cell -> how many times the yardstick's figure."""
    theirs = set(ranked_cells(suite, measure, yardstick))
    mean = lambda figures, cell: math.fsum(math.log(figures[cell][measure.metric].by_seed[seed]) for seed in suite.seeds) / len(suite.seeds)  # noqa: E731
    return {cell: math.exp(mean(own, cell) - mean(yardstick, cell)) for cell in ranked_cells(suite, measure, own) if cell in theirs}


def old(suite: Suite, now: Mapping[str, Figures], shipped: Mapping[str, Figures]) -> list[str]:
    """The layers whose canary does not give what the file of the suite has: their figures are of another simulator."""
    return [layer for layer, figures in shipped.items() if figures.get(suite.canary.name) != now.get(layer, {}).get(suite.canary.name)]
