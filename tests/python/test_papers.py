"""Pieces of the page of results, without a simulation."""

import pytest
from samples import metric, write_run

from tessera import Run, SimulatorError
from tessera.results.markdown import number
from validation.papers.check import comparisons
from validation.papers.experiment import Experiment, Ranking, Replicates, seed_table
from validation.papers.lab import Lab, Variant, of_layer, trial
from validation.papers.measures import ENDLESS, Figure, span
from validation.papers.outcome import Tally
from validation.papers.pressure import ENOUGH, ranked, scarce

COUNTING = """
import json, sys
from pathlib import Path
folder = Path(sys.argv[sys.argv.index("--out") + 1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "summary.json").write_text(json.dumps({"schema": 1, "metrics": {}}))
with open(Path(__file__).with_name("calls"), "a") as calls:
    calls.write("run\\n")
"""


def test_a_verdict_counts_the_cases():
    assert [Tally.of(cases).text for cases in ([True, True], [True, False, False], [False], [])] == ["holds", "holds on 1 of 3", "does not hold", "not tried"]


def test_a_span_is_one_figure_where_both_ends_print_alike():
    assert span([2.001, 1.0, 3]) == "1.00 to 3.00"
    assert span([1.001, 1.002]) == "1.00"
    assert span([]) == number(None) == "-"


def test_a_response_of_an_endless_backlog_is_marked(tmp_path):
    run = Run(write_run(tmp_path, {"x": metric(1.5), "host.backlog.unstable": metric(1)}))
    response = Figure("ms", lambda run: run.metric("x"), of_response=True)
    assert response.text(run) == "1.50" + ENDLESS
    assert Figure("WA", lambda run: run.metric("x")).text(run) == "1.50"
    run.summary["metrics"]["host.backlog.unstable"]["value"] = 0
    assert response.text(run) == "1.50"


def test_settings_become_options_of_the_run():
    each = trial("interlaced-paper", "cmr", "--limit", 10, media__rpm="5400 rpm", layers__cmr__flag=True)
    assert each.arguments() == [
        *("run", "interlaced-paper", "--layer", "cmr", "--limit", "10"),
        *("--set", "media.rpm=5400 rpm", "--set", "layers.cmr.flag=true"),
    ]


def test_parameters_of_a_layer_lie_in_its_section():
    assert of_layer("imr-cache", paper=False) == {"layers__imr_cache__paper": False}


def test_a_grid_runs_each_input_on_each_variant(stand_in, tmp_path, monkeypatch):
    stand_in("")
    lab = Lab(tmp_path, scale=0.5)
    monkeypatch.setattr(lab, "run", lambda trials, what: {each: each for each in trials})
    grid = lab.grid("interlaced-paper", {"a": ("--x",), "b": ()}, {"one": Variant("cmr"), "two": Variant("hwsr", {"k": 1}, "hwsr-paper")}, "test")
    assert grid["a"]["one"].arguments() == ["run", "interlaced-paper", "--layer", "cmr", "--x"]
    assert grid["b"]["two"].arguments() == ["run", "hwsr-paper", "--layer", "hwsr", "--set", "k=1"]
    assert lab.requests(10_000) == 5000


def test_a_trial_is_run_once(stand_in, tmp_path):
    stand_in(COUNTING)
    for _ in range(2):
        Lab(tmp_path / "out").run([trial("interlaced-paper", "cmr"), trial("interlaced-paper", "cmr"), trial("interlaced-paper", "imr-rmw")], "test")
    assert (tmp_path / "calls").read_text() == "run\n" * 2


def test_a_run_that_fails_is_an_error_and_its_files_are_never_taken_for_a_result(stand_in, tmp_path):
    stand_in(COUNTING + "sys.exit(130)")  # an interrupted run writes the summary of what it has done
    for _ in range(2):
        with pytest.raises(SimulatorError):
            Lab(tmp_path / "out").run([trial("interlaced-paper", "cmr")], "test")
    assert (tmp_path / "calls").read_text() == "run\n" * 2


