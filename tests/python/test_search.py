"""Searches: the front is what nothing beats, its descriptions run, and what was measured is not measured again."""

import numpy as np
import polars as pl
import pytest
from simulate import simulate
from typer.testing import CliRunner

import tessera
from tessera import InputError, Simulation
from tessera.cli import app
from tessera.evidence.family import judged_within
from tessera.evidence.front import front
from tessera.explore.prices import cost_of, prices_of
from tessera.explore.confirming import confirm
from tessera.explore.search_plan import search_plan_of
from tessera.explore.search_rows import Trial, measured
from tessera.figures.chart import heading
from tessera.figures.gallery import of_sweep
from tessera.reports import write_report

PLAN = {
    "title": "clock against cost",
    "run": {"workload": "zipf-writes", "limit": 300, "replay": "closed:8", "drive": "bare", "set": {"nand": {"channels": 1}}},
    "axes": {
        "layer": ["cmr", "mu-rmw"],
        "controller.clock": {"from": "20 MHz", "to": "320 MHz", "steps": 3, "scale": "log"},
        "dram.transfer_rate": {"from": "100 MHz", "to": "1600 MHz", "scale": "log"},
    },
    "objectives": {"host": {"latency": {"p99": "minimise"}}, "cost": "minimise"},
    "cost": {"fixed": 5, "controller": {"clock": {"price": 0.5, "per": "MHz"}}, "metadata.bytes": {"price": 2, "per": "MiB"}},
    "search": {"trials": 12, "batch": 4, "confirm": 0},
}


pytestmark = pytest.mark.usefixtures("the_built_simulator")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return tessera.search(PLAN, out=tmp_path_factory.mktemp("search"), jobs=2)


def test_the_front_is_of_all_that_was_measured_and_beats_the_rest(found):
    values = found.trials.select("host.latency.p99", "cost").to_numpy()
    assert front(values).tolist() == found.trials["front"].to_list()
    assert 0 < found.front.height < found.trials.height <= 12
    for beaten in values[~front(values)]:
        assert any((better <= 1.05 * beaten).all() for better in values[front(values)])


def test_a_description_of_the_front_is_a_drive_that_gives_what_it_says(found, tmp_path):
    assert len(found.descriptions) == found.front.height
    row = found.front.row(0, named=True)
    simulate("check", found.descriptions[0])
    again = tessera.run(found.descriptions[0], workload="zipf-writes", limit=300, replay="closed:8", out=tmp_path)
    assert again.metric("host.latency.p99") == row["host.latency.p99"]
    clock = float(row["axis.controller.clock"].split()[0])  # in MHz: the range is
    assert row["cost"] == pytest.approx(5 + 0.5 * clock + 2 * again.metric("metadata.bytes") / 2**20)


def test_a_repeated_search_finds_the_same_without_a_run(found, monkeypatch):
    def never(client, tasks, count=None):
        assert not list(tasks)
        return iter(())

    monkeypatch.setattr("tessera.explore.searching.placed", never)
    again = tessera.search(PLAN, out=found.sweep.folder, jobs=1)
    assert again.trials.equals(found.trials)


def test_designs_that_cannot_run_fail_and_the_search_goes_on(tmp_path):
    plan = {**PLAN, "axes": {"layer": ["cmr", "mu-rmw"], "nand.blocks": [0]}}
    found = tessera.search(plan, out=tmp_path, jobs=1)
    assert set(found.trials["axis.layer"]) == {"cmr"}
    assert found.sweep.failed["message"][0].startswith("the layer mu-rmw needs NAND flash")
    with pytest.raises(InputError, match="no design of the search could be measured; the first says: the layer mu-rmw needs NAND flash"):
        tessera.search({**plan, "axes": {"layer": ["mu-rmw"], "nand.blocks": [0]}}, out=tmp_path / "none", jobs=1)


def test_the_terminal_says_how_much_of_the_front_must_not_be_ranked(tmp_path):
    file = tmp_path / "plan.toml"
    for layer, few in (("mu-rmw", 1), ("cmr", 0)):
        file.write_text(f'[run]\nworkload = "random-4k"\nlimit = 50\n[axes]\nlayer = ["{layer}"]\n[objectives]\nhost.latency.p99 = "minimise"\n[search]\ntrials = 1\n')
        made = CliRunner().invoke(app, ["search", str(file), "--out", str(tmp_path / layer), "--jobs", "1"])
        assert made.exit_code == 0, made.output
        assert (f"! {few} of them must not be ranked, for the marks next to them" in made.output) == bool(few)
        assert ("(too short to compare" in made.output) == bool(few)


