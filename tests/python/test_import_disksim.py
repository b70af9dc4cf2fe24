"""Drives from DiskSim's parameter files: what they hold, where it came from, what could not be carried over, and files that are wrong."""

import tomllib
from pathlib import Path

import pytest
from samples import REPOSITORY
from simulate import SIMULATOR, simulate
from typer.testing import CliRunner

from tessera import InputError
from tessera.cli import app
from tessera.disksim.drive import import_drive
from tessera.disksim.seeks import distances

PUBLISHED = REPOSITORY.parent / "shared" / "measured" / "disksim"

MODEL = """
# a disk of three zones
dm_disk TINY_model {{
  Block count = {blocks},
  Number of data surfaces = 3,
  Number of cylinders = {cylinders},
  Mechanical Model = dm_mech_g1 {{
    Access time type = trackSwitchPlusRotation, Seek type = {seek},
    Single cylinder seek time = 1.0, Average seek time = 4.0, Full strobe seek time = 8.0,
    Full seek curve = tiny.seek, Constant seek time = 3.0,
    HPL seek equation values = [ 40, 1.0, 0.5, 4.0, 0.01, -1.0 ],
    First ten seek times = [ 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9 ],
    Add. write settling delay = {settle}, Head switch time = 0.5, Rotation speed (in rpms) = 7200, Percent error in rpms = 0.0
  }},
  Layout Model = dm_layout_g1 {{
    LBN-to-PBN mapping scheme = {mapping}, Sparing scheme used = {scheme}, Rangesize for sparing = 4,
    Zones = [
      dm_layout_g1_zone {{ First cylinder number = 0, Last cylinder number = 39, Blocks per track = 100, Offset of first block = 0.0,
        Empty space at zone front = 50, Skew for track switch = 10, Skew for cylinder switch = 20.0, Number of spares = {spares}, slips = [ {slips} ], defects = [] }},
      dm_layout_g1_zone {{ First cylinder number = {second}, Last cylinder number = 99, Blocks per track = 80, Offset of first block = 7,
        Empty space at zone front = 0, Skew for track switch = 8, Skew for cylinder switch = 16, Number of spares = {spares}, slips = [], defects = [] }}
    ]
  }}
}}
"""
SPECS = """
disksim_disk TINY {
  Model = source tiny.model,
  Scheduler = disksim_ioqueue { Scheduling policy = 1 }, Max queue length = 4,
  Bulk sector transfer time = 0.1, Hold bus entire read xfer = 0, Hold bus entire write xfer = 0, Per-request overhead time = 0.25, Time scale for overheads = 2.0,
  Number of buffer segments = 2, Segment size (in blks) = 64, Enable caching in buffer = 1, Buffer continuous read = 3, Maximum read-ahead (blks) = 48,
  Read-ahead on idle hit = 1, Fast write level = 0, Read hit over. after read = 0.3, Read completion overhead = 0.2, Write completion overhead = 0.05,
  Preseeking level = 2
}
"""
SEEKS = "Seek distances measured: 3\n1, 1.0\n10, 2.5\n99, 8.0\n"
SHAPE = {"blocks": 1000, "cylinders": 100, "seek": "extracted", "settle": "0.25", "mapping": 0, "scheme": 9, "spares": 30, "second": 40, "slips": "5, 301"}


@pytest.fixture
def files(tmp_path):
    def lay_out(specs=SPECS, seeks=SEEKS, model=None, **shape):
        (tmp_path / "tiny.model").write_text(model if model is not None else MODEL.format(**SHAPE | shape))
        (tmp_path / "tiny.diskspecs").write_text(specs)
        (tmp_path / "tiny.seek").write_text(seeks)
        (tmp_path / "tiny.parv").write_text("disksim_bus B { type = 1, Read block transfer time = 0.2 }\nsource tiny.diskspecs\ninstantiate [ d0 ] as TINY\n"
                                            "topology disksim_bus b [ disksim_disk d0 [] ]\n")  # fmt: skip
        return tmp_path / "tiny.diskspecs"

    return lay_out


