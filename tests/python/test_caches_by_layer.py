"""Every layer has one write buffer, its own or the drive's write cache; and how full a drive is when a run begins is part of its description."""

import pytest
from simulate import LAYERS, run, simulate

WITH_BUFFER = ("hwsr", "sblock", "tessera", "tessera-imr")
SHORT = ("--workload", "zipf-writes", "--replay", "closed:4", "--fold", "--limit", 200)
LARGER = ("--set", "firmware.write_cache.capacity=1 MiB")
SMALL = ("--set", "firmware.write_cache.capacity=64 KiB")  # that the dump area has room for both


@pytest.mark.parametrize("layer", LAYERS)
def test_the_drives_write_cache_is_in_front_of_layers_without_a_buffer_alone(layer, tmp_path):
    result = run(tmp_path, "common", "--layer", layer, *SHORT)
    assert (result.find("cache.destages") is None) == (layer in WITH_BUFFER)


@pytest.mark.parametrize("layer", WITH_BUFFER)
def test_a_write_cache_that_yields_costs_a_layer_nothing(layer, tmp_path):
    yielded = run(tmp_path / "yielded", "common", "--layer", layer, *SHORT)
    without = run(tmp_path / "without", "common", "--layer", layer, *SHORT, "--set", "firmware.write_cache.capacity=0 B")
    assert yielded.metric("host.latency.mean") == without.metric("host.latency.mean")
    both = run(tmp_path / "both", "common", "--layer", layer, *SHORT, *SMALL, "--set", "firmware.write_cache.yields=false")
    assert both.find("cache.destages") is not None


def test_what_is_set_of_a_write_cache_that_yields_is_said_to_be_without_effect():
    said = simulate("check", "common", "--layer", "tessera", *LARGER).stdout
    assert "firmware.write_cache.capacity: without effect, the layer tessera has a write buffer of its own" in said
    assert "without effect" not in simulate("check", "common", "--layer", "cmr", *LARGER).stdout
    yields = ("--set", "firmware.write_cache.yields=true")
    assert "yields: without effect, the layer cmr has no write buffer of its own" in simulate("check", "bare", "--layer", "cmr", *LARGER, *yields).stdout
    assert "yields: without effect, firmware.write_cache.capacity is 0 B" in simulate("check", "bare", "--layer", "sblock", *yields).stdout


def test_a_journal_that_the_layer_has_no_room_for_is_no_matter_where_the_cache_yields():
    journal = ("--set", "firmware.write_cache.durability=journal")
    assert "journal" in simulate("check", "common", "--layer", "imr-rmw", *journal, status=2).stderr
    simulate("check", "common", "--layer", "tessera-imr", *journal)


def test_a_drive_says_how_full_it_is_when_a_run_begins(tmp_path):
    def rewrites(name, *options):
        return run(tmp_path / name, "bare", "--layer", "imr-rmw", "--workload", "random-4k", "--fold", "--limit", 100, *options).metric("rmw.count")

    full = ("--set", "simulation.prefill=100")
    assert rewrites("empty") == 0
    assert rewrites("described", *full) == rewrites("asked", "--prefill", 100) > 0
    assert rewrites("emptied", *full, "--prefill", 0) == 0
    notes = run(tmp_path / "noted", "bare", "--workload", "random-4k", "--limit", 10, *full, "--prefill", 20).summary["run"]["notes"]
    assert "simulation.prefill: without effect, --prefill says how much of the drive holds data" in notes


def test_addresses_fold_into_the_share_that_the_drive_is_filled_to(tmp_path):
    folded = ("--workload", "random-4k", "--fold-prefilled", "--limit", 20, "--requests")
    run(tmp_path / "full", "common", *folded)
    refused = simulate("run", "bare", *folded, "--out", tmp_path / "empty", status=2).stderr
    assert "--fold-prefilled needs a drive that holds data at the start, and this one holds none: give --prefill PERCENT" in refused


IN_PLACE = {"cmr", "imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "vguard"} | {layer for layer in LAYERS if layer.startswith("shingled-in-place-")}
ZERO_LATENCY = ("--set", "firmware.read_cache.zero_latency=true")
ALL_OVER = ("--workload", "random-4k", "--replay", "closed:2", "--fold", "--limit", 300)


@pytest.mark.parametrize("layer", LAYERS)
def test_sectors_in_front_of_a_read_are_kept_where_the_layer_knows_them_and_elsewhere_a_note_says_why_not(layer, tmp_path):
    (note,) = [line for line in simulate("check", "common", "--layer", layer, *ZERO_LATENCY).stdout.splitlines() if "zero_latency" in line] or [""]
    kept = run(tmp_path, "common", "--layer", layer, *ALL_OVER, *ZERO_LATENCY).find("read_cache.early_sectors")
    if layer in IN_PLACE:
        assert kept > 0 and not note
    else:
        assert not kept and f"zero_latency: without effect, the layer {layer} does not know which sectors pass in front of a read, as layers do that keep" in note


def test_behind_registers_a_note_says_that_nothing_in_front_of_a_read_is_kept(tmp_path):
    registers = ("--set", "simulation.firmware_through=registers")
    said = simulate("check", "common", "--layer", "cmr", *ZERO_LATENCY, *registers).stdout
    assert "zero_latency: without effect, firmware behind registers cannot ask the disk channel for sectors in front of a read" in said
    assert not run(tmp_path, "common", "--layer", "cmr", *ALL_OVER, *ZERO_LATENCY, *registers).find("read_cache.early_sectors")


def test_flash_for_writes_does_not_hide_what_lies_in_front_of_a_read(tmp_path):
    flash = ("--set", "firmware.flash_cache.capacity=64 MiB", "--set", "firmware.flash_cache.use=writes")
    assert run(tmp_path, "common", "--layer", "imr-rmw", *ALL_OVER, *ZERO_LATENCY, *flash).metric("read_cache.early_sectors") > 0
