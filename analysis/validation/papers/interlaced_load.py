"""The part of the interlaced chapter on load: a drive that falls behind its input, and what the requests then wait."""

from collections.abc import Iterable, Mapping

import numpy as np

from tessera.results.markdown import number, table
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import IMPROVED, IN_PARTS, INTERLACED, TURN_MS, dilated, disparity, loads, workloads
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency
from validation.papers.page import Figure, Finding, figure_tables, figures_by_row, findings, span, verdict

FIGURE_12 = ("w46", "w28")  # and 13
SLOWED = "A write is slowed that takes at least a turn longer than the same write on the conventional disk.\n"
BETWEEN = "gaps follow each other at random here: their order is not published"
LOAD_FIGURES = (Figure("mean ms", latency, of_response=True), Figure("dilation", dilated))


def _load_findings(grid: Grid) -> list[Finding]:
    behind = [row for row in grid.values() if dilated(row["imr-rmw"]) > 1.02]
    full = [latency(row["imr-rmw"]) / 1000 for row in behind]
    return [
        Finding(
            "a saturated queue makes seconds of latency",
            "about 2.4 s (w39, w56)",
            f"{span(full)} s where read-modify-write falls behind",
            verdict(value > 1 for value in full),
        ),
        Finding(
            "the improved layers keep up longer",
            "throughput significantly improved (w46)",
            "dilation over that of rmw: "
            + span(dilated(row[m]) / dilated(row["imr-rmw"]) for row in behind for m in IMPROVED),
            verdict(dilated(row[m]) <= dilated(row["imr-rmw"]) for row in behind for m in IMPROVED),
        ),
    ]


def _dilation_parts(grid: Grid) -> list[str]:
    parts = []
    for name, row in grid.items():
        late = {layer: disparity(row, layer) for layer in INTERLACED}
        rows = [[f"{10 * (i + 1)} %", *(number(late[layer][i], 1) for layer in INTERLACED)] for i in range(10)]
        parts += [f"{name}: seconds later than on the conventional disk\n", table(["of the requests", *INTERLACED], rows)]
        order = sorted(INTERLACED, key=lambda layer: late[layer][-1])
        parts.append(
            findings(
                [
                    Finding(
                        f"{name}: all three reduce the delay of read-modify-write",
                        "dynamic mapping most, the others less",
                        " < ".join(order),
                        verdict(late[layer][-1] < late["imr-rmw"][-1] for layer in IMPROVED)
                        if late["imr-rmw"][-1] > 1
                        else "no delay",
                    ),
                    Finding(
                        f"{name}: dynamic mapping reduces it most",
                        "most (Figure 13)",
                        f"{late['imr-dtm'][-1] / min(late[layer][-1] for layer in IMPROVED) - 1:+.1%} over the least",
                        verdict([order[0] == "imr-dtm"]),
                        "the moves stand in a table above: with the published popularity few tracks pass the threshold",
                    ),
                ]
            )
        )
    return parts


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


def _distribution_findings(shares: Mapping[str, Mapping[str, float]]) -> list[Finding]:
    large, w56 = [shares[name] for name in FIGURE_12], shares["w56"]

    def improved(*rows: Mapping[str, float]) -> list[float]:
        return [row[layer] for row in rows for layer in IMPROVED]

    def percents(values: Iterable[float]) -> str:
        return f"{span((100 * value for value in values), 1)} %"

    return [
        Finding(
            "w46 and w28: read-modify-write slows two thirds of the writes",
            "roughly 2/3 (Figure 12; here: 0.5 to 0.8)",
            percents(row["imr-rmw"] for row in large),
            verdict(0.5 <= row["imr-rmw"] <= 0.8 for row in large),
            BETWEEN,
        ),
        Finding(
            "w46 and w28: under the improved layers a quarter is still slow",
            "roughly 25 % (Figure 12; here: 15 to 35 %)",
            percents(improved(*large)),
            verdict(0.15 <= share <= 0.35 for share in improved(*large)),
            BETWEEN,
        ),
        Finding(
            "w46 and w28: the improved layers slow fewer writes than read-modify-write",
            "improved considerably",
            "of rmw's: " + span(share / row["imr-rmw"] for row in large if row["imr-rmw"] for share in improved(row)),
            verdict(share < row["imr-rmw"] for row in large for share in improved(row)),
        ),
        Finding(
            "w56: read-modify-write slows a tenth of the writes, the improved layers none",
            "roughly 10 % and 0 (here: 5 to 20 % and at most 1 %)",
            f"{percents([w56['imr-rmw']])} and {percents(improved(w56))}",
            verdict([0.05 <= w56["imr-rmw"] <= 0.2 and max(improved(w56)) <= 0.01]),
            BETWEEN,
        ),
    ]


def _loads(lab: Lab) -> list[str]:
    load = loads(lab)
    return ["Gaps of the input over the published ones.\n", figures_by_row(load, "gaps", LOAD_FIGURES), findings(_load_findings(load))]


def _dilation(lab: Lab) -> list[str]:
    fast = workloads(lab, IN_PARTS)
    return _dilation_parts({name: fast[name] for name in FIGURE_12})


def _distributions(lab: Lab) -> list[str]:
    fast = workloads(lab, IN_PARTS)
    shares = {name: {layer: slowed(row, layer) for layer in INTERLACED} for name, row in fast.items()}
    return [*figure_tables(fast, PERCENTILES), SLOWED, _slowed_table(shares), findings(_distribution_findings(shares))]


EXPERIMENTS = (
    Experiment("load", "w09, slower and faster", _loads),
    Experiment("dilation", "Dilation over time", _dilation),
    Experiment("distributions", "Latency distributions of w46, w28 and w56", _distributions),
)
