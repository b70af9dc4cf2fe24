"""Drives whose tracks go another way than by cylinder, as a whole."""

import pytest
from simulate import run, simulate

TURN = 60 / 7200  # seconds
SECTORS, SURFACES, SERPENT = 250, 4, 20
MOVE, SWITCH, BACK = 35, 25, 48  # skews in sectors; BACK is 1.6 ms
DRIVE = {
    "surfaces": SURFACES,
    "tracks": 2000,
    "sectors_per_track": SECTORS,
    "track_skew": SWITCH,
    "cylinder_skew": MOVE,
    "head_switch": "0.7 ms",
    "seek_curve": "[[1, 1.0], [2000, 12]]",
    "track_order": "serpentine",
    "serpent_tracks": SERPENT,
    "serpent_skew": "1.6 ms",
}
READS = 'summary = "reads in order"\nlaw = "sequential"\nrequests = 4000\nwrite_share = 0.0\nalignment = "128 KiB"\nread_sizes = [[131072, 1]]\n'


def settings(**others):
    return [word for key, value in (DRIVE | others).items() for word in ("--set", f"media.{key}={value}")]


def seconds(folder, **others) -> float:
    workload = folder / "reads.toml"
    workload.write_text(READS)
    done = run(folder / "run", "bare", "--layer", "cmr", "--workload", workload, "--replay", "queue:8", *settings(**others), "--requests")
    return int(done.requests["completion"].max()) / 1e12


def test_reads_in_order_get_what_serpents_let_pass(tmp_path):
    tracks = 4000 * 32 / SECTORS
    skew = (SURFACES * (SERPENT - 1) * MOVE + (SURFACES - 1) * SWITCH + BACK) / (SURFACES * SERPENT)
    assert seconds(tmp_path) == pytest.approx(tracks * TURN * (1 + skew / SECTORS), rel=0.01)


def test_a_serpent_without_skew_costs_most_of_a_turn(tmp_path):
    folders = [tmp_path / "with", tmp_path / "without"]
    for folder in folders:
        folder.mkdir()
    lost = (seconds(folders[1], serpent_skew="0 s") - seconds(folders[0])) / TURN
    assert 3 < lost < 6  # of six serpents


def test_a_serpent_that_does_not_fit_is_refused():
    refused = simulate("check", "bare", "--layer", "cmr", *settings(serpent_tracks=30), status=2)
    assert "serpent_tracks: 30 does not divide the 2000 tracks of the zone of radius 0" in refused.stderr
