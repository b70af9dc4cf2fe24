"""What a notebook and its user expect of the package: a version, options that complete, results that show themselves, and frames whose columns keep their types."""

import dataclasses
import inspect
import json
import re
import subprocess
import sys
import typing
from importlib import metadata

import polars as pl
import pytest
from samples import metric, write_run
from simulate import simulate

import tessera
from tessera.api import Options
from tessera.engine.simulation import Simulation, meanings
from tessera.explore.comparison import Comparison
from tessera.explore.dataset import Sweep, frame_of
from tessera.results.shown import MOST_LINES, Card

pytestmark = pytest.mark.usefixtures("the_built_simulator")


def test_the_version_is_that_of_the_installed_package():
    assert tessera.__version__ == metadata.version("tessera")
    cheap = "import sys, tessera; print('importlib.metadata' in sys.modules, 'run' in dir(tessera), '__version__' in dir(tessera))"
    assert subprocess.run([sys.executable, "-c", cheap], capture_output=True, text=True, check=True).stdout == "False True True\n"


def test_every_option_of_a_run_is_in_signature_and_help():
    fields = {item.name: item for item in dataclasses.fields(Simulation) if item.name != "drive"}
    assert set(Options.__annotations__) == set(fields)
    for name, kind in typing.get_type_hints(Options).items():
        assert kind == typing.get_type_hints(Simulation)[name], name
    for call, without in ((tessera.run, set()), (tessera.compare, {"layer"})):
        signature = inspect.signature(call)
        assert set(fields) - set(signature.parameters) == without
        for name in set(fields) - without:
            default = {} if fields[name].default is dataclasses.MISSING else fields[name].default
            assert signature.parameters[name].default == default
            assert f"\n    {name} = {default!r}: {meanings()[name]}\n" in call.__doc__ + "\n" and meanings()[name].endswith("."), name


def test_every_option_of_the_simulator_is_a_field_or_one_of_its_other_words():
    listed = {line.split()[0].removeprefix("--").replace("-", "_") for line in simulate("run", "--help").stdout.splitlines() if line.startswith("  --")}
    own = {"set", "out", "json", "list_inputs", "document"}
    others = {
        "event", "firmware_patience", "firmware_digest", "any_firmware", "age", "check_protocol", "vcd", "fst", "timeline", "signals", "record_window", "record_trigger",
        "record_before", "record_after", "gdb", "firmware_profile", "vcd_words",
    }  # fmt: skip
    assert listed - own - set(Options.__annotations__) == others


@pytest.mark.parametrize(
    ("given", "held"),
    [
        ({"limit": "10k"}, 10_000), ({"limit": "1e3"}, 1000), ({"limit": 1e3}, 1000), ({"skip": "2.5k"}, 2500), ({"seed": "7"}, 7), ({"prefill": "50"}, 50),
        ({"time_scale": "0.5"}, 0.5), ({"warmup": "1k"}, 1000), ({"warmup": "auto"}, "auto"), ({"cut_at": "2 s"}, ("2 s",)), ({"cut_at": ["1 s", "2 s"]}, ("1 s", "2 s")),
    ],
)  # fmt: skip
def test_an_option_takes_what_the_command_line_takes(given, held):
    made = Simulation(workload="random-4k", **given)
    assert getattr(made, next(iter(given))) == held
    assert made == Simulation.of_words(made.words()[1:])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"limit": "10q"}, "limit: expected a whole number"), ({"limit": 1.5}, "limit: expected a whole number"), ({"limit": True}, "limit: expected a whole number"),
        ({"prefill": "1k"}, "prefill: expected a whole number from 0 to 100, found '1k'"), ({"prefill": 101}, "prefill: expected a whole number from 0 to 100"),
        ({"time_scale": "2x"}, "time_scale: expected a positive number"), ({"time_scale": 0}, "time_scale: expected a positive number"),
        ({"warmup": "outo"}, "warmup: expected a whole number or \"auto\", found 'outo'"), ({"fold": "yes"}, "fold: expected true or false"),
    ],
)  # fmt: skip
def test_what_it_does_not_take_is_refused_in_a_sentence(given, expected):
    with pytest.raises(tessera.InputError) as refused:
        Simulation(workload="random-4k", **given)
    assert expected in str(refused.value) and "\n" not in str(refused.value)


