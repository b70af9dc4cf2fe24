"""Intervals of one long run: by batches of its requests in the order of their arrival, which know of each other less the longer they are.

The interval of a mean is that of the means of 20 or of 10 batches, whichever is wider: twenty have the surer spread, ten depend less on each
other. That of a quantile is read off the pooled order statistics: the share of slower requests has an interval by batches, on a logarithmic
scale, and its ends are ranks. A tail that few episodes make has none: what 20 of them did not show, no formula knows."""

import math
from dataclasses import dataclass

import numpy as np

from tessera.evidence.intervals import Estimate, beyond_rounding, student_t_975

BATCHES = 20
FEWER_BATCHES = 10
EPISODES = 20  # of slow requests, below which the interval of a quantile is not known
APART = 1000  # episodes are further apart than this part of the run
ABOVE_A_PERCENTILE = 10  # requests of each batch that lie above the percentile at least


@dataclass(frozen=True)
class Steadiness:
    """What a run says of one figure, by the requests after its warm-up."""

    value: float | None
    """The figure; None where no such request is left."""
    estimate: Estimate | None
    """With its interval; None where the run is too short, or too few episodes make the tail."""
    warmup: int
    """Requests of its kind at the start that are left out: those before `host.steady.from`, the run's own rule."""
    requests: int
    """Of its kind, with those of the warm-up."""
    steady: bool = True
    """As the run found: the warm-up ended before the half, and nothing drifted after it."""
    batch_correlation: float = 0.0
    """Of one batch with the next; far from 0, the batches are too short for the interval to mean what it says."""
    episodes: int | None = None
    """Stretches of requests that are slower than a quantile; None of a mean, and of too short a run."""

    @property
    def independent(self) -> bool:
        """Whether batches are long enough to know nothing of each other: a correlation of this many has a deviation of 1/sqrt(n)."""
        return abs(self.batch_correlation) <= 2 / math.sqrt(BATCHES)


def fewest(fraction: float | None) -> int:
    """Requests of a batch that a figure needs: a mean (None) or a quantile."""
    return 2 if fraction is None else math.ceil(ABOVE_A_PERCENTILE / (1 - fraction))


def quantile(values: np.ndarray, fraction: float) -> float:
    return float(np.quantile(values, fraction, method="inverted_cdf"))


def steadiness_of(values: np.ndarray, fraction: float | None, *, warmup: int, requests: int, steady: bool) -> Steadiness:
    """Of latencies after the warm-up, in the order of arrival: of their mean (None) or a quantile."""
    value = None if not len(values) else float(values.mean()) if fraction is None else quantile(values, fraction)
    if value is None or len(values) // BATCHES < fewest(fraction):
        return Steadiness(value, None, warmup, requests, steady)
    if fraction is None:
        half, correlation = _half_of_batches(values)
        return Steadiness(value, Estimate(value, beyond_rounding(half, value)), warmup, requests, steady, correlation)
    slower = values > value
    if not slower.any():  # the quantile is the longest latency, many times
        slower = values >= value
    episodes = _episodes(slower)
    half, correlation = _half_of_batches(slower.astype(float))
    estimate = None
    if episodes >= EPISODES or slower.all():
        share = 1 - fraction
        relative = half / max(share, float(slower.mean()))
        low, high = (quantile(values, 1 - min(1.0, share * math.exp(way * relative))) for way in (1, -1))
        estimate = Estimate(value, max(high - value, value - low))
    return Steadiness(value, estimate, warmup, requests, steady, correlation, episodes)


def _half_of_batches(values: np.ndarray) -> tuple[float, float]:
    """Half the interval of a mean, and the correlation of batches."""
    halves, correlation = [], 0.0
    for count in (FEWER_BATCHES, BATCHES):
        means = values[: len(values) // count * count].reshape(count, -1).mean(axis=1)
        deviations = means - means.mean()
        spread = float(deviations @ deviations)
        correlation = float(deviations[:-1] @ deviations[1:]) / spread if spread > 0 else 0.0
        halves.append(student_t_975(count - 1) * math.sqrt(spread / (count - 1) / count))
    return max(halves), correlation


def _episodes(slower: np.ndarray) -> int:
    """Stretches with slow requests: between two of them none is slow for longer than a thousandth of the run.

    >>> _episodes(np.arange(5000) % 100 < 2)
    50
    """
    places = np.flatnonzero(slower)
    return 0 if not len(places) else 1 + int((np.diff(places) > len(slower) / APART).sum())