def imported(file, out, status=0):
    result = CliRunner().invoke(app, ["import", "disksim", str(file), "--out", str(out)], env={"TESSERA_SIM": str(SIMULATOR)})
    assert result.exit_code == status, result.output
    return result.output


@pytest.mark.usefixtures("the_built_simulator")
def test_every_line_has_its_value_and_its_source_and_the_drive_runs(files, tmp_path):
    said = imported(files(), tmp_path / "tiny.toml")
    text = (tmp_path / "tiny.toml").read_text()
    drive = tomllib.loads(text)
    assert drive["media"]["rpm"] == "7200 rpm" and drive["media"]["surfaces"] == 3 and drive["media"]["write_settle"] == "0.25 ms"
    # 40 cylinders of 3 tracks of 100; of 30 spares two are used by slipped sectors, in the first and the fourth track
    assert drive["media"]["zones"] == [[39, 100, 10, 20, 28, 0], [99, 80, 8, 16, 30, 7]]
    assert drive["media"]["slipped_defects"] == [[0, 0, 1], [0, 1, 1]]
    assert drive["media"]["seek_curve"] == [[1, 1], [10, 2.5], [99, 8]]
    assert drive["host"] == {
        "tags": 4, "link_rate": "5120000 B/s", "command_overhead": "0.5 ms", "completion_overhead": "0.1 ms", "read_completion_overhead": "0.3 ms",
        "stream_reads": True, "write_data": "on_request",
    }  # fmt: skip
    assert drive["firmware"]["read_cache"] == {"segments": 2, "segment_sectors": 64, "read_ahead": 48, "extend_at_hit": True}
    assert drive["firmware"]["overheads"] == {"read_hit_after_read": "0.6 ms"}  # times the scale
    assert "tiny.diskspecs:7 Read hit over. after read" in text and "# tiny.model:18" in text
    assert "tiny.diskspecs:8: 'Preseeking level' = 2: a description cannot say it" in said and "Preseeking level" in text
    simulate("run", tmp_path / "tiny.toml", "--workload", "random-4k", "--fold", "--limit", 50, "--check", "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("keys", "host", "lost"),
    [
        ("High (read) water mark = 0.75, Set watermark by reqsize = 1", {"stream_reads": "true", "read_water_mark": "0.75"}, ""),
        ("High (read) water mark = 0.75", {"stream_reads": "true", "read_water_mark": "0.75"}, "75 % of the segment"),
        ("High (read) water mark = 1.0", {"stream_reads": "false"}, ""),
        ("Extra write disconnect = 1, Extradisc command overhead = 0.6, Extradisc disconnect overhead = 0.05, Extradisc inter-disconnect delay = 0.4, First reselect overhead = 0.2",
         {"write_data_delay": '"2.5 ms"'}, "of reads"),  # times the scale
        ("Extra write disconnect = 1, Extradisc command overhead = 0.6, Data preparation overhead = 0.1", {"write_data_delay": '"1.4 ms"'}, ""),
        ("Data preparation overhead = 0.1", {"write_data_delay": '"0.2 ms"'}, ""),
        ("Extra write disconnect = 0, Extradisc command overhead = 0.6", {}, "'Extradisc command overhead' = 0.6"),
    ],
)  # fmt: skip
def test_water_marks_and_disconnects_are_what_the_link_waits_for(files, keys, host, lost):
    drive = import_drive(files(SPECS.replace("Preseeking level = 2", keys)))
    said = {line.key: line.value for line in drive.lines if line.section == "host"}
    names = ("stream_reads", "read_water_mark", "write_data_delay")
    assert {key: said[key] for key in names if key in said} == {"stream_reads": "true"} | host
    assert [line for line in drive.lost if lost in line] if lost else not [line for line in drive.lost if "mark" in line or "isc" in line]


