"""tessera calibrate: costs of the firmware's operations out of the cycles of its images."""

import itertools
import json
import re
import tomllib

import numpy as np
import pytest
from images import build_layer
from simulate import run, simulate
from typer.testing import CliRunner

from tessera import InputError, Run
from tessera.calibration.fit import fit
from tessera.calibration.least_squares import non_negative
from tessera.calibration.measurement import LAYER_ALONE, WARM_UP, WORKLOADS, Measurement, checked, costs_of
from tessera.calibration.report import write_measured_costs
from tessera.cli import app
from tessera.commands.calibrate import PAGE
from tessera.results.marked_section import marked_section

pytestmark = pytest.mark.usefixtures("the_built_simulator")

BEFORE = {"command": 280, "completion": 120, "interrupt": 80, "submit": 80, "hash": 60, "tree_level": 20}
TRUE = {"command": 900, "completion": 410, "interrupt": 233, "submit": 1187, "hash": 77, "tree_level": 5}


def measurements(rows):
    """What costs of TRUE would take, for counts by operation."""
    for number, row in enumerate(rows):
        counts = dict(zip(BEFORE, map(float, row), strict=True))
        cycles = sum(TRUE[name] * times for name, times in counts.items())
        yield Measurement(f"layer{number // 4}", f"workload{number % 4}", 1000, counts, 0.0, cycles, cycles)


def test_the_fit_finds_the_costs_that_made_the_cycles():
    found = fit(list(measurements(np.random.default_rng(1).integers(1, 5000, (12, 6)))), BEFORE)
    assert found.costs == TRUE
    assert found.never == found.together == ()


def test_what_is_never_performed_keeps_its_cost_and_what_always_comes_together_is_divided_as_before():
    counts = np.random.default_rng(2).integers(1, 5000, (12, 6))
    counts[:, 1] = counts[:, 0]  # completions: as many as commands
    counts[:, 4] = 0             # hashes: none
    runs = list(measurements(counts))
    found = fit(runs, BEFORE)
    assert found.never == ("hash",)
    assert found.together == (("command", "completion"),)
    # 900 + 410 cycles, divided as 280 to 120: 917 and 393.
    assert found.costs == TRUE | {"command": 917, "completion": 393, "hash": 60}
    assert found.residual(runs) == pytest.approx(0, abs=1e-12)


def test_a_residual_is_the_excess_of_the_costs_over_the_image():
    (one,) = measurements([(10, 10, 10, 10, 10, 10)])
    halved = fit([one], BEFORE)
    double = Measurement(one.layer, one.workload, one.requests, one.operations, 0.0, 2 * one.cycles, one.instructions)
    assert halved.residual([double]) == pytest.approx(-0.5, rel=0.01)


def test_non_negative_least_squares_against_every_choice_of_unknowns_that_are_not_zero():
    draw = np.random.default_rng(3)
    bound = 0
    for _ in range(60):
        matrix, target = draw.normal(size=(7, 4)), draw.normal(size=7)
        found = non_negative(matrix, target)
        assert (found >= 0).all()
        bound += (found == 0).any()
        best = np.linalg.norm(target)
        for free in (list(choice) for size in range(1, 5) for choice in itertools.combinations(range(4), size)):
            solved = np.linalg.lstsq(matrix[:, free], target, rcond=None)[0]
            if (solved >= 0).all():
                best = min(best, np.linalg.norm(matrix[:, free] @ solved - target))
        assert np.linalg.norm(matrix @ found - target) == pytest.approx(best, rel=1e-9)
    assert bound > 20  # the bound was met, and often


def summary(folder, requests, errors):
    metrics = {"host.requests": requests, "scoreboard.errors": errors}
    text = {"schema": 1, "run": {}, "metrics": {name: {"value": value, "unit": "1", "description": ""} for name, value in metrics.items()}}
    (folder / "summary.json").write_text(json.dumps(text))
    return Run(folder)


@pytest.mark.parametrize(("requests", "errors"), [(99, 0), (100, 1)])
def test_a_run_that_went_wrong_is_no_measurement(tmp_path, requests, errors):
    with pytest.raises(InputError, match="nothing to calibrate with"):
        checked(summary(tmp_path, requests, errors), 100)


def test_a_run_that_went_right_is_one(tmp_path):
    assert checked(summary(tmp_path, 100, 0), 100).metric("host.requests") == 100


