"""Where the head was at each instant, out of the waveform of a run."""

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from tessera.waves.dump import UNKNOWN, Dump

SIGNALS = ("media.state", "media.head_radius", "media.head_surface")
STATES = ("idle", "seek", "rotate", "read", "write", "off")


@dataclass(frozen=True)
class Head:
    """A row for each change. What the head does from `at` on and, but for a seek, where; a seek begins there and ends where the next row is."""

    at: np.ndarray
    """Picoseconds since power-on."""
    state: np.ndarray
    """Index of STATES."""
    radius: np.ndarray
    surface: np.ndarray


def head_of(waveform: Path) -> Head | None:
    """None where the waveform does not hold the head's signals, or only windows of them: a head that jumps would be no head."""
    dump = Dump(waveform)
    paths = {name: next((signal.path for signal in dump.signals if signal.path.endswith(f".{name}")), None) for name in SIGNALS}
    if None in paths.values():
        return None
    order = {path: place for place, path in enumerate(paths.values())}
    now: list[int | None] = [None, None, None]
    rows: list[tuple[int, ...]] = []
    for at, changes in groupby(dump.changes(order), key=lambda change: change.at):
        for change in changes:
            if change.value == UNKNOWN:
                if rows:
                    return None
                continue
            place = order[change.path]
            now[place] = int(change.value) if place else _state(change.value)
        if None not in now:
            rows.append((at, *now))
    if not rows:
        return None
    at, state, radius, surface = zip(*rows)
    return Head(np.array(at, np.uint64), np.array(state, np.uint8), np.array(radius, np.uint32), np.array(surface, np.uint8))


def _state(word: str) -> int | None:
    return STATES.index(word) if word in STATES else None
