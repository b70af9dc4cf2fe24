"""What --places writes: each track's and each block's share of the work, held against the totals that the parts report."""

import csv

from simulate import run, simulate


def rows(file):
    with open(file, newline="") as opened:
        return list(csv.DictReader(opened))


def test_a_track_has_what_was_read_and_written_on_it(tmp_path):
    # Two writes of 1 and 2 sectors of 4 KiB and a read of 1, on the first track of the conventional layer: one media step each.
    trace = tmp_path / "three.csv"
    trace.write_text("0,web,0,Write,0,4096,0\n1000000,web,0,Write,4096,8192,0\n2000000,web,0,Read,0,4096,0\n")
    made = run(tmp_path / "out", "common", "--layer", "cmr", "--trace", trace, "--places")
    expected = {"radius": "0", "surface": "0", "region": "data", "reads": "1", "writes": "2", "sectors_read": "1", "sectors_written": "3"}
    assert rows(made.folder / "tracks.csv") == [expected]


def test_the_tracks_sum_to_what_the_media_counted_and_the_blocks_to_what_the_flash_did(tmp_path):
    made = run(tmp_path, "demo", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--prefill", 100, "--limit", 15000, "--places")
    tracks, blocks = rows(tmp_path / "tracks.csv"), rows(tmp_path / "blocks.csv")
    for kind in ("read", "written"):
        found = sum(int(row[f"sectors_{kind}"]) for row in tracks if row["region"] == "bands")
        assert found == made.metric(f"media.sectors_{kind}.bands") > 0  # boot does not touch them
    erases = [int(row["erases"]) for row in blocks]
    assert sum(erases) == made.metric("nand.erases") > 0
    assert (min(erases), max(erases)) == (made.metric("nand.wear.min"), made.metric("nand.wear.max"))
    assert {(row["channel"], row["die"], row["bad"]) for row in blocks} == {("0", "0", "0")}


def test_a_drive_without_flash_has_no_blocks_and_the_next_run_none_of_the_last(tmp_path):
    words = ("run", "common", "--layer", "cmr", "--workload", "random-4k", "--limit", 50, "--out", tmp_path)
    simulate(*words, "--places", "--set", "nand.blocks=0")
    assert (tmp_path / "tracks.csv").exists() and not (tmp_path / "blocks.csv").exists()
    simulate(*words)
    assert not (tmp_path / "tracks.csv").exists()
