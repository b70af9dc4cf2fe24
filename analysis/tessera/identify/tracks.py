"""Track lengths, boundaries and skews in one place of the drive, from the angles at which single blocks end.

Within a track the angle grows by a turn for each track's length; from a track's end to the next one's beginning it jumps by the skew. So the
length is that for which the angle less block/length is the same for all blocks of a track, and the boundaries are where it changes (angle
extraction, after Worthington et al. 1995 and Gim and Won 2010).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RANGE = 10        # a track is a tenth to ten times as long as the plan says
LAGS = 24         # samples whose differences are compared
REACH = 2         # neighbours on either side that a window is compared with
COHERENT = 0.97   # a window with a zone's end, spares or slipped sectors in it agrees less
FLAT = 8          # part of a track's length that such boundaries may fill on either side
ENDS = 2e-4      # boundaries whose agreement is that near to the best cannot be told from it


@dataclass(frozen=True)
class Window:
    base: int              # first block
    sectors: int           # of a track
    boundary: int          # a track's first block, of those at or after the base the first
    slack: int             # blocks by which the boundary may be off
    coherence: float
    steps: np.ndarray      # sectors from a track's angle to the next one's, one for each pair of tracks; -1: unseen
    angle: float           # of the first block of the track at `boundary`, part of a turn; of the block's end, less one block


def windows(bases: Sequence[int], length: int, first: np.ndarray, phase: np.ndarray, guess: int) -> list[Window | None]:
    """Each window of `length` blocks from its base; None where no track length explains its angles. A length that a neighbour has is taken where
    it explains them about as well: noise moves a length by a sector, and zones end seldom."""
    samples, found = [], []
    for base in bases:
        inside = np.flatnonzero((first >= base) & (first < base + length))
        inside = inside[np.argsort(first[inside], kind="stable")]
        samples.append(((first[inside] - base).astype(float), np.exp(2j * np.pi * phase[inside])))
        found.append(_best(*samples[-1], guess))
    shown = []
    for index, (base, (x, turn), best) in enumerate(zip(bases, samples, found, strict=True)):
        lengths = {other[1] for other in found[max(0, index - REACH) : index + REACH + 1]} - {best[1]}
        others = [_grouped(x, turn, sectors) for sectors in lengths if abs(sectors - best[1]) <= 1]
        near = [other for other in others if other[0] >= best[0] - (1 - best[0]) / 2]
        common = max([best, *near], key=lambda one: sum(other[1] == one[1] for other in found[max(0, index - REACH) : index + REACH + 1]))
        shown.append(_window(int(base), x, turn, *common) if common[0] >= COHERENT else None)
    return shown


def _best(x: np.ndarray, turn: np.ndarray, guess: int) -> tuple[float, int, int, int]:
    rough = _rough(x, turn, guess)
    return max((_grouped(x, turn, sectors) for sectors in range(max(8, rough - 2 - rough // 200), max(8, rough) + 3 + rough // 200)), key=lambda found: found[0])


def _window(base: int, x: np.ndarray, turn: np.ndarray, coherence: float, sectors: int, boundary: int, slack: int) -> Window:
    track = np.floor((x - boundary) / sectors).astype(int)
    low = track.min()
    angles = _track_angles(x, turn, sectors, boundary, track - low)
    seen = np.abs(angles) > 0
    part = np.angle(angles) / (2 * np.pi)
    steps = np.where(seen[1:] & seen[:-1], np.round(np.mod(np.diff(part), 1.0) * sectors) % sectors, -1).astype(int)
    at = -low if -low < len(part) and seen[-low] else int(np.flatnonzero(seen)[0])
    return Window(base, sectors, base + boundary + (at + low) * sectors, slack, coherence, steps[at:], float(np.mod(part[at] - 1 / sectors, 1.0)))


def _rough(x: np.ndarray, turn: np.ndarray, guess: int) -> int:
    """The length that the most pairs of samples agree with: those in one track do, those with a boundary between them do for no length."""
    distances, angles = [], []
    for lag in range(1, min(LAGS, len(x))):
        distances.append(x[lag:] - x[:-lag])
        angles.append(turn[lag:] * turn[:-lag].conj())
    distance, part = np.concatenate(distances), np.angle(np.concatenate(angles)) / (2 * np.pi)
    near = (distance > 0) & (distance < guess)  # the far ones have boundaries between them, and agree by chance
    distance, part = distance[near], part[near]
    candidates = np.unique(np.round(guess * np.exp(np.arange(-np.log(RANGE), np.log(RANGE), 0.004))))
    found = candidates[_agreeing(candidates, distance, part, 0.006).argmax()]
    candidates = np.arange(np.ceil(found * 0.985), np.floor(found * 1.015) + 1)
    return int(candidates[_agreeing(candidates, distance, part, 0.003).argmax()])


def _agreeing(candidates: np.ndarray, distance: np.ndarray, part: np.ndarray, tolerance: float) -> np.ndarray:
    """For each length, pairs whose angle is what their distance says, to that part of a turn."""
    scores = np.empty(len(candidates))
    for index, sectors in enumerate(candidates):
        off = part - distance / sectors
        off -= np.round(off)
        scores[index] = np.exp(-0.5 * (off / tolerance) ** 2).sum()
    return scores


def _track_angles(x: np.ndarray, turn: np.ndarray, sectors: int, boundary: float, track: np.ndarray) -> np.ndarray:
    within = turn * np.exp(-2j * np.pi * (x - boundary) / sectors)  # whole tracks are whole turns
    return np.bincount(track, within.real) + 1j * np.bincount(track, within.imag)


def _grouped(x: np.ndarray, turn: np.ndarray, sectors: int) -> tuple[float, int, int, int]:
    """Best agreement within tracks of that length, the boundary that gives it, and by how much that may be off."""

    def agreement(boundary: int) -> float:
        track = np.floor((x - boundary) / sectors).astype(int)
        found = np.abs(_track_angles(x, turn, sectors, boundary, track - track.min()))
        seen = int(np.count_nonzero(np.bincount(track - track.min())))
        return float(found.sum() - seen) / max(1, len(x) - seen)  # a sample alone in its track agrees with itself, whatever the boundary

    step = max(1, sectors // 96)
    coarse = {boundary: agreement(boundary) for boundary in range(0, sectors, step)}
    centre = max(coarse, key=coarse.__getitem__)
    fine = coarse | {boundary % sectors: agreement(boundary % sectors) for boundary in range(centre - step, centre + step + 1)}
    most = max(fine.values())
    low = high = near = max(fine, key=fine.__getitem__)

    def as_good(boundary: int) -> bool:
        """Few reads lie at a boundary of a small job: a whole stretch may be as good."""
        if boundary % sectors not in fine:
            fine[boundary % sectors] = agreement(boundary % sectors)
        return abs(boundary - near) <= sectors // FLAT and fine[boundary % sectors] >= most - ENDS

    while as_good(low - 1):
        low -= 1
    while as_good(high + 1):
        high += 1
    return most, sectors, (low + high) // 2 % sectors, (high - low + 1) // 2
