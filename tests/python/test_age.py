"""Simulated time past the 200 days of the clock: the drive's rests pass without it, and no figure depends on that."""

import json

import pytest
from simulate import simulate
from tessera.engine.simulator import layer_names

WORKLOAD = """law = "uniform"
requests = 400
range = "64 MiB"
write_share = 0.5
[arrivals]
law = "exponential"
mean = "{mean}"
"""
MACHINE = ("run.cpu_seconds", "run.requests_per_cpu_second", "run.peak_memory_bytes")


def aged(folder, layer, *arguments, mean="2 s", status=0):
    folder.mkdir()
    (folder / "w.toml").write_text(WORKLOAD.format(mean=mean))
    words = ("run", "demo", "--layer", layer, "--workload", folder / "w.toml", "--out", folder / "out", *arguments)
    simulate(*words, status=status)
    metrics = json.loads((folder / "out" / "summary.json").read_text())["metrics"]
    return {name: value for name, value in metrics.items() if name not in MACHINE}


# Gaps of seconds, in which idle work begins and ends, and of more than the hour after which the drive is asked about its commands.
@pytest.mark.parametrize("mean", ["2 s", "2000 s"])
@pytest.mark.parametrize("layer", layer_names())
def test_rests_change_no_request_and_no_figure(tmp_path, layer, mean):
    logs = ("--requests", "--events", "--intervals", "1000 s")
    whole = aged(tmp_path / "whole", layer, *logs, mean=mean)
    rested = aged(tmp_path / "rested", layer, *logs, "--set", "simulation.rest_after=0 s", mean=mean)
    assert rested == whole
    for name in ("requests.npy", "events.csv", "intervals.csv"):
        assert (tmp_path / "rested" / "out" / name).read_bytes() == (tmp_path / "whole" / "out" / name).read_bytes()


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw"])
def test_a_drive_lives_through_years(tmp_path, layer):
    metrics = aged(tmp_path / "years", layer, "--age", "1y", mean="900 s")
    assert metrics["run.measured_seconds"]["value"] == pytest.approx(365.25 * 86_400, rel=1e-3)


def test_an_age_needs_a_unit(tmp_path):
    for wrong in ("5", "5m", "y", "0y", "101y"):
        error = simulate("run", "demo", "--workload", "web-server", "--age", wrong, "--out", tmp_path, status=2).stderr
        assert "--age: expected a number of days, weeks or years" in error


def test_a_defect_that_grows_later_keeps_its_instant(tmp_path):
    rows = [[0, radius, sector, 400_000] for radius in (1, 2, 3) for sector in range(200)]
    defects = ("--set", f"media.grown_defects={rows}")
    whole = aged(tmp_path / "whole", "cmr", *defects, status=1)
    assert whole != aged(tmp_path / "without", "cmr")
    assert aged(tmp_path / "rested", "cmr", *defects, "--set", "simulation.rest_after=0 s", status=1) == whole


@pytest.mark.parametrize("limit", [(), ("--limit", "10")])
def test_an_input_without_times_never_reaches_an_age(tmp_path, limit):
    workload = tmp_path / "burst.toml"
    workload.write_text('law = "uniform"\nrequests = 10\nrange = "1 MiB"\n')
    words = ("run", "demo", "--workload", workload, *limit, "--age", "1d", "--out", tmp_path / "out")
    assert "has no times of arrival; give --replay closed:N" in simulate(*words, status=2).stderr


def test_a_trace_at_one_instant_never_reaches_an_age(tmp_path):
    trace = tmp_path / "burst.trace"
    trace.write_text("0.0 0 0 8 0\n0.0 0 8 8 1\n")
    words = ("run", "demo", "--trace", trace, "--format", "ascii", "--age", "1d", "--out", tmp_path / "out")
    assert "arrive at one time" in simulate(*words, status=2).stderr
