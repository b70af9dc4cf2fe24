"""Amphisbaena's volumes under an address law with long update periods, instead of the chapter's, which forgets."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from tessera.results.markdown import number, table
from validation.papers.amphisbaena_runs import (
    BUFFER_MIB,
    CLEANINGS,
    DRIVE,
    OURS,
    REQUESTS,
    headline,
    hit_rate,
    inputs_of,
    published,
    ranked,
    volume_text,
)
from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, figure_tables, ranked_tables
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
    tables = ranked_tables(with_sets(lab), FIGURES, ranked, f"fewer than {CLEANINGS} cleanings under some layer")
    return [INTRO, _statistics_table(lab.scale), *tables, *figure_tables(smaller_chunks(lab), FIGURES[:3])]


EXPERIMENTS = (Experiment("standing-sets", "Eight volumes with long update periods", _parts),)
