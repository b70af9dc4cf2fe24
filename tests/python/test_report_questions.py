"""Questions of people to reports: each is answered, or the report says that it is not settled or was not understood; never another question."""

import polars as pl
import pytest
from samples import metric, write_run

from tessera.reports.answer import metric_named, of_layers, of_sweep
from tessera.reports.run_page import COMPARED, ranking, run_findings, run_page
from tessera.results.run_folder import Run

MEANS = {"cmr": 4.0, "vguard": 6.0, "mine": 9.0, "mu-rmw": 6.06}


def asked(question: str, layers: tuple[str, ...] = tuple(MEANS)) -> str:
    """The answer of a comparison over four seeds, whose figures differ by a thousandth."""
    rows = [(layer, seed, 0, MEANS[layer] * (1 + seed / 1000), 1.0) for layer in layers for seed in range(1, 5)]
    runs = pl.DataFrame(rows, schema=["layer", "seed", "exit_status", "host.latency.mean", "host.latency.p99"], orient="row")
    return of_layers({"layer": list(layers)}, runs, question)


def test_a_comparison_on_a_recording_is_settled_by_its_blocks_and_not_by_seeds():
    rows = [(layer, seed, 0, mean) for layer, mean in (("cmr", 4.0), ("vguard", 6.0)) for seed in range(1, 5)]
    runs = pl.DataFrame(rows, schema=["layer", "seed", "exit_status", "host.latency.mean"], orient="row")
    said = lambda blocks: of_layers({"layer": ["cmr", "vguard"]}, runs, "Which layer is fast?", True, blocks)  # noqa: E731
    assert said({}).startswith("Not settled: a recorded trace is one sample, and --baseline of tessera compare has intervals over its blocks.")
    sure = {"host.latency.mean": {"cmr": [4.0, 4.1, 3.9, 4.0], "vguard": [6.0, 6.1, 5.9, 6.0]}}
    assert said(sure).startswith("cmr has the smallest mean: mean 4.00 ms") and said(sure).endswith("; on this recording, from this start.")
    unsure = {"host.latency.mean": {"cmr": [4.0, 1.0, 9.0, 4.0], "vguard": [6.0, 9.0, 1.0, 6.0]}}
    assert said(unsure).startswith("Not settled: 4 blocks of this recording do not tell vguard against cmr, and a longer one may.")


def test_two_layers_that_a_question_names_are_the_ones_compared():
    said = asked("Is mine better than vguard?")
    assert said.startswith("vguard has the smallest mean") and "mine is 1.5 [" in said and "cmr" not in said


def test_a_layer_that_is_named_alone_is_compared_with_the_best_of_the_others():
    said = asked("How good is vguard?")
    assert said.startswith("cmr has the smallest mean") and "vguard is 1.5 [" in said and "mine" not in said
    assert asked("Is vguard better than all others?") == said


@pytest.mark.parametrize("question", ["Is my layer better than vguard?", "Is it slower than VGuard?", "How does my layer do against vguard?"])
def test_a_question_that_compares_with_what_it_does_not_name_is_not_understood(question):
    assert asked(question) == "Not understood: the question compares vguard with something that it does not name; the layers here are cmr, vguard, mine, mu-rmw."


def test_of_two_layers_the_other_is_meant():
    assert asked("Is my layer better than vguard?", ("vguard", "mine")).startswith("vguard has the smallest mean")
    assert asked("How much slower is it than a conventional drive?", ("cmr", "mine")).startswith("cmr has the smallest p99")


def test_layers_that_are_equal_in_practice_are_not_told_apart():
    assert "; equal within 5 %: mu-rmw." in asked("Is mu-rmw better than vguard?")


@pytest.mark.parametrize(
    ("question", "about"),
    [("What does it do to my RAID?", "raid"), ("Does a power cut lose data?", "power cut"), ("How long does a rebuild take?", "rebuild"), ("Which is the cheapest?", "cheapest")],
)
def test_a_question_about_what_has_no_figure_is_not_answered_with_the_mean(question, about):
    assert asked(question).startswith(f"Not understood: the question is about {about}, and names no figure")


@pytest.mark.parametrize("question", ["What does it do?", "Is the weather nice?", "Which software is this?"])
def test_a_question_without_a_figure_is_not_understood(question):
    assert asked(question).startswith("Not understood: the question names no figure (latency, ")


@pytest.mark.parametrize("question", ["", "Which layer is best?", "Which serves this input best?"])
def test_a_question_for_the_best_is_one_for_the_mean(question):
    assert asked(question).startswith("cmr has the smallest mean")


def test_words_that_hold_the_name_of_a_metric_name_none():
    assert [metric_named(text) for text in ("software details", "hardware", "a power cut", "powerful")] == [None] * 4
    assert [metric_named(text) for text in ("the power", "slowest", "fastest", "wear")] == ["energy.total", "host.latency.p99", "host.latency.mean", metric_named("lifetime")]


def sweep_rows() -> pl.DataFrame:
    points = [(layer, depth, seed) for layer in ("cmr", "vguard", "fluid") for depth in (1, 32) for seed in (1, 2, 3, 4)]
    figures = {"cmr": 1.0, "vguard": 2.0, "fluid": 3.0}
    return pl.DataFrame(
        [(layer, depth, seed, figures[layer] * (1 + seed / 1000), 0) for layer, depth, seed in points],
        schema=["axis.layer", "axis.depth", "axis.seed", "host.latency.mean", "exit_status"], orient="row",
    )  # fmt: skip


def test_values_that_a_question_names_are_those_of_their_axis():
    rows, axes = sweep_rows(), ["layer", "depth", "seed"]
    said = of_sweep(rows, axes, "Is fluid better than vguard?")
    assert said.startswith("vguard has the smallest mean") and "fluid is 1.5 [" in said and "cmr" not in said
    assert of_sweep(rows, axes, "Is my layer better than vguard?") == "Not understood: the question compares vguard with something that it does not name; layer has cmr, vguard, fluid."
    assert of_sweep(rows, axes, "Which is best at 32?").startswith("Not understood: the question names no axis of this sweep (layer, depth")


FACTS = {"layer": "fluid", "drive": "demo", "input": "web", "seed": 1, "tool": "t"}
LATENCIES = {"host.latency.mean": metric(1, "ms"), "host.latency.p99": metric(5, "ms"), "host.latency.max": metric(9, "ms"), "host.served": metric(10)}


def test_one_run_compares_nothing(tmp_path):
    run = Run(write_run(tmp_path, LATENCIES, None, FACTS))
    assert run_page(run, "Is it faster than vguard?").answer.startswith("Not understood: the question compares, and this is one run;")
    assert run_page(run, "How long is the tail?").answer.startswith("P99 is 5.00 ms")


def test_what_did_not_happen_is_no_finding(tmp_path):
    nothing = {"write_amplification.total": metric(0), "cleaning.count": metric(0), "nand.lifetime.years.worst_block": metric(0, "years")}
    found = run_findings(Run(write_run(tmp_path / "read", LATENCIES | nothing, None, FACTS)))
    assert found == ["10 requests: mean 1.00 ms, p99 5.00 ms, longest 9.00 ms."]
    assert run_findings(Run(write_run(tmp_path / "none", {"host.served": metric(0)}, None, FACTS))) == ["No request was served."]
    zeros = {name: [("cmr", 0.0, True), ("fluid", 0.0, True), ("pore", 0.0, True)] for _, name in COMPARED}
    assert ranking(zeros, {}) == ["No figure can be ranked."]
