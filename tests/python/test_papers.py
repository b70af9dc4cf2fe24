"""Pieces of the page of results, without a simulation."""

import pytest
from samples import metric, write_run

from tessera import Run, SimulatorError
from tessera.results.markdown import number
from validation.papers.lab import Lab, Variant, of_layer, trial
from validation.papers.page import ENDLESS, Figure, span, verdict
from validation.papers.pressure_runs import ENOUGH, ranked, scarce
from validation.papers.seeds import Comparison, over_seeds, seed_table

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
    assert verdict([True, True]) == "holds"
    assert verdict([True, False, False]) == "holds on 1 of 3"
    assert verdict([False]) == "does not hold"
    assert verdict([]) == "not tried"


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
    grids = over_seeds(lab, lambda each: each.grid("interlaced-paper", {"a": ("--x",)}, {"one": Variant("cmr")}, "test"), seeds=3)
    assert [grid["a"]["one"].options for grid in grids] == [("--x",), ("--x", "--seed", "2"), ("--x", "--seed", "3")]


def test_an_interval_holds_a_claim_refuses_it_or_leaves_it_open():
    above, near = Comparison("", len, above=1), Comparison("", len, above=0.8, below=1.25)
    assert (above.claim(), near.claim()) == ("above 1", "above 0.8 and below 1.25")
    assert [above.verdict(*ends) for ends in ((1.1, 1.2), (0.8, 0.9))] == ["holds", "does not hold"]
    assert above.verdict(0.9, 1.1).startswith("open")
    assert [near.verdict(*ends) for ends in ((0.9, 1.1), (1.3, 1.4), (0.6, 0.7))] == ["holds", "does not hold", "does not hold"]
    assert near.verdict(1.2, 1.3).startswith("open")


def test_a_line_a_comparison():
    text = seed_table([{"a": 1}, {"a": 2}, {"a": 3}], [Comparison("what", lambda grid: grid["a"], above=5)])
    assert text.splitlines()[-1] == "| what | above 5 | 1.000 to 3.000 | 2.000 ± 2.484 | does not hold |"
    text = seed_table([{"a": 1}, {"a": None}], [Comparison("what", lambda grid: grid["a"], above=5)])
    assert text.splitlines()[-1] == "| what | above 5 | - | - | undefined |"


def test_who_cleans_seldom_is_not_ranked_and_who_has_nothing_to_fill_is(tmp_path):
    seldom, often = (Run(write_run(tmp_path / str(count), {"cleaning.count": metric(count)})) for count in (ENOUGH - 1, ENOUGH))
    assert (ranked(seldom, "mu-rmw"), ranked(often, "mu-rmw"), ranked(seldom, "cmr")) == (False, True, True)


def test_under_pressure_every_cache_has_the_same_size():
    assert scarce(Variant("media-cache", {"k": 1})).settings["layers__media_cache__cache"] == "256 MiB"
    assert scarce(Variant("mu-rmw")).settings == scarce(Variant("cmr")).settings == {"nand__blocks": 2048, "nand__dump_blocks": 128}
