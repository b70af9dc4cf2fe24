"""Reuse distances, and from them the miss ratio of a least-recently-used cache of every size, from one pass.

Mattson, Gecsei, Slutz and Traiger 1970: a reference hits in an LRU cache of n blocks if fewer than n other blocks were referenced since
the one before. Waldspurger, Park, Garthwaite and Ahmad 2015 (SHARDS): the same over a sample of the blocks, chosen by a hash, with
distances divided by the sampling rate.
"""

from dataclasses import dataclass

import numpy as np

from tessera.errors import InputError
from tessera.evidence.intervals import student_t_975

COLD = -1  # distance of a first reference
SUBSAMPLES = 8  # disjoint ones of which the spread is the error


def reuse_distances(references: np.ndarray) -> np.ndarray:
    """Of each reference, how many other blocks were referenced since the last one to the same block; COLD at the first.

    >>> reuse_distances(np.array([7, 8, 7, 7, 9, 8])).tolist()
    [-1, -1, 1, 0, -1, 2]
    """
    count = len(references)
    previous = np.full(count, COLD, dtype=np.int64)
    order = np.argsort(references, kind="stable")
    same = references[order][1:] == references[order][:-1]
    previous[order[1:][same]] = order[:-1][same]
    again = np.flatnonzero(previous >= 0)
    # Between two references to one block lie as many others as positions, less those whose own last reference lies there too: pairs of
    # repeated references of which the earlier one has the later predecessor.
    inside = _greater_before(previous[again])
    distances = np.full(count, COLD, dtype=np.int64)
    distances[again] = again - previous[again] - 1 - inside
    return distances


def _greater_before(values: np.ndarray) -> np.ndarray:
    """Of each of some distinct values, how many before it are greater: by the bits of their ranks, all values at once.

    >>> _greater_before(np.array([30, 10, 20, 5])).tolist()
    [0, 1, 1, 3]
    """
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[np.argsort(values, kind="stable")] = np.arange(len(values))
    found = np.zeros(len(values), dtype=np.int64)
    row = ranks.copy()  # the ranks that share their higher bits side by side, in the order of the values
    for bit in range(max(1, len(values)).bit_length() - 1, -1, -1):
        ones = (row >> bit) & 1
        before = np.cumsum(ones) - ones
        groups = row >> (bit + 1)
        begins = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1]))) if len(row) else np.array([], dtype=np.int64)
        begin_of = np.repeat(begins, np.diff(np.append(begins, len(row))))
        zero = ones == 0
        found[row[zero]] += before[zero] - before[begin_of[zero]]
        row = row[np.argsort(row >> bit, kind="stable")]
    return found[ranks]


@dataclass(frozen=True)
class MissRatios:
    """Miss ratio by the size of a least-recently-used cache."""

    sizes: np.ndarray
    """Blocks."""
    ratios: np.ndarray
    half_widths: np.ndarray
    """Half the 95 % interval of each ratio: 0 where every block was followed."""
    references: int
    blocks: int
    """Distinct ones; estimated from the sample where there is one."""
    rate: float = 1.0
    """Share of the blocks that was followed."""


def default_sizes(blocks: int, points: int = 64) -> np.ndarray:
    """From one block to all, by even ratios."""
    return np.unique(np.geomspace(1, max(1, blocks), points).round().astype(np.int64))


def exact(references: np.ndarray, sizes: np.ndarray | None = None) -> MissRatios:
    """Every reference followed.

    >>> exact(np.array([1, 2, 1, 2, 3, 1]), np.array([1, 2, 3])).ratios.tolist()  # 3 cold; of the others 2 hit with 2 blocks, 3 with 3
    [1.0, 0.666..., 0.5]
    """
    if len(references) == 0:
        raise InputError("there is nothing to follow: the trace refers to no block")
    distances = reuse_distances(references)
    blocks = int((distances == COLD).sum())
    sizes = default_sizes(blocks) if sizes is None else np.asarray(sizes)
    return MissRatios(sizes, _ratios(distances, sizes, 1.0, len(references)), np.zeros(len(sizes)), len(references), blocks)


def sampled(references: np.ndarray, rate: float, sizes: np.ndarray | None = None, seed: int = 1) -> MissRatios:
    """A share of the blocks followed, chosen by a hash of their numbers. What the sample has of references
    above or below its share is put on the smallest distance (SHARDS-adj). The error is that of the mean over disjoint parts of the sample,
    and at least what was put there so."""
    if not 0 < rate <= 1:
        raise InputError(f"a sampling rate lies above 0 and is at most 1, found {rate}")
    mixed = _mixed(references.astype(np.uint64) + np.uint64(seed))
    threshold = np.uint64(int(rate * (1 << 63)) * 2 - 1)
    chosen = mixed <= threshold
    whole = references[chosen]
    if len(whole) == 0:
        raise InputError(f"a sampling rate of {rate:g} chooses none of the blocks: take a larger one")
    if sizes is None:
        sizes = default_sizes(round(len(np.unique(whole)) / rate))
    part = (_mixed(mixed[chosen]) % np.uint64(SUBSAMPLES)).astype(int)
    estimate = _sampled_ratios(whole, rate, sizes, len(references))
    spread = np.array([_sampled_ratios(whole[part == index], rate / SUBSAMPLES, sizes, len(references)) for index in range(SUBSAMPLES)])
    half_widths = student_t_975(SUBSAMPLES - 1) * spread.std(axis=0, ddof=1) / np.sqrt(SUBSAMPLES)
    # References that the sample has too few or too many were put where they are guessed to be: a few very hot blocks, chosen or not.
    guessed = abs(len(whole) / (rate * len(references)) - 1)
    half_widths = np.maximum(half_widths, guessed)
    return MissRatios(np.asarray(sizes), estimate, half_widths, len(references), round(len(np.unique(whole)) / rate), rate)


def _sampled_ratios(references: np.ndarray, rate: float, sizes: np.ndarray, all_references: int) -> np.ndarray:
    return _ratios(reuse_distances(references), sizes, rate, all_references)


def _ratios(distances: np.ndarray, sizes: np.ndarray, rate: float, all_references: int) -> np.ndarray:
    """`all_references`: of the whole trace. A sample should have `rate` of them; the difference counts as hits in the smallest cache."""
    again = np.sort(distances[distances != COLD]) / rate
    expected = all_references * rate
    hits = np.searchsorted(again, sizes, side="left") + (expected - len(distances))
    return np.clip(1 - hits / expected, 0, 1)


def _mixed(values: np.ndarray) -> np.ndarray:
    """splitmix64's finaliser: every bit of the result depends on every bit of the value."""
    with np.errstate(over="ignore"):
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return values ^ (values >> np.uint64(31))
