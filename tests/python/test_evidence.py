"""What is equal is said to be equal, whatever the number of designs: draws with a known answer, by fixed seeds."""

import math

import numpy as np
import polars as pl
import pytest

from tessera.asking.ask import measured_of
from tessera.evidence.blocks import bursts, pseudo_values, without_each
from tessera.evidence.family import MARGIN, holm, judged_within, pairs
from tessera.evidence.front import alike, front, near, places, spread, ties_of
from tessera.evidence.marks import BEST_CASE, ENDS_EARLY, NOT_STEADY, NOT_YET, TOO_SHORT, UNSTABLE, behind, marks_of, ranks_not, told
from tessera.evidence.paired import EQUAL as SAME
from tessera.evidence.paired import NOT_SETTLED, WORSE, verdicts
from tessera.evidence.ratios import Difference, Measured, Ratio, ratio
from tessera.evidence.steadiness import quantile
from tessera.evidence.verdict import best_of, by_half, least_that_is_enough
from tessera.reports.effects import effect_of

SEEDS = 10


def wide_apart(draw, designs, spread, shift=0.0):
    """The largest against the smallest of designs of which the last is `shift` larger (both of the logarithm), as a finding takes them."""
    logs = draw.normal(0, 1, (SEEDS, 1)) + draw.normal(0, spread, (SEEDS, designs))
    logs[:, -1] += shift
    means = logs.mean(axis=0)
    return Ratio.of(logs[:, means.argmax()] - logs[:, means.argmin()], pairs(designs))


@pytest.mark.parametrize("designs", [2, 4, 8])
def test_of_equal_designs_at_most_one_answer_in_twenty_finds_a_difference(designs):
    draw = np.random.default_rng(designs)
    # Half a spread of 0.3: differences of chance are far beyond the margin, which therefore hides none.
    found = [wide_apart(draw, designs, 0.3).difference for _ in range(1000)]
    assert found.count(Difference.APART) <= 0.05 * 1000 + 2 * math.sqrt(1000 * 0.05 * 0.95)
    assert found.count(Difference.EQUAL) == 0  # nor is what is not known equal


@pytest.mark.parametrize("designs", [2, 4, 8])
def test_what_differs_by_a_third_is_found_and_what_differs_by_nothing_is_equal(designs):
    draw = np.random.default_rng(designs)
    apart = [wide_apart(draw, designs, 0.05, math.log(4 / 3)).difference for _ in range(200)]
    assert apart.count(Difference.APART) >= 0.95 * 200
    equal = [wide_apart(draw, designs, 0.01).difference for _ in range(200)]
    assert equal.count(Difference.EQUAL) >= 0.95 * 200


def test_findings_between_equal_designs_as_a_sweep_has_them():
    draw = np.random.default_rng(1)
    false = 0
    for _ in range(100):
        rows = [(f"{design}", float(seed), float(np.exp(draw.normal(0, 0.3)))) for design in range(4) for seed in range(SEEDS)]
        good = pl.DataFrame(rows, schema=["axis.layer", "axis.seed", "m"], orient="row")
        false += not effect_of(good, ["layer", "seed"], "layer", "m").sentence("ms").startswith("not settled: ")
    assert false <= 9  # of 100 at 5 %: more have a chance of 3 %


def test_a_sure_difference_below_the_margin_is_none():
    assert Ratio.of(np.array([0.020, 0.021, 0.019]), 1).difference is Difference.EQUAL
    assert Ratio.of(np.array([0.048, 0.040, 0.050]), 1).difference is Difference.NOT_SETTLED  # 1.05 lies in its interval
    assert Ratio.of(np.log([MARGIN * 1.01] * 3), 1).difference is Difference.APART
    assert Ratio.of(np.array([0.5]), 1).difference is Difference.NOT_SETTLED