@pytest.mark.parametrize(
    ("scheme", "spares", "fewer"),
    [
        (0, 0, 2),  # each slipped sector is one less
        (1, 2, 2 * 100 + 2 * 80),  # two tracks at the end of each zone
        (2, 3, 3 * 100),  # of each of 100 cylinders, and slips use them up
        (4, 3, 3 * 100 + 2),  # slips come on top
        (7, 0, 2),
        (8, 6, 6 * 25),  # of each four cylinders
        (9, 30, 60),
        (10, 30, 62),
    ],
)
def test_a_drive_holds_what_disksim_counts(files, scheme, spares, fewer):
    drive = import_drive(files(scheme=scheme, spares=spares, slips="5, 30" if scheme == 1 else "5, 301"))
    assert drive.layout.capacity() == 40 * 3 * 100 + 60 * 3 * 80 - 50 - fewer


def test_slipped_tracks_hold_nothing_and_use_up_the_zones_spare_tracks(files):
    layout = import_drive(files(scheme=1, spares=2, slips="5, 30")).layout
    assert layout.shorter == {(2, 1): 100, (0, 10): 100}
    assert [zone.spares for zone in layout.zones] == [0, 160]


def test_spares_at_the_end_of_each_track_pass_under_the_head(files, tmp_path):
    drive = import_drive(files(scheme=3, spares=2))
    assert (drive.layout.track_spares, [zone.sectors for zone in drive.layout.zones]) == (2, [98, 78])
    assert drive.layout.capacity() == (40 * 98 + 60 * 78) * 3 - 50  # a slipped sector uses up a spare of its track
    assert not any("each track" in lost for lost in drive.lost)


def test_delivered_sectors_and_segments_are_kept_or_given_up_as_the_file_says(files):
    def lines(**keys):
        extra = "".join(f", {key} = {value}" for key, value in keys.items())
        drive = import_drive(files(specs=SPECS.replace("  Preseeking level = 2", "  Preseeking level = 2" + extra)))
        return {line.key: line.value for line in drive.lines if line.section == "firmware.read_cache"}

    assert "keep_delivered" not in lines() and "writes_end_segments" not in lines()
    assert lines(**{"Read-ahead over requested": 1})["keep_delivered"] == lines(**{"Read-ahead over requested": -1})["keep_delivered"] == "false"
    assert "zero_latency" not in lines(**{"Read any free blocks": 0})
    assert lines(**{"Read any free blocks": 1})["zero_latency"] == "true"
    assert lines(**{"Maximum number of write segments": 2, "Use separate write segment": 0})["writes_end_segments"] == "true"
    assert "writes_end_segments" not in lines(**{"Maximum number of write segments": 2, "Use separate write segment": 1})


def test_a_read_ahead_to_the_tracks_end_is_half_a_track_and_no_hit_extends_it(files):
    drive = import_drive(files(specs=SPECS.replace("Buffer continuous read = 3", "Buffer continuous read = 1").replace("blks) = 48", "blks) = 64")))
    found = {line.key: line.value for line in drive.lines}
    assert (found["read_ahead"], found["extend_at_hit"]) == ("50", "false")
    assert any("read-ahead to the end of the track; written as half a track" in lost for lost in drive.lost)


def host_lines(file):
    return {line.key: line.value for line in import_drive(file).lines if line.section == "host"}


def test_a_write_that_completes_later_than_a_read_says_so(files):
    found = host_lines(files(specs=SPECS.replace("Write completion overhead = 0.05", "Write completion overhead = 0.35")))
    assert (found["completion_overhead"], found["write_completion_overhead"]) == ('"0.4 ms"', '"0.3 ms"') and "read_completion_overhead" not in found


