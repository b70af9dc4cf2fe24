"""Results as rows of one metric each, and as arrays over their axes, with units."""

import math
import sys

import polars as pl
import pytest

import tessera
from tessera.explore.dataset import Sweep
from tessera.results.long_form import as_xarray, long_form

pytestmark = pytest.mark.usefixtures("the_built_simulator")
ROWS = pl.DataFrame({"layer": ["a", "a", "b"], "size": [1.0, 2.0, 1.0], "x": [1, 2, 3], "y": [None, 5.0, 6.0]})
UNITS = {"x": "1", "y": "ms", "elsewhere": "J"}


def test_a_row_is_a_metric_of_a_run_and_has_its_unit():
    found = long_form(ROWS, ["layer", "size"], UNITS)
    assert found.rows() == [("a", 1.0, "x", 1.0, "1"), ("a", 2.0, "x", 2.0, "1"), ("a", 2.0, "y", 5.0, "ms"), ("b", 1.0, "x", 3.0, "1"), ("b", 1.0, "y", 6.0, "ms")]
    assert long_form(ROWS, ["layer"], UNITS, ["y"])["unit"].to_list() == ["ms", "ms"]


def test_its_types_are_the_same_whatever_the_values():
    undefined = long_form(ROWS.head(1), ["layer", "size"], UNITS, ["y"])
    assert undefined.height == 0 and undefined.schema == long_form(ROWS, ["layer", "size"], UNITS).schema


def test_an_unknown_metric_has_a_neighbour():
    with pytest.raises(tessera.InputError, match="unknown metric 'elsewhere'"):
        long_form(ROWS, ["layer"], UNITS, ["elsewhere"])


def test_an_array_has_a_coordinate_for_each_axis_and_nan_where_no_run_is():
    pytest.importorskip("xarray")
    found = as_xarray(ROWS, ["layer", "size"], UNITS)
    assert found.x.dims == ("layer", "size") and found.x.attrs == {"units": "1"} and found.y.attrs == {"units": "ms"}
    assert found.x.sel(layer="b", size=1.0) == 3 and math.isnan(found.x.sel(layer="b", size=2.0)) and math.isnan(found.y.sel(layer="a", size=1.0))


@pytest.mark.parametrize(
    ("rows", "said"),
    [(ROWS.with_columns(size=pl.Series([1.0, None, 1.0])), "axis size: 1 of 3 runs have none"), (pl.concat([ROWS, ROWS.head(1)]), "two runs are at one place of layer, size")],
    ids=["an axis that a run lacks", "two runs at one place"],
)
def test_what_is_no_array_is_told(rows, said):
    pytest.importorskip("xarray")
    with pytest.raises(tessera.InputError, match=said):
        as_xarray(rows, ["layer", "size"], UNITS)


def test_without_the_package_its_name_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(tessera.InputError, match=r"pip install 'tessera\[xarray\]'"):
        as_xarray(ROWS, ["layer", "size"], UNITS)


PLAN = {"run": {"workload": "random-4k", "limit": 200}, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2]}}


def test_a_sweep_keeps_the_units_of_all_that_it_measured(tmp_path):
    made = tessera.sweep(PLAN, out=tmp_path / "one", jobs=1)
    run = tessera.run("common", layer="cmr", workload="random-4k", limit=200)
    assert made.units["host.latency.mean"] == "ms" and dict(run.frames.metrics.select("name", "unit").rows()).items() <= made.units.items()
    assert made.long("host.served").rows() == [(layer, seed, "host.served", 200.0, "1") for layer in ("cmr", "imr-rmw") for seed in (1.0, 2.0)]
    more = tessera.sweep({**PLAN, "axes": {"layer": ["cmr", "imr-rmw", "fluid"], "seed": [1, 2]}}, out=tmp_path / "one", jobs=1)
    assert made.units.items() <= more.units.items() and tessera.sweep(PLAN, out=tmp_path / "one", jobs=1).units == more.units


def test_a_sweep_without_units_says_how_to_get_some(tmp_path):
    old = Sweep(tmp_path)
    old.begin({"axes": ["layer"]}, ["1"])
    old.add({"key": "1", "exit_status": 0, "axis.layer": "cmr", "host.served": 1.0})
    old.save()
    with pytest.raises(tessera.InputError, match="kept no units: the same command with another --out"):
        old.long()


def test_a_comparison_has_both_forms(tmp_path):
    pytest.importorskip("xarray")
    made = tessera.compare("common", layers=("cmr", "imr-rmw"), workload="random-4k", limit=200, seeds=2, jobs=1)
    assert made.long("host.served").rows() == [(layer, seed, "host.served", 200.0, "1") for layer in ("cmr", "imr-rmw") for seed in (1, 2)]
    assert made.xarray("host.latency.mean")["host.latency.mean"].sel(layer="imr-rmw", seed=2) == made.run("imr-rmw", 2).metric("host.latency.mean")
