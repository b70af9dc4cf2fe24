"""A trace or description that comes through a pipe is as good as one in a file."""

import gzip
import json
import os
import random
import signal
import subprocess
import threading
import time

import pytest
from simulate import SIMULATOR, simulate, started

TRACE = "".join(f"{i * 10_000},hm,0,{'Read' if i % 3 else 'Write'},{(i * 37 % 1009) * 4096},4096,1\n" for i in range(5_000)).encode()
RUN = ("run", "demo", "--layer", "cmr")


def fed(content: bytes, *arguments) -> subprocess.CompletedProcess:
    return subprocess.run(**started(arguments), input=content, capture_output=True)


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("form", [(), ("--format", "msr")])
def test_a_trace_from_standard_input_gives_the_results_of_the_file(tmp_path, pack, form):
    file = tmp_path / "trace.csv"
    file.write_bytes(pack(TRACE))
    simulate(*RUN, "--trace", file, *form, "--out", tmp_path / "file")
    piped = fed(file.read_bytes(), *RUN, "--trace", "/dev/stdin", *form, "--out", tmp_path / "pipe")
    assert piped.returncode == 0, piped.stderr
    of_file, of_pipe = summary(tmp_path / "file"), summary(tmp_path / "pipe")
    assert of_file["metrics"]["host.served"]["value"] == 5_000
    for metric in ("host.served", "host.latency.mean"):
        assert of_pipe["metrics"][metric] == of_file["metrics"][metric]
    assert of_pipe["run"]["input_hash"] == of_file["run"]["input_hash"]


def test_a_trace_from_a_fifo_is_read_once(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=lambda: fifo.write_bytes(TRACE))
    writer.start()
    described = json.loads(simulate("describe", fifo, "--json").stdout)
    writer.join()
    assert described["requests"] == 5_000


def test_a_pipe_that_is_not_read_to_its_end_has_no_hash(tmp_path):
    endless = f"yes '10,hm,0,Read,4096,4096,1' | {SIMULATOR} run demo --layer cmr --trace /dev/stdin --limit 500 --out {tmp_path}"
    assert subprocess.run(["/bin/sh", "-c", endless], capture_output=True).returncode == 0
    assert summary(tmp_path)["metrics"]["host.served"]["value"] == 500
    assert summary(tmp_path)["run"]["input_hash"] is None


def test_a_description_from_standard_input_is_read_once(tmp_path):
    description = simulate("list", "parameters", "demo", "--schema").stdout  # a valid text, but no description
    assert fed(description.encode(), "check", "/dev/stdin").returncode == 2
    piped = fed(b'extends = "demo"\n[media]\nrpm = "5400 rpm"\n', "run", "/dev/stdin", "--workload", "random-4k", "--limit", "10", "--out", tmp_path)
    assert piped.returncode == 0, piped.stderr
    assert 'rpm = "5400 rpm"' in (tmp_path / "drive.toml").read_text()


def test_a_program_that_refuses_its_input_does_not_end_who_feeds_it():
    assert subprocess.run(["true"], input=bytes(1 << 20)).returncode == 0  # as large as no pipe: the write behind its end raises SIGPIPE


def test_a_comparison_refuses_a_pipe_that_only_one_of_its_runs_could_read(tmp_path):
    refused = fed(TRACE[:1000], "compare", "demo", "--layers", "cmr", "--trace", "/dev/stdin", "--out", tmp_path / "out")
    assert refused.returncode == 2 and b"expected a file" in refused.stderr


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_run_whose_trace_stalls_ends_at_a_signal_with_what_it_has(tmp_path, name, status, pack):
    drawn = random.Random(1)  # so that much of it is left when it is compressed
    long = "".join(f"{i * 10_000},hm,0,Read,{drawn.randrange(1 << 22) * 4096},4096,{drawn.randrange(1 << 30)}\n" for i in range(30_000)).encode()
    own_signals = {"preexec_fn": lambda: signal.signal(getattr(signal, name), signal.SIG_DFL)}
    words = [SIMULATOR, *RUN, "--trace", "/dev/stdin", "--format", "msr", "--requests", "--check", "--out", tmp_path]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **own_signals)
    process.stdin.write(pack(long))
    process.stdin.flush()  # and nothing more, with the pipe open
    partial = tmp_path / "requests.npy.partial"
    deadline = time.monotonic() + 60
    while not (partial.exists() and partial.stat().st_size > 0):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(getattr(signal, name))
    try:
        assert process.wait(timeout=60) == status
    finally:
        process.kill()
        process.communicate()
    made = summary(tmp_path)
    assert made["run"]["partial"] is True
    assert made["run"]["input_hash"] is None
    assert 0 < made["metrics"]["host.served"]["value"] <= 30_000
    assert made["metrics"]["scoreboard.errors"]["value"] == 0


def test_a_run_that_waits_for_the_first_byte_of_its_trace_ends_at_a_signal(tmp_path):
    process = subprocess.Popen([SIMULATOR, *RUN, "--trace", "/dev/stdin", "--out", tmp_path], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "drive.toml").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.terminate()
    assert process.wait(timeout=60) == 143
    assert "stopped by a signal before the drive was switched on" in process.stderr.read()


def test_an_array_whose_trace_stalls_ends_at_a_signal_with_what_it_has(tmp_path):
    description = tmp_path / "array.toml"
    description.write_text('[array]\nkind = "mirror"\n[[drive]]\ndescription = "torture"\nlayer = "cmr"\ncount = 2\n')
    words = [SIMULATOR, "array", description, "--fold", "--replay", "closed:1", "--trace", "/dev/stdin", "--format", "msr", "--out", tmp_path / "out"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write("".join(f"{i * 10_000},hm,0,Read,{i * 4096},4096,1\n" for i in range(3_000)).encode())
    process.stdin.flush()  # and nothing more, with the pipe open
    deadline = time.monotonic() + 60
    while not (tmp_path / "out" / "drive-1" / "drive.toml").exists():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    time.sleep(1)  # by then the signal is noted, and does not end the process at once
    process.terminate()
    try:
        assert process.wait(timeout=60) == 143
    finally:
        process.kill()
        process.communicate()
    assert summary(tmp_path / "out")["run"]["partial"] is True