def costs_on_the_page():
    """Estimate and measured cost by operation, as docs/developers/calibration.md has them."""
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    return {name: (int(estimate), int(measured)) for name, estimate, measured in rows}


def cycles_of_an_operation(folder, *settings):
    """Of those that a short run performed, by name."""
    settings = [word for setting in settings for word in ("--set", f"controller.costs.{setting}")]
    one = run(folder, "demo", "--layer", "mu-rmw", "--workload", "random-4k", "--fold", "--limit", "300", *settings)
    clock = 500e6  # of the drive `demo`
    counts = {name: one.metric(f"cpu.by_operation.{name}.count") for name in costs_on_the_page()}
    return {name: one.metric(f"cpu.by_operation.{name}.time") * 1e-3 * clock / count for name, count in counts.items() if count}


def test_linked_firmware_is_priced_by_the_page_s_measured_costs_or_as_the_source_says(tmp_path):
    page = costs_on_the_page()
    assert len(page) == 17
    estimated = cycles_of_an_operation(tmp_path / "estimated", "source=estimated")
    measured = cycles_of_an_operation(tmp_path / "measured")
    assert len(estimated) > 10 and len(measured) > 10
    assert estimated == pytest.approx({name: page[name][0] for name in estimated})
    assert measured == pytest.approx({name: page[name][1] for name in measured})
    assert set(cycles_of_an_operation(tmp_path / "none", "source=none").values()) == {0}


@pytest.mark.parametrize("source", ["measured", "estimated", "none"])
def test_a_cost_that_is_named_counts_beside_the_others_of_the_source(tmp_path, source):
    of_source = cycles_of_an_operation(tmp_path / "source", f"source={source}")
    named = cycles_of_an_operation(tmp_path / "named", "submit=7", f"source={source}")
    assert named["submit"] == pytest.approx(7)
    assert of_source["submit"] != pytest.approx(7)
    del named["submit"], of_source["submit"]
    assert named == pytest.approx(of_source)


def test_the_description_that_a_run_writes_has_its_costs_and_reads_back_to_them(tmp_path):
    words = ("--layer", "cmr", "--workload", "random-4k", "--limit", "50", "--requests")
    first = run(tmp_path / "first", "demo", *words, "--set", "controller.costs.source=estimated", "--set", "controller.costs.lock=9")
    again = run(tmp_path / "again", tmp_path / "first" / "drive.toml", *words)
    costs = [costs_of(one) for one in (first, again)]
    assert costs[0] == costs[1] == {name: estimate for name, (estimate, _) in costs_on_the_page().items()} | {"lock": 9}
    assert (first.folder / "requests.npy").read_bytes() == (again.folder / "requests.npy").read_bytes()


def test_linked_firmware_and_its_image_agree_in_cpu_time(tmp_path):
    """Within 15 % a layer, all workloads together, as docs/developers/calibration.md says of every layer."""
    image = build_layer("cmr")
    linked = on_image = 0.0
    for workload in WORKLOADS:
        words = ("demo", "--layer", "cmr", "--workload", workload, "--fold", "--replay", "closed:8", "--warmup", WARM_UP, "--limit", WARM_UP + 500, *LAYER_ALONE)
        one = run(tmp_path / f"{workload}-linked", *words)
        linked += sum(one.metric(f"cpu.by_operation.{name}.time") for name in costs_of(one)) * 1e-3
        on_image += run(tmp_path / f"{workload}-image", *words, "--elf", image).metric("processor.cycles") / 500e6
    assert linked == pytest.approx(on_image, rel=0.15)


def test_a_list_of_measured_costs_is_written_over_the_one_that_is_there(tmp_path):
    listed, record = tmp_path / "costs.def", tmp_path / "calibration.json"
    listed.write_text("// what it is\nMEASURED_COST(command, 1)\n")
    record.write_text(json.dumps({"costs": {"measured": {"command": 2, "lock": 30}}}))
    write_measured_costs(listed, record)
    assert listed.read_text() == "// what it is\nMEASURED_COST(command, 2)\nMEASURED_COST(lock, 30)\n"


def calibrate(*words):
    return CliRunner().invoke(app, ["calibrate", *map(str, words)], env={"COLUMNS": "200"})


