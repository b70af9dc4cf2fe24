"""The order in which a drive's tracks are numbered, and how their angles show it.

Cylinder by cylinder, every n-th step from track to track is another one: n surfaces. On a serpent the arm goes some radii inwards on a surface and as many
outwards on the next: the usual step is that to the next radius, after as many tracks as a serpent has radii comes the step to the next surface,
and after as many of these as there are surfaces comes the one to the next serpent. So angles less the usual steps are a staircase, whose treads
are a serpent's radii long, and every n-th riser is another one. Where the risers are alike, n is not known.
"""

from dataclasses import dataclass
from itertools import product
from typing import Protocol

import numpy as np

LONGEST = 4096        # radii of a serpent
MOST_SURFACES = 32
GAIN = 0.8            # every n-th step is told from the others where that leaves less of their variance than this
RISER = 0.01          # of a turn: lower risers are not told from the noise of a tread
FEWEST = 6            # risers
AGREES = 0.95         # of the windows' steps
CERTAIN = 4           # standard errors
CANDIDATES = 64       # lengths of a serpent
COHERENT = 0.97       # agreement of the reads of a tread


class Skews(Protocol):
    """Sectors from a track to the next one, by where that is."""

    track_skew: int     # on the next surface
    cylinder_skew: int  # at the next radius
    serpent_skew: int   # on the next serpent


@dataclass(frozen=True)
class Order:
    surfaces: int
    serpent: int = 1         # radii on a surface before the next surface comes; 1: cylinder by cylinder
    told: bool = True        # whether the risers tell how many surfaces there are

    @property
    def tracks(self) -> int:
        """Of a cylinder or a serpent of all surfaces, after which the order repeats."""
        return self.surfaces * self.serpent

    def skew(self, zone: Skews, track: np.ndarray) -> np.ndarray:
        """Sectors from the zone's first track to that one, by angle."""
        surface, radius = self.surface(track), track % self.serpent
        along = (self.serpent - 1) * zone.cylinder_skew
        whole = self.surfaces * along + (self.surfaces - 1) * zone.track_skew + zone.serpent_skew
        return track // self.tracks * whole + surface * (along + zone.track_skew) + radius * zone.cylinder_skew

    def surface(self, track: np.ndarray) -> np.ndarray:
        return track % self.tracks // self.serpent

    def radius(self, track: np.ndarray) -> np.ndarray:
        """From the zone's first one."""
        surface, radius = self.surface(track), track % self.serpent
        return track // self.tracks * self.serpent + np.where(surface % 2, self.serpent - 1 - radius, radius)


def split(track: np.ndarray, step: np.ndarray, surfaces: int) -> tuple[float, int]:
    """What variance is left where each `surfaces`-th step is another, and which one it is."""
    if surfaces == 1:
        return float(((step - step.mean()) ** 2).sum()), 0
    left = []
    for last in range(surfaces):
        other = track % surfaces == last
        parts = [part for part in (step[other], step[~other]) if len(part)]
        left.append(sum(float(((part - part.mean()) ** 2).sum()) for part in parts))
    return min(left), int(np.argmin(left))


@dataclass(frozen=True)
class Serpent:
    """What the staircase of one zone shows: radii of a serpent, surfaces (None: all risers are alike), and the risers in parts of a turn."""

    radii: int
    surfaces: int | None
    riser: float
    returning: float
    across: int       # sectors of the usual step
    agreement: float  # of all reads with the stairs


def serpent(track: np.ndarray, left: np.ndarray, stepped: np.ndarray, step: np.ndarray, across: int, sectors: int) -> Serpent | None:
    """From reads in a zone with tracks of so many sectors: number of each one's track, and its angle less that of its place and the usual steps of
    `across` sectors, as a complex number. And from its windows: tracks, and by which part of a turn the step from each to the next one differs from
    the usual one. None where there are no treads."""
    by_steps = _by_steps(stepped, step)
    stairs = [_stairs(track, left, radii, across, sectors) for radii in dict.fromkeys([*([by_steps] if by_steps else []), *_by_treads(track, left)])]
    return max((found for found in stairs if found is not None), key=lambda found: found.agreement, default=None)


