"""Zones, surfaces and skews from the windows: which of them share a track length and a grid, and where one grid gives way to the next."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from tessera.errors import InputError
from tessera.identify.order import GAIN, LONGEST, MOST_SURFACES, Order, Serpent, serpent, split
from tessera.identify.tracks import Window

LEAST_WIDTH = 4     # sectors
RISER_WIDTH = 0.006  # of a track: steps to the next radius agree that well
SURE_TRACKS = 2048      # of the outermost zone, where a single window shows it
LEAST_AGREEMENT = 0.9
BETTER = 0.01  # a cylinder of many surfaces is a serpent with risers of nothing: that has to agree better by so much
AGREE = 0.99   # of the reads in a zone: its skews are right
NEAR = 1 / 64     # of a track: windows whose boundaries are off by less share a grid
MOST_STEPS = 0.25  # of a track: a step farther from the median is of a window's edge


@dataclass
class Zone:
    """A stretch of tracks of one length. Blocks are of the whole drive; `first` is a cylinder's first block."""

    first: int
    sectors: int
    track_skew: int
    cylinder_skew: int
    serpent_skew: int     # to the next serpent; cylinder by cylinder that is the next cylinder
    start: float          # angle of its first block, part of a turn
    skew_error: float     # sectors, standard error of the steps' mean
    before: int           # by how many blocks its beginning may be off: no window between it and the zone before
    between: tuple[int, int]  # where it may begin: end of the last window in front of it, and its own first track
    windows: int
    agreement: float      # of the windows' angles, 0 to 1, with the zone's skews


