"""Geometry of a disk as a description has it: zones, and tracks that hold fewer sectors than their zone says."""

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
    lost: list[str] = field(default_factory=list)
    """What a description cannot say, each with its place."""

    def capacity(self) -> int:
        total = sum((zone.last - zone.first + 1) * self.surfaces * zone.sectors - zone.spares for zone in self.zones)
        return total - self.reserved - sum(self.shorter.values())

    def track_at(self, zone: Zone, number: int) -> tuple[int, int]:
        """(surface, cylinder) of a track by its number in a zone, in an order by cylinder."""
        turn, cylinder = number % self.surfaces, number // self.surfaces
        backwards = {"cylinder_serpentine": cylinder % 2, "cylinder_serpentine_even": (zone.first + cylinder) % 2}.get(self.order, 0)
        return (self.surfaces - 1 - turn if backwards else turn), zone.first + cylinder

    def shorten(self, track: tuple[int, int], sectors: int) -> None:
        left = self.shorter.get(track, 0) + sectors
        if left:
            self.shorter[track] = left
        else:
            self.shorter.pop(track, None)

    def add_gap(self, first: int, end: int, sectors: int) -> None:
        """Cylinders that no zone holds: DiskSim does not use them. They are like the zone in front; `sectors` per track where none is."""
        zone = self.zones[-1] if self.zones else Zone(0, 0, sectors, 0, 0, 0, 0, None)
        spares = (end - first) * self.surfaces * zone.sectors
        self.zones.append(Zone(first, end - 1, zone.sectors, zone.track_skew, zone.cylinder_skew, spares, 0, None))


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
