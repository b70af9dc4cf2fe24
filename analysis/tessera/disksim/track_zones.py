"""Zones of tracks that are known one by one: their sectors on each surface, their order, skews and spares."""

from collections import Counter
from dataclasses import dataclass, field

from tessera.disksim.geometry import Layout, Zone
from tessera.disksim.grammar import Entry
from tessera.disksim.orders import BY_CYLINDER, find_order


@dataclass
class Track:
    cylinder: int
    head: int
    first: int
    blocks: int
    turn: int
    angle: float
    """Of its first block, in turns."""
    low: int
    """Sectors in front of it on the track."""
    slipped: int = 0
    slips: list[int] = field(default_factory=list)


def set_zones(layout: Layout, tracks: list[Track], index: Entry) -> None:
    """Cylinders on which each surface has as many sectors as on the one before."""
    by_cylinder: dict[int, list[Track]] = {}
    for track in tracks:
        by_cylinder.setdefault(track.cylinder, []).append(track)
    zones: list[list[Track]] = []
    turns_before: dict[int, int] = {}
    cylinder_before = -1
    for cylinder in sorted(by_cylinder):
        turns = {track.head: track.turn for track in by_cylinder[cylinder]}
        if not zones or cylinder != cylinder_before + 1 or any(turns_before.get(head, turn) != turn for head, turn in turns.items()):
            zones.append([])
            turns_before = {}
        zones[-1] += by_cylinder[cylinder]
        turns_before |= turns
        cylinder_before = cylinder
    spares = {max(track.turn for track in group) - max(track.blocks for track in group) for zone in zones for group in _by_surface(zone).values()}
    if len(spares) == 1:
        layout.track_spares, layout.track_spares_place = spares.pop(), index.place
    elif spares != {0}:
        layout.lost.append(f"{index.place}: spare sectors at the end of each track, as many as its zone says; written as shorter tracks")
    end = 0
    for zone_tracks in zones:
        first, last, sectors = zone_tracks[0].cylinder, zone_tracks[-1].cylinder, max(track.blocks for track in zone_tracks)
        if first > end:
            layout.add_gap(end, first, sectors)
        layout.zones.append(Zone(first, last, sectors, 0, 0, 0, 0, index.place))
        end = last + 1
    _set_surfaces(layout, zones)
    find_order(layout, list(dict.fromkeys((track.head, track.cylinder) for track in tracks)), index.place, "IDX")
    backs = Counter[tuple[int, int]]()
    for zone, zone_tracks in zip((zone for zone in layout.zones if zone.place), zones, strict=True):
        backs += _set_skews(layout, zone, sorted(zone_tracks, key=lambda track: track.first), index)
        held = Counter[tuple[int, int]]()
        for track in zone_tracks:
            held[track.head, track.cylinder] += track.blocks - track.slipped
        layout.hold(zone, held)
    _set_serpent_skew(layout, backs, index)


def _by_surface(tracks: list[Track]) -> dict[int, list[Track]]:
    surfaces: dict[int, list[Track]] = {}
    for track in tracks:
        surfaces.setdefault(track.head, []).append(track)
    return surfaces


def _set_surfaces(layout: Layout, zones: list[list[Track]]) -> None:
    """Zones of those surfaces that have fewer sectors than the longest one anywhere."""
    real = [zone for zone in layout.zones if zone.place]
    for surface in range(layout.surfaces):
        own = [max((track.blocks for track in tracks if track.head == surface), default=zone.sectors) for zone, tracks in zip(real, zones, strict=True)]
        if all(sectors == zone.sectors for sectors, zone in zip(own, real, strict=True)):
            continue
        layout.surface_zones += [(surface, zone.last, sectors) for zone, sectors in zip(real, own, strict=True)]


def _set_skews(layout: Layout, zone: Zone, tracks: list[Track], index: Entry) -> Counter[tuple[int, int]]:
    """From the ways between tracks that follow one another; gives those of the ways back to the outermost cylinder, as sectors of so many a turn."""
    turn = zone.sectors + layout.track_spares
    heads, arms, backs = Counter[int](), Counter[int](), Counter[int]()
    for before, after in zip(tracks, tracks[1:], strict=False):
        step = round((after.angle - before.angle) * turn) % turn
        if after.cylinder == before.cylinder:
            heads[step] += 1
        elif layout.order in BY_CYLINDER or after.head == before.head:
            arms[step] += 1
        else:
            backs[step] += 1
    if max(len(heads), len(arms), len(backs)) > 1:
        layout.lost.append(f"{index.place}: skews of cylinders {zone.first} to {zone.last} differ; the most frequent ones are written")
    zone.track_skew, zone.cylinder_skew, zone.start = _most(heads), _most(arms), round(tracks[0].angle * turn) % turn
    return Counter({(step, turn): count for step, count in backs.items()})


def _set_serpent_skew(layout: Layout, backs: Counter[tuple[int, int]], index: Entry) -> None:
    """One time for all zones, which each rounds up to sectors of its own."""
    if not backs:
        return
    longest, shortest = min(step / turn for step, turn in backs), max((step - 1) / turn for step, turn in backs)
    if shortest >= longest:
        layout.lost.append(f"{index.place}: skews of the ways back to the outermost cylinder differ; the most frequent one is written")
        step, turn = backs.most_common(1)[0][0]
        longest, shortest = step / turn, (step - 1) / turn
    layout.serpent_skew = max(0.0, (longest + shortest) / 2)


def _most(steps: Counter[int]) -> int:
    return steps.most_common(1)[0][0] if steps else 0
