"""Update periods of a workload: how many other blocks are written between two writes of a block (the Amphisbaena paper's Figure 2)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

BLOCK = 4096


def _recency(law: Mapping[str, Any], writes: int, draw: np.random.Generator) -> np.ndarray:
    """How many writes back each update reaches, within the window and the run; its Zipf law, drawn by its continuous inverse."""
    power = 1 / (1 - law["exponent"])
    back = np.ceil(law["window"] * draw.random(writes) ** power).astype(np.int64).clip(1)
    behind = np.minimum(np.arange(writes), law["window"])
    return np.where(back > behind, 1 + (draw.random(writes) * behind).astype(np.int64), back)


def drawn(workload: Mapping[str, Any], writes: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """First block and count of each write of a workload with `law = "updates"`, an exponent below 1 and one share of updates: its law,
    under random numbers of its own. Chunks keep their distance, so that a write never reaches into another one."""
    law, draw = workload["updates"], np.random.default_rng(seed)
    sizes, weights = np.array(workload["write_sizes"], dtype=float).T
    count = (sizes[draw.choice(len(sizes), writes, p=weights / weights.sum())] // BLOCK).astype(np.int64)
    standing = law.get("set", 0)
    update = draw.random(writes) < law["share"]
    of_set = update & (draw.random(writes) < law.get("set_share", 0.0))
    update[0] = of_set[0] = False
    new = ~update
    address = np.zeros(writes, dtype=np.int64)
    address[new] = standing + np.arange(int(new.sum()))
    address[of_set] = draw.integers(0, max(1, standing), int(of_set.sum()))
    # An update by recency has the address of the write that it reaches back to, which may be such an update itself.
    source = np.arange(writes)
    by_recency = update & ~of_set
    source[by_recency] -= _recency(law, writes, draw)[by_recency]
    while (source != source[source]).any():
        source = source[source]
    address = address[source]
    starts = law["chunk_starts"]
    apart = 1024  # blocks, more than the largest write
    return address // starts * apart + address % starts, count


def beyond(first: np.ndarray, count: np.ndarray, blocks: int) -> tuple[float, float]:
    """Of the blocks that are written again, the share whose average update period is longer than a buffer of so many blocks; and of
    those, the share updated more than twice. The period is the mean number of distinct blocks in as many writes of a block as lie
    between two of its own on average (Xiang's formula of the footprint)."""
    written = int(count.sum())
    ends = np.cumsum(count)
    block = np.repeat(first, count) + np.arange(written) - np.repeat(ends - count, count)
    time = np.argsort(block, kind="stable")
    again = block[time][1:] == block[time][:-1]
    begins, stops = np.r_[True, ~again], np.r_[~again, True]
    earliest, latest = time[begins], time[stops]
    gaps = np.concatenate([np.diff(time)[again], earliest + 1, written - latest])
    by_length = np.bincount(gaps, minlength=written + 2)
    at_least = by_length[::-1].cumsum()[::-1]
    length_at_least = (by_length * np.arange(len(by_length)))[::-1].cumsum()[::-1]
    writes = np.diff(np.r_[np.flatnonzero(begins), written])
    updated = writes > 1
    if not updated.any():
        return 0.0, 0.0
    mean_gap = ((latest - earliest)[updated] / (writes[updated] - 1)).astype(np.int64)
    period = len(earliest) - (length_at_least[mean_gap + 1] - mean_gap * at_least[mean_gap + 1]) / (written - mean_gap + 1)
    long = period > blocks
    return float(long.mean()), float((writes[updated][long] > 3).mean()) if long.any() else 0.0
