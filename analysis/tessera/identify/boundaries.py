"""Where zones end, between the windows: single reads anywhere on the drive tell by their angles which zone's tracks they are on.

Each zone says at which angle any block would be, if it were its own. Reads between two zones' windows fit the outer zone up to the boundary and
the inner one from there on; by chance they fit the other as well, so the boundary is where the fewest fit neither side.
"""

from collections.abc import Sequence

import numpy as np

from tessera.identify.logs import Log
from tessera.identify.rotation import Rotation
from tessera.identify.zones import Geometry, Zone

NEAR = 0.04       # of a turn
NEIGHBOURS = 96   # reads over which the log's own clock may drift
ROUNDS = 2
FEWEST = 8        # reads between two windows, to move a boundary


def angle(zone: Zone, surfaces: int, block: np.ndarray) -> np.ndarray:
    """Of a block's beginning, part of a turn, if the zone reached as far."""
    track, within = (block - zone.first) // zone.sectors, (block - zone.first) % zone.sectors
    cylinder, surface = track // surfaces, track % surfaces
    skew = cylinder * ((surfaces - 1) * zone.track_skew + zone.cylinder_skew) + surface * zone.track_skew
    return np.mod(zone.start + (within + skew) / zone.sectors, 1.0)


def move_boundaries(shape: Geometry, logs: Sequence[Log], turn: Rotation) -> None:
    """Moves the zones' first cylinders to where the reads say, as far as there are reads between the windows."""
    for _ in range(ROUNDS):
        blocks, phases = [], []
        for log in logs:
            blocks.append(log.first)
            phases.append(_against_clock(shape, log.first, turn.phase(log.completion)))
        block, phase = np.concatenate(blocks), np.concatenate(phases)
        for outer, inner in zip(shape.zones, shape.zones[1:]):
            _move(outer, inner, shape.surfaces, block, phase)


def _against_clock(shape: Geometry, block: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """Angles as the zones count them: the log's origin and drift are the usual difference from them among each read's neighbours."""
    index, expected = shape.zone(block), np.empty(len(block))
    for number, zone in enumerate(shape.zones):
        expected[index == number] = angle(zone, shape.surfaces, block[index == number])
    ended = np.mod(phase - 1 / shape.sectors(block), 1.0)
    off = np.exp(2j * np.pi * (ended - expected))
    steps = np.linspace(0, 1, 256, endpoint=False)
    most = max(steps, key=lambda step: float(np.exp(-((np.angle(off * np.exp(-2j * np.pi * step)) / 0.2) ** 2)).sum()))
    agrees = np.abs(np.angle(off * np.exp(-2j * np.pi * most))) < 2 * np.pi * 0.1
    smooth = np.convolve(np.where(agrees, off, 0), np.ones(NEIGHBOURS), "same")
    drift = np.where(np.abs(smooth) > NEIGHBOURS / 16, np.angle(smooth) / (2 * np.pi), most)
    return np.mod(ended - drift, 1.0)


def _move(outer: Zone, inner: Zone, surfaces: int, block: np.ndarray, phase: np.ndarray) -> None:
    low, high = inner.between
    inside = np.flatnonzero((block >= low) & (block < high))
    if len(inside) < FEWEST:
        return
    inside = inside[np.argsort(block[inside], kind="stable")]
    fits = [_fits(zone, surfaces, block[inside], phase[inside]) for zone in (outer, inner)]
    known = fits[0] != fits[1]  # the others fit both, or were answered by a cache
    at, of_outer = block[inside][known], fits[0][known]
    if len(at) < FEWEST:
        return
    wrong = np.concatenate([[0], np.cumsum(~of_outer)]) + np.concatenate([np.cumsum(of_outer[::-1])[::-1], [0]])
    best = np.flatnonzero(wrong == wrong.min())
    left = int(at[best[0] - 1]) if best[0] else low
    right = int(at[best[-1]]) if best[-1] < len(at) else high
    length = inner.sectors * surfaces
    middle = (left + right) // 2
    cylinders = round((middle - inner.first) / length)
    inner.start = float(np.mod(inner.start + cylinders * ((surfaces - 1) * inner.track_skew + inner.cylinder_skew) / inner.sectors, 1.0))
    inner.first += cylinders * length
    inner.before = (right - left) // 2 + length


def _fits(zone: Zone, surfaces: int, block: np.ndarray, phase: np.ndarray) -> np.ndarray:
    off = phase - angle(zone, surfaces, block)
    return np.abs(off - np.round(off)) < NEAR