def test_the_margin_is_the_users():
    eight = {1: 1.08, 2: 1.081, 3: 1.079}
    same = {"a": dict.fromkeys(eight, 1.0), "b": eight}
    said = {}
    for percent in (None, 10, 8, 3):
        with judged_within(percent):
            found = ratio(Measured(eight), Measured(same["a"]), 1)
            enough = least_that_is_enough({"more": Measured(same["a"]), "less": Measured(eight)}, True)
            design = [[Measured(figures), Measured(dict.fromkeys(eight, 1.0))] for figures in same.values()]
            said[percent] = (found.difference, verdicts(same, "a")["b"], enough.best, [place.on for place in places(design, [False, False])], best_of({"a": Measured(same["a"]), "b": Measured(eight)}, False).alike)
    assert said[None] == said[3] == (Difference.APART, WORSE, "less", [True, False], [])
    assert said[10] == (Difference.EQUAL, SAME, "more", [True, False], ["b"])
    assert said[8][:2] == (Difference.NOT_SETTLED, NOT_SETTLED)
    with judged_within(10):
        assert places(design, [False, False])[1].point == 0  # equal to it, and not beaten
    assert places(design, [False, False])[1].point is None


def test_holm_corrects_a_family():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]


def of(*values):
    return Measured(dict(enumerate(values, 1)))


def test_a_ratio_that_cannot_be_formed_is_a_doubt():
    one, other = of(3.0, 3.1, 3.0), Measured({7: 9.0, 8: 9.1})  # no seed in common
    for verdict in (best_of({"one": one, "other": other}, False), least_that_is_enough({"one": one, "other": other}, False)):
        assert not verdict.settled
        assert [(doubt.found, doubt.seeds) for doubt in verdict.doubts] == [(None, None)]
    assert not best_of({"one": of(0.0, 0.0, 0.0), "other": one}, False).settled  # a figure of 0 has no ratio
    assert best_of({"one": of(0.0, 0.0, 0.0), "other": of(0.0, 0.0, 0.0)}, False).alike == ["other"]


def test_the_best_is_equal_to_what_is_a_few_percent_behind():
    verdict = best_of({"flip": of(103.0, 103.1, 103.05), "dtm": of(100.0, 100.1, 100.05)}, False)
    assert (verdict.best, verdict.alike, verdict.settled) == ("dtm", ["flip"], True)
    assert best_of({"a": of(100, 100.1, 100), "b": of(105.2, 104.8, 105)}, False).doubts[0].bound is None


def test_more_that_is_worse_is_said_to_be():
    found = {"16 MiB": of(100, 101, 99), "128 MiB": of(111, 112, 110), "256 MiB": of(115, 116, 114)}
    verdict = least_that_is_enough(found, False)
    assert (verdict.best, verdict.settled, list(verdict.worse)) == ("16 MiB", True, ["128 MiB", "256 MiB"])
    assert verdict.worse["256 MiB"].value == pytest.approx(1.15, abs=0.001)


def learner(done, **more):
    return {"exit_status": 0, "cleans": True, "cleaning.count": 3.0, "progress.heat_intervals.done": done, "progress.heat_intervals.of": 20.0, "host.steady.reached": 1.0, **more}


def test_a_layer_that_learns_is_not_ranked_before_it_has_learnt():
    assert marks_of(learner(19.0)) == [NOT_YET] and ranks_not([NOT_YET])
    assert marks_of(learner(20.0)) == []  # its cleanings are moves of what it has learnt
    assert marks_of(learner(19.0, recorded=True)) == [ENDS_EARLY] and not ranks_not([ENDS_EARLY])  # a recording cannot grow
    assert marks_of({"cleans": True, "cleaning.count": 3.0, "progress.flash_cache.done": None, "progress.flash_cache.of": None}) == [TOO_SHORT]  # columns of other layers' runs
    both = {"progress.cleanings.done": 25.0, "progress.cleanings.of": 20.0, "progress.flash_cache.done": 99.0, "progress.flash_cache.of": 200.0}
    assert marks_of(both) == [NOT_YET]
    assert behind(both) == {"flash_cache": (99.0, 200.0)}


