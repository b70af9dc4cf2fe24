"""tessera score: where a layer stands, by hand; what ships; and the command on a small suite."""

import json
import re
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.engine.libraries import layers
from tessera.engine.simulator import REPOSITORY
from tessera.explore.plan import plan_of
from tessera.scoring import scoring
from tessera.scoring.card import Scored, of_all, ranks_csv, ranks_text
from tessera.scoring.measures import COLUMNS, MEASURES, Figure, as_csv, figures_of, of_csv, shipped
from tessera.scoring.standing import as_it_is, by_cell, old, standings
from tessera.scoring.suite import Cell, suite_named

pytestmark = pytest.mark.usefixtures("the_built_simulator")
SUITE = replace(suite_named(), inputs=tuple(Cell(f"input {number}", {"limit": 10_000}) for number in range(4)), seeds=(1, 2, 3))
MEAN, THROUGHPUT, CAPACITY = MEASURES[0], MEASURES[4], MEASURES[7]


def figures(*by_cell, metric="host.latency.mean", unranked=()):
    """Of a layer in each input, with seeds that hardly differ, or as they are given."""
    spread = lambda value: dict(enumerate(value, 1)) if isinstance(value, tuple) else {1: value, 2: value * 1.001, 3: value * 0.999}  # noqa: E731
    return {f"input {number}": {metric: Figure(spread(value), "too short to compare" if number in unranked else "")} for number, value in enumerate(by_cell)}


def standing_of(own, others, measure=MEAN, yardstick=None):
    return next(each for each in standings(SUITE, own, others, yardstick or figures(1, 1, 1, 1, metric=measure.metric)) if each.measure == measure)


def test_a_rank_counts_what_is_better_for_sure():
    others = {"better": figures(1, 1, 1, 1), "equal": figures(2.01, 2, 2, 2), "worse": figures(9, 9, 9, 9), "loud": figures(*[(1.0, 2.0, 9.0)] * 4)}
    found = standing_of(figures(2, 2, 2, 2), others)
    assert found.verdicts == {"better": "worse", "equal": "equal", "worse": "better", "loud": "not settled"}
    assert found.rank == (2, 3) and found.place() == "2-3 of 5"
    assert found.times.value == pytest.approx(2) and found.against["worse"].value == pytest.approx(2 / 9)


def test_where_more_is_better_the_larger_figure_is():
    others = {"less": figures(1, 1, 1, 1, metric=THROUGHPUT.metric), "more": figures(4, 4, 4, 4, metric=THROUGHPUT.metric)}
    found = standing_of(figures(2, 2, 2, 2, metric=THROUGHPUT.metric), others, THROUGHPUT)
    assert found.verdicts == {"less": "better", "more": "worse"} and found.rank == (2, 2)


def test_figures_are_geometric_means_over_the_inputs_in_which_both_may_be_ranked():
    own = figures(2, 8, 1, 1000, unranked=(3,))
    found = standing_of(own, {"other": figures(1, 1, 1000, 1, unranked=(2,))})
    assert found.against["other"].value == pytest.approx(4)  # of the first two inputs
    assert found.times.value == pytest.approx(16 ** (1 / 3)) and (found.cells, found.of, found.marks) == (3, 4, "too short to compare")
    assert by_cell(SUITE, MEAN, own, figures(1, 2, 1, 1)) == pytest.approx({"input 0": 2, "input 1": 4, "input 2": 1})


@pytest.mark.parametrize(("unranked", "compared"), [((0, 1), True), ((0, 1, 2), False)])
def test_a_rank_takes_half_of_the_inputs(unranked, compared):
    found = standing_of(figures(2, 2, 2, 2, unranked=unranked), {"other": figures(1, 1, 1, 1)})
    assert (found.rank is not None) is compared and (found.place() == "-") is not compared


@pytest.mark.parametrize(("comparable", "ranked"), [(1, True), (0, False)])
def test_a_rank_takes_comparisons_with_half_of_the_layers(comparable, ranked):
    others = {f"layer {number}": figures(1, 1, 1, 1, unranked=() if number < comparable else (1, 2, 3)) for number in range(2)}
    assert (standing_of(figures(2, 2, 2, 2), others).rank is not None) is ranked


def test_a_seed_that_is_missing_or_0_ranks_nothing():
    lacks = figures((1, 1), (1, 1), (1, 1), (1, 1))
    nothing = figures((0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 1, 1))
    assert standing_of(lacks, {"other": figures(1, 1, 1, 1)}).rank is None and standing_of(nothing, {"other": figures(1, 1, 1, 1)}).rank is None


