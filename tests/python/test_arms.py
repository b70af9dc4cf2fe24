"""A drive of two arms as a user meets it: what check says, what the second arm is worth, and that nothing is lost."""

import json
import re

import pytest
from samples import REPOSITORY
from simulate import run, simulate

SURFACES = ("--set", "media.surfaces=2", "--set", "media.tracks=16384", "--set", "media.head_switch=0.8 ms")
TWO = (*SURFACES, "--set", "media.actuators=2")


def settings(*values):
    return tuple(word for value in values for word in ("--set", value))


ARMED = settings("media.surfaces=2", "media.tracks=128", "media.actuators=2", "media.head_switch=0.2 ms", "layers.mu_rmw.spare_bands=2")


def test_check_names_the_surfaces_and_blocks_of_each_arm():
    said = simulate("check", "bare", *TWO).stdout
    assert "arms, each with its share of the addresses:\n" in said
    assert "  arm 0: surface 0, blocks 0 to 67108863\n" in said
    assert "  arm 1: surface 1, blocks 67108864 to 134217727\n" in said


def test_check_says_where_arms_take_turns_and_nothing_of_a_single_arm():
    assert "arms, which take turns with the addresses:\n  arm 0: surface 0\n  arm 1: surface 1\n" in simulate("check", "bare", *TWO, "--layer", "mu-rmw").stdout
    assert "arm" not in simulate("check", "bare", *SURFACES).stdout


@pytest.mark.parametrize(("values", "sentence"), [
    (("media.actuators=3", "media.surfaces=2"), "actuators: 3 arms for 2 surfaces; expected a surface for each arm"),
    (("media.actuators=2", "media.surfaces=4", "media.actuator_surfaces=[[0, 3], [2, 2]]"), "actuator_surfaces: arm 1 shares surface 2 with arm 0; expected surfaces from 3 on"),
    (("media.actuators=2", "media.surfaces=4", "media.actuator_surfaces=[[0, 1], [1, 2]]"), "actuator_surfaces: no arm reaches surface 3"),
    (("media.actuators=2", "media.surfaces=4", "media.actuators_at_once=3"), "actuators_at_once: 3 of only 2 arms"),
])
def test_arms_that_do_not_share_out_the_surfaces_are_refused_before_the_run(values, sentence, tmp_path):
    refused = simulate("run", "bare", *settings(*values), "--workload", "random-4k", "--limit", 10, "--out", tmp_path, status=2)
    assert sentence in refused.stderr


def test_random_requests_gain_nearly_all_of_the_second_arm_and_both_arms_work(tmp_path):
    options = ("--workload", "random-4k", "--limit", 600, "--replay", "closed:32", "--check", *settings("firmware.write_cache.capacity=0 B"))
    one = run(tmp_path / "one", "common", *options, *SURFACES)
    two = run(tmp_path / "two", "common", *options, *TWO)
    gain = two.metric("host.throughput") / one.metric("host.throughput")
    assert 1.4 < gain < 2.1
    shares = [two.metric(f"disk_channel.arm.{arm}.utilisation") for arm in (0, 1)]
    assert min(shares) > 0.8
    assert two.metric("disk_channel.utilisation") == pytest.approx(sum(shares) / 2)
    assert "disk_channel.arm.0.utilisation" not in one.summary["metrics"]


def test_two_arms_that_may_not_work_at_once_gain_little(tmp_path):
    options = ("--workload", "random-4k", "--limit", 500, "--replay", "closed:32", *TWO)
    both = run(tmp_path / "both", "common", *options)
    turns = run(tmp_path / "turns", "common", *options, *settings("media.actuators_at_once=1"))
    assert turns.metric("host.throughput") < 0.8 * both.metric("host.throughput")