def test_a_lifetime_of_a_few_erases_settles_nothing():
    lifetime, wear = "nand.lifetime.years.worst_block", {"progress.flash_wear.done": 2.0, "progress.flash_wear.of": 20.0}
    row = learner(20.0, **wear)
    assert marks_of(row) == marks_of(row, ["host.latency.p99"]) == []  # a few erases are no reason to doubt a latency
    assert marks_of(row, [lifetime]) == [NOT_YET] == marks_of({**row, "recorded": True}, [lifetime])
    assert behind(row, [lifetime]) == {"flash_wear": (2.0, 20.0)}
    assert marks_of({"cleans": True, "cleaning.count": 3.0, **wear}) == [TOO_SHORT]  # which cleanings are for


def test_designs_of_a_front_within_the_margin_are_one_point():
    values = np.array([[20.5, 1.01], [20.9, 0.99], [21.1, 0.98], [30.0, 0.5], [30.0, 2.0]])
    assert front(values).tolist() == [True, False, False, True, False]
    assert alike(values).sum(axis=1).tolist() == [3, 3, 3, 1, 1]
    assert front(np.array([[1.0, 2.0], [1.04, 1.0]])).tolist() == [False, True]  # no slower in practice, and half as dear
    assert front(np.array([[1.0, 1.0], [1.06, 0.94]])).tolist() == [True, True]


def by_seeds(draw, middle, cost, spread=0.02, seeds=8):
    """A design whose latency differs between seeds, and whose cost does not."""
    return [of(*(middle * np.exp(draw.normal(0, spread, seeds)))), of(*[cost] * seeds)]


def test_the_places_of_a_front_are_settled_where_intervals_leave_no_other():
    draw = np.random.default_rng(1)
    found = places([by_seeds(draw, 20.0, 1.0), by_seeds(draw, 10.0, 2.0), by_seeds(draw, 30.0, 2.0), by_seeds(draw, 20.0, 1.0, 0.001)], [False, False])
    assert [(place.on, place.settled) for place in found[1:3]] == [(True, True), (False, True)]
    assert {found[0].point, found[3].point} <= {0, 3} and found[2].point is None
    exact = places([by_seeds(draw, 20.0, 1.0, 1e-4), by_seeds(draw, 20.1, 1.0, 1e-4)], [False, False])
    assert [(place.on, place.point, place.settled) for place in exact] == [(True, 0, True), (False, 0, True)] and ties_of(exact) == [1, 0]


def test_what_is_not_known_to_differ_is_not_equal():
    draw = np.random.default_rng(2)
    found = places([by_seeds(draw, 20.0, 1.0, 0.3, seeds=2), by_seeds(draw, 20.0, 1.0, 0.3, seeds=2)], [False, False])
    assert [place.settled for place in found] == [False, False] and ties_of(found) == [0, 0]
    once = places([[of(20.0), of(1.0)], [of(10.0), of(1.0)]], [False, False])
    assert [(place.on, place.settled) for place in once] == [(False, False), (True, False)]  # one seed settles nothing


def test_a_front_of_what_is_to_be_large():
    found = places([[of(5.0, 5.01, 5.0), of(1.0, 1.0, 1.0)], [of(9.0, 9.01, 9.02), of(1.0, 1.0, 1.0)]], [True, False])
    assert [(place.on, place.settled) for place in found] == [(False, True), (True, True)]


@pytest.mark.parametrize("designs", [2, 6, 12])
def test_of_equal_designs_one_search_in_twenty_at_most_settles_that_one_is_beaten(designs):
    """The runs that chose the designs are not those that confirm them, as in a search."""
    draw, false = np.random.default_rng(designs), 0
    for _ in range(300):
        found = places([by_seeds(draw, 10.0, 1.0, 0.3) for _ in range(designs)], [False, False])
        false += any(place.settled and place.point is None for place in found)
    assert false <= 0.05 * 300 + 2 * math.sqrt(300 * 0.05 * 0.95)


def test_designs_that_chance_may_have_kept_off_a_front_are_near_it():
    draw = np.random.default_rng(3)
    deviation, exact = spread([by_seeds(draw, 10.0, 1.0, 0.1, seeds=400), by_seeds(draw, 20.0, 3.0, 0.1, seeds=400)])
    assert deviation == pytest.approx(0.1 * math.sqrt(2), rel=0.1) and exact == 0
    assert spread([[of(5.0)]]) == [0.0]
    assert near(np.array([[12.0, 1.0], [30.0, 1.0], [11.0, 1.0]]), np.array([[10.0, 1.0]]), [deviation, exact]) == [2, 0]
    assert near(np.array([[12.0, 1.0]]), np.array([[10.0, 1.0]]), [0.0, 0.0]) == []


