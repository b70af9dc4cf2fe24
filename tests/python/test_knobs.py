"""The sliders: what a position runs, what is run twice and what is not, what ends, and whom the server answers."""

import dataclasses
import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tessera.cli import app
from tessera.commands.knobs import subject_of
from tessera.errors import InputError
from tessera.evidence.marks import TOO_SHORT
from tessera.results.steadiness import Until
from tessera.view.knobs import kept as on_disk, runs as background
from tessera.view.knobs.kept import Kept
from tessera.view.knobs.knob import Knob
from tessera.view.knobs.offline import within
from tessera.view.knobs.runs import Runs
from tessera.view.knobs.server import serving
from tessera.view.knobs.subject import Subject, command_of
from tessera.view.loopback import LARGEST_BODY

PATIENCE = 60  # seconds that a busy machine may take for what takes a moment
ENDLESS = 2_000_000_000  # requests: hours

pytestmark = pytest.mark.usefixtures("the_built_simulator")


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def subject(the_built_simulator) -> Subject:
    return subject_of("demo", None, ["cmr", "mu-rmw"], ["media.rpm=5400 rpm,10000 rpm"], [], 2_500, 1, "host.latency.p99:10%", None, None, offline=False)


@dataclasses.dataclass(frozen=True)
class Endless(Subject):
    """Its first run is a run that does not end."""

    def lengths(self) -> list[int]:
        return [ENDLESS]


@pytest.fixture
def endless() -> Subject:
    subject = subject_of("demo", "random-4k", ["cmr"], [], [], ENDLESS, 1, "host.latency.p99:10%", None, None, offline=False)
    fields = {item.name: getattr(subject, item.name) for item in dataclasses.fields(subject)}
    return Endless(**fields)


