"""`tessera import disksim`: each of DiskSim's layouts from small files, and layouts that are wrong."""

import pytest

from tessera import InputError
from tessera.disksim.drive import import_drive
from tessera.disksim.text import description

DISK = """
dm_disk TINY_model {{
  Block count = {blocks}, Number of data surfaces = 2, Number of cylinders = 4,
  Mechanical Model = dm_mech_g1 {{
    Seek type = constant, Constant seek time = 3.0, Add. write settling delay = 0.1, Head switch time = 0.5, Rotation speed (in rpms) = 7200
  }},
  Layout Model = {layout}
}}
"""
G2 = """dm_layout_g2 {{ Layout Map File = tiny.map, Zones = [
  dm_layout_g2_zone {{ First cylinder number = 0, Last cylinder number = 1, First LBN = 0, Last LBN = {last}, Blocks per track = 10, Zone Skew = 0.5,
    Skew units = {units}, Skew for track switch = 0.2, Skew for cylinder switch = 0.3 }},
  dm_layout_g2_zone {{ First cylinder number = 2, Last cylinder number = 3, First LBN = 39, Last LBN = 70, Blocks per track = 8, Skew for track switch = 1 }} ] }}"""
MAP = """some drive
extracted
4 cylinders, 7200 rot, 2 heads
lbn 0 --> cyl 0, head 0, sect 0, seqcnt 9
lbn 10 --> cyl 0, head 1, sect 0, seqcnt 8
lbn 19 --> cyl 1, head 0, sect 0, seqcnt 4
lbn 24 --> cyl 3, head 1, sect 7, cnt 1
lbn 25 --> cyl 1, head 0, sect 6, seqcnt 3
lbn 29 --> cyl 1, head 1, sect 0, seqcnt 9
lbn 39 --> cyl 2, head 0, sect 0, seqcnt 7
lbn 47 --> cyl 2, head 1, sect 0, seqcnt 7
lbn 55 --> cyl 3, head 0, sect 0, seqcnt 7
lbn 63 --> cyl 3, head 1, sect 0, seqcnt 7
Defect at cyl 0, head 1, sect 9
"""
# Two patterns; a cylinder of each; the first twice, then the second twice, one block of which is slipped and one remapped.
G4 = """dm_layout_g4 {{
  TP = [ 0, 9, 10, 0, 7, 8 ],
  IDX = [
    [ 0, 0, 0.0, 10, 1, 0.0, 10, 1, TRACK, 0, 0, 10, 0, 0.2, 10, 1, 0.0, 10, 1, TRACK, 0, 1 ],
    [ 0, 0, 0.0, 8, 1, 0.0, 8, 1, TRACK, 1, 0, 8, 0, 0.25, 8, 1, 0.0, 8, 1, TRACK, 1, 1 ],
    [ {first}, 0, 0.0, 20, 1, 0.5, 40, {run}, IDX, 0, 40, 2, 0.5, 16, 1, 0.5, 32, 2, IDX, {child} ]
  ],
  Slips = [ {slips} ], Remaps = [ {remaps} ] }}"""
G4_SHAPE = {"first": 0, "run": 2, "child": 1, "slips": "45, 1", "remaps": "3, 2, 3, 1, 6, 8"}


@pytest.fixture
def disk(tmp_path):
    def lay_out(layout, blocks=50, map_=MAP):
        (tmp_path / "tiny.model").write_text(DISK.format(layout=layout, blocks=blocks))
        (tmp_path / "tiny.map").write_text(map_)
        return tmp_path / "tiny.model"

    return lay_out


def g2(**shape):
    return G2.format(**{"last": 38, "units": "revolutions"} | shape)


def g4(**shape):
    return G4.format(**G4_SHAPE | shape)


def rows(layout):
    return [[zone.last, zone.sectors, zone.track_skew, zone.cylinder_skew, zone.spares, zone.start] for zone in layout.zones]


