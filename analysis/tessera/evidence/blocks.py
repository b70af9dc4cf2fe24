"""A recorded trace is one sample: seeds move the spindle only. What varies in an answer about it is which stretch was recorded, so its replicates
are blocks of it, in the order of arrival, and the interval of a figure is that of the delete-one-block jackknife: a tail that one burst makes
moves by all that it is when the burst's block is left out, and settles nothing."""

import math
from collections.abc import Callable, Sequence

import numpy as np

BLOCKS = 10  # of one run
PARTS = 5  # of a recording, each a run of its own: for figures that no log of requests holds
PAST = 5  # one request in so many, at the start, fills the caches and is left out
LEAST = 20  # requests of a block, below which a recording is too short for blocks


def without_each(values: np.ndarray, figure: Callable[[np.ndarray], float], count: int = BLOCKS) -> list[float]:
    """The figure of all but each block.

    >>> without_each(np.arange(40.0), np.mean, 2)
    [29.5, 9.5]
    """
    bounds = np.linspace(0, len(values), count + 1).astype(int)
    return [float(figure(np.concatenate([values[:begin], values[end:]]))) for begin, end in zip(bounds, bounds[1:])]


def pseudo_values(whole: float, without: Sequence[float]) -> dict[int, float]:
    """A replicate for each block, as the jackknife has it on a logarithmic scale: ratios of two designs are those of their replicates. A figure
    that is 0 without a block has none.

    >>> pseudo_values(4.0, [4.0, 4.0])
    {1: 4.0, 2: 4.0}
    """
    if whole <= 0 or any(figure <= 0 for figure in without):
        return {}
    count = len(without)
    logs = [count * math.log(whole) - (count - 1) * math.log(figure) for figure in without]
    return {block: math.exp(min(log, 700.0)) for block, log in enumerate(logs, 1)}
