"""Where the time of reads and writes goes: the summary, the metrics and `compare` say what requests.npy says request by request."""

import numpy as np
import pytest
import tessera
from simulate import run, simulate
from tessera.results.bound_by import time_parts

LOAD = ("--workload", "web-server", "--fold", "--limit", 3000, "--prefill", 100, "--requests")
READ, WRITE = 0, 1


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A drive that cannot keep up, so that requests queue at the host."""
    return run(tmp_path_factory.mktemp("busy"), "demo", "--layer", "imr-rmw", *LOAD, "--time-scale", 0.01)


@pytest.mark.parametrize(("ops", "op"), [("read", READ), ("write", WRITE)])
def test_the_parts_are_those_of_the_requests(busy, ops, op):
    of = busy.requests[busy.requests["op"] == op]
    latencies = of["completion"] - of["arrival"]
    slowest = of[np.argsort(latencies, kind="stable")[-(-(-len(of) // 100)):]]
    for phase in tessera.life_phases(of):
        assert (busy.summary["metrics"].get(f"host.{ops}.time.{phase}", {"value": 0})["value"]) == pytest.approx(of[phase].mean() / 1e9, abs=1e-9)
        assert (busy.summary["metrics"].get(f"host.{ops}.slowest.{phase}", {"value": 0})["value"]) == pytest.approx(slowest[phase].mean() / 1e9, rel=0.02, abs=0.5)


def test_the_parts_sum_to_the_mean_and_a_phase_without_time_is_not_among_the_metrics(busy):
    metrics = busy.summary["metrics"]
    for ops in ("read", "write"):
        assert sum(time_parts(busy, ops).values()) == pytest.approx(busy.metric(f"host.{ops}.latency.mean"))
        assert sum(time_parts(busy, ops, slowest=True).values()) >= busy.metric(f"host.{ops}.latency.p95")
    assert "host.read.time.outage" not in metrics


def test_the_summary_names_what_the_slowest_wait_for(tmp_path):
    said = simulate("run", "demo", "--layer", "imr-rmw", *LOAD, "--time-scale", 0.01, "--out", tmp_path).stdout
    lines = said.splitlines()
    assert max(map(len, lines[1:20])) <= 80
    (reads,) = (line for line in lines if line.startswith("  reads "))
    assert " on average: media queue " in reads
    writes = next(i for i, line in enumerate(lines) if line.startswith("  writes "))
    slowest = next(line for line in lines[writes:] if line.startswith("  slowest 1 % "))
    assert " on average: host queue 100 %" in slowest
