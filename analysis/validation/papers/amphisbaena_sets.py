"""Amphisbaena's volumes under an address law with long update periods, instead of the chapter's, which forgets."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from tessera.results.markdown import number, percent, table
from tessera.results.run_folder import Run
from validation.papers.amphisbaena_runs import BUFFER_MIB, CLEANINGS, DRIVE, OTHERS, OURS, REQUESTS, change, headline, hit_rate, inputs_of, published, ranked, volume_text
from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, findings, from_reduction, listed, ranked_tables, span, verdict
from validation.papers.update_periods import beyond, drawn

LONG, THRICE = 0.85, 0.70  # Figure 2b: "more than 85 %", "70 % of them are updated more than twice"


@dataclass(frozen=True)
class Standing:
    """A set of addresses that takes every update, and the requests after which enough of it is updated more than twice."""

    addresses: int
    requests: int


# About 1.1 start addresses for each block of the buffer, so that few of the set's blocks come again before the buffer is full.
SETS = {
    "hm_0": Standing(40_000, 800_000),
    "prn_0": Standing(190_000, 600_000),
    "prxy_0": Standing(75_000, 1_600_000),
    "ts_0": Standing(80_000, 1_600_000),
    "web_0": Standing(100_000, 1_900_000),
    "src2_2": Standing(200_000, 400_000),
    "src2_0": Standing(45_000, 1_100_000),
    "usr_0": Standing(45_000, 800_000),
}


def text_with_set(name: str) -> str:
    """A volume's description with the set."""
    text = volume_text(name)
    summary = re.sub(r'summary = "(.*)"', r'summary = "\1, with long update periods"', text, count=1)
    return summary.replace("[updates]\n", f"[updates]\nset = {SETS[name].addresses}\nset_share = 1.0\n")


def with_sets(lab: Lab, names: Sequence[str] = tuple(SETS)) -> Grid:
    """The volumes under the law with a set, on full zones: the set was written before."""
    files = {name: lab.workload_file(f"zone-{name}-set", text_with_set(name)) for name in names}
    return headline(lab, names, 100, files, {name: SETS[name].requests for name in names})


CHUNKS_KIB = (64, 16, 4)


def smaller_chunks(lab: Lab, name: str = "hm_0") -> Grid:
    """One change on one volume: the chunk, which takes space for what it does not hold."""
    file = lab.workload_file(f"zone-{name}-set", text_with_set(name))
    variants = {"fluid-loop": published("fluid-loop")} | {f"{kib} KiB": published(OURS, chunk=f"{kib} KiB") for kib in CHUNKS_KIB}
    inputs = inputs_of(lab, (name,), 100, {name: file}, {name: SETS[name].requests})
    return lab.grid(DRIVE, inputs, variants, "smaller chunks, long update periods")


FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("write hit rate", hit_rate, 3),
    Figure("RMWs", rmws, 0),
    Figure("WA", total_amplification),
    Figure("cleanings", lambda run: run.metric("cleaning.count"), 0),
)


@cache
def statistics(name: str, scale: float = 1) -> list[tuple[float, float]]:
    """Figure 2's two numbers of today's law and of that with the set."""
    laws = ((volume_text(name), REQUESTS[name]), (text_with_set(name), SETS[name].requests))
    found = []
    for text, requests in laws:
        workload = tomllib.loads(text)
        found.append(beyond(*drawn(workload, round(requests * scale * workload["write_share"])), BUFFER_MIB[name] * 256))
    return found


def steady(row: Mapping[str, Run]) -> bool:
    """Whether the two layers that are compared kept up: else a response measures the length of the run."""
    return not any(row[layer].metric("host.backlog.unstable") for layer in ("fluid-loop", OURS))


def _changes(grid: Mapping[str, Mapping[str, Run]], value: Callable[[Run], float]) -> dict[str, float]:
    return {name: x for name, row in grid.items() if (x := change(row, value, "fluid-loop")) is not None}