def test_a_percentile_is_of_inputs_that_are_long_enough():
    # A quarter is left out; of 534 requests 4.005 lie above p99, of 533 3.9975.
    suite = replace(SUITE, inputs=(Cell("long", {"limit": 534}), Cell("short", {"limit": 533})))
    assert [suite.cells_of(measure) for measure in MEASURES[:3]] == [["long", "short"], ["long"], []]
    assert suite.cells_of(CAPACITY) == ["power cut"]


def test_figures_go_through_the_file_of_a_suite_unchanged():
    rows = [
        {"layer": "a", "cell": "input 0", "seed": seed, "host.latency.mean": 1.23456789 * seed, "host.throughput": 5.0, "cleans": True, "cleaning.count": 19.0} for seed in (1, 2, 3)
    ]  # fmt: skip
    rows += [{"layer": "a", "cell": "power cut", "seed": 2, "capacity.gain_vs_cmr": 1.5}]
    found = figures_of(SUITE, rows)
    assert found["a"]["input 0"]["host.latency.mean"] == Figure({1: 1.23457, 2: 2.46914, 3: 3.7037}, "too short to compare")
    assert found["a"]["power cut"]["capacity.gain_vs_cmr"] == Figure({2: 1.5})
    again = of_csv(SUITE, as_csv(SUITE, found))
    assert again["a"]["input 0"]["host.latency.mean"] == found["a"]["input 0"]["host.latency.mean"] and again["a"]["power cut"]["capacity.gain_vs_cmr"] == Figure({2: 1.5})


def test_a_layer_whose_canary_moved_is_old():
    made = {"a": {"canary": {"host.latency.mean": Figure({1: 1.0})}}, "b": {"canary": {"host.latency.mean": Figure({1: 2.0})}}}
    now = {**made, "b": {"canary": {"host.latency.mean": Figure({1: 2.00001})}}}
    assert old(SUITE, made, made) == [] and old(SUITE, now, made) == ["b"] and old(SUITE, {}, made) == ["a", "b"]


def test_a_figure_without_a_rank_is_a_mean_over_inputs_that_may_be_0():
    wear = COLUMNS[1]
    found = as_it_is(SUITE, wear, figures(0, 0, (1.0, 2.0, 3.0), (1.0, 2.0, 3.0), metric=wear.metric))
    assert found.value == 1 and found.half_width == pytest.approx(4.303 * 0.5 / 3**0.5)
    assert as_it_is(SUITE, wear, figures(0, 0, 1, metric=wear.metric)) is None


def card_of(own, others, **more):
    return Scored(SUITE, "mine", None, own, {"cmr": figures(1, 1, 1, 1), **others}, (), ("tessera score mine",), **more)


def test_three_sentences_say_where_a_layer_wins_and_loses():
    assert card_of(figures(0.5, 0.5, 0.5, 0.1), {"a": figures(2, 2, 2, 2)}).sentences() == [
        "No shipped layer is better in mean latency (1 of 3).", "In no measure are most shipped layers better.",
        "Next to cmr, its mean latency is best on input 3 (0.1 times) and worst on input 0 (0.5 times).",
    ]  # fmt: skip
    wins, loses, _ = card_of(figures(9, 9, 9, 9), {"a": figures(2, 2, 2, 2)}).sentences()
    assert wins == "Some shipped layer is better in every measure that is settled." and loses == "Most shipped layers are better in mean latency (3 of 3)."


def test_a_card_has_80_columns_and_hides_no_loss():
    card = replace(card_of(figures(9, 9, 9, 9, unranked=(0,)), {"a": figures(2, 2, 2, 2)}), old=["a"])
    text = card.text()
    assert max(map(len, text.splitlines())) <= 80
    assert "not ranked on 1 of 4 inputs (too short to compare): mean latency" in text and "older than this simulator" in text
    assert [each["measure"] for each in card.record()["measures"]] == [measure.title for measure in MEASURES]


