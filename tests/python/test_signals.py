"""What a run records of the drive's signals: files of waveforms and timelines, which signals, and when."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections import defaultdict

import numpy as np
import pytest
from simulate import SIMULATOR, run, simulate
from vcd.reader import TokenKind, tokenize

from tessera.waves.dump import Dump

PHASES = {"link", "cpu_wait", "cpu", "dram", "lock", "seek", "rotation", "transfer", "flash_queue", "flash"}
WAITS = {"media_queue", "background_wait"}  # in line at the disk channel: which of the two is known afterwards only
FLASH = ("bare", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--replay", "closed:8", "--limit", 300)


def read_vcd(path) -> dict[str, list[tuple[int, str]]]:
    """Changes by signal, as another's reader has them; vectors in binary, without zeros in front."""
    names, changes, now, scopes = {}, defaultdict(list), 0, []
    with open(path, "rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.SCOPE:
                scopes.append(token.scope.ident)
            elif token.kind is TokenKind.UPSCOPE:
                scopes.pop()
            elif token.kind is TokenKind.VAR:
                names[token.var.id_code] = ".".join([*scopes, token.var.ref_str]).split("[")[0]
            elif token.kind is TokenKind.CHANGE_TIME:
                now = token.time_change
            elif token.kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR, TokenKind.CHANGE_STRING):
                value = token.data.value
                shown = value if isinstance(value, str) else f"{value:b}"
                changes[names[token.data.id_code]].append((now, "x" if set(shown) == {"x"} else shown))
    return changes


def read_timeline(text: str) -> list[dict]:
    """The events, held against the rules of the trace-event format that viewers rely on."""
    events = json.loads(text)
    named, open_slices, last, starts, ends = set(), defaultdict(list), {}, {}, {}
    for event in events:
        track = (event["pid"], event["tid"])
        match event["ph"]:
            case "M":
                named.add(track if event["name"] == "thread_name" else event["pid"])
                continue
            case "B":
                assert event["name"]
                open_slices[track].append(event)
            case "E":
                assert open_slices[track], f"an end without a begin: {event}"
                open_slices[track].pop()
            case "C":
                assert isinstance(event["args"]["value"], int)
            case "s" | "f":
                assert open_slices[track], f"an arrow without a slice: {event}"
                assert event["id"] not in (starts if event["ph"] == "s" else ends)
                (starts if event["ph"] == "s" else ends)[event["id"]] = event
            case other:
                pytest.fail(f"no event of ours: {other}")
        assert event["ts"] >= last.get(track, 0), "time goes back on a track"
        last[track] = event["ts"]
        assert event["pid"] in named
        assert event["ph"] == "C" or track in named
    assert starts.keys() == ends.keys()
    for number, start in starts.items():
        assert start["ts"] == ends[number]["ts"]
    return events


