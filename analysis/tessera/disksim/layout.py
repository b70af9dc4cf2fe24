"""Geometry of a DiskSim disk (dm_disk): zones, skews, spares, slipped sectors and seek times, as rows of a description.

How DiskSim counts (dm_layout_g1): a zone has `cylinders * surfaces * blocks per track` sectors, less the empty space at its front and the spares
of its sparing scheme. A slipped sector uses up a spare of its zone, cylinder or range.
"""

import math
from dataclasses import dataclass, field

from tessera.disksim.grammar import Block, Entry, Place
from tessera.errors import InputError

# "Sparing scheme used"
NO_SPARES, TRACKS_AT_ZONE_END, PER_CYLINDER, PER_TRACK, PER_CYLINDER_SLIPPED, CYLINDER_FRONT, CYLINDER_FRONT_SLIPPED, AT_END, PER_RANGE, PER_ZONE, PER_ZONE_SLIPPED = range(11)
# "LBN-to-PBN mapping scheme"
MAPPINGS = {
    1: "serpentine order, from the first cylinder of each zone",
    2: "serpentine order, even cylinders forwards",
}


@dataclass
class Zone:
    first: int
    last: int
    sectors: int
    track_skew: int
    cylinder_skew: int
    spares: int
    start: int
    place: Place | None
    """None: cylinders that no zone holds; all their sectors are spare."""


@dataclass
class Layout:
    surfaces: int
    reserved: int
    zones: list[Zone]
    track_spares: int = 0
    """Sectors at the end of each track that hold no data, beyond a zone's sectors per track. Skews count them."""
    track_spares_place: Place | None = None
    shorter: dict[tuple[int, int], int] = field(default_factory=dict)
    """By (surface, cylinder): sectors that a track has fewer."""
    lost: list[str] = field(default_factory=list)
    """What a description cannot say, each with its place."""

    def capacity(self) -> int:
        total = sum((zone.last - zone.first + 1) * self.surfaces * zone.sectors - zone.spares for zone in self.zones)
        return total - self.reserved - sum(self.shorter.values())


def entry(block: Block, key: str) -> Entry:
    found = block.find(key)
    if found is None:
        raise InputError(f"{block.place}: {block.type} {block.name} has no '{key}'".replace("  ", " "))
    return found


def number(block: Block, key: str, low: float = -math.inf, high: float = math.inf, default: float | None = None) -> float:
    found = block.find(key)
    if found is None and default is not None:
        return default
    found = entry(block, key)
    if not isinstance(found.value, float) or not math.isfinite(found.value):
        raise InputError(f"{found.place}: '{key}': expected a number, found '{found.value if not isinstance(found.value, (Block, list)) else 'a block or list'}'")
    if not low <= found.value <= high:
        raise InputError(f"{found.place}: '{key}': expected {low:g} to {high:g}, found {found.value:g}")
    return found.value


def whole(block: Block, key: str, low: int = 0, high: int = 1 << 40, default: int | None = None) -> int:
    value = number(block, key, low, high, default)
    if value != int(value):
        raise InputError(f"{entry(block, key).place}: '{key}': expected a whole number, found {value:g}")
    return int(value)


def child(block: Block, key: str) -> Block:
    found = entry(block, key)
    if not isinstance(found.value, Block):
        raise InputError(f"{found.place}: '{key}': expected a block")
    return found.value