def test_a_slow_write_takes_the_bus_again_for_its_status_and_a_read_prepares_its_data(files):
    keys = "First reselect overhead = 0.1, Data preparation overhead = 0.02"
    slow, fast = (host_lines(files(specs=SPECS.replace("Preseeking level = 2", keys).replace("Fast write level = 0", f"Fast write level = {level}"))) for level in (0, 2))
    assert (slow["completion_overhead"], slow["read_completion_overhead"]) == ('"0.3 ms"', '"0.14 ms"')  # 2 (0.05 + 0.1), and 2 (0.2 + 0.02) of a read
    assert (fast["completion_overhead"], fast["read_completion_overhead"]) == ('"0.14 ms"', '"0.3 ms"')


def test_a_bus_that_is_slower_for_writes_says_so(files):
    file = files(specs=SPECS.replace("Bulk sector transfer time = 0.1", "Bulk sector transfer time = 0.0")).with_suffix(".parv")
    assert "write_rate" not in host_lines(file)
    file.write_text(file.read_text().replace("transfer time = 0.2", "transfer time = 0.2, Write block transfer time = 0.25"))
    found = host_lines(file)
    assert (found["link_rate"], found["write_rate"]) == ('"2560000 B/s"', '"2048000 B/s"')


def test_a_read_that_settles_longer_than_a_write_says_so(files):
    drive = import_drive(files(settle="-0.25"))
    found = {line.key: line.value for line in drive.lines}
    assert (found["read_settle"], found["head_switch"]) == ('"0.25 ms"', '"0.25 ms"') and "write_settle" not in found
    assert drive.seeks[0] == (1, 0.75)


def test_cylinders_that_no_zone_holds_are_spare(files):
    drive = import_drive(files(second=42))
    assert [(zone.first, zone.last, zone.place is None) for zone in drive.layout.zones] == [(0, 39, False), (40, 41, True), (42, 99, False)]
    assert drive.layout.capacity() == 40 * 3 * 100 + 58 * 3 * 80 - 50 - 60


def test_what_a_description_cannot_say_is_named_with_its_place(files):
    drive = import_drive(files(mapping=1))
    assert any((line.key, line.value) == ("track_order", '"cylinder_serpentine"') and "tiny.model:16" in line.source for line in drive.lines)
    drive = import_drive(files(specs=SPECS.replace("Max queue length", "Max queu length")))
    assert any("tiny.diskspecs:4: unknown key 'Max queu length'; did you mean 'Max queue length'?" in lost for lost in drive.lost)


@pytest.mark.parametrize("kind", ["constant", "linear", "curve", "hpl", "hplplus10"])
def test_seek_formulas_become_curves_that_rise(files, kind):
    curve = import_drive(files(seek=kind)).seeks
    assert [d for d, _ in curve] == sorted({d for d, _ in curve}) and curve[0][0] == 1 and curve[-1][0] == 99
    by_distance = dict(curve)
    if kind == "hpl":
        assert by_distance[1] == 1.5 and by_distance[40] == pytest.approx(4.4) and by_distance[39] == pytest.approx(1 + 0.5 * 39**0.5)
    if kind == "curve":
        assert by_distance[1] == 1 and by_distance[99] == pytest.approx(8, abs=0.2)
    if kind == "hplplus10":
        assert by_distance[10] == 1.9


def test_distances_are_dense_where_a_curve_bends():
    assert distances(5000)[:6] == [1, 2, 3, 4, 5, 6] and distances(5000)[-1] == 4999 and len(distances(5000)) < 110
    assert distances(1) == [1]


