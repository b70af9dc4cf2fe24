"""Write caches: after how many bytes writes begin to wait, and what cleaning looks like."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tessera.identify.logs import Log

SMOOTH = 32      # writes
WAITS = 2.5      # times as long as the first writes, and
LONGER = 0.5e-3  # seconds more: a write that waits for room
OFTEN = 0.25     # of neighbouring writes: a pause of the drive's own stops one of them
SLOWER = 8       # times as long as before a media cache's cliff
THROUGH = 1.5e-3  # seconds: a first write that takes longer was not taken by a cache
MEDIA_SMOOTH = 2048
STALL = 50e-3    # seconds


@dataclass(frozen=True)
class Pauses:
    length: float   # seconds, median
    width: float    # half of their middle half
    apart: float    # writes from one to the next, median


@dataclass(frozen=True)
class Cleaning:
    """Of a shingled drive. `cliff`: bytes written at random before a media cache had to clean."""

    cliff: tuple[float, float] | None = None
    before: Pauses | None = None   # the media cache's own: checkpoints of its map
    after: Pauses | None = None


@dataclass(frozen=True)
class WriteCache:
    through: bool                           # no cache takes writes
    capacity: tuple[float, float] | None    # bytes, and by how much they may be off
    cleaning: Cleaning


def write_cache(logs: Mapping[str, Log]) -> WriteCache | None:
    """None where no destructive job was run."""
    bursts = [logs[name] for name in ("burst-small", "burst-large") if name in logs]
    if not bursts:
        return None
    if all(float(np.median(log.latency[:SMOOTH])) > THROUGH for log in bursts):
        return WriteCache(True, None, _cleaning(logs.get("cleaning")))
    cliffs = [found for log in bursts if (found := _cliff(log)) is not None]
    return WriteCache(False, cliffs[0] if cliffs else None, _cleaning(logs.get("cleaning")))


def _cliff(log: Log) -> tuple[float, float] | None:
    """Bytes before writes wait. What the drive wrote to the platters meanwhile makes it look larger: by as much as it writes, later, in that time."""
    first = float(np.median(log.latency[:SMOOTH]))
    waits = log.latency > WAITS * first + LONGER
    often = np.flatnonzero(np.convolve(waits, np.ones(SMOOTH) / SMOOTH, "valid") >= OFTEN)
    if not len(often):
        return None
    at = int(often[0] + np.flatnonzero(waits[often[0] :])[0])
    later = log.latency[at : at + 256]
    written = float(log.completion[at]) / float(later.mean() + log.gap)
    size = float(log.requests["length"][0])
    return size * max(1.0, at - written / 2), size * (written / 2 + 1)


def _cleaning(log: Log | None) -> Cleaning:
    if log is None or len(log.latency) < 16 * MEDIA_SMOOTH:
        return Cleaning()
    size = float(log.requests["length"][0])
    usual = log.latency[: len(log.latency) // MEDIA_SMOOTH * MEDIA_SMOOTH].reshape(-1, MEDIA_SMOOTH).mean(axis=1)
    slow = usual > SLOWER * np.median(usual[: max(8, len(usual) // 8)])
    cliffs = np.flatnonzero(slow[1:-1] & slow[2:]) + 1
    if not len(cliffs):
        return Cleaning()
    begins = int(cliffs[0]) * MEDIA_SMOOTH
    return Cleaning((size * (begins + MEDIA_SMOOTH / 2), size * MEDIA_SMOOTH / 2), _pauses(log.latency[:begins]), _pauses(log.latency[begins:]))


def _pauses(latency: np.ndarray) -> Pauses | None:
    at = np.flatnonzero(latency > STALL)
    if len(at) < 3:
        return None
    width = float(np.subtract(*np.percentile(latency[at], [75, 25]))) / 2
    return Pauses(float(np.median(latency[at])), width, float(np.median(np.diff(at))))
