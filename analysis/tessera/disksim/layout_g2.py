"""dm_layout_g2: zones, and a file that maps runs of blocks to places on tracks, as an extractor found them on a drive.

    line 3:     N cylinders, R rot, H heads
    then:       lbn N --> cyl N, head N, sect N, seqcnt N      (N + 1 blocks from there on; any other word: N blocks)
    then:       Defect at cyl N, head N, sect N
"""

import re
from dataclasses import dataclass

from tessera.disksim.geometry import Layout, Track, Zone, cylinders_of, skew, zone_rows
from tessera.disksim.grammar import MOST_BYTES, Block, Entry, Place
from tessera.disksim.keys import entry, whole
from tessera.disksim.orders import find_order
from tessera.errors import InputError, regular

HEAD = re.compile(r"\s*(\d+) cylinders, \d+ rot, (\d+) heads\s*$")
RUN = re.compile(r"\s*lbn (\d+) --> cyl (\d+), head (\d+), sect (\d+), (\w+) (\d+)\s*$")
DEFECT = re.compile(r"\s*Defect at cyl \d+, head \d+, sect \d+\s*$")
COUNT_LESS_ONE = "seqcnt"


@dataclass
class Run:
    track: Track
    sector: int
    first: int
    blocks: int
    place: Place


def read_g2(model: Block, surfaces: int, cylinders: int) -> Layout:
    layout = Layout(surfaces, 0, [])
    end = 0
    for index, row in enumerate(zone_rows(model)):
        end = _add_zone(layout, row, index, end, model)
    named = entry(model, "Layout Map File")
    runs, defects = _read_map(named, surfaces, cylinders)
    _check_zones(zone_rows(model), runs)
    _fill(layout, runs, named)
    if defects:
        layout.lost.append(f"{named.place}: {defects} places named as defects; what they cost is in the lengths of the tracks")
    return layout


def _add_zone(layout: Layout, row: Block, index: int, end: int, model: Block) -> int:
    first, last = cylinders_of(row, index, end)
    turn = whole(row, "Blocks per track", 1, 16384)
    if first > end:
        layout.add_gap(end, first, turn)
    skews = (skew(layout, row, f"Skew for {switch} switch", model, turn) for switch in ("track", "cylinder"))
    layout.zones.append(Zone(first, last, turn, *skews, 0, skew(layout, row, "Zone Skew", model, turn) % turn, row.place))
    return last + 1


def _read_map(named: Entry, surfaces: int, cylinders: int) -> tuple[list[Run], int]:
    """Runs in the order of their blocks, and how many defects the file names."""
    file = named.place.file.parent / str(named.value)
    try:
        if regular(file).stat().st_size > MOST_BYTES * 16:
            raise InputError(f"{named.place}: {file.name}: larger than {MOST_BYTES >> 16} MiB, expected a layout map")
        lines = regular(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"{named.place}: {file}: {error.strerror}; expected a layout map") from None
    head = HEAD.match(lines[2]) if len(lines) > 2 else None
    if head is None:
        raise InputError(f"{file.name}:3: expected 'N cylinders, N rot, N heads': it is cut off, or no layout map")
    if (int(head[1]), int(head[2])) != (cylinders, surfaces):
        raise InputError(f"{file.name}:3: {head[1]} cylinders and {head[2]} heads, but the disk has {cylinders} and {surfaces}")
    runs: list[Run] = []
    defects = 0
    for number, line in enumerate(lines[3:], 4):
        if found := RUN.match(line):
            runs.append(_run(found, Place(file, number), runs, surfaces, cylinders))
        elif DEFECT.match(line):
            defects += 1
        elif line.strip():
            raise InputError(f"{file.name}:{number}: expected 'lbn N --> cyl N, head N, sect N, seqcnt N' or a defect, found '{line.strip()[:60]}'")
    if not runs:
        raise InputError(f"{file.name}: maps no block")
    return runs, defects


def _run(found: re.Match[str], place: Place, before: list[Run], surfaces: int, cylinders: int) -> Run:
    first, cylinder, head, sector, count = (int(found[group]) for group in (1, 2, 3, 4, 6))
    expected = before[-1].first + before[-1].blocks if before else 0
    if first != expected:
        raise InputError(f"{place}: expected block {expected}, which follows the line before, found {first}")
    if cylinder >= cylinders or head >= surfaces:
        raise InputError(f"{place}: cylinder {cylinder}, head {head}: the disk has {cylinders} cylinders and {surfaces} heads")
    return Run((head, cylinder), sector, first, count + (found[5] == COUNT_LESS_ONE), place)


def _check_zones(rows: list[Block], runs: list[Run]) -> None:
    blocks = runs[-1].first + runs[-1].blocks
    for row in rows:
        first, last = whole(row, "First LBN", default=0), whole(row, "Last LBN", default=0)
        if last < first or last >= blocks:
            raise InputError(f"{(row.find('Last LBN') or row).place}: the zone's blocks {first} to {last} are not those of its map, which holds {blocks:,}")


def _fill(layout: Layout, runs: list[Run], named: Entry) -> None:
    """What each track holds. A run on another track amid those of one track is a remapped part of that one."""
    held: dict[Track, int] = {}
    low: dict[Track, int] = {}
    remapped: list[tuple[int, Track, Run]] = []
    for index, run in enumerate(runs):
        track = run.track
        if 0 < index < len(runs) - 1 and runs[index - 1].track == runs[index + 1].track != track:
            track = runs[index - 1].track
            remapped.append((held[track], track, run))
        else:
            low.setdefault(track, run.sector)
        held[track] = held.get(track, 0) + run.blocks
    zones = [zone for zone in layout.zones if zone.place]
    left = {zone.sectors - held.get((surface, cylinder), 0) for zone in zones for cylinder in range(zone.first, zone.last + 1) for surface in range(layout.surfaces)}
    if spares := max(0, min(left - {zone.sectors for zone in zones}, default=0)):
        layout.track_spares, layout.track_spares_place = spares, named.place
        for zone in layout.zones:
            zone.sectors -= spares
            if zone.place is None:
                zone.spares = (zone.last - zone.first + 1) * layout.surfaces * zone.sectors
    find_order(layout, list(held), named.place, "Layout Map File")
    for zone in zones:
        inside = {track: held.pop(track) for track in list(held) if zone.first <= track[1] <= zone.last}
        for (head, cylinder), blocks in inside.items():
            if blocks > zone.sectors:
                raise InputError(f"{named.place}: cylinder {cylinder}, head {head} holds {blocks} blocks, but the zone has {zone.sectors} per track")
        layout.hold(zone, inside)
    if held:
        cylinder, head = min((cylinder, head) for head, cylinder in held)
        raise InputError(f"{named.place}: the map has blocks on cylinder {cylinder}, head {head}, which is in no zone")
    layout.remap([
        ((*track, index + block), (*run.track, run.sector - low.get(run.track, 0) + block), run.place)
        for index, track, run in remapped for block in range(run.blocks)
    ])  # fmt: skip