@pytest.fixture(scope="module", params=(1, 3), ids=("one core", "three cores"))
def recorded_cores(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("signals")
    run(folder / "run", *FLASH, "--set", f"controller.cores={request.param}", "--vcd-words", "--vcd", folder / "w.vcd", "--requests")
    return folder


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signals")
    run(folder / "run", *FLASH, *("--vcd-words", "--vcd", folder / "w.vcd", "--timeline", folder / "t.json", "--requests", "--intervals", "50 ms"))
    return folder


def test_the_timeline_is_well_formed_and_closed(recorded):
    events = read_timeline((recorded / "t.json").read_text())
    begun = [event["ph"] for event in events]
    assert begun.count("B") == begun.count("E") > 1000


def test_an_arrow_leads_from_each_command_to_its_media_and_flash_work(recorded):
    events = read_timeline((recorded / "t.json").read_text())
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    from_tracks = {threads[e["pid"], e["tid"]] for e in events if e["ph"] == "s"}
    to_tracks = {threads[e["pid"], e["tid"]] for e in events if e["ph"] == "f"}
    assert all(re.fullmatch(r"tag_\d\d", name) for name in from_tracks)
    assert {name.split("_")[0] for name in to_tracks} == {"die", "disk"}


def test_the_lanes_spend_in_each_phase_what_the_requests_are_charged(recorded_cores):
    requests = np.load(recorded_cores / "run" / "requests.npy")
    changes = read_vcd(recorded_cores / "w.vcd")
    spent, lane = defaultdict(lambda: defaultdict(int)), None
    for lane in [name for name in changes if re.fullmatch(r"drive\.host_interface\.tag_\d\d\.phase", name)]:
        # A tag that is used again at once stays on the link: the number tells the requests apart.
        phases, numbers = dict(changes[lane]), dict(changes[lane.replace(".phase", ".request")])
        ops = dict(changes[lane.replace(".phase", ".op")])
        times = sorted(phases.keys() | numbers.keys() | ops.keys())
        phase = number = op = None
        for since, until in zip(times, times[1:], strict=False):
            phase, number, op = phases.get(since, phase), numbers.get(since, number), ops.get(since, op)
            if phase != "idle" and op != "flush":  # the one at the end of the run is no request of the workload
                spent[int(number, 2)][phase] += until - since
    assert lane is not None
    seen = 0
    for request in requests:
        parts = spent[int(request["number"])]
        for phase in PHASES:
            assert parts[phase] == int(request[phase]), (request["number"], phase)
        assert sum(parts[phase] for phase in WAITS) == sum(int(request[phase]) for phase in WAITS)
        seen += 1
    assert seen == FLASH[-1]


def test_a_gauge_is_a_signal_a_column_and_three_metrics(recorded):
    levels = [int(value, 2) for _, value in read_vcd(recorded / "w.vcd")["drive.controller.firmware.flash_free_blocks"]]
    summary = json.loads((recorded / "run" / "summary.json").read_text())["metrics"]
    with open(recorded / "run" / "intervals.csv", newline="") as file:
        column = [int(line["flash.free_blocks"]) for line in csv.DictReader(file)]
    assert levels[-1] == column[-1] == summary["gauge.flash.free_blocks.last"]["value"]
    assert set(column) <= set(levels)
    assert min(levels[1:]) <= summary["gauge.flash.free_blocks.mean"]["value"] <= max(levels)
    assert summary["gauge.flash.free_blocks.peak"]["value"] == max(levels)


def test_the_save_file_shows_signals_that_are_in_the_waveforms(recorded):
    text = (recorded / "w.vcd").read_text()
    header = text[: text.index("$enddefinitions")]
    scopes, declared = [], set()
    for words in (line.split() for line in header.splitlines()):
        if words[0] == "$scope":
            scopes.append(words[2])
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            declared.add(".".join([*scopes, words[4]]) + (words[5] if words[5] != "$end" else ""))
    shown = {line for line in (recorded / "w.gtkw").read_text().splitlines() if line.startswith("drive.")}
    assert shown == {name for name in declared if "_code" not in name}
    assert f'[dumpfile] "{recorded / "w.vcd"}"' in (recorded / "w.gtkw").read_text()


def test_the_cpu_s_tasks_have_names(recorded):
    tasks = {value for _, value in read_vcd(recorded / "w.vcd")["drive.controller.cpu.core0.task"]}
    assert {"idle", "boot", "read", "write"} <= tasks


@pytest.mark.skipif(shutil.which("vcd2fst") is None, reason="vcd2fst is not installed (package gtkwave)")
def test_the_compressed_file_holds_the_same_changes(tmp_path):
    simulate("run", *FLASH, *("--vcd-words", "--vcd", tmp_path / "w.vcd", "--fst", tmp_path / "w.fst", "--out", tmp_path / "run"))
    back = subprocess.run(["fst2vcd", tmp_path / "w.fst"], check=True, capture_output=True).stdout
    (tmp_path / "back.vcd").write_bytes(back)
    ours, theirs = read_vcd(tmp_path / "w.vcd"), read_vcd(tmp_path / "back.vcd")
    assert theirs == ours
    assert (tmp_path / "w.fst").stat().st_size < (tmp_path / "w.vcd").stat().st_size / 4
    assert (tmp_path / "w.gtkw").exists()


def test_without_the_converter_the_run_says_what_is_missing(tmp_path):
    words = [SIMULATOR, "run", *map(str, FLASH), "--fst", str(tmp_path / "w.fst"), "--out", str(tmp_path / "run")]
    result = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PATH": str(tmp_path)})
    assert result.returncode == 2
    assert "--fst needs vcd2fst, which is not installed: it comes with GTKWave (Debian: package gtkwave)" in result.stderr


def test_a_killed_run_leaves_a_timeline_that_opens(tmp_path):
    words = [SIMULATOR, "run", *map(str, FLASH[:-1]), "100000000", "--timeline", str(tmp_path / "t.json"), "--out", str(tmp_path / "run")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        partial = tmp_path / "t.json.partial"
        until = time.monotonic() + 60
        while time.monotonic() < until and not (partial.exists() and partial.stat().st_size > 1_000_000):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    text = partial.read_text()
    assert len(text) > 1_000_000
    # Viewers supply the bracket. The kernel may have been stopped within the last write: then they leave the last event out, too.
    lines = text.split(",\n")
    try:
        json.loads(lines[-1])
    except json.JSONDecodeError:
        lines.pop()
    read_timeline(",\n".join(lines) + "]")


def signals_of(folder, *arguments) -> set[str]:
    simulate("run", *FLASH[:-1], 20, *("--vcd-words", "--vcd", folder / "w.vcd", *arguments, "--out", folder / "run"))
    return set(read_vcd(folder / "w.vcd"))


def test_signals_are_chosen_by_path_scope_and_pattern(tmp_path):
    chosen = signals_of(tmp_path, "--signals", "media.state,nand.die_0,drive.dram.bank_?_row,*.waiting_for_*")
    assert chosen == {
        *("drive.media.state", "drive.media.state_code"),
        *(f"drive.nand.die_0.{name}" for name in ("state", "state_code", "block", "page", "tag")),
        *(f"drive.dram.bank_{bank}_row" for bank in range(8)),
        *("drive.controller.cpu.waiting_for_locks", "drive.host_interface.waiting_for_buffer"),
    }


@pytest.mark.parametrize(
    ("pattern", "nearest"),
    [("media.stat", "media.state"), ("media.state,nand.dye_3", "nand.die_0"), ("controler.*", "controller")],
)
def test_a_pattern_without_signals_names_the_nearest(tmp_path, pattern, nearest):
    words = ("run", *FLASH, "--vcd-words", "--vcd", tmp_path / "w.vcd", "--signals", pattern, "--out", tmp_path / "run")
    message = simulate(*words, status=2).stderr
    assert f"unknown signal '{pattern.split(',')[-1]}'; did you mean '{nearest}" in message
    assert not (tmp_path / "run").exists()  # nothing is left of a run that never began


def test_of_several_windows_each_holds_its_own_changes(tmp_path):
    windows = [(200 * 10**9, 250 * 10**9), (300 * 10**9, 400 * 10**9)]
    given = [word for begin, end in reversed(windows) for word in ("--record-window", f"{begin}ps:{end}ps")]
    simulate("run", *FLASH, *("--vcd-words", "--vcd", tmp_path / "w.vcd", *given, "--signals", "media.state", "--out", tmp_path / "windows"))
    simulate("run", *FLASH, *("--vcd-words", "--vcd", tmp_path / "all.vcd", "--signals", "media.state", "--out", tmp_path / "all"))
    whole = read_vcd(tmp_path / "all.vcd")["drive.media.state"]
    part = read_vcd(tmp_path / "w.vcd")["drive.media.state"]
    for begin, end in windows:
        inside = [change for change in whole if begin < change[0] < end]
        assert inside
        assert [change for change in part if begin < change[0] < end] == inside
    # GTKWave opens at the first window and shows up to the end of the last one: 200 pixels show 2 ** -zoom ps.
    saved = (tmp_path / "w.gtkw").read_text()
    assert f"[timestart] {windows[0][0]}\n" in saved
    zoom = float(re.search(r"^\*(\S+) -1$", saved, re.MULTILINE)[1])
    assert 2**-zoom * (1600 - 600) / 200 == pytest.approx(windows[-1][1] - windows[0][0], rel=1e-4)
    assert [value for at, value in part if windows[0][1] <= at < windows[1][0]] == ["unknown"]


@pytest.mark.parametrize(
    ("trigger", "path", "holds"),
    [
        ("flash.free_blocks<16380", "drive.controller.firmware.flash_free_blocks", lambda value: value < 16380),
        ("queue>3", "drive.host_interface.tags_in_use", lambda value: value > 3),
        ("controller.cpu.tasks>4", "drive.controller.cpu.tasks", lambda value: value > 4),
    ],
)
def test_a_value_that_crosses_its_limit_opens_the_window(tmp_path, trigger, path, holds):
    where = ("--signals", path, "--record-trigger", trigger, "--record-before", "1 ms", "--record-after", "2 ms")
    simulate("run", *FLASH, *("--vcd-words", "--vcd", tmp_path / "w.vcd", *where, "--out", tmp_path / "run"))
    simulate("run", *FLASH, *("--vcd-words", "--vcd", tmp_path / "all.vcd", "--signals", path, "--out", tmp_path / "all"))
    levels = [(at, int(value, 2)) for at, value in read_vcd(tmp_path / "all.vcd")[path] if value != "x"]
    crossing = next(at for (_, before), (at, after) in zip(levels, levels[1:], strict=False) if holds(after) and not holds(before))
    recorded = read_vcd(tmp_path / "w.vcd")[path]
    assert recorded[0][0] == max(0, crossing - 10**9)
    assert (crossing, levels[[at for at, _ in levels].index(crossing)][1]) in [(at, int(value, 2)) for at, value in recorded]


def test_a_request_that_takes_longer_than_a_limit_opens_the_window(tmp_path):
    where = ("--record-trigger", "latency>30 ms", "--record-before", "1 ms", "--record-after", "2 ms")
    out = run(tmp_path / "run", *FLASH, *("--requests", "--vcd-words", "--vcd", tmp_path / "w.vcd", *where))
    requests = np.load(out.folder / "requests.npy")
    ends = requests["arrival"] + sum(requests[name] for name in requests.dtype.names if name in PHASES | WAITS | {"host_queue"})
    first = int(min(end for end, arrival in zip(ends, requests["arrival"], strict=True) if end - arrival > 30 * 10**9))
    assert min(at for changes in read_vcd(tmp_path / "w.vcd").values() for at, _ in changes) == first - 10**9


def test_a_trigger_on_a_value_that_is_never_crossed_is_said(tmp_path):
    text = simulate("run", *FLASH, *("--vcd-words", "--vcd", tmp_path / "w.vcd", "--record-trigger", "queue>9999", "--out", tmp_path / "run")).stdout
    assert "the waveform trigger 'queue>9999' never came" in text


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ("flash.fre_blocks<4", "unknown signal 'flash.fre_blocks'"),
        ("queue>many", "expected a whole number behind < or >"),
        ("latency<1ms", "expected latency>TIME"),
        ("latency>fast", "expected a time"),
    ],
)
def test_a_trigger_that_cannot_be_is_an_input_error(tmp_path, trigger, message):
    words = ("run", *FLASH, "--vcd-words", "--vcd", tmp_path / "w.vcd", "--record-trigger", trigger, "--out", tmp_path / "run")
    assert message in simulate(*words, status=2).stderr


