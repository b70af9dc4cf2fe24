"""The text of an imported drive: a description that `tessera check` accepts, with the source of each line."""

import json
from itertools import groupby

from tessera.disksim.drive import Imported, Line
from tessera.disksim.geometry import Layout
from tessera.disksim.grammar import Place

FIXED = (
    Line("nand", "blocks", "0", ""),
    Line("controller", "clock", '"10 GHz"', "the overheads were measured on the whole electronics: no code adds to them"),
    Line("controller", "interrupt_latency", '"0 ps"', ""),
    Line("controller", "bus_latency", '"0 ps"', ""),
    Line("controller.costs", "source", '"none"', ""),
)
ORDER = ("media", "nand", "controller", "controller.costs", "host", "firmware.read_cache", "firmware.write_cache", "firmware.overheads")


def plain(text: str) -> str:
    """One line of printable text, whatever a file or its name holds."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def description(drive: Imported, source: str) -> str:
    source, name = plain(source), plain(drive.name)
    lines = [f"# {name}, imported from the DiskSim parameter file {source}. A comment names the file, line and key that a value comes from."]
    if drive.lost:
        lines += ["#", "# Not carried over:"]
        lines += [f"# - {plain(sentence)}" for sentence in drive.lost]
    lines += [f"summary = {json.dumps(f'{name}, imported from {source}')}", 'layer = "cmr"']
    entries = [*drive.lines, *FIXED]
    for section in ORDER:
        inside = [line for line in entries if line.section == section]
        if not inside and section != "media":
            continue
        lines += ["", f"[{section}]", *(_line(line) for line in inside)]
        if section == "media" and drive.layout is not None:
            lines += _geometry(drive.layout) + _seeks(drive)
    return "\n".join(lines) + "\n"


def _line(line: Line) -> str:
    return f"{line.key} = {line.value}" + (f"  # {plain(line.source)}" if line.source else "")


def _geometry(layout: Layout) -> list[str]:
    lines = ["# last radius, sectors per track, track skew, cylinder skew, spare sectors, start angle", "zones = ["]
    for zone in layout.zones:
        turn = zone.sectors + layout.track_spares
        row = [zone.last, zone.sectors, zone.track_skew % turn, zone.cylinder_skew % turn, zone.spares, zone.start]
        lines.append(f"  {row},  # {plain(str(zone.place or 'cylinders that no zone holds'))}")
    lines.append("]")
    if layout.shorter:
        rows = sorted((cylinder, surface, sectors) for (surface, cylinder), sectors in layout.shorter.items())
        lines += ["# surface, cylinder, sectors fewer: slipped sectors and tracks, and spares at a cylinder's end", "slipped_defects = ["]
        cells = [f"[{surface}, {cylinder}, {sectors}]" for cylinder, surface, sectors in rows]
        lines += [f"  {', '.join(cells[begin : begin + 8])}," for begin in range(0, len(cells), 8)]
        lines.append("]")
    lines += _table("factory_defects", "surface, cylinder, sector: slipped", [(list(sector), layout.slipped_place) for sector in layout.slipped])
    lines += _table("remapped_sectors", "surface, cylinder, sector; where it lies", [([*bad, *to], place) for bad, to, place in layout.remaps])
    lines += _table("surface_zones", "surface, last cylinder, sectors per track", [(list(row), layout.order_place) for row in layout.surface_zones])
    return lines


def _table(key: str, columns: str, rows: list[tuple[list[int], Place | None]]) -> list[str]:
    """Rows that stand one after another in the same line of the file share a line."""
    if not rows:
        return []
    lines = [f"# {columns}", f"{key} = ["]
    for place, group in groupby(rows, key=lambda row: row[1]):
        cells = [str(row) for row, _ in group]
        lines += [f"  {', '.join(cells[begin : begin + 8])},  # {plain(str(place))}" for begin in range(0, len(cells), 8)]
    return [*lines, "]"]


def _seeks(drive: Imported) -> list[str]:
    cells = [f"[{distance}, {ms:.6g}]" for distance, ms in drive.seeks]
    rows = [f"  {', '.join(cells[begin : begin + 8])}," for begin in range(0, len(cells), 8)]
    return ["# distance in cylinders, milliseconds", "seek_curve = [", *rows, "]"]
