"""A drive in the process of a test bench: tessera.kernel. Each bench is a process of its own, as SystemC elaborates once per process."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from samples import BUILD, REPOSITORY
from simulate import run
from vcd.reader import TokenKind, tokenize

SANITIZED = "TESSERA_BUILD" in os.environ and not list(BUILD.glob("_kernel*"))
pytestmark = pytest.mark.skipif(SANITIZED, reason="Python is not built with the sanitizers")

BEGIN = """
import json
from tessera.kernel import Drive, InputError, ModelFailure

def refused(call, error=InputError):
    try:
        call()
    except error as refusal:
        return str(refusal)
    raise AssertionError("nothing was refused")

"""
ENVIRONMENT = os.environ | {"TESSERA_SIM": str(BUILD / "tessera-sim")}


def bench(script, *arguments):
    """What the script leaves in `result`."""
    command = [sys.executable, "-c", f"{BEGIN}{script}\nprint(json.dumps(result))", *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


CLOSED_LOOP = """
import sys
import numpy as np
folder = sys.argv[1]
log = np.load(folder + "/requests.npy")
order = log[np.argsort(log["number"])]
offsets, lengths, ops = (order["lba"] * 512).tolist(), (order["blocks"] * 512).tolist(), order["op"].tolist()
drive = Drive("common", layer="imr-rmw", seed=7)
done, left = [], iter(range(len(order)))

def host(request=None):
    if request is not None:
        done.append((request.number, request.arrival, request.issue, request.completion, request.parts["rotation"]))
        if len(done) == len(order):
            drive.stop()
    if (n := next(left, None)) is not None:
        drive.submit(["read", "write"][ops[n]], offsets[n], lengths[n], done=host)

for _ in range(8):
    host()
drive.run_until("1 h")
drive.drain()
result = {"done": done, "metrics": {name: metric.value for name, metric in drive.metrics().items()}, "at": drive.now}
"""


def test_a_host_in_python_gives_the_times_and_metrics_of_a_run(tmp_path):
    """The requests of a run at a closed queue depth, by a callable that submits the next one as one ends: the same to the picosecond."""
    finished = run(tmp_path, "common", "--layer", "imr-rmw", "--workload", "web-server", "--fold", "--limit", "600", "--replay", "closed:8", "--seed", "7", "--requests")
    found = bench(CLOSED_LOOP, tmp_path)
    log = np.load(tmp_path / "requests.npy")
    assert [tuple(row) for row in found["done"]] == log[["number", "arrival", "issue", "completion", "rotation"]].tolist()
    metrics = json.loads((tmp_path / "summary.json").read_text())["metrics"]
    apart = {name for name in metrics if name.startswith("run.") or name not in found["metrics"]}
    assert {name.split(".")[0] for name in apart} <= {"run", "host"} and len(metrics) - len(apart) > 150
    assert {name: metrics[name]["value"] for name in metrics if name not in apart} == {name: found["metrics"][name] for name in metrics if name not in apart}
    assert finished.metric("host.served") == 600


def test_a_power_cut_and_its_recovery_take_as_long_as_those_of_a_run(tmp_path):
    """What the cut lost is sent again in order, as a replay does: each request ends at the same picosecond."""
    cut = ("--cut-at", "100ms", "--seed", "3")
    run(tmp_path, "demo", "--layer", "imr-rmw", "--workload", "random-4k", "--limit", "200", "--replay", "closed:8", "--requests", *cut)
    found = bench(
        """
import sys
import numpy as np
order = np.sort(np.load(sys.argv[1]), order="number")
requests = list(zip(["read" if op == 0 else "write" for op in order["op"]], (order["lba"] * 512).tolist(), (order["blocks"] * 512).tolist()))
drive = Drive("demo", layer="imr-rmw", seed=3)
ends, left, lost = {}, iter(range(len(requests))), 0

def send(n):
    drive.submit(*requests[n], done=lambda request: ended(n, request))

def ended(n, request):
    global lost
    if request.status == "lost":
        lost += 1
        send(n)
        return
    ends[n] = request.completion
    if (following := next(left, None)) is not None:
        send(following)

for _ in range(8):
    send(next(left))
