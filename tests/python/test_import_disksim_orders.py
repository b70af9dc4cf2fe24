"""`tessera import disksim`: orders of tracks, zones of single surfaces and sectors that the factory moved, held against the files as the test reads them."""

import math

import pytest

from tessera import InputError
from tessera.disksim.drive import import_drive
from tessera.disksim.text import description

DISK = """
dm_disk TINY_model {{
  Block count = {blocks}, Number of data surfaces = {heads}, Number of cylinders = 8,
  Mechanical Model = dm_mech_g1 {{
    Seek type = constant, Constant seek time = 3.0, Head switch time = 0.5, Rotation speed (in rpms) = 7200
  }},
  Layout Model = {layout}
}}
"""
HEADS = 3
ZONES = ((0, 3), (4, 7))  # first and last cylinder
EVEN = ((20, 20, 20), (15, 15, 15))
ADAPTED = ((20, 18, 20), (15, 16, 12))  # sectors of each head's tracks in each zone


def walk(order, serpent=4):
    """(zone, cylinder, head) of each track in the order of its blocks, said in loops."""
    tracks = []
    for zone, (first, last) in enumerate(ZONES):
        cylinders = range(first, last + 1)
        if order == "cylinder":
            tracks += [(zone, cylinder, head) for cylinder in cylinders for head in range(HEADS)]
        elif order == "cylinder_serpentine":
            tracks += [(zone, cylinder, head if cylinder % 2 == 0 else HEADS - 1 - head) for cylinder in cylinders for head in range(HEADS)]
        elif order == "surface":
            tracks += [(zone, cylinder, head) for head in range(HEADS) for cylinder in cylinders]
        else:
            for begin in range(first, last + 1, serpent):
                for head in range(HEADS):
                    inwards = list(range(begin, begin + serpent))
                    tracks += [(zone, cylinder, head) for cylinder in (inwards if head != 1 else inwards[::-1])]
    return tracks


def step(order, before, after, turn):
    """Sectors of skew between two tracks of one zone: 2 to the next head, 3 to the next cylinder, a quarter of a turn for the way back."""
    if before[1] == after[1]:
        return 2
    return 3 if before[2] == after[2] or order.startswith("cylinder") else math.ceil(turn / 4)


class Extracted:
    """A dm_layout_g4 of such tracks: one node that names each. Reads itself as DiskSim does."""

    def __init__(self, tracks, sizes, order, spare=0, remaps=""):
        self.patterns, self.entries, self.starts = [], [], {}
        block, angle, before = 0, 0.0, None
        for zone, cylinder, head in tracks:
            size, turn = sizes[zone][head], max(sizes[zone]) + spare
            if before is not None and before[0] == zone:
                angle += step(order, before, (zone, cylinder, head), turn) / turn
            before = (zone, cylinder, head)
            pattern = f"0, {size - 1}, {size + spare}"
            if pattern not in self.patterns:
                self.patterns.append(pattern)
            self.entries.append((block, cylinder, angle % 1, size, self.patterns.index(pattern), head))
            block += size
        self.blocks, self.remaps = block, remaps

    def text(self):
        node = ", ".join(f"{block}, {cylinder}, {angle:.9f}, {size}, 1, 0.0, {size}, 1, TRACK, {pattern}, {head}" for block, cylinder, angle, size, pattern, head in self.entries)
        return f"dm_layout_g4 {{ TP = [ {', '.join(self.patterns)} ], IDX = [ [ {node} ] ], Slips = [ ], Remaps = [ {self.remaps} ] }}"

    def places(self):
        return [(head, cylinder, sector) for _, cylinder, _, size, _, head in self.entries for sector in range(size)]


def mapped(tracks, sizes):
    """A dm_layout_g2 of such tracks, and its map."""
    zones = ", ".join(
        f"dm_layout_g2_zone {{ First cylinder number = {first}, Last cylinder number = {last}, First LBN = 0, Last LBN = 1, Blocks per track = {max(sizes[zone])} }}"
        for zone, (first, last) in enumerate(ZONES)
    )
    lines, block = ["a drive", "extracted", f"8 cylinders, 7200 rot, {HEADS} heads"], 0
    for zone, cylinder, head in tracks:
        lines.append(f"lbn {block} --> cyl {cylinder}, head {head}, sect 0, cnt {sizes[zone][head]}")
        block += sizes[zone][head]
    return f"dm_layout_g2 {{ Layout Map File = tiny.map, Zones = [ {zones} ] }}", "\n".join(lines), block


def places(layout):
    """Where the description has its blocks."""
    found = []
    for zone in layout.zones:
        there = [(*track, sector) for track in layout.tracks_of(zone) for sector in range(layout.numbered(track))]
        found += there[: len(there) - zone.spares]
    return found


@pytest.fixture
def disk(tmp_path):
    def lay_out(layout, blocks, map_="", heads=HEADS):
        (tmp_path / "tiny.model").write_text(DISK.format(layout=layout, blocks=blocks, heads=heads))
        (tmp_path / "tiny.map").write_text(map_)
        return tmp_path / "tiny.model"

    return lay_out


