"""An experiment of a chapter: one section of the page, which can be run alone."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from validation.papers.enough import short_runs
from validation.papers.lab import Lab


@dataclass(frozen=True)
class Experiment:
    """`parts` runs it and gives the section's text; nothing where its inputs are not at hand."""

    name: str
    title: str
    parts: Callable[[Lab], list[str]]

    def section(self, lab: Lab) -> list[str]:
        """The section with its heading; nothing where there is no section. A scaled experiment whose runs are too short for its tables says
        that in their place."""
        before = len(lab.made)
        try:
            parts = self.parts(lab)
        except (TypeError, ValueError, ZeroDivisionError):  # a mean of nothing, a ratio to nothing: None, min() of nothing, 0
            short = short_runs(lab.made[before:])
            if lab.scale == 1 or not short:
                raise
            parts = [f"No tables and no verdict at scale {lab.scale:g}: {short[0]}. Use a larger --scale.\n"]
        return [f"### {self.title}\n", *parts] if parts else []


def sections_of(experiments: Iterable[Experiment], lab: Lab) -> list[str]:
    """Every section, in the order of the page."""
    return [part for each in experiments for part in each.section(lab)]