drive.run_until("+100 ms")
drive.cut_power()
drive.run_until("+" + sys.argv[2])
drive.power_on()
drive.run_until("idle")
result = [lost, [ends[n] for n in range(len(requests))]]
""",
        tmp_path / "requests.npy",
        re.search(r'^outage = "(.*?)"', (tmp_path / "drive.toml").read_text(), re.MULTILINE)[1],
    )
    assert found[0] == 8
    assert found[1] == np.sort(np.load(tmp_path / "requests.npy"), order="number")["completion"].tolist()


def test_signals_are_those_of_a_recording(tmp_path):
    """Every change of a wave file, for a bench that submits the requests of the run at the times of their arrival."""
    waves = ["--vcd-words", "--vcd", tmp_path / "waves.vcd", "--signals", "media,controller.firmware", "--record-window", "0 s:2 s"]
    run(tmp_path / "run", "bare", "--layer", "mu-rmw", "--workload", "random-4k", "--limit", "60", "--requests", *waves)
    found = bench(
        """
import sys
import numpy as np
log = np.load(sys.argv[1])
drive = Drive("bare", layer="mu-rmw")
drive.record("media", "controller.firmware")
for number, lba, blocks, op, arrival in np.sort(log, order="number")[["number", "lba", "blocks", "op", "arrival"]].tolist():
    drive.at(arrival, lambda lba=lba, blocks=blocks, op=op: drive.submit(["read", "write"][op], lba * 512, blocks * 512))
last = int(log["completion"].max())
drive.run_until(last)
shown = drive.signals()
window = drive.signals("media.state", since=last // 2, until=last)
(state,) = window.values()
(whole,) = drive.signals("drive.media.state").values()
result = {
    "last": last,
    "signals": {name: [signal.times.tolist(), signal.values.tolist(), signal.words, signal.kind] for name, signal in shown.items()},
    "window": [state.times.tolist(), state.values.tolist()],
    "at": [whole.at(int(t)) == state.at(int(t)) for t in state.times],
    "unknown": refused(lambda: drive.signals("media.stat")),
    "not recorded": refused(lambda: drive.signals("dram.*")),
}
""",
        tmp_path / "run" / "requests.npy",
    )
    recorded = vcd_changes(tmp_path / "waves.vcd", found["last"])
    assert set(recorded) == {name for name, shown in found["signals"].items() if shown[0]} and len(recorded) >= 10
    moved = 0
    for name, changes in recorded.items():
        times, values, words, kind = found["signals"][name]
        shown = [words[value] for value in values] if kind in ("state", "text") else values
        assert list(zip(times, shown, strict=True)) == changes, name  # of each: time and value
        moved += len(changes)
    assert moved > 300
    times, values, _, _ = found["signals"]["drive.media.state"]
    begin = max(i for i, time in enumerate(times) if time <= found["last"] // 2)
    assert found["window"] == [[found["last"] // 2, *times[begin + 1 :]], values[begin:]]
    assert all(found["at"])
    assert found["unknown"].startswith("unknown signal 'media.stat'; did you mean 'media.state'?")
    assert "unknown signal 'dram.*'" in found["not recorded"]


def vcd_changes(file, last):
    """Of each signal: (time, value) from its first known value on, up to `last`; a state's number is in a trace of its own."""
    names, scopes, changes, now = {}, [], {}, 0
    with file.open("rb") as stream:
        for token in tokenize(stream):
            if token.kind is TokenKind.SCOPE:
                scopes.append(token.scope.ident)
            elif token.kind is TokenKind.UPSCOPE:
                scopes.pop()
            elif token.kind is TokenKind.VAR:
                names[token.var.id_code] = ".".join([*scopes, token.var.ref_str.split("[")[0]])
            elif token.kind is TokenKind.CHANGE_TIME:
                now = token.time_change
            elif token.kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR, TokenKind.CHANGE_STRING) and now <= last:
                change = next(c for c in (token.data,) if c is not None)
                name = names[change.id_code]
                if change.value != "x" and not name.endswith("_code"):
                    value = change.value if token.kind is TokenKind.CHANGE_STRING else int(change.value)
                    changes.setdefault(name, []).append((now, value))
    return changes


