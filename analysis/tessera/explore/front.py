"""The Pareto front of designs that were measured."""

import numpy as np


def front(values: np.ndarray, half_widths: np.ndarray | None = None) -> np.ndarray:
    """Which rows are beaten by no other: none is as small in every column and smaller in one. A difference within the interval (the root of
    the squares of both half widths) is none; of rows that differ in nothing, the one with the smallest first column stands for all.

    >>> front(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0]])).tolist()
    [True, True, False]
    >>> front(np.array([[1.0, 3.0], [1.1, 2.9]]), np.array([[0.2, 0.2], [0.2, 0.2]])).tolist()
    [True, False]
    """
    exact = half_widths is None
    widths = np.zeros_like(values) if half_widths is None else half_widths
    least = np.sqrt(widths[None, :, :] ** 2 + widths[:, None, :] ** 2)
    difference = values[None, :, :] - values[:, None, :]
    as_small = (difference <= least).all(axis=2)
    smaller = (difference < -least).any(axis=2)
    best = ~(as_small & smaller).any(axis=1)
    if exact:
        return best
    for row in np.argsort(values[:, 0], kind="stable"):
        if best[row]:
            alike = (np.abs(difference[row]) <= least[row]).all(axis=1)
            alike[row] = False
            best &= ~alike
    return best
