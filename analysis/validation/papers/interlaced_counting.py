"""The part of the interlaced chapter on where the heat of tracks is counted: in front of the write cache, or behind it."""

from collections.abc import Mapping

from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import COUNTED, IMPROVED, heat_counted, moves_done, own_amplification
from validation.papers.lab import Grid, Lab
from validation.papers.measures import amplification, latency
from validation.papers.page import Figure, Finding, figure_tables, findings, span, verdict

INTRODUCTION = (
    "Algorithms 1 to 3 count a write when the drive receives it; a write cache makes one of those that meet in it. `layers.*.heat`: `media`, the\n"
    "default and what the tables above have, counts what reaches the tracks, `host` as the paper prints.\n"
)


def _lost(run: Run) -> float | None:
    """In percent of the writes of tracks that arrived."""
    share = run.find("heat.lost_in_cache")
    return None if share is None else 100 * share


FIGURES = (
    Figure("% of the heat lost in the cache", _lost, 1),
    Figure("moves", moves_done, 0),
    Figure("write amplification", amplification),
    Figure("of host writes alone", own_amplification),
    Figure("mean ms", latency, of_response=True),
)
LITTLE = 0.05  # ours


def _change(row: Mapping[str, Run], layer: str) -> float:
    """What counting in front of the cache does to what host writes cost."""
    behind, front = (own_amplification(row[f"{layer} {where}"]) for where in COUNTED)
    return front / behind - 1


def _findings(grid: Grid) -> list[Finding]:
    changes = {layer: [_change(row, layer) for row in grid.values()] for layer in IMPROVED}
    lost = [share for row in grid.values() for run in row.values() if (share := _lost(run)) is not None]
    return [
        Finding(
            "where heat is counted decides what the improved layers gain",
            "(our question; here: by more than 5 %)",
            f"the cache loses {span(lost, 0)} % of it; `host` changes the write amplification of host writes by "
            + "; ".join(f"{layer} {span((100 * change for change in values), 1)} %" for layer, values in changes.items()),
            verdict(abs(change) > LITTLE for values in changes.values() for change in values),
        )
    ]


def _parts(lab: Lab) -> list[str]:
    grid = heat_counted(lab)
    return [INTRODUCTION, *figure_tables(grid, FIGURES), findings(_findings(grid))]


EXPERIMENTS = (Experiment("heat-counted", "Where heat is counted", _parts),)