def read_layout(disk: Block) -> Layout:
    surfaces = whole(disk, "Number of data surfaces", 1, 64)
    model = child(disk, "Layout Model")
    if model.type != "dm_layout_g1":
        raise InputError(f"{model.place}: unknown layout '{model.type}'; expected dm_layout_g1")
    mapping = whole(model, "LBN-to-PBN mapping scheme", 0, 2)
    scheme = whole(model, "Sparing scheme used", 0, PER_ZONE_SLIPPED)
    span = whole(model, "Rangesize for sparing", 1, default=1)
    rows = entry(model, "Zones")
    if not isinstance(rows.value, list) or not rows.value or not all(isinstance(row, Block) for row in rows.value):
        raise InputError(f"{rows.place}: 'Zones': expected a list of zones")
    layout = Layout(surfaces, 0, [])
    if mapping:
        # Skews count in the order of the tracks, and an arm's move takes longer than a head switch: nothing but names of surfaces differs.
        layout.lost.append(f"{entry(model, 'LBN-to-PBN mapping scheme').place}: {MAPPINGS[mapping]}; surfaces are numbered in the order of each cylinder's tracks")
    if scheme == PER_TRACK:
        _set_track_spares(layout, rows.value)
    end = 0
    for index, row in enumerate(rows.value):
        end = _add_zone(layout, row, index, end, scheme, span, model)
    cylinders = whole(disk, "Number of cylinders", 1)
    if end > cylinders:
        raise InputError(f"{rows.place}: the zones end at cylinder {end - 1}, but the disk has {cylinders} cylinders")
    if end < cylinders:
        _add_gap(layout, end, cylinders, layout.zones[-1].sectors)
    return layout


def _skew(layout: Layout, row: Block, key: str, model: Block, sectors: int) -> int:
    skew = number(row, key, 0, default=0)
    units = model.find("Skew units")
    if units is not None and units.value == "revolutions":
        skew *= sectors
    if abs(skew - round(skew)) > 0.01:
        layout.lost.append(f"{entry(row, key).place}: '{key}' = {skew:g} sectors; rounded to {round(skew)}")
    return round(skew)


def _add_zone(layout: Layout, row: Block, index: int, end: int, scheme: int, span: int, model: Block) -> int:
    first, last = whole(row, "First cylinder number"), whole(row, "Last cylinder number")
    if first < end:
        raise InputError(f"{entry(row, 'First cylinder number').place}: zone {index + 1} begins at cylinder {first}, inside the zone before, which ends at {end - 1}")
    if last < first:
        raise InputError(f"{entry(row, 'Last cylinder number').place}: zone {index + 1} ends at cylinder {last}, before its first, {first}")
    sectors = whole(row, "Blocks per track", 1, 16384)
    spare = whole(row, "Number of spares", default=0)
    if scheme == PER_TRACK:
        if spare != layout.track_spares:
            layout.lost.append(
                f"{entry(row, 'Number of spares').place}: {spare} spare sectors at the end of each track, and another number in other zones; "
                f"written as tracks of {sectors - spare} sectors")
        if spare >= sectors:
            raise InputError(f"{entry(row, 'Number of spares').place}: {spare} spares leave nothing of a track of {sectors} sectors")
        sectors -= spare
    if first > end:
        _add_gap(layout, end, first, sectors)
    zone = Zone(
        first, last, sectors, _skew(layout, row, "Skew for track switch", model, sectors), _skew(layout, row, "Skew for cylinder switch", model, sectors), 0,
        _skew(layout, row, "Offset of first block", model, sectors) % (sectors + layout.track_spares), row.place,
    )  # fmt: skip
    layout.zones.append(zone)
    _set_front(layout, row, index)
    _set_spares(layout, zone, row, scheme, spare, span)
    if (defects := row.find("defects")) is not None and isinstance(defects.value, list) and defects.value:
        layout.lost.append(f"{defects.place}: {len(defects.value)} sectors remapped at the factory; written as if they were in their places")
    held = (last - first + 1) * layout.surfaces * sectors
    if zone.spares >= held:
        raise InputError(f"{row.place}: zone {index + 1}: its spares leave none of its {held:,} sectors")
    return last + 1


def _add_gap(layout: Layout, first: int, end: int, sectors: int) -> None:
    """Cylinders that no zone holds: DiskSim does not use them. They are like the zone in front; `sectors` per track where none is."""
    zone = layout.zones[-1] if layout.zones else Zone(0, 0, sectors, 0, 0, 0, 0, None)
    spares = (end - first) * layout.surfaces * zone.sectors
    layout.zones.append(Zone(first, end - 1, zone.sectors, zone.track_skew, zone.cylinder_skew, spares, 0, None))


