"""tessera wave: from a run to its waveforms, and what is read, shown, selected, measured and converted of them."""

import json
import re
import shutil
import stat

import numpy as np
import pytest
from simulate import SIMULATOR, run, simulate
from typer.testing import CliRunner

from tessera import InputError
from tessera.cli import app
from tessera.waves.check import Description, seek_time
from tessera.waves.dump import Change, Dump
from tessera.waves.names import chosen
from tessera.waves.request import pieces, under_way
from tessera.waves.save_file import selected
from tessera.waves.text import lanes, listed
from tessera.waves.waits import waits

MS = 10**9  # ps

HAND_MADE = """$version hand $end
$timescale 1 ps $end
$scope module drive $end
$scope module media $end
$var string 1 a state $end
$var wire 2 b state_code [1:0] $end
$var wire 1 c busy $end
$upscope $end
$scope module nand $end
$var wire 8 d queue [7:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
#1000000000
$dumpvars
sidle a
b0 b
0c
bx d
$end
#2000000000
sseek a
b1 b
1c
#3000000000
b101 d
#5000000000
sidle a
0c
#6000000000
"""


@pytest.fixture
def hand_made(tmp_path):
    file = tmp_path / "hand.vcd"
    file.write_text(HAND_MADE)
    return file


@pytest.fixture(autouse=True)
def built_simulator(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))


def call(*words, status=0):
    result = CliRunner().invoke(app, ["wave", *map(str, words)])
    assert result.exit_code == status, result.output
    return result.output


def test_a_dump_says_its_signals_without_the_numbers_of_states_and_its_changes(hand_made):
    dump = Dump(hand_made)
    assert [(signal.path, signal.kind, signal.width) for signal in dump.signals] == [
        ("drive.media.state", "state", 0), ("drive.media.busy", "bit", 1), ("drive.nand.queue", "number", 8),
    ]  # fmt: skip
    assert dump.span() == (1 * MS, 6 * MS)
    queue = list(dump.changes(["drive.nand.queue"]))
    assert queue == [Change(1 * MS, "drive.nand.queue", "?"), Change(3 * MS, "drive.nand.queue", "5")]
    assert list(dump.changes(["drive.nand.queue"], 3 * MS)) == queue[:1]


def test_a_window_is_a_list_of_changes_behind_what_held_at_its_begin(hand_made):
    dump = Dump(hand_made)
    paths = chosen([signal.path for signal in dump.signals], ["media"])
    assert [line.split() for line in listed(dump.changes(paths), 4 * MS, 100)] == [
        ["4.000000", "ms", "media.state", "=", "seek"], ["media.busy", "=", "1"],
        ["5.000000", "ms", "media.state", "=", "idle"], ["media.busy", "=", "0"],
    ]  # fmt: skip
    assert list(listed(dump.changes(paths), 1 * MS, 3))[-1] == "... (the first 3 lines; --limit shows more)"


def test_lanes_show_what_held_longest_in_each_column(hand_made):
    dump = Dump(hand_made)
    paths = [signal.path for signal in dump.signals]
    # 13 columns of names, and 20 of a quarter of a millisecond each.
    assert list(lanes(dump.changes(paths, 6 * MS), paths, 1 * MS, 6 * MS, 33)) == [
        "             1 ms            6 ms",
        "media.state  |idl|seek       |idl", "media.busy   |0  |1          |0  ", "nand.queue   |?      |5          ",
    ]  # fmt: skip


def test_a_pattern_without_a_signal_names_the_nearest_signal_or_scope():
    known = ["drive.media.state", "drive.nand.die_0.state", "drive.nand.die_1.state"]
    assert chosen(known, ["nand.die_?", "media.st*"]) == known
    with pytest.raises(InputError, match="unknown signal 'mediaa'; did you mean 'media'"):
        chosen(known, ["mediaa"])


