"""A folder of results that somebody else made: whatever its files hold or are, a command ends, with a sentence, and writes where it was told to."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from spoilt_files import spoilt
from simulate import SIMULATOR, run, simulate
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.errors import InputError, fitting
from tessera.figures.gallery import of_comparison, of_run, of_sweep
from tessera.reports import write_report
from tessera.results.run_folder import Run
from tessera.results.sameness import differences
from tessera.view import write_view
from tessera.view.live import newest

pytestmark = pytest.mark.usefixtures("the_built_simulator")

MUTANTS = 120
PATIENCE = 120  # s: what takes longer waits for somebody
WORDS = ("demo", "--limit", "40", "--fold", "--workload", "random-4k")


def command(*words: object) -> tuple[int, str]:
    with ends():
        done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


@contextmanager
def ends() -> Iterator[None]:
    def late(*_: object) -> None:
        pytest.fail("it waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def honest(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    run(folder / "run", *WORDS, "--layer", "tessera", "--requests", "--events", "--places", "--intervals", "20 ms")
    simulate("compare", *WORDS, "--layers", "cmr,imr-rmw", "--seeds", "2", "--jobs", "1", "--out", folder / "comparison")
    plan = {"run": {"drive": "demo", "workload": "random-4k", "limit": 20, "fold": True}, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2]}}
    tessera.sweep(plan, out=folder / "sweep", jobs=1)
    return folder


@pytest.fixture
def sent(honest, tmp_path) -> Path:
    shutil.copytree(honest, tmp_path / "sent")
    return tmp_path / "sent"


def drawn(charts: Callable[[Any], list]) -> Callable[[Path], object]:
    """As `plot` does."""

    def read(folder: Path) -> object:
        results = tessera.open_results(folder)
        with fitting(folder):
            return charts(results)

    return read


READ = {
    "run": (
        write_report, drawn(of_run), write_view, lambda folder: differences(Run(folder), Run(folder)),
        lambda folder: [getattr(Run(folder).frames, table) for table in ("requests", "intervals", "events", "tracks", "blocks", "bands", "metrics")],
        lambda folder: (Run(folder).intervals, Run(folder).events),
    ),
    "comparison": (lambda folder: write_report(folder, question="Which layer has the best p99?"), drawn(of_comparison), write_view),
    "sweep": (lambda folder: write_report(folder, question="Which layer is best?"), drawn(of_sweep), lambda folder: tessera.open_results(folder).results),
}  # fmt: skip


@pytest.mark.parametrize("number", range(MUTANTS))
def test_whatever_a_file_holds_reading_it_ends_with_a_sentence_that_names_it(honest, tmp_path, number):
    draw = Random(number)
    kind = draw.choice(("run", "run", "run", "comparison", "sweep"))
    shutil.copytree(honest / kind, tmp_path / "sent")
    how = spoilt(tmp_path / "sent", draw)
    for read in READ[kind]:
        try:
            with ends():
                read(tmp_path / "sent")
        except InputError as error:
            assert str(tmp_path) in str(error) or "simulator" in str(error), (how, error)
        except OSError as error:
            assert error.filename, how


@pytest.mark.parametrize("read", [lambda file: Run(file.parent).requests, lambda file: newest(file, 1)], ids=["whole", "as it grows"])
def test_a_log_whose_header_ends_amid_an_expression_is_damaged(sent, read):
    log = sent / "run" / "requests.npy"
    log.write_bytes(log.read_bytes().replace(b"')", b"' ", 1).replace(b"]", b" ", 1))  # NumPy tokenizes a header that is no literal
    with pytest.raises(InputError, match="requests.npy is damaged"):
        read(log)


def piped(file: Path) -> None:
    file.unlink(missing_ok=True)
    os.mkfifo(file)


@pytest.mark.parametrize(("name", "words"), [
    ("summary.json", ("report", "{}")), ("summary.json", ("same", "{}", "{}")), ("summary.json", ("view", "{}")), ("intervals.csv", ("report", "{}")), ("intervals.csv", ("view", "{}")),
    ("requests.npy", ("plot", "{}")), ("requests.npy", ("explain", "{}", "1")), ("events.csv", ("report", "{}")), ("tracks.csv", ("plot", "{}")), ("run.json", ("wave", "record", "{}")),
    ("timeline.json", ("plot", "{}/timeline.json")), ("waves.vcd", ("wave", "show", "{}/waves.vcd")), ("w.state", ("view", "{}/w.state")),
])  # fmt: skip
def test_a_pipe_in_a_folder_is_no_file_and_nobody_waits_at_it(sent, name, words):
    piped(sent / "run" / name)
    status, said = command(*(word.format(sent / "run") for word in words))
    assert status == 2, said
    assert name in said or "w.state" in name


def test_a_pipe_under_the_name_of_a_report_gives_way(sent):
    for name in ("report.html", "view.html"):
        piped(sent / "run" / name)
    assert command("report", sent / "run")[0] == 0 and command("view", sent / "run")[0] == 0
    assert (sent / "run" / "report.html").is_file() and (sent / "run" / "view.html").is_file()


def test_a_pipe_that_a_file_of_disksim_includes_is_named(tmp_path):
    os.mkfifo(tmp_path / "inner.diskspecs")
    (tmp_path / "outer.parv").write_text("disksim_disk A { Model = source inner.diskspecs }\n")
    status, said = command("import", "disksim", tmp_path / "outer.parv", "--out", tmp_path / "a.toml")
    assert status == 2 and "inner.diskspecs" in said and "found a pipe" in said


@pytest.mark.parametrize("results", ["run", "comparison", "sweep"])
def test_pictures_are_not_drawn_where_a_link_of_the_folder_leads(sent, tmp_path, results):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (sent / results / "pictures").symlink_to(elsewhere)
    assert command("plot", sent / results)[0] == 0
    assert list(elsewhere.iterdir()) == [] and list((sent / results / "pictures").iterdir())


def test_a_picture_is_not_written_through_a_link_of_its_name(sent, tmp_path):
    (tmp_path / "mine").write_text("mine")
    (sent / "run" / "pictures").mkdir()
    (sent / "run" / "pictures" / "life.png").symlink_to(tmp_path / "mine")
    assert command("plot", sent / "run", "--only", "life")[0] == 0
    assert (tmp_path / "mine").read_text() == "mine"


def test_what_a_run_records_follows_no_link_beside_the_waveforms(sent, tmp_path):
    (tmp_path / "mine").write_text("mine")
    for name in ("waves.vcd", "waves.gtkw"):
        (sent / "run" / name).symlink_to(tmp_path / "mine")
    assert command("wave", "record", sent / "run", "--window", "0 s:1 us")[0] == 0
    assert (tmp_path / "mine").read_text() == "mine"


def test_warm_states_of_a_sweep_follow_no_link(tmp_path):
    plan = {"warm": {"workload": "random-4k", "limit": 20, "fold": True}, "run": {"drive": "demo", "layer": "cmr", "workload": "random-4k", "limit": 20, "fold": True}, "axes": {"seed": [1]}}
    tessera.sweep(plan, out=tmp_path / "first", jobs=1)
    (state,) = (tmp_path / "first" / "warm").iterdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "out" / "warm").mkdir(parents=True)
    (tmp_path / "out" / "warm" / state.name).symlink_to(tmp_path / "mine")
    tessera.sweep(plan, out=tmp_path / "out", jobs=1)
    assert (tmp_path / "mine").read_text() == "mine" and not (tmp_path / "out" / "warm" / state.name).is_symlink()


def test_states_of_a_comparison_and_drives_of_an_array_follow_no_link(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("states/cmr", "out/drive-0"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(elsewhere)
    simulate("compare", *WORDS, "--layers", "cmr", "--out", tmp_path / "compared", "--save-state", tmp_path / "states")
    simulate("array", "mirror", "--workload", "random-4k", "--limit", "10", "--fold", "--out", tmp_path / "out")
    assert list(elsewhere.iterdir()) == []


def test_a_pipe_under_the_name_of_a_result_gives_way_to_it(tmp_path):
    (tmp_path / "out").mkdir()
    for name in ("summary.json", "requests.npy", "drive.toml", "run.json"):
        piped(tmp_path / "out" / name)
    done = subprocess.run([SIMULATOR, "run", *WORDS, "--layer", "cmr", "--requests", "--out", tmp_path / "out"], timeout=PATIENCE, capture_output=True, check=False)
    assert done.returncode == 0 and (tmp_path / "out" / "summary.json").is_file() and (tmp_path / "out" / "drive.toml").is_file()


@pytest.mark.parametrize("words", [("explain", "{}/run", "1"), ("run", *WORDS, "--layer", "cmr", "--load-state", "{}/pipe", "--out", "{}/out"), ("check", "demo", "--trace", "{}/t.csv")], ids=lambda words: words[0])
def test_the_simulator_waits_at_no_pipe_that_a_folder_holds(sent, words):
    (sent / "t.csv").write_text("0,hm,0,Read,0,4096,1\n")
    for name in ("run/events.csv", "pipe", "t.csv.columns.toml"):
        piped(sent / name)
    done = subprocess.run([SIMULATOR, *(word.format(sent) for word in words)], timeout=PATIENCE, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "found no regular file" in done.stderr


PLAN = '[run]\ndrive = "demo"\nlayer = "cmr"\nworkload = "random-4k"\nlimit = 100000000\nfold = true\n[axes]\nseed = [1, 2]\n'
COMMAND = ("-m", "tessera", "sweep", "plan.toml", "--out", "out", "--jobs", "1")
CALL = ("-c", "import tomllib, tessera; tessera.sweep(tomllib.load(open('plan.toml', 'rb')), out='out', jobs=1)")


@contextmanager
def sweeping(folder: Path, *words: str, interrupts: str = "--default-signal=INT") -> Iterator[subprocess.Popen]:
    """A sweep in a session of its own, once its first simulator runs; its temporary folders are in `work`."""
    (folder / "plan.toml").write_text(PLAN)
    work = folder / "work"
    work.mkdir()
    process = subprocess.Popen(
        ["env", "--default-signal=HUP", interrupts, sys.executable, *words], cwd=folder, start_new_session=True,
        env={**os.environ, "TMPDIR": str(work), "TESSERA_SIM": str(SIMULATOR)}, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        until = time.monotonic() + PATIENCE
        while not list(work.glob("tessera-work-*/*/run.json")) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        assert process.poll() is None
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def ended(process: subprocess.Popen, by: signal.Signals) -> str:
    """What it said on standard error, told to end so; nothing is left of it."""
    process.send_signal(by)
    _, errors = process.communicate(timeout=PATIENCE)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    return errors


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda by: by.name)
def test_a_sweep_that_is_told_to_end_keeps_what_is_done_and_leaves_nothing(tmp_path, by):
    with sweeping(tmp_path, *COMMAND) as process:
        errors = ended(process, by)
    assert process.returncode == 128 + by
    how = "interrupted" if by == signal.SIGINT else f"ended by {by.name}"
    assert errors == f"tessera: {how}; 0 of 2 results are kept in out, and the same command goes on\n"
    assert list((tmp_path / "work").iterdir()) == []


def test_a_sweep_that_was_told_to_ignore_interrupts_goes_on(tmp_path):
    with sweeping(tmp_path, *COMMAND, interrupts="--ignore-signal=INT") as process:
        process.send_signal(signal.SIGINT)
        assert "ended by SIGTERM" in ended(process, signal.SIGTERM)


def test_a_sweep_in_python_that_is_interrupted_leaves_nothing(tmp_path):
    with sweeping(tmp_path, *CALL) as process:
        assert "KeyboardInterrupt" in ended(process, signal.SIGINT)
    assert process.returncode == -signal.SIGINT
    assert list((tmp_path / "work").iterdir()) == []


def test_figures_that_are_none_are_refused_by_name(sent):
    file = sent / "run" / "summary.json"
    whole = json.loads(file.read_text())
    for value in (10**400, True, "x"):
        file.write_text(json.dumps({**whole, "metrics": {**whole["metrics"], "host.latency.mean": {"value": value, "unit": "ms", "description": "d"}}}))
        status, said = command("report", sent / "run")
        assert status == 2 and "metric 'host.latency.mean'" in said
    file.write_text(file.read_text().replace('"x"', "NaN"))
    assert command("report", sent / "run")[0] == 2