def test_it_runs_until_what_it_is_asked_for_and_no_further():
    found = bench(
        """
drive = Drive("bare", layer="mu-rmw")
begun = drive.now
came = [drive.run_until("+5 ms"), drive.run_until(drive.now + 7)]
after = drive.now - begun
request = drive.submit("read", 40960, 4096)
came.append(drive.run_until("media.state == seek", "1 h"))
seeks = drive.value("media.state"), request.status, drive.now
again = drive.run_until("media.state == seek")
still = drive.now - seeks[2]
drive.run_until(request)
ended = request.status, request.completion - drive.now, sum(request.parts.values()) - request.latency, request.completion - request.arrival - request.latency
idle = drive.run_until("idle")

def host(request=None):
    drive.submit("write", 4096 * 977 * drive.metric("host.served").__int__() % drive.capacity, 4096, done=host)

for n in range(8):
    drive.submit("write", n << 20, 4096, done=host)
level = drive.value("flash.free_blocks")
came.append(drive.run_until(f"flash.free_blocks < {level}", "10 s"))
gauge = level, drive.value("flash.free_blocks"), drive.value("drive.controller.firmware.flash_free_blocks")
stops = []
drive.at(drive.now + 1000, lambda: (stops.append(drive.now), drive.stop()))
came.append(drive.run_until("+1 s"))
result = {"came": came, "after": after, "seeks": seeks, "again": again, "still": still, "ended": ended, "idle": idle, "gauge": gauge,
          "stopped": stops == [drive.now]}
"""
    )
    at_level = f"flash.free_blocks < {found['gauge'][0]}"
    assert found["came"][0] == "+5 ms" and isinstance(found["came"][1], int)
    assert found["after"] == 5 * 10**9 + 7
    assert found["came"][2:] == ["media.state == seek", at_level, None]
    assert found["seeks"][:2] == ["seek", None]
    assert (found["again"], found["still"]) == ("media.state == seek", 0)
    assert found["ended"] == ["ok", 0, 0, 0]
    assert found["idle"] == "idle"
    assert found["gauge"][1] == found["gauge"][2] == found["gauge"][0] - 1
    assert found["stopped"]


def test_the_power_is_back_with_power_on_and_not_before_and_may_go_at_once():
    found = bench(
        """
drive = Drive("demo", layer="imr-rmw")
drive.record("drive.power.rail")
drive.cut_power()
drive.run_until("+20 s")  # longer than power.outage
states = [drive.value("drive.power.rail"), drive.has_power]
drive.power_on()
states += [drive.value("drive.power.rail"), drive.has_power]
for _ in range(2):
    drive.run_until("+1 us")
    drive.cut_power()
    states += [drive.value("drive.power.rail")]
    drive.power_on()
drive.run_until("ready")
result = [*states, drive.ready, drive.value("drive.power.rail")]
"""
    )
    assert found == [0, False, 1, True, 0, 0, True, 1]


def test_a_power_cut_loses_what_is_under_way_and_keeps_what_was_flushed():
    found = bench(
        """
drive = Drive("demo", layer="mu-rmw", content="bytes", prefill=0)
first, second = bytes(range(256)) * 16, bytes(reversed(range(256))) * 64
drive.run_until(drive.submit("write", 8192, data=first))
drive.run_until(drive.submit("flush"))
ends = []
cut_short = [drive.submit("write", 1 << 20, data=second, done=lambda r: ends.append((r.number, r.status, drive.now))) for n in range(3)]
drive.run_until("+20 us")
at = drive.now
drive.cut_power()
states = [drive.ready, drive.has_power, drive.now - at, drive.outstanding]
without = refused(drive.cut_power), refused(drive.metrics), refused(drive.drain)
later = drive.submit("read", 8192, 4096)
drive.run_until("+50 ms")
waits = later.status
drive.power_on()
twice = refused(drive.power_on)
drive.run_until("ready")
boot = drive.now - at - 50 * 10**9
drive.run_until(later, "+10 s")
lost = drive.submit("read", 1 << 20, 512)
drive.run_until(lost)
drive.at(drive.now, drive.cut_power)
drive.run_until("+1 us")
result = {"ends": ends, "at": at, "states": states, "without": without, "waits": waits, "twice": twice, "boot": boot, "status": later.status,
          "whole": later.data == first, "either": lost.data in (bytes(512), second[:512]), "dark": drive.has_power}
"""
    )
    assert found["ends"] == [[n, "lost", found["at"]] for n in (2, 3, 4)]
    assert found["states"] == [False, False, 0, 0]
    assert all("power" in sentence for sentence in found["without"][:2]) and found["without"][2].startswith("the drive is not ready")
    assert found["waits"] is None and found["status"] == "ok" and found["whole"] and found["either"]
    assert found["twice"] == "the drive has power already"
    assert found["boot"] > 10**9
    assert found["dark"] is False


