"""Which designs no other beats, and how much of that the runs settle.

A design is beaten by one that is worse by more than the margin in no figure, and better by more than the margin in one. Figures decide who
stands on the front; intervals decide what of it is sure. Two designs are equal where every interval of their ratios lies within the margin:
what is not known to differ is not equal, it is not settled."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tessera.evidence.family import log_margin, margin, pairs
from tessera.evidence.intervals import beyond_rounding
from tessera.evidence.ratios import Measured, ratio

FAR = 3.0  # deviations of a ratio: a design that was measured once, and is beaten by more, is not worth another run


def alike(values: np.ndarray) -> np.ndarray:
    """Which two rows differ by no more than the margin, of the smaller figure, in every column."""
    return (np.abs(values[None, :, :] - values[:, None, :]) <= _tolerance(values)).all(axis=2)


def front(values: np.ndarray) -> np.ndarray:
    """Which rows are beaten by no other. Of rows that are alike, the one with the smallest first column stands for all.

    >>> front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0]])).tolist()
    [True, True, False]
    >>> front(np.array([[20.5, 1.01], [20.9, 0.99], [21.1, 0.98], [30.0, 0.5]])).tolist()
    [True, False, False, True]
    """
    least = _tolerance(values)
    difference = values[None, :, :] - values[:, None, :]
    best = ~((difference <= least).all(axis=2) & (difference < -least).any(axis=2)).any(axis=1)
    same = alike(values)
    np.fill_diagonal(same, False)
    for row in np.argsort(values[:, 0], kind="stable"):
        if best[row]:
            best &= ~same[row]
    return best


def _tolerance(values: np.ndarray) -> np.ndarray:
    sizes = np.abs(values)
    return (margin() - 1) * np.minimum(sizes[None, :, :], sizes[:, None, :])


@dataclass(frozen=True)
class Place:
    """Of a design with regard to the front."""

    on: bool
    """Whether it is a point of the front."""
    point: int | None
    """The point of the front that it is: its own, or the one that stands for it, since the two are alike. None of a beaten design."""
    rival: int | None
    """A point of the front, or a design that may be one, against which the runs do not settle its place; None where all is settled."""

    @property
    def settled(self) -> bool:
        return self.rival is None


def places(designs: Sequence[Sequence[Measured]], more_is_better: Sequence[bool], *, looks: int = 1, compared: int | None = None, beaten: Collection[int] = ()) -> list[Place]:
    """The place of each design, by its figures in the order of the objectives. All comparisons of `compared` designs (all, where not given) with
    each other, and the `looks` at the evidence while it grows, share the confidence. `beaten`: designs that are known to be off the front."""
    values = values_of(designs, more_is_better)
    on, same = front(values), alike(values)
    points = np.flatnonzero(on).tolist()
    evidence = _Evidence(designs, more_is_better, looks * max(1, pairs(compared or len(designs))) * max(1, _noisy(designs)))
    off = {row for row in range(len(designs)) if not on[row] and (row in beaten or any(evidence.surely_beaten(row, point) for point in points))}
    found = []
    for row in range(len(designs)):
        if on[row]:
            rivals = (other for other in range(len(designs)) if other != row and other not in off)
            found.append(Place(True, row, next((other for other in rivals if not evidence.surely_stands(row, other)), None)))
        elif row not in off and (point := next((each for each in points if same[row, each]), None)) is not None:
            found.append(Place(False, point, None if evidence.surely_alike(row, point) else point))
        else:
            found.append(Place(False, None, None if row in off else _nearest(row, points, values)))
    return found


def ties_of(found: Sequence[Place]) -> list[int]:
    """How many other designs each point of the front stands for, for sure: equal to it in every figure."""
    return [sum(other.point == row and not other.on and other.settled for other in found) if place.on else 0 for row, place in enumerate(found)]


def values_of(designs: Sequence[Sequence[Measured]], more_is_better: Sequence[bool]) -> np.ndarray:
    """A row a design, its figures with such signs that all are to be small."""
    return np.array([[figure.mean for figure in design] for design in designs], dtype=float) * np.where(more_is_better, -1.0, 1.0)


def _noisy(designs: Sequence[Sequence[Measured]]) -> int:
    """Figures that differ between replicates of some design: only those take a part of the confidence."""
    return sum(any(len(set(design[place].by_seed.values())) > 1 for design in designs) for place in range(len(designs[0])))


def _nearest(row: int, points: Sequence[int], values: np.ndarray) -> int:
    """The point that beats a row by least, as far as figures go."""
    return min(points, key=lambda point: float(np.max(np.abs(values[row] - values[point]) / np.maximum(np.abs(values[point]), 1e-300))))


class _Evidence:
    """What the replicates say of two designs: for each figure the ends of the interval, and the middle, of the logarithm of how many times
    worse the first is."""

    def __init__(self, designs: Sequence[Sequence[Measured]], more_is_better: Sequence[bool], comparisons: int):
        self._designs, self._more_is_better, self._comparisons = designs, more_is_better, comparisons

    def surely_beaten(self, row: int, other: int) -> bool:
        found = list(self._worse(row, other))
        return all(low >= -log_margin() for low, _, _ in found) and any(low > 0 and middle >= log_margin() for low, middle, _ in found)

    def surely_stands(self, row: int, other: int) -> bool:
        """The other is worse by the margin in some figure, or better by the margin in none."""
        found = list(self._worse(row, other))
        return any(high < 0 and middle <= -log_margin() for _, middle, high in found) or all(high <= log_margin() for _, _, high in found)

    def surely_alike(self, row: int, other: int) -> bool:
        return all(-log_margin() <= low and high <= log_margin() for low, _, high in self._worse(row, other))

    def _worse(self, row: int, other: int) -> Iterator[tuple[float, float, float]]:
        for one, two, more in zip(self._designs[row], self._designs[other], self._more_is_better):
            found = ratio(two, one, self._comparisons) if more else ratio(one, two, self._comparisons)
            if found is None:
                yield -math.inf, 0.0, math.inf
            else:
                half = found.half()
                yield found.mean - half, found.mean, found.mean + half


def spread(designs: Sequence[Sequence[Measured]]) -> list[float]:
    """Of each figure, the deviation of the logarithm of a ratio of two designs, each measured once: pooled over neighbours in the list, or of
    one design alone that of two runs of it. 0 where no figure varies."""
    return [_spread([design[place] for design in designs]) for place in range(len(designs[0]))]


def _spread(figures: Sequence[Measured]) -> float:
    logs = [{seed: math.log(value) for seed, value in figure.by_seed.items() if value > 0} for figure in figures]
    several = list(zip(logs, logs[1:]))
    samples = [[one[seed] - other[seed] for seed in one if seed in other] for one, other in several] or [list(logs[0].values())]
    known = [np.array(sample) for sample in samples if len(sample) > 1]
    degrees = sum(len(sample) - 1 for sample in known)
    if not degrees:
        return 0.0
    variance = sum(float(np.var(sample, ddof=1)) * (len(sample) - 1) for sample in known) / degrees
    of_parts = len(known[0]) if figures[0].whole is not None else 1  # a recording is measured by all of its blocks
    return beyond_rounding(math.sqrt(variance * (1 if several else 2) / of_parts), 1.0)


def near(values: np.ndarray, points: np.ndarray, deviations: Sequence[float]) -> list[int]:
    """Which rows, of designs that were measured once, are so near to a front's `points` that chance may have kept them off it, the nearest
    first. All figures are to be small.

    >>> near(np.array([[1.2, 1.0], [1.5, 1.0], [1.1, 1.0]]), np.array([[1.0, 1.0]]), [0.1, 0.0])
    [2, 0]
    """
    room = FAR * np.array(deviations)
    one, other = values[:, None, :], points[None, :, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        worse = np.where(one == other, 0.0, np.sign(one - other) * np.abs(np.log(np.abs(one / other))))
    beaten = ((worse - room >= -log_margin()).all(axis=2) & ((worse - room > 0) & (worse >= log_margin())).any(axis=2)).any(axis=1)
    nearness = worse.max(axis=2).min(axis=1)
    return [row for row in np.argsort(nearness, kind="stable").tolist() if not beaten[row]]