def test_a_map_of_blocks_says_what_each_track_holds(disk):
    drive = import_drive(disk(g2()))
    assert rows(drive.layout) == [[1, 10, 2, 3, 0, 5], [3, 8, 1, 0, 0, 0]]
    assert drive.layout.shorter == {(1, 0): 1}  # the remapped block counts where it belongs
    assert drive.layout.capacity() == 71
    assert any("1 sectors remapped at the factory" in lost for lost in drive.lost) and any("1 places named as defects" in lost for lost in drive.lost)
    assert "slipped_defects" in description(drive, "tiny.model")


def test_a_tree_of_patterns_says_what_each_track_holds_and_where_it_begins(disk):
    drive = import_drive(disk(g4()))
    assert rows(drive.layout) == [[1, 10, 2, 3, 0, 0], [3, 8, 2, 2, 0, 4]]
    assert drive.layout.shorter == {(0, 2): 1} and drive.layout.capacity() == 71
    assert any("2 sectors remapped at the factory" in lost for lost in drive.lost)


def test_a_tree_whose_disk_counts_one_cylinder_too_few_is_read(disk):
    drive = import_drive(disk(g4().replace("40, 2, 0.5, 16", "40, 3, 0.5, 16")))
    assert [row[:2] for row in rows(drive.layout)] == [[1, 10], [2, 10], [4, 8]] and drive.layout.capacity() == 71
    assert any("'Number of cylinders' is 4, the zones have 5; written as they have them" in lost for lost in drive.lost)


def test_a_tree_may_go_over_its_cylinders_backwards(disk):
    drive = import_drive(disk(g4(run=-2).replace("[ 0, 0, 0.0, 20", "[ 0, 1, 0.0, 20")))
    assert [row[:2] for row in rows(drive.layout)] == [[1, 10], [3, 8]]
    assert any("an order of tracks that a description cannot say" in lost for lost in drive.lost)


def test_patterns_that_leave_the_end_of_each_track_out_are_spares_of_it(disk):
    layout = import_drive(disk(g4(slips="", remaps="").replace("0, 9, 10, 0, 7, 8", "0, 9, 11, 0, 7, 9"))).layout
    assert (layout.track_spares, layout.capacity()) == (1, 72)
    layout = import_drive(disk(g4(slips="").replace("0, 9, 10, 0, 7, 8", "0, 9, 11, 0, 7, 8"))).layout
    assert layout.track_spares == 0 and any("written as shorter tracks" in lost for lost in layout.lost)


def test_spares_that_were_not_used_up_make_a_track_longer_again(disk):
    drive = import_drive(disk(g4(slips="41, 2, 48, -1")))
    assert drive.layout.capacity() == 71 and drive.layout.shorter == {(0, 2): 1}


G1 = """dm_layout_g1 {{ LBN-to-PBN mapping scheme = {mapping}, Sparing scheme used = {scheme}, Rangesize for sparing = 2, Skew units = {units}, Zones = [
  dm_layout_g1_zone {{ First cylinder number = 0, Last cylinder number = 3, Blocks per track = 10, Offset of first block = 0.0, {own}
    Empty space at zone front = 0, Skew for track switch = 2.0, Skew for cylinder switch = 3.0, Number of spares = {spares}, slips = [ {slips} ], defects = [ {defects} ] }} ] }}"""


def g1(**shape):
    return G1.format(**{"mapping": 0, "scheme": 0, "units": "sectors", "own": "", "spares": 0, "slips": "", "defects": ""} | shape)


