"""Comparisons on recorded traces: a recording is one sample, and seeds move the spindle alone, so replicates are ten blocks of its requests, as searches
and answers have them. Of a trace that is repeated, a block is the same tenth of every pass."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tessera.evidence.blocks import BLOCKS, LEAST, pseudo_values, without_each
from tessera.evidence.ratios import Measured, Ratio, ratio
from tessera.evidence.steadiness import quantile
from tessera.results.markdown import number, table
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run
from validation.papers.lab import Grid

FIGURES = {"mean": np.mean, "p99": lambda values: quantile(values, 0.99), "p99.9": lambda values: quantile(values, 0.999), "longest": np.max}
Wanted = Iterable[tuple[str, str, str]]
"""Input, figure and rival."""


def logged(inputs: Mapping[str, Sequence[object]]) -> dict[str, tuple[object, ...]]:
    """The same inputs, whose runs keep the life of each request."""
    return {name: (*options, "--requests") for name, options in inputs.items()}


def measured(run: Run, figure: str, passes: int = 1) -> Measured:
    """A latency of what a run measured, by blocks; of too short a recording without any."""
    log = run.requests[np.argsort(run.requests["number"], kind="stable")]
    length = len(log) // passes
    log = log[log["number"] >= (run.find("host.warmup") or 0)]
    values = latency_ms(log)[np.argsort(log["number"] % length, kind="stable")]
    whole = float(FIGURES[figure](values))
    return Measured(pseudo_values(whole, without_each(values, FIGURES[figure])) if len(values) >= BLOCKS * LEAST else {}, whole=whole)


def block_table(grid: Grid, wanted: Wanted, ours: str, passes: Mapping[str, int] | None = None) -> str:
    """A line a comparison: the ratio of ours to the rival's, with an interval for itself alone; those who judge them share the confidence."""
    rows = []
    for name, figure, rival in wanted:
        count = (passes or {}).get(name, 1)
        one, other = (measured(grid[name][layer], figure, count) for layer in (ours, rival))
        found = ratio(one, other, 1)
        rows.append([f"{name}: {figure} over {rival}'s", "below 1", *_cells(found)])
    return table([f"{BLOCKS} blocks", "claim", "interval", "ratio, 95 %", "verdict"], rows)


def _cells(found: Ratio | None) -> tuple[str, str, str]:
    if found is None:
        return "-", "-", "undefined"
    low, high = found.low, found.high
    verdict = "holds" if high < 1 else "does not hold" if low > 1 else "the interval holds a bound"
    return f"{number(low, 3)} to {number(high, 3)}", f"{number(found.value, 3)} ± {number(found.value * found.half(), 3)}", verdict
