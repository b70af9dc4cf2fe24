"""Spin-up, idle and parked states of a drive as a user meets them."""

import itertools

import pytest
from simulate import run, simulate
from test_age import MACHINE, WORKLOAD

from tessera.waves.dump import Dump

PARKS = ("power_conditions.idle_b_after=1 s", "power_conditions.idle_b_power=3 W", "power_conditions.standby_after=6 s", "power_conditions.standby_recovery=9 s")


def settings(*values):
    return tuple(word for value in values for word in ("--set", f"media.{value}"))


def seldom(folder, *arguments, layer="cmr", mean="4 s"):
    folder.mkdir()
    (folder / "w.toml").write_text(WORKLOAD.format(mean=mean))
    return run(folder / "out", "demo", "--layer", layer, "--workload", folder / "w.toml", *arguments)


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw"])
def test_rests_change_no_figure_of_a_drive_that_parks(tmp_path, layer):
    cuts = ("--cut-at", "500 s", *settings("power_conditions.spin_up_at_power_on=true"))
    whole = seldom(tmp_path / "whole", *settings(*PARKS), *cuts, layer=layer).summary["metrics"]
    rested = seldom(tmp_path / "rested", *settings(*PARKS), *cuts, "--set", "simulation.rest_after=0 s", layer=layer).summary["metrics"]
    assert {name: rested[name] for name in rested if name not in MACHINE} == {name: whole[name] for name in whole if name not in MACHINE}
    assert whole["media.spin_ups"]["value"] > 1


def test_the_next_request_pays_for_spindle_and_heads(tmp_path):
    reads = ("--set", "firmware.write_cache.capacity=0 B")
    turning = seldom(tmp_path / "turning", *reads)
    parked = seldom(tmp_path / "parked", *reads, *settings(*PARKS))
    assert 9_000 < parked.metric("host.latency.p99") < 20_000
    assert turning.metric("host.latency.p99") < 100
    assert parked.metric("media.load_cycles") > parked.metric("media.spin_ups") > 10
    parts = ("seek", "rotation", "read", "write", "idle", "idle_b", "standby", "recovery")
    assert sum(parked.metric(f"media.time.{part}") for part in parts) == pytest.approx(1_000 * parked.metric("run.measured_seconds"), rel=1e-3)
    assert parked.find("media.time.idle_a") is None
    assert turning.find("media.load_cycles") is None


@pytest.mark.parametrize(("mean", "cheaper"), [("4 s", False), ("300 s", True)])
def test_stopping_the_spindle_pays_where_it_stands_for_long(tmp_path, mean, cheaper):
    turning = seldom(tmp_path / "turning", mean=mean).metric("energy.total")
    assert (seldom(tmp_path / "parked", *settings(*PARKS), mean=mean).metric("energy.total") < turning) == cheaper


@pytest.mark.parametrize(("values", "sentence"), [
    (("idle_b_after=9 s", "standby_after=9 s"), "power_conditions: standby_after is not longer than idle_b_after, so idle_b is never reached; expected a longer time, or 0 for idle_b_after"),
    (("idle_b_after=1 s", "idle_b_power=6 W"), "power_conditions: idle_b_power is more than the disk takes idle; expected at most idle_power"),
    (("idle_b_after=1 s", "standby_after=6 s", "standby_recovery=0.1 s"), "power_conditions: standby_recovery is shorter than idle_b_recovery; expected at least as long"),
    (("idle_b_after=-1 s",), "media.power_conditions.idle_b_after"),
])
def test_conditions_that_cannot_be_are_refused_before_the_run(tmp_path, values, sentence):
    refused = simulate("run", "demo", "--workload", "random-4k", "--limit", 1, "--out", tmp_path, *settings(*(f"power_conditions.{value}" for value in values)), status=2)
    assert sentence in refused.stderr


def test_waveforms_show_the_condition(tmp_path):
    seldom(tmp_path / "run", "--limit", 20, "--vcd", tmp_path / "w.vcd", *settings(*PARKS))
    shown = [change.value for change in Dump(tmp_path / "w.vcd").changes(["drive.media.power_condition"])]
    assert {"active", "idle_b", "standby", "recovery"} <= set(shown)
    assert "idle_a" not in shown
    for before, after in itertools.pairwise(shown):
        assert after in {"active": {"idle_b", "recovery", "active"}, "idle_b": {"standby", "recovery"}, "standby": {"recovery"}, "recovery": {"active"}}[before]