def check_shown(shown, *parts):
    text, table = repr(shown), shown._repr_html_()
    assert len(text.splitlines()) <= MOST_LINES
    rows, end, picture = table.partition("</table>")
    assert rows.startswith("<table>") and end and "<script" not in table and (not picture or re.fullmatch(r'<img alt="[^"]+" style="[^"]+" src="data:image/svg\+xml;base64,[\w+/=]+">', picture))
    for part in parts:
        assert part in text, text
    return text


def test_a_run_shows_its_marks_first_then_its_figures(tmp_path):
    metrics = {
        "host.served": metric(500), "host.latency.mean": metric(12.3, "ms"), "host.latency.p50": metric(11, "ms"), "host.latency.p99": metric(None, "ms"),
        "host.latency.max": metric(40, "ms"), "write_amplification.total": metric(1.5), "cleaning.count": metric(3), "host.steady.reached": metric(0),
    }  # fmt: skip
    facts = {"drive": "d<emo>", "layer": "mu-rmw", "input": "workload random-4k", "seed": 3, "cleans": True, "unstable": False, "notes": ["n"]}
    text = check_shown(tessera.Run(write_run(tmp_path, metrics, run=facts)), "requests  500", "mean 12.3 ms, p50 11.0 ms, p99 -, p99.9 -, max 40.0 ms", "amplification 1.5", str(tmp_path))
    lines = text.splitlines()
    assert lines[0] == "Run: d<emo>, layer mu-rmw, workload random-4k, seed 3"
    assert lines[1].startswith("  ! too short to compare") and lines[2].startswith("  ! not steady")
    assert "d&lt;emo&gt;" in tessera.Run(tmp_path)._repr_html_() and "<img" in tessera.Run(tmp_path)._repr_html_()


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"schema": 9}', '{"schema": 1, "run": {}, "metrics": {"host.served": 3}}', "\0\0", '{"schema": 1, "run": {"cleans": [1]}, "metrics": {}}'])
@pytest.mark.parametrize(("kind", "name"), [(tessera.Run, "summary.json"), (Comparison, "compare.json"), (Sweep, "sweep.json")])
def test_a_broken_folder_says_so_and_raises_nothing(tmp_path, kind, name, content):
    if content is not None:
        (tmp_path / name).write_text(content)
    shown = kind(tmp_path)
    text = check_shown(shown, kind.__name__)
    assert str(tmp_path) in text
    if not (kind is tessera.Run and content and "cleans" in content):
        assert "\n  ! " in text


def test_a_folder_that_is_gone_or_that_is_a_file_says_so(tmp_path):
    result = tessera.run("demo", layer="cmr", workload="random-4k", limit="20", fold=True)
    assert "20" in repr(result)
    result.temporary.cleanup()
    again = tessera.Run(result.folder)
    check_shown(again, "has no summary.json")
    check_shown(again.frames, "none")
    (tmp_path / "f").write_text("x")
    check_shown(tessera.Run(tmp_path / "f"), "Run")


def test_a_simulation_reads_as_the_call_that_makes_it():
    made = tessera.Simulation(drive="demo", workload="random-4k", limit="2k", settings={"nand.dies": 4})
    assert repr(made) == "Simulation(drive='demo', workload='random-4k', limit=2000, settings={'nand.dies': 4})"
    assert eval(repr(made), {"Simulation": Simulation}) == made
    check_shown(made)


def test_a_long_table_is_cut_and_says_where_the_rest_is():
    text = Card("Kind", "title", ["first"], [("a", "b")], [["name"], *([str(row)] for row in range(50))], ".all").text()
    assert len(text.splitlines()) == MOST_LINES and text.endswith("... 45 more in .all")
    assert "10 more in .all" in Card("Kind", "title", table=[["name"], *([str(row)] for row in range(50))], rest=".all").html()


