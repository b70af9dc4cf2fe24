"""A league of three layers on one input: p99.9 and the longest wait are judged as mean and p99 are, from the runs themselves."""

import pytest

from validation.papers.contest import HEADER, Line, contest, intervals_in, judged_again, lines_of
from validation.papers.league import DRIVE, OURS, against, best_rivals, comparisons, equipped
from validation.papers.seeds import over_seeds, seed_table

RIVALS = ("cmr", "mu-rmw")
TAILS = ("p99.9", "longest")


@pytest.fixture(scope="module")
def league(lab):
    inputs = {"mu-web_0": ("--workload", "mu-web_0", "--limit", 2000, "--fold", "--prefill", 100, "--caches", "empty")}
    grid = lab.grid(DRIVE, inputs, {layer: equipped(layer) for layer in (*RIVALS, OURS)}, "league")
    return grid, seed_table(over_seeds(lab, lambda each: against(each, inputs, best_rivals(grid))), comparisons(grid))


def test_the_tails_of_a_league_are_those_of_its_runs(league):
    grid, _ = league
    (line,) = lines_of(grid, OURS)
    for title, metric in (("p99.9 of the best, ms", "host.latency.p999"), ("longest of the best, ms", "host.latency.max")):
        best = min(RIVALS, key=lambda layer: grid["mu-web_0"][layer].metric(metric))
        held = line.held[title]
        assert held.rival == best and held.ratio == pytest.approx(grid["mu-web_0"][OURS].metric(metric) / grid["mu-web_0"][best].metric(metric))


def test_the_tails_of_a_league_are_judged_over_its_seeds(league):
    grid, seeds = league
    intervals = intervals_in(seeds)
    assert {what for _, what, _ in intervals} == {"mean", "p99", *TAILS}
    text = contest(lines_of(grid, OURS), intervals, OURS)
    assert "Not on record" not in text and all(f"{what} " in text.splitlines()[0] for what in TAILS)
    row = text.splitlines()[-1].strip("| ").split(" | ")
    assert len(row) == len(HEADER) and all(": " in cell for cell in row[1:-1])
    assert list(Line.read(row).held) == list(HEADER[1:])


def test_the_tails_of_a_league_are_judged_again_from_its_page(league):
    grid, seeds = league
    page = f"# Page\n\n{contest(lines_of(grid, OURS), intervals_in(seeds), OURS)}\nEnd.\n"
    assert judged_again(page, seeds, OURS)[0] == page
