"""The file of a sweep: which runs it asks for, and what it refuses."""

import statistics

import pytest

from tessera import InputError
from tessera.explore import read_plan
from tessera.explore.keys import key_of
from tessera.explore.plan import plan_of

RUN = {"workload": "random-4k", "limit": 100}


pytestmark = pytest.mark.usefixtures("the_built_simulator")


def points(**sections):
    return [run.point for run in plan_of({"run": RUN, **sections}).runs()]


def test_a_grid_is_every_combination():
    assert points(axes={"layer": ["cmr", "pore"], "seed": [1, 2]}) == [
        {"layer": "cmr", "seed": 1}, {"layer": "cmr", "seed": 2}, {"layer": "pore", "seed": 1}, {"layer": "pore", "seed": 2},
    ]  # fmt: skip


def test_axes_of_a_zip_go_side_by_side_on_the_grid():
    made = points(axes={"seed": [1, 2]}, zip=[{"nand.dies": [1, 4], "nand.channels": [1, 2]}])
    assert made == [
        {"seed": seed, "nand.dies": dies, "nand.channels": channels} for seed in (1, 2) for dies, channels in ((1, 1), (4, 2))
    ]


def test_listed_points_multiply_with_the_grid():
    assert len(points(axes={"seed": [1, 2, 3]}, points=[{"layer": "cmr"}, {"layer": "pore", "nand.dies": 4}])) == 6


def test_a_branch_adds_axes_where_it_holds_and_a_skip_takes_points_away():
    made = points(
        axes={"layer": ["cmr", "fluid"], "seed": [1, 2]},
        branch=[{"where": {"layer": "fluid"}, "axes": {"layers.fluid.map_cache": ["64 KiB", "1 MiB"]}}],
        skip=[{"layer": ["cmr"], "seed": 2}],
    )
    assert [point for point in made if point["layer"] == "cmr"] == [{"layer": "cmr", "seed": 1}]
    assert len([point for point in made if point["layer"] == "fluid"]) == 4


def test_a_latin_hypercube_has_one_point_in_each_part_of_each_axis():
    made = points(latin={"samples": 10, "axes": {"controller.clock": {"from": "100 MHz", "to": "1000 MHz"}, "layer": ["cmr", "pore"]}})
    clocks = sorted(int(point["controller.clock"].split()[0]) for point in made)  # in Hz: nothing rounder holds them
    assert [int((clock - 100e6) / 90e6) for clock in clocks] == list(range(10))
    assert statistics.multimode(point["layer"] for point in made) == ["cmr", "pore"] or len({point["layer"] for point in made}) == 2
    assert made == points(latin={"samples": 10, "axes": {"controller.clock": {"from": "100 MHz", "to": "1000 MHz"}, "layer": ["cmr", "pore"]}})


def test_a_range_of_quantities_has_even_ratios():
    made = points(axes={"dram.capacity": {"from": "64 MiB", "to": "1 GiB", "steps": 5, "scale": "log"}})
    assert [point["dram.capacity"] for point in made] == ["64 MiB", "128 MiB", "256 MiB", "512 MiB", "1 GiB"]


def test_a_path_needs_no_quotes():
    assert points(axes={"nand": {"dies": [1, 4]}}) == [{"nand.dies": 1}, {"nand.dies": 4}]
    assert points(points=[{"nand": {"dies": 2}}], axes={"controller": {"clock": {"from": "1 GHz", "to": "2 GHz", "steps": 2}}})[1]["controller.clock"] == "2 GHz"


