"""As long as the question needs: a run is lengthened until the confidence interval of a figure is narrow enough."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.evidence.blocks import BLOCKS, LEAST, THROUGHPUT, bursts, rate_without_each, without_each
from tessera.evidence.marks import is_recording
from tessera.evidence.steadiness import Steadiness, quantile, steadiness_of
from tessera.evidence.warmup import enough, latencies_after_each, left_out, throughput_after_each
from tessera.results.percentiles import fraction_of
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run
from tessera.results.steadiness import Effort, Until

SHORTEST = 10_000  # requests of the first attempt, where the run has no shorter limit


def steadiness(run: Run, metric: str) -> Steadiness:
    """Of a metric of latency over the requests of a run, in the order of their arrival, after the warm-up that the run has found."""
    latencies, warmup = _latencies(run, metric)
    fraction = fraction_of(metric.rsplit(".", 1)[1])
    return steadiness_of(latencies[warmup:], fraction, warmup=warmup, requests=len(latencies), steady=run.find("host.steady.reached") != 0)


def _latencies(run: Run, metric: str) -> tuple[np.ndarray, int]:
    """Those that a metric is about, in the order of arrival, and how many of them the run's warm-up has."""
    operation = next((name for name in OPERATIONS if f".{name}." in metric), None)
    log = run.requests[np.argsort(run.requests["number"], kind="stable")]
    chosen = np.ones(len(log), bool) if operation is None else log["op"] == OPERATIONS.index(operation)
    warmup = int(chosen[: int(run.find("host.steady.from") or 0)].sum())
    return latency_ms(log[chosen]), warmup


def by_blocks(run: Run, metric: str) -> dict[str, float]:
    """METRIC.of_all, as its log of requests has it, METRIC.without.N for each block, METRIC.half.1 and .2; of a percentile that few bursts make
    METRIC.bursts, .bursts.share and METRIC.outside_bursts. {} of a run with too few requests."""
    if metric == THROUGHPUT:
        return _throughput_by_blocks(run)
    latencies, _ = _latencies(run, metric)
    if len(latencies) < BLOCKS * LEAST:
        return {}
    statistic = metric.rsplit(".", 1)[1]
    fraction = fraction_of(statistic)
    figure = {"mean": np.mean, "max": np.max}.get(statistic) or (lambda values: quantile(values, fraction))
    halves = [float(figure(half)) for half in np.array_split(latencies, 2)]
    found = _named(metric, float(figure(latencies)), without_each(latencies, figure)) | {f"{metric}.half.{number}": value for number, value in enumerate(halves, 1)}
    if fraction is not None and (made := bursts(latencies, fraction)) is not None:
        found |= {f"{metric}.bursts": float(made.count), f"{metric}.bursts.share": made.share, f"{metric}.outside_bursts": made.outside}
    return found


def by_warm_ups(run: Run) -> dict[str, float]:
    """METRIC.after.PART: each latency, and the throughput, without the first part of the served requests. {} of too short a run."""
    log = run.requests
    if not enough(len(log)):
        return {}
    order = np.argsort(log["number"], kind="stable")
    latencies, operations, served = latency_ms(log)[order], log["op"][order], (log["status"] == 0)[order]
    found: dict[str, float] = {}
    for family, operation in (("host.latency.", None), ("host.read.latency.", "read"), ("host.write.latency.", "write")):
        chosen = served if operation is None else served & (operations == OPERATIONS.index(operation))
        names = [name for name in run.summary["metrics"] if name.startswith(family) and run.metric(name) is not None]
        figures = {name: {"mean": None, "max": 1.0}.get(name.removeprefix(family), fraction_of(name.removeprefix(family))) for name in names}
        before = np.concatenate([[0], np.cumsum(chosen)])
        found |= latencies_after_each(latencies[chosen], figures, lambda part, before=before: int(before[left_out(len(log), part)]))
    return found | dict(throughput_after_each(np.sort(log["completion"][log["status"] == 0] - log["arrival"].min()) / 1e12))


def _throughput_by_blocks(run: Run) -> dict[str, float]:
    """By the order in which requests were served: in an overload that is what goes on for as long as the run."""
    log = run.requests
    if len(log) < BLOCKS * LEAST:
        return {}
    begin = log["arrival"].min()
    return _named(THROUGHPUT, *rate_without_each(np.sort(log["completion"] - begin) / 1e12, 0.0))


def _named(metric: str, whole: float, without: Sequence[float]) -> dict[str, float]:
    return {f"{metric}.of_all": whole, **{f"{metric}.without.{block}": value for block, value in enumerate(without, 1)}}


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
            return run, Effort(until, found, length, attempts, met, not is_recording(run.summary["run"]))
        length = min(length * _growth(found, until), most or length * 8)


def _growth(found: Steadiness, until: Until) -> int:
    """How much longer the next attempt is: what the square root law asks for, from twice to eight times."""
    if found.estimate is None:
        return 4
    return min(8, max(2, math.ceil((found.estimate.relative / until.relative) ** 2)))
