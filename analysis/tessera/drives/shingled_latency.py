"""Latencies of small random writes to the shingled drives, one at a time, and what a stalled host sees of their cleaning."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tessera.drives.shingled_runs import GIB, Lab, Load, responses

WARM_UP_S, WINDOW_S = 180.0, 300.0  # of the measurements
STALL_MS = 20.0  # of a write that waited for the drive, as the sources count them
LONG_MS = 500.0  # between a step of a merge and a checkpoint
REQUESTS = 500_000
REACH_OF_4_TIB = 187_000  # writes: enough to get through warm-up and window, as nearly all come before the cliff


@cache
def small_writes(lab: Lab, drive: str, gib: int) -> np.ndarray:
    """ms of each of the writes over so many GiB of a full drive, in order; 0: over 128 MiB."""
    load = Load("uniform", REACH_OF_4_TIB if gib >= 4096 else REQUESTS, 4096, range=gib * GIB or 128 << 20)
    return responses(lab.run(f"small-{gib}", drive, load, "--requests", full=True))


@dataclass(frozen=True)
class Latencies:
    """Of the window; times in ms."""

    writes: int
    mean: float
    below_1: float  # percent
    p50: float
    p90: float
    p99: float
    p999: float
    longest: float
    gap: float  # writes from one stall to the next
    stall: float  # median
    long_stalls: int
    long_stall: float  # mean


def latencies_of(times: np.ndarray) -> Latencies:
    ends = np.cumsum(times) / 1000
    window = times[(ends > WARM_UP_S) & (ends <= WARM_UP_S + WINDOW_S)]
    stalls = np.flatnonzero(window > STALL_MS)
    long = window[window > LONG_MS]
    p50, p90, p99, p999 = (float(np.percentile(window, percent)) for percent in (50, 90, 99, 99.9))
    return Latencies(
        len(window), float(window.mean()), float(100 * (window < 1).mean()), p50, p90, p99, p999, float(window.max()),
        float(np.diff(stalls).mean()), float(np.median(window[stalls])), len(long), float(long.mean()) if len(long) else 0.0,
    )  # fmt: skip


def latencies(lab: Lab, drive: str, gib: int) -> Latencies:
    return latencies_of(small_writes(lab, drive, gib))


def seconds_by_50_000(times: np.ndarray) -> list[float]:
    return [float(part.sum() / 1000) for part in np.array_split(times, len(times) // 50_000)]


def behind_the_cliff(lab: Lab, drive: str, gib: int) -> float:
    """s for each 50,000 writes, 250,000 to 500,000."""
    return float(np.mean(seconds_by_50_000(small_writes(lab, drive, gib))[5:]))