def test_a_power_cut_is_seen_on_the_rail_and_ends_what_was_announced(tmp_path):
    words = ("run", *FLASH, "--cut-at", "100 ms", "--vcd-words", "--vcd", tmp_path / "w.vcd", "--timeline", tmp_path / "t.json", "--out", tmp_path / "run")
    simulate(*words)
    changes = read_vcd(tmp_path / "w.vcd")
    (_, first), (cut, down), (since_up, up) = changes["drive.power.rail"]
    assert (first, down, up) == ("1", "0", "1")
    for quiet in ("drive.host_interface.link", "drive.controller.cpu.core0.task", "drive.nand.die_0.state"):
        before = [at for at, value in changes[quiet] if at < cut]
        assert before
        assert [value for at, value in changes[quiet] if cut <= at < since_up] in ([], ["idle"])
    assert [(at, value) for at, value in changes["drive.media.state"] if cut <= at <= since_up] == [(cut, "off"), (since_up, "idle")]
    read_timeline((tmp_path / "t.json").read_text())


def test_a_cut_after_the_power_came_back_and_before_the_boot_takes_it_from_everything_again(tmp_path):
    twice = ("--set", "power.outage=1 s", "--set", "power.boot_time=100 ms", "--cut-at", "100 ms", "--cut-at", "1150 ms")
    simulate("run", *FLASH, *twice, "--vcd-words", "--vcd", tmp_path / "w.vcd", "--out", tmp_path / "run")
    changes = read_vcd(tmp_path / "w.vcd")
    assert [value for _, value in changes["drive.power.rail"]] == ["1", "0", "1", "0", "1"]
    again, back = (at for at, _ in changes["drive.power.rail"][3:])
    assert [(at, value) for at, value in changes["drive.media.state"] if again <= at <= back] == [(again, "off"), (back, "idle")]


