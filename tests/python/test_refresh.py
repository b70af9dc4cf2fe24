"""Tracks next to a hot spot as a user meets them: lost without a refresh, kept with one, and settings that cannot go together."""

import json

import pytest
from simulate import run, simulate

HOT = ("--layer", "cmr", "--workload", "zipf-writes", "--limit", 6000, "--replay", "closed:4", "--check",
       "--set", "firmware.write_cache.capacity='0 B'", "--set", "media.interference_limit=200")


def test_a_hot_spot_loses_its_neighbours_without_a_refresh(tmp_path):
    said = simulate("run", "common", *HOT, "--out", tmp_path / "out", status=3)
    assert "found a read that fails" in said.stdout + said.stderr


@pytest.mark.parametrize("counters", ["track", "area"])
def test_a_refresh_in_time_keeps_them(tmp_path, counters):
    kept = run(tmp_path / "out", "common", *HOT, "--set", "firmware.refresh.threshold=60", "--set", f"firmware.refresh.counters={counters}")
    assert kept.metric("media.interference.spoilt") == 0
    assert kept.metric("refresh.tracks") > 0


@pytest.mark.parametrize("counters", ["track", "area"])
@pytest.mark.parametrize("layer", ["imr-rmw", "imr-cache", "shingled-in-place-124r3", "vguard", "fluid"])
def test_a_refresh_keeps_tracks_that_overlap(tmp_path, layer, counters):
    hot = ("common", "--layer", layer, *HOT[2:], "--out", tmp_path / "lost")
    lost = simulate("run", *hot, status=3)
    assert "found a read that fails" in lost.stdout + lost.stderr
    kept = run(tmp_path / "kept", *hot[:-2], "--set", "firmware.refresh.threshold=60", "--set", f"firmware.refresh.counters={counters}")
    assert kept.metric("media.interference.spoilt") == 0
    assert kept.metric("refresh.tracks") > 0 and kept.metric("refresh.failed") == 0


@pytest.mark.parametrize("layer", ["imr-rmw", "vguard"])
def test_a_cut_at_any_instant_of_a_refresh_loses_nothing(layer):
    words = ("--layer", layer, "--workload", "zipf-writes", "--operations", 60, "--cuts", 10, "--seed", 2, "--json",
             "--set", "media.interference_limit=80", "--set", "firmware.refresh.threshold=16")
    for row in json.loads(simulate("torture", "torture", *words).stdout):
        assert row["failures"] == 0


@pytest.mark.parametrize(("layer", "values", "sentence"), [
    ("cmr", ("firmware.refresh.threshold=15",), "firmware.refresh.threshold is 15; expected 0, or 16 to 32767"),
])
def test_what_cannot_be_refreshed_is_refused(layer, values, sentence):
    options = [word for value in values for word in ("--set", value)]
    assert sentence in simulate("check", "common", "--layer", layer, *options, status=2).stderr


def test_check_warns_where_a_refresh_comes_too_late():
    said = simulate("check", "common", "--layer", "cmr", "--set", "media.interference_limit=1000", "--set", "firmware.refresh.threshold=600",
                    "--set", "firmware.refresh.counters=area")
    assert "sectors are lost before; expected at most 499" in said.stdout + said.stderr


def test_check_says_that_counters_see_the_nearest_tracks_alone():
    words = ("check", "common", "--layer", "cmr", "--set", "media.interference_limit=1000", "--set", "firmware.refresh.threshold=60")
    said = simulate(*words, "--set", "media.interference_reach=3")
    assert "media.interference_reach is 3: sectors further away are lost; expected 1" in said.stdout + said.stderr
    said = simulate(*words)
    assert "media.interference_reach" not in said.stdout + said.stderr
