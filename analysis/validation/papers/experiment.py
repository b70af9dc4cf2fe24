"""An experiment of a chapter: one section of the page, which can be run alone. What it shows are measures; what they mean, the catalogue says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tessera.evidence.intervals import of_mean
from tessera.evidence.marks import cleaned_too_little
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.check import Comparison
from validation.papers.lab import Grid, Lab, Made
from validation.papers.measures import Figure, figure_tables, figures_by_row, starred

def short_runs(grids: Iterable[Made]) -> list[str]:
    """The runs that are too short to rank what they ran, as the rule of all evidence has it: parts of sentences."""
    return [f"{variant} on {row or 'its input'}: {few}" for made in grids for row, variant, run in made.runs() if (few := cleaned_too_little(run))]


@dataclass(frozen=True)
class Ranking:
    """Which inputs rank, and what a star next to the others says."""

    ranked: Callable[[Mapping[str, Run]], bool]
    otherwise: str


@dataclass(frozen=True)
class Replicates:
    """A grid under seeds that count up from 1: a seed draws the input and where the spindle stands. `figures`: those that the catalogue compares."""

    grid: Callable[[Lab], Grid]
    figures: Sequence[Figure]
    seeds: int = 5

    def grids(self, lab: Lab) -> list[Grid]:
        return [self.grid(lab.seeded(seed)) for seed in range(1, self.seeds + 1)]


def seed_table(grids: Sequence[Grid], comparisons: Iterable[Comparison], figures: Iterable[Figure]) -> str:
    """A line a comparison. The runs of a seed share their input, so a ratio of two of them is one sample."""
    measures = {figure.title: figure.of for figure in figures}
    rows = []
    for each in comparisons:
        values = [each.value(lambda variant, grid=grid, each=each: measures[each.figure](grid[each.input][variant])) for grid in grids]
        if None in values:
            rows.append([each.what, each.claim, "-", "-", "undefined"])
            continue
        centre, width = (found := of_mean(np.array(values))).value, found.half_width
        spread = f"{number(min(values), 3)} to {number(max(values), 3)}"
        rows.append([each.what, each.claim, spread, f"{number(centre, 3)} ± {number(width, 3)}", each.verdict(centre - width, centre + width)])
    return table([f"{len(grids)} seeds", "claim", "least and largest", "mean, 95 %", "verdict"], rows)


Tables = Callable[[Lab, Grid], list[str]]


@dataclass(frozen=True)
class Experiment:
    """`grid` makes the runs, and nothing where its inputs are not at hand; `figures` are shown of each, in a table a figure, or in one whose
    first column is named `by`. `before` and `after` are further tables."""

    name: str
    title: str
    grid: Callable[[Lab], Grid] | None = None
    figures: Sequence[Figure] = ()
    intro: str = ""
    by: str = ""
    ranking: Ranking | None = None
    before: Tables | None = None
    after: Tables | None = None
    replicates: Replicates | None = None

    def parts(self, lab: Lab, comparisons: Sequence[Comparison] = ()) -> list[str]:
        """The section's text; nothing where its inputs are not at hand."""
        grid = self.grid(lab) if self.grid else {}
        if self.grid and not grid:
            return []
        found = self.before(lab, grid) if self.before else []
        if grid and self.figures:
            rows = starred(grid, self.ranking.ranked) if self.ranking else grid
            found += [figures_by_row(rows, self.by, self.figures)] if self.by else figure_tables(rows, self.figures)
            found += [f"\\* {self.ranking.otherwise}: not ranked.\n"] if any(name.endswith("*") for name in rows) else []
        found += self.after(lab, grid) if self.after else []
        if self.replicates:
            found.append(seed_table(self.replicates.grids(lab), comparisons, self.replicates.figures))
        return [*([self.intro] if self.intro and found else []), *found]

    def section(self, lab: Lab, comparisons: Sequence[Comparison] = ()) -> list[str]:
        """The section with its heading; nothing where there is no section. A scaled experiment whose runs are too short for its tables says
        that in their place."""
        before = len(lab.made)
        try:
            parts = self.parts(lab, comparisons)
        except (TypeError, ValueError, ZeroDivisionError):  # a mean of nothing, a ratio to nothing: None, min() of nothing, 0
            short = short_runs(lab.made[before:])
            if lab.scale == 1 or not short:
                raise
            parts = [f"No tables and no verdict at scale {lab.scale:g}: {short[0]}. Use a larger --scale.\n"]
        return [f"### {self.title}\n", *parts] if parts else []
