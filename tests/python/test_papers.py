"""Pieces of the page of results, without a simulation."""

from tessera.papers.lab import Lab, Variant, trial
from tessera.papers.page import number, span, verdict


def test_a_verdict_counts_the_cases():
    assert verdict([True, True]) == "holds"
    assert verdict([True, False, False]) == "holds on 1 of 3"
    assert verdict([False]) == "does not hold"
    assert verdict([]) == "not tried"


def test_a_span_is_one_figure_where_both_ends_print_alike():
    assert span([2.001, 1.0, 3]) == "1.00 to 3.00"
    assert span([1.001, 1.002]) == "1.00"
    assert span([]) == number(None) == "-"


def test_settings_become_options_of_the_run():
    each = trial("p001", "cmr", "--limit", 10, media__rpm="5400 rpm", layers__cmr__flag=True)
    assert each.arguments() == [
        *("run", "p001", "--layer", "cmr", "--limit", "10"),
        *("--set", "media.rpm=5400 rpm", "--set", "layers.cmr.flag=true"),
    ]


def test_a_grid_runs_each_input_on_each_variant(tmp_path, monkeypatch):
    program = tmp_path / "program"
    program.write_text("")
    monkeypatch.setenv("TESSERA_SIM", str(program))
    lab = Lab(tmp_path, scale=0.5)
    monkeypatch.setattr(lab, "run", lambda trials, what: {each: each for each in trials})
    grid = lab.grid("p001", {"a": ("--x",), "b": ()}, {"one": Variant("cmr"), "two": Variant("hwsr", {"k": 1}, "p003")}, "test")
    assert grid["a"]["one"].arguments() == ["run", "p001", "--layer", "cmr", "--x"]
    assert grid["b"]["two"].arguments() == ["run", "p003", "--layer", "hwsr", "--set", "k=1"]
    assert lab.requests(10_000) == 5000
    assert lab.trace("nowhere.csv") is None
