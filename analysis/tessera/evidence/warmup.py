"""One warm-up for all designs that are compared: each run has its figures after several shares of its requests, and all leave out the same, the
least that is as long as the warm-up of each.

A run's warm-up is the simulator's (`host.steady.from`), of generated workloads alone. What is slow at the start of a recording is the
recording's, and its own past fills the caches."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from tessera.evidence.blocks import LEAST, THROUGHPUT
from tessera.evidence.marks import marks_of, ranks_not
from tessera.evidence.steadiness import quantile

PARTS = (32, 16, 8, 4, 2)  # one request in so many, at the start, is left out: a run whose warm-up is longer than its half is not steady
_AFTER = ".after."
_FROM, _FIGURES = "host.steady.from", f"host.latency.mean{_AFTER}{PARTS[0]}"
Row = Mapping[str, Any]


def rest_of(row: Row, part: int | None) -> dict[str, Any]:
    """A row with the figures after the warm-up."""
    return {**{name: value for name, value in row.items() if _AFTER not in name}, **after(row, part)}


def left_out(requests: int, part: int) -> int:
    """
    >>> left_out(20_000, 32), left_out(100, 32)
    (625, 4)
    """
    return math.ceil(requests / part)


def latencies_after_each(values: np.ndarray, figures: Mapping[str, float | None], first: Callable[[int], int]) -> Iterator[tuple[str, float]]:
    """METRIC.after.PART of latencies in the order of their arrival. `figures`: metric -> a fraction, of a percentile; 1 is the longest, None the mean.
    `first`: of a part, how many of these are left out.

    >>> list(latencies_after_each(np.array([9.0] + 31 * [1.0]), {"host.latency.mean": None}, lambda part: 32 // part))[0]
    ('host.latency.mean.after.32', 1.0)
    """
    for part in PARTS:
        rest = np.sort(values[first(part) :])
        for metric, fraction in figures.items() if len(rest) else ():
            yield f"{metric}{_AFTER}{part}", float(rest.mean()) if fraction is None else quantile(rest, fraction)


def throughput_after_each(completions: np.ndarray) -> Iterator[tuple[str, float]]:
    """The same of the throughput, of times of completion in s, rising: it is what goes on while an overload waits."""
    for part in PARTS if len(completions) else ():
        first = left_out(len(completions), part)
        span = completions[-1] - completions[first - 1]
        if span > 0:
            yield f"{THROUGHPUT}{_AFTER}{part}", float((len(completions) - first) / span)


def enough(requests: int) -> bool:
    """Whether a run has a warm-up to leave out: half of it is a figure."""
    return requests >= 2 * LEAST


def part_of(rows: Iterable[Row]) -> int | None:
    """The least share, as one request in so many, that holds the warm-up of each run that may be ranked; None where there is nothing to leave out, or
    a run of a generated workload lacks its figures: an older one, or one whose warm-up its user chose.

    >>> row = {"exit_status": 0, "host.requests": 3200.0, "host.steady.from": 150.0, "host.latency.mean.after.32": 1.0}
    >>> part_of([row]), part_of([row, {**row, "host.steady.from": 1000.0}]), part_of([{**row, "host.steady.from": 0.0}])
    (16, 2, None)
    """
    longest = 0.0
    for row in rows:
        if row.get("exit_status") != 0 or row.get("recorded"):
            continue
        if row.get(_FROM) is None or row.get(_FIGURES) is None:
            return None
        if not ranks_not(marks_of(row)):
            longest = max(longest, row[_FROM] / (row.get("host.requests") or 1.0))
    return next((part for part in PARTS if longest <= 1 / part), PARTS[-1]) if longest else None


def after(row: Row, part: int | None) -> dict[str, Any]:
    """The figures of a row that the warm-up changes.

    >>> after({"host.latency.mean": 2.0, "host.latency.mean.after.8": 1.0}, 8)
    {'host.latency.mean': 1.0}
    """
    end = f"{_AFTER}{part}"
    return {name.removesuffix(end): value for name, value in row.items() if name.endswith(end) and value is not None}


def without_warm_up(rows: pl.DataFrame, known: int | None = None) -> tuple[pl.DataFrame, int | None]:
    """The rows of a sweep, each with the figures after the warm-up of all, and its share, if it is not `known`."""
    wanted = [name for name in ("exit_status", "recorded", "host.requests", "host.steady.reached", "unstable", "cleans", "cleaning.count", "notes", _FROM, _FIGURES) if name in rows.columns]
    clocks = [name for name in rows.columns if name.startswith("progress.")]
    part = known or part_of(rows.select(*wanted, *clocks).iter_rows(named=True))
    end = f"{_AFTER}{part}"
    found = [pl.coalesce(name, name.removesuffix(end)).alias(name.removesuffix(end)) for name in rows.columns if part and name.endswith(end)]
    return bare(rows.with_columns(found)), part


def bare(rows: pl.DataFrame) -> pl.DataFrame:
    """Without the columns that are there to leave a warm-up out."""
    return rows.select(name for name in rows.columns if _AFTER not in name)


def words(part: int | None, metrics: Sequence[str] = (), hint: bool = False) -> str:
    """What is said of it; "" where nothing was left out, or none of `metrics` (any, where none is named) has figures after it. `hint`: with the
    option of the command line that leaves nothing out.

    >>> words(None), words(8, ["energy.total"])
    ('', '')
    """
    if part is None or (metrics and not any(metric == THROUGHPUT or ".latency." in metric for metric in metrics)):
        return ""
    option = " (--warmup 0 keeps it)" if hint else ""
    return f"latencies and throughput leave out the first 1/{part} of each run, the longest warm-up of all{option}; other figures are of whole runs"