def test_options_and_parameters_of_a_point_go_over_those_of_all_runs():
    plan = plan_of({"run": {**RUN, "set": {"nand": {"dies": 2, "channels": 1}}}, "axes": {"nand.dies": [4], "limit": [50], "trace": ["a.csv"]}})
    (run,) = plan.runs()
    assert run.simulation.settings == {"nand.dies": 4, "nand.channels": 1}
    assert run.simulation.limit == 50
    assert run.simulation.workload is None and str(run.simulation.trace).endswith("a.csv")


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ({"axes": {"controler.clock": [1]}}, "unknown axis 'controler.clock'; did you mean 'controller.clock'?"),
        ({"axes": {"layr": ["cmr"]}}, "unknown axis 'layr'; did you mean 'layer'?"),
        ({"axis": {"layer": ["cmr"]}}, "unknown section of a sweep 'axis'; did you mean 'axes'?"),
        ({}, "the sweep is empty: it has no axis"),
        ({"axes": {"layer": []}}, "axis 'layer' has no values: the sweep would be empty"),
        ({"axes": {"seed": [1]}, "skip": [{"seed": 1}]}, "the sweep is empty: no combination of its axes is left"),
        ({"zip": [{"nand.dies": [1, 2], "seed": [1]}]}, "as many values each; nand.dies has 2, seed has 1"),
        ({"axes": {"seed": {"from": 1, "to": 3}}}, "a range on a grid has 'steps'"),
        ({"axes": {"dram.capacity": {"from": "1 MiB", "to": "3 ms", "steps": 3}}}, "of different units"),
        ({"axes": {"dram.capacity": {"from": "0 B", "to": "3 MiB", "steps": 3, "scale": "log"}}}, "lies above 0"),
        ({"latin": {"axes": {"seed": [1]}}}, "expected samples = N"),
        ({"axes": {"seed": [1]}, "until": "host.latency.pp98:5%"}, "unknown metric of --until 'host.latency.pp98'"),
        ({"axes": {"seed": [1.5]}}, "seed: expected a whole number from 0 to"),
        ({"axes": {"seed": ["one"]}}, "seed: expected a whole number from 0 to"),
        ({"axes": {"seed": [2**63]}}, "seed: expected a whole number from 0 to 9223372036854775807, found 9223372036854775808"),
        ({"axes": {"fold": ["no"]}}, "fold: expected true or false, found 'no'"),
        ({"axes": {"layer": [["cmr"]]}}, "axis 'layer': expected texts, numbers, true or false, found ['cmr']"),
        ({"axes": {"nand.dies": {"from": 1, "to": 9, "steps": 2_000_000_000}}}, "expected 2 to 1,000,000 steps, found 2000000000"),
        ({"run": {"limit": "all"}, "axes": {"seed": [1]}}, "limit: expected a whole number from 0"),
        ({"run": 5, "axes": {"seed": [1]}}, "run: expected a table [run], found 5"),
        ({"axes": {"seed": [1]}, "skip": [{"sed": 1}]}, "unknown axis of this sweep 'sed'; did you mean 'seed'?"),
        ({"axes": {"seed": [1]}, "branch": [{"where": {"layer": "cmr"}, "axes": {"nand.dies": [1]}}]}, "unknown axis of this sweep 'layer'"),
        ({"latin": {"samples": 3_000_000_000, "axes": {"seed": [1]}}}, "expected samples = N, up to 1,000,000"),
        ({"zip": {"nand.dies": [1], "seed": [1]}}, "zip: expected tables [[zip]], found a table"),
        ({"keep": "no", "axes": {"seed": [1]}}, "keep: expected true or false, found 'no'"),
        ({"run": {"limt": 3}, "axes": {"seed": [1]}}, "unknown option of a run 'limt'; did you mean 'limit'?"),
    ],
)
def test_a_sweep_that_means_nothing_is_refused_in_a_sentence(sections, expected):
    with pytest.raises(InputError) as raised:
        points(**sections)
    assert expected in str(raised.value)


def test_a_file_is_named_where_it_is_wrong(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("[axes\n")
    with pytest.raises(InputError, match="bad.toml: not valid TOML"):
        read_plan(file)


def simulation(**changes):
    (run,) = plan_of({"run": {**RUN, **changes}, "axes": {"seed": [1]}}).runs()
    return run.simulation


def test_a_key_changes_with_everything_that_a_result_depends_on(tmp_path, monkeypatch):
    trace, drive = tmp_path / "t.csv", tmp_path / "d.toml"
    trace.write_text("1,hm,0,Read,4096,4096,1\n")
    drive.write_text('extends = "common"\n')
    with_trace = simulation().but(workload=None, trace=str(trace))
    keys = [
        key_of(run)
        for run in (
            simulation(), simulation(limit=101), simulation(layer="pore"), simulation(set={"nand.dies": 2}), simulation().but(seed=2),
            simulation(workload="sequential"), with_trace,
        )
    ] + [key_of(simulation(), "host.latency.p99:5%")]  # fmt: skip
    own = simulation(drive=str(drive))
    assert len(set(keys)) == len(keys)
    assert key_of(simulation()) == keys[0] == key_of(own)  # the same drive by another name

    from tessera.explore import keys as module

    module.read_again()
    trace.write_text("1,hm,0,Write,4096,4096,1\n")
    drive.write_text('extends = "common"\n[nand]\ndies = 4\n')
    assert key_of(with_trace) not in keys
    assert key_of(own) not in keys
    monkeypatch.setattr(module, "simulator_digest", lambda: "another program")
    assert key_of(simulation()) not in keys


def test_a_workload_s_key_is_that_of_its_text_with_what_it_extends(tmp_path):
    from tessera.explore import keys as module

    base, own = tmp_path / "base.toml", tmp_path / "own.toml"
    base.write_text('law = "uniform"\nrequests = 100\n')
    own.write_text('extends = "base"\n')
    first = key_of(simulation(workload=str(own)))
    base.write_text('law = "uniform"\nrequests = 200\n')
    module.read_again()
    assert key_of(simulation(workload=str(own))) != first