def _set_front(layout: Layout, row: Block, index: int) -> None:
    empty = whole(row, "Empty space at zone front", default=0)
    if index == 0:
        layout.reserved = empty
    elif empty:
        layout.lost.append(f"{entry(row, 'Empty space at zone front').place}: {empty} unused sectors at the front of zone {index + 1}; written as spares at its end")
        layout.zones[-1].spares += empty


def _set_spares(layout: Layout, zone: Zone, row: Block, scheme: int, spare: int, span: int) -> None:
    place = (row.find("Number of spares") or row).place
    if scheme == TRACKS_AT_ZONE_END:  # slips are numbers of whole tracks
        zone.spares += spare * zone.sectors
        slipped = _slips(row, zone, layout.surfaces, of_track=1)
        for track in slipped:
            _shorten(layout, track, zone.sectors)
        zone.spares -= min(spare, len(slipped)) * zone.sectors
        return
    slips = _slips(row, zone, layout.surfaces)
    if scheme in (CYLINDER_FRONT, CYLINDER_FRONT_SLIPPED):
        layout.lost.append(f"{place}: spares at the front of each cylinder; written at its end")
    if scheme in (PER_ZONE, PER_ZONE_SLIPPED):
        zone.spares += spare
        _take_from_zone(layout, zone, slips, place, more=scheme == PER_ZONE_SLIPPED)
    elif scheme in (PER_CYLINDER, PER_CYLINDER_SLIPPED, CYLINDER_FRONT, CYLINDER_FRONT_SLIPPED, PER_RANGE):
        cylinders = span if scheme == PER_RANGE else 1
        for first in range(zone.first, zone.last + 2 - cylinders, cylinders):
            _shorten(layout, (layout.surfaces - 1, first + cylinders - 1), spare)
        more = scheme in (PER_CYLINDER_SLIPPED, CYLINDER_FRONT_SLIPPED)
        for surface, cylinder in slips:
            _shorten(layout, (surface, cylinder), 1)
            end = zone.first + (cylinder - zone.first) // cylinders * cylinders + cylinders - 1
            if not more and layout.shorter.get((layout.surfaces - 1, end), 0) > 0:
                _shorten(layout, (layout.surfaces - 1, end), -1)
    elif scheme != PER_TRACK:  # none, or at the end of the disk; a slipped sector of a track uses up a spare of it
        for slip in slips:
            _shorten(layout, slip, 1)


def _set_track_spares(layout: Layout, rows: list[Block]) -> None:
    """The spares of each track, where all zones have as many."""
    spares = {whole(row, "Number of spares", default=0) for row in rows}
    if len(spares) == 1 and (spare := spares.pop()):
        layout.track_spares, layout.track_spares_place = spare, (rows[0].find("Number of spares") or rows[0]).place


def _slips(row: Block, zone: Zone, surfaces: int, of_track: int = 0) -> list[tuple[int, int]]:
    """Track, as (surface, cylinder), of each slipped sector, which is counted from the zone's first one; `of_track` 1: of each slipped track."""
    found = row.find("slips")
    if found is None or not isinstance(found.value, list):
        return []
    tracks = []
    for slip in found.value:
        track = int(slip) // (of_track or zone.sectors) if isinstance(slip, float) and slip >= 0 else -1
        if not 0 <= track < (zone.last - zone.first + 1) * surfaces:
            raise InputError(f"{found.place}: 'slips': {slip:g} is no {'track' if of_track else 'sector'} of its zone")
        tracks.append((track % surfaces, zone.first + track // surfaces))
    return tracks


def _take_from_zone(layout: Layout, zone: Zone, slips: list[tuple[int, int]], place: Place, more: bool = False) -> None:
    """A slipped sector shifts all later ones up to the zone's spares, one of which it uses."""
    for slip in slips:
        _shorten(layout, slip, 1)
    if more:
        return
    if zone.spares < len(slips):
        layout.lost.append(f"{place}: {len(slips)} slipped sectors for {zone.spares} spares; the zone is shorter by the rest")
    zone.spares -= min(zone.spares, len(slips))


def _shorten(layout: Layout, track: tuple[int, int], sectors: int) -> None:
    left = layout.shorter.get(track, 0) + sectors
    if left:
        layout.shorter[track] = left
    else:
        layout.shorter.pop(track, None)