def index_pulses(path) -> list[int]:
    return [change.at for change in Dump(path).changes(["drive.media.spindle_index"]) if change.value == "1"]


@pytest.mark.parametrize(("drive", "words"), [
    ("demo", ("--layer", "cmr", "--limit", 300)),
    ("demo", ("--layer", "fluid", "--limit", 1500)),
    ("common", ("--layer", "media-cache", "--limit", 1500)),
    ("demo", ("--layer", "tessera", "--limit", 200, "--cut-at", "50ms")),
])  # fmt: skip
def test_every_change_comes_in_time_and_every_turn_has_its_pulse(tmp_path, drive, words):
    folder = run(tmp_path / "run", drive, *words, "--workload", "random-4k", "--fold", "--replay", "queue:16", "--vcd-words", "--vcd", tmp_path / "w.vcd")
    assert not any("too late" in note for note in folder.summary["run"]["notes"])
    index = index_pulses(tmp_path / "w.vcd")
    gaps = np.diff(index)
    turn = int(gaps.min())
    assert (gaps % turn == 0).all() and (gaps != turn).sum() == ("--cut-at" in words)  # none without power
    assert all(at % turn == index[0] % turn for at in index)


def test_the_index_signal_is_recorded_alone(tmp_path):
    run(tmp_path / "run", "demo", "--workload", "random-4k", "--limit", 50, "--fold", "--vcd-words", "--vcd", tmp_path / "w.vcd", "--signals", "media.spindle_index")
    index = index_pulses(tmp_path / "w.vcd")
    assert len(index) > 20 and len(set(np.diff(index))) == 1