@pytest.mark.parametrize("mapping", [0, 1, 2])
@pytest.mark.parametrize("scheme", range(11))
def test_each_order_and_each_sparing_scheme_makes_a_drive(disk, mapping, scheme):
    drive = import_drive(disk(g1(mapping=mapping, scheme=scheme, spares=0 if scheme in (0, 7) else 1, slips="3")))
    held = {0: 79, 1: 70, 2: 76, 3: 72, 4: 75, 5: 76, 6: 75, 7: 79, 8: 78, 9: 79, 10: 78}
    assert drive.layout.capacity() == held[scheme]
    orders = {1: "cylinder_serpentine", 2: "cylinder_serpentine_even"}
    assert [line.value for line in drive.lines if line.key == "track_order"] == [f'"{orders[mapping]}"' for _ in range(bool(mapping))]
    assert (scheme in (5, 6)) == any("at the front of each cylinder" in lost for lost in drive.lost)


@pytest.mark.parametrize(("mapping", "tracks"), [(0, [(0, 1), (1, 1)]), (1, [(1, 1), (0, 1)]), (2, [(1, 1), (0, 1)])])
def test_a_slip_is_on_the_track_that_the_order_says_and_spares_at_the_end_of_it(disk, mapping, tracks):
    for number, track in enumerate(tracks):  # the third and fourth track of two surfaces with ten sectors each
        layout = import_drive(disk(g1(mapping=mapping, scheme=0, spares=0, slips=str(20 + 10 * number)))).layout
        assert layout.shorter == {track: 1}
    layout = import_drive(disk(g1(mapping=mapping, scheme=2, spares=1))).layout
    fewer = {(surface, cylinder): 10 - layout.numbered((surface, cylinder)) for surface in range(2) for cylinder in range(4)}
    assert fewer == {(surface, cylinder): int(surface == (0 if mapping and cylinder % 2 else 1)) for surface, cylinder in fewer}


def test_more_spares_than_a_track_holds_take_the_tracks_in_front_too(disk):
    layout = import_drive(disk(g1(scheme=8, spares=13), blocks=30)).layout  # of each two cylinders
    fewer = {(surface, cylinder): 10 - layout.numbered((surface, cylinder)) for surface in range(2) for cylinder in (1, 3)}
    assert fewer == {(1, 1): 10, (0, 1): 3, (1, 3): 10, (0, 3): 3} and layout.capacity() == 54


def test_a_zones_unit_of_skews_wins_over_its_layouts(disk):
    drive = import_drive(disk(g1(units="revolutions", own="Skew units = sectors,")))
    assert rows(drive.layout) == [[3, 10, 2, 3, 0, 0]]
    drive = import_drive(disk(g1(own="Skew units = revolutions,").replace("switch = 2.0", "switch = 0.4")))
    assert rows(drive.layout)[0][2] == 4