def recording(draw, factor, burst=None):
    """A design on a recording: its latencies, each `factor` times as long; those of a burst by a factor of its own."""
    latencies = draw.lognormal(0, 1, 20_000) * factor
    if burst:
        latencies[4_000:4_400] *= burst
    figure = lambda values: quantile(values, 0.99)  # noqa: E731
    return Measured(pseudo_values(figure(latencies), without_each(latencies, figure)), whole=figure(latencies))


def test_blocks_of_a_recording_are_its_replicates():
    draw = np.random.default_rng(1)
    twice = ratio(recording(draw, 2.0), recording(draw, 1.0), 1)
    assert twice.difference is Difference.APART and twice.low < 2 < twice.high
    # Coverage of the ratio of two equal designs on recordings of their own: 10 blocks, percentiles of 20,000 requests.
    found = [ratio(recording(draw, 1.0), recording(draw, 1.0), 1) for _ in range(150)]
    covered = sum(each.low <= 1 <= each.high for each in found) / 150
    print(f"covers {100 * covered:.0f} % of 150 pairs")
    assert covered >= 0.88  # of 95 %: fewer are a chance in a thousand


def test_a_tail_of_one_burst_settles_nothing_on_a_recording():
    draw = np.random.default_rng(1)
    one, other = recording(draw, 1.0, burst=1000), recording(draw, 1.0, burst=300)
    assert other.whole < one.whole / 2
    verdict = best_of({"one": one, "other": other}, False)
    assert verdict.best == "other" and not verdict.settled
    assert one.estimate().relative > 1


def test_parts_that_all_have_another_ratio_than_the_whole_do_not_say_how_sure_it_is():
    parts = Measured({1: 10.0, 2: 10.1, 3: 9.9, 4: 10.0}, whole=800.0, of_parts=True), Measured({1: 10.0, 2: 10.1, 3: 9.9, 4: 10.0}, whole=60.0, of_parts=True)
    found = ratio(*parts, 1)
    assert found.value == pytest.approx(800 / 60) and found.low < 1 and found.difference is Difference.NOT_SETTLED
    alike = Measured({1: 20.0, 2: 20.4, 3: 19.6, 4: 20.0}, whole=20.0, of_parts=True), Measured({1: 10.0, 2: 10.1, 3: 9.9, 4: 10.0}, whole=10.0, of_parts=True)
    assert ratio(*alike, 1).difference is Difference.APART


def test_the_bursts_that_make_a_tail_are_named():
    draw = np.random.default_rng(1)
    latencies = draw.lognormal(0, 1, 20_000)
    assert bursts(latencies, 0.99) is None  # slow requests are everywhere
    for place in (4_000, 9_000):
        latencies[place : place + 150] *= 1000
    found = bursts(latencies, 0.99)
    assert (found.count, found.share > 0.9, found.outside == pytest.approx(10.2, rel=0.2)) == (2, True, True)


def halved(first, second):
    return Measured({1: first, 2: second}, whole=(first + second) / 2, halves=(first, second))


def test_halves_of_a_recording_that_would_answer_unlike_are_found():
    assert by_half({"16 MiB": halved(2.0, 9.0), "64 MiB": halved(2.0, 4.0)}, False, True) == ("16 MiB", "64 MiB")
    assert by_half({"cmr": halved(2.0, 9.0), "pore": halved(3.0, 4.0)}, False, False) == ("cmr", "pore")
    assert by_half({"cmr": halved(2.0, 4.0), "pore": halved(2.05, 3.9)}, False, False) is None  # a few percent
    assert by_half({"cmr": halved(2.0, 9.0), "pore": halved(3.0, 10.0)}, False, False) is None
    assert by_half({"cmr": of(2.0, 9.0), "pore": of(3.0, 4.0)}, False, False) is None  # seeds have no halves


