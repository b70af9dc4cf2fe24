"""Capacity as published and as sold: no drive of the library holds less than the product that it names, and gains say what they rest on."""

import json

import pytest
from samples import REPOSITORY
from simulate import run, simulate

DRIVES = REPOSITORY / "platforms" / "drives"
# Of no product: what was drawn up for comparisons, classes of drives, and papers'.
OURS = {"bare", "common", "demo", "tlc", "torture", "imr-20tb"}
SECTOR = 512
# Blocks of 512 B by SFF-8447, or as the maker states them.
PUBLISHED = {
    "seagate-st8000as0002": 15_628_053_168, "seagate-st8000as0022": 15_628_053_168, "seagate-st5000as0011": 9_767_541_168,
    "seagate-st8000dm004": 15_628_053_168, "wd-wd40efax": 7_814_037_168,
    "seagate-st8000as0022-zones": 29_808 * (1 << 19), "cmr-24tb": 46_875_541_504, "dual-arm-14tb": 27_344_764_928, "dual-arm-18tb": 35_156_656_128,
    "zoned-28tb": 104_312 * (1 << 19), "hamr-32tb": 119_212 * (1 << 19), "hamr-32tb-cmr": 7_812_677_632 * 8,
}  # fmt: skip

BLOCKS = {"hp-c3323a": 2_056_008}  # exports all that its zones hold


def names():
    return [file.stem for file in sorted(DRIVES.rglob("*.toml"))]


def is_ours(name):
    return name in OURS or "-paper" in name or name.endswith("-mechanics")


def declared(name) -> dict:
    return {each["path"]: each["value"] for each in json.loads(simulate("list", "parameters", name, "--json").stdout)}


@pytest.mark.parametrize("name", [name for name in names() if not is_ours(name)])
def test_a_drive_holds_what_its_product_is_sold_with(name):
    parameters = declared(name)
    capacity = int(simulate("check", name, "--capacity").stdout)
    if name in PUBLISHED:
        assert parameters["published_capacity"].strip('"') != "0 B"
        assert capacity >= PUBLISHED[name] * SECTOR
        assert "published_capacity" not in simulate("check", name).stdout
    else:  # disks of the nineties, by their block count
        assert parameters["layer"] == '"cmr"'
        assert capacity == (int(parameters["media.exported_sectors"]) or BLOCKS[name]) * SECTOR


def test_check_says_by_how_much_a_drive_falls_short_of_its_product():
    short = simulate("check", "cmr-24tb", "--set", "media.exported_sectors=5859442000").stdout
    assert "warning: the layer cmr leaves the host 24000274432000 B, 2818048 B less than published_capacity" in short
    assert "published_capacity" not in simulate("check", "cmr-24tb").stdout
    assert "published_capacity" not in simulate("check", "seagate-st8000as0002", "--layer", "cmr", "--set", "media.exported_sectors=1000").stdout


GAINS = {("zoned-28tb", None): 1.17, ("hamr-32tb", None): 1.07, ("demo", "mu-rmw"): 1.17, ("demo", "hwsr"): 1.17, ("demo", "tessera"): 1.17}


@pytest.mark.parametrize(("drive", "layer"), GAINS)
def test_shingled_tracks_gain_what_sold_drives_do_less_what_guards_and_reserves_take(drive, layer, tmp_path):
    words = (drive, *(("--layer", layer) if layer else ()), "--workload", "random-4k", "--limit", 1, "--fold", "--prefill", 0)
    sold = run(tmp_path / "sold", *words)
    paper = run(tmp_path / "paper", *words, "--set", "media.shingled_gain=0")
    gain = GAINS[drive, layer]
    assert sold.metric("media.shingled_gain") == gain
    assert 0 < sold.metric("capacity.gain_vs_cmr") <= gain
    width = paper.metric("capacity.gain_vs_cmr") / sold.metric("capacity.gain_vs_cmr") * gain
    assert width == pytest.approx(round(width), abs=1e-9)
    assert paper.metric("capacity.user") == sold.metric("capacity.user")
    assert paper.metric("host.latency.mean") == sold.metric("host.latency.mean")
    assert paper.metric("cost.per_user_tb") < sold.metric("cost.per_user_tb")


@pytest.mark.parametrize(
    ("drive", "layer", "basis"),
    [("demo", "tessera", "(as sold)"), ("mu-rmw-paper", "mu-rmw", "(by the papers' formula)"), ("demo", "imr-rmw", "(assumed: media.density_gain)")],
)
def test_the_summary_says_what_the_gain_rests_on(drive, layer, basis, tmp_path):
    said = simulate("run", drive, "--layer", layer, "--workload", "random-4k", "--limit", 1, "--fold", "--prefill", 0, "--out", tmp_path / "out").stdout
    assert f"times that of conventional recording {basis}" in " ".join(said.split())


def test_a_conventional_drive_gains_nothing(tmp_path):
    assert run(tmp_path / "out", "bare", "--workload", "random-4k", "--limit", 1, "--prefill", 0).metric("capacity.gain_vs_cmr") == pytest.approx(1, abs=0.01)