def test_a_cost_is_fixed_and_by_parameter_and_metric():
    simulation = Simulation(drive="bare", layer="mu-rmw", workload="random-4k", settings={"dram.capacity": "512 MiB"})
    prices = {"fixed": 1.0, "dram.capacity": {"price": 0.5, "per": "GiB"}, "nand.blocks": {"price": 0.001}, "energy.total": {"price": 2, "per": 10}}
    # 512 MiB of DRAM as set, 16384 blocks as the drive has them, 50 J of energy
    assert cost_of(prices, simulation, {"energy.total": 50.0}) == pytest.approx(1 + 0.25 + 16.384 + 10)
    assert cost_of(prices, simulation, {"energy.total": None}) is None


def test_parts_that_a_layer_leaves_idle_are_free():
    prices = {"nand.blocks": {"price": 0.001}, "firmware.write_cache.capacity": {"price": 1, "per": "MiB"}, "layers.mu_rmw.merge_buffer": {"price": 1, "per": "MiB"}}
    settings = {"nand.blocks": 1000, "firmware.write_cache.capacity": "4 MiB", "layers.mu_rmw.merge_buffer": "2 MiB"}
    cost = {layer: cost_of(prices, Simulation(drive="demo", layer=layer, workload="random-4k", settings=settings), {}) for layer in ("imr-rmw", "mu-rmw", "tessera")}
    # imr-rmw leaves the flash idle, tessera the drive's write cache, and the merge buffer is mu-rmw's alone.
    assert cost == {"imr-rmw": pytest.approx(4), "mu-rmw": pytest.approx(1 + 4 + 2), "tessera": pytest.approx(1)}


BRANCHED = {
    "run": {"workload": "zipf-writes", "limit": 200, "replay": "closed:8", "drive": "demo"},
    "axes": {"layer": ["imr-rmw", "mu-rmw"]},
    "branch": [{"where": {"layer": "mu-rmw"}, "axes": {"nand.blocks": [300, 384]}}],
    "objectives": {"host.latency.mean": "minimise", "cost_per_user_tb": "minimise", "energy.total": "minimise"},
    "cost": {"fixed": 1.0, "nand.blocks": {"price": 0.01}},
    "search": {"trials": 8, "batch": 4, "seeds": 2},
}


def test_a_branch_gives_an_axis_to_some_layers_alone_and_seeds_give_intervals(tmp_path):
    found = tessera.search(BRANCHED, out=tmp_path, jobs=2)
    blocks = dict(found.trials.group_by("axis.layer").agg(pl.col("axis.nand.blocks").drop_nulls().unique().sort()).rows())
    assert blocks["imr-rmw"] == [] and set(blocks["mu-rmw"]) <= {300, 384} and blocks["mu-rmw"]
    row = found.trials.filter(pl.col("axis.layer") == "imr-rmw").row(0, named=True)
    capacity = found.sweep.good.filter(pl.col("axis.layer") == "imr-rmw")["capacity.user"][0]
    assert row["cost_per_user_tb"] == pytest.approx(1.0 / (capacity / 1e12)) and row["energy.total"] > 0
    assert row["host.latency.mean.half_width"] > 0
    assert sorted(set(found.sweep.good["seed"])) == [1, 2]


def test_a_constraint_keeps_designs_off_the_front(tmp_path):
    plan = {**BRANCHED, "constraints": {"cost": "<= 1.5"}}  # idle flash is free
    found = tessera.search(plan, out=tmp_path, jobs=2)
    assert set(found.front["axis.layer"]) == {"imr-rmw"} and set(found.trials["axis.layer"]) == {"imr-rmw", "mu-rmw"}
    with pytest.raises(InputError, match="none of . designs keeps host.latency.mean <= 1e-06; the nearest: tessera run demo"):
        tessera.search({**BRANCHED, "constraints": {"host.latency.mean": "<= 0.000001"}}, out=tmp_path, jobs=2)


def test_flash_that_was_not_erased_does_not_live_for_ever(tmp_path):
    found = tessera.search({**BRANCHED, "constraints": {"nand.lifetime.years.worst_block": ">= 900"}}, out=tmp_path, jobs=2)
    marks = {row["axis.layer"]: row["marks"] for row in found.trials.iter_rows(named=True)}
    assert "not yet" in marks["mu-rmw"] and "not yet" not in marks["imr-rmw"]  # whose flash is idle


