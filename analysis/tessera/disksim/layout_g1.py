"""dm_layout_g1: zones with skews, one of eleven sparing schemes, slipped sectors.

How DiskSim counts: a zone has `cylinders * surfaces * blocks per track` sectors, less the empty space at its front and the spares
of its sparing scheme. A slipped sector uses up a spare of its zone, cylinder or range.
"""

from tessera.disksim.geometry import Layout, Sector, Track, Zone, cylinders_of, skew, zone_rows
from tessera.disksim.grammar import Block, Place
from tessera.disksim.keys import entry, whole
from tessera.errors import InputError

# "Sparing scheme used"
NO_SPARES, TRACKS_AT_ZONE_END, PER_CYLINDER, PER_TRACK, PER_CYLINDER_SLIPPED, CYLINDER_FRONT, CYLINDER_FRONT_SLIPPED, AT_END, PER_RANGE, PER_ZONE, PER_ZONE_SLIPPED = range(11)
RANGES = (PER_CYLINDER, PER_CYLINDER_SLIPPED, CYLINDER_FRONT, CYLINDER_FRONT_SLIPPED, PER_RANGE)
# "LBN-to-PBN mapping scheme"
MAPPINGS = {1: "cylinder_serpentine", 2: "cylinder_serpentine_even"}


def read_g1(model: Block, surfaces: int, _cylinders: int) -> Layout:
    scheme = whole(model, "Sparing scheme used", 0, PER_ZONE_SLIPPED)
    span = whole(model, "Rangesize for sparing", 1, default=1)
    rows = zone_rows(model)
    layout = Layout(surfaces, 0, [])
    if mapping := _mapping(model):
        layout.order, layout.order_place = MAPPINGS[mapping], entry(model, "LBN-to-PBN mapping scheme").place
    if scheme == PER_TRACK:
        _set_track_spares(layout, rows)
    if scheme in RANGES:
        _set_cylinder_spares(layout, rows, span if scheme == PER_RANGE else 1)
    end = 0
    moved: list[tuple[Sector, Sector, Place]] = []
    for index, row in enumerate(rows):
        end = _add_zone(layout, row, index, end, scheme, span, model)
        moved += _remapped(layout, row, scheme)
    layout.remap(moved)
    return layout


def _set_cylinder_spares(layout: Layout, rows: list[Block], cylinders: int) -> None:
    """The spares of each range of cylinders, where all zones have as many and ranges are inside them."""
    spares = {whole(row, "Number of spares", default=0) for row in rows}
    if len(spares) == 1 and (spare := spares.pop()) and all(cylinders <= _length(row) for row in rows):
        layout.cylinder_spares, layout.spare_cylinders = spare, cylinders
        layout.cylinder_spares_place = (rows[0].find("Number of spares") or rows[0]).place


def _length(row: Block) -> int:
    return whole(row, "Last cylinder number", default=0) - whole(row, "First cylinder number", default=0) + 1


def _mapping(model: Block) -> int:
    mapping = whole(model, "LBN-to-PBN mapping scheme", 0)
    if mapping and mapping not in MAPPINGS:
        raise InputError(
            f"{entry(model, 'LBN-to-PBN mapping scheme').place}: 'LBN-to-PBN mapping scheme': expected 0 to {max(MAPPINGS)}, found {mapping}, "
            f"to which DiskSim gives no order; a dm_layout_g2 or dm_layout_g4 block can"
        )  # fmt: skip
    return mapping


def _add_zone(layout: Layout, row: Block, index: int, end: int, scheme: int, span: int, model: Block) -> int:
    first, last = cylinders_of(row, index, end)
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
        layout.add_gap(end, first, sectors)
    turn = sectors + layout.track_spares
    skews = (skew(layout, row, f"Skew for {switch} switch", model, turn) for switch in ("track", "cylinder"))
    zone = Zone(first, last, sectors, *skews, 0, skew(layout, row, "Offset of first block", model, turn) % turn, row.place)
    layout.zones.append(zone)
    _set_front(layout, row, index)
    _set_spares(layout, zone, row, scheme, spare, span)
    held = (last - first + 1) * layout.surfaces * sectors
    if zone.spares >= held:
        raise InputError(f"{row.place}: zone {index + 1}: its spares leave none of its {held:,} sectors")
    return last + 1


