"""The Pareto front of designs that were measured."""

import numpy as np

from tessera.evidence.family import MARGIN


def tolerance(values: np.ndarray, half_widths: np.ndarray | None = None) -> np.ndarray:
    """By two rows and column, what is no difference: the margin of the smaller figure, or the interval (the root of the squares of both half
    widths) where that is wider."""
    sizes = np.abs(values)
    margin = (MARGIN - 1) * np.minimum(sizes[None, :, :], sizes[:, None, :])
    return margin if half_widths is None else np.maximum(margin, np.sqrt(half_widths[None, :, :] ** 2 + half_widths[:, None, :] ** 2))


def alike(values: np.ndarray, half_widths: np.ndarray | None = None) -> np.ndarray:
    """Which two rows differ in no column."""
    return (np.abs(values[None, :, :] - values[:, None, :]) <= tolerance(values, half_widths)).all(axis=2)


def front(values: np.ndarray, half_widths: np.ndarray | None = None) -> np.ndarray:
    """Which rows are beaten by no other: none is as small in every column and smaller in one. Of rows that are alike, the one with the
    smallest first column stands for all.

    >>> front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0]])).tolist()
    [True, True, False]
    >>> front(np.array([[20.5, 1.01], [20.9, 0.99], [21.1, 0.98], [30.0, 0.5]])).tolist()
    [True, False, False, True]
    >>> front(np.array([[1.0, 3.0], [1.1, 2.9]]), np.array([[0.2, 0.2], [0.2, 0.2]])).tolist()
    [True, False]
    """
    least = tolerance(values, half_widths)
    difference = values[None, :, :] - values[:, None, :]
    best = ~((difference <= least).all(axis=2) & (difference < -least).any(axis=2)).any(axis=1)
    same = alike(values, half_widths)
    np.fill_diagonal(same, False)
    for row in np.argsort(values[:, 0], kind="stable"):
        if best[row]:
            best &= ~same[row]
    return best
