"""What --places writes: each track's and each block's share of the work, held against the totals that the parts report, and how full bands are."""

import csv

import pytest
from simulate import run, simulate


def rows(file):
    with open(file, newline="") as opened:
        return list(csv.DictReader(opened))


def test_a_track_has_what_was_read_and_written_on_it(tmp_path):
    # Two writes of 1 and 2 sectors of 4 KiB and a read of 1, on the first track of the conventional layer: one media step each.
    trace = tmp_path / "three.csv"
    trace.write_text("0,web,0,Write,0,4096,0\n1000000,web,0,Write,4096,8192,0\n2000000,web,0,Read,0,4096,0\n")
    made = run(tmp_path / "out", "bare", "--layer", "cmr", "--trace", trace, "--places")
    expected = {"radius": "0", "surface": "0", "region": "data", "reads": "1", "writes": "2", "sectors_read": "1", "sectors_written": "3"}
    assert rows(made.folder / "tracks.csv") == [expected]


def test_the_tracks_sum_to_what_the_media_counted_and_the_blocks_to_what_the_flash_did(tmp_path):
    made = run(tmp_path, "demo", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--prefill", 100, "--limit", 15000, "--places", "--set", "firmware.read_cache.segments=0")
    tracks, blocks = rows(tmp_path / "tracks.csv"), rows(tmp_path / "blocks.csv")
    for kind in ("read", "written"):
        found = sum(int(row[f"sectors_{kind}"]) for row in tracks if row["region"] == "bands")
        assert found == made.metric(f"media.sectors_{kind}.bands") > 0  # boot does not touch them
    erases = [int(row["erases"]) for row in blocks]
    assert sum(erases) == made.metric("nand.erases") > 0
    assert (min(erases), max(erases)) == (made.metric("nand.wear.min"), made.metric("nand.wear.max"))
    assert {(row["channel"], row["die"], row["bad"]) for row in blocks} == {("0", "0", "0")}


def test_a_drive_without_flash_has_no_blocks_and_the_next_run_none_of_the_last(tmp_path):
    words = ("run", "bare", "--layer", "cmr", "--workload", "random-4k", "--limit", 50, "--out", tmp_path)
    simulate(*words, "--places", "--set", "nand.blocks=0")
    assert (tmp_path / "tracks.csv").exists() and not (tmp_path / "blocks.csv").exists()
    simulate(*words)
    assert not (tmp_path / "tracks.csv").exists()


BANDED = ("skylight-flash", "pore", "mu-rmw", "skylight-disk", "fluid", "fluid-loop", "amphisbaena", "media-cache", "tessera")
NO_BUFFER = ("--set", "layers.tessera.buffer=0 B", "--set", "firmware.write_cache.capacity=0 B")  # what is held in DRAM would count as cached


def last_levels(file):
    """The last line of each band."""
    return {int(row["band"]): row for row in rows(file)}


@pytest.mark.parametrize("layer", BANDED)
def test_the_bands_say_what_is_cached_of_them_and_what_is_written_again_counts_once(layer, tmp_path):
    # Two sectors of 4 KiB at the begin of the drive, of which the first is written again, and one sector 8 GiB behind.
    trace = tmp_path / "four.csv"
    writes = ((0, 8192), (0, 4096), (8 << 30, 4096))
    trace.write_text("".join(f"{at * 10**7},web,0,Write,{offset},{size},0\n" for at, (offset, size) in enumerate(writes)))
    made = run(tmp_path / "out", "demo", "--layer", layer, "--trace", trace, "--prefill", 100, "--places", "--intervals", "1 s", *NO_BUFFER)
    levels = last_levels(made.folder / "bands.csv")
    cached = {band: int(row["cached"]) for band, row in levels.items() if row["cached"] != "0"}
    first, second = sorted(cached)
    assert (first, cached[first], cached[second]) == (0, 2, 1)
    in_front = (8 << 30) // 4096 - sum(int(levels[band]["sectors"]) for band in range(second))  # sectors of the second one's band that lie in front of it
    assert 0 <= in_front < int(levels[second]["sectors"])
    assert all(row["held"] == row["sectors"] for band, row in levels.items() if band < second)


def test_a_sector_in_the_log_and_newer_in_flash_is_cached_once(tmp_path):
    trace = tmp_path / "two.csv"
    trace.write_text("0,web,0,Write,0,524288,0\n10000000,web,0,Write,4096,4096,0\n")  # 128 sectors to the log, then one of them to flash
    made = run(tmp_path / "out", "demo", "--layer", "tessera", "--trace", trace, "--prefill", 0, "--places", "--intervals", "1 s", *NO_BUFFER)
    assert (made.metric("flash.past"), made.metric("flash.written")) == (128, 1)
    assert sum(int(row["cached"]) for row in last_levels(made.folder / "bands.csv").values()) == 128


def test_the_bands_of_a_zone_buffer_sum_to_its_gauges(tmp_path):
    words = ("--workload", "web-server", "--fold", "--limit", 3000, "--prefill", 50, "--replay", "closed:8", "--places", "--intervals", "100 requests")
    made = run(tmp_path, "demo", "--layer", "fluid", *words)
    levels = last_levels(tmp_path / "bands.csv").values()
    assert sum(int(row["cached"]) for row in levels) == made.metric("gauge.buffer.used_slots.last") > 0
    assert sum(int(row["held"]) for row in levels) == made.metric("gauge.zones.written_sectors.last") > 0


def test_a_layer_without_bands_writes_no_levels_of_them(tmp_path):
    words = ("run", "demo", "--workload", "random-4k", "--limit", 50, "--intervals", "1 s", "--places", "--out", tmp_path)
    simulate(*words, "--layer", "fluid")
    assert (tmp_path / "bands.csv").exists()
    simulate(*words, "--layer", "imr-rmw")
    assert not (tmp_path / "bands.csv").exists()
