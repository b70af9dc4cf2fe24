"""Geometry of a disk as a description has it: zones, and tracks that hold fewer sectors than their zone says."""

from collections import Counter
from dataclasses import dataclass, field

from tessera.disksim.grammar import Block, Place
from tessera.disksim.keys import entry, number, whole
from tessera.errors import InputError

UNITS = ("sectors", "revolutions")


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


Track = tuple[int, int]
"""Surface and cylinder."""
Sector = tuple[int, int, int]
"""The same, and its number on the track as the description counts: from the first that holds data."""


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
    order: str = "cylinder"
    """As `media.track_order` has it."""
    order_place: Place | None = None
    order_key: str = "LBN-to-PBN mapping scheme"
    serpent_tracks: int = 0
    serpent_skew: float = 0
    """In turns."""
    surface_zones: list[tuple[int, int, int]] = field(default_factory=list)
    """Surface, last cylinder, sectors per track."""
    cylinder_spares: int = 0
    """Of each range of `spare_cylinders`, at its end; slipped sectors use them up."""
    spare_cylinders: int = 1
    cylinder_spares_place: Place | None = None
    slipped: list[Sector] = field(default_factory=list)
    """Where `cylinder_spares` stand in for them; elsewhere tracks are `shorter`."""
    slipped_place: Place | None = None
    remaps: list[tuple[Sector, Sector, Place]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    """What a description cannot say, each with its place."""

    def capacity(self) -> int:
        total = sum((zone.last - zone.first + 1) * sum(self.sectors_on(zone, surface) for surface in range(self.surfaces)) - zone.spares for zone in self.zones)
        ranges = sum((zone.last - zone.first + 1) // self.spare_cylinders for zone in self.zones) if self.cylinder_spares else 0
        stood_in_for = sum(min(self.cylinder_spares, found) for found in self.slips_by_range().values())
        return total - self.reserved - sum(self.shorter.values()) - ranges * self.cylinder_spares - (len(self.slipped) - stood_in_for)

    def zone_at(self, cylinder: int) -> Zone:
        return next(zone for zone in self.zones if cylinder <= zone.last)

    def sectors_on(self, zone: Zone, surface: int) -> int:
        return next((sectors for own, last, sectors in self.surface_zones if own == surface and zone.first <= last), zone.sectors)

    def tracks_of(self, zone: Zone) -> list[Track]:
        """In the order of their blocks."""
        return tracks_in_order(self.order, self.serpent_tracks, zone.first, zone.last, self.surfaces)

    def track_at(self, zone: Zone, number: int) -> Track:
        """Of a track by its number in a zone, in an order by cylinder."""
        turn, cylinder = number % self.surfaces, number // self.surfaces
        backwards = {"cylinder_serpentine": cylinder % 2, "cylinder_serpentine_even": (zone.first + cylinder) % 2}.get(self.order, 0)
        return (self.surfaces - 1 - turn if backwards else turn), zone.first + cylinder

    def range_of(self, cylinder: int) -> tuple[int, int] | None:
        """First and last cylinder of those that share spares."""
        zone = self.zone_at(cylinder)
        first = cylinder - (cylinder - zone.first) % self.spare_cylinders
        last = first + self.spare_cylinders - 1
        return (first, last) if self.cylinder_spares and last <= zone.last else None

    def slips_by_range(self) -> Counter[tuple[int, int]]:
        return Counter(found for _, cylinder, _ in self.slipped if (found := self.range_of(cylinder)) is not None)

    def held(self, track: Track) -> int:
        """Sectors of a track that hold data or are spares of its range or zone."""
        zone = self.zone_at(track[1])
        return self.sectors_on(zone, track[0]) - self.shorter.get(track, 0) - sum(sector[:2] == track for sector in self.slipped)

    def numbered(self, track: Track) -> int:
        """Without the spares of its range."""
        held, shared = self.held(track), self.range_of(track[1])
        if shared is None:
            return held
        zone = self.zone_at(track[1])
        left = self.cylinder_spares - min(self.cylinder_spares, self.slips_by_range()[shared])
        for number in reversed(range((shared[1] - zone.first + 1) * self.surfaces)):
            other = self.track_at(zone, number)
            if other == track or left <= 0:
                break
            left -= self.held(other)
        return held - min(held, max(0, left))

    def spare(self, sector: Sector) -> bool:
        """Whether nothing is numbered there."""
        track, index = sector[:2], sector[2]
        if self.numbered(track) <= index < self.held(track) + self.track_spares:
            return True
        zone, behind = self.zone_at(track[1]), 0
        for other in reversed(self.tracks_of(zone)):
            if behind >= zone.spares:
                return False
            numbered = self.numbered(other)
            if other == track:
                return index < numbered and behind + numbered - 1 - index < zone.spares
            behind += numbered
        return False

    def remap(self, moved: list[tuple[Sector, Sector, Place]]) -> None:
        """Carries over what lies on spares, and says what does not. The rest of the layout must be complete."""
        taken: set[Sector] = set()
        for bad, to, place in moved:
            on_drive = all(surface < self.surfaces and cylinder <= self.zones[-1].last for surface, cylinder, _ in (bad, to))
            if on_drive and 0 <= bad[2] < self.numbered(bad[:2]) and to not in taken and self.spare(to):
                taken.add(to)
                self.remaps.append((bad, to, place))
        lost = Counter(place for _, _, place in moved)
        lost.subtract(place for _, _, place in self.remaps)
        for place, count in lost.items():
            if count:
                self.lost.append(f"{place}: {count} sectors remapped at the factory to places that are no spares; written as if they were in their own")

    def shorten(self, track: tuple[int, int], sectors: int) -> None:
        left = self.shorter.get(track, 0) + sectors
        if left:
            self.shorter[track] = left
        else:
            self.shorter.pop(track, None)

    def hold(self, zone: Zone, blocks: dict[Track, int]) -> None:
        """What each track of a zone holds. Tracks behind all that hold something are spares of the zone."""
        tracks = self.tracks_of(zone)
        while tracks and not blocks.get(tracks[-1], 0):
            zone.spares += self.sectors_on(zone, tracks.pop()[0])
        for track in tracks:
            if fewer := self.sectors_on(zone, track[0]) - blocks.get(track, 0):
                self.shorten(track, fewer)

    def add_gap(self, first: int, end: int, sectors: int) -> None:
        """Cylinders that no zone holds: DiskSim does not use them. They are like the zone in front; `sectors` per track where none is."""
        zone = self.zones[-1] if self.zones else Zone(0, 0, sectors, 0, 0, 0, 0, None)
        spares = (end - first) * self.surfaces * zone.sectors
        self.zones.append(Zone(first, end - 1, zone.sectors, zone.track_skew, zone.cylinder_skew, spares, 0, None))


def tracks_in_order(order: str, serpent: int, first: int, last: int, surfaces: int) -> list[Track]:
    """The tracks of a zone as `media.track_order` numbers them; `serpent`: cylinders of a serpent, 0 for all of the zone."""
    if order in ("surface", "serpentine"):
        length = last - first + 1 if order == "surface" or not 0 < serpent <= last - first + 1 else serpent
        tracks = []
        for begin in range(first, last + 1, length):
            there = list(range(begin, min(begin + length, last + 1)))
            for surface in range(surfaces):
                tracks += [(surface, cylinder) for cylinder in (reversed(there) if order == "serpentine" and surface % 2 else there)]
        return tracks
    tracks = []
    for cylinder in range(first, last + 1):
        up = (order == "cylinder_serpentine" and (cylinder - first) % 2) or (order == "cylinder_serpentine_even" and cylinder % 2)
        tracks += [(surface, cylinder) for surface in (reversed(range(surfaces)) if up else range(surfaces))]
    return tracks


def cylinders_of(row: Block, index: int, end: int) -> tuple[int, int]:
    """First and last cylinder of the zone that `row` describes, which begins at `end` or later."""
    first, last = (whole(row, f"{name} cylinder number", 0, 1 << 24) for name in ("First", "Last"))
    if first < end:
        raise InputError(f"{entry(row, 'First cylinder number').place}: zone {index + 1} begins at cylinder {first}, inside the zone before, which ends at {end - 1}")
    if last < first:
        raise InputError(f"{entry(row, 'Last cylinder number').place}: zone {index + 1} ends at cylinder {last}, before its first, {first}")
    return first, last


def skew(layout: Layout, row: Block, key: str, model: Block, turn: int) -> int:
    """In whole sectors, of which `turn` pass in a revolution. A zone's units win over its layout's."""
    value = number(row, key, default=0)
    units = row.find("Skew units") or model.find("Skew units")
    if units is not None and units.value not in UNITS:
        raise InputError(f"{units.place}: 'Skew units': expected {' or '.join(UNITS)}, found '{units.value}'")
    if units is not None and units.value == "revolutions":
        value *= turn
    if value < 0:
        raise InputError(f"{entry(row, key).place}: '{key}': expected 0 or more, found {value:g}")
    if abs(value - round(value)) > 0.01:
        layout.lost.append(f"{entry(row, key).place}: '{key}' = {value:g} sectors; rounded to {round(value)}")
    return round(value)


def zone_rows(model: Block) -> list[Block]:
    rows = entry(model, "Zones")
    if not isinstance(rows.value, list) or not rows.value or not all(isinstance(row, Block) for row in rows.value):
        raise InputError(f"{rows.place}: 'Zones': expected a list of zones")
    return [row for row in rows.value if isinstance(row, Block)]