def test_what_may_be_on_the_front_runs_again_with_seeds_that_the_choice_had_not_seen(found, tmp_path):
    plan = {**PLAN, "search": {**PLAN["search"], "confirm": 60}}
    sure = tessera.search(plan, out=tmp_path, jobs=2)
    chosen = dict(found.trials.select("key", "host.latency.p99").rows())
    again = sure.trials.filter(pl.col("runs") > 1)
    assert set(sure.front["key"]) <= set(again["key"]) and again["runs"].is_in([4, 8]).all()
    assert sure.trials.filter(pl.col("runs") == 1).select("key", "host.latency.p99").rows() == [
        (key, chosen[key]) for key in sure.trials.filter(pl.col("runs") == 1)["key"]
    ]  # fmt: skip
    row = again.row(0, named=True)
    seeds = sure.sweep.good.filter(pl.all_horizontal(pl.col(name) == row[name] for name in row if name.startswith("axis.")))
    unseen = seeds.filter(pl.col("seed") > 1)
    assert unseen.height == row["runs"] and row["host.latency.p99"] == pytest.approx(unseen["host.latency.p99"].mean())
    assert sure.sweep.good.height == sure.trials.height + again["runs"].sum() <= 12 + 60
    assert sure.notes[0].startswith(f"{again.height} designs that may be on the front ran again with seeds that the choice had not seen: {again['runs'].sum()} runs of at most 60")
    assert set(sure.front["settled"]) <= {True, False} and sure.front["host.latency.p99.half_width"].null_count() == 0


def test_designs_are_compared_after_the_longest_warm_up(tmp_path):
    plan = {"run": {"drive": "demo", "workload": "oltp", "limit": 20_000, "fold": True, "prefill": 100}, "axes": {"layer": ["cmr", "imr-rmw"]},
            "objectives": {"host": {"latency": {"mean": "minimise"}}}, "search": {"trials": 4, "batch": 4, "confirm": 4}}  # fmt: skip
    made = tessera.search(plan, out=tmp_path, jobs=2)
    compared, part = made.sweep.compared()
    assert part is not None and made.notes[0] == f"latencies and throughput leave out the first 1/{part} of each run, the longest warm-up of all; other figures are of whole runs"
    for row in made.trials.iter_rows(named=True):
        rows = compared.filter((pl.col("axis.layer") == row["axis.layer"]) & (pl.col("seed") > (1 if row["runs"] > 1 else 0)))
        assert row["host.latency.mean"] == pytest.approx(rows["host.latency.mean"].mean())


def test_the_margin_of_a_front_is_the_users(found, tmp_path):
    made = tessera.search({**PLAN, "search": {**PLAN["search"], "margin": 50}}, out=tmp_path, jobs=2)
    assert made.sweep.margin == 50 and found.sweep.margin == 5
    values = made.trials.select("host.latency.p99", "cost").to_numpy()
    with judged_within(50):
        assert front(values).tolist() == made.trials["front"].to_list()
    with pytest.raises(InputError, match="judged within 50 %; 'tessera search' takes another"):
        write_report(tmp_path, margin=5)
    with pytest.raises(InputError, match="search: margin: expected a percentage above 0 and up to 50, found 0"):
        tessera.search({**PLAN, "search": {**PLAN["search"], "margin": 0}}, out=tmp_path)


def test_a_budget_that_ends_says_how_many_runs_would_go_on(tmp_path):
    few = tessera.search({**PLAN, "search": {**PLAN["search"], "confirm": 4}}, out=tmp_path, jobs=2)
    assert few.trials.filter(pl.col("runs") > 1)["runs"].sum() <= 4
    assert "the budget of 4 runs ended first: [search] confirm = " in few.notes[-1] and not few.front["settled"].all()


def test_a_recorded_trace_has_blocks_and_parts_and_no_seeds(tmp_path):
    plan = {
        "run": {"trace": "sample", "limit": 1000, "drive": "demo"}, "axes": {"layer": ["cmr", "imr-rmw"]}, "search": {"trials": 4, "batch": 2},
        "objectives": {"host.latency.mean": "minimise", "energy.total": "minimise"},
    }  # fmt: skip
    found = tessera.search(plan, out=tmp_path, jobs=2)
    assert set(found.sweep.good["seed"]) == {1}
    assert found.front["host.latency.mean.half_width"].null_count() == found.front["energy.total.half_width"].null_count() == 0
    assert found.notes[0].startswith("intervals: blocks of this recording, from this start; ") and found.notes[0].endswith(" ran again in parts")
    with pytest.raises(InputError, match="seeds: expected 1 with a recorded trace, found 4: seeds move the spindle only"):
        search_plan_of({**plan, "search": {"seeds": 4}})


def test_an_objective_that_only_some_layers_have_leaves_the_others_out(tmp_path):
    plan = {**BRANCHED, "objectives": {"nand.page_copies": "minimise", "host.latency.mean": "minimise"}, "axes": {"layer": ["cmr", "mu-rmw"]}, "search": {"trials": 6, "batch": 3, "confirm": 0}}
    assert set(tessera.search(plan, out=tmp_path, jobs=2).trials["axis.layer"]) == {"mu-rmw"}


