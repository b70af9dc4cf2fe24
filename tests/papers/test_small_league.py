"""A league of three layers on one input: p99.9 and the longest wait are judged as mean and p99 are, from the runs themselves."""

import numpy as np
import pytest
from samples import metric, requests_of, write_run

from validation.papers.contest import HEADER, Line, block_table, contest, intervals_in, judged_again, lines_of, logged, measured
from tessera.evidence.ratios import Difference
from tessera.results.run_folder import Run
from validation.papers.league import DRIVE, OURS, against, best_rivals, compared, equipped

RIVALS = ("cmr", "mu-rmw")
TAILS = ("p99.9", "longest")


@pytest.fixture(scope="module")
def league(lab):
    inputs = {"mu-web_0": ("--workload", "mu-web_0", "--limit", 2000, "--fold", "--prefill", 100, "--caches", "empty")}
    grid = lab.grid(DRIVE, inputs, {layer: equipped(layer) for layer in (*RIVALS, OURS)}, "league")
    return grid, block_table(against(lab, logged(inputs), best_rivals(grid)), compared(grid), OURS)


def test_the_tails_of_a_league_are_those_of_its_runs(league):
    grid, _ = league
    (line,) = lines_of(grid, OURS)
    for title, metric in (("p99.9 of the best, ms", "host.latency.p999"), ("longest of the best, ms", "host.latency.max")):
        best = min(RIVALS, key=lambda layer: grid["mu-web_0"][layer].metric(metric))
        held = line.held[title]
        assert held.rival == best and held.ratio == pytest.approx(grid["mu-web_0"][OURS].metric(metric) / grid["mu-web_0"][best].metric(metric))


def test_the_tails_of_a_league_are_judged_over_its_blocks(league):
    grid, blocks = league
    intervals = intervals_in(blocks)
    assert {what for _, what, _ in intervals} == {"mean", "p99", *TAILS}
    text = contest(lines_of(grid, OURS), intervals, OURS)
    assert "Not on record" not in text and all(f"{what} " in text.splitlines()[0] for what in TAILS)
    row = text.splitlines()[-1].strip("| ").split(" | ")
    assert len(row) == len(HEADER) and all(": " in cell for cell in row[1:-1])
    assert list(Line.read(row).held) == list(HEADER[1:])


def test_the_tails_of_a_league_are_judged_again_from_its_page(league):
    grid, blocks = league
    page = f"# Page\n\n{contest(lines_of(grid, OURS), intervals_in(blocks), OURS)}\nEnd.\n"
    assert judged_again(page, blocks, OURS)[0] == page


def test_a_recording_is_judged_by_blocks_and_one_burst_settles_nothing(tmp_path):
    """Ten times as slow in one block alone: the ratio of the means is 1.9, and one other stretch would not have it."""
    run = lambda name, latencies: Run(write_run(tmp_path / name, {}, numbered(latencies)))  # noqa: E731
    even = np.random.default_rng(1).exponential(1.0, 1000)
    grid = {"a": {"cmr": run("cmr", even), OURS: run("ours", np.concatenate([even[:100] * 10, even[100:]])), "slow": run("slow", even * 1.5)}}
    burst, slow = (intervals_in(block_table(grid, [("a", "mean", rival)], OURS)) for rival in ("cmr", "slow"))
    assert burst["a", "mean", "cmr"].difference is Difference.NOT_SETTLED and burst["a", "mean", "cmr"].value > 1.5
    other = {"a": {"cmr": grid["a"]["cmr"], OURS: grid["a"]["slow"]}}
    assert intervals_in(block_table(other, [("a", "mean", "cmr")], OURS))["a", "mean", "cmr"].difference is Difference.APART
    assert intervals_in(block_table({"a": {each: run(f"short {each}", even[:150]) for each in ("cmr", OURS)}}, [("a", "mean", "cmr")], OURS)) == {} and slow


def test_blocks_of_a_repeated_trace_are_the_same_tenth_of_every_pass(tmp_path):
    even = np.random.default_rng(1).exponential(1.0, 1000)
    once, thrice = (Run(write_run(tmp_path / name, {"host.warmup": metric(left_out)}, numbered(values))) for name, values, left_out in (("once", even, 0), ("thrice", np.tile(even, 3), 1000)))
    assert measured(thrice, "p99", 3).by_seed == pytest.approx(measured(once, "p99").by_seed, rel=0.02) and len(measured(thrice, "p99", 3).by_seed) == 10
    assert measured(thrice, "mean", 3).whole == pytest.approx(even.mean())


def numbered(latencies):
    log = requests_of(latencies)
    log["number"] = np.arange(len(latencies))
    return log
