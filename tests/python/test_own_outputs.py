"""Each output has one owner: no two commands write one folder, no two outputs are one file, and no input is overwritten."""

import json
import os
import signal
import subprocess

import pytest
from simulate import SIMULATOR, simulate
from test_run_ends import ENDLESS, SHORT, files, grows, start, wait_until
from typer.testing import CliRunner

from tessera.cli import app

TRACE = "".join(f"{n * 10_000},hm,0,Write,{n * 4096},4096,1\n" for n in range(40))


@pytest.fixture
def endless():
    """Starts runs that end with the test at the latest."""
    started = []

    def begin(*arguments):
        started.append(start(*ENDLESS, *arguments))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(TRACE)
    (tmp_path / "base.toml").write_text('extends = "demo"\n')
    (tmp_path / "own.toml").write_text('extends = "base"\n')
    (tmp_path / "columns.toml").write_text('time = "1:us"\nop = 4\nr = "Read"\nw = "Write"\noffset = "5:bytes"\nsize = "6:bytes"\n')
    return tmp_path


def test_a_second_run_into_a_folder_is_refused_while_the_first_writes_there(tmp_path, endless):
    first = endless("--requests", "--out", tmp_path)
    wait_until(lambda: grows(tmp_path / "requests.npy.partial"), first)
    for words in (SHORT, ("compare", "demo", "--layers", "cmr", *SHORT[4:])):
        refused = simulate(*words, "--out", tmp_path, status=2).stderr
        assert f"process {first.pid} on {os.uname().nodename} writes its results into this folder" in refused or f"in use by process {first.pid}" in refused
    first.send_signal(signal.SIGTERM)
    first.wait(timeout=60)
    served = json.loads((tmp_path / "summary.json").read_text())["metrics"]["host.served"]["value"]
    assert len((tmp_path / "requests.npy").read_bytes()) > served * 100
    assert ".lock" not in files(tmp_path)
    simulate(*SHORT, "--out", tmp_path)


def test_a_run_that_was_killed_leaves_its_folder_free(tmp_path, endless):
    first = endless("--requests", "--out", tmp_path)
    wait_until(lambda: grows(tmp_path / "requests.npy.partial"), first)
    first.kill()
    first.wait()
    simulate(*SHORT, "--out", tmp_path)
    assert ".lock" not in files(tmp_path)


def test_a_file_that_another_run_writes_is_refused(tmp_path, endless):
    first = endless("--vcd", tmp_path / "q.vcd", "--out", tmp_path / "first")
    wait_until(lambda: grows(tmp_path / "q.vcd.partial"), first)
    refused = simulate(*SHORT, "--vcd", tmp_path / "q.vcd", "--out", tmp_path / "second", status=2)
    assert "q.vcd: another process is writing this file" in refused.stderr
    first.kill()
    first.wait()
    assert not (tmp_path / "q.vcd").exists()


RUN = ("run", "own.toml", "--trace", "t.csv", "--format", "columns:columns.toml", "--out", "out")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--save-state", "q", "--vcd", "q"), "--save-state q and --vcd q are one file"),
        (("--save-state", "q", "--vcd", "./out/../q"), "are one file"),
        (("--vcd", "q", "--timeline", "q"), "--timeline q and --vcd q are one file"),
        (("--vcd", "q", "--timeline", "q.partial"), "are one file"),
        (("--vcd", "q.gtkw"), "GTKWave's save file q.gtkw and --vcd q.gtkw are one file"),
        (("--save-state", "out/summary.json"), "--save-state out/summary.json and the result out/summary.json are one file"),
        (("--timeline", "out/.lock"), "are one file"),
        (("--vcd", "t.csv"), "--vcd t.csv would overwrite its own input (trace) t.csv: give the output a file of its own"),
        (("--timeline", "base.toml"), "--timeline base.toml would overwrite its own input (drive)"),
        (("--save-state", "columns.toml"), "would overwrite its own input (columns)"),
        (("--save-state", "own.toml"), "would overwrite its own input (drive)"),
        (("--save-state", "s", "--load-state", "s"), "--save-state s would overwrite its own input (state) s"),
    ],
)
def test_outputs_that_are_one_file_or_an_input_are_refused_before_anything_is_written(here, words, message):
    (here / "out").mkdir()
    (here / "out" / "summary.json").write_text("of an earlier run")
    (here / "s").write_text("state")
    before = {file: file.read_bytes() for file in here.rglob("*") if file.is_file()}
    assert message in simulate(*RUN, *words, status=2).stderr
    assert {file: file.read_bytes() for file in here.rglob("*") if file.is_file()} == before


def test_a_trace_among_the_results_of_the_folder_is_kept(here):
    (here / "out").mkdir()
    trace = here / "out" / "events.csv"
    trace.write_text(TRACE)
    refused = simulate("run", "demo", "--trace", trace, "--out", "out", status=2)
    assert "the result out/events.csv would overwrite its own input (trace)" in refused.stderr
    assert trace.read_text() == TRACE