def test_the_drive_as_sold_reads_at_the_published_rates(tmp_path):
    """Seagate's Exos 2X14: 524 MB/s outside with both arms, 304 random reads of 4 KiB per second with 16 queued; 13.5 W at most."""
    reads = run(tmp_path / "reads", "dual-arm-14tb", "--workload", REPOSITORY / "docs/studies/arms/random-reads.toml", "--limit", 1000, "--replay", "closed:16")
    assert reads.metric("host.throughput") == pytest.approx(304, rel=0.05)
    assert reads.metric("media.energy.total") / reads.metric("run.simulated_seconds") == pytest.approx(13.5, rel=0.05)
    second = int(re.search(r"arm 1: .*, blocks (\d+) to", simulate("check", "dual-arm-14tb").stdout)[1])
    for name, arms in (("one", [0]), ("both", [0, second])):
        lines = (f"{0.001 * i:.3f} 0 {first + 1024 * i} 1024 1\n" for i in range(200) for first in arms)
        (tmp_path / f"{name}.ascii").write_text("".join(lines))
    rates = {name: 0.524288 * run(tmp_path / name, "dual-arm-14tb", "--trace", tmp_path / f"{name}.ascii", "--replay", "closed:8").metric("host.throughput") for name in ("one", "both")}
    assert rates["one"] == pytest.approx(262, rel=0.05)
    assert rates["both"] == pytest.approx(524, rel=0.05)


def test_waveforms_have_a_lane_for_each_arm(tmp_path):
    run(tmp_path / "run", "common", "--workload", "random-4k", "--limit", 40, "--replay", "closed:8", "--vcd", tmp_path / "wave.vcd", *TWO)
    assert (tmp_path / "wave.vcd").read_text().count("scope module arm1") == 2  # of the media and of the disk channel


@pytest.mark.parametrize("layer", ["cmr", "media-cache", "mu-rmw"])
def test_nothing_is_lost_wherever_the_power_fails_under_two_arms(layer):
    arms = settings("media.surfaces=2", "media.tracks=128", "media.actuators=2", "media.head_switch=0.2 ms")
    rows = json.loads(simulate("torture", "torture", "--layer", layer, "--durability", "volatile", "--operations", 8, "--cuts", 8, *arms, "--json").stdout)
    assert [row["failures"] for row in rows] == [0] * len(rows)


@pytest.mark.parametrize(("layer", "values", "sentence"), [
    ("mu-rmw", ("firmware.cleaning_arm=idle", "media.actuators=1"), "firmware.cleaning_arm is idle, and the drive has one arm: set media.actuators to 2 or more, or leave it at any"),
    ("imr-rmw", ("firmware.cleaning_arm=each",), "firmware.cleaning_arm is each; the layer imr-rmw does not choose the arm on which it cleans: leave it at any, or take media-cache, mu-rmw or tessera"),
    ("mu-rmw", ("firmware.cleaning_arm=idle",), "mu-rmw merges each band to a spare one of its arm: set layers.mu_rmw.spare_bands to 2 or more"),
    ("mu-rmw", ("firmware.cleaning_arm=each", "layers.mu_rmw.crash_safe=false"), "mu-rmw merges bands in place, so none has a spare one"),
    ("media-cache", ("firmware.cleaning_arm=each",), "media-cache cleans one band of its log at a time: choose idle"),
    ("tessera", ("firmware.cleaning_arm=each",), "tessera cleans one band of its log at a time: choose idle"),
])
def test_cleaning_is_placed_only_where_there_is_a_choice(layer, values, sentence):
    assert sentence in simulate("check", "demo", "--layer", layer, *TWO, *settings(*values), status=2).stderr


def test_a_merge_on_each_arm_is_worth_more_than_a_second_arm_alone(tmp_path):
    def merged(where):
        options = ("--layer", "mu-rmw", "--prefill", 100, "--workload", "random-4k", "--limit", 12000, "--replay", "closed:32", "--check")
        return run(tmp_path / where, "demo", *options, *TWO, *settings("layers.mu_rmw.spare_bands=2", f"firmware.cleaning_arm={where}"))
    one, each = merged("any"), merged("each")
    assert one.metric("host.latency.mean") / each.metric("host.latency.mean") > 1.3
    assert min(each.metric(f"disk_channel.arm.{arm}.utilisation") for arm in (0, 1)) > 0.6


@pytest.mark.parametrize(("layer", "where"), [("mu-rmw", "idle"), ("mu-rmw", "each"), ("media-cache", "idle"), ("tessera", "idle")])
def test_nothing_is_lost_wherever_the_power_fails_while_cleaning_is_placed(layer, where):
    options = (*ARMED, *settings(f"firmware.cleaning_arm={where}"))
    rows = json.loads(simulate("torture", "torture", "--layer", layer, "--durability", "volatile", "--operations", 8, "--cuts", 8, *options, "--json").stdout)
    assert [row["failures"] for row in rows] == [0] * len(rows)
