"""What a report of a search says first: an answer to any question, its front, pictures of its objectives, and which runs are whose."""

import polars as pl
import pytest

from tessera.explore.dataset import Sweep, write_frame
from tessera.figures.chart import Axis, Heat, Stack
from tessera.figures.gallery import of_sweep
from tessera.figures.screen import figure
from tessera.figures.style import COLOURS
from tessera.reports.search_answer import of_search
from tessera.reports.sweep_page import sweep_page

P99, MEAN = "host.latency.p99", "host.latency.mean"
OBJECTIVES = {P99: "minimise", "cost": "minimise"}
# Layer, clock, blocks, p99, cost, keeps, front: of mu-rmw each number of blocks was tried with one clock but for 200.
DESIGNS = (
    ("mu-rmw", 1.0, 200.0, 17.0, 60.0, False, False), ("mu-rmw", 2.0, 200.0, 18.0, 64.0, False, False), ("mu-rmw", 3.0, 400.0, 16.0, 65.0, False, False),
    ("imr-rmw", 1.0, None, 77.0, 20.5, True, True), ("imr-rmw", 2.0, None, 76.0, 22.0, True, True), ("imr-rmw", 3.0, None, 76.0, 24.0, True, False),
)  # fmt: skip
EARLIER = ("imr-rmw", 9.0, None, 70.0, 20.0, True, False)


def trials_of(designs=DESIGNS, **columns) -> pl.DataFrame:
    names = ["axis.layer", "axis.controller.clock", "axis.nand.blocks", P99, "cost", "keeps", "front"]
    made = pl.DataFrame(designs, schema=names, orient="row").with_row_index("key").with_columns(pl.col("key").cast(pl.String), pl.lit("").alias("marks"))
    return made.with_columns(**{name: pl.lit(value) for name, value in columns.items()})


@pytest.fixture
def sweep(tmp_path) -> Sweep:
    """A search of six designs, in the folder of an earlier one that tried a seventh."""
    made = Sweep(tmp_path)
    made.begin({"axes": ["layer", "controller.clock", "nand.blocks"], "run": {}, "objectives": OBJECTIVES}, map(str, range(len(DESIGNS) + 1)))
    for key, (layer, clock, blocks, p99, _, _, _) in enumerate((*DESIGNS, EARLIER)):
        axes = {"axis.layer": layer, "axis.controller.clock": clock, "axis.nand.blocks": blocks}
        figures = {P99: p99, MEAN: p99 / 2, "write_amplification.total": 1.0, "recovery.count": 1.0}
        made.add({"key": str(key), "exit_status": 0, "message": "", "command": "tessera run demo", "tool": "tessera-sim", "cleans": False, **axes, **figures})
    made.save()
    write_frame(tmp_path / "trials.parquet", trials_of())
    return Sweep(tmp_path)


def test_the_front_comes_first_then_the_objectives_and_no_picture_of_one_bar(sweep):
    charts = of_sweep(sweep)
    assert [chart.name for chart in charts] == ["pareto", "designs", "heat-1", "heat-2"]
    assert all(chart.title.startswith(P99) for chart in charts[1:])  # cost is no figure of a run
    assert all(len(chart.categories) > 1 for chart in charts if isinstance(chart, Stack)) and not any(isinstance(chart, Heat) for chart in charts)
    assert [chart.title.split(" ")[0] for chart in of_sweep(sweep, MEAN)[1:]] == [MEAN] * 3  # what is asked for


def test_bars_of_one_figure_have_a_colour_and_no_legend():
    stack = Stack("name", "title", Axis("p99 (ms)"), ["a", "b"], {P99: [1.0, 2.0]})
    drawn = figure(stack)
    assert not drawn["layout"]["showlegend"]
    assert drawn["data"][0]["marker"]["color"] == COLOURS[0]


def test_runs_and_designs_are_in_one_line(sweep):
    page = sweep_page(sweep)
    assert page.facts[0] == "7 runs: 6 of the 6 designs that the search tried, 1 of earlier searches in this folder"


def test_a_recovery_of_used_caches_is_no_power_cut(sweep):
    assert not any("Power was cut" in warning for warning in sweep_page(sweep).warnings)


def test_any_question_has_an_answer_or_why_not(sweep):
    assert "one seed has no interval" in sweep_page(sweep).answer
    for question in ("Which is the cheapest?", "How low can p99 get?"):
        assert sweep_page(sweep, question).answer.startswith("Not settled: "), question


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("What does the trace need?", "the question names no objective of this search (host.latency.p99, cost)"),
        ("Is my layer better than vguard?", "the question names no objective of this search (host.latency.p99, cost)"),
        ("?", "the question names no objective of this search (host.latency.p99, cost)"),
        ("How much energy?", "the question is about energy.total, which is no objective of this search (host.latency.p99, cost)"),
    ],
)
def test_a_question_about_no_objective_is_not_answered_with_another_one(question, why):
    assert of_search(trials_of(), OBJECTIVES, question) == f"Not understood: {why}."


def test_what_is_not_settled_is_said_with_the_ends_of_the_front():
    said = of_search(trials_of(), OBJECTIVES, "")
    assert said.startswith("Not settled: one seed has no interval")
    cheapest = "of 3 designs that keep the constraints, the cheapest is layer imr-rmw, controller.clock 1 (host.latency.p99 77.0 ms, cost 20.5)"
    assert said.endswith(f"As far as it goes: {cheapest}; the lowest host.latency.p99 has layer imr-rmw, controller.clock 2 (host.latency.p99 76.0 ms, cost 22).")


@pytest.mark.parametrize(("question", "cost"), [("Which is the cheapest?", "20.5"), ("How low can p99 get?", "22"), ("What latency do I get?", "22")])
def test_a_question_about_an_objective_is_answered_with_its_best_design(question, cost):
    widths = {f"{name}.half_width": width for name, width in ((P99, 0.1), ("cost", 0.0))}
    said = of_search(trials_of(DESIGNS[:5], **widths), OBJECTIVES, question)
    assert said.startswith("Of 2 designs that keep the constraints, the ") and f"cost {cost})." in said and "Not settled" not in said
    assert "host.latency.p99 7" in said and "ms ± 100 us" in said
    near = of_search(trials_of(**{f"{P99}.half_width": 0.1}), OBJECTIVES, "How low can p99 get?")
    assert near.startswith("Not settled: 1 more design lies within the interval of the best host.latency.p99. As far as it goes: of 3 designs")


def test_a_design_that_must_not_be_ranked_settles_nothing():
    said = of_search(trials_of().with_columns(pl.lit("too short to compare").alias("marks")), OBJECTIVES, "Which is the cheapest?")
    assert said.startswith("Not settled: a design of the answer must not be ranked (too short to compare)")


def test_more_is_better_where_the_search_says_so():
    said = of_search(trials_of().with_columns(pl.lit(True).alias("keeps")), {P99: "maximise"}, "")
    assert "of 6 designs, the highest host.latency.p99 has layer imr-rmw, controller.clock 1" in said
