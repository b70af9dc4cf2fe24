"""Write caches: after how many bytes writes begin to wait, and what cleaning looks like."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tessera.identify.logs import Log

SMOOTH = 16      # writes
SLOWER = 8       # times as long as the first ones
THROUGH = 1.5e-3  # seconds: a first write that takes longer was not taken by a cache
MEDIA_SMOOTH = 512
STALL = 50e-3    # seconds


@dataclass(frozen=True)
class WriteCache:
    through: bool                           # no cache takes writes
    capacity: tuple[float, float] | None    # bytes, and by how much they may be off
    cliff: tuple[float, float] | None       # bytes written at random before a media cache had to clean
    stall: tuple[float, float] | None       # seconds: median of the stalls after it, and half their middle half
    writes_between: float | None            # stalls


def write_cache(logs: Mapping[str, Log]) -> WriteCache | None:
    """None where no destructive job was run."""
    bursts = [logs[name] for name in ("burst-small", "burst-large") if name in logs]
    if not bursts:
        return None
    if all(float(np.median(log.latency[:SMOOTH])) > THROUGH for log in bursts):
        return WriteCache(True, None, *_cleaning(logs.get("cleaning")))
    cliffs = [found for log in bursts if (found := _cliff(log)) is not None]
    return WriteCache(False, cliffs[0] if cliffs else None, *_cleaning(logs.get("cleaning")))


def _smooth(latency: np.ndarray, width: int) -> np.ndarray:
    return np.convolve(latency, np.ones(width) / width, "valid")


def _cliff(log: Log) -> tuple[float, float] | None:
    """Bytes before writes wait. What the drive wrote to the platters meanwhile makes it look larger: by as much as it writes, later, in that time."""
    first = max(float(np.median(log.latency[:SMOOTH])), 20e-6)
    slow = np.flatnonzero(_smooth(log.latency, SMOOTH) > SLOWER * first)
    if not len(slow):
        return None
    wait = np.flatnonzero(log.latency[slow[0] : slow[0] + SMOOTH] > SLOWER * first)
    at = int(slow[0]) + (int(wait[0]) if len(wait) else 0)
    later = log.latency[at : at + 256]
    written = float(log.completion[at]) / float(later.mean() + log.gap)
    size = float(log.requests["length"][0])
    return size * max(1.0, at - written / 2), size * (written / 2 + 1)


def _cleaning(log: Log | None) -> tuple[tuple[float, float] | None, tuple[float, float] | None, float | None]:
    if log is None or len(log.latency) < 4 * MEDIA_SMOOTH:
        return None, None, None
    smooth = _smooth(log.latency, MEDIA_SMOOTH)
    usual = float(np.median(smooth[: len(smooth) // 8]))
    slow = np.flatnonzero(smooth > SLOWER * usual)
    if not len(slow):
        return None, None, None
    after = log.latency[slow[0] :]
    stalls = np.flatnonzero(after > STALL)
    size = float(log.requests["length"][0])
    cliff = (size * (slow[0] + MEDIA_SMOOTH / 2), size * MEDIA_SMOOTH / 2)
    if len(stalls) < 3:
        return cliff, None, None
    middle, width = float(np.median(after[stalls])), float(np.subtract(*np.percentile(after[stalls], [75, 25]))) / 2
    return cliff, (middle, width), float(np.median(np.diff(stalls)))
