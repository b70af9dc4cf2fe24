"""Layers of the user's own in the commands that make many runs: their parameters are axes, and their results are kept by the library's content."""

import json
import subprocess

import pytest
from samples import REPOSITORY
from simulate import simulate
from typer.testing import CliRunner

from tessera import InputError, compare, run, search, sweep
from tessera.cli import app
from tessera.engine.libraries import fitted, layers, parameters
from tessera.engine.simulation import Simulation
from tessera.explore import read_plan
from tessera.explore.keys import digest_of_firmware
from tessera.explore.sweep import keyed
from tessera.explore.worker import Task, work

pytestmark = pytest.mark.usefixtures("the_built_simulator")
HEADER = REPOSITORY / "platforms" / "plugin"
RUN = {"drive": "torture", "workload": "random-4k", "fold": True, "limit": 60}


def tessera(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def built(folder, name, *options):
    """A library out of the template."""
    done = tessera("new-layer", name, "--plug-in", "c", "--out", folder / name, "--unit", 2, *options)
    assert done.exit_code == 0, done.output
    return compiled(folder, name)


def compiled(folder, name, *options):
    library = folder / f"{name}.so"
    subprocess.run(["cc", "-std=c11", "-O1", "-shared", "-fPIC", *options, "-I", HEADER, folder / name / "layer.c", "-o", library], check=True)
    return library


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with two libraries."""
    folder = tmp_path_factory.mktemp("own")
    built(folder, "mine")
    built(folder, "other-one", "--tracks", "interlaced", "--unit", 3)
    return folder


PLAN = """
[run]
drive = "torture"
workload = "random-4k"
fold = true
limit = 60
firmware = ["mine.so", "other-one.so"]
[axes]
layer = ["mine", "imr-rmw", "other-one"]
[[branch]]
where = { layer = "mine" }
axes = { "layers.mine.unit_tracks" = [2, 4] }
"""


def planned(place, text=PLAN):
    (place / "plan.toml").write_text(text)
    return place / "plan.toml"


def test_a_sweep_takes_layers_of_its_own_next_to_those_of_the_tree(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # libraries are named as seen from the file
    made = sweep(planned(place), out=tmp_path / "out", jobs=1)
    assert made.failed.height == 0
    rows = {(row["axis.layer"], row["axis.layers.mine.unit_tracks"]): row for row in made.good.iter_rows(named=True)}
    assert set(rows) == {("mine", 2.0), ("mine", 4.0), ("imr-rmw", None), ("other-one", None)}
    assert rows["mine", 2.0]["media.sectors_written.total"] < rows["mine", 4.0]["media.sectors_written.total"]
    assert "other-one.so" in rows["other-one", None]["command"] and "--firmware" not in rows["imr-rmw", None]["command"]
    assert rows["mine", 2.0]["rmw.count"] > 0


def test_a_library_that_is_built_again_makes_its_runs_stale_and_no_others(tmp_path):
    built(tmp_path, "mine")
    built(tmp_path, "other-one")
    plan = planned(tmp_path)
    before = keyed(read_plan(plan))
    compiled(tmp_path, "mine")
    assert set(keyed(read_plan(plan))) == set(before)  # the same content in another file
    compiled(tmp_path, "mine", "-g")
    stale = [run.point["layer"] for key, run in keyed(read_plan(plan)).items() if key not in before]
    assert stale == ["mine", "mine"]


def test_builds_of_a_library_are_an_axis(tmp_path):
    for name, options in (("one", ()), ("two", ("--tracks", "interlaced", "--unit", 3))):
        (tmp_path / name).mkdir()
        built(tmp_path / name, "mine", *options)
    text = PLAN[: PLAN.index("firmware")] + '[axes]\nfirmware = ["one/mine.so", "two/mine.so"]\n"layers.mine.unit_tracks" = [3, 5]\n'
    made = sweep(planned(tmp_path, text), out=tmp_path / "out", jobs=1)
    assert sorted(made.good["axis.firmware"].to_list()) == ["one/mine.so"] * 2 + ["two/mine.so"] * 2
    assert made.good["host.latency.mean"].n_unique() == 4


WRONG = {
    ("unit_tracks", "unit_trakcs"): "plan.toml: unknown axis 'layers.mine.unit_trakcs'; did you mean 'layers.mine.unit_tracks'?",
    ("mine.so", "mime.so"): "mime.so: there is no such file; did you mean '",
    ('["mine", ', '["mien", '): "plan.toml: unknown layer 'mien'; did you mean 'mine'?",
    ("[2, 4]", "[2, 14]"): None,  # a value out of range is the run's own failure
}


@pytest.mark.parametrize("change", WRONG)
def test_what_a_plan_names_wrongly_is_said_with_the_nearest_name(place, tmp_path, change):
    done = tessera("sweep", planned(place, PLAN.replace(*change)), "--out", tmp_path / "out", "--jobs", 1)
    if WRONG[change] is None:
        assert done.exit_code == 1 and "between 1 and 13" in done.stdout
    else:
        assert done.exit_code == 2 and WRONG[change] in done.stderr and done.stderr.count("\n") == 1


def test_a_layer_that_two_libraries_have_is_refused(place, tmp_path):
    twin = tmp_path / "mine.so"
    twin.write_bytes((place / "mine.so").read_bytes())
    with pytest.raises(InputError, match=r"the layer 'mine' is in .*mine.so and in .*mine.so: leave one of them out"):
        fitted(Simulation(workload="any", layer="mine", firmware=(str(place / "mine.so"), str(twin))))


def test_a_parameter_of_a_library_s_layer_is_left_out_where_another_layer_runs(place):
    libraries = (str(place / "mine.so"), str(place / "other-one.so"))
    settings = {"layers.mine.unit_tracks": 4, "layers.other_one.unit_tracks": 5, "media.rpm": "5400 rpm"}
    more = ("--firmware-patience", "3", "--age", "26w")
    of = {layer: fitted(Simulation(workload="any", layer=layer, firmware=libraries, settings=settings, more=more)) for layer in ("mine", "cmr", "zoned:log")}
    assert (of["mine"].firmware, list(of["mine"].settings)) == (libraries[:1], ["layers.mine.unit_tracks", "media.rpm"])
    assert (of["cmr"].firmware, list(of["cmr"].settings)) == ((), ["media.rpm"])
    assert of["zoned:log"].firmware == () and (of["mine"].more, of["cmr"].more) == (more, more[2:])


def test_a_search_chooses_among_a_library_s_parameters(place, tmp_path):
    table = {
        "run": {**RUN, "firmware": str(place / "mine.so")}, "axes": {"layer": ["mine"], "layers.mine.unit_tracks": {"from": 2, "to": 5}},
        "objectives": {"host.latency.mean": "minimise"}, "search": {"trials": 4, "batch": 2},
    }  # fmt: skip
    found = search(table, out=tmp_path / "out", jobs=1)
    assert found.trials["axis.layers.mine.unit_tracks"].is_between(2, 5).all()
    assert f"# run it with --firmware {place / 'mine.so'}" in found.descriptions[0].read_text()


def test_a_question_takes_a_layer_of_one_s_own(place, tmp_path):
    words = ("ask", "what-if", "--firmware", place / "mine.so", "--layer", "mine", "--drive", "torture", "--on", "random-4k", "--metric", "mean", "--requests", 60)
    done = tessera(*words, "--change", "layers.mine.unit_tracks=4", "--out", tmp_path / "out", "--jobs", 1, "--json")
    assert done.exit_code == 0, done.output
    means = [design["mean"] for design in json.loads(done.stdout)["designs"]]
    assert means[0] < means[1]
    wrong = tessera(*words, "--change", "layers.mine.unit_trakcs=4", "--out", tmp_path / "out")
    assert wrong.exit_code == 2 and "did you mean 'layers.mine.unit_tracks'?" in wrong.stderr
    assert "unknown layer 'mine'" in tessera("ask", "layer", "--layer", "mine,cmr").stderr


def test_a_comparison_takes_several_libraries_and_each_run_loads_its_own(place, tmp_path):
    both = compare("torture", layers=("mine", "imr-rmw", "other-one"), firmware=(str(place / "mine.so"), str(place / "other-one.so")), out=tmp_path,
                   **{name: value for name, value in RUN.items() if name != "drive"}, settings={"layers.mine.unit_tracks": 4})  # fmt: skip
    assert both.layers["status"].to_list() == ["ok"] * 3
    loaded = {layer: both.run(layer).summary["run"].get("firmware") for layer in ("mine", "imr-rmw", "other-one")}
    assert loaded == {"mine": "mine.so", "imr-rmw": None, "other-one": "other-one.so"}


def test_a_run_in_python_names_its_library(place, tmp_path):
    made = run("torture", firmware=place / "mine.so", out=tmp_path / "run", **{name: value for name, value in RUN.items() if name != "drive"})
    assert made.summary["run"]["layer"] == "mine" and made.metric("host.write.cause.rmw") > 0


ARRAY = """
[array]
kind = "mirror"
[[drive]]
description = "torture"
firmware = "mine.so"
[drive.settings.layers.mine]
unit_tracks = 3
[[drive]]
description = "torture"
layer = "cmr"
"""


def test_an_array_has_layers_of_its_own_by_drive(place, tmp_path):
    (place / "array.toml").write_text(ARRAY)
    words = ("array", place / "array.toml", "--workload", "random-4k", "--limit", 60, "--fold-at", "1 MiB", "--prefill", 0, "--check")
    simulate(*words, "--out", tmp_path)
    read = {entry["name"]: entry["role"] for entry in json.loads((tmp_path / "summary.json").read_text())["inputs"]}
    assert read[str(place / "mine.so")] == "firmware"
    written = [json.loads((tmp_path / f"drive-{number}" / "summary.json").read_text())["metrics"]["media.sectors_written.total"]["value"] for number in (0, 1)]
    assert written[0] > 10 * written[1]
    for wrong, said in ((("mine.so", "mien.so"), "array.toml:4: drive.firmware: "), (("unit_tracks", "unit_trakcs"), "did you mean 'layers.mine.unit_tracks'?")):
        (place / "array.toml").write_text(ARRAY.replace(*wrong))
        assert said in simulate(*words, "--out", tmp_path, status=2).stderr


def test_a_worker_refuses_a_library_that_is_not_the_planned_one(place):
    simulation = fitted(Simulation(**RUN, layer="mine", firmware=str(place / "mine.so")))
    planned_with = digest_of_firmware(simulation)
    assert work(Task("key", simulation.record(), {}, _simulator(), firmware=planned_with))["exit_status"] == 0
    row = work(Task("key", simulation.record(), {}, _simulator(), firmware="0" * 64))
    assert row["exit_status"] == 1 and "is not what it was when the run was planned" in row["message"]


def _simulator():
    from tessera.engine.simulator import simulator_digest

    return simulator_digest()


def test_what_is_listed_of_the_tree_stays_as_it_is_with_a_library(place):
    library = (str(place / "mine.so"),)
    assert set(layers(library)) - set(layers()) == {"mine"}
    assert {path for path in parameters(library) if path not in parameters()} == {f"layers.mine.{name}" for name in ("tracks", "unit_tracks", "durability", "buffer")}


def test_a_campaign_with_a_library_is_of_its_layer_and_draws_its_parameters(place):
    done = json.loads(simulate("torture", "torture", "--firmware", place / "mine.so", "--campaign", "--runs", 12, "--json").stdout)
    assert set(done["layers"]) == {"mine"} and done["all"]["failures"] == 0 and done["all"]["cuts"] > 10