def test_a_trace_that_is_not_at_hand_is_remembered(stand_in, tmp_path):
    stand_in("")
    lab = Lab(tmp_path, tmp_path)
    assert lab.trace("msr", "nowhere.csv") is None
    assert lab.missing == {"msr/nowhere.csv"}


def test_seeds_count_up_and_the_first_is_the_one_of_a_run_without_a_seed(stand_in, tmp_path, monkeypatch):
    stand_in("")
    lab = Lab(tmp_path)
    monkeypatch.setattr(lab, "run", lambda trials, what: {each: each for each in trials})
    grids = Replicates(lambda each: each.grid("interlaced-paper", {"a": ("--x",)}, {"one": Variant("cmr")}, "test"), (), 3).grids(lab)
    assert [grid["a"]["one"].options for grid in grids] == [("--x",), ("--x", "--seed", "2"), ("--x", "--seed", "3")]


def test_a_line_a_comparison():
    above = comparisons({"what": "what", "inputs": "a", "figures": "ms", "of": "ours", "above": 5})
    figures = (Figure("ms", lambda run: run),)
    text = seed_table([{"a": {"ours": value}} for value in (1, 2, 3)], above, figures)
    assert text.splitlines()[-1] == "| what | above 5 | 1.000 to 3.000 | 2.000 ± 2.484 | does not hold |"
    over = comparisons({"what": "what", "inputs": "a", "figures": "ms", "of": "ours", "over": "other", "above": 5})
    text = seed_table([{"a": {"ours": 1, "other": other}} for other in (1, 0)], over, figures)
    assert text.splitlines()[-1] == "| what | above 5 | - | - | undefined |"


class Alike:
    """A run all of whose figures are this one."""

    def __init__(self, figure: float) -> None:
        self.figure = figure

    def metric(self, _: str) -> float:
        return self.figure


def test_an_experiment_shows_its_figures_with_stars_and_what_is_more(stand_in, tmp_path):
    stand_in("")
    grid = {"a": {"one": Alike(1.0)}, "b": {"one": Alike(30.0)}}
    ms = Figure("ms", lambda run: run.metric("x"), 1)
    enough = Ranking(lambda row: row["one"].metric("x") > 20, "too few")
    each = Experiment("e", "Title", lambda lab: grid, (ms,), "Intro.\n", ranking=enough, before=lambda lab, grid: ["Before.\n"], after=lambda lab, grid: ["After.\n"])
    head = "| ms | one |\n|---|---:|\n"
    assert each.section(Lab(tmp_path)) == ["### Title\n", "Intro.\n", "Before.\n", head + "| a* | 1.0 |\n| b | 30.0 |\n", "\\* too few: not ranked.\n", "After.\n"]
    assert Experiment("e", "Title", lambda lab: grid, (ms,), by="input").section(Lab(tmp_path))[1] == "| input | ms one |\n|---|---:|\n| a | 1.0 |\n| b | 30.0 |\n"
    assert Experiment("e", "Title", lambda lab: {}, (ms,), "Intro.\n", after=lambda lab, grid: ["After.\n"]).section(Lab(tmp_path)) == []


def test_who_cleans_seldom_is_not_ranked_and_who_has_nothing_to_fill_is(tmp_path):
    seldom, often = (Run(write_run(tmp_path / str(count), {"cleaning.count": metric(count)})) for count in (ENOUGH - 1, ENOUGH))
    assert (ranked(seldom, "mu-rmw"), ranked(often, "mu-rmw"), ranked(seldom, "cmr")) == (False, True, True)


def test_under_pressure_every_cache_has_the_same_size():
    assert scarce(Variant("media-cache", {"k": 1})).settings["layers__media_cache__cache"] == "256 MiB"
    assert scarce(Variant("mu-rmw")).settings == scarce(Variant("cmr")).settings == {"nand__blocks": 2048, "nand__dump_blocks": 128}
