"""What is compared gets one workload: addresses fold at the smallest capacity among the layers or designs, and one line says so."""

import json

import pytest
import tessera
from simulate import run, simulate
from tessera.engine.simulation import Simulation
from tessera.explore.corners import corners
from tessera.explore.fold import _in_words, smallest_fold

LAYERS = ("cmr", "imr-rmw")  # of unlike capacity on this drive
DRIVE = "torture"


def capacity(layer, *settings):
    words = [word for setting in settings for word in ("--set", setting)]
    return int(simulate("check", DRIVE, "--layer", layer, "--capacity", *words).stdout)


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """As web_3 of the published traces: a volume a little larger than the smallest layer, most of it used, in MSR's format."""
    file = tmp_path_factory.mktemp("trace") / "web_3.csv"
    smallest, largest = sorted(capacity(layer) for layer in LAYERS)
    assert smallest < largest
    step = largest // 97 // 4096 * 4096
    rows = [f"{128166372003061629 + i * 100_000},web,3,{'Write' if i % 3 else 'Read'},{i * 37 % 97 * step},4096,100" for i in range(97)]
    file.write_text("\n".join(rows) + "\n")
    return file


def requested(folder):
    return [(int(record["lba"]), int(record["blocks"]), int(record["op"])) for record in sorted(tessera.Run(folder).requests, key=lambda record: record["number"])]


def test_layers_of_unlike_capacity_get_one_workload_and_a_note_says_so(tmp_path, trace):
    said = simulate("compare", DRIVE, "--layers", ",".join(LAYERS), "--trace", trace, "--fold", "--requests", "--out", tmp_path).stdout
    smallest = min(LAYERS, key=capacity)
    note = f"Addresses fold at {capacity(smallest):,} B for every design, the smallest capacity among them (layer {smallest}), so that all get one workload"
    assert f"note: {note}\n" in said.replace("\n    ", " ")
    assert note in json.loads((tmp_path / "compare.json").read_text())["comparison"]["notes"]
    assert requested(tmp_path / LAYERS[0] / "1") == requested(tmp_path / LAYERS[1] / "1")


def test_a_run_alone_folds_at_its_own_end(tmp_path, trace):
    for layer in LAYERS:
        run(tmp_path / layer, DRIVE, "--layer", layer, "--trace", trace, "--fold", "--requests")
    assert requested(tmp_path / LAYERS[0]) != requested(tmp_path / LAYERS[1])


def test_one_layer_folds_at_its_end_without_a_note(tmp_path, trace):
    said = simulate("compare", DRIVE, "--layers", "cmr", "--trace", trace, "--fold", "--out", tmp_path).stdout
    assert "Addresses fold" not in said


def test_the_filled_share_folds_alike_too(tmp_path, trace):
    words = ("--layers", ",".join(LAYERS), "--trace", trace, "--fold-prefilled", "--prefill", 50, "--requests")
    simulate("compare", DRIVE, *words, "--out", tmp_path)
    asked = requested(tmp_path / LAYERS[0] / "1")
    assert asked == requested(tmp_path / LAYERS[1] / "1")
    assert max(lba + blocks for lba, blocks, _ in asked) * 512 <= min(map(capacity, LAYERS)) // 2


def test_a_place_beyond_the_drive_is_refused(tmp_path, trace):
    refused = simulate("run", DRIVE, "--layer", "cmr", "--trace", trace, "--fold-at", "1 TiB", "--out", tmp_path, status=2).stderr
    assert f"--fold-at: expected a size from 4096 B (a sector) to {capacity('cmr')} B (what this drive holds), found 1099511627776 B" in refused


def test_the_designs_of_a_sweep_get_one_workload(tmp_path, trace):
    plan = {"run": {"drive": DRIVE, "trace": str(trace), "fold": True}, "axes": {"layer": list(LAYERS), "seed": [1, 2]}}
    made = tessera.sweep(plan, out=tmp_path, jobs=1)
    smallest = min(map(capacity, LAYERS))
    assert made.facts["fold"].startswith(f"Addresses fold at {smallest:,} B for every design, the smallest capacity among them (layer ")
    assert all(f'--fold-at "{smallest} B"' in command for command in made.good["command"])
    assert made.good["host.bytes_written"].n_unique() == 1


def test_a_sweep_over_what_leaves_the_capacity_alone_folds_at_the_drive_s_end(tmp_path, trace):
    plan = {"run": {"drive": DRIVE, "layer": "cmr", "trace": str(trace), "fold": True}, "axes": {"media.rpm": ["5400 rpm", "7200 rpm"]}}
    made = tessera.sweep(plan, out=tmp_path, jobs=1)
    assert "fold" not in made.facts and not any("--fold-at" in command for command in made.good["command"])


def test_a_search_folds_at_the_smallest_design_that_its_axes_hold():
    run_ = Simulation(drive=DRIVE, workload="random-4k", fold=True)
    fold = smallest_fold(run_.but(layer=point["layer"]) for point in corners({"layer": list(LAYERS), "limit": [1, 2]}, []))
    assert fold is not None and fold.at == min(map(capacity, LAYERS))
    both = smallest_fold(run_.but(layer=layer, settings={"media.rpm": rpm}) for layer in LAYERS for rpm in ("5400 rpm", "7200 rpm"))
    assert both is not None and both.design == f"layer {min(LAYERS, key=capacity)}"
    assert smallest_fold([run_.but(layer=layer, fold=False) for layer in LAYERS]) is None
    # Two designs are the smallest and share nothing that others have not: one of them is named, and never nobody.
    apart = [run_.but(layer="cmr", settings={"media.rpm": "5400 rpm"}), run_.but(layer="imr-rmw", settings={"media.rpm": "7200 rpm"})]
    assert _in_words(apart, [*apart, run_.but(layer="sblock", settings={"media.rpm": "5400 rpm"})]) == "for one layer cmr, media.rpm 5400 rpm"
