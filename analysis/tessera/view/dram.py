"""How busy the data bus of the DRAM was, out of the waveform of a run."""

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.waves.dump import UNKNOWN, Dump

BUS = "dram.bus"
STATES = ("idle", "cpu", "dma")
STRETCHES = 10_000  # of a page: a share of each
MOST_CHANGES = 10_000_000


@dataclass(frozen=True)
class BusLoad:
    """A row for each change."""

    at: np.ndarray
    """Picoseconds since power-on."""
    percent: np.ndarray
    """Of the stretch of time from `at` on, in which the bus carries data."""


def bus_load(waveform: Path, until: int | None = None) -> BusLoad | None:
    """Up to `until`; None where the waveform has no such bus, or holds but windows of it, and where the bus was idle all along."""
    dump = Dump(waveform)
    path = next((signal.path for signal in dump.signals if signal.path == BUS or signal.path.endswith(f".{BUS}")), None)
    if path is None:
        return None
    at, busy = array("Q"), array("B")
    for change in dump.changes((path,), until):
        if change.value not in (*STATES, UNKNOWN) or (change.value == UNKNOWN and at) or len(at) == MOST_CHANGES:
            return None
        if change.value != UNKNOWN:
            at.append(change.at)
            busy.append(change.value != "idle")
    return _shares(np.array(at, np.float64), np.array(busy, np.float64), until) if any(busy) else None


def _shares(at: np.ndarray, busy: np.ndarray, until: int | None) -> BusLoad:
    """Of equal stretches; those that follow one of the same share are left out."""
    end = max(float(until or 0), at[-1])
    used = np.concatenate(([0.0], np.cumsum(busy[:-1] * np.diff(at))))  # up to each change
    edges = np.linspace(at[0], max(end, at[0] + STRETCHES), STRETCHES + 1)
    used_at = np.interp(edges, [*at, edges[-1]], [*used, used[-1] + busy[-1] * (edges[-1] - at[-1])])
    percent = np.minimum(100 * np.diff(used_at) / np.diff(edges), 100).astype(np.float32)
    changes = np.concatenate(([True], percent[1:] != percent[:-1]))
    return BusLoad(edges[:-1][changes].astype(np.uint64), percent[changes])
