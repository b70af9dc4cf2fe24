"""Least squares whose unknowns are at least zero."""

import numpy as np


def non_negative(matrix: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The x >= 0 with the least |matrix x - target|: the active sets of Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23.

    >>> non_negative(np.array([[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]]), np.array([8.0, 9.0, 5.0])).round(9).tolist()
    [2.0, 3.0]
    >>> non_negative(np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, -1.0])).round(9).tolist()
    [1.0, 0.0]
    """
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0] = 1.0
    columns = matrix / scale
    tolerance = 1e-12 * max(1.0, float(np.abs(columns.T @ target).max(initial=0.0)))
    found = np.zeros(columns.shape[1])
    free = np.zeros(columns.shape[1], bool)
    for _ in range(30 * columns.shape[1]):
        gradient = columns.T @ (target - columns @ found)
        gradient[free] = -np.inf
        if gradient.max(initial=-np.inf) <= tolerance:
            break
        free[gradient.argmax()] = True
        while True:
            wanted = np.zeros_like(found)
            wanted[free] = np.linalg.lstsq(columns[:, free], target, rcond=None)[0]
            short = free & (wanted <= 0)
            if not short.any():
                break
            step = (found[short] / (found[short] - wanted[short])).min()
            found += step * (wanted - found)
            free &= found > 1e-14
            found[~free] = 0.0
        found = wanted
    return found / scale
