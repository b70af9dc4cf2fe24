"""The part of the interlaced chapter that changes what an input assumes, one cause at a time."""

from collections.abc import Mapping

from tessera.results.markdown import number
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import CAUSES, IMPROVED, dilated, one_cause_at_a_time, own_amplification
from validation.papers.lab import Grid, Lab
from validation.papers.measures import amplification, latency
from validation.papers.page import Figure, Finding, figure_tables, findings, span, verdict

AS_IT_IS, BY_MEAN, _, DRIFTING = CAUSES
BURSTY = ("w08", "w24", "w43")  # the paper: "not affected"
LOCAL = ("w39", "w106")  # whose hot tracks take the most
FIGURES = (
    Figure("write amplification", amplification),
    Figure("mean ms", latency, of_response=True),
    Figure("dilation", dilated),
)


def _slower(grid: Mapping[str, Grid], cause: str) -> list[float]:
    return [latency(grid[name][cause]["imr-rmw"]) / latency(grid[name][cause]["cmr"]) for name in BURSTY]


def _gain(grid: Mapping[str, Grid], cause: str) -> list[float]:
    """Of the layer that gains most, host writes alone."""
    rows = [grid[name][cause] for name in LOCAL]
    return [own_amplification(row["imr-rmw"]) / min(own_amplification(row[layer]) for layer in IMPROVED) for row in rows]


def _findings(grid: Mapping[str, Grid]) -> list[Finding]:
    gaps = [max(_slower(grid, cause)) for cause in (AS_IT_IS, BY_MEAN)]
    still = dict(zip(LOCAL, zip(_gain(grid, AS_IT_IS), _gain(grid, DRIFTING), strict=True), strict=True))
    return [
        Finding(
            "bursts are why interlacing hardly slows w08, w24, w43",
            "not affected (which bursts, it does not say)",
            f"rmw over cmr: {span(_slower(grid, AS_IT_IS))} with the published gaps, {span(_slower(grid, BY_MEAN))} with gaps by their mean",
            verdict([gaps[0] < gaps[1]]),
        ),
        Finding(
            "drift costs the improved layers part of their gain",
            "(our question)",
            "; ".join(f"{name} {number(without)} without, {number(drifting)} with drift" for name, (without, drifting) in still.items()),
            verdict(without > drifting for without, drifting in still.values()),
        ),
    ]


def _parts(lab: Lab) -> list[str]:
    grid = one_cause_at_a_time(lab)
    rows = {f"{name}, {cause}": row for name, by_cause in grid.items() for cause, row in by_cause.items()}
    return [*figure_tables(rows, FIGURES), findings(_findings(grid))]


EXPERIMENTS = (Experiment("causes", "One cause at a time", _parts),)