ORDERS = [("cylinder", 4), ("cylinder_serpentine", 4), ("surface", 4), ("serpentine", 4), ("serpentine", 2)]


@pytest.mark.parametrize("sizes", [EVEN, ADAPTED])
@pytest.mark.parametrize(("order", "serpent"), ORDERS)
def test_a_tree_of_tracks_in_any_order_puts_every_block_where_the_file_does(disk, order, serpent, sizes):
    file = Extracted(walk(order, serpent), sizes, order)
    layout = import_drive(disk(file.text(), file.blocks)).layout
    assert places(layout) == file.places()
    assert (layout.order, layout.serpent_tracks) == (order, serpent if order == "serpentine" and serpent < 4 else 0)
    assert [lost for lost in layout.lost if "order" in lost or "skews" in lost] == []
    assert bool(layout.surface_zones) == (sizes == ADAPTED)
    for zone in layout.zones:
        assert zone.cylinder_skew == 3
        assert zone.track_skew == (0 if order == "surface" else 2)
        if layout.serpent_skew:
            assert math.ceil(layout.serpent_skew * zone.sectors) == math.ceil(zone.sectors / 4)
    text = description(import_drive(disk(file.text(), file.blocks)), "tiny.model")
    assert (f'track_order = "{order}"  # tiny.model:' in text) == (order != "cylinder")


@pytest.mark.parametrize(("order", "serpent"), ORDERS)
def test_a_map_in_any_order_puts_every_block_where_the_file_does(disk, order, serpent):
    tracks = walk(order, serpent)
    text, map_, blocks = mapped(tracks, EVEN)
    layout = import_drive(disk(text, blocks, map_)).layout
    assert places(layout) == [(head, cylinder, sector) for zone, cylinder, head in tracks for sector in range(EVEN[zone][head])]
    assert (layout.order, layout.serpent_tracks) == (order, serpent if order == "serpentine" and serpent < 4 else 0)


def test_an_order_that_none_of_a_descriptions_is_stays_by_cylinder_and_is_named(disk):
    tracks = walk("surface")
    tracks[1], tracks[2] = tracks[2], tracks[1]
    file = Extracted(tracks, EVEN, "surface")
    layout = import_drive(disk(file.text(), file.blocks)).layout
    assert layout.order == "cylinder" and any("an order of tracks that a description cannot say" in lost for lost in layout.lost)
    assert sorted(places(layout)) == sorted(file.places())


def test_tracks_without_blocks_at_a_zones_end_are_its_spares(disk):
    tracks = walk("serpentine")
    file = Extracted(tracks[:-2], EVEN, "serpentine")
    layout = import_drive(disk(file.text(), file.blocks)).layout
    assert places(layout) == file.places()
    assert [zone.spares for zone in layout.zones] == [0, 30] and not layout.shorter


def test_blocks_that_were_moved_to_the_end_of_a_track_lie_there(disk):
    # Blocks 3 and 4 lie on cylinder 1, head 2, sectors 20 and 21 of 22; block 45, which is on head 2, at cylinder 0, head 0; block 50 where there is data.
    file = Extracted(walk("cylinder"), EVEN, "cylinder", spare=2, remaps="45, 1, 0, 0, 21, 22, 3, 2, 1, 2, 20, 22, 50, 1, 0, 1, 19, 22")
    layout = import_drive(disk(file.text(), file.blocks)).layout
    assert layout.track_spares == 2 and places(layout) == file.places()
    assert [(bad, to) for bad, to, _ in layout.remaps] == [((0, 0, 3), (2, 1, 20)), ((0, 0, 4), (2, 1, 21)), ((2, 0, 5), (0, 0, 21))]
    assert [lost for lost in layout.lost if "remapped" in lost] == [f"{layout.remaps[0][2]}: 1 sectors remapped at the factory to places that are no spares; written as if they were in their own"]


def test_a_run_of_a_map_on_another_track_is_moved_to_the_end_of_that_one(disk):
    text, map_, blocks = mapped(walk("cylinder"), ((20, 20, 20), (15, 15, 15)))
    text = text.replace("Blocks per track = 20", "Blocks per track = 21").replace("Blocks per track = 15", "Blocks per track = 16")
    map_ = map_.replace("lbn 20 --> cyl 0, head 1, sect 0, cnt 20", "lbn 20 --> cyl 0, head 1, sect 0, cnt 7\nlbn 27 --> cyl 3, head 2, sect 20, cnt 1\nlbn 28 --> cyl 0, head 1, sect 8, cnt 12")
    drive = import_drive(disk(text, blocks, map_))
    assert drive.layout.track_spares == 1
    assert [(bad, to) for bad, to, _ in drive.layout.remaps] == [((1, 0, 7), (2, 3, 20))]
    assert "remapped_sectors = [\n  [1, 0, 7, 2, 3, 20],  # tiny.map:6\n]" in description(drive, "tiny.model")