def test_a_recording_too_short_for_blocks_settles_nothing():
    whole = {"one": Measured({}, whole=5.0), "other": Measured({}, whole=9.0)}
    assert best_of(whole, False).best == "one" and not best_of(whole, False).settled
    assert not best_of({"one": whole["one"]}, False).settled
    assert pseudo_values(5.0, [5.0, 0.0]) == {}


def test_overloaded_drives_are_ranked_by_what_they_serve_and_not_by_how_long_requests_wait():
    row = {"exit_status": 0, "unstable": True, "host.steady.reached": 0.0}
    assert marks_of(row) == marks_of(row, ["host.latency.p99"]) == marks_of(row, ["host.throughput", "host.latency.mean"]) == [UNSTABLE, NOT_STEADY]
    assert marks_of(row, ["host.throughput"]) == []


@pytest.mark.parametrize("note", ["the same input, served once before, filled them in part", "the same input had filled them before"])
def test_caches_that_the_measured_requests_filled_are_a_best_case(note):
    notes = f"read as msr; it began with used caches: {note} (--caches empty begins without)"
    assert marks_of({"exit_status": 0, "recorded": True, "notes": notes}) == [BEST_CASE] and not ranks_not([BEST_CASE])
    assert marks_of({"exit_status": 0, "recorded": True, "notes": notes.replace("same input", "200 requests before")}) == []
    assert marks_of({"exit_status": 0, "recorded": False, "notes": notes}) == []  # other draws of a law, in its proportions


def learning(own_work, reads=300.0, **more):
    """A run that has had 4 of 20 intervals, and whose own work is this share of the latency."""
    return {
        "progress.heat_intervals.done": 4.0, "progress.heat_intervals.of": 20.0, "host.served": 1000.0, "host.reads": reads, "host.writes": 1000.0 - reads,
        "host.latency.mean": 10.0, "host.latency.p99": 90.0, "host.read.cause.host": 10 * (1 - own_work), "host.read.cause.rmw": 10 * own_work,
        "host.write.cause.host": 10 * (1 - own_work), "host.write.cause.rmw": 10 * own_work, "host.read.slowest_cause.rmw": 90.0, **more,
    }  # fmt: skip


def test_a_mechanism_that_cannot_move_the_figure_by_a_percent_stops_nothing_and_is_told():
    mean, p99 = "host.latency.mean", "host.latency.p99"
    assert marks_of(learning(0.2), [mean]) == marks_of(learning(0.2)) == [NOT_YET]
    assert marks_of(learning(0.005), [mean]) == [] and told(learning(0.005), [mean]) == ["heat intervals 4 of 20, which can move host.latency.mean by less than 1 %"]
    assert marks_of(learning(0.005), [p99]) == marks_of(learning(0.005), [mean, p99]) == [NOT_YET] and told(learning(0.005), [p99]) == []  # its work is in the tail
    assert marks_of(learning(0.005), ["energy.total"]) == marks_of({**learning(0.005), "progress.heat_intervals.done": 0.0}, [mean]) == [NOT_YET]  # nothing bounds these
    assert marks_of({**learning(0.005), "cleans": True, "progress.cleanings.done": 3.0, "progress.cleanings.of": 20.0}, [mean]) == [TOO_SHORT]  # what cleans has yet to cost
    fills = {"progress.read_cache.done": 5.0, "progress.read_cache.of": 100.0, "host.served": 1000.0, "host.latency.mean": 10.0, "host.read.latency.mean": 10.0}
    assert marks_of({**fills, "host.reads": 5.0}, [mean]) == [] and marks_of({**fills, "host.reads": 300.0}, [mean]) == [NOT_YET]


def test_an_answer_tells_what_stops_nothing():
    rows = pl.DataFrame([{"exit_status": 0, "message": "", "axis.seed": seed, "recorded": False, "unstable": False, "notes": "", **learning(0.005)} for seed in (1.0, 2.0)])
    found = measured_of(rows, "host.latency.mean")
    assert found.marks == () and found.told == ("heat intervals 4 of 20, which can move host.latency.mean by less than 1 %",)