def _remapped(layout: Layout, row: Block, scheme: int) -> list[tuple[Sector, Sector, Place]]:
    """Pairs of a defect and its replacement: sectors of their zone, or tracks, counted down the surfaces whatever the order of the blocks."""
    defects = row.find("defects")
    if defects is None or not isinstance(defects.value, list) or not defects.value:
        return []
    if len(defects.value) % 2:
        raise InputError(f"{defects.place}: 'defects': expected pairs of a defect and its replacement, found {len(defects.value)} numbers")
    zone = layout.zones[-1]
    of_track = 1 if scheme == TRACKS_AT_ZONE_END else zone.sectors + layout.track_spares
    gone = _slipped_sectors(row, zone, layout) if scheme != TRACKS_AT_ZONE_END else {}
    moved: list[tuple[Sector, Sector, Place]] = []
    for bad, to in zip(defects.value[::2], defects.value[1::2], strict=True):
        if bad == to:  # in its own place
            continue
        places = []
        for number in (bad, to):
            at = int(number) if isinstance(number, float) and 0 <= number < 1e18 else -1
            track = (at // of_track % layout.surfaces, zone.first + at // of_track // layout.surfaces)
            if not 0 <= at or track[1] > zone.last:
                raise InputError(f"{defects.place}: 'defects': {number if isinstance(number, (float, str)) else 'a block or list'} is no {'track' if of_track == 1 else 'sector'} of its zone")
            places.append((*track, at % of_track - sum(slip < at % of_track for slip in gone.get(track, []))))
        if of_track > 1:
            moved.append((places[0], places[1], defects.place))
        else:
            moved += [((*places[0][:2], sector), (*places[1][:2], sector), defects.place) for sector in range(zone.sectors)]
    return moved


def _slipped_sectors(row: Block, zone: Zone, layout: Layout) -> dict[Track, list[int]]:
    """Which sectors of each track were slipped: none of them has a number."""
    gone: dict[Track, list[int]] = {}
    for surface, cylinder, sector in _slips(row, zone, layout):
        gone.setdefault((surface, cylinder), []).append(sector)
    return gone


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
        slipped = _slips(row, zone, layout, of_track=1)
        for surface, cylinder, _ in slipped:
            layout.shorten((surface, cylinder), zone.sectors)
        zone.spares -= min(spare, len(slipped)) * zone.sectors
        return
    slips = _slips(row, zone, layout)
    if scheme in (CYLINDER_FRONT, CYLINDER_FRONT_SLIPPED):
        layout.lost.append(f"{place}: spares at the front of each cylinder; written at its end")
    if scheme in (PER_ZONE, PER_ZONE_SLIPPED):
        zone.spares += spare
        _take_from_zone(layout, zone, slips, place, more=scheme == PER_ZONE_SLIPPED)
    elif scheme in RANGES:
        cylinders = span if scheme == PER_RANGE else 1
        if spare >= cylinders * layout.surfaces * zone.sectors:
            raise InputError(f"{place}: {spare} spares leave nothing of {cylinders} cylinders of {layout.surfaces * zone.sectors} sectors")
        more = scheme in (PER_CYLINDER_SLIPPED, CYLINDER_FRONT_SLIPPED)
        if layout.cylinder_spares:
            _slip_in_ranges(layout, row, slips, more)
            return
        for first in range(zone.first, zone.last + 2 - cylinders, cylinders):
            _spare_at_end(layout, zone, first + cylinders - 1, spare)
        for surface, cylinder, _ in slips:
            layout.shorten((surface, cylinder), 1)
            end = zone.first + (cylinder - zone.first) // cylinders * cylinders + cylinders - 1
            last = layout.track_at(zone, (end - zone.first + 1) * layout.surfaces - 1)
            if not more and layout.shorter.get(last, 0) > 0:
                layout.shorten(last, -1)
    elif scheme != PER_TRACK:  # none, or at the end of the disk; a slipped sector of a track uses up a spare of it
        for surface, cylinder, _ in slips:
            layout.shorten((surface, cylinder), 1)


def _slip_in_ranges(layout: Layout, row: Block, slips: list[Sector], more: bool) -> None:
    """`more`: the spares of a cylinder stay as many, whatever is slipped."""
    for slip in slips:
        if more:
            layout.shorten(slip[:2], 1)
        elif slip not in layout.slipped:
            layout.slipped.append(slip)
    if slips and not more and layout.slipped_place is None:
        layout.slipped_place = (row.find("slips") or row).place


def _spare_at_end(layout: Layout, zone: Zone, cylinder: int, spare: int) -> None:
    """The last sectors up to the end of a cylinder: where one track does not have as many, of those in front too."""
    number = (cylinder - zone.first + 1) * layout.surfaces
    while spare > 0:
        number -= 1
        taken = min(spare, zone.sectors)
        layout.shorten(layout.track_at(zone, number), taken)
        spare -= taken


def _set_track_spares(layout: Layout, rows: list[Block]) -> None:
    """The spares of each track, where all zones have as many."""
    spares = {whole(row, "Number of spares", default=0) for row in rows}
    if len(spares) == 1 and (spare := spares.pop()):
        layout.track_spares, layout.track_spares_place = spare, (rows[0].find("Number of spares") or rows[0]).place


def _slips(row: Block, zone: Zone, layout: Layout, of_track: int = 0) -> list[Sector]:
    """Each slipped sector, which is counted from the zone's first one; `of_track` 1: the first of each slipped track."""
    found = row.find("slips")
    if found is None or not isinstance(found.value, list):
        return []
    sectors = []
    for slip in found.value:
        number = int(slip) if isinstance(slip, float) and 0 <= slip < 1e18 else -1
        track = number // (of_track or zone.sectors)
        if not 0 <= track < (zone.last - zone.first + 1) * layout.surfaces:
            raise InputError(f"{found.place}: 'slips': {slip if isinstance(slip, (float, str)) else 'a block or list'} is no {'track' if of_track else 'sector'} of its zone")
        sectors.append((*layout.track_at(zone, track), number % (of_track or zone.sectors)))
    return sectors


def _take_from_zone(layout: Layout, zone: Zone, slips: list[Sector], place: Place, more: bool = False) -> None:
    """A slipped sector shifts all later ones up to the zone's spares, one of which it uses."""
    for surface, cylinder, _ in slips:
        layout.shorten((surface, cylinder), 1)
    if more:
        return
    if zone.spares < len(slips):
        layout.lost.append(f"{place}: {len(slips)} slipped sectors for {zone.spares} spares; the zone is shorter by the rest")
    zone.spares -= min(zone.spares, len(slips))