def test_data_is_bytes():
    found = bench(
        """
drive = Drive("bare", layer="imr-rmw", content="bytes", prefill=0)
data = bytes(range(256)) * 32
write = drive.submit("write", 4096, data=data, done=lambda write: drive.submit("write", 4096 + 512, data=b"w" * 512))
drive.run_until("idle")
read = drive.submit("read", 0, 16384)
drive.run_until(read)
result = [read.data == bytes(4096) + data[:512] + b"w" * 512 + data[1024:] + bytes(4096), write.data, read.length,
          refused(lambda: drive.submit("write", 0, 512)), refused(lambda: drive.submit("read", 0, data=b"0" * 512)),
          refused(lambda: drive.submit("write", 0, 1024, data=b"0" * 512))]
"""
    )
    assert found[:3] == [True, None, 16384]
    assert found[3] == "a write of 512 B: expected as many bytes of data, found 0"
    assert found[4] == "only a write takes data"
    assert found[5] == "length: expected 512, the bytes of data, found 1024"


SENTENCES = """
never = [refused(lambda: Drive("comon")), refused(lambda: Drive("bare", layer="cmrr")), refused(lambda: Drive("bare", settings={"nand.dice": 4})),
         refused(lambda: Drive("bare", settings={"host.tags": "many"})), refused(lambda: Drive("bare", content="tags")),
         refused(lambda: Drive("bare", prefill=101)), refused(lambda: Drive("bare", layer="zoned:log")),
         refused(lambda: Drive("bare", layer="cmr", settings={"host.command_timeout": "1 s"}))]
"""


def test_each_refusal_is_one_sentence():
    found = bench(
        SENTENCES
        + """
drive = Drive("bare", layer="cmr")
drive.run_until("+1 ms")
calls = [lambda: Drive("bare"), lambda: drive.run_until(), lambda: drive.run_until("1 us"), lambda: drive.run_until(-1), lambda: drive.run_until(1.5),
         lambda: drive.run_until("soon"), lambda: drive.run_until("20"), lambda: drive.run_until("media.stat == seek"),
         lambda: drive.run_until("media.state == seeks"), lambda: drive.run_until("media.state > seek"), lambda: drive.run_until("host_interface.tags_in_use > x"),
         lambda: drive.run_until("media.state =="), lambda: drive.submit("rite", 0, 512), lambda: drive.submit("write", 100, 512),
         lambda: drive.submit("write", drive.capacity, 512), lambda: drive.submit("read"), lambda: drive.submit("read", 0, 2**40),
         lambda: drive.metric("host.latency.p9"), lambda: drive.signals(), lambda: drive.record("medium.*"), lambda: drive.at("1 us", print), lambda: drive.power_on(),
         lambda: drive.submit("write", 0, data=bytes(512))]
result = never, [refused(call) for call in calls]
"""
    )
    for sentence in [*found[0], *found[1]]:
        assert "\n" not in sentence and "Traceback" not in sentence and len(sentence) < 400
    never, now = found
    for sentence, says in zip(never, (
        "unknown drive 'comon'; did you mean 'common'?", "unknown layer 'cmrr'; did you mean 'cmr'?", "nand.dies", "host.tags", "content: expected",
        "prefill: expected", "a drive under a test bench has the bench for its host", "host.command_timeout is 1 s",
    ), strict=True):  # fmt: skip
        assert says in sentence
    for sentence, says in zip(now, (
        "this process has elaborated a drive already, which SystemC does once per process", "expected an instant such as", "expected a later instant, found 1 us",
        "expected an instant in picoseconds", "expected an instant in picoseconds or as a text", 'found "soon"', "the unit is missing",
        "unknown signal 'media.stat'; did you mean 'media.state'?", "unknown value of the signal media.state 'seeks'; did you mean 'seek'?",
        "expected == or != and a word", "expected one to compare it with", "expected a condition such as", "unknown operation 'rite'; did you mean 'write'?",
        "offset: expected a multiple of 512 B, found 100 B", "and the drive holds", "a request of 0 B", "at most 1 GiB",
        "unknown metric 'host.latency.p9'; did you mean", "no signal is recorded", "unknown signal 'medium.*'", "expected a later instant", "the drive has power already",
        "data needs a drive with",
    ), strict=True):  # fmt: skip
        assert says in sentence


