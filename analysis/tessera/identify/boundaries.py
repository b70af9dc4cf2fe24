"""Where zones end, between the windows: single reads anywhere on the drive tell by their angles which zone's tracks they are on.

Each zone says at which angle any block would be, if it were its own. Reads between two zones' windows fit the outer zone up to the boundary and
the inner one from there on; by chance they fit the other as well, so the boundary is where the fewest fit neither side.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from tessera.identify.order import Order
from tessera.identify.rotation import Rotation
from tessera.identify.zones import Geometry, Zone

NEAR = 0.04       # of a turn
NEIGHBOURS = 96   # reads over which the log's own clock may drift
ROUNDS = 2
FEWEST = 8        # reads between two windows, to move a boundary
GRID = 4          # blocks by which the windows' boundaries may be off
WHOLE = 0.85      # of the reads; the rest was answered by a cache


def angle(zone: Zone, order: Order, block: np.ndarray) -> np.ndarray:
    """Of a block's beginning, part of a turn, if the zone reached as far."""
    track, within = (block - zone.first) // zone.sectors, (block - zone.first) % zone.sectors
    return np.mod(zone.start + (within + order.skew(zone, track)) / zone.sectors, 1.0)


def move_boundaries(shape: Geometry, reads: Sequence[tuple[np.ndarray, np.ndarray]], turn: Rotation) -> None:
    """Moves the zones' first cylinders to where the reads say, as far as there are reads between the windows. `reads`: of each log, blocks and completions."""
    for _ in range(ROUNDS):
        blocks, phases = [], []
        for first, completion in reads:
            blocks.append(first)
            phases.append(_against_clock(shape, first, turn.phase(completion)))
        block, phase = np.concatenate(blocks), np.concatenate(phases)
        ends = [*(zone.between[0] for zone in shape.zones[2:]), shape.blocks]
        for outer, inner, end in zip(shape.zones, shape.zones[1:], ends):
            if shape.order.serpent == 1 or not _whole(outer, inner, shape.order, end, block, phase):
                _move(outer, inner, shape.order, block, phase)


def _against_clock(shape: Geometry, block: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """Angles as the zones count them: the log's origin and drift are the usual difference from them among each read's neighbours."""
    index, expected = shape.zone(block), np.empty(len(block))
    for number, zone in enumerate(shape.zones):
        expected[index == number] = angle(zone, shape.order, block[index == number])
    ended = np.mod(phase - 1 / shape.sectors(block), 1.0)
    off = np.exp(2j * np.pi * (ended - expected))
    steps = np.linspace(0, 1, 256, endpoint=False)
    most = max(steps, key=lambda step: float(np.exp(-((np.angle(off * np.exp(-2j * np.pi * step)) / 0.2) ** 2)).sum()))
    agrees = np.abs(np.angle(off * np.exp(-2j * np.pi * most))) < 2 * np.pi * 0.1
    smooth = np.convolve(np.where(agrees, off, 0), np.ones(NEIGHBOURS), "same")
    drift = np.where(np.abs(smooth) > NEIGHBOURS / 16, np.angle(smooth) / (2 * np.pi), most)
    return np.mod(ended - drift, 1.0)


def _move(outer: Zone, inner: Zone, order: Order, block: np.ndarray, phase: np.ndarray) -> None:
    low, high = inner.between
    inside = np.flatnonzero((block >= low) & (block < high))
    if len(inside) < FEWEST:
        return
    inside = inside[np.argsort(block[inside], kind="stable")]
    fits = [_fits(zone, order, block[inside], phase[inside]) for zone in (outer, inner)]
    known = fits[0] != fits[1]  # the others fit both, or were answered by a cache
    at, of_outer = block[inside][known], fits[0][known]
    if len(at) < FEWEST:
        return
    wrong = np.concatenate([[0], np.cumsum(~of_outer)]) + np.concatenate([np.cumsum(of_outer[::-1])[::-1], [0]])
    best = np.flatnonzero(wrong == wrong.min())
    left = int(at[best[0] - 1]) if best[0] else low
    right = int(at[best[-1]]) if best[-1] < len(at) else high
    length = inner.sectors * order.tracks
    units = _units(outer, inner, order, left, right)
    moved = np.array([units * order.tracks])
    inner.start = float(np.mod(inner.start + order.skew(inner, moved)[0] / inner.sectors, 1.0))
    inner.first += units * length
    inner.before = (right - left) // 2 + length


def _units(outer: Zone, inner: Zone, order: Order, left: int, right: int) -> int:
    """By how many cylinders or serpents the inner zone's beginning moves: to the middle, or to where the outer zone holds whole ones, if one place in between does."""
    length, whole = inner.sectors * order.tracks, outer.sectors * order.tracks
    among = np.arange(-((inner.first - left) // length), (right - inner.first) // length + 1)
    exact = among[(inner.first + among * length - outer.first) % whole == 0]
    return int(exact[0]) if len(exact) == 1 else round(((left + right) // 2 - inner.first) / length)


def _whole(outer: Zone, inner: Zone, order: Order, end: int, block: np.ndarray, phase: np.ndarray) -> bool:
    """Begins the inner zone after whole serpents of the outer one, where that lets the most reads up to `end` agree, with skews a sector more or less;
    False where none of the places does. Serpents are so long that the angles alone leave many of their beginnings alike."""
    low, high = inner.between
    chosen = (block >= low) & (block < end)
    block, phase = block[chosen], phase[chosen]
    of_outer = _fits(outer, order, block, phase)
    length = outer.sectors * order.tracks
    firsts = outer.first + length * np.arange(-((outer.first - low) // length), (high - outer.first) // length + 1)
    off_grid = np.mod(inner.first - firsts + inner.sectors // 2, inner.sectors) - inner.sectors // 2
    tried = []
    for first in firsts[np.abs(off_grid) <= GRID]:
        for along, across, back in product((0, -1, 1), repeat=3):
            zone = replace(inner, first=int(first), track_skew=inner.track_skew + along, cylinder_skew=inner.cylinder_skew + across, serpent_skew=inner.serpent_skew + back)
            known = block >= high
            off = np.exp(2j * np.pi * (phase[known] - angle(zone, order, block[known])))
            zone.start = float(np.mod(zone.start + np.angle(off.sum()) / (2 * np.pi), 1.0))
            fits = np.where(block < first, of_outer, _fits(zone, order, block, phase))
            close = np.cos(2 * np.pi * (phase - angle(zone, order, block)))[fits & (block >= first)].sum()
            tried.append((int(np.count_nonzero(fits)), float(close), zone))
    if not tried:
        return False
    most, _, found = max(tried, key=lambda one: one[:2])
    best = [zone for fits, _, zone in tried if fits == most]
    if most < WHOLE * len(block):
        return False
    inner.first, inner.track_skew, inner.cylinder_skew, inner.serpent_skew, inner.start = found.first, found.track_skew, found.cylinder_skew, found.serpent_skew, found.start
    inner.before = max(zone.first for zone in best) - min(zone.first for zone in best)
    return True


def _fits(zone: Zone, order: Order, block: np.ndarray, phase: np.ndarray) -> np.ndarray:
    off = phase - angle(zone, order, block)
    return np.abs(off - np.round(off)) < NEAR
