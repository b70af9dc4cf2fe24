"""The volatile write cache at host-managed zones: the figures of real disks, reads that stay as they were, and what a power cut may take."""

import json

import pytest
from simulate import run, simulate

WORKLOAD = """summary = "writes into zones"
law = "{law}"
requests = 8000
write_share = 1.0
alignment = "{size} KiB"
write_sizes = [[{bytes}, 1]]
zonemode = "zbd"
"""
OUTER = 'first = "280 GiB"\n'


def workload(tmp_path, law, size, more=""):
    path = tmp_path / "writes.toml"
    path.write_text(WORKLOAD.format(law=law, size=size, bytes=size << 10) + more)
    return str(path)


@pytest.mark.parametrize(
    ("law", "size", "more", "depth", "published", "requests"),
    [
        ("sequential", 256, OUTER, 8, 246 / 0.262144, 8000),
        ("uniform", 256, "", 16, 160, 4000),
        ("uniform", 512, OUTER + "[zbd]\nmax_open_zones = 4\n", 8, 132 / 0.524288, 4000),
        ("uniform", 512, OUTER + "[zbd]\nmax_open_zones = 4\n", 4, 150 / 0.524288, 4000),
    ],
    ids=["in order", "at random", "eight writers in four zones", "four streams"],
)
def test_writes_come_out_as_on_a_real_host_managed_disk(tmp_path, law, size, more, depth, published, requests):
    folder = run(tmp_path, "zoned-28tb", "--workload", workload(tmp_path, law, size, more), "--limit", str(requests), "--replay", f"closed:{depth}", "--prefill", "0")
    assert folder.metric("host.throughput") == pytest.approx(published, rel=0.15)


def test_a_write_at_a_time_is_as_fast_as_eight(tmp_path):
    rates = [
        run(tmp_path / depth, "zoned-28tb", "--workload", workload(tmp_path, "sequential", 256, OUTER), "--limit", "4000", "--replay", f"closed:{depth}", "--prefill", "0").metric("host.throughput")
        for depth in ("1", "8")
    ]
    assert rates[0] == pytest.approx(rates[1], rel=0.05)


@pytest.mark.parametrize("depth", ["1", "8"])
def test_reads_are_as_fast_with_the_cache_as_without(tmp_path, depth):
    reads = tmp_path / "reads.toml"
    reads.write_text('summary = "reads"\nlaw = "uniform"\nrequests = 500\nwrite_share = 0.0\nalignment = "256 KiB"\nread_sizes = [[262144, 1]]\nzonemode = "zbd"\nfirst = "280 GiB"\n')
    rates = [
        run(tmp_path / size[0], "zoned-28tb", "--workload", str(reads), "--replay", f"closed:{depth}", "--set", f"layers.zoned.write_cache={size}").metric("host.throughput") for size in ("64 MiB", "0 B")
    ]
    assert rates[0] == pytest.approx(rates[1], rel=0.002)


def test_the_cache_is_off_where_no_drive_asks_for_it(tmp_path):
    folder = run(tmp_path, "bare", "--layer", "zoned", "--set", "layers.zoned.zone=16 MiB", "--prefill", "0", "--workload", "sequential", "--limit", "50")
    assert not [name for name in folder.summary["metrics"] if name.startswith("zones.cache")]


@pytest.mark.parametrize("faults", [(), ("--faults", "torn")])
def test_a_cut_takes_the_unflushed_ends_of_zones_and_nothing_else(faults):
    words = ("torture", "torture", "--layer", "zoned", "--durability", "none", "--operations", "30", "--cuts", "20", "--set", "layers.zoned.write_cache=64 KiB")
    for row in json.loads(simulate(*words, *faults, "--json").stdout):
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 40


@pytest.mark.parametrize("layer", ["zoned", "zoned:log", "zoned:lsm", "zoned:dmz"])
def test_hosts_flush_where_they_need_it(layer):
    words = ("torture", "torture", "--campaign", "--layer", layer, "--runs", "60", "--seed", "11", "--json", "--set", "layers.zoned.write_cache=256 KiB")
    conventional = ("--set", "layers.zoned.conventional=0.12") if layer == "zoned:dmz" else ()
    assert json.loads(simulate(*words, *conventional).stdout)["all"]["failures"] == 0
