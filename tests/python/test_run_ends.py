"""However a run ends, what is in its folder is of this run, and the exit status says how it ended."""

import json
import os
import resource
import signal
import subprocess
import time

import pytest
from simulate import SIMULATOR, simulate, started

ENDLESS = ("run", "bare", "--layer", "cmr", "--workload", "random-4k", "--replay", "closed:32", "--limit", "2000000000")
SHORT = ("run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", "200")
RESULTS = {"summary.json", "requests.npy", "events.csv", "intervals.csv"}
ALWAYS = {"drive.toml", "run.toml", "run.json"}  # what was simulated; no results


def files(folder) -> set[str]:
    return {file.name for file in folder.iterdir()}


def start(*arguments, **options) -> subprocess.Popen:
    return subprocess.Popen(**started(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_until(condition, process) -> None:
    deadline = time.monotonic() + 120
    while not condition() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert condition()


def grows(file) -> bool:
    return file.exists() and file.stat().st_size > 0


def test_a_run_that_fails_leaves_no_results_of_the_run_before(tmp_path):
    simulate(*SHORT, "--requests", "--events", "--intervals", "1 s", "--out", tmp_path)
    assert files(tmp_path) == RESULTS | ALWAYS
    bad = tmp_path / "bad.csv"
    bad.write_text("1,hm,0,Read,4096,4096,1\n2,hm,0,Read,4096,4096,1\nnonsense\n")
    simulate("run", "demo", "--layer", "cmr", "--trace", bad, "--format", "msr", "--requests", "--out", tmp_path, status=2)
    assert not files(tmp_path) & RESULTS
    simulate("explain", tmp_path, "0", status=2)


def test_a_description_that_is_refused_leaves_no_results_either(tmp_path):
    simulate(*SHORT, "--out", tmp_path)
    simulate(*SHORT, "--set", "media.rmp=1", "--out", tmp_path, status=2)
    assert not files(tmp_path) & RESULTS


def test_a_run_without_a_request_log_is_not_explained_by_that_of_the_run_before(tmp_path):
    simulate(*SHORT, "--requests", "--out", tmp_path)
    simulate(*SHORT, "--seed", "2", "--out", tmp_path)
    assert files(tmp_path) == {"summary.json", *ALWAYS}


def test_a_run_can_be_made_again_from_its_own_description(tmp_path):
    simulate(*SHORT, "--out", tmp_path)
    before = json.loads((tmp_path / "summary.json").read_text())["metrics"]["host.latency.mean"]
    simulate("run", tmp_path / "drive.toml", *SHORT[2:], "--out", tmp_path)
    assert json.loads((tmp_path / "summary.json").read_text())["metrics"]["host.latency.mean"] == before


def test_a_run_that_is_killed_leaves_a_folder_that_does_not_look_whole(tmp_path):
    process = start(*ENDLESS, "--requests", "--out", tmp_path)
    wait_until(lambda: grows(tmp_path / "requests.npy.partial"), process)
    process.kill()
    process.communicate()
    assert not files(tmp_path) & RESULTS
    simulate(*SHORT, "--out", tmp_path)
    assert files(tmp_path) == {"summary.json", *ALWAYS}


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_the_run_in_order_with_what_it_has(tmp_path, name, status):
    process = start(*ENDLESS, "--requests", "--out", tmp_path, preexec_fn=lambda: signal.signal(getattr(signal, name), signal.SIG_DFL))
    wait_until(lambda: grows(tmp_path / "requests.npy.partial"), process)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=120)
    assert process.returncode == status, errors
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["run"]["partial"] and summary["metrics"]["host.served"]["value"] > 0
    assert (tmp_path / "requests.npy").exists()


def test_a_signal_ends_a_run_that_skips_more_than_it_will_live_to_see(tmp_path):
    words = ("run", "torture", "--layer", "cmr", "--workload", "random-4k", "--caches", "empty", "--skip", str(2**62), "--limit", "5")
    process = start(*words, "--requests", "--out", tmp_path)
    wait_until(lambda: (tmp_path / "requests.npy.partial").exists(), process)
    time.sleep(0.5)  # by then it skips
    process.terminate()
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143, errors
    assert json.loads((tmp_path / "summary.json").read_text())["run"]["partial"]


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_before_the_replay_ends_the_run_with_words(tmp_path, name, status):
    pipe = tmp_path / "trace"
    os.mkfifo(pipe)  # nobody writes to it: the run waits for its trace
    process = start("run", "demo", "--layer", "cmr", "--trace", pipe, "--out", tmp_path / "run",
                    preexec_fn=lambda: signal.signal(getattr(signal, name), signal.SIG_DFL))  # fmt: skip
    wait_until(lambda: (tmp_path / "run" / "drive.toml").exists(), process)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == status
    assert errors == "tessera-sim run: stopped by a signal before the drive was switched on: there are no results\n"
    assert not files(tmp_path / "run") & RESULTS


def test_a_signal_among_verifications_ends_the_run_in_order(tmp_path):
    # A verification of all that was written follows each cut: hardly any of the run's time is spent on the replay.
    cuts = [word for second in range(1, 1000) for word in ("--cut-at", f"{second}s")]
    process = start("run", "demo", "--layer", "cmr", "--workload", "random-4k", "--replay", "closed:32", "--limit", "2000000000", "--check", *cuts,
                    "--requests", "--out", tmp_path, preexec_fn=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))  # fmt: skip
    wait_until(lambda: grows(tmp_path / "requests.npy.partial"), process)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 143, errors
    summary = json.loads((tmp_path / "summary.json").read_text())["run"]
    assert summary["partial"] and any("a signal ended the verification" in note for note in summary["notes"])


