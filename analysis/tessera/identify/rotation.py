"""The spindle's period: reads of one place end whole turns apart, whatever lay between them.

The times between visits are held against every period a spindle may have (a periodogram), short ones first: they tell periods apart roughly, and
each longer one more finely. A last step by least squares takes all visits, with an angle of its own for each place.
"""

from dataclasses import dataclass

import numpy as np

from tessera.errors import InputError

SLOWEST, FASTEST = 1800 / 60, 20000 / 60  # turns a second, of what a description may say
FIRST_SPAN = 1.0     # seconds
GROWTH = 4
COHERENT = 0.6       # mean of the visits' agreement, 0 to 1: below it nothing turns
RESAMPLES = 200


@dataclass(frozen=True)
class Rotation:
    period: float  # seconds
    error: float   # standard error: places resampled, and the log's clock
    coherence: float

    def phase(self, time: np.ndarray) -> np.ndarray:
        """Part of a turn, 0 to 1, since the log's first request."""
        return np.mod(time / self.period, 1.0)


def rotation(place: np.ndarray, time: np.ndarray, clock: float) -> Rotation:
    """From where each read was and when it ended, and how far the clock may be off. Raises InputError where no period explains the visits."""
    group, visit = _visits(place, time)
    later, span = _spans(group, visit)
    reach = FIRST_SPAN
    candidates = np.arange(SLOWEST, FASTEST, 0.1 / reach)
    score = _agreement(candidates, later[later < reach])
    frequency = candidates[np.flatnonzero(score >= 0.85 * score.max())[0]]  # its multiples agree as well
    while reach < span:
        width = 0.3 / reach
        reach *= GROWTH
        chosen = later[later < reach]
        candidates = np.arange(frequency - width, frequency + width, 0.05 / reach)
        frequency = candidates[_agreement(candidates, chosen).argmax()]
    for part in (4, 3, 2):  # by chance the few short times agree better with a multiple
        if frequency / part >= SLOWEST and _agreement(np.array([frequency / part]), later)[0] >= 0.85 * _agreement(np.array([frequency]), later)[0]:
            frequency /= part
            break
    coherence = float(_agreement(np.array([frequency]), later)[0])
    if coherence < COHERENT:
        raise InputError(f"angles: no rotation: visits of one place agree to {coherence:.2f} of 1 at best; the drive is no disk, was not idle, or answers from a cache")
    frequency = _refined(group, visit, frequency)
    rng = np.random.default_rng(0)
    names = np.unique(group)
    spread = [_refined(*_resampled(group, visit, rng.choice(names, len(names))), frequency) for _ in range(RESAMPLES)]
    drift = clock / float(time[-1] - time[0])
    return Rotation(float(1 / frequency), float(np.hypot(np.std(spread) / frequency**2, drift / frequency)), coherence)


def _visits(place: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Those of places that were visited three times or more, in order of place and time."""
    _, group, count = np.unique(place, return_inverse=True, return_counts=True)
    chosen = count[group] >= 3
    order = np.lexsort((time[chosen], group[chosen]))
    return group[chosen][order], time[chosen][order]


def _spans(group: np.ndarray, visit: np.ndarray) -> tuple[np.ndarray, float]:
    """Times between any two visits of a place, short ones first enough to begin with, and the longest."""
    found = []
    for lag in range(1, int(np.bincount(group).max())):
        same = group[lag:] == group[:-lag]
        found.append((visit[lag:] - visit[:-lag])[same])
    every = np.concatenate(found)
    return every, float(every.max())


def _agreement(frequencies: np.ndarray, spans: np.ndarray) -> np.ndarray:
    return np.array([np.cos(2 * np.pi * frequency * spans).mean() for frequency in frequencies]) if len(spans) else np.zeros(len(frequencies))


def _refined(group: np.ndarray, visit: np.ndarray, frequency: float) -> float:
    for _ in range(3):
        turn = np.exp(2j * np.pi * frequency * visit)
        mean = np.bincount(group, turn.real) + 1j * np.bincount(group, turn.imag)
        off = np.angle(turn / mean[group]) / (2 * np.pi)
        near = np.abs(off) < 0.05  # others were served by a cache
        count = np.maximum(np.bincount(group[near], minlength=len(mean)), 1)
        centred = visit[near] - (np.bincount(group[near], visit[near], len(mean)) / count)[group[near]]
        left = off[near] - (np.bincount(group[near], off[near], len(mean)) / count)[group[near]]
        frequency -= float(centred @ left) / float(centred @ centred)
    return frequency


def _resampled(group: np.ndarray, visit: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = [np.flatnonzero(group == name) for name in names]
    return np.repeat(np.arange(len(rows)), [len(row) for row in rows]), visit[np.concatenate(rows)]
