"""Zones, surfaces and skews from the windows: which of them share a track length and a grid, and where one grid gives way to the next."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from tessera.errors import InputError
from tessera.identify.tracks import Window

MOST_SURFACES = 32
GAIN = 0.8     # surfaces are told where they leave less of the steps' variance than this
NEAR = 1 / 64     # of a track: windows whose boundaries are off by less share a grid
MOST_STEPS = 0.25  # of a track: a step farther from the median is of a window's edge


@dataclass
class Zone:
    """A stretch of tracks of one length. Blocks are of the whole drive; `first` is a cylinder's first block."""

    first: int
    sectors: int
    track_skew: int
    cylinder_skew: int
    start: float          # angle of its first block, part of a turn
    skew_error: float     # sectors, standard error of the steps' mean
    before: int           # by how many blocks its beginning may be off: no window between it and the zone before
    between: tuple[int, int]  # where it may begin: end of the last window in front of it, and its own first track
    windows: int
    agreement: float      # of the windows' angles, 0 to 1, with the zone's skews


@dataclass
class Geometry:
    zones: list[Zone]
    surfaces: int
    blocks: int

    def zone(self, block: np.ndarray) -> np.ndarray:
        """Index of each block's zone."""
        firsts = [zone.first for zone in self.zones]
        return np.clip(np.searchsorted(firsts, block, side="right") - 1, 0, len(firsts) - 1)

    def track(self, block: np.ndarray) -> np.ndarray:
        """In the order of addresses; a cylinder has as many as there are surfaces."""
        zone, firsts = self.zone(block), np.array([zone.first for zone in self.zones])
        starts = self.surfaces * np.concatenate([[0], np.cumsum(self.cylinders()[:-1])])
        return starts[zone] + (block - firsts[zone]) // self.sectors(block)

    def cylinders(self) -> list[int]:
        ends = [zone.first for zone in self.zones[1:]] + [self.blocks]
        return [-((zone.first - end) // (zone.sectors * self.surfaces)) for zone, end in zip(self.zones, ends, strict=True)]

    def sectors(self, block: np.ndarray) -> np.ndarray:
        """Length of the track that holds a block."""
        return np.array([zone.sectors for zone in self.zones])[self.zone(block)]


def geometry(windows: list[Window | None], blocks: int, length: int) -> Geometry:
    """`length`: blocks of a window. Raises InputError where too few windows show tracks."""
    seen = [found for found in windows if found is not None]
    if len(seen) < max(2, len(windows) // 4):
        raise InputError(
            f"angles: {len(seen)} of {len(windows)} windows show tracks; expected a quarter at least: the tracks are much longer or shorter than the jobs took "
            f"them for (name their length with 'jobs --track'), or the sectors are not in order of address"
        )
    groups: list[list[Window]] = []
    for one in seen:
        last = groups[-1] if groups else None
        if last and last[0].sectors == one.sectors and abs(_off_grid(last[0], one)) <= max(last[0].slack + one.slack + 1, one.sectors * NEAR):
            last.append(one)
        else:
            groups.append([one])
    surfaces = _surfaces(groups)
    zones: list[Zone] = []
    end = 0
    for group in groups:
        zones.append(_zone(group, surfaces, end, not zones))
        end = group[-1].base + length
    for zone in zones[1:]:
        zone.start = float(np.mod(zone.start - zones[0].start, 1.0))
    zones[0].start = 0.0
    return Geometry(zones, surfaces, blocks)


def _off_grid(one: Window, other: Window) -> int:
    """Blocks by which the other's boundaries come after (+) or before (-) the nearest of this one's."""
    return (other.boundary - one.boundary + one.sectors // 2) % one.sectors - one.sectors // 2


def _steps(group: list[Window]) -> tuple[np.ndarray, np.ndarray]:
    """Number of the track, from the group's first boundary, and the step to the next track, of all that were seen."""
    track, step = [], []
    for one in group:
        begin = round((one.boundary - group[0].boundary) / one.sectors)
        track.append(begin + np.flatnonzero(one.steps >= 0))
        step.append(one.steps[one.steps >= 0])
    tracks, steps = np.concatenate(track), np.concatenate(step).astype(float)
    sectors, middle = group[0].sectors, np.median(np.concatenate(step))
    away = np.mod(steps - middle + sectors / 2, sectors) - sectors / 2
    near = np.abs(away) < MOST_STEPS * sectors
    return tracks[near], (middle + away)[near]


def _split(track: np.ndarray, step: np.ndarray, surfaces: int) -> tuple[float, int]:
    """What variance is left where each `surfaces`-th step is another, and which one it is."""
    if surfaces == 1:
        return float(((step - step.mean()) ** 2).sum()), 0
    left = []
    for last in range(surfaces):
        other = track % surfaces == last
        parts = [part for part in (step[other], step[~other]) if len(part)]
        left.append(sum(float(((part - part.mean()) ** 2).sum()) for part in parts))
    return min(left), int(np.argmin(left))


def _surfaces(groups: list[list[Window]]) -> int:
    every = [_steps(group) for group in groups]
    left = {surfaces: sum(_split(track, step, surfaces)[0] for track, step in every if len(step)) for surfaces in range(1, MOST_SURFACES + 1)}
    best = min(left, key=left.__getitem__)
    return best if left[best] < GAIN * left[1] else 1


def _zone(group: list[Window], surfaces: int, end: int, outermost: bool) -> Zone:
    sectors = group[0].sectors
    track, step = _steps(group)
    _, last = _split(track, step, surfaces)
    at_end = track % surfaces == last if surfaces > 1 else np.ones(len(step), bool)
    cylinder = step[at_end].mean() if at_end.any() else step.mean()
    along = step[~at_end].mean() if (~at_end).any() else cylinder
    length = sectors * surfaces
    grid = group[0].boundary + round(float(np.median([_off_grid(group[0], one) for one in group]))) + (last + 1) * sectors * (surfaces > 1)
    if outermost:  # the drive's first block begins a cylinder, unless sectors in front of it are reserved
        slip = grid % sectors
        grid -= slip if slip <= group[0].slack + 1 else slip - sectors if sectors - slip <= group[0].slack + 1 else 0
        first, before, between = grid % length - (length if grid % length else 0), 0, (0, 0)
    else:
        middle = (end + group[0].base) // 2
        first, before, between = middle + (grid - middle) % length, (group[0].base - end) // 2 + length, (end, group[0].boundary)
        if first > group[0].boundary:
            first -= length
    choices = [(round(along) + a, round(cylinder) + b) for a, b in product((0, -1, 1), repeat=2)] if len(group) > 1 else [(round(along), round(cylinder))]
    found = {skews: _start(group, first, surfaces, *skews) for skews in choices}
    skews = max(found, key=lambda one: round(abs(found[one]), 3))
    error = float(step[at_end].std() / np.sqrt(max(1, at_end.sum())))
    start = float(np.angle(found[skews]) / (2 * np.pi))
    return Zone(first, sectors, skews[0] % sectors, skews[1] % sectors, start, error, before, between, len(group), float(abs(found[skews])))


def _start(group: list[Window], first: int, surfaces: int, along: int, cylinder: int) -> complex:
    """Mean of the zone's first angle that each window shows, by the skews in between."""
    found = []
    for one in group:
        track = round((one.boundary - first) / one.sectors)
        skew = track // surfaces * ((surfaces - 1) * along + cylinder) + track % surfaces * along
        found.append(np.exp(2j * np.pi * (one.angle - skew / one.sectors)))
    return complex(np.mean(found))
