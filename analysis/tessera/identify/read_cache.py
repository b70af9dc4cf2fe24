"""The read cache's policy: which second reads it answers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tessera.identify.jobs import RUNS, TRANSFERS, ahead_distances
from tessera.identify.logs import Log
from tessera.identify.plan import Plan

HIT = 0.5          # share of answers from the cache that says it holds the blocks
NARROW = 0.05      # of a turn: answers from a cache take alike
LEAST = 0.1e-3     # seconds around the usual hit


@dataclass(frozen=True)
class ReadCache:
    hit: tuple[float, float] | None             # seconds that a hit of one block takes, and half their middle half
    keeps: float | None = None                  # shares of second reads that hit: of the same block, ...
    before: float | None = None                 # ... of the block in front of it, ...
    first: float | None = None                  # ... of the next one after one read, ...
    second: float | None = None                 # ... and after two in a row
    ahead: tuple[float, float] | None = None    # blocks read ahead, and half the distance between two that were tried
    segments: tuple[float, float] | None = None
    link: tuple[float, float] | None = None     # bytes a second

    def served(self, latency: np.ndarray) -> np.ndarray:
        """Which reads of one block the cache has answered."""
        return np.abs(latency - self.hit[0]) < max(LEAST, 6 * self.hit[1]) if self.hit else np.zeros(len(latency), bool)


def read_cache(logs: Mapping[str, Log], plan: Plan, period: float) -> ReadCache:
    """What the logs that are there tell."""
    hit = None
    for name, size, column, blocks in (("run", 4, 3, 1), ("run", 4, 2, 1), ("again", 2, 1, 0)):
        if hit is None and name in logs:
            hit = _hit(logs[name].latency.reshape(-1, size)[:, column], logs[name].gap, period, blocks / plan.track_blocks)
    if hit is None:
        return ReadCache(None)
    known = ReadCache(hit)

    def share(name: str, size: int, column: int) -> float | None:
        return float(known.served(logs[name].latency.reshape(-1, size)[:, column]).mean()) if name in logs else None

    return ReadCache(
        hit, share("again", 2, 1), share("before", 2, 1), share("run", 4, 1), share("run", 4, 2), _ahead(known, logs, plan), _segments(known, logs),
        _link(logs, plan),
    )  # fmt: skip


def _hit(latency: np.ndarray, gap: float, period: float, further: float) -> tuple[float, float] | None:
    """Answers of a cache take alike and not what the platter's turn makes of the pause, which takes alike as well."""
    middle = float(np.median(latency))
    width = float(np.subtract(*np.percentile(latency, [75, 25]))) / 2
    off = (middle - (further * period - gap)) / period
    turned = abs(off - round(off)) < 0.03
    return (middle, width) if middle < period / 3 and width < NARROW * period and not turned else None


def _ahead(known: ReadCache, logs: Mapping[str, Log], plan: Plan) -> tuple[float, float] | None:
    if "ahead" not in logs:
        return None
    first = logs["ahead"].first.reshape(-1, 3)
    distance, served = first[:, 2] - first[:, 1], known.served(logs["ahead"].latency.reshape(-1, 3)[:, 2])
    return _edge(ahead_distances(plan), np.array([served[distance == one].mean() for one in ahead_distances(plan)]))


def _edge(tried: np.ndarray, share: np.ndarray) -> tuple[float, float] | None:
    """Where the share falls below one half: the middle between the last value that holds and the next one. None where it never does."""
    misses = np.flatnonzero(share < HIT)
    if not len(misses):
        return None
    at = int(misses[0])
    low, high = (int(tried[at - 1]) if at else 0), int(tried[at])
    return (low + high - 1) / 2, (high - 1 - low) / 2


def _segments(known: ReadCache, logs: Mapping[str, Log]) -> tuple[float, float] | None:
    """A run's segment outlives as many others as there are other segments."""
    if "segments" not in logs:
        return None
    log = logs["segments"]
    ends, others, begin = [], [], 0
    while begin < len(log.first):  # runs of two, then the first one's third block
        end = begin
        while end + 1 < len(log.first) and log.first[end + 1] == log.first[end] + 1 and log.first[end] != log.first[begin] + 2:
            end += 2
        ends.append(end)
        others.append((end - begin) // 2 - 1)
        begin = end + 1
    served, others = known.served(log.latency[ends]), np.array(others)
    tried = np.array([one for one in RUNS if (others == one).any()])
    found = _edge(tried, np.array([served[others == one].mean() for one in tried]))
    return None if found is None else (found[0] + 1, found[1])


def _link(logs: Mapping[str, Log], plan: Plan) -> tuple[float, float] | None:
    """Least squares over the hits' lengths; a hit of many blocks that the read-ahead did not have waits for the platter, which medians leave out."""
    if "transfer" not in logs:
        return None
    log = logs["transfer"]
    length, took = log.requests["length"].reshape(-1, 3)[:, 2] // log.block, log.latency.reshape(-1, 3)[:, 2]
    usual = np.array([np.median(took[length == one]) for one in TRANSFERS])
    spread = np.array([np.subtract(*np.percentile(took[length == one], [75, 25])) for one in TRANSFERS])
    line = np.polyfit(TRANSFERS, usual, 1)
    slope, residual = line[0], float(np.abs(usual - np.polyval(line, TRANSFERS)).max() + spread.max())
    return (plan.block / slope, plan.block / slope * residual / (usual[-1] - usual[0])) if usual[-1] > usual[0] + residual else None