def test_an_image_that_is_not_built_is_named_with_what_builds_it(tmp_path):
    result = calibrate("cmr", "--images", tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert f"there is no image {tmp_path}/cmr-rv64imac.elf; './dev firmware cmr' builds it" in result.stderr
    assert not (tmp_path / "out").exists()


def test_an_unknown_layer_and_an_unknown_workload_are_refused(tmp_path):
    result = calibrate("imr-rwm", "--out", tmp_path)
    assert result.exit_code == 2
    assert "unknown layer 'imr-rwm'; did you mean 'imr-rmw'?" in result.stderr
    build_layer("cmr")
    result = calibrate("cmr", "--workloads", "webserver", "--out", tmp_path)
    assert result.exit_code == 2
    assert "web-server" in result.stderr


def test_the_costs_that_ship_are_judged_by_an_image_and_nothing_is_fitted(tmp_path):
    build_layer("cmr")
    result = calibrate("cmr", "--judge", "--requests", 500, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "1 of 1 layers are within 15 % of their image" in result.output
    record = json.loads((tmp_path / "calibration.json").read_text())
    assert record["costs"]["measured"] == record["costs"]["before"] == {name: measured for name, (_, measured) in costs_on_the_page().items()}
    assert abs(record["residuals"]["cmr"]) < 0.15
    assert not (tmp_path / "costs.toml").exists()


def test_a_judgement_goes_to_its_own_part_of_the_page_and_leaves_the_costs(tmp_path, monkeypatch):
    build_layer("cmr")
    page, costs = tmp_path / "calibration.md", tmp_path / "costs.def"
    page.write_text(PAGE.read_text())
    costs.write_text("as they were")
    monkeypatch.setattr("tessera.commands.calibrate.PAGE", page)
    monkeypatch.setattr("tessera.commands.calibrate.MEASURED_COSTS", costs)
    fitted = marked_section(page, "tessera calibrate --page")
    result = calibrate("cmr", "--judge", "--page", "--requests", 100, "--workloads", "random-4k", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    judged = marked_section(page, "tessera calibrate --judge --page")
    assert judged.startswith("100 requests of each of `random-4k` on `demo`") and "| `cmr` |" in judged and "1 of 1 layers" in judged
    assert marked_section(page, "tessera calibrate --page") == fitted
    assert costs.read_text() == "as they were"


def test_two_layers_calibrated(tmp_path):
    for layer in ("cmr", "imr-rmw"):
        build_layer(layer)
    result = calibrate("cmr", "imr-rmw", "--requests", 100, "--workloads", "web-server,random-4k", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    for word in ("cmr", "imr-rmw", "ratio", "CPI", "tree_level", "performed nowhere, kept", "layers are within 15 % of their image"):
        assert word in result.output, word

    record = json.loads((tmp_path / "calibration.json").read_text())
    runs = record["measurements"]
    assert [(one["layer"], one["workload"]) for one in runs] == [
        (layer, f"{workload}, {depth} at a time")
        for layer in ("cmr", "imr-rmw")
        for workload in ("web-server", "random-4k")
        for depth in (1, 8)
    ]
    before, measured = record["costs"]["before"], record["costs"]["measured"]
    for one in runs:
        assert one["requests"] == 100
        assert one["operations"]["completion"] == pytest.approx(100, abs=8)
        assert one["operations"]["array"] >= 90  # one a request: an image's are not counted
        assert one["table_cycles"] == sum(before[name] * times for name, times in one["operations"].items())
        assert one["fit_cycles"] == sum(measured[name] * times for name, times in one["operations"].items())
        assert one["cycles"] > 0.9 * one["instructions"] > 0  # none takes less than a cycle, but for those of the report, which take no time
    for layer, residual in record["residuals"].items():
        its = [one for one in runs if one["layer"] == layer]
        assert residual == pytest.approx(sum(one["fit_cycles"] for one in its) / sum(one["cycles"] for one in its) - 1)
    for name in record["costs"]["never"]:
        assert measured[name] == before[name]

    text = (tmp_path / "costs.toml").read_text()
    assert tomllib.loads(text)["controller"]["costs"] == measured
    assert "# measured: GCC " in text and ", -O2, rv64imac, 8 runs" in text
    simulate("check", tmp_path / "costs.toml", "--layer", "imr-rmw")
    simulate("check", "bare", "--set", f"controller.costs.command={measured['command']}")