def test_cylinders_that_no_zone_of_a_map_holds_are_spare_whatever_tracks_keep_back(disk):
    tracks = [track for track in walk("cylinder") if track[1] < 7 and track[1] != 4]
    text, map_, blocks = mapped(tracks, EVEN)
    text = text.replace("First cylinder number = 4, Last cylinder number = 7", "First cylinder number = 5, Last cylinder number = 7").replace("= 20", "= 22").replace("= 15", "= 17")
    layout = import_drive(disk(text, blocks, map_)).layout
    assert layout.track_spares == 2 and layout.capacity() == blocks
    assert places(layout) == [(head, cylinder, sector) for zone, cylinder, head in tracks for sector in range(EVEN[zone][head])]


G1 = """dm_layout_g1 {{ LBN-to-PBN mapping scheme = {mapping}, Sparing scheme used = {scheme}, Rangesize for sparing = 2, Zones = [
  dm_layout_g1_zone {{ First cylinder number = 0, Last cylinder number = 3, Blocks per track = 10, Offset of first block = 0.0, Empty space at zone front = 0,
    Skew for track switch = 2.0, Skew for cylinder switch = 3.0, Number of spares = {spares}, slips = [ {slips} ], defects = [ {defects} ] }},
  dm_layout_g1_zone {{ First cylinder number = 4, Last cylinder number = 7, Blocks per track = 10, Offset of first block = 0.0, Empty space at zone front = 0,
    Skew for track switch = 2.0, Skew for cylinder switch = 3.0, Number of spares = {spares}, slips = [], defects = [] }} ] }}"""


@pytest.mark.parametrize("mapping", [0, 1])
@pytest.mark.parametrize(("scheme", "spares", "target"), [(2, 2, 19), (2, 2, 18), (8, 3, 37), (8, 3, 79), (9, 4, 76), (3, 2, 9), (3, 2, 38)])
def test_a_sector_remapped_to_a_spare_of_any_scheme_lies_there(disk, mapping, scheme, spares, target):
    """Sectors count down the surfaces of each cylinder, whatever the order of the blocks."""
    if mapping == 1 and (target // 20) % 2:
        target -= target % 20 - (target % 10)  # there the first surface comes last
    layout = import_drive(disk(G1.format(mapping=mapping, scheme=scheme, spares=spares, slips="", defects=f"3, {target}"), 60, heads=2)).layout
    assert [(bad, to) for bad, to, _ in layout.remaps] == [((0, 0, 3), (target // 10 % 2, target // 20, target % 10))]
    assert not any("remapped" in lost for lost in layout.lost)
    assert (target // 10 % 2, target // 20, target % 10) not in places(layout)


def test_slips_in_a_range_of_cylinders_use_its_spares_up(disk):
    for slips, held in (("", 74), ("3, 24", 74), ("3, 4, 25", 74), ("3, 4, 5, 24", 73)):  # two ranges of 37 and 3
        layout = import_drive(disk(G1.format(mapping=0, scheme=8, spares=3, slips=slips, defects=""), 60, heads=2)).layout
        assert (layout.cylinder_spares, layout.spare_cylinders) == (3, 2)
        assert layout.capacity() == len(places(layout)) == held + 74
    drive = import_drive(disk(G1.format(mapping=0, scheme=8, spares=3, slips="3, 24", defects=""), 60, heads=2))
    text = description(drive, "tiny.model")
    assert "cylinder_spares = 3  # tiny.model:" in text and "spare_cylinders = 2  # tiny.model:" in text
    assert "factory_defects = [\n  [0, 0, 3], [0, 1, 4],  # tiny.model:" in text


def test_a_track_that_was_moved_is_moved_sector_by_sector(disk):
    layout = import_drive(disk(G1.format(mapping=0, scheme=1, spares=1, slips="", defects="2, 7"), 60, heads=2)).layout
    assert [(bad, to) for bad, to, _ in layout.remaps] == [((0, 1, sector), (1, 3, sector)) for sector in range(10)]


def test_a_replacement_that_holds_data_is_named_and_left_where_it_is(disk):
    layout = import_drive(disk(G1.format(mapping=0, scheme=9, spares=4, slips="", defects="3, 75, 4, 77, 5, 77"), 60, heads=2)).layout
    assert [(bad, to) for bad, to, _ in layout.remaps] == [((0, 0, 4), (1, 3, 7))]
    assert any("2 sectors remapped at the factory to places that are no spares" in lost for lost in layout.lost)


@pytest.mark.parametrize(("defects", "wrong"), [("3, 80", "80.0"), ("80, 3", "80.0"), ("3, word", "word")])
def test_a_remap_outside_its_zone_is_refused(disk, defects, wrong):
    with pytest.raises(InputError) as raised:
        import_drive(disk(G1.format(mapping=0, scheme=9, spares=4, slips="", defects=defects), 60, heads=2))
    assert f"'defects': {wrong} is no sector of its zone" in str(raised.value)
