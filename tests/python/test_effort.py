"""As long as the question needs: the warm-up, the interval and the length that they ask for."""

import json

import numpy as np
import pytest
from samples import REPOSITORY, requests_of, write_run

import tessera
from tessera import InputError, Run
from tessera.engine.simulation import Simulation
from tessera.explore.effort import mser5, run_until, steadiness
from tessera.results.steadiness import BATCHES, Until


COLUMNS = {"format": "columns:time=1:us,op=2:w=w,offset=3:512,size=4:512"}

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


def latencies_of(case):
    """In ms; the cases have them in us: each block is so many times its values in turn, a ramp counts up from 1."""
    if "ramp" in case:
        return np.arange(1, case["ramp"] + 1) / 1000
    return np.concatenate([np.tile(values, count) for count, values in case["blocks"]]) / 1000


@pytest.mark.parametrize("case", json.loads((REPOSITORY / "tests" / "data" / "mser5.json").read_text()), ids=lambda case: case["what"])
def test_the_rule_is_that_of_the_simulator(tmp_path, case):
    latencies = latencies_of(case)
    assert mser5(latencies) == (case["cut"] or 0)
    if case["cut"] is not None:
        assert steadiness(run_of(tmp_path, latencies), "host.latency.mean").steady == case["steady"]


def test_a_run_finds_the_warm_up_that_its_log_tells(tmp_path):
    # A hundred large writes, then small ones. Fewer than 10,240 requests: batches of five.
    trace = tmp_path / "large-first.csv"
    trace.write_text("".join(f"{n},w,{n * 7919 % 30000 * 8},{4096 if n < 100 else 8}\n" for n in range(1000)))
    made = tessera.run("bare", out=tmp_path / "out", layer="cmr", trace=trace, replay="closed:1", requests=True, fold=True, **COLUMNS)
    found = steadiness(made, "host.latency.mean")
    assert 100 <= found.warmup <= 110
    assert made.metric("host.steady.from") == found.warmup
    assert made.metric("host.steady.reached") == found.steady
    assert made.summary["run"]["steady"] == found.steady
    assert f"not steady before request {found.warmup:,} (MSER-5)" in made.printed


def test_a_warm_up_that_is_to_be_found_is_left_out_by_a_second_run(tmp_path):
    trace = tmp_path / "large-first.csv"
    trace.write_text("".join(f"{n},w,{n * 7919 % 30000 * 8},{4096 if n < 100 else 8}\n" for n in range(1000)))
    run = {"layer": "cmr", "trace": trace, "replay": "closed:1", "fold": True, **COLUMNS}
    whole = tessera.run("bare", **run)
    cut = int(whole.metric("host.steady.from"))
    found = tessera.run("bare", warmup="auto", **run)
    by_hand = tessera.run("bare", warmup=cut, **run)
    assert cut > 0 and found.metric("host.warmup") == cut
    assert found.metric("host.latency.mean") == by_hand.metric("host.latency.mean") < whole.metric("host.latency.mean")
    assert found.metric("host.steady.from") == 0
    with pytest.raises(InputError, match="takes two runs"):
        tessera.run("bare", more=("--warmup", "auto"), **run)


def test_a_run_that_is_not_steady_says_so_first(tmp_path):
    # Every request comes before the one before it is done: each waits longer than the last. Closed loops hide that, so it is timed.
    trace = tmp_path / "rush.csv"
    trace.write_text("".join(f"{n},w,{n * 7919 % 100000 * 8},8\n" for n in range(1000)))
    made = tessera.run("bare", layer="cmr", trace=trace, fold=True, warmup=20, **COLUMNS)
    assert made.metric("host.steady.reached") == 0
    assert made.metric("host.steady.from") == 490  # half of the 980 that were measured
    assert any(note.startswith(("not steady", "unstable")) for note in made.notes)


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
    simulation = Simulation(drive="bare", layer="cmr", workload="zipf-writes", replay="closed:8")
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
    result = tessera.run("bare", layer="cmr", trace=trace, until="host.latency.p999:1%")
    assert not result.effort.met
    assert "200 requests, " in result.effort.sentence() and "are too few for 20 batches" in result.effort.sentence()