def test_the_picture_of_a_front_knows_what_is_to_be_large_and_marks_what_hardly_cleaned(tmp_path):
    plan = {**BRANCHED, "objectives": {"nand.lifetime.years.worst_block": "maximise", "host.latency.mean": "minimise"}}
    found = tessera.search(plan, out=tmp_path, jobs=2)
    (chart,) = [chart for chart in of_sweep(found.sweep) if chart.name == "pareto"]
    assert sorted(chart.lines[-1].x) == sorted(found.front["nand.lifetime.years.worst_block"])
    assert max(chart.lines[-1].x) == 1000 and chart.x.label.endswith("more is better")
    marked = found.trials.filter(pl.col("marks").str.contains("too short")).height
    assert marked and "* not to be ranked" in heading(chart)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"constraints": {"cost": "cheap"}}, "constraint of cost: expected"),
        ({"branch": [{"where": {"nand.dies": 1}, "axes": {"nand.blocks": [1]}}]}, "unknown axis of this search 'nand.dies'"),
        ({"axes": {}}, "the search is empty: it has no axis"),
        ({"axes": {"controler.clock": ["20 MHz"]}}, "did you mean 'controller.clock'"),
        ({"objectives": {}}, "a search has [objectives]"),
        ({"objectives": {"cost": "minimize"}}, "unknown direction of an objective 'minimize'; did you mean 'minimise'?"),
        ({"cost": {}}, "the objective 'cost' needs a table [cost]"),
        ({"search": {"trails": 3}}, "unknown key of [search] 'trails'; did you mean 'trials'?"),
        ({"until": "5%"}, "expected METRIC:PERCENT"),
        ({"search": {"trials": "4"}}, "search: trials: expected a whole number of at least 1, found '4'"),
        ({"search": {"batch": 0}}, "search: batch: expected a whole number of at least 1, found 0"),
        ({"run": [{"workload": "zipf-writes"}]}, "run: expected a table [run], found [{"),
        ({"serach": {}}, "unknown section of a search 'serach'; did you mean 'search'?"),
    ],
)
def test_a_search_that_means_nothing_is_refused_in_a_sentence(changes, expected):
    with pytest.raises(InputError) as raised:
        search_plan_of({**PLAN, **changes})
    assert expected in str(raised.value)


@pytest.mark.parametrize(
    ("prices", "expected"),
    [
        ({"dram.capacty": {"price": 1, "per": "MiB"}}, "did you mean 'dram.capacity'"),
        ({"dram.capacity": {"price": 1, "per": "MHz"}}, "it is in B, the price is per MHz"),
        ({"dram.capacity": 3}, "expected { price = 0.01"),
        ({"dram.capacity": {"price": "dear"}}, "cost of dram.capacity: expected a price in numbers, found 'dear'"),
        ({"dram.capacity": {"price": 1, "pro": "MiB"}}, "unknown key of the cost of dram.capacity 'pro'"),
        ({"nand.blocks": {"price": 1, "per": 0}}, "expected a price per something above 0, found per = 0"),
        ({"fixed": "much"}, "cost of fixed: expected a price in numbers, found 'much'"),
    ],
)
def test_a_price_of_something_else_is_refused(prices, expected):
    with pytest.raises(InputError) as raised:
        cost_of(prices_of(prices), Simulation(drive="bare", workload="random-4k"), {})
    assert expected in str(raised.value)


def test_an_unknown_objective_has_its_nearest_name(tmp_path):
    plan = {**PLAN, "axes": {"layer": ["cmr"]}, "objectives": {"host.latency.p98": "minimise"}, "search": {"trials": 1}}
    with pytest.raises(InputError, match="unknown objective 'host.latency.p98'; did you mean 'host.latency.p9"):
        tessera.search(plan, out=tmp_path, jobs=1)


def test_the_front_leaves_out_what_is_beaten():
    assert front(np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 2.0], [2.0, 2.0]])).tolist() == [True, False, True, False]


def test_a_figure_that_not_every_run_has_is_that_of_the_runs_that_have_it():
    plan = search_plan_of({**PLAN, "objectives": {"host.latency.p99": "minimise"}, "cost": {}})
    simulation = Simulation(drive="bare", workload="random-4k")
    row = lambda seed, p99: {"exit_status": 0, "seed": seed, "host.latency.p99": p99}  # noqa: E731
    assert measured(plan, Trial({}, simulation, [row(1, 9.0)], [row(2, None), row(3, 7.0)]), "host.latency.p99").by_seed == {3: 7.0}
    assert measured(plan, Trial({}, simulation, [row(1, None)]), "host.latency.p99") is None
    trials = [Trial({}, simulation.but(seed=number), [row(1, 9.0 + number)]) for number in range(3)]
    lacking = confirm(plan, trials, lambda wanted: [row(run.seed, None) for _, run in wanted])
    assert set(lacking.places) == {0, 1, 2} and not lacking.places[0].settled