def test_a_run_is_made_again_for_a_window_of_its_waveforms(tmp_path):
    CliRunner().invoke(app, ["run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", "60", "--requests", "--out", str(tmp_path / "run")])
    before = (tmp_path / "run" / "requests.npy").read_bytes()
    said = call("record", tmp_path / "run", "--window", "10 ms:60 ms", "--signals", "media,*.queue")
    file = tmp_path / "run" / "waves.vcd"
    assert f"{file}: 7 signals" in said or f"{file}: 6 signals" in said
    dump = Dump(file)
    assert dump.span() == (10 * MS, 60 * MS)
    assert (tmp_path / "run" / "requests.npy").read_bytes() == before and (tmp_path / "run" / "waves.gtkw").exists()
    # The same as what the simulator records when it is told so in the first place.
    words = ("--vcd", tmp_path / "own.vcd", "--record-window", "10 ms:60 ms", "--signals", "media,*.queue")
    run(tmp_path / "own", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", 60, *words)
    assert file.read_bytes() == (tmp_path / "own.vcd").read_bytes()


def test_a_trigger_that_never_comes_is_said(tmp_path):
    said = call("record", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", 20, "--trigger", "merge", "--out", tmp_path / "w.vcd")
    assert "the waveform trigger 'merge' never came" in said


def test_a_drive_says_what_a_run_of_it_could_record():
    found = call("list", "demo", "--layer", "mu-rmw", "controller.firmware.flash_free_blocks", "nand.die_0.state").splitlines()
    assert [line.split() for line in found] == [["controller.firmware.flash_free_blocks", "number,", "40", "bits"], ["nand.die_0.state", "state"]]


def test_a_selected_save_file_has_the_signals_asked_for_and_their_groups_alone(tmp_path):
    file = tmp_path / "w.vcd"
    simulate("run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", 5, "--vcd", file, "--out", tmp_path / "run")
    call("select", file, "media.state", "controller.disk_channel.queue")
    text = (tmp_path / "w-selected.gtkw").read_text()
    shown = [line.rpartition("} ")[2].partition("[")[0] for line in text.splitlines() if line.startswith(("drive.", "+{"))]
    assert sorted(set(shown)) == ["drive.controller.disk_channel.queue", "drive.media.state"] and len(shown) == 4  # and at a first look
    assert {line for line in text.splitlines() if line.startswith(("-d", "-f"))} == {"-first look", "-drive.controller.disk_channel", "-drive.media"}
    assert text.count("-\n") == 4  # the lines that the queue's curve takes up
    whole = (tmp_path / "w.gtkw").read_text()
    assert selected(whole, []) == whole


@pytest.mark.skipif(shutil.which("vcd2fst") is None, reason="GTKWave is not installed")
def test_what_is_converted_and_back_says_the_same(tmp_path):
    file, there, back = (tmp_path / name for name in ("w.vcd", "w2.fst", "w3.vcd"))
    simulate("run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", 5, "--vcd", file, "--out", tmp_path / "run")
    call("convert", file, "--out", there)
    call("convert", there, "--out", back)
    first, compressed, last = Dump(file), Dump(there), Dump(back)
    assert first.signals == compressed.signals == last.signals
    paths = ["drive.media.state", "drive.media.head_radius", "drive.controller.disk_channel.queue"]
    said = [sorted(dump.changes(paths), key=lambda change: (change.at, change.path)) for dump in (first, compressed, last)]
    assert said[0] == said[1] == said[2] and len(said[0]) > 20
    assert f'[dumpfile] "{there}"' in there.with_suffix(".gtkw").read_text()


def test_a_viewer_gets_the_save_file_where_it_understands_one(tmp_path, hand_made, monkeypatch):
    hand_made.with_suffix(".gtkw").write_text("[*] hand\n")
    for name in ("gtkwave", "surfer"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/{name}.shown\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    call("open", hand_made)
    call("open", hand_made, "--viewer", "surfer")
    assert (tmp_path / "gtkwave.shown").read_text().strip() == str(hand_made.with_suffix(".gtkw"))
    assert (tmp_path / "surfer.shown").read_text().strip() == str(hand_made)


@pytest.mark.parametrize(("words", "said"), [
    (("recrod", "run"), "unknown command 'recrod'; did you mean 'record'?"),
    (("open", "none.vcd"), "none.vcd: No such file or directory"),
    (("show", "none.vcd"), "none.vcd: No such file or directory"),
    (("list", "none.txt"), "unknown drive 'none.txt'"),
    (("record", "demo", "--workload", "random-4k"), "--out FILE.vcd, FILE.fst or FILE.json is missing"),
    (("record", "demo", "--workload", "random-4k", "--out", "w.txt"), "expected a name that ends with .vcd, .fst or, for a timeline, .json"),
    (("record", "demo", "--out", "w.vcd"), "a run takes its requests from a trace or a workload"),
    (("convert", "a.vcd", "--out", "b.vcd"), "expected .vcd to .fst, or .fst to .vcd"),
    (("select", "none.vcd", "media"), "a run writes it next to its waveforms"),
])  # fmt: skip
def test_what_cannot_be_is_one_sentence(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = call(*words, status=2)
    assert said in output and output.count("\n") == 1


def test_a_file_that_is_no_dump_and_a_window_outside_of_one_are_refused(hand_made, tmp_path):
    (tmp_path / "text.vcd").write_text("no waveforms\n")
    assert "holds no waveforms that can be read" in call("list", tmp_path / "text.vcd", status=2)
    assert "holds 1 ms to 6 ms, and nothing of the window" in call("show", hand_made, "--begin", "1 h", status=2)


def test_no_viewer_is_said(hand_made, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "no viewer of waveforms is installed: gtkwave or surfer (Debian: package gtkwave)" in call("open", hand_made, status=2)
    assert "vcd2fst is not installed" in call("convert", hand_made, "--out", tmp_path / "x.fst", status=2)


def test_a_request_of_a_waveform_is_shown_with_what_worked_for_it(tmp_path):
    file = tmp_path / "w.vcd"
    run(tmp_path / "run", "demo", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--limit", 30, "--requests", "--vcd", file)
    requests = np.sort(np.load(tmp_path / "run" / "requests.npy"), order="number")
    reads = [number for number, row in enumerate(requests) if row["seek"] > 0]
    shown = call("show", file, "--request", reads[0]).splitlines()
    row = requests[reads[0]]
    assert shown[0].startswith(f"request {reads[0]}: tag 0, {row['arrival'] / MS:.6f} ms to {row['completion'] / MS:.6f} ms; waited ")
    parts = [line.split("us  ")[1].split(":")[0] for line in shown[1:] if "us  " in line and "waits, " not in line]
    assert parts[0] == "controller.cpu.core0" and parts.count("controller.disk_channel.command") >= 1
    lane = call("show", file, "host_interface.tag_00.request", "--request", reads[0])
    assert lane.splitlines()[0].split() == [f"{row['arrival'] / MS:.6f}", "ms", "host_interface.tag_00.request", "=", str(reads[0])]
    assert "holds requests 0 to 29; request 30 is not in it: 'tessera wave record RUN --trigger request:30'" in call("show", file, "--request", 30, status=2)
    assert "--request says the window itself" in call("show", file, "--request", 1, "--begin", "1 ms", status=2)


def test_of_requests_side_by_side_each_has_its_own_window_and_commands(tmp_path):
    file = tmp_path / "w.vcd"
    run(tmp_path / "run", "demo", "--layer", "cmr", "--workload", "random-4k", "--replay", "queue:4", "--limit", 24, "--requests", "--vcd", file)
    requests = np.sort(np.load(tmp_path / "run" / "requests.npy"), order="number")
    assert (requests["arrival"][1:] < requests["completion"][:-1]).any()
    reads = [number for number, row in enumerate(requests) if row["op"] == 0 and row["seek"] > 0]
    assert len(reads) > 4
    for number in reads:
        head, *lines = call("show", file, "--request", number).splitlines()
        assert f"{requests['arrival'][number] / MS:.6f} ms to {requests['completion'][number] / MS:.6f} ms; waited " in head
        assert sum("disk_channel.command: read class=host" in line for line in lines) == 1


def test_a_waveform_without_the_lanes_of_tags_says_what_a_request_needs(hand_made):
    assert "record host_interface as well" in call("show", hand_made, "--request", 1, status=2)


WAITED = {"media_queue": ("media_queue", "background_wait"), **{phase: (phase,) for phase in ("cpu_wait", "lock", "backup", "cleaning")}}


@pytest.mark.parametrize(("layer", "replay"), [("imr-rmw", "closed:8"), ("mu-rmw", "queue:4")])
def test_waits_of_requests_are_those_of_the_log_to_the_picosecond_and_name_who_held(layer, replay, tmp_path):
    file = tmp_path / "waves.vcd"
    words = ("--prefill", 100, "--workload", "web-server", "--fold", "--replay", replay, "--limit", 160, "--set", "firmware.write_cache.capacity=0 B")
    run(tmp_path / "run", "demo", "--layer", layer, *words, "--requests", "--vcd", file)
    dump, holders = Dump(file), set()
    for row in np.load(tmp_path / "run" / "requests.npy")[20:150:10]:
        request = under_way(dump, int(row["number"]))
        found = waits(dump, request, list(pieces(dump, request)))
        for phase, parts in WAITED.items():
            assert sum(wait.end - wait.begin for wait in found if wait.phase == phase) == sum(int(row[part]) for part in parts), (row["number"], phase)
        holders |= {wait.holder for wait in found if wait.phase == "media_queue"}
    if layer == "imr-rmw":  # whose requests wait for each other at the disk
        assert any(re.fullmatch(r"the head works for request \d+", holder) for holder in holders)
    longest = call("show", file, "--request", 100, "--limit", 1).splitlines()[1]
    assert re.match(r" +[\d.]+ ms  \w+: ", longest)


def test_timing_parameters_are_measured_from_a_waveform_and_hold(tmp_path):
    file = tmp_path / "run" / "waves.vcd"
    (tmp_path / "run").mkdir()
    run(tmp_path / "run", "demo", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--limit", 200, "--vcd", file)
    found = {one["parameter"]: one for one in json.loads(call("check", file, "--json"))}
    for name in ("media.rpm", "media.seek_min, seek_full_stroke, read_settle", "nand.read_time", "nand.program_time"):
        assert found[name]["holds"] is True and found[name]["intervals"] > 0 and found[name]["worst"] == 0, name
    assert found["nand.erase_time"]["holds"] is None and "no such interval" in found["nand.erase_time"]["why_not"]
    assert found["dram.refresh_time"]["holds"] is None and "no signal shows refreshes" in found["dram.refresh_time"]["why_not"]
    assert "0 differ" in call("check", file)


@pytest.mark.parametrize(
    ("stated", "other", "parameter"),
    [('rpm = "7200 rpm"', 'rpm = "7201 rpm"', "media.rpm"), ('seek_min = "250 us"', 'seek_min = "251 us"', "read_settle"), ('program_time = "1.3 ms"', 'program_time = "1.31 ms"', "nand.program_time")],
)
def test_a_parameter_that_does_not_hold_is_named_with_exit_status_1(stated, other, parameter, tmp_path):
    file = tmp_path / "waves.vcd"
    run(tmp_path / "run", "demo", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--limit", 100, "--vcd", file)
    description = (tmp_path / "run" / "drive.toml").read_text()
    assert stated in description
    (tmp_path / "other.toml").write_text(description.replace(stated, other))
    assert "DIFFERS" not in call("check", file, "--drive", tmp_path / "run")
    shown = call("check", file, "--drive", tmp_path / "other.toml", status=1)
    assert {line.partition("  ")[0].rpartition(" ")[2] for line in shown.splitlines() if line.endswith("DIFFERS")} >= {parameter.rpartition(" ")[2]}
    assert "DIFFERS" not in call("check", file, "--drive", tmp_path / "other.toml", "--tolerance", "0.05")


def test_what_a_record_does_not_show_is_not_measured(hand_made, tmp_path):
    (tmp_path / "drive.toml").write_text('[media]\nrpm = "7200 rpm"\nsurfaces = 2\n[nand]\nblocks = 0\n[dram]\nrefresh_interval = "0 s"\n')
    shown = call("check", hand_made)
    assert "not recorded: --signals media.spindle_index" in shown and "0 hold" in shown and "nand" not in shown
    (tmp_path / "drive.toml").unlink()
    assert "no description of the drive is there; --drive names" in call("check", hand_made, status=2)


def test_seeks_follow_points_settles_and_surfaces_of_the_description():
    drive = Description({"media.seek_curve": [[1, 1.0], [11, 3.0]], "media.head_switch": "2 ms", "media.write_settle": "500 us", "media.write_settles": [[5, 0.25]]})
    assert [seek_time(drive, distance, False, False) for distance in (0, 1, 6, 21)] == [0, 1 * MS, 2 * MS, 5 * MS]
    assert seek_time(drive, 1, True, False) == 2 * MS
    assert [seek_time(drive, distance, False, True) for distance in (1, 6)] == [15 * MS // 10, 275 * MS // 100]


def test_a_save_file_that_names_a_program_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr("tessera.waves.tools.viewer", lambda wanted: "gtkwave")
    (tmp_path / "hand.vcd").write_text(HAND_MADE)
    (tmp_path / "hand.gtkw").write_text("[timestart] 0\n@22\n^>1 /tmp/any-program\nmedia.state\n")
    done = CliRunner().invoke(app, ["wave", "open", str(tmp_path / "hand.vcd")])
    assert done.exit_code != 0 and "hand.gtkw:3" in str(done.exception) + done.output and "names a program" in str(done.exception) + done.output
