"""Layers in Python: they give what layers in C give, lose nothing where they promise it, and what is wrong with one is said with its place."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from samples import BUILD, REPOSITORY
from simulate import simulate
from typer.testing import CliRunner

import tessera
from tessera import layer
from tessera.cli import app
from tessera.engine.simulation import Simulation
from tessera.explore.keys import key_of, read_again

EXAMPLES = REPOSITORY / "examples" / "firmware"
pytestmark = [
    pytest.mark.usefixtures("the_built_simulator"),
    pytest.mark.skipif(not list(BUILD.glob("tessera_python-*.so")), reason="this build has no layers in Python"),
]

# A layer whose sectors are each in one place of tracks that do not overlap. {hooks} and the like are what a test adds.
PLAIN = """import random
from tessera.layer import *

class Plain(Layer):
    '''sectors in their places'''
    {parameters}

    def plan(self, drive):
        {plan}
        return [Region("data", 0, drive.radii)]

    def setup(self):
        self.tracks = Tracks(self)
        self.user_sectors = self.tracks.sectors
        {setup}

    def read(self, request):
        {read}
        yield [self.media.read(run, data) for run, data in self.tracks.runs(request.first, request.data)]

    def write(self, request):
        {write}
        yield [self.media.write(run, data) for run, data in self.tracks.runs(request.first, request.data)]

    {more}
"""
PARTS = {"parameters": "", "plan": "", "setup": "", "read": "", "write": "", "more": ""}


def plain(folder, **parts):
    """The layer `plain` with more lines in its parts."""
    file = folder / "plain.py"
    file.write_text(PLAIN.format(**{**PARTS, **parts}))
    return file


def line_of(file, text):
    return 1 + next(number for number, line in enumerate(file.read_text().split("\n")) if text in line)


def ran(file, out, *words, status=0, drive="torture", workload="random-4k", limit=60):
    return simulate("run", drive, "--firmware", file, "--workload", workload, "--fold", "--limit", limit, "--out", out, *words, status=status)


def metrics(out):
    return {name: entry["value"] for name, entry in json.loads((out / "summary.json").read_text())["metrics"].items()}


def figures(out):
    """What the model says of a run, without this machine's figures."""
    named = json.loads((out / "summary.json").read_text())["metrics"]
    return {name: entry["value"] for name, entry in named.items() if "of this machine" not in entry["description"]}