def test_comparison_sweep_and_search_show_themselves_and_their_columns_concatenate(tmp_path):
    both = tessera.compare("demo", layers="cmr,mu-rmw", workload="random-4k", limit="200", fold=True, seeds="2", baselines="cmr")
    check_shown(both, "demo, workload random-4k, 2 layers, 2 seeds", "layer", "mu-rmw")
    one = tessera.compare("demo", layers="cmr", workload="random-4k", limit=100, fold=True)
    for frames in ((both.layers, one.layers), (both.runs, one.runs)):
        pl.concat(frames, how="diagonal")
        assert {frame.schema[name] for frame in frames for name in frame.columns} <= {pl.Float64, pl.String, pl.Int64}
        shared = set(frames[0].columns) & set(frames[1].columns)
        assert {name: frames[0].schema[name] for name in shared} == {name: frames[1].schema[name] for name in shared}
    assert both.ratios("cmr").schema["host.latency.mean.ratio.seeds"] == pl.Int64

    run = {"workload": "random-4k", "drive": "demo", "fold": True}
    first = tessera.sweep({"title": "first", "run": {**run, "limit": 100}, "axes": {"layer": ["cmr"], "nand.dies": ["2", "4"], "warmup": [10]}}, out=tmp_path / "a", jobs=1)
    second = tessera.sweep({"run": run, "axes": {"layer": ["mu-rmw", "nolayer"], "nand.dies": [2], "limit": ["100", "0.2k"], "warmup": ["auto"]}}, out=tmp_path / "b", jobs=1)
    results = [first.results, second.results]
    whole = pl.concat(results, how="diagonal")
    assert whole.height == 6
    assert whole.schema["axis.nand.dies"] == whole.schema["axis.limit"] == pl.Float64 and whole.schema["axis.warmup"] == pl.String
    assert whole["axis.limit"].drop_nulls().unique().sort().to_list() == [100, 200]
    figures = [name for name in whole.columns if name.startswith("host.")]
    assert figures and {whole.schema[name] for name in figures} == {pl.Float64}
    check_shown(first, "Sweep: first", "runs", "2", "nand.dies", "mean latency")
    check_shown(second, "2 runs failed (.failed says why)")

    plan = {
        "run": {**run, "limit": 50}, "axes": {"media.rpm": ["5400 rpm", "7200 rpm"]}, "objectives": {"host.latency.mean": "minimise", "cost": "minimise"},
        "cost": {"media": {"rpm": {"price": 1, "per": "rpm"}}}, "search": {"trials": 4, "batch": 2},
    }  # fmt: skip
    found = tessera.search(plan, out=tmp_path / "c", jobs=1)
    check_shown(found, "on the Pareto front", "media.rpm", "cost")
    assert found.trials.schema["cost"] == pl.Float64 and found.trials.schema["keeps"] == pl.Boolean and found.trials.schema["axis.media.rpm"] == pl.String


@pytest.mark.parametrize("value", [None, 1, 1.5, 0])
def test_the_type_of_a_figure_does_not_depend_on_its_value(value):
    frame = frame_of([{"key": "k", "exit_status": 0, "axis.nand.dies": 2, "axis.warmup": 10, "host.latency.p99": value}], {"nand.dies": True, "warmup": False})
    assert frame.schema == {"key": pl.String, "exit_status": pl.Int64, "axis.nand.dies": pl.Float64, "axis.warmup": pl.String, "host.latency.p99": pl.Float64}


def test_a_part_of_an_older_version_gets_the_declared_types(tmp_path):
    old = Sweep(tmp_path)
    old.begin({"axes": ["nand.dies"]}, ["a", "b"])
    old.add({"key": "a", "exit_status": 0, "axis.nand.dies": "4"})
    old.save()
    new = Sweep(tmp_path)
    new.begin({"axes": ["nand.dies"], "kinds": {"nand.dies": True}}, ["a", "b"])
    new.add({"key": "b", "exit_status": 0, "axis.nand.dies": 8})
    new.save()
    assert Sweep(tmp_path).results["axis.nand.dies"].to_list() == [4.0, 8.0]
    facts = json.loads((tmp_path / "sweep.json").read_text())
    (tmp_path / "sweep.json").write_text(json.dumps({**facts, "kinds": [1]}))
    with pytest.raises(tessera.InputError, match="sweep.json is damaged"):
        _ = Sweep(tmp_path).results


def test_intervals_are_floats_whatever_they_hold(tmp_path):
    (tmp_path / "intervals.csv").write_text("start_s,end_s,requests,mean_latency_ms\n0,1,3,\n1,2,0,\n")
    write_run(tmp_path, {})
    frame = tessera.Run(tmp_path).frames.intervals
    assert set(frame.schema.values()) == {pl.Float64} and frame["requests"].to_list() == [3, 0]