def test_a_trace_among_the_results_of_a_comparison_is_kept(here):
    trace = here / "out" / "cmr" / "1" / "events.csv"
    trace.parent.mkdir(parents=True)
    trace.write_text(TRACE)
    refused = simulate("compare", "demo", "--layers", "cmr", "--trace", trace, "--out", "out", status=2)
    assert "would overwrite its own input (trace)" in refused.stderr
    assert trace.read_text() == TRACE


@pytest.mark.parametrize("words", [("convert", "t.csv", "--out", "t.csv"), ("torture", "own.toml", "--trace", "t.csv", "--minimise", "t.csv")])
def test_other_commands_keep_their_inputs_too(here, words):
    assert f"{words[-2]} t.csv would overwrite its own input" in simulate(*words, status=2).stderr
    assert (here / "t.csv").read_text() == TRACE


SERVE = ("serve", "own.toml", "--nbd", "unix:socket")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--image", "q", "--save-state", "q"), "--image q and --save-state q are one file"),
        (("--image", "q", "--save-state", "./x/../q"), "are one file"),
        (("--image", "q.partial", "--save-state", "q"), "are one file"),
        (("--image", "socket"), "--nbd socket and --image socket are one file"),
        (("--save-state", "socket"), "are one file"),
        (("--image", "out/summary.json", "--out", "out"), "are one file"),
        (("--save-state", "out/requests.npy", "--out", "out"), "are one file"),
        (("--image", "s", "--load-state", "s"), "--image s would overwrite its own input (state) s"),
        (("--image", "base.toml"), "--image base.toml would overwrite its own input (drive)"),
        (("--save-state", "own.toml"), "--save-state own.toml would overwrite its own input (drive)"),
    ],
)
def test_outputs_of_a_server_that_are_one_file_or_an_input_are_refused(here, words, message):
    (here / "s").write_text("state")
    before = {file: file.read_bytes() for file in here.rglob("*") if file.is_file()}
    assert message in simulate(*SERVE, *words, status=2).stderr
    assert {file: file.read_bytes() for file in here.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(
    "words",
    [
        ("trace", "cut", "t.csv", "--out", "t.csv"),
        ("trace", "scale", "t.csv", "--out", "t.csv"),
        ("trace", "repeat", "t.csv", "--times", "2", "--out", "t.csv"),
        ("trace", "merge", "t.csv", "t2.csv", "--out", "t2.csv"),
        ("trace", "fit", "t.csv", "--out", "t.csv"),
        ("trace", "convert", "t.csv", "--to", "fio", "--out", "t.csv"),
        ("trace", "cut", "t.csv", "--format", "columns:q.columns.toml", "--out", "q"),
        ("trace", "fit", "t.csv", "--format", "columns:q.columns.toml", "--out", "q.columns.toml"),
        ("curve", "t.csv", "--out", "t.csv"),
        ("report", "results", "--out", "results/summary.json"),
    ],
    ids=" ".join,
)
def test_python_commands_keep_what_they_read(here, words):
    (here / "t2.csv").write_text(TRACE)
    (here / "q.columns.toml").write_text((here / "columns.toml").read_text())
    (here / "results").mkdir()
    (here / "results" / "summary.json").write_text("{}")
    before = {file: file.read_bytes() for file in here.rglob("*") if file.is_file()}
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 2
    assert "is what the command reads" in done.output or "would overwrite its own input" in done.output
    assert {file: file.read_bytes() for file in here.rglob("*") if file.is_file()} == before


def test_waveforms_of_one_name_and_two_formats_share_their_save_file(here):
    simulate(*RUN, "--vcd", "q.vcd", "--timeline", "q.json")
    assert {"q.vcd", "q.gtkw", "q.json"} <= files(here)


def test_what_goes_to_standard_output_goes_on_in_the_file_behind_it(here):
    with open("all.txt", "w") as out:  # by a name that nobody can replace, not even where this goes wrong and runs as root
        subprocess.run([SIMULATOR, *RUN, "--vcd", "/dev/fd/1"], stdout=out, check=True)
    text = (here / "all.txt").read_text()
    assert text.startswith("$")
    assert "$enddefinitions $end" in text
    assert text.rstrip().endswith("results: out")


def test_a_pipe_streams_waveforms(here):
    os.mkfifo("pipe")
    process = start(*RUN, "--vcd", "pipe")
    with open("pipe") as pipe:
        assert "$enddefinitions $end" in pipe.read()
    assert process.wait() == 0
    process.communicate()


def test_a_format_that_cannot_be_streamed_is_not(here):
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    refused = simulate(*RUN, "--fst", "pipe", status=2)
    os.close(reader)
    assert "--fst pipe: expected a file on disk" in refused.stderr


def test_a_folder_without_room_leaves_no_result_under_its_name(here):
    # 64 KiB a file: the first buffer of the waveforms that does not fit meets what a full disk would say.
    import resource

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    result = subprocess.run([SIMULATOR, *RUN, "--vcd", "q.vcd"], capture_output=True, text=True, preexec_fn=small)
    assert result.returncode == 1
    assert "cannot write 'q.vcd': File too large" in result.stderr
    assert not (here / "q.vcd").exists()
    assert not (here / "out" / "summary.json").exists()