def test_an_exception_of_a_callable_comes_out_and_the_drive_runs_on():
    found = bench(
        """
drive = Drive("bare", layer="cmr")

def breaks(request):
    raise KeyError(request.number)

request = drive.submit("read", 0, 4096, done=breaks)
other = drive.submit("read", 1 << 30, 4096)
key = refused(lambda: drive.run_until("+1 s"), KeyError)
at = drive.now - request.completion, other.status
came = drive.run_until(other)
inside = []
drive.at(drive.now, lambda: inside.append(refused(lambda: drive.run_until("idle"))))
drive.run_until("idle")
result = key, at, other.status, came is other, inside
"""
    )
    assert found[:4] == ["0", [0, None], "ok", True]
    assert found[4] == ["the drive runs: a function that it calls can submit requests, stop it and cut the power, but not run it"]


def test_ctrl_c_stops_a_run_that_would_never_end_and_another_thread_is_refused():
    process = subprocess.Popen(
        [sys.executable, "-c", BEGIN + """
import threading, time
drive = Drive("bare", layer="cmr")
host = lambda request=None: drive.submit("read", 0, 4096, done=host)
host()
said = []
other = threading.Thread(target=lambda: (time.sleep(0.3), said.append(refused(lambda: drive.submit("read", 0, 512))), print("runs", flush=True)))
other.start()
try:
    drive.run_until("50 h")
except KeyboardInterrupt:
    at = drive.now
    drive.run_until("+1 ms")
    print(json.dumps([drive.now - at, said]))
"""],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
    )  # fmt: skip
    assert process.stdout.readline() == "runs\n"
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert time.monotonic() - begun < 10
    assert json.loads(printed) == [10**9, ["the drive runs in another thread: call it when it stands still, or from a function that it calls"]]


def test_a_failure_of_the_model_is_an_exception_and_not_the_end_of_the_process(tmp_path):
    """A layer in a shared library that answers a command twice."""
    once = "l->machine->complete(l->machine, number, status);"
    code = (REPOSITORY / "examples" / "firmware" / "careless.c").read_text()
    (tmp_path / "twice.c").write_text(code.replace(once, once + (" if (steps == 1) " + once)))
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{REPOSITORY / 'platforms' / 'plugin'}", "-o", tmp_path / "twice.so", tmp_path / "twice.c"], check=True)
    found = bench(
        """
import sys
drive = Drive("bare", firmware=sys.argv[1], check_protocol=True)
drive.submit("read", 0, 4096)
result = [refused(lambda: drive.run_until("idle"), ModelFailure), refused(lambda: drive.run_until("+1 s"), ModelFailure),
          refused(lambda: drive.submit("read", 0, 4096), ModelFailure)]
""",
        tmp_path / "twice.so",
    )
    assert "careless" in found[0] or "operation" in found[0]
    assert found[1] == found[2] == f"the simulation has ended: {found[0]}"


def test_the_bench_among_the_examples_finds_what_requests_wait_for():
    script = REPOSITORY / "examples" / "python_bench" / "bench.py"
    printed = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=ENVIRONMENT, timeout=120).stdout.splitlines()
    assert re.match(r"controller\.firmware\.work_under_way > 0 at \d+\.\d s, after \d+ requests$", printed[0])
    assert "lock" not in printed[1] and "lock" in printed[2]
    assert float(printed[4].split()[-1]) > 100


