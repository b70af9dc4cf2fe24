"""Where the head was at each instant, out of the waveform of a run."""

from array import array
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from tessera.errors import damaged
from tessera.waves.dump import UNKNOWN, Dump

WAVEFORM = "waves.vcd"  # in a folder of a run: what `tessera wave record` writes there
SIGNALS = ("media.state", "media.head_radius", "media.head_surface")
MOST_ROWS = 4_000_000  # some 30 MB of a page
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


def head_of(waveform: Path, until: int | None = None) -> Head | None:
    """Up to `until`. None where the waveform does not hold the head's signals, where it holds but windows of them, and where it is longer than
    a page can hold: a head that jumps would be no head."""
    dump = Dump(waveform)
    paths = {name: next((signal.path for signal in dump.signals if signal.path.endswith(f".{name}")), None) for name in SIGNALS}
    if None in paths.values():
        return None
    order = {path: place for place, path in enumerate(paths.values())}
    now: list[int | None] = [None, None, None]
    rows = array("Q"), array("B"), array("I"), array("B")
    for at, changes in groupby(dump.changes(order, until), key=lambda change: change.at):
        for change in changes:
            if change.value == UNKNOWN:
                if rows[0]:
                    return None
                continue
            place = order[change.path]
            now[place] = int(change.value) if place else _state(change.value)
        if None not in now:
            _append(waveform, rows, (at, *now))
        if len(rows[0]) > MOST_ROWS:
            return None
    return Head(*(np.array(column) for column in rows)) if rows[0] else None


def _append(waveform: Path, rows: tuple[array, ...], values: tuple[int | None, ...]) -> None:
    try:
        for column, value in zip(rows, values):
            column.append(value)
    except OverflowError:
        raise damaged(waveform) from None


def _state(word: str) -> int | None:
    return STATES.index(word) if word in STATES else None