def test_the_suite_that_ships_is_whole():
    suite, found = suite_named(), shipped(suite_named())
    assert plan_of(suite.plan_table(["cmr"], []))
    assert list(found) == [name for name, entry in layers().items() if not entry["zones"]]
    names = [*(cell.name for cell in suite.inputs), suite.power_cut.name, suite.canary.name]
    assert len(set(names)) == len(names) and {cell.options["prefill"] for cell in suite.inputs} == {60, 80, 100} and {cell.options["fold_at"] for cell in suite.inputs} == {"12 GiB", "16 GiB", "20 GiB"} and len({cell.options["workload"] for cell in suite.inputs}) == 12
    for layer, cells in found.items():
        assert sorted(cells) == sorted(names), layer
        assert all(tuple(figure.by_seed) == suite.seeds for figures in cells.values() for figure in figures.values()), layer
    with pytest.raises(tessera.InputError, match="unknown suite 'score-0'; did you mean 'score-1'"):
        suite_named("score-0")


def test_the_page_s_table_is_what_the_command_prints():
    suite = suite_named()
    assert (REPOSITORY / "docs" / "data" / f"{suite.name}.csv").read_text() == ranks_csv(suite, shipped(suite))
    assert max(map(len, ranks_text(suite, shipped(suite)).splitlines())) <= 80
    head, *rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in (REPOSITORY / "docs" / "guide" / "score.md").read_text().splitlines() if re.match(r"\| [l`]", line)]
    ranks = of_all(suite, shipped(suite))
    for layer, *shown in rows:
        assert shown == [next(each for each in ranks[layer] if each.measure.title == title).rank_text() for title in head[1:]], layer


WHOLE = suite_named()
SMALL = replace(
    WHOLE, seeds=(1, 2), torture=("--operations", "4", "--cuts", "2", "--seed", "1", "--durability", "none"), inputs=(Cell("small", {"workload": "web-server", "limit": 600, "prefill": 100}),),
    power_cut=Cell("power cut", {"workload": "web-server", "limit": 100, "prefill": 100, "cut_at": "2 s"}), canary=Cell("canary", {"workload": "web-server", "limit": 50, "prefill": 100}),
)  # fmt: skip


@pytest.fixture
def small(tmp_path, monkeypatch):
    """The command with a suite of seconds, and two shipped layers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tessera.scoring.suite.suite_named", lambda name: SMALL)
    made = scoring.run_suite(SMALL, ["cmr", "imr-rmw"], ["cmr", "imr-rmw"], (), tmp_path / "made", "x", 1)
    monkeypatch.setattr("tessera.scoring.measures.shipped", lambda suite: made)
    return made


def scored(*words):
    result = CliRunner().invoke(app, ["score", *map(str, words), "--jobs", "1"])
    return result.exit_code, result.output


SLOW = """
from tessera.layer import Layer, Region, Tracks

class Slow(Layer):
    "Tracks that do not overlap."
    def plan(self, drive):
        return [Region("data", 0, drive.radii)]
    def setup(self):
        self.tracks = Tracks(self)
        self.user_sectors = self.tracks.sectors
    def read(self, request):
        yield [self.media.read(run, data) for run, data in self.tracks.runs(request.first, request.data)]
    def write(self, request):
        yield [self.media.write(run, data) for run, data in self.tracks.runs(request.first, request.data)]
