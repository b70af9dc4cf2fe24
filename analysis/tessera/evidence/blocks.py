"""A recorded trace is one sample: seeds move the spindle only. What varies in an answer about it is which stretch was recorded, so its replicates
are blocks of it, in the order of arrival, and the interval of a figure is that of the delete-one-block jackknife: a tail that one burst makes
moves by all that it is when the burst's block is left out, and settles nothing."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tessera.evidence.steadiness import APART, quantile

BLOCKS = 10  # of one run
PARTS = 5  # of a recording, each a run of its own: for figures that no log of requests holds
PAST = 5  # one request in so many, at the start, fills the caches and is left out
LEAST = 20  # requests of a block, below which a recording is too short for blocks
FEW_BURSTS = 4  # that are named where they make a tail
MOST_OF_A_TAIL = 0.9


THROUGHPUT = "host.throughput"


def in_a_log(metric: str) -> bool:
    """Whether a log of requests has a figure, so that it has blocks; others take runs of parts.

    >>> in_a_log("host.read.latency.p99"), in_a_log("host.throughput"), in_a_log("energy.total")
    (True, True, False)
    """
    return metric == THROUGHPUT or (metric.startswith("host.") and ".latency." in metric)


def rate_without_each(times: np.ndarray, begin: float, count: int = BLOCKS) -> tuple[float, list[float]]:
    """How many of what happened at these times, in their order, there are in a unit of time since `begin`; and the same without each block.

    >>> rate_without_each(np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0]), 0.0, 2)
    (0.75, [0.6, 1.0])
    """
    bounds = np.linspace(0, len(times), count + 1).astype(int)
    ends = np.concatenate([[begin], times])[bounds]
    whole = float(ends[-1] - begin)
    return len(times) / whole, [float((len(times) - (to - at)) / (whole - (until - since))) for at, to, since, until in zip(bounds, bounds[1:], ends, ends[1:])]


def without_each(values: np.ndarray, figure: Callable[[np.ndarray], float], count: int = BLOCKS) -> list[float]:
    """The figure of all but each block.

    >>> without_each(np.arange(40.0), np.mean, 2)
    [29.5, 9.5]
    """
    bounds = np.linspace(0, len(values), count + 1).astype(int)
    return [float(figure(np.concatenate([values[:begin], values[end:]]))) for begin, end in zip(bounds, bounds[1:])]


@dataclass(frozen=True)
class Bursts:
    """A few stretches of requests in which most of what is slower than a quantile lies."""

    count: int
    share: float
    """Of the slower requests, how many lie in them."""
    outside: float
    """The quantile of all other requests."""


def bursts(values: np.ndarray, fraction: float) -> Bursts | None:
    """The bursts that make a quantile of latencies, in the order of arrival; None where there are none, or more than a few.

    >>> bursts(np.concatenate([np.full(90_000, 1.0), np.full(3_000, 50.0), np.full(7_000, 1.0)]), 0.99)
    Bursts(count=1, share=1.0, outside=1.0)
    """
    slow = np.flatnonzero(values >= quantile(values, fraction))
    apart = np.flatnonzero(np.diff(slow) > len(values) / APART)
    begins, ends = np.concatenate([[0], apart + 1]), np.concatenate([apart + 1, [len(slow)]])
    largest = np.argsort(begins - ends, kind="stable")[:FEW_BURSTS]
    held = np.cumsum(ends[largest] - begins[largest])
    if held[-1] < MOST_OF_A_TAIL * len(slow):
        return None
    count = int(np.searchsorted(held, MOST_OF_A_TAIL * len(slow))) + 1
    inside = np.zeros(len(values), dtype=bool)
    for place in largest[:count]:
        inside[slow[begins[place]] : slow[ends[place] - 1] + 1] = True
    rest = values[~inside]
    return Bursts(count, float(held[count - 1] / len(slow)), quantile(rest, fraction)) if len(rest) else None


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
