"""What each die of the flash did, out of the waveform of a run."""

import re
from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.waves.dump import UNKNOWN, Dump

DIE_STATES = "nand.die_*.state"  # a pattern of --signals
STATES = ("idle", "loading", "reading", "programming", "erasing", "unloading", "suspended")
MOST_DIES = 8  # of a page: a lane each
MOST_CHANGES = 2_000_000  # of all dies: some 15 MB of a page
_PATH = re.compile(r"(?:^|\.)nand\.die_(\d+)\.state$")


@dataclass(frozen=True)
class Die:
    """A row for each change."""

    number: int
    at: np.ndarray
    """Picoseconds since power-on."""
    state: np.ndarray
    """Index of STATES."""


def dies_of(waveform: Path, until: int | None = None) -> list[Die]:
    """Up to `until`; none where the waveform has no dies, holds but windows of them, or is longer than a page can hold."""
    dump = Dump(waveform)
    numbers = {signal.path: int(found[1]) for signal in dump.signals if (found := _PATH.search(signal.path))}
    chosen = dict(sorted(numbers.items(), key=lambda item: item[1])[:MOST_DIES])
    rows = {path: (array("Q"), array("B")) for path in chosen}
    for count, change in enumerate(dump.changes(chosen, until)):
        at, state = rows[change.path]
        if count == MOST_CHANGES or change.value not in (*STATES, UNKNOWN) or (change.value == UNKNOWN and at):
            return []
        if change.value != UNKNOWN:
            at.append(change.at)
            state.append(STATES.index(change.value))
    return [Die(chosen[path], np.array(at), np.array(state)) for path, (at, state) in rows.items() if any(state)]