def test_a_run_under_nohup_goes_on_after_a_hangup(tmp_path):
    process = start(*ENDLESS, "--requests", "--out", tmp_path, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_until(lambda: grows(tmp_path / "requests.npy.partial"), process)
    process.send_signal(signal.SIGHUP)
    size = (tmp_path / "requests.npy.partial").stat().st_size
    wait_until(lambda: (tmp_path / "requests.npy.partial").stat().st_size > size + 1_000_000, process)
    process.kill()
    process.communicate()


def test_a_comparison_that_is_terminated_ends_its_runs_in_order(tmp_path):
    process = start("compare", "bare", "--layers", "cmr", "--workload", "random-4k", "--limit", "2000000000", "--replay", "closed:32", "--seeds", "3",
                    "--jobs", "1", "--out", tmp_path)  # fmt: skip
    wait_until(lambda: (tmp_path / "cmr" / "1" / "drive.toml").exists(), process)
    time.sleep(0.5)
    process.terminate()  # the comparison alone, not its children
    process.communicate(timeout=120)
    assert process.returncode == 143
    assert json.loads((tmp_path / "cmr" / "1" / "summary.json").read_text())["run"]["partial"]
    assert json.loads((tmp_path / "compare.json").read_text())["comparison"]["partial"]


@pytest.mark.parametrize("command", [("list", "layers"), ("list", "parameters", "--json"), ("check", "demo"), ("--help",), ("--version",)])
def test_output_to_a_full_device_ends_with_a_message(command):
    with open("/dev/full", "w") as full:
        result = subprocess.run([SIMULATOR, *command], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1
    assert "cannot write 'standard output'" in result.stderr


def test_a_run_on_a_full_disk_ends_with_a_message_and_leaves_no_whole_folder(tmp_path):
    def small_files_only():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))

    process = start(*SHORT[:-1], "20000", "--requests", "--out", tmp_path, preexec_fn=small_files_only)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "cannot write" in errors and "File too large" in errors
    assert not files(tmp_path) & RESULTS


def test_nothing_that_is_printed_goes_into_a_result_where_standard_output_is_closed(tmp_path):
    arguments = " ".join(map(str, [SIMULATOR, *SHORT, "--requests", "--events", "--out", tmp_path]))
    assert subprocess.run(["/bin/sh", "-c", f"{arguments} >&- 2>&-"]).returncode == 0
    for name in RESULTS & files(tmp_path):
        assert b"host.served:" not in (tmp_path / name).read_bytes()
    assert os.path.getsize(tmp_path / "requests.npy") > 200 * 100
