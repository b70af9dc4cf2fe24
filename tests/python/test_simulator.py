"""The files of a real run agree with one another. The simulator must be built."""

import numpy as np
import pytest
from simulate import LAYERS, simulate
from vcdvcd import VCDVCD

from tessera import Run, latency_ms, life_phases
from tessera.results.sameness import differences

REQUESTS = 3000


@pytest.fixture(scope="module", params=LAYERS)
def run(request, tmp_path_factory) -> Run:
    folder = tmp_path_factory.mktemp(request.param)
    simulate(
        *("run", "bare", "--layer", request.param, "--workload", "web-server", "--fold", "--limit", REQUESTS, "--seed", 5),
        *("--requests", "--events", "--intervals", "1000 requests", "--out", folder),
    )
    return Run(folder)


def test_each_request_is_in_the_log_once(run):
    assert run.metric("host.requests") == run.metric("host.served") == REQUESTS
    assert np.array_equal(np.sort(run.requests["number"]), np.arange(REQUESTS))


def test_the_parts_of_each_life_sum_to_its_latency(run):
    total = sum(run.requests[phase] for phase in life_phases(run.requests))
    assert np.array_equal(total, run.requests["completion"] - run.requests["arrival"])
    assert (run.requests["arrival"] <= run.requests["issue"]).all()
    assert (run.requests["issue"] <= run.requests["completion"]).all()


def test_the_summary_s_latencies_are_those_of_the_log(run):
    latencies = latency_ms(run.requests)
    assert run.metric("host.latency.mean") == pytest.approx(latencies.mean(), rel=1e-9)
    assert run.metric("host.latency.max") == pytest.approx(latencies.max(), rel=1e-9)
    p99 = np.sort(latencies)[int(np.ceil(0.99 * REQUESTS)) - 1]
    assert p99 <= run.metric("host.latency.p99") <= p99 * (1 + 1 / 256) + 1e-9


def test_the_intervals_add_up_to_the_run(run):
    assert [line["requests"] for line in run.intervals[:3]] == [1000, 1000, 1000]
    assert sum(line["requests"] for line in run.intervals) == REQUESTS
    assert all(before["end_s"] == after["start_s"] for before, after in zip(run.intervals, run.intervals[1:]))
    assert max(line["max_latency_ms"] or 0 for line in run.intervals) == pytest.approx(run.metric("host.latency.max"), rel=1e-6)


def test_each_event_that_begins_ends(run):
    open_events = {}
    for event in run.events:
        key = (event["kind"], event["subject"])
        step = {"begin": 1, "end": -1, "instant": 0}[event["edge"]]
        open_events[key] = open_events.get(key, 0) + step
        assert open_events[key] >= 0, event
    assert set(open_events.values()) <= {0}


def test_a_request_is_explained(run):
    text = simulate("explain", run.folder, 17).stdout
    assert text.startswith("Request 17 ")
    assert "in all" in text


def test_an_unknown_request_is_an_input_error(run):
    assert "holds no request" in simulate("explain", run.folder, REQUESTS, status=2).stderr


@pytest.mark.parametrize("layer", LAYERS)
def test_looking_closer_does_not_change_the_figures(layer, tmp_path):
    common = ("run", "bare", "--layer", layer, "--workload", "web-server", "--fold", "--limit", 1000, "--seed", 5)
    simulate(*common, "--out", tmp_path / "plain")
    simulate(*common, "--requests", "--check", "--vcd", tmp_path / "w.vcd", "--record-window", "0 s:10 s", "--out", tmp_path / "watched")
    assert differences(Run(tmp_path / "plain"), Run(tmp_path / "watched"), figures_only=True) == []


def test_a_window_s_waveform_lies_in_the_window_and_groups_its_signals(tmp_path):
    simulate(
        *("run", "bare", "--layer", "cmr", "--workload", "web-server", "--limit", 1000),
        *("--vcd", tmp_path / "w.vcd", "--record-window", "10 ms:500 ms", "--out", tmp_path / "run"),
    )
    vcd = VCDVCD(str(tmp_path / "w.vcd"))
    times = [time for name in vcd.signals for time, _ in vcd[name].tv]
    assert min(times) == 10 * 10**9
    assert max(times) < 500 * 10**9
    assert len({name.rsplit(".", 1)[0] for name in vcd.signals}) > 1


def test_a_window_behind_the_end_of_the_run_is_said_to_be_without_effect(tmp_path):
    recorded = ("--vcd", tmp_path / "w.vcd", "--record-window", "0 s:1 s", "--record-window", "9000 s:9001 s")
    simulate("run", "torture", "--workload", "random-4k", "--fold", "--limit", 100, *recorded, "--out", tmp_path / "run")
    said = [note for note in Run(tmp_path / "run").summary["run"]["notes"] if note.startswith("--record-window")]
    assert len(said) == 1 and said[0].startswith("--record-window: without effect, it begins at 2.5 h and the run ended at ")


def test_the_waveform_of_the_first_read_modify_write_has_time_before_it(tmp_path):
    simulate(
        *("run", "bare", "--layer", "imr-rmw", "--workload", "web-server", "--limit", REQUESTS, "--events"),
        *("--vcd", tmp_path / "w.vcd", "--record-trigger", "rmw", "--record-before", "2 ms", "--out", tmp_path / "run"),
    )
    first = next(event["time_ps"] for event in Run(tmp_path / "run").events if event["kind"] == "rmw")
    vcd = VCDVCD(str(tmp_path / "w.vcd"))
    assert vcd.begintime == max(0, first - 2 * 10**9)
    assert vcd.endtime > first


def test_a_full_disk_is_an_error_with_path_and_cause(tmp_path):
    result = simulate(
        *("run", "bare", "--layer", "cmr", "--workload", "web-server", "--limit", 1000, "--vcd", "/dev/full", "--out", tmp_path / "run"),
        status=1,
    )
    assert "cannot write '/dev/full': No space left on device" in result.stderr


def test_an_output_folder_that_cannot_be_written_is_an_error_before_the_run():
    result = simulate("run", "bare", "--layer", "cmr", "--workload", "web-server", "--limit", 10, "--out", "/proc/run", status=1)
    assert "/proc/run" in result.stderr


def test_no_progress_line_goes_into_a_pipe(tmp_path):
    result = simulate("run", "bare", "--layer", "cmr", "--workload", "web-server", "--limit", 5000, "--out", tmp_path)
    assert "\r" not in result.stderr