def _said(changes: Mapping[str, float]) -> str:
    """The mean and the extremes."""
    if not changes:
        return "-"
    return f"{percent(sum(changes.values()) / len(changes))} on average, {percent(min(changes.values()))} to {percent(max(changes.values()))}"


def _mean_ratio(changes: Mapping[str, float]) -> float | None:
    return from_reduction(100 * sum(changes.values()) / len(changes)) if changes else None


def _findings(grid: Grid) -> list[Finding]:
    rows = {name: row for name, row in grid.items() if ranked(row)}
    kept_up = {name: row for name, row in rows.items() if steady(row)}
    behind = ", ".join(name for name in rows if name not in kept_up)
    slower, fewer = _changes(kept_up, latency), _changes(rows, rmws)
    hits = {name: hit_rate(row[OURS]) - max(hit_rate(row[other]) for other in OTHERS) for name, row in rows.items()}
    others = {name: latency(row[OURS]) / min(latency(row["fluid"]), latency(row["skylight-disk"])) for name, row in kept_up.items()}
    return [
        Finding(
            "volumes with long update periods: mean latency below Fluid_loop", "-29.9 % on average, -82.4 % to -4.8 %",
            _said(slower) + (f"; never catches up on {behind}" if behind else ""), verdict([*(value < 0 for value in slower.values()), *(False for name in rows if name not in kept_up)]), ratio=_mean_ratio(slower),
        ),
        Finding(
            "volumes with long update periods: read-modify-writes below Fluid_loop", "-37 % on average", _said(fewer),
            verdict(value < 0 for value in fewer.values()), ratio=_mean_ratio(fewer),
        ),
        Finding(
            "volumes with long update periods: highest write hit rate", "in all traces", "over the best other: " + span(hits.values(), 3),
            verdict(value > 0 for value in hits.values()),
        ),
        Finding(
            "volumes with long update periods: mean latency below Fluid's and Skylight's", "bars of Figure 12, without numbers",
            "over the faster of them: " + span(others.values()), verdict(value < 1 for value in others.values()),
        ),
    ]  # fmt: skip


def _chunk_finding(grid: Grid) -> Finding:
    row = next(iter(grid.values()))
    times = {name: rmws(run) / rmws(row["fluid-loop"]) for name, run in row.items() if name != "fluid-loop"} if rmws(row["fluid-loop"]) else {}
    return Finding(
        "hm_0 with long update periods: the fewer blocks a chunk has, the fewer read-modify-writes", "(chunks are for spatial locality)",
        "over Fluid_loop's: " + listed({name: number(value) for name, value in times.items()}), verdict(late < early for early, late in pairwise(times.values())),
    )  # fmt: skip


def _statistics_table(scale: float) -> str:
    rows = []
    for name, standing in SETS.items():
        (long, often), (long_set, often_set) = statistics(name, scale)
        met = "both" if long_set >= LONG and often_set >= THRICE - 0.02 else "the first" if long_set >= LONG else "the second" if often_set >= THRICE - 0.02 else "neither"
        rows.append([name, f"{standing.addresses:,}", number(100 * long, 0), number(100 * often, 0), number(100 * long_set, 0), number(100 * often_set, 0), met])
    header = ["volume", "set", "today's law: beyond the buffer, %", "updated more than twice, %", "with the set: beyond the buffer, %", "updated more than twice, %", "has of 85 and 70 %"]
    return table(header, rows)


INTRO = "Every update goes to any of a set of addresses (`updates.set`), about 1.1 for each block of the buffer, on full zones.\n"


def _parts(lab: Lab) -> list[str]:
    grid = with_sets(lab)
    chunks = smaller_chunks(lab)
    tables = ranked_tables(grid, FIGURES, ranked, f"fewer than {CLEANINGS} cleanings under some layer")
    return [INTRO, _statistics_table(lab.scale), *tables, *figure_tables(chunks, FIGURES[:3]), findings([*_findings(grid), _chunk_finding(chunks)])]


EXPERIMENTS = (Experiment("standing-sets", "Eight volumes with long update periods", _parts),)
