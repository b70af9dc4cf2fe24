"""The background medium scan as a user meets it: sectors that fade are moved before the host loses them, and the firmware's own come along."""

import pytest
from simulate import LAYERS, run, simulate

SCAN = ("--set", "firmware.media_scan.interval=1 h", "--set", "firmware.media_scan.minimum_idle=20 ms")
COLUMNS = "time=1:s,volume=2,offset=3:bytes,size=4:bytes,op=5:r=R,w=W"


def fading(tracks, sectors, ms):
    rows = ", ".join(f"[0, {track}, {sector}, {ms}]" for track in tracks for sector in sectors)
    return ("--set", f"media.grown_defects=[{rows}]", "--set", "media.grown_defect_notice=4000 h")


def slowly(folder, requests):
    """Writes, then reads of them: a request every half second."""
    trace = folder / "slowly.csv"
    trace.write_text("".join(f"{i * 0.5},0,{i * 7919 % 400 * 4096},4096,{'W' if i < requests // 2 else 'R'}\n" for i in range(requests)))
    return ("--trace", trace, "--columns", COLUMNS, "--replay", "timed")


def test_a_scan_moves_fading_sectors_before_the_host_loses_them(tmp_path):
    words = (*fading(range(26), (1,), 60_000), *slowly(tmp_path, 400), "--layer", "cmr")
    without = run(tmp_path / "without", "torture", *words, status=None)
    scanned = run(tmp_path / "with", "torture", *words, *SCAN, "--check")
    assert without.metric("defects.uncorrectable") > 0
    assert scanned.metric("defects.uncorrectable") == 0
    assert scanned.metric("media_scan.moved") >= 20
    assert scanned.metric("media_scan.passes") == 1


@pytest.mark.parametrize("layer", LAYERS)
def test_what_a_scan_moves_is_found_after_a_cut(tmp_path, layer):
    """Of any region: data, logs with headers, and tables of the firmware's own bytes."""
    words = (*fading(range(0, 256, 2), range(4), 4_000_000_000), *slowly(tmp_path, 200), "--layer", layer, "--set", "media.spare_tracks=64")
    moved = run(tmp_path / "out", "torture", *words, *SCAN, "--cut-at", "90 s", "--check")
    assert moved.metric("media_scan.moved") > 300


def test_a_drive_without_spare_tracks_is_not_scanned():
    said = simulate("check", "torture", "--layer", "cmr", *SCAN, "--set", "media.spare_tracks=0", status=2)
    assert "has no spare tracks for what a scan finds: set media.spare_tracks to 1 or more, or the interval to 0" in said.stderr
