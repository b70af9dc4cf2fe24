"""Drives of two arms with a logical unit for each: a queue per unit, units named by address or by a trace's volumes, and what is refused."""

import json

import pytest
from nbd import FUA, Served
from simulate import run, simulate

ARMS = ("--layer", "cmr", "--set", "media.surfaces=2", "--set", "media.actuators=2")
LUNS = (*ARMS, "--set", "host.luns=2")
COLUMNS = "time=1:s,volume=2,offset=3:bytes,size=4:bytes,op=5:r=R,w=W"


def trace(folder, lines):
    file = folder / "trace.csv"
    file.write_text("".join(f"{line}\n" for line in lines))
    return ("--trace", file, "--columns", COLUMNS)


def test_each_unit_has_its_half_of_the_addresses_and_of_the_tags(tmp_path):
    two = run(tmp_path / "two", "torture", *LUNS, "--workload", "random-4k", "--limit", 2000, "--replay", "closed:64", "--check")
    assert two.metric("host.lun.0.requests") + two.metric("host.lun.1.requests") >= 2000
    assert abs(two.metric("host.lun.0.requests") - 1000) < 150
    assert min(two.metric(f"host.lun.{unit}.waited") for unit in (0, 1)) > 0
    assert two.metric("media.arm.0.busy") > 0 and two.metric("media.arm.1.busy") > 0


def test_a_unit_that_is_flooded_does_not_hold_the_other_up(tmp_path):
    """300 writes to LUN 0 at once, and a read of LUN 1 right after them."""
    lines = [f"0,a,{i * 65536 % 4194304},65536,W" for i in range(300)] + ["0.001,b,0,4096,R"]
    words = (*trace(tmp_path, lines), "--replay", "timed", "--set", "host.lun_of=volume", "--set", "firmware.write_cache.capacity=0 B")
    two = run(tmp_path / "two", "torture", *LUNS, *words)
    assert two.metric("host.lun.1.requests") == 1 and two.metric("host.lun.1.waited") == 0
    assert two.metric("host.read.latency.max") < two.metric("host.write.latency.max") / 10


def test_a_power_cut_with_two_units_loses_nothing(tmp_path):
    cut = run(tmp_path / "out", "torture", *LUNS, "--workload", "random-4k", "--limit", 1500, "--replay", "closed:64", "--cut-at", "300 ms", "--check")
    assert cut.metric("scoreboard.errors") == 0


def test_torture_cuts_a_drive_of_two_units():
    for row in json.loads(simulate("torture", "torture", *LUNS, "--operations", 40, "--cuts", 20, "--json").stdout):
        assert row["failures"] == 0
    said = simulate("torture", "torture", *LUNS, "--set", "host.lun_of=volume", "--operations", 4, "--json", status=2)
    assert "host.lun_of is volume, and torture names no volumes; expected address" in said.stdout + said.stderr


def test_an_array_takes_whole_drives(tmp_path):
    file = tmp_path / "two.toml"
    settings = '"media.surfaces" = 2\n"media.actuators" = 2\n"host.luns" = 2\n'
    file.write_text(f'[array]\nkind = "mirror"\n[[drive]]\ndescription = "torture"\nlayer = "cmr"\ncount = 2\n[drive.settings]\n{settings}')
    said = simulate("check", file, status=2).stderr
    assert "host.luns is 2, and the members of an array are whole drives: units of one drive fail together; expected 1" in said


@pytest.mark.parametrize(("words", "sentence"), [
    (("--layer", "cmr", "--set", "host.luns=2"), "host.luns is 2, and the drive has 1 arm (media.actuators); expected 1"),
    ((*LUNS, "--set", "host.luns=3"), "host.luns is 3, and the drive has 2 arms (media.actuators); expected 1 or 2"),
    ((*LUNS[2:], "--layer", "imr-rmw"), "host.luns is 2, and the layer imr-rmw lays addresses on all arms in turn"),
    ((*LUNS, "--set", "host.tags=31"), "host.luns is 2, and host.tags is 31; expected a multiple of the LUNs"),
])  # fmt: skip
def test_what_no_drive_has_is_refused(words, sentence):
    assert sentence in simulate("check", "torture", *words, status=2).stderr


def test_a_volume_without_a_unit_is_refused(tmp_path):
    words = (*trace(tmp_path, ["0,a,0,4096,R", "1,b,0,4096,R", "2,c,0,4096,R"]), "--replay", "timed", "--set", "host.lun_of=volume")
    said = simulate("run", "torture", *LUNS, *words, "--out", tmp_path / "out", status=2)
    assert "the request is of volume 2 (c), and the drive has LUNs 0 to 1 (host.luns); --volume chooses one volume" in said.stderr


def test_a_served_drive_has_a_queue_for_each_unit_behind_one_export(tmp_path):
    out = tmp_path / "out"
    with Served(tmp_path, "torture", *LUNS, "--out", out) as drive:
        client = drive.connect()
        assert client.size == drive.size
        for offset in (0, drive.size // 2 - 4096, drive.size - 8192):
            client.write(offset, bytes([offset % 251]) * 8192)
        drive.cut_power()
        client = drive.connect()
        for offset in (0, drive.size // 2 - 4096, drive.size - 8192):
            client.write(offset, bytes([offset % 251]) * 8192, FUA)
            assert client.read(offset, 8192) == bytes([offset % 251]) * 8192
    assert drive.status == 0
    metrics = json.loads((out / "summary.json").read_text())["metrics"]
    assert metrics["host.lun.0.requests"]["value"] > 0 and metrics["host.lun.1.requests"]["value"] > 0