def _stairs(track: np.ndarray, left: np.ndarray, radii: int, across: int, sectors: int) -> Serpent | None:
    total, count = _treads(track, left, radii)
    both = np.flatnonzero((count[1:] > 0) & (count[:-1] > 0))
    if len(both) < FEWEST:
        return None
    weight = 1 / (1 / count[both] + 1 / count[both + 1])
    riser = np.angle(total[both + 1] / total[both]) / (2 * np.pi)
    usual = _middle(riser, weight)
    away = np.mod(riser - usual + 0.5, 1.0) - 0.5
    kinds = {}
    for surfaces in range(2, MOST_SURFACES + 1):
        last = both % surfaces == surfaces - 1  # the zone begins with a serpent
        if last.any() and not last.all():
            kinds[surfaces] = sum(_scatter(away[part], weight[part]) for part in (last, ~last))
    if not kinds:
        return None
    surfaces = min(kinds, key=kinds.__getitem__)
    last = both % surfaces == surfaces - 1
    along, back = (usual + _middle(away[part], weight[part]) for part in (~last, last))
    error = (kinds[surfaces] / len(both) / weight[last].sum()) ** 0.5
    told = kinds[surfaces] < GAIN * _scatter(away, weight) and abs(back - along) > max(RISER / 2, CERTAIN * error)
    if not told and abs(usual) <= RISER:
        return None
    tread = track // radii
    rounds = tread // surfaces if told else np.zeros(len(tread), np.int64)
    found = []
    for one, other in product((0, -1, 1), repeat=2):
        low, high = ((round(part * sectors) + off) / sectors for part, off in ((along if told else usual, one), (back if told else usual, other)))
        agreement = float(abs((left * np.exp(-2j * np.pi * ((tread - rounds) * low + rounds * high))).mean()))
        found.append(Serpent(radii, surfaces if told else None, low, high, across, agreement))
    return max(found, key=lambda one: one.agreement)


def _middle(value: np.ndarray, weight: np.ndarray) -> float:
    """Weighted median, then the mean of what is near it."""
    rank = np.argsort(value)
    median = value[rank][np.searchsorted(np.cumsum(weight[rank]), weight.sum() / 2)]
    near = np.abs(value - median) < 2 * RISER
    return float(np.average(value[near], weights=weight[near]))


def _scatter(value: np.ndarray, weight: np.ndarray) -> float:
    return float((weight * (value - np.average(value, weights=weight)) ** 2).sum())


def _by_steps(track: np.ndarray, step: np.ndarray) -> int | None:
    """Where windows hold several risers: the number of tracks after which each other step comes, and no usual one."""
    jumps = np.abs(step) > RISER
    if jumps.sum() < FEWEST // 2:
        return None
    agrees = {radii: float((jumps == (track % radii == radii - 1)).mean()) for radii in range(2, int(track.max()) + 2)}
    radii = max(agrees, key=agrees.__getitem__)
    return radii if agrees[radii] >= AGREES else None


def _by_treads(track: np.ndarray, left: np.ndarray) -> list[int]:
    """The numbers of tracks that agree best with each other, the best first: whole stairs tell which it is."""
    longest = min(LONGEST, int(track.max()) // FEWEST)
    scores = {radii: _agreement(*_treads(track, left, radii)) for radii in range(2, longest + 1)}
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:CANDIDATES]
    return best if best and scores[best[0]] >= COHERENT else []


def _agreement(total: np.ndarray, count: np.ndarray) -> float:
    """A read alone on its tread agrees with itself, and does not count."""
    seen = np.count_nonzero(count)
    return float(np.abs(total).sum() - seen) / max(1, int(count.sum()) - seen)


def _treads(track: np.ndarray, left: np.ndarray, radii: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum and number of the reads of each tread."""
    tread = track // radii
    return np.bincount(tread, left.real) + 1j * np.bincount(tread, left.imag), np.bincount(tread)
