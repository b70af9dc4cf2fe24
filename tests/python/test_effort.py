"""As long as the question needs: the warm-up, the interval and the length that they ask for."""

import numpy as np
import pytest
from samples import requests_of, write_run

import tessera
from tessera import Run
from tessera.effort import BATCHES, Until, mser5, run_until, steadiness
from tessera.simulation import Simulation


pytestmark = pytest.mark.usefixtures("the_built_simulator")


def run_of(folder, latencies, op=1):
    log = requests_of(latencies, op)
    log["number"] = np.arange(len(latencies))
    return Run(write_run(folder, {}, log))


def test_the_warm_up_is_what_makes_the_rest_surest():
    draw = np.random.default_rng(1)
    assert mser5(draw.normal(10, 1, 2000)) < 400  # nothing to leave out
    assert 95 <= mser5(np.concatenate([draw.normal(50, 1, 100), draw.normal(10, 1, 1900)])) <= 130
    assert mser5(np.arange(15.0)) == 0  # too short to say


def test_the_interval_is_that_of_the_means_of_twenty_batches(tmp_path):
    latencies = np.tile([1.0, 3.0], 1000) + np.repeat(np.arange(BATCHES), 100) % 2
    found = steadiness(run_of(tmp_path, latencies), "host.latency.mean")
    assert found.warmup == 0
    batches = 2.0 + np.arange(BATCHES) % 2
    assert found.estimate.value == pytest.approx(2.5)
    assert found.estimate.half_width == pytest.approx(2.093 * batches.std(ddof=1) / BATCHES**0.5)  # Student's t, 19 degrees
    assert found.batch_correlation == pytest.approx(-0.95)  # 19 of 20 products are -1/4, over a sum of squares of 5


def test_requests_count_in_the_order_of_their_arrival_and_by_operation(tmp_path):
    log = requests_of(np.repeat([5.0, 1.0], 100))
    log["number"] = np.arange(200)[::-1]  # completed the other way round
    log["op"] = np.repeat([0, 1], 100)
    run = Run(write_run(tmp_path, {}, log))
    assert steadiness(run, "host.read.latency.mean").estimate.value == 5
    assert steadiness(run, "host.write.latency.mean").requests == 100


@pytest.mark.parametrize(("requests", "enough"), [(20 * 1000 - 1, False), (20 * 1000, True)])
def test_a_percentile_needs_ten_requests_above_it_in_each_batch(tmp_path, requests, enough):
    found = steadiness(run_of(tmp_path, np.full(requests, 2.0)), "host.latency.p99")
    assert (found.estimate is not None) == enough


def test_a_run_that_never_settles_is_not_steady(tmp_path):
    draw = np.random.default_rng(1)
    settled = np.concatenate([np.linspace(100, 10, 1900), draw.normal(10, 1, 2100)])
    assert steadiness(run_of(tmp_path / "settled", settled), "host.latency.mean").steady
    growing = steadiness(run_of(tmp_path / "growing", np.linspace(1, 1000, 4000)), "host.latency.mean")
    assert growing.warmup == 2000 and not growing.steady  # the cut may not go past the half, and would


def test_batches_that_know_of_each_other_are_not_independent(tmp_path):
    draw = np.random.default_rng(1)
    late = np.concatenate([np.full(3000, 100.0), draw.normal(10, 1, 1000)])
    assert not steadiness(run_of(tmp_path / "late", late), "host.latency.mean").independent
    assert steadiness(run_of(tmp_path / "noise", draw.normal(10, 1, 4000)), "host.latency.mean").independent


def test_a_narrower_question_takes_a_longer_run_and_the_same_each_time(tmp_path):
    simulation = Simulation(drive="common", layer="cmr", workload="zipf-writes", replay="closed:8")
    _, rough = run_until(simulation, Until("host.latency.mean", 0.05), tmp_path / "a", most=160_000)
    run, fine = run_until(simulation, Until("host.latency.mean", 0.003), tmp_path / "b", most=160_000)
    _, again = run_until(simulation, Until("host.latency.mean", 0.003), tmp_path / "c", most=160_000)
    assert rough.met and rough.limit == 10_000 and rough.attempts == 1
    assert fine.limit > rough.limit and fine.attempts > 1
    assert fine.steadiness.estimate.relative <= 0.003 or fine.limit == 160_000
    assert (again.limit, again.steadiness) == (fine.limit, fine.steadiness)
    assert run.metric("host.requests") == fine.limit


def test_an_input_that_ends_first_says_so(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{128166372003061629 + n * 200000},hm,0,Read,{n * 7919 % 1000 * 4096},4096,1\n" for n in range(200)))
    result = tessera.run("common", layer="cmr", trace=trace, until="host.latency.p999:1%")
    assert not result.effort.met
    assert "200 requests, " in result.effort.sentence() and "are too few for 20 batches" in result.effort.sentence()