@pytest.mark.parametrize(
    ("seeks", "curve", "settle", "lost"),
    [
        ("1, 1.0\n10, 2.5\n99, 8.0\n", [(1, 1), (10, 2.5), (99, 8)], 0.25, ""),  # without a first line
        ("Seek distances measured: 3\n1, 1.0, 0.02\n10, 2.5, 0.1\n99, 8.0, 0.3\n", [(1, 1), (10, 2.5), (99, 8)], 0.25, ""),  # with deviations
        ("1, 1.0, 0, 1.5\n10, 2.5, 0, 3.0\n99, 8.0, 0, 8.5\n", [(1, 1), (10, 2.5), (99, 8)], 0.75, ""),  # and the times of writes
        ("1, 1.0, 0, 1.5\n10, 2.5, 0, 3.5\n99, 8.0, 0, 8.75\n", [(1, 1), (10, 2.5), (99, 8)], 1.0, "tiny.seek: the seeks of writes take 0.5 to 1 ms longer; written as 0.75 ms"),
        ("Seek distances measured: 4\n1, 1.0\n10, 2.5\n50, 0.6\n99, 8.0\n", [(1, 1), (10, 2.5), (99, 8)], 0.25, "tiny.seek:4: seek times fall: 0.6 ms over 50 cylinders, 2.5 ms over fewer; left out"),
        ("Seek distances measured: 4\n1, 1.0\n10, 2.5\n99, 8.0\n", [(1, 1), (10, 2.5), (99, 8)], 0.25, "tiny.seek: holds 3 seek times, and its first line says 4"),
    ],
)  # fmt: skip
def test_a_seek_table_of_each_form_is_read_and_what_is_odd_in_it_is_said(files, seeks, curve, settle, lost):
    drive = import_drive(files(seeks=seeks))
    assert drive.seeks == curve
    assert {line.key: line.value for line in drive.lines}["write_settle"] == f'"{settle:g} ms"'
    about = [line for line in drive.lost if "tiny.seek" in line]
    assert len(about) == bool(lost) and (not lost or lost in about[0])


def test_zones_past_the_number_of_cylinders_are_the_disks_as_disksim_has_it(files):
    drive = import_drive(files(cylinders=99))
    assert drive.layout.zones[-1].last == 99 and drive.layout.capacity() == import_drive(files()).layout.capacity()
    assert "tiny.model:6: 'Number of cylinders' is 99, the zones have 100; written as they have them" in drive.lost