"""


def test_a_layer_of_ones_own_is_scored_by_its_file_and_again_for_nothing(small, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    status, said = scored("./slow.py", "--out", "one")
    assert status == 0 and "score-1: slow, 1 input, 2 seeds, next to 2 shipped layers" in said and (tmp_path / "one" / "card.html").exists()
    card = (tmp_path / "one" / "card.json").read_text()
    assert json.loads(card)["library"]["file"] == "./slow.py" and json.loads(card)["old"] == []
    parts = list((tmp_path / "one" / "runs").iterdir())
    assert scored("slow", "--firmware", "slow.py", "--out", "one")[0] == 0 and list((tmp_path / "one" / "runs").iterdir()) == parts
    assert scored("./slow.py", "--out", "two", "--json")[1].strip() == card.strip() == (tmp_path / "two" / "card.json").read_text().strip()


def test_a_layer_that_is_left_in_the_middle_goes_on(small, tmp_path, monkeypatch):
    def stop(count):
        if count.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scoring.run_suite(SMALL, ["cmr"], [], (), tmp_path / "cut", "x", 1, stop)
    counts = []
    scoring.run_suite(SMALL, ["cmr"], [], (), tmp_path / "cut", "x", 1, lambda count: counts.append((count.kept, count.done)))
    assert counts[0] == (2, 0) and counts[-1] == (2, 2)


def test_a_layer_that_loses_data_gets_no_score(small, tmp_path):
    file = REPOSITORY / "examples" / "firmware" / "careless.py"
    for _ in range(2):  # what was found is kept
        status, said = scored(file, "--out", "lost")
        assert status == 3 and "careless-py gets no score, as it lost acknowledged data in a power cut" in said and "Torture shows it: tessera torture torture" in said
    assert not (tmp_path / "lost" / "card.json").exists()


def test_a_layer_that_faults_gets_no_score(small, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW.replace("    def write(self, request):\n", "    def write(self, request):\n        self.n = getattr(self, 'n', 0) + 1\n        if self.n > 200 and self.user_sectors > 99_999:\n            raise KeyError(7)\n"))
    status, said = scored("./slow.py", "--out", "fault")
    assert status == 3 and "slow gets no score, as it did not end well on small, seed 1: " in said and "KeyError: 7" in said and "Traceback" not in said


TRACE = "".join(f"{128166372003061629 + number * 10**7},mine,0,{'Read' if number % 4 else 'Write'},{number * 7919 % 1000 * 4096},4096,500\n" for number in range(900))


def test_a_recording_is_a_table_next_to_the_score_and_no_part_of_it(small, tmp_path):
    (tmp_path / "mine.csv").write_text(TRACE)
    alone, volume = (["imr-rmw", "--out", "one", *more] for more in ([], ["--trace", "mine.csv", "--next-to", "mu-rmw", "--limit", "600"]))
    assert scored(*alone)[0] == 0
    before = json.loads((tmp_path / "one" / "card.json").read_text())
    status, said = scored(*volume)
    assert status == 0 and "mine.csv, 600 requests, no part of the score:" in said
    assert [line.split()[0] for line in said.splitlines() if line.startswith(("imr-rmw  ", "cmr  ", "mu-rmw  "))] == ["imr-rmw", "cmr", "mu-rmw"]
    after = json.loads((tmp_path / "one" / "card.json").read_text())
    assert after["volumes"]["mine.csv, 600 requests"]["layer"] == ["imr-rmw", "cmr", "mu-rmw"] and before["volumes"] == {} and after["measures"] == before["measures"]
    made = tmp_path / "one" / "volumes" / "mine" / "compare.json"
    at = made.stat().st_mtime_ns
    assert scored(*volume)[0] == 0 and made.stat().st_mtime_ns == at
    (tmp_path / "mine.csv").write_text(TRACE.replace("Write", "Read", 1))
    assert scored(*volume)[0] == 0 and made.stat().st_mtime_ns > at


def test_a_card_is_one_sheet_of_paper_and_the_same_in_python(small, tmp_path):
    card = tessera.score("imr-rmw", out="one", jobs=1)
    sheet = (tmp_path / "one" / "card.pdf").read_bytes()
    assert sheet.startswith(b"%PDF") and len(re.findall(rb"/Type /Page\b", sheet)) == 1
    assert scored("imr-rmw", "--out", "two")[0] == 0 and (tmp_path / "two" / "card.json").read_text() == (tmp_path / "one" / "card.json").read_text() == json.dumps(card.record(), indent=1) + "\n"
    assert repr(card).startswith("Score: score-1: imr-rmw, 1 input, 2 seeds") and len(repr(card).splitlines()) <= 10 and "recovery time" in card._repr_html_()
    with pytest.raises(tessera.SimulatorError, match="careless-py gets no score, as it lost acknowledged data"):
        tessera.score(REPOSITORY / "examples" / "firmware" / "careless.py", out="lost")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("cmr", "--next-to", "mu-rmw"), "--next-to goes with --trace FILE"),
        (("--shipped", "--trace", "x"), "--trace goes with a layer"),
        (("cmr", "--trace", "no.csv"), "no.csv: expected the file of a block trace"),
        ((), "score takes a layer, or --shipped, or --baselines FILE, and one of them alone"),
        (("cmr", "--shipped"), "one of them alone"),
        (("imr-rwm",), "unknown layer 'imr-rwm'; did you mean 'imr-rmw'?"),
        (("host-aware",), "host-aware: a score is of layers that take writes anywhere"),
        (("zoned:log",), "zoned:log: a score is of layers"),
        (("cmr", "--suite", "score-9"), "unknown suite 'score-9'; did you mean 'score-1'?"),
        (("cmr", "--csv"), "--csv goes with --shipped"),
        (("./no.so",), "no.so"),
    ],
)  # fmt: skip
def test_wrong_words_are_refused_in_a_sentence(words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, said = scored(*words)
    assert status == 2 and expected in said and said.count("\n") == 1 and not list(tmp_path.iterdir())
