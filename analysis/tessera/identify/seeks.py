"""The seek curve: how soon after a request a block can be read, by the arm's distance.

A read that the arm reaches in time takes what the turn takes; one that it misses, a turn more. So each read bounds the positioning time from
above (it took no longer) and from below (it took more than a turn less). Over reads at many angles the bounds meet. A longer seek takes no less
time than a shorter one, so bounds hold for distances on their side as well. (Minimal times between completions: Worthington et al. 1995.)
"""

from dataclasses import dataclass

import numpy as np

POINTS = 40
SURE = 0.5e-3     # seconds: bounds on the same cylinder that lie closer are taken for the overhead
FORMULA = 0.9     # share of the points whose bounds the formula has to meet


@dataclass(frozen=True)
class Seeks:
    """Times in seconds, the overhead left out; `error` is half the distance of the bounds."""

    distance: np.ndarray
    time: np.ndarray
    error: np.ndarray
    overhead: float
    overhead_error: float
    shortest: float         # t_min of t_min + a * sqrt(distance), by least squares
    slope: float
    covariance: np.ndarray
    fits: bool              # the formula meets the bounds


def seeks(distance: np.ndarray, latency: np.ndarray, period: float, cylinders: int, hit: tuple[float, float] | None) -> Seeks:
    """From reads that no cache served: cylinders from the one before, and latency less the block's transfer. `hit`: what a cache's answer takes."""
    order = np.argsort(distance, kind="stable")
    far, took = distance[order], latency[order]
    above = np.minimum.accumulate(took[::-1])[::-1]
    low = np.where(took - period < above, took - period, -np.inf)  # a read that took more had an error, or the host was away
    below = np.maximum.accumulate(low)

    def bounds(at: int) -> tuple[float, float]:
        right = min(int(np.searchsorted(far, at, side="left")), len(far) - 1)
        left = int(np.searchsorted(far, at, side="right")) - 1
        return (float(below[left]) if left >= 0 else 0.0), float(above[right])

    low_0, high_0 = bounds(0)
    low_0 = max(0.0, low_0)
    overhead, overhead_error = (low_0 + high_0) / 2, abs(high_0 - low_0) / 2
    if hit is not None and overhead_error > SURE / 2:
        overhead, overhead_error = hit
    points = np.unique(np.round(np.exp(np.linspace(0, np.log(cylinders - 1), POINTS)))).astype(int)
    points = points[(points >= max(1, far[far > 0].min())) & (points <= far.max())]
    both = np.array([bounds(int(point)) for point in points])
    time, error = both.mean(axis=1) - overhead, np.abs(both[:, 1] - both[:, 0]) / 2 + 1e-6
    time = np.maximum.accumulate(np.maximum(time, 1e-6))
    shortest, slope, covariance = _formula(points, time, error)
    off = np.abs(shortest + slope * np.sqrt(points) - time)
    return Seeks(points, time, error, overhead, overhead_error, shortest, slope, covariance, bool((off <= error + overhead_error + 20e-6).mean() >= FORMULA))


def _formula(points: np.ndarray, time: np.ndarray, error: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Least squares, weighted by the bounds' distance."""
    matrix = np.stack([np.ones(len(points)), np.sqrt(points)], 1) / error[:, None]
    covariance = np.linalg.inv(matrix.T @ matrix)
    shortest, slope = covariance @ matrix.T @ (time / error)
    return float(shortest), float(slope), covariance