@pytest.mark.usefixtures("the_built_simulator")
def test_more_segments_than_a_description_takes_are_said(files, tmp_path):
    said = imported(files(specs=SPECS.replace("buffer segments = 2", "buffer segments = 2048")), tmp_path / "drive.toml")
    assert tomllib.loads((tmp_path / "drive.toml").read_text())["firmware"]["read_cache"]["segments"] == 1024
    assert "tiny.diskspecs:6: 2,048 segments; written as 1,024, the most that a description takes" in " ".join(said.split())


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"model": MODEL.format(**SHAPE)[:700]}, "tiny.model:16: the file ends where"),
        ({"specs": SPECS.replace("tiny.model", "gone.model")}, "tiny.diskspecs:3: "),
        ({"specs": "source tiny.diskspecs"}, "includes itself (tiny.diskspecs -> tiny.diskspecs)"),
        ({"model": "source tiny.diskspecs"}, "tiny.model:1: tiny.diskspecs includes itself (tiny.diskspecs -> tiny.model -> tiny.diskspecs)"),
        ({"model": "# nothing\n"}, "tiny.diskspecs:3: the file that 'Model' includes holds no block"),
        ({"specs": "disksim_disk A { Model = " + "[ " * 100}, "tiny.diskspecs:1: more than 64 blocks and lists inside one another"),
        ({"specs": "disksim_disk A { Model = " + "b { c = " * 100}, "tiny.diskspecs:1: more than 64 blocks and lists inside one another"),
        ({"specs": SPECS.replace("Fast write level = 0", "Fast write level = nan")}, "'Fast write level': expected a number, found 'nan'"),
        ({"specs": SPECS.replace("Segment size (in blks) = 64", "Segment size (in blks) = 1e999")}, "'Segment size (in blks)': expected a number, found '1e999'"),
        ({"specs": SPECS + SPECS.replace("TINY", "OTHER")}, "describes 2 disks (TINY, OTHER); expected one"),
        ({"model": MODEL.format(**SHAPE).replace("dm_layout_g1 {", "dm_layout_g9 {")}, "unknown layout 'dm_layout_g9'; expected dm_layout_g1"),
        ({"scheme": 11}, "'Sparing scheme used': expected 0 to 10, found 11"),
        ({"seek": "guessed"}, "unknown seek type 'guessed'; expected one of extracted"),
        ({"seeks": SEEKS.replace("99, 8.0", "9, 8.0")}, "tiny.seek:4: expected a longer distance than 10 cylinders, found 9"),
        ({"seeks": SEEKS.replace("99, 8.0", "98, 0.7\n99, 0.8")}, "tiny.seek:5: seek times fall: 0.8 ms over 99 cylinders, 2.5 ms over fewer"),
        ({"seeks": SEEKS + "5, 1, 1, 1, 1\n"}, "tiny.seek:5: expected two to four numbers, found 5"),
        ({"seeks": "distance, time\n"}, "tiny.seek:1: expected 'distance, milliseconds', found 'distance, time' (or 'Seek distances measured: COUNT')"),
        ({"seeks": "Seek distances measured: 0\n"}, "tiny.seek: holds no seek time"),
        ({"second": 30}, "zone 2 begins at cylinder 30, inside the zone before, which ends at 39"),
        ({"blocks": 10**6}, "'Block count' is 1,000,000, but the zones hold 26,290 sectors"),
        ({"specs": SPECS.replace("Max queue length = 4", "Max queue length = 4, Max queue length = 5")}, "'Max queue length' is given twice (first at tiny.diskspecs:4)"),
        ({"specs": SPECS.replace("Max queue length = 4", "Max queue length = many")}, "tiny.diskspecs:4: 'Max queue length': expected a number, found 'many'"),
        ({"model": MODEL.format(**SHAPE | {"seek": "hplplus10"}).replace("1.1, 1.2", "1.1, soon")}, "'First ten seek times': expected ten numbers"),
        ({"model": MODEL.format(**SHAPE | {"seek": "hpl"}).replace("4.0, 0.01, -1.0", "1.0, 0.001, -1.0")}, "tiny.model:11: seek times fall: 1.04 ms over 40 cylinders, 4.1225 ms over fewer"),
        ({"specs": "nothing"}, "tiny.diskspecs:1: the file ends where the name of a block was expected"),
        ({"specs": "# empty\n"}, "describes no disk; expected a block disksim_disk or dm_disk"),
        ({"specs": "\0"}, "not text; expected a parameter file of DiskSim"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_place_and_nothing_is_written(files, tmp_path, change, expected):
    file = files(**change)
    with pytest.raises(InputError) as raised:
        import_drive(file)
    assert expected in str(raised.value)
    assert expected in " ".join(imported(file, tmp_path / "drive.toml", status=2).split())
    assert not (tmp_path / "drive.toml").exists()


@pytest.mark.usefixtures("the_built_simulator")
def test_a_description_that_is_there_stays_unless_it_is_said(files, tmp_path):
    (tmp_path / "drive.toml").write_text("mine")
    assert "is there already" in imported(files(), tmp_path / "drive.toml", status=2)
    assert (tmp_path / "drive.toml").read_text() == "mine"


@pytest.mark.usefixtures("the_built_simulator")
@pytest.mark.parametrize(
    ("drive", "sectors"),
    [("hp_c2247a", 2054864), ("dec_rz26", 2050860), ("cheetah9LP", 17783240), ("cheetah4LP", 8887200), ("atlas10k", 17938986), ("atlas_III", 17783250), ("hp_c3323a", 2056008)],
)  # fmt: skip
def test_published_drives_are_read(tmp_path, drive, sectors):
    file = PUBLISHED / f"{drive}.parv"
    if not file.exists():
        pytest.skip(f"{file} is not there: the published parameter files are no part of the project")
    said = imported(file, tmp_path / "drive.toml")
    assert f"{sectors:,} sectors" in said