@pytest.mark.parametrize(
    ("layout", "map_", "expected"),
    [
        (g1(mapping=3), MAP, "'LBN-to-PBN mapping scheme': expected 0 to 2, found 3"),
        (g1(mapping=8), MAP, "expected 0 to 2, found 8, to which DiskSim gives no order"),
        (g1(scheme=2, spares=20), MAP, "20 spares leave nothing of 1 cylinders of 20 sectors"),
        (g1(units="degrees"), MAP, "'Skew units': expected sectors or revolutions, found 'degrees'"),
        (g1(defects="1, 2, 3"), MAP, "expected pairs of a defect and its replacement, found 3 numbers"),
        (g1(slips="80"), MAP, "'slips': 80.0 is no sector of its zone"),
        (g1(slips="[ 1 ]"), MAP, "'slips': a block or list is no sector"),
        ("dm_layout_g3 { }", MAP, "unknown layout 'dm_layout_g3'; expected dm_layout_g1, dm_layout_g2, dm_layout_g4"),
        (g2(), None, "expected a layout map"),
        (g2(), MAP[:20], "tiny.map:3: expected 'N cylinders, N rot, N heads'"),
        (g2(), MAP.replace("4 cylinders", "5 cylinders"), "tiny.map:3: 5 cylinders and 2 heads, but the disk has 4 and 2"),
        (g2(), MAP.replace("lbn 19", "lbn 20"), "tiny.map:6: expected block 19, which follows the line before, found 20"),
        (g2(), MAP.replace("cyl 2, head 1", "cyl 2, head 2"), "tiny.map:11: cylinder 2, head 2: the disk has 4 cylinders and 2 heads"),
        (g2(), MAP.replace("seqcnt 8", "seqcnt"), "tiny.map:5: expected 'lbn N --> cyl N"),
        (g2(), MAP.replace("head 1, sect 0, seqcnt 8", "head 0, sect 0, seqcnt 8"), "cylinder 0, head 0 holds 19 blocks, but the zone has 10 per track"),
        (g2(), "\n".join(MAP.splitlines()[:3]), "maps no block"),
        (g2(last=99), MAP, "the zone's blocks 0 to 99 are not those of its map, which holds 71"),
        (g4(child=2), MAP, "'IDX': node 2 is part of itself"),
        (g4(child=7), MAP, "'IDX': node 7, but there are 3"),
        (g4(first=1), MAP, "'IDX': blocks 0 to 0 are on no track"),
        (g4(run=2).replace("40, 2, 0.5, 16", "39, 2, 0.5, 16"), MAP, "'IDX': blocks 39 to 39 are on two tracks"),
        (g4().replace("TRACK, 0, 0,", "TRACK, 0, 7,"), MAP, "a track on cylinder 0, head 7: expected 0 to 16,777,215, and the disk has 2 heads"),
        (g4(slips="45"), MAP, "'Slips': expected a list of numbers, 2 a row"),
        (g4(remaps="a, 2, 3, 1, 6, 8"), MAP, "'Remaps': expected a list of numbers, 6 a row"),
        (g4().replace("TRACK, 0, 0,", "CIRCLE, 0, 0,"), MAP, "expected TRACK or IDX as the ninth of an entry, found 'CIRCLE'"),
        (g4().replace("TRACK, 1, 1 ]", "TRACK, 1 ]"), MAP, "an entry of 10 values; expected eight numbers"),
        (g4().replace("TRACK, 1, 1 ]", "TRACK, 5, 1 ]"), MAP, "track pattern 5, but 'TP' has 2"),
        (g4().replace("0, 9, 10,", "9, 0, 10,"), MAP, "'TP': sectors 9 to 0 of a track of 10"),
        (g4().replace("16, 1, 0.5, 32", "0, 1, 0.5, 32"), MAP, "32 blocks in instances of 0"),
        (g4().replace("16, 1, 0.5, 32, 2", "1, 1, 0.5, 900000000, 2"), MAP, "'IDX': "),
        (g4().replace("IDX = [", "IDX = [ 1,"), MAP, "'IDX': expected a list of lists"),
    ],
)  # fmt: skip
def test_a_layout_that_is_wrong_is_refused_with_its_place(disk, tmp_path, layout, map_, expected):
    file = disk(layout, map_=map_ or "")
    if map_ is None:
        (tmp_path / "tiny.map").unlink()
    with pytest.raises(InputError) as raised:
        import_drive(file)
    assert expected in str(raised.value) and ("tiny.m" in str(raised.value))


@pytest.mark.parametrize("layout", [g1(scheme=8, spares=1, slips="1, 2", defects="1, 2"), g2(), g4()])
def test_a_file_that_is_cut_anywhere_or_has_another_word_anywhere_is_refused_or_read(disk, layout):
    """Nothing but a drive or a sentence with its file comes out."""
    whole = disk(layout).read_text()
    words = whole.split(" ")
    damaged = [" ".join(words[:count]) for count in range(0, len(words), 3)]
    damaged += [" ".join([*words[:at], wrong, *words[at + 1 :]]) for at in range(0, len(words), 4) for wrong in ("nan", "-1", "[", "99999999999999999999")]
    refused = 0
    for text in damaged:
        file = disk(layout)
        file.write_text(text)
        try:
            import_drive(file)
        except InputError as error:
            refused += 1
            assert "tiny." in str(error)
    assert refused > len(damaged) / 2
