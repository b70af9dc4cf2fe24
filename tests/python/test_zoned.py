"""A zoned disk: what it says of itself, what it refuses before and in a run, and that no power cut takes what it promised."""

import json

import pytest
from simulate import run, simulate

SMALL = ("--set", "layers.zoned.zone=16 MiB", "--prefill", "0")


def test_the_list_says_which_layers_have_zones():
    zoned = [layer["name"] for layer in json.loads(simulate("list", "layers", "--json").stdout) if layer["zones"]]
    assert zoned == ["zoned", "host-aware"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["zone=1000001 B"], "a zone of 1000001 bytes is no whole number of sectors of 4096 bytes"),
        (["max_open=8", "max_active=7"], "max_active 7 is less than max_open 8"),
        (["max_open=0"], "max_open"),
        (["zone=60 GiB"], "the drive has room for"),
    ],
)
def test_zones_that_cannot_be_are_refused_before_the_run(settings, sentence):
    words = [word for setting in settings for word in ("--set", f"layers.zoned.{setting}")]
    assert sentence in simulate("check", "bare", "--layer", "zoned", *words, status=2).stderr


def test_a_flash_cache_for_writes_is_refused_and_a_write_cache_yields():
    flash = simulate("check", "bare", "--layer", "zoned", "--set", "firmware.flash_cache.capacity=1 GiB", "--set", "firmware.flash_cache.use=both", status=2)
    assert "set firmware.flash_cache.use to reads" in flash.stderr
    cache = simulate("check", "bare", "--layer", "zoned", "--set", "firmware.write_cache.capacity=1 MiB")
    assert "in their order" in cache.stdout + cache.stderr


def test_sequential_writes_fill_zone_after_zone(tmp_path):
    folder = run(tmp_path, "bare", "--layer", "zoned", *SMALL, "--workload", "sequential", "--limit", "2000", "--replay", "closed:8", "--check")
    assert folder.metric("host.served") == 2000
    assert folder.metric("zones.chains") < 2000  # writes that continue each other go together
    assert folder.metric("gauge.zones.open.peak") <= 2


def test_random_writes_are_refused_by_name(tmp_path):
    folder = run(tmp_path, "bare", "--layer", "zoned", *SMALL, "--set", "layers.zoned.conventional=0", "--workload", "random-4k", "--limit", "200", "--fold", status=1)
    assert folder.metric("host.failed.unaligned write command") + folder.metric("host.served") == 200


@pytest.mark.parametrize("faults", [(), ("--faults", "torn")])
def test_a_cut_at_any_instant_keeps_what_was_promised(faults):
    rows = json.loads(simulate("torture", "torture", "--layer", "zoned", "--durability", "none", "--operations", "30", "--cuts", "20", *faults, "--json").stdout)
    for row in rows:
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 40
        assert row["in_a_row"] > 0
