"""As long as the question needs: a run is lengthened until the confidence interval of a figure is narrow enough."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.evidence.intervals import of_mean
from tessera.results.percentiles import fraction_of
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run
from tessera.results.steadiness import BATCH, BATCHES, Effort, Steadiness, Until

ROUNDING = 1e-12  # what the sums leave of batches that are all alike, over their squares
SHORTEST = 10_000  # requests of the first attempt, where the run has no shorter limit
ABOVE_A_PERCENTILE = 10  # requests of each batch that lie above the percentile at least


def mser5(values: np.ndarray) -> int:
    """How many values to leave out at the start: the cut, in batches of five, that makes the squared standard error of the mean of the
    rest smallest, over the first half (White 1997; Hoad, Robinson and Davies 2010). A run finds it for all its requests as
    `host.steady.from`; this is for those of one operation, and for logs.

    >>> mser5(np.array([100.0] * 10 + [1.0, 2.0] * 45))
    10
    """
    means = values[: len(values) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    count = len(means)
    if count < 4:
        return 0
    left = np.arange(count, 0, -1)  # batches that stay after each cut
    sums, squares = np.cumsum(means[::-1])[::-1], np.cumsum(means[::-1] ** 2)[::-1]
    spread = squares - sums**2 / left
    error = np.where(spread <= ROUNDING * squares, 0, spread) / left**2
    return BATCH * int(np.argmin(error[: count // 2 + 1]))


def _figure(metric: str) -> tuple[str | None, Callable[[np.ndarray], float], float]:
    """Of a metric: the operation it looks at, the statistic of a batch, and the requests that a batch needs for it."""
    operation = next((name for name in OPERATIONS if f".{name}." in metric), None)
    fraction = fraction_of(metric.rsplit(".", 1)[1])
    if fraction is None:
        return operation, lambda batch: float(batch.mean()), 2
    return operation, lambda batch: float(np.quantile(batch, fraction, method="inverted_cdf")), math.ceil(ABOVE_A_PERCENTILE / (1 - fraction))


def steadiness(run: Run, metric: str) -> Steadiness:
    """Batch means of a metric over the requests of a run, in the order of their arrival, behind the warm-up that MSER-5 finds."""
    operation, statistic, shortest = _figure(metric)
    log = run.requests
    chosen = log if operation is None else log[log["op"] == OPERATIONS.index(operation)]
    latencies = latency_ms(chosen)[np.argsort(chosen["number"], kind="stable")]
    warmup = mser5(latencies)
    rest = latencies[warmup:]
    length = len(rest) // BATCHES
    if length < shortest:
        return Steadiness(None, warmup, len(latencies))
    batches = np.array([statistic(batch) for batch in rest[: length * BATCHES].reshape(BATCHES, length)])
    deviations = batches - batches.mean()
    spread = float(deviations @ deviations)
    correlation = float(deviations[:-1] @ deviations[1:]) / spread if spread > 0 else 0.0
    return Steadiness(of_mean(batches), warmup, len(latencies), correlation)


def run_until(
    simulation: Simulation, until: Until, out: str | Path, most: int | None = None, progress: bool = False
) -> tuple[Run, Effort]:
    """Runs, looks at the interval and runs longer, until it is narrow enough or the input ends or has `most` requests (the
    simulation's own limit where not given). The same description and seed end at the same length on every machine."""
    most = most or simulation.limit
    length = min(SHORTEST, most or SHORTEST)
    attempts = 0
    while True:
        attempts += 1
        run = simulation.but(limit=length, requests=True).run(out, progress)
        found = steadiness(run, until.metric)
        met = found.estimate is not None and found.estimate.relative <= until.relative and found.steady and found.independent
        input_ended = len(run.requests) < length
        if met or input_ended or length == most:
            return run, Effort(until, found, length, attempts, met)
        length = min(length * _growth(found, until), most or length * 8)


def _growth(found: Steadiness, until: Until) -> int:
    """How much longer the next attempt is: what the square root law asks for, from twice to eight times."""
    if found.estimate is None:
        return 4
    return min(8, max(2, math.ceil((found.estimate.relative / until.relative) ** 2)))
