"""The clock ends after 213 days: a drive's rests go past that, and what cannot is refused."""

import pytest
from simulate import run, simulate

DAY_100NS = 24 * 3600 * 10_000_000
RUN = ("run", "demo", "--layer", "cmr")


def trace(tmp_path, *days):
    file = tmp_path / "trace.csv"
    file.write_text("".join(f"{int(day * DAY_100NS)},hm,0,Read,4096,4096,1\n" for day in days))
    return file


@pytest.mark.parametrize("replay", ["timed", "queue:4"])
def test_a_trace_of_300_days_is_served(tmp_path, replay):
    served = run(tmp_path / "out", "demo", "--layer", "cmr", "--trace", trace(tmp_path, 0, 100, 199.9, 300), "--format", "msr", "--replay", replay)
    assert served.metric("run.simulated_seconds") > 299.9 * 86_400


def test_a_closed_loop_does_not_care_about_the_times_of_its_trace(tmp_path):
    run(tmp_path / "out", "demo", "--layer", "cmr", "--trace", trace(tmp_path, 0, 100, 212), "--format", "msr", "--replay", "closed:1")


@pytest.mark.parametrize("option", ["--cut-at", "--restart-at"])
def test_an_instant_past_200_days_is_refused_before_the_run(tmp_path, option):
    workload = ("--workload", "random-4k", "--limit", "5", "--out", tmp_path)
    simulate(*RUN, *workload, option, "17280000 s")
    assert f"{option}: expected an instant in the first 200 days" in simulate(*RUN, *workload, option, "17280001 s", status=2).stderr


def test_a_workload_of_400_days_is_served(tmp_path):
    file = tmp_path / "slow.toml"
    file.write_text('law = "uniform"\nrequests = 201\nrange = "1 MiB"\n[arrivals]\nlaw = "fixed"\nmean = "172800 s"\n')
    assert run(tmp_path / "out", "demo", "--layer", "cmr", "--workload", file).metric("run.simulated_seconds") > 399.9 * 86_400