def test_without_the_module_it_is_said_where_it_comes_from(tmp_path):
    script = "import tessera.kernel as k; k.NAME = '_no_such.so'\ntry: k.Drive('bare')\nexcept ImportError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    assert re.match(r"there is no _no_such\.so in \S+ or \S+: './dev build' makes it where Python's headers and pybind11 are installed", said)


def test_a_drain_comes_after_what_is_under_way_and_waits():
    """More requests than tags, and one that is submitted while the flush is at the drive."""
    found = bench(
        """
drive = Drive("torture", layer="cmr", prefill=0, settings={"host.tags": 2, "firmware.write_cache.capacity": "64 KiB", "firmware.write_cache.durability": "volatile"})
ended, late = [], []

def done(request):
    ended.append(request.status)
    if len(ended) == 5:
        drive.at(drive.now + 1000, lambda: late.append((drive.submit("read", 0, 4096), drive.outstanding)))

for n in range(5):
    drive.submit("write", n * 40960, 4096, done=done)
drive.drain()
result = {"ended": ended, "outstanding": drive.outstanding, "late": [(request.status, count) for request, count in late]}
"""
    )
    assert found["ended"] == ["ok"] * 5 and found["outstanding"] == 0
    assert found["late"] == [["ok", 1]]


def test_what_faults_bring_about_is_no_failure_of_the_model():
    found = bench(
        """
faults = {"media.spare_tracks": 0, "media.write_fault_sectors": "[[0,0,5]]", "firmware.write_cache.capacity": "64 KiB", "firmware.write_cache.durability": "volatile"}
drive = Drive("torture", layer="cmr", prefill=0, settings=faults)
drive.submit("write", 0, 65536)
result = [refused(drive.drain)]
late = drive.submit("read", 1 << 20, 4096)
drive.run_until(late)
result.append(late.status)
"""
    )
    assert found == ["the flush failed: media error", "ok"]


@pytest.mark.parametrize("sectors", ["write_fault_sectors = [[0,27,2],[0,27,12]]", f"grown_defects = {[[0, 27, sector, 100] for sector in range(16)]}"], ids=["at first", "after a cut"])
def test_a_drive_that_faults_keep_from_booting_is_refused_in_a_sentence(sectors):
    name, rows = sectors.split(" = ")
    found = bench(
        f"""
def boots():
    drive = Drive("torture", layer="tessera", prefill=0, settings={{"media.spare_tracks": 0, "media.{name}": "{rows}"}})
    drive.run_until("300 ms")
    drive.cut_power()
    drive.power_on()
    drive.run_until("ready")

result = refused(boots)
"""
    )
    assert found.startswith("the drive did not boot: ")


def test_what_is_handed_in_and_is_of_a_wrong_kind_is_named_and_ends_nothing():
    said = bench(
        """
drive = Drive("torture", layer="cmr", prefill=0)
calls = [lambda: drive.submit(None), lambda: drive.submit("read", 0, 4096, done=3), lambda: drive.submit("write", 0, data=-1), lambda: drive.submit("write", 0, data=2**70),
         lambda: drive.at(drive.now, None), lambda: drive.record(None), lambda: drive.signals(3), lambda: drive.metric([]), lambda: drive.value({})]
calls += [lambda: Drive(settings=[1]), lambda: Drive(settings={"media.rpm": "\\ud800"}), lambda: Drive(layer="\\ud800")]
result = [refused(call) for call in calls]
drive.drain()
"""
    )
    assert said == ["op: expected a text, found None", "done: expected something to call, found 3", "data: expected bytes, found -1", f"data: expected bytes, found {2**70}",
                    "call: expected something to call, found None", "pattern: expected a text, found None", "pattern: expected a text, found 3", "metric: expected a text, found []",
                    "signal: expected a text, found {}", "settings: expected a mapping with texts as keys, found [1]", "settings: expected a text of Unicode, found 'media.rpm=\\ud800'",
                    "layer: expected a text of Unicode, found '\\ud800'"]  # fmt: skip