def new_layer(*words):
    return CliRunner().invoke(app, ["new-layer", *map(str, words)])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The layer that `tessera new-layer --python` writes."""
    folder = tmp_path_factory.mktemp("python") / "mine"
    done = new_layer("mine", "--python", "--out", folder, "--unit", 2)
    assert done.exit_code == 0, done.output
    return folder / "mine.py"


def tortured(file, *words, status=0):
    shown = simulate("torture", "torture", "--firmware", file, "--durability", "none", "--operations", 8, "--cuts", 4, *words, "--json", status=status)
    return json.loads(shown.stdout)[0]


# ---- what a layer gives ----


def test_a_layer_gives_the_figures_of_the_same_layer_in_c(tmp_path):
    library = tmp_path / "in_place.so"
    subprocess.run(["cc", "-std=c11", "-O1", "-shared", "-fPIC", "-I", REPOSITORY / "platforms" / "plugin", EXAMPLES / "interlaced_in_place.c", "-o", library], check=True)
    for file, out in ((library, tmp_path / "c"), (EXAMPLES / "interlaced_in_place.py", tmp_path / "python")):
        ran(file, out, "--check", "--cut-at", "300ms", "--cut-at", "900ms", limit=300)
    assert figures(tmp_path / "c")["rmw.count"] > 50
    assert figures(tmp_path / "c") == figures(tmp_path / "python")


def test_a_new_layer_returns_what_was_written_and_loses_nothing_at_a_power_cut(made, tmp_path):
    ran(made, tmp_path, "--check", "--cut-at", "100ms", limit=200)
    found = metrics(tmp_path)
    assert found["host.served"] == 200
    assert found["scoreboard.errors"] == 0
    assert found["rmw.count"] > 60


@pytest.mark.parametrize("options", [(), ("--tracks", "interlaced", "--unit", 3)])
def test_a_new_layer_loses_nothing_under_torture(tmp_path, options):
    assert new_layer("mine", "--python", "--out", tmp_path / "mine", "--unit", 2, *options).exit_code == 0
    row = tortured(tmp_path / "mine" / "mine.py", "--faults", "torn")
    assert row["failures"] == 0
    assert row["cuts"]["replay"] > 10 and row["cuts"]["recovery"] > 0


# A careless change of that layer.
BUGS = {
    "a unit updated in place": ("self.bands.write(spare, 0, image)", "self.bands.write(self.band_of[unit], 0, image)"),
    "a copy without its record": ("RECORD.pack(MAGIC, unit", "RECORD.pack(0, unit"),
    "records before the copy": ("[*copy, *records]", "[*records, *copy]"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_torture_finds_what_a_careless_change_loses(made, tmp_path, bug):
    found, planted = BUGS[bug]
    text = made.read_text()
    assert text.count(found) == 1
    (tmp_path / "mine.py").write_text(text.replace(found, planted))
    assert tortured(tmp_path / "mine.py", status=None)["failures"] > 0


def test_a_check_names_the_blocks_that_the_careless_example_loses(tmp_path):
    shown = ran(EXAMPLES / "careless.py", tmp_path, "--check", limit=300, status=3)
    assert re.search(r"block \d+", shown.stderr)


def test_a_dumped_table_has_after_a_power_cut_what_it_had(tmp_path):
    file = plain(
        tmp_path,
        setup="self.boots = self.memory.table(2, 'boots', dumped=True)\n        self.boots[1] += 1\n        self.fresh = self.memory.table([7], 'of this boot')",
        more="def report(self):\n        return [Figure('boots', self.boots[1], '1', 'power-ons'), Figure('fresh', self.fresh[0], '1', 'of this boot')]",
    )
    ran(file, tmp_path / "out", "--cut-at", "100ms", "--cut-at", "150ms")
    found = metrics(tmp_path / "out")
    assert (found["boots"], found["fresh"]) == (3, 7)


def test_background_work_waits_until_the_host_is_quiet(tmp_path):
    file = plain(
        tmp_path,
        setup="self.began = []\n        self.work = self.cpu.work('clean', 'rounds')",
        more="""idle_after = 20 * MS

    def idle(self):
        self.began.append((self.cpu.now - self.host.last_activity, self.host.outstanding))
        with self.work(1):
            yield self.media.read(Run(0, 0, 0, 1))

    def report(self):
        yield from super().report()
        yield Figure('least_quiet', min((quiet for quiet, _ in self.began), default=None), 'ps', 'before a round')
        yield Figure('most_waiting', max((waiting for _, waiting in self.began), default=None), '1', 'commands')""",
    )
    ran(file, tmp_path / "out", workload="web-server", limit=40)
    found = metrics(tmp_path / "out")
    assert found["cleaning.count"] > 5
    assert found["least_quiet"] >= 20e9
    assert found["most_waiting"] == 0
    assert found["progress.cleanings.of"] == 20


def test_generators_of_a_list_run_side_by_side_and_all_have_ended_then(tmp_path):
    file = plain(
        tmp_path,
        setup="self.took = []",
        read="""began = self.cpu.now
        assert (yield [self.nap(3), self.nap(2), self.nap(1)]) == [3, 2, 1]
        self.took.append(self.cpu.now - began)""",
        more="""def nap(self, time):
        yield self.cpu.sleep(time * MS)
        return time

    def report(self):
        return [Figure('longest', max(self.took, default=0) / MS, 'ms', 'nap')]""",
    )
    ran(file, tmp_path / "out", "--set", "firmware.read_cache.segments=0", workload="web-server")
    assert 3 <= metrics(tmp_path / "out")["longest"] < 4


def test_more_steps_than_a_chain_has_go_as_several(tmp_path):
    file = plain(
        tmp_path,
        setup="self.most = 0",
        read="""done = yield [self.media.read(Run(0, 0, sector % 16, 1)) for sector in range(40)]
        self.most = max(self.most, done)""",
        more="def report(self):\n        return [Figure('most', self.most, '1', 'steps done')]",
    )
    ran(file, tmp_path / "out", workload="web-server")
    assert metrics(tmp_path / "out")["most"] == 40


def test_every_call_of_the_five_ports_does_what_it_says(tmp_path):
    file = plain(
        tmp_path,
        parameters="needs_flash = True",
        setup="""self.gauge = self.cpu.gauge("rounds", "1", "how many")
        self.buffer = self.memory.buffer(4, "some")
        self.spawned = []""",
        more="""def format(self):
        flash, memory, some = self.flash, self.memory, self.buffer
        block = next(block for block in range(flash.shape.blocks) if not flash.is_bad(block))
        page, oob = block * flash.shape.pages_per_block, bytearray(flash.shape.oob_bytes // flash.shape.subpages)
        assert (yield flash.erase(block)) == [Status.OK]
        assert (yield [flash.program(page, some[:1], oob=b"written"), flash.program(page + 1, some[1:2])]) == [Status.OK] * 2
        assert (yield [flash.read(page, some[2:3], oob=oob)]) == [Status.OK] and oob.startswith(b"written")
        again = bytearray(7)
        yield flash.read_oob(page, again)
        assert again == b"written"
        try:
            yield flash.program(page, some[:1])
        except Failed as failed:
            assert failed.status is Status.RULE_VIOLATION and failed.statuses == (Status.RULE_VIOLATION,)
        else:
            raise AssertionError("a page was programmed twice")

        run, header = Run(0, 0, 0, 2), bytearray(HEADER_BYTES)
        own = bytes(range(256)) * (2 * self.drive.sector_bytes // 256)
        assert (yield self.media.write(run, system=own, headers=b"a" * 64 + b"b" * 64)) == 1
        back = bytearray(len(own))
        yield [self.media.read(run, system=back), self.media.read(run, header=header)]
        assert back == own and header == b"b" * 64

        memory.clear(some)
        memory.copy(some[:2], some[2:])
        memory.merge_blocks(some[:1], some[1:2], 0, 1)
        assert memory.first_lost(some) is None
        memory.mark_lost(some[3:])
        assert memory.first_lost(some) == 3
        staged = memory.acquire(2)
        assert len(staged) == 2 and len(staged[1:]) == 1
        memory.release(staged)

        began = self.cpu.now
        self.cpu.charge("hash", 10)
        assert began < self.cpu.now
        at = self.cpu.now + 5 * US
        yield self.cpu.sleep_until(at)
        assert at <= self.cpu.now < at + US
        self.cpu.spend(7)
        self.cpu.note("checkpoint", 3, 4)
        self.cpu.log("formatted")
        self.cpu.spawn(self.other(), "move")
        self.gauge(8)
        assert self.host.outstanding == 0 and not self.host.write_waiting(0, 100)
        assert self.media.sectors_on(0, 0) > 0

    def other(self):
        yield self.cpu.sleep(US)
        self.spawned.append(self.cpu.now)

    def report(self):
        return [Figure("spawned", len(self.spawned), "1", "ended")]""",
    )
    shown = ran(file, tmp_path / "out")
    assert "formatted" in shown.stderr
    found = metrics(tmp_path / "out")
    assert found["spawned"] == 1
    assert found["gauge.rounds.mean"] == 8


def test_a_drive_in_a_python_process_runs_a_layer_in_python(tmp_path):
    if not list(BUILD.glob("_kernel*")):
        pytest.skip("tessera.kernel is not built")
    bench = f"""
from tessera.kernel import Drive, ModelFailure
drive = Drive("torture", firmware={str(plain(tmp_path, read="assert request.first < 100"))!r}, content="bytes", settings={{"firmware.read_cache.segments": 0}}, prefill=0)
written = drive.submit("write", 0, data=bytes(range(256)) * 16)
drive.run_until(written)
drive.cut_power()
drive.power_on()
drive.run_until("ready")
read = drive.submit("read", 0, 4096)
drive.run_until(read)
print(bytes(read.data) == bytes(range(256)) * 16)
try:
    drive.run_until(drive.submit("read", 101 * drive.sector_bytes if hasattr(drive, "sector_bytes") else 4096 * 1024, 4096))
except ModelFailure as failure:
    print(failure)
"""
    shown = subprocess.run([sys.executable, "-c", bench], capture_output=True, text=True, env={**os.environ, "TESSERA_SIM": str(BUILD / "tessera-sim")})
    assert shown.returncode == 0, shown.stderr
    same, failure = shown.stdout.splitlines()
    assert same == "True"
    assert "in Plain.read: AssertionError" in failure


def test_the_layer_of_the_guide_runs(tmp_path):
    text = (REPOSITORY / "docs" / "guide" / "python-layers.md").read_text()
    (tmp_path / "slow.py").write_text(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1])
    ran(tmp_path / "slow.py", tmp_path / "out", "--check", "--set", "layers.slow.pause=3 ms", "--set", "firmware.write_cache.capacity=0 B")
    assert metrics(tmp_path / "out")["host.write.latency.mean"] >= 3


def test_the_reference_of_layers_has_every_call_that_they_see():
    page = (REPOSITORY / "docs" / "reference" / "python-layers.md").read_text()
    for port in (layer.Layer, layer.Media, layer.Flash, layer.Memory, layer.Cpu, layer.Host, layer.Bands, layer.Tracks):
        for name, member in vars(port).items():
            if not name.startswith("_") and member.__doc__ and (callable(member) or isinstance(member, property)):
                assert f"{port.__name__}.{name}(" in page or f"`{name}`" in page, f"{port.__name__}.{name}"


def test_a_wait_that_fails_ends_the_request_with_its_status_and_no_other(tmp_path):
    file = plain(tmp_path, write="if request.first % 2:\n            raise Failed(Status.NO_SPACE)")
    ran(file, tmp_path / "out", "--set", "firmware.write_cache.capacity=0 B", status=None)
    found = metrics(tmp_path / "out")
    assert 0 < found["host.failed"] < found["host.served"] + found["host.failed"]


def test_runs_are_the_same_whatever_python_draws_for_hashes(tmp_path):
    file = plain(
        tmp_path,
        write="yield self.cpu.sleep(random.randrange(1000000) + list({'alpha', 'beta', 'gamma', 'delta'}).index('beta'))",
    )
    for seed, out in ((1, "one"), (2, "other")):
        command = [str(BUILD / "tessera-sim"), "run", "torture", "--firmware", file, "--workload", "random-4k", "--fold", "--limit", "60", "--caches", "empty", "--out", tmp_path / out]
        subprocess.run(command, env={"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": str(seed)}, check=True, capture_output=True)
    assert figures(tmp_path / "one") == figures(tmp_path / "other")


# ---- where a layer may be named ----


def test_parameters_of_a_layer_are_those_of_a_description_and_axes(tmp_path):
    file = plain(
        tmp_path,
        parameters="""pause = time(2 * MS, 0, SECOND, 'before a write')
    mode = choice('slow', ['fast', 'slow'], 'which')
    share = real(0.5, 0, 1, 'of it')
    many = count(3, 1, 9, 'how many')
    room = size(4096, 512, 1 << 20, 'of a buffer')
    on = flag(True, 'whether')""",
        write="yield self.cpu.sleep(self.pause if self.mode == 'slow' and self.on else 0)",
    )
    listed = {entry["path"]: entry for entry in json.loads(simulate("list", "parameters", "--json", "--firmware", file).stdout)}
    assert listed["layers.plain.pause"]["value"] == '"2 ms"'
    assert listed["layers.plain.room"]["value"] == '"4 KiB"'
    assert {name for name in listed if name.startswith("layers.plain.")} == {f"layers.plain.{name}" for name in ("pause", "mode", "share", "many", "room", "on")}
    refused = simulate("check", "torture", "--firmware", file, "--set", "layers.plain.many=10", status=2)
    assert "between 1 and 9" in refused.stderr

    (tmp_path / "plan.toml").write_text("""
[run]
drive = "torture"
workload = "random-4k"
fold = true
limit = 40
firmware = ["plain.py"]
set = { "firmware.write_cache.capacity" = "0 B" }
[axes]
layer = ["plain", "imr-rmw"]
[[branch]]
where = { layer = "plain" }
axes = { "layers.plain.pause" = ["1 ms", "9 ms"], "layers.plain.mode" = ["fast", "slow"] }
""")
    swept = tessera.sweep(tmp_path / "plan.toml", out=tmp_path / "out", jobs=1)
    assert swept.failed.height == 0
    rows = {(row["axis.layer"], row["axis.layers.plain.pause"], row["axis.layers.plain.mode"]): row for row in swept.good.iter_rows(named=True)}
    assert len(rows) == 5
    latency = {key[1:]: row["host.write.latency.mean"] for key, row in rows.items() if key[0] == "plain"}
    pauses = sorted({pause for pause, _ in latency})
    assert latency[pauses[1], "slow"] - latency[pauses[0], "slow"] > 7
    assert abs(latency[pauses[1], "fast"] - latency[pauses[0], "fast"]) < 0.001


def test_results_are_kept_by_the_content_of_the_file_and_of_what_runs_it(tmp_path, monkeypatch):
    file = plain(tmp_path)
    run = Simulation(drive="torture", workload="random-4k", fold=True, limit=5, firmware=(str(file),))
    keys = [key_of(run)]
    for text in (file.read_text() + "# more\n", file.read_text()):
        file.write_text(text)
        read_again()
        keys.append(key_of(run))
    assert keys[0] == keys[2] != keys[1]
    monkeypatch.setattr("tessera.explore.keys.python_layers_digest", lambda: "of another build")
    assert key_of(run) != keys[0]


def test_an_array_takes_a_layer_in_python(tmp_path):
    plain(tmp_path)
    (tmp_path / "pair.toml").write_text("""
extends = "mirror"
[[drive]]
description = "torture"
count = 2
firmware = "plain.py"
layer = "plain"
""")
    shown = simulate("array", tmp_path / "pair.toml", "--workload", "random-4k", "--fold", "--limit", 40, "--check", "--out", tmp_path / "out")
    assert "0 wrong" in shown.stdout


# ---- what may be wrong with a layer ----

WRONG = {
    "an exception in a write": ({"write": "request.count / 0"}, "request.count / 0", "in Plain.write: ZeroDivisionError: division by zero"),
    "an exception in what a write waits for": ({"write": "yield from self.other()", "more": "def other(self):\n        yield self.cpu.sleep(5)\n        {}['key']"}, "{}['key']", "in Plain.other: KeyError: 'key'"),
    "an exception at power-on": ({"setup": "self.nothing.there"}, "self.nothing.there", "in Plain.setup: AttributeError"),
    "an exception in the report": ({"more": "def report(self):\n        raise OSError('no figures')"}, "raise OSError", "in Plain.report: OSError: no figures"),
    "an exception in background work": ({"more": "def idle(self):\n        yield self.cpu.sleep(1)\n        raise OSError('idle')"}, "raise OSError", "in Plain.idle: OSError: idle"),
    "a write off the drive": ({"write": "yield self.media.write(Run(0, 10**6, 0, 1))"}, "10**6", "media address out of range: 1 sectors from 0 on of surface 0, radius 1000000"),
    "a write past the track": ({"write": "yield self.media.write(Run(0, 0, 10**6, 1))"}, "10**6", "media address out of range"),
    "data of another length": ({"write": "yield self.media.write(Run(0, 0, 0, 3), request.data[:1])"}, "request.data[:1]", "3 sectors from 0 on of surface 0, radius 0 have 1 sectors of data"),
    "sectors past the buffer": ({"write": "request.data[:99]"}, "request.data[:99]", "IndexError: sectors 0 to before 99 of"),
    "a header of another length": ({"read": "yield self.media.read(Run(0, 0, 0, 1), header=bytearray(8))"}, "bytearray(8)", "header has 8 B; expected 64"),
    "a header that cannot take what is read": ({"read": "yield self.media.read(Run(0, 0, 0, 1), header=bytes(64))"}, "bytes(64)", "BufferError"),
    "a yield of something else": ({"write": "yield 7"}, "yield 7", "TypeError: 7 is yielded; expected a step of media"),
    "a generator without yield from": ({"write": "yield self.read(request)"}, "yield self.read", "write `yield from`"),
    "an operation that is no generator": ({"more": "def flush(self, request):\n        return 3"}, None, "flush() gave 3; expected a generator"),
    "an entry past a table": ({"setup": "self.table = self.memory.table(3, 'three')", "write": "self.table[3] = 1"}, "self.table[3]", "IndexError: entry 3 of a table with 3 entries"),
    "a number too large for its entry": ({"setup": "self.table = self.memory.table(3, 'three', entry_bytes=2)", "write": "self.table[0] = 65536"}, "65536", "65536 does not fit into an entry of 2 B"),
    "a lock that is not taken": ({"setup": "self.turn = Lock()", "write": "with self.turn: pass"}, "with self.turn", "write `with (yield lock):`"),
    "an unknown charge": ({"write": "self.cpu.charge('hsah')"}, "hsah", "unknown operation 'hsah'; expected one of command,"),
    "no capacity": ({"setup": "del self.user_sectors"}, None, "setup() set user_sectors to None; expected the capacity in sectors"),
    "a longest wait that is no whole number": ({"more": "def longest_wait(self):\n        return 2.5e12"}, None, "longest_wait() gave 2500000000000.0; expected a time in ps"),
    "no entry but the largest": ({"setup": "self.table = self.memory.table([2**64], 'map')"}, "2**64", "OverflowError"),
    "a figure that is reported twice": ({"more": "def report(self):\n        return [Figure('twice', 1, '1', 'one'), Figure('twice', 2, '1', 'two')]"}, None, "the figure 'twice' is reported already"),
    "a figure of a bad name": ({"more": "def report(self):\n        return [Figure('a b', 1, '1', 'one')]"}, None, "a figure has the name 'a b'"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_a_layer_does_wrong_ends_the_run_with_its_name_and_place(tmp_path, what):
    parts, at, sentence = WRONG[what]
    file = plain(tmp_path, **parts)
    shown = ran(file, tmp_path / "out", "--set", "firmware.write_cache.capacity=0 B", status=3, workload="web-server")
    assert f"firmware fault: {file} (plain)" in shown.stderr
    assert "model bug" not in shown.stderr
    assert sentence in shown.stderr
    if at is not None:
        assert f"{file}:{line_of(file, at)}" in shown.stderr


def test_an_endless_loop_is_ended_at_its_line(tmp_path):
    file = plain(tmp_path, write="while True:\n            pass")
    shown = ran(file, tmp_path / "out", "--firmware-patience", 1, status=3)
    assert re.search(rf"{re.escape(str(file))}:({line_of(file, 'while True')}|{line_of(file, 'while True') + 1}), in Plain.write: TimeoutError: .* after 1 s of processor time", shown.stderr)


def test_an_endless_loop_that_holds_exceptions_back_ends_the_process(tmp_path):
    file = plain(tmp_path, write="while True:\n            try:\n                while True: pass\n            except BaseException: pass")
    shown = ran(file, tmp_path / "out", "--firmware-patience", 1, status=3)
    assert "has not come back after 1 s of processor time" in shown.stderr


def test_a_recovery_that_gives_up_ends_the_run_with_its_status_and_results(tmp_path):
    file = plain(tmp_path, more="def recover(self):\n        yield self.cpu.sleep(1)\n        raise Failed(Status.CORRUPT)")
    ran(file, tmp_path / "out", "--cut-at", "50ms", status=1)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert any("the drive did not boot: corrupt" in note for note in summary["run"]["notes"])
    assert 0 < metrics(tmp_path / "out")["host.served"] < 60


def test_background_work_that_never_ends_is_a_fault_of_the_layer(tmp_path):
    file = plain(tmp_path, more="idle_after = MS\n    most_idle_waits = 500\n\n    def idle(self):\n        while True:\n            yield self.cpu.sleep(MS)")
    shown = ran(file, tmp_path / "out", status=3)
    assert f"firmware fault: {file} (plain)" in shown.stderr and "model bug" not in shown.stderr
    assert f"{file}:{line_of(file, 'self.cpu.sleep(MS)')}, in Plain.idle: TimeoutError: idle() has waited 500 times" in shown.stderr


def test_a_lock_that_is_never_given_back_is_a_fault_of_the_layer(tmp_path):
    file = plain(tmp_path, setup="self.turn = Lock()", write="yield self.turn")
    shown = ran(file, tmp_path / "out", status=3)
    assert f"firmware fault: {file} (plain)" in shown.stderr and "liveness" in shown.stderr


REFUSED = {
    "no Python": ("class Plain(", "class Plain(:", r"plain.py:\d+: SyntaxError"),
    "no such module": ("import random", "import helper_of_mine", r"plain.py:1, in <module>: ModuleNotFoundError: .*a layer is one file"),
    "no layer": ("class Plain(Layer)", "class Plain", "no class that inherits from tessera.layer.Layer"),
    "a bad name": ("'''sectors in", "name = 'Not A Name'\n    '''sectors in", "has the name 'Not A Name'"),
    "a refusal": ('return [Region("data", 0, drive.radii)]', 'raise Refused("ninety radii would fit")', "ninety radii would fit"),
    "an exception in the plan": ('return [Region("data", 0, drive.radii)]', "return undefined", r"plain.py:\d+, in Plain.plan: NameError"),
    "a region off the drive": ('0, drive.radii)]', '0, drive.radii + 1)]', "the drive has"),
    "an unknown format": ('0, drive.radii)]', '0, drive.radii, "shingeld")]', "unknown format 'shingeld'; expected one of conventional, shingled"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_a_file_that_cannot_be_run_is_refused_with_a_sentence(tmp_path, what):
    found, instead, sentence = REFUSED[what]
    file = plain(tmp_path)
    text = file.read_text()
    assert text.count(found) == 1
    file.write_text(text.replace(found, instead))
    shown = simulate("check", "torture", "--firmware", file, status=2)
    assert re.search(sentence, shown.stderr), shown.stderr


def test_a_program_without_what_runs_layers_says_so(tmp_path):
    program = tmp_path / "tessera-sim"
    shutil.copy2(BUILD / "tessera-sim", program)
    shown = subprocess.run([program, "list", "layers", "--firmware", plain(tmp_path)], capture_output=True, text=True)
    assert shown.returncode == 2
    assert "this build has no layers in Python" in shown.stderr and "pybind11-dev" in shown.stderr


def test_a_machine_without_python_s_library_is_told_which_package_has_it(tmp_path):
    program = tmp_path / "tessera-sim"
    shutil.copy2(BUILD / "tessera-sim", program)
    (tmp_path / "tessera_python-3.99.so").touch()
    shown = subprocess.run([program, "list", "layers", "--firmware", plain(tmp_path)], capture_output=True, text=True)
    assert shown.returncode == 2
    assert "layers in Python need libpython3.99.so.1.0" in shown.stderr and "apt install libpython3.99" in shown.stderr


def test_what_a_layer_prints_does_not_go_into_results(tmp_path):
    file = plain(tmp_path)
    file.write_text("print('hello')\n" + file.read_text())
    shown = simulate("list", "layers", "--json", "--firmware", file)
    assert json.loads(shown.stdout)[-1]["name"] == "plain"
    assert "hello" in shown.stderr


def test_new_layer_says_which_options_go_with_python(tmp_path):
    assert "--durability: a new layer in Python writes to the platters" in new_layer("mine", "--python", "--durability", "plp", "--out", tmp_path / "a").output
    assert "a layer is written in one language" in new_layer("mine", "--python", "--plug-in", "c", "--out", tmp_path / "a").output
    assert new_layer("mine", "--plug-in", "python", "--out", tmp_path / "a").exit_code == 0
    assert len((tmp_path / "a" / "mine.py").read_text().split("\n")) < 75