@dataclass
class Geometry:
    zones: list[Zone]
    order: Order
    blocks: int
    agreement: float  # of reads in the outermost zone with that order, 0 to 1

    def failure(self) -> str | None:
        """One sentence where the order of tracks is not known."""
        if not self.order.told:
            return (
                f"NOT known how many surfaces there are: after every {self.order.serpent} tracks comes another step, as on serpents, and these steps are all alike; one surface "
                "is written. The drive's data sheet says how many heads it has: set media.surfaces"
            )
        if self.agreement >= LEAST_AGREEMENT:
            return None
        return (
            f"NOT known in which order tracks are numbered: with {self.surfaces} surfaces cylinder by cylinder the angles in the outermost zone agree to {self.agreement:.2f} of 1, and with no "
            f"serpent of up to {LONGEST:,} tracks either, where {LEAST_AGREEMENT} was expected. Either zones are of each surface's own (media.surface_zones), or whole surfaces come one "
            "after another (media.track_order), or many tracks are slipped: more windows ('identify jobs' without --small) tell the lengths apart"
        )

    @property
    def surfaces(self) -> int:
        return self.order.surfaces

    def zone(self, block: np.ndarray) -> np.ndarray:
        """Index of each block's zone."""
        firsts = [zone.first for zone in self.zones]
        return np.clip(np.searchsorted(firsts, block, side="right") - 1, 0, len(firsts) - 1)

    def track(self, block: np.ndarray) -> np.ndarray:
        """In the order of addresses."""
        zone, within = self._within(block)
        return self.surfaces * self._starts()[zone] + within

    def cylinder(self, block: np.ndarray) -> np.ndarray:
        """The arm's place."""
        zone, within = self._within(block)
        return self._starts()[zone] + self.order.radius(within)

    def surface(self, block: np.ndarray) -> np.ndarray:
        return self.order.surface(self._within(block)[1])

    def _within(self, block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Zone, and number of the track in it."""
        zone, firsts = self.zone(block), np.array([zone.first for zone in self.zones])
        return zone, (block - firsts[zone]) // self.sectors(block)

    def _starts(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.cylinders()[:-1])]).astype(np.int64)

    def cylinders(self) -> list[int]:
        """Of each zone; whole serpents, as its last one's radii are left out."""
        ends = [zone.first for zone in self.zones[1:]] + [self.blocks]
        return [-((zone.first - end) // (zone.sectors * self.order.tracks)) * self.order.serpent for zone, end in zip(self.zones, ends, strict=True)]

    def sectors(self, block: np.ndarray) -> np.ndarray:
        """Length of the track that holds a block."""
        return np.array([zone.sectors for zone in self.zones])[self.zone(block)]


def geometry(windows: list[Window | None], blocks: int, length: int, block: np.ndarray, phase: np.ndarray) -> Geometry:
    """`length`: blocks of a window; `block` and `phase` of all reads whose angles are known. Raises InputError where too few windows show tracks."""
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
    upto = groups[1][0].base if len(groups) > 1 and len(groups[0]) == 1 else groups[0][-1].base + length
    stairs = _stairs(groups[0], block[block < upto], phase[block < upto])
    zones: list[Zone] = []
    end = 0
    by_cylinder = Order(_surfaces(groups))
    near = block < (upto if len(groups[0]) > 1 else min(upto, SURE_TRACKS * groups[0][0].sectors))
    agreement = _zone(groups[0], by_cylinder, None, 0, block[near], phase[near]).agreement
    if stairs is not None and (stairs.surfaces is not None or stairs.radii > MOST_SURFACES) and stairs.agreement >= max(LEAST_AGREEMENT, agreement + BETTER):
        order = Order(stairs.surfaces or 1, stairs.radii, stairs.surfaces is not None)
        for group in groups:
            inside = (block >= group[0].base) & (block < group[-1].base + length)
            zones.append(_serpents(group, order, stairs, zones[0] if zones else None, end, block[inside], phase[inside]))
            end = group[-1].base + length
        agreement = zones[0].agreement
    else:
        order = by_cylinder
        for group in groups:
            inside = (block >= group[0].base) & (block < group[-1].base + length)
            zones.append(_zone(group, order, zones[0] if zones else None, end, block[inside], phase[inside]))
            end = group[-1].base + length
    for zone in zones[1:]:
        zone.start = float(np.mod(zone.start - zones[0].start, 1.0))
    zones[0].start = 0.0
    return Geometry(zones, order, blocks, agreement)


def _stairs(group: list[Window], block: np.ndarray, phase: np.ndarray) -> Serpent | None:
    """Of the outermost zone, whose first track is known."""
    sectors, first = group[0].sectors, _outermost(group)
    stepped, step = _steps(group)
    track, within = (block - first) // sectors, (block - first) % sectors
    stepped = stepped + round((group[0].boundary - first) / sectors)
    usual, found = round(_usual(step, sectors)[0]), []
    for across in (usual, usual - 1, usual + 1):
        left = np.exp(2j * np.pi * (phase - (within + 1 + track * across) / sectors))
        if abs(left.mean()) >= AGREE:  # every step is alike
            return None
        if (stairs := serpent(track, left, stepped, (step - across) / sectors, across, sectors)) is not None:
            found.append(stairs)
    return max(found, key=lambda stairs: stairs.agreement, default=None)


def _usual(step: np.ndarray, sectors: int) -> tuple[float, float]:
    """Mean of the steps that the most others are near, and its standard error."""
    near = np.abs(step[:, None] - step) < max(LEAST_WIDTH, sectors * RISER_WIDTH)
    chosen = step[near[near.sum(axis=1).argmax()]]
    return float(chosen.mean()), float(chosen.std() / np.sqrt(len(chosen)))


def _outermost(group: list[Window]) -> int:
    """The drive's first block begins a track, unless sectors in front of it are reserved."""
    sectors, grid = group[0].sectors, _grid(group)
    slip = grid % sectors
    return 0 if min(slip, sectors - slip) <= group[0].slack + 1 else slip - sectors


def _grid(group: list[Window]) -> int:
    return group[0].boundary + round(float(np.median([_off_grid(group[0], one) for one in group])))


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


def _surfaces(groups: list[list[Window]]) -> int:
    every = [_steps(group) for group in groups]
    left = {surfaces: sum(split(track, step, surfaces)[0] for track, step in every if len(step)) for surfaces in range(1, MOST_SURFACES + 1)}
    best = min(left, key=left.__getitem__)
    return best if left[best] < GAIN * left[1] else 1


def _step_inwards(group: list[Window], track: np.ndarray, step: np.ndarray, surfaces: int, outermost: Zone | None) -> int:
    """Which of the steps leads to the next cylinder. Of two the spread does not tell: the drive's first block begins a cylinder, and the larger step is the
    same in all zones."""
    _, last = split(track, step, surfaces)
    if surfaces != 2:
        return last
    if outermost is None:
        return (round(_grid(group) / group[0].sectors) + 1) % 2
    larger = int(step[track % 2 == 1].mean() > step[track % 2 == 0].mean())
    return larger if outermost.cylinder_skew > outermost.track_skew else 1 - larger


def _zone(group: list[Window], order: Order, outermost: Zone | None, end: int, block: np.ndarray, phase: np.ndarray) -> Zone:
    """Cylinder by cylinder: the skews, near the mean steps, that let the most reads agree."""
    sectors, surfaces = group[0].sectors, order.surfaces
    track, step = _steps(group)
    last = _step_inwards(group, track, step, surfaces, outermost)
    at_end = track % surfaces == last if surfaces > 1 else np.ones(len(step), bool)
    cylinder = step[at_end].mean() if at_end.any() else step.mean()
    along = step[~at_end].mean() if (~at_end).any() else cylinder
    length = sectors * surfaces
    grid = _grid(group) + (last + 1) * sectors * (surfaces > 1)
    if not end:  # the drive's first block begins a cylinder, unless sectors in front of it are reserved
        slip = grid % sectors
        grid -= slip if slip <= group[0].slack + 1 else slip - sectors if sectors - slip <= group[0].slack + 1 else 0
        first, before, between = grid % length - (length if grid % length else 0), 0, (0, 0)
    else:
        first, before, between = _begins(group, grid, length, end)
    choices = [(round(along) + a, round(cylinder) + b) for a, b in sorted(product((0, -1, 1), repeat=2), key=lambda off: abs(off[0]) + abs(off[1]))]
    zones = [Zone(first, sectors, a % sectors, b % sectors, b % sectors, 0.0, 0.0, before, between, len(group), 0.0) for a, b in choices]
    track, angle = (block - first) // sectors, phase - ((block - first) % sectors + 1) / sectors
    found = [_start(zone, order, track, angle) for zone in zones]
    zone, start = zones[best := max(range(len(found)), key=lambda index: round(abs(found[index]), 3))], found[best]
    zone.start, zone.agreement = float(np.angle(start) / (2 * np.pi)), float(abs(start))
    zone.skew_error = float(step[at_end].std() / np.sqrt(max(1, at_end.sum())))
    return zone


def _begins(group: list[Window], grid: int, length: int, end: int) -> tuple[int, int, tuple[int, int]]:
    """First block of an inner zone, between the last window in front of it and its own first one, by how much it may be off, and these bounds."""
    middle = (end + group[0].base) // 2
    first = middle + (grid - middle) % length
    return first - length if first > group[0].boundary else first, (group[0].base - end) // 2 + length, (end, group[0].boundary)


def _serpents(group: list[Window], order: Order, stairs: Serpent, outermost: Zone | None, end: int, block: np.ndarray, phase: np.ndarray) -> Zone:
    """A zone of serpents: where these begin is what lets the most reads agree, and so are its skews, near those that its windows and the outermost
    zone give."""
    sectors = group[0].sectors
    _, step = _steps(group)
    across, error = _usual(step, sectors)
    usual = round(across) if outermost else stairs.across
    if outermost is None:
        along, back = (usual + part * sectors for part in (stairs.riser, stairs.returning))
    else:
        along, back = (part * sectors / outermost.sectors for part in (outermost.track_skew, outermost.serpent_skew))
    grid = _grid(group) if end else _outermost(group)
    begins = np.arange(order.tracks) if end else np.array([0])
    track = (block - grid) // sectors
    angle = phase - ((block - grid) % sectors + 1) / sectors
    best = None
    for off in sorted(product((0, -1, 1), repeat=3), key=lambda steps: sum(map(abs, steps))):
        within = 0 if outermost else (order.serpent - 1) * off[1]  # a riser is what a whole tread's steps differ by
        skews = (round(along) + off[0] - within) % sectors, (usual + off[1]) % sectors, (round(back) + off[2] - within) % sectors
        zone = Zone(grid, sectors, *skews, 0.0, 0.0, 0, (0, 0), len(group), 0.0)
        starts = np.array([_start(zone, order, track + begin, angle) for begin in begins])
        begin = int(np.abs(starts).argmax())
        zone.start, zone.agreement = float(np.angle(starts[begin]) / (2 * np.pi)), float(abs(starts[begin]))
        if best is None or zone.agreement > best[0].agreement:
            best = zone, begin
        if best[0].agreement >= AGREE:
            break
    zone, begin = best
    zone.skew_error = error
    if end:
        length = sectors * order.tracks
        first, zone.before, zone.between = _begins(group, grid - begin * sectors, length, end)
        moved = np.array([(first - grid) // sectors + begin])
        zone.start = float(np.mod(zone.start + order.skew(zone, moved)[0] / sectors, 1.0))
        zone.first = first
    return zone


def _start(zone: Zone, order: Order, track: np.ndarray, angle: np.ndarray) -> complex:
    """Mean of the zone's first angle that each read shows, by the skews in between."""
    return complex(np.exp(2j * np.pi * (angle - order.skew(zone, track) / zone.sectors)).mean())
