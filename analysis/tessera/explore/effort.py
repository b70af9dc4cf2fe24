"""As long as the question needs: a run is lengthened until the confidence interval of a figure is narrow enough."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.evidence.steadiness import Steadiness, steadiness_of
from tessera.results.percentiles import fraction_of
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run
from tessera.results.steadiness import Effort, Until

SHORTEST = 10_000  # requests of the first attempt, where the run has no shorter limit


def steadiness(run: Run, metric: str) -> Steadiness:
    """Of a metric of latency over the requests of a run, in the order of their arrival, after the warm-up that the run has found."""
    operation = next((name for name in OPERATIONS if f".{name}." in metric), None)
    log = run.requests[np.argsort(run.requests["number"], kind="stable")]
    chosen = np.ones(len(log), bool) if operation is None else log["op"] == OPERATIONS.index(operation)
    warmup = int(chosen[: int(run.find("host.steady.from") or 0)].sum())
    latencies, fraction = latency_ms(log[chosen]), fraction_of(metric.rsplit(".", 1)[1])
    return steadiness_of(latencies[warmup:], fraction, warmup=warmup, requests=len(latencies), steady=run.find("host.steady.reached") != 0)


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
