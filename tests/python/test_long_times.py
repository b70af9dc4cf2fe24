"""Simulated time ends after 213 days: what would pass that is refused, before the run where it can be known, and never wraps."""

import pytest
from simulate import run, simulate

DAY_100NS = 24 * 3600 * 10_000_000
RUN = ("run", "demo", "--layer", "cmr")


def trace(tmp_path, *days):
    file = tmp_path / "trace.csv"
    file.write_text("".join(f"{int(day * DAY_100NS)},hm,0,Read,4096,4096,1\n" for day in days))
    return file


@pytest.mark.parametrize("replay", ["timed", "queue:4"])
def test_a_trace_up_to_200_days_is_served_and_a_longer_one_refused_at_its_line(tmp_path, replay):
    arguments = ("--format", "msr", "--replay", replay, "--out", tmp_path / "out")
    served = run(tmp_path / "out", "demo", "--layer", "cmr", "--trace", trace(tmp_path, 0, 100, 199.9), "--format", "msr", "--replay", replay)
    assert served.metric("run.simulated_seconds") > 199.8 * 86_400
    refused = simulate(*RUN, "--trace", trace(tmp_path, 0, 100, 200.1), *arguments, status=2).stderr
    assert "trace.csv:3: the request arrives after more than 200 days of simulated time" in refused
    assert "trace.csv:2: the request arrives more than 213 days" in simulate(*RUN, "--trace", trace(tmp_path, 0, 214), *arguments, status=2).stderr


def test_a_closed_loop_does_not_care_about_the_times_of_its_trace(tmp_path):
    run(tmp_path / "out", "demo", "--layer", "cmr", "--trace", trace(tmp_path, 0, 100, 212), "--format", "msr", "--replay", "closed:1")


@pytest.mark.parametrize("option", ["--cut-at", "--restart-at"])
def test_an_instant_past_200_days_is_refused_before_the_run(tmp_path, option):
    workload = ("--workload", "random-4k", "--limit", "5", "--out", tmp_path)
    simulate(*RUN, *workload, option, "17280000 s")
    assert f"{option}: expected an instant in the first 200 days" in simulate(*RUN, *workload, option, "17280001 s", status=2).stderr


def test_a_workload_that_takes_longer_is_refused_before_the_run(tmp_path):
    file = tmp_path / "slow.toml"
    file.write_text('law = "uniform"\nrequests = 101\nrange = "1 MiB"\n[arrivals]\nlaw = "fixed"\nmean = "172800 s"\n')
    assert "takes 202 days" in simulate(*RUN, "--workload", file, "--out", tmp_path, status=2).stderr
    assert run(tmp_path, "demo", "--layer", "cmr", "--workload", file, "--limit", "99").metric("host.served") == 99
    assert "takes 396 days" in simulate(*RUN, "--workload", file, "--limit", "99", "--time-scale", "2", "--out", tmp_path, status=2).stderr
