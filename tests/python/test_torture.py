"""The tool that cuts the power everywhere: it finds what is lost, tells how to see it again, and finds nothing where nothing is."""

import json
import shlex

import pytest
from simulate import simulate

FEW = ("--operations", "12", "--cuts", "12")
# Without its backup a zone that is rewritten in place is lost with the power: unsafe by design, as its authors have it.
UNSAFE = ("--layer", "fluid", "--durability", "none", "--prefill", "50", "--set", "layers.fluid.crash_safe=false",
          "--set", "layers.fluid.merge_buffer=256 KiB", "--operations", "250", "--cuts", "30")


@pytest.mark.parametrize("layer", ["imr-dtm", "sblock", "amphisbaena"])
def test_nothing_is_lost_wherever_the_power_fails(layer):
    rows = json.loads(simulate("torture", "torture", "--layer", layer, *FEW, "--json").stdout)
    assert {row["durability"] for row in rows} >= {"plp", "volatile", "none"}
    for row in rows:
        assert row["failures"] == 0
        assert row["operations"] >= 12
        assert row["cuts"]["replay"] >= 24
        assert row["in_a_row"] > 0


def test_a_torn_sector_excuses_itself_alone():
    rows = json.loads(simulate("torture", "torture", "--layer", "cmr", *FEW, "--faults", "torn", "--json").stdout)
    assert [row["failures"] for row in rows] == [0] * 4


@pytest.mark.parametrize("layer", ["cmr", "hwsr", "mu-rmw", "fluid", "tessera", "tessera-imr"])
def test_a_dump_that_fails_and_a_torn_sector_at_one_cut_lose_what_the_dump_alone_loses(layer):
    [row] = json.loads(simulate("torture", "torture", "--layer", layer, "--durability", "plp", *FEW, "--faults", "dump", "--faults", "torn", "--json").stdout)
    assert row["failures"] == 0


def test_a_face_that_is_unsafe_by_design_is_found_to_lose_data_and_one_command_shows_it_again():
    [row] = json.loads(simulate("torture", "torture", *UNSAFE, "--json", status=1).stdout)
    assert row["failures"] > 0
    loss = row["told"][0]
    again = shlex.split(loss["again"])
    assert again[0] == "tessera-sim"
    [repeated] = json.loads(simulate(*again[1:], "--json", status=1).stdout)
    assert repeated["told"][0]["messages"] == loss["messages"]


def test_what_a_layer_does_not_offer_is_refused():
    told = simulate("torture", "torture", "--layer", "fluid", "--durability", "journal", *FEW, status=2).stderr
    assert "journal" in told
    assert "--faults" in simulate("torture", "torture", "--faults", "fire", status=2).stderr


def test_what_was_set_in_vain_is_told_once_and_before_anything_is_tortured():
    asked = ("--set", "simulation.prefill=50", "--set", "simulation.caches=used", "--set", "layers.fluid.merge_buffer=256 KiB")
    told = simulate("torture", "torture", "--layer", "cmr", "--durability", "plp", *FEW, *asked).stderr.splitlines()
    assert told == [
        "note: layers.fluid.merge_buffer: without effect, the layer is cmr",
        "note: simulation.prefill: without effect, torture says how much of the drive holds data (--prefill)",
        "note: simulation.caches: without effect, torture begins with empty caches",
    ]
    # Of all layers one has it; a write cache's size counts with the durabilities that have one.
    assert simulate("torture", "torture", "--layer", "imr-dtm", "--durability", "plp", *FEW, "--set", "firmware.write_cache.capacity=64 KiB").stderr == ""
    campaign = ("torture", "torture", "--campaign", "--runs", "1", "--layer", "cmr")
    assert simulate(*campaign, *asked).stderr.count("note: simulation.") == 2
    assert simulate(*campaign, "--set", "layers.fluid.merge_buffer=256 KiB").stderr == ""
