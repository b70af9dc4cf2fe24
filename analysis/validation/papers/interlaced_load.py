"""The part of the interlaced chapter on load: a drive that falls behind its input, and what the requests then wait."""

from collections.abc import Mapping

import numpy as np

from tessera.results.markdown import number, table
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import INTERLACED, INTERVALS, IN_PARTS, TURN_MS, dilated, disparity, loads, ranked, workloads
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency
from validation.papers.page import Figure, figure_tables, figures_by_row, starred

FIGURE_12 = ("w46", "w28")  # and 13
SLOWED = "A write is slowed that takes at least a turn longer than the same write on the conventional disk.\n"
LOAD_FIGURES = (Figure("mean ms", latency, of_response=True), Figure("dilation", dilated))


def _dilation_parts(grid: Grid) -> list[str]:
    parts = ["Seconds later than on the conventional disk.\n"]
    for name, row in grid.items():
        late = {layer: disparity(row, layer) for layer in INTERLACED}
        star = "" if ranked(row) else "*"
        rows = [[f"{10 * (i + 1)} %{star}", *(number(late[layer][i], 1) for layer in INTERLACED)] for i in range(10)]
        parts.append(table([f"{name}, of the requests", *INTERLACED], rows))
    return [*parts, f"\\* fewer than {INTERVALS} intervals of the track counters: not ranked.\n"]


def write_latencies(run: Run) -> np.ndarray:
    """Of each write in ms, in order of arrival."""
    writes = run.requests[run.requests["op"] == OPERATIONS.index("write")]
    return latency_ms(writes[np.argsort(writes["number"])])


def slowed(row: Mapping[str, Run], layer: str) -> float:
    """The share of the writes that take at least a turn longer than the same write on the conventional disk."""
    return float(np.mean(write_latencies(row[layer]) - write_latencies(row["cmr"]) >= TURN_MS))


PERCENTILES = tuple(
    Figure(f"writes, {title} ms", lambda run, name=name: run.metric(f"host.write.latency.{name}"), of_response=True)
    for title, name in (("median", "p50"), ("90 %", "p90"), ("99 %", "p99"), ("99.9 %", "p999"))
)


def _slowed_table(shares: Mapping[str, Mapping[str, float]]) -> str:
    rows = [[name, *(number(100 * share, 1) for share in row.values())] for name, row in shares.items()]
    return table(["writes slowed, %", *INTERLACED], rows)


def _loads(lab: Lab) -> list[str]:
    return ["Gaps of the input over the published ones.\n", figures_by_row(loads(lab), "gaps", LOAD_FIGURES)]


def _dilation(lab: Lab) -> list[str]:
    fast = workloads(lab, IN_PARTS)
    return _dilation_parts({name: fast[name] for name in FIGURE_12})


def _distributions(lab: Lab) -> list[str]:
    fast = starred(workloads(lab, IN_PARTS), ranked)
    shares = {name: {layer: slowed(row, layer) for layer in INTERLACED} for name, row in fast.items()}
    return [*figure_tables(fast, PERCENTILES), SLOWED, _slowed_table(shares)]


EXPERIMENTS = (
    Experiment("load", "w09, slower and faster", _loads),
    Experiment("dilation", "Dilation over time", _dilation),
    Experiment("distributions", "Latency distributions of w46, w28 and w56", _distributions),
)
