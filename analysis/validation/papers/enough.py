"""Whether runs are long enough to give a verdict."""

from collections.abc import Iterable

from tessera.results.run_folder import Run
from validation.papers.lab import Made

LEAST = 20
"""Cleanings, or intervals of the track counters, below which a run does not rank a layer."""
COUNTS = {"cleaning.count": "cleanings", "intervals.count": "intervals of the track counters"}


def shortfall(run: Run) -> str:
    """What there are too few of in a run; empty where it is enough, or where the layer has nothing of the kind."""
    for name, what in COUNTS.items():
        count = run.find(name)
        if count is not None and count < LEAST:
            return f"{count:.0f} {what}"
    return ""


def short_runs(grids: Iterable[Made]) -> list[str]:
    """The runs that are too short, as sentences' parts."""
    return [f"{variant} on {row or 'its input'} has {few}" for made in grids for row, variant, run in made.runs() if (few := shortfall(run))]
