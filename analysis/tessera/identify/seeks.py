"""The seek curve: how soon after a request a block can be read, by the arm's distance.

A read that the arm reaches in time takes what the turn takes; one that it misses, a turn more. So each read bounds the positioning time from
above (it took no longer) and from below (it took more than a turn less). Over reads at many angles the bounds meet. A longer seek takes no less
time than a shorter one, so bounds hold for distances on their side as well. (Minimal times between completions: Worthington et al. 1995.)
"""

from dataclasses import dataclass

import numpy as np

POINTS = 40
SURE = 0.4e-3     # seconds: bounds on one track, or one cylinder, that lie closer are taken for its time
SAME_TRACK = -1   # in place of a distance
FEWEST = 60       # reads of a point
WIDTH = 0.08      # of the logarithm of a distance
SHORT = 1e-3      # of the cylinders: a seek over fewer takes less than most head switches
LEAST = 20e-6     # seconds: what a host's pauses vary by
FORMULA = 0.9     # share of the points whose bounds the formula has to meet


@dataclass(frozen=True)
class Seeks:
    """Times in seconds, the overhead left out; `error` is half the distance of the bounds."""

    distance: np.ndarray
    time: np.ndarray
    error: np.ndarray
    overhead: float
    overhead_error: float
    switch: tuple[float, float] | None  # to another head of the cylinder, and its error
    shortest: float         # t_min of t_min + a * sqrt(distance), by least squares
    slope: float
    covariance: np.ndarray
    fits: bool              # the formula meets the bounds


def seeks(distance: np.ndarray, other: np.ndarray, latency: np.ndarray, period: float, cylinders: int, hit: tuple[float, float] | None) -> Seeks:
    """From reads that no cache served: cylinders from the one before, SAME_TRACK on one track, whether they are on another surface, and latency less
    the block's transfer. `hit`: what a cache's answer takes."""
    overhead, overhead_error = _usual(latency[distance == SAME_TRACK], period)
    if hit is not None and overhead_error > SURE / 2:
        overhead, overhead_error = hit
    elif overhead_error > SURE / 2:
        overhead, overhead_error = 0.0, SURE / 2
    near = np.flatnonzero(other & (distance >= 0) & (distance <= SHORT * cylinders))
    alone = near[distance[near] == 0]
    near = alone if len(alone) >= FEWEST // 2 else near[np.argsort(distance[near], kind="stable")][:FEWEST]
    switched, switch_error = _usual(latency[near], period)
    switch = (max(0.0, switched - overhead), switch_error + overhead_error) if switch_error < SURE / 2 else None
    moved = distance > 0
    far, took, other = distance[moved], latency[moved], other[moved]
    points = np.unique(np.round(np.exp(np.linspace(0, np.log(cylinders - 1), POINTS)))).astype(int)
    points = points[(points >= far.min()) & (points <= far.max())]
    shortest, slope, covariance = 0.0, 0.0, np.zeros((2, 2))
    for _ in range(3):  # the formula of the last round takes the slope out of each point's neighbours
        expected = shortest + slope * np.sqrt(far)
        shown = ~other | (expected > switch[0]) if switch is not None and slope > 0 else np.ones(len(far), bool)  # a shorter seek hides in a head switch
        nearby = [_neighbours(np.where(shown, far, np.inf), int(point)) for point in points]
        both = np.array([_bounds(took[rows] - expected[rows], period) for rows in nearby]) + (shortest + slope * np.sqrt(points))[:, None]
        time, error = both.mean(axis=1) - overhead, (both[:, 1] - both[:, 0]) / 2 + LEAST
        shortest, slope, covariance = _formula(points, time, error)
    if switch is not None and switch[0] - switch[1] < shortest + slope * float(distance[near].max()) ** 0.5 + 2 * covariance[0, 0] ** 0.5 + overhead_error and near is not alone:
        switch = None  # the seek that it comes with takes as long
    off = np.abs(shortest + slope * np.sqrt(points) - time)
    fits = bool((off <= error + overhead_error + LEAST).mean() >= FORMULA)
    return Seeks(points, np.maximum.accumulate(np.maximum(time, 1e-6)), error, overhead, overhead_error, switch, shortest, slope, covariance, fits)


def _usual(took: np.ndarray, period: float) -> tuple[float, float]:
    low, high = _bounds(took, period) if len(took) >= FEWEST // 2 else (0.0, period)
    low, high = max(0.0, low), max(0.0, high)
    return (low + high) / 2, (high - low) / 2


def _neighbours(distance: np.ndarray, point: int) -> np.ndarray:
    """Reads over about that distance: those within a twelfth of it, or the nearest ones where they are few."""
    away = np.abs(np.log(distance / point))
    order = np.argsort(away, kind="stable")
    return order[: max(FEWEST, int((away < WIDTH).sum()))]


def _bounds(took: np.ndarray, period: float) -> tuple[float, float]:
    """Between which times the most reads agree: those that took no less, and less than a turn more. Errors and reads from a cache are outvoted; the
    bounds are as wide as their number leaves open (its square root)."""
    starts, ends = np.sort(took - period), np.sort(took)
    edges = np.sort(np.concatenate([starts, ends]))
    middles = (edges[1:] + edges[:-1]) / 2
    count = np.searchsorted(starts, middles, side="left") - np.searchsorted(ends, middles, side="left")
    best = int(count.argmax())
    enough = count >= count[best] - np.sqrt(len(took) - count[best])
    low = high = best
    while low > 0 and enough[low - 1]:
        low -= 1
    while high + 1 < len(count) and enough[high + 1]:
        high += 1
    return float(edges[low]), float(edges[high + 1])


def _formula(points: np.ndarray, time: np.ndarray, error: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Least squares, weighted by the bounds' distance; no seek takes less than nothing."""
    matrix = np.stack([np.ones(len(points)), np.sqrt(points)], 1) / error[:, None]
    covariance = np.linalg.inv(matrix.T @ matrix)
    shortest, slope = covariance @ matrix.T @ (time / error)
    if shortest < 0:
        shortest, slope = 0.0, (matrix[:, 1] @ (time / error)) / (matrix[:, 1] @ matrix[:, 1])
    return float(shortest), float(slope), covariance