def until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def simulators(parent: int) -> list[int]:
    """Measured runs that a process has begun."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = status.read_text().rsplit(")", 1)[1].split()
            if int(words[1]) == parent and words[0] != "Z" and "--requests" in (status.parent / "cmdline").read_text():
                found.append(int(status.parent.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


@contextmanager
def background_runs(subject: Subject, jobs: int = 1, **more):
    made = Runs(subject, jobs, **more)
    try:
        yield made
    finally:
        made.close()


def test_a_position_is_a_run_that_its_command_repeats(subject):
    position = subject.position({"layer": "mu-rmw", "write-cache": "64 MiB", "load": "4x", "clock": "250 MHz", "faults": "100", "media.rpm": "5400 rpm"})
    planned = subject.plan(position)
    words = command_of(planned.simulation)
    assert words.startswith("tessera run demo --layer mu-rmw --workload web-server --limit 2500 --time-scale 0.25 --fold-at ")
    for setting in ("firmware.write_cache.capacity=64 MiB", "controller.clock=250 MHz", "media.transient_errors_per_million=100", "media.rpm=5400 rpm"):
        assert setting in words
    assert set(planned.with_it) >= {"power.dump_area", "power.hold_up_energy", "nand.dump_blocks"}  # which the cache needs to be saved
    assert all(f"{path}={value}" in words for path, value in planned.with_it.items())


def test_curves_of_layers_that_hold_unlike_amounts_are_of_one_workload(subject):
    at = {layer: subject.plan(subject.position({"layer": layer})).simulation.fold_at for layer in ("cmr", "mu-rmw")}
    assert at["cmr"] == at["mu-rmw"] == f"{subject.fold.at} B"
    assert subject.fold.design == "layer mu-rmw" and any("mu-rmw" in fact for fact in subject.facts())


def test_the_drive_as_it_is_sets_nothing(subject):
    assert subject.plan(subject.position({})).simulation.settings == {}


def test_a_drive_whose_layer_has_a_write_buffer_of_its_own_begins_with_that():
    hwsr = subject_of("hwsr-paper", None, [], [], [], 100, 1, "host.latency.p99:10%", None, None, offline=False)
    assert hwsr.position({})["layer"] == "hwsr" and hwsr.plan(hwsr.position({})).simulation.settings == {}
    with_more = hwsr.plan(hwsr.position({"write-cache": "64 MiB"})).simulation.settings
    assert with_more["layers.hwsr.memory"] == "64 MiB"


def test_what_is_held_fixed_has_no_slider():
    held = subject_of("demo", None, ["cmr"], [], ["controller.clock=250 MHz", "firmware.write_cache.capacity=4 MiB"], 100, 1, "host.latency.p99:10%", None, None, offline=False)
    assert not {"clock", "write-cache"} & set(held.by_name)
    assert held.plan(held.position({})).simulation.settings == {"controller.clock": "250 MHz", "firmware.write_cache.capacity": "4 MiB"}


def test_a_closed_host_is_loaded_by_its_depth_and_others_by_the_pace():
    closed = subject_of("demo", "random-4k", ["cmr"], [], [], 100, 1, "host.latency.p99:10%", "closed:3", None, offline=False)
    assert closed.by_name["load"].stops == ("1", "2", "3", "4", "8", "16", "32")
    assert closed.plan(closed.position({"load": "16"})).simulation.replay == "closed:16"
    assert closed.plan(closed.position({})).simulation.replay == "closed:3"
    queued = subject_of("demo", "web-server", ["cmr"], [], [], 100, 1, "host.latency.p99:10%", "queue:64", None, offline=False)
    faster = queued.plan(queued.position({"load": "2x"})).simulation
    assert (faster.replay, faster.time_scale) == ("queue:64", 0.5)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"layer": "imr-rmw"}, "layer: expected one of cmr, mu-rmw; found 'imr-rmw'"),
        ({"write-cache": "17 MiB"}, "write-cache: expected one of 0 B, 1 MiB"),
        ({"wrte-cache": "0 B"}, "unknown slider 'wrte-cache'; did you mean 'write-cache'?"),
        ({"cores": 2}, "cores: expected a text such as '1', found 2"),
        (["layer"], "state: expected values by the names of sliders, found list"),
    ],
)
def test_a_value_outside_the_sliders_is_refused(subject, given, expected):
    with pytest.raises(InputError, match="^" + expected.replace("?", r"\?")):
        subject.position(given)


def test_short_runs_come_first_and_figures_are_those_of_the_command(subject, tmp_path):
    with background_runs(subject) as runs:
        answer = runs.want("page", subject.position({"layer": "mu-rmw"}))
        until(lambda: answer.done)
    assert [result["requests"] for result in answer.results] == [2_000, 2_500]
    last = answer.results[-1]
    run = answer.planned.simulation.run(tmp_path / "run")
    for name, held in last["percentiles"].items():
        assert held["ms"] == run.find(f"host.latency.{name}")
    assert (last["throughput"], last["write_amplification"]) == (run.find("host.throughput"), run.find("write_amplification.total"))
    assert last["curve"][0][1] == 1 and last["curve"][-1][1] == pytest.approx(1 / 2_500)
    assert last["marks"] == [TOO_SHORT] and last["percentiles"]["p999"]["few"]


def test_positions_that_are_one_run_run_once(subject, monkeypatch):
    made = []
    monkeypatch.setattr(background, "measure", lambda key, simulation, until: made.append(key) or {"key": key, "requests": simulation.limit, "limit": simulation.limit, "last": True, "message": ""})
    with background_runs(subject) as runs:
        for state in ({}, {"flash": subject.by_name["flash"].stops[0]}, {"faults": "10"}, {}):
            answer = runs.want("page", subject.position(state))  # cmr has no use for flash
            until(lambda: answer.done)
    assert len(made) == len(set(made)) == 2


def test_a_later_session_takes_the_results_of_an_earlier_one_from_the_disk(subject, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(background, "measure", lambda key, simulation, until: made.append(key) or {"key": key, "requests": simulation.limit, "limit": simulation.limit, "last": True, "message": ""})

    def session(subject: Subject) -> list[dict]:
        with background_runs(subject, kept=Kept(tmp_path / "kept")) as runs:
            answer = runs.want("page", subject.position({}))
            until(lambda: answer.done)
        return answer.results

    first = session(subject)
    assert session(subject) == first and len(made) == 1
    session(dataclasses.replace(subject, seed=2))
    session(dataclasses.replace(subject, until=Until.parse("host.latency.p99:5%")))
    assert len(made) == 3  # another seed, another end
    (tmp_path / "kept").joinpath(sorted(os.listdir(tmp_path / "kept"))[0]).write_text('{"key": ')
    for again in (subject, dataclasses.replace(subject, seed=2), dataclasses.replace(subject, until=Until.parse("host.latency.p99:5%"))):
        session(again)
    assert len(made) == 4  # the damaged one alone


def test_what_failed_is_not_kept_and_the_oldest_results_go(subject, tmp_path, monkeypatch):
    kept = Kept(tmp_path)
    kept.put("a", subject.until, {"key": "a", "last": True, "message": "no room"})
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(on_disk, "MOST", 4)
    for age, key in enumerate("abcd"):
        kept.put(key, subject.until, {"key": key, "last": True, "message": ""})
        for file in tmp_path.iterdir():
            os.utime(file, (1_000_000 + age, file.stat().st_mtime) if file.stat().st_mtime < 2_000_000 else (1_000_000 + age, 1_000_000 + age))
    assert kept.get("a", subject.until) is not None  # used: now the youngest
    kept.put("e", subject.until, {"key": "e", "last": True, "message": ""})
    assert [key for key in "abcde" if kept.get(key, subject.until)] == ["a", "d", "e"]


def test_a_folder_that_cannot_be_written_is_said_once(subject, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    kept = Kept(tmp_path / "file" / "knobs")
    for key in "ab":
        kept.put(key, subject.until, {"key": key, "last": True, "message": ""})
    assert capsys.readouterr().err.count("results are not kept after this session") == 1


def test_a_run_whose_slider_moved_on_is_ended_and_the_next_one_runs(endless):
    with background_runs(endless, jobs=1) as runs:
        first = runs.want("page", endless.position({}))
        until(lambda: simulators(os.getpid()) and first.under_way)
        ended = simulators(os.getpid())
        second = runs.want("page", endless.position({"load": "16"}))
        until(lambda: second.under_way and simulators(os.getpid()) not in ([], ended))
        assert not set(ended) & set(simulators(os.getpid()))
        assert first.results == [] and not first.done
    assert simulators(os.getpid()) == []


def test_no_more_runs_at_a_time_than_jobs(endless):
    with background_runs(endless, jobs=2) as runs:
        for number in range(5):
            runs.want(f"page {number}", endless.position({"load": endless.by_name["load"].stops[number]}))
        seen = []
        until(lambda: seen.append(len(simulators(os.getpid()))) or seen.count(2) > 20)
        assert max(seen) == 2
    assert simulators(os.getpid()) == []


def test_a_page_that_was_closed_wants_nothing(endless):
    now = [0.0]
    with background_runs(endless, clock=lambda: now[0]) as runs:
        runs.want("page", endless.position({}))
        until(lambda: simulators(os.getpid()))
        now[0] = background.PATIENCE_SECONDS + 1
        other = runs.want("other", endless.position({"load": "16"}))
        until(lambda: other.under_way)


def test_a_drive_that_cannot_be_that_way_is_a_sentence(subject):
    tight = dataclasses.replace(subject, settings={"power.dump_area": "16 MiB"}, _found={})
    with background_runs(tight) as runs:
        answer = runs.want("page", tight.position({"write-cache": "256 MiB"}))
        until(lambda: answer.done)
    assert "power.dump_area is 16 MiB and has to be 258 MiB" in answer.message and answer.results == []


@pytest.fixture(scope="module")
def served(subject):
    with serving(subject, "<p>the page</p>", jobs=1) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


JSON = {"Content-Type": "application/json"}
GOOD = json.dumps({"page": "p", "state": {}, "seen": -1})


def ask(server, method: str = "POST", path: str | None = None, headers: dict[str, str] | None = None, body: str = GOOD) -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE)
    connection.putrequest(method, path or f"/{server.token}/position", skip_host=True)
    for name, value in {"Host": f"127.0.0.1:{server.server_port}", **(JSON if method == "POST" else {}), **(headers or {}), "Content-Length": str(len(body) if method == "POST" else 0)}.items():
        connection.putheader(name, value)
    connection.endheaders(body.encode() if method == "POST" else None)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text, dict(reply.getheaders())


def test_the_page_and_its_answers_are_served_to_this_machine_alone(served):
    assert served.server_address[0] == "127.0.0.1"
    status, text, headers = ask(served, "GET", f"/{served.token}/")
    assert (status, text) == (200, "<p>the page</p>")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"] and headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in headers
    own = {"Origin": f"http://localhost:{served.server_port}", "Host": f"localhost:{served.server_port}"}
    status, text, _ = ask(served, headers=own)
    assert status == 200 and json.loads(text)["message"] == ""


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/", {}, "wrong token"),
        ("/wrong/position", {}, "wrong token"),
        ("/{token}x/", {}, "wrong token"),
        (None, {"Host": "evil.example"}, "expected the host 127.0.0.1:"),
        (None, {"Host": "evil.example:{port}"}, "expected the host 127.0.0.1:"),
        (None, {"Host": "127.0.0.1"}, "expected the host 127.0.0.1:"),
        (None, {"Origin": "https://evil.example"}, "a page of 'https://evil.example' may not ask"),
        (None, {"Origin": "http://127.0.0.1:1"}, "a page of 'http://127.0.0.1:1' may not ask"),
        (None, {"Origin": "null"}, "a page of 'null' may not ask"),
    ],
)
def test_strangers_are_refused(served, method, path, headers, expected):
    filled = {name: value.format(port=served.server_port) for name, value in headers.items()}
    path = path.format(token=served.token) if path else f"/{served.token}/" + ("position" if method == "POST" else "")
    status, text, _ = ask(served, method, path, filled)
    assert status == 403 and expected in json.loads(text)["message"]
    assert served.token not in text


@pytest.mark.parametrize(
    ("headers", "body", "status", "expected"),
    [
        ({"Content-Type": "text/plain"}, GOOD, 415, "expected application/json"),
        ({}, "x" * (LARGEST_BODY + 1), 413, "at most 65,536 bytes"),
        ({}, "{", 400, "expected JSON"),
        ({}, "[" * 50_000, 400, "expected JSON"),
        ({}, "[]", 400, "page: expected a name"),
        ({}, '{"page": "p", "state": {}, "seen": "x"}', 400, "seen: expected the version"),
        ({}, '{"page": "p", "state": {"cores": "7"}, "seen": 0}', 400, "cores: expected one of 1, 2, 3, 4; found '7'"),
        ({}, '{"page": "p", "state": {"layer": "cmr --elf x"}, "seen": 0}', 400, "layer: expected one of"),
    ],
)
def test_what_is_no_position_is_refused(served, headers, body, status, expected):
    got, text, _ = ask(served, headers=headers, body=body)
    assert got == status and expected in json.loads(text)["message"]


def test_ctrl_c_ends_the_server_and_its_simulators():
    words = [sys.executable, "-m", "tessera", "view", "demo", "--knobs", "--workload", "random-4k", "--layer", "cmr", "--limit", str(ENDLESS), "--until", "host.latency.p99:0.001%"]
    program = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = program.stdout.readline().strip()
        port, token = int(address.split(":")[2].split("/")[0]), address.split("/")[3]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("POST", f"/{token}/position", GOOD, JSON)
        until(lambda: simulators(program.pid))
        running = simulators(program.pid)
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=PATIENCE)[1]
        connection.close()
    finally:
        program.kill()
        program.wait()
    assert program.returncode == 130 and "Traceback" not in said
    assert [pid for pid in running if Path(f"/proc/{pid}").exists()] == []


def test_a_grid_within_the_budget_is_one_file(subject, tmp_path):
    out = tmp_path / "knobs.html"
    done = CliRunner().invoke(app, ["view", "demo", "--knobs", "--layer", "cmr,mu-rmw", "--limit", "100", "--budget", "400", "--offline", str(out)])
    assert done.exit_code == 0 and done.output.strip() == str(out), done.output
    data = json.loads(out.read_text().split('id="data">')[1].split("</script>")[0])
    assert not data["served"] and len(data["answers"]) <= 4
    assert data["knobs"][0]["stops"] == ["cmr", "mu-rmw"]
    for place, answer in data["answers"].items():
        layer = data["knobs"][0]["stops"][int(place.split(",")[0])]
        assert answer["result"]["requests"] == 100 and f"--layer {layer} " in answer["command"]
    assert any(fact.startswith("values left out to stay within the budget: Write cache (2 of 7), Load (1 of 6)") for fact in data["facts"])


def test_a_slider_keeps_its_own_value_and_its_ends_longest():
    knob = Knob("a", "A", tuple("123456"), 2)
    thinned = [within((knob,), most)[0] for most in (5, 4, 3, 2, 1)]
    assert ["".join(one.stops) for one in thinned] == ["13456", "1356", "136", "36", "3"]
    assert all(one.stops[one.own] == "3" for one in thinned)
    layers = Knob("layer", "Layer", ("x", "y"), 0)
    assert ["".join(one.stops) for one in within((layers, knob, dataclasses.replace(knob, name="b")), 6)] == ["xy", "136", "3"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["demo", "--layer", "cmr"], "--layer belongs to --knobs"),
        (["demo", "--seed", "1"], "--seed belongs to --knobs"),
        (["demo", "--knobs", "--port", "1", "--offline", "x.html"], "--port belongs to a server"),
        (["demo", "--knobs", "--out", "x"], "--out belongs to a folder of results, without --knobs"),
        (["demo", "--knobs", "--budget", "5"], "--budget bounds what --offline runs"),
        (["demo", "--knobs", "--limit", "100", "--budget", "99", "--offline", "x.html"], "--budget: expected enough for one run"),
        (["dmo", "--knobs"], "unknown drive 'dmo'; did you mean 'demo'?"),
        (["demo", "--knobs", "--layer", "imr-rwm"], "unknown layer 'imr-rwm'; did you mean 'imr-rmw'?"),
        (["demo", "--knobs", "--knob", "media.rmp=1,2"], "unknown parameter of --knob 'media.rmp'; did you mean 'media.rpm'?"),
        (["demo", "--knobs", "--knob", "media.rpm"], "--knob: expected PATH=A,B,C"),
        (["demo", "--knobs", "--workload", "wb-server"], "did you mean 'web-server'?"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(words, expected):
    done = CliRunner().invoke(app, ["view", *words])
    assert done.exit_code == 2 and expected in done.output.replace("\n", " ")


def test_a_busy_port_is_refused_in_a_sentence(served, subject):
    with pytest.raises(InputError, match="cannot be listened on"), serving(subject, "", 1, served.server_port):
        pass
