"""Hosts that translate above a zoned disk: any workload runs on it, what cannot be is refused in a sentence, and power cuts keep the promise."""

import json
import random

import pytest
from drawn import COLUMNS
from simulate import run, simulate

from tessera.results import families

SMALL = ("--set", "media.tracks=512", "--set", "layers.zoned.zone=4 MiB", "--prefill", "100")
ENOUGH = ("--layer", "zoned:dmz", "--set", "layers.zoned.conventional=0.018")  # of 253 zones
DMZ = ("--layer", "zoned:dmz", *SMALL, "--set", "layers.zoned.conventional=0.1")
LSM = ("--layer", "zoned:lsm", *SMALL)
RANDOM = ("--workload", "random-4k", "--fold", "--replay", "closed:8")


@pytest.mark.parametrize("host", ["log-greedy", "log-cost-benefit"])
def test_random_writes_are_served_checked_and_cleaned_for(tmp_path, host):
    folder = run(tmp_path, "common", "--layer", f"zoned:{host}", *SMALL, *RANDOM, "--limit", "4000", "--check", "--requests")
    assert folder.metric("host.served") == 4000
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("zones.refused") == 0
    assert folder.metric("cleaning.count") > 1
    written = sum(folder.metric(f"translation.sectors.{kind}") for kind in ("data", "moved", "headers", "checkpoints"))
    assert written == folder.metric("translation.sectors.written") == pytest.approx(folder.metric("media.sectors_written.bands") + folder.metric("media.sectors_written.conventional"))
    assert folder.summary["run"]["layer"] == f"zoned:{host}"
    assert folder.metric("write_amplification.host") > 1
    assert (folder.requests["completion"] > folder.requests["arrival"]).all()


def test_random_writes_by_chunks_are_served_checked_and_reclaimed_for(tmp_path):
    folder = run(tmp_path, "common", *DMZ, *RANDOM, "--limit", "600", "--check")
    assert folder.metric("host.served") == 600
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("zones.refused") == 0
    assert folder.metric("translation.reclaims.merge") > 1
    assert folder.metric("translation.reclaims.move") > 1
    assert folder.metric("cleaning.count") == sum(folder.metric(f"translation.reclaims.{kind}") for kind in ("append", "merge", "move"))
    written = sum(folder.metric(f"translation.sectors.{kind}") for kind in ("data", "moved", "gaps", "metadata"))
    assert written == folder.metric("translation.sectors.written") == folder.metric("media.sectors_written.bands") + folder.metric("media.sectors_written.conventional")
    assert folder.metric("translation.memory.map") + folder.metric("translation.memory.bitmaps") < 64 << 10
    assert folder.summary["run"]["layer"] == "zoned:dmz"


@pytest.mark.parametrize("workload", ["random-4k", "mail"])  # refused for their places, and for parts of sectors
def test_an_application_that_writes_anywhere_is_told_of_the_host(tmp_path, workload):
    ended = simulate("run", "demo", "--layer", "zoned", "--workload", workload, "--fold", "--limit", "50", "--out", tmp_path / "run", status=1)
    for told in (ended.stdout, ended.stderr):
        assert 'give the workload zonemode = "zbd", or run with --layer zoned:log (zoned:lsm, zoned:dmz), a host in between' in told
    assert "requests failed: " in ended.stderr


def test_the_list_names_the_hosts_of_a_layer():
    zoned, host_aware = [layer for layer in json.loads(simulate("list", "layers", "--json").stdout) if layer["zones"]]
    assert zoned["hosts"] == host_aware["hosts"] == ["log", "log-greedy", "log-cost-benefit", "dmz", "lsm"]
    assert "zoned:log-greedy" in simulate("list", "layers").stdout


def test_the_application_sees_less_than_the_drive(tmp_path):
    drive = int(simulate("check", "common", "--layer", "zoned", "--capacity").stdout)
    small = int(simulate("check", "common", "--layer", "zoned:log", "--set", "hosts.log.over_provisioning=0.3", "--capacity").stdout)
    large = int(simulate("check", "common", "--layer", "zoned:log", "--set", "hosts.log.over_provisioning=0.1", "--capacity").stdout)
    assert small < large < drive
    assert small / large == pytest.approx(7 / 9, rel=1e-3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--layer", "zoned:lgo"], "unknown host 'lgo'; did you mean 'log'?"),
        (["--layer", "zoned:lsmt"], "unknown host 'lsmt'; did you mean 'lsm'?"),
        (["--layer", "zoned:lsm", "--set", "hosts.lsm.over_provisioning=0"], "hosts.lsm.over_provisioning is 0; expected more"),
        (["--layer", "zoned:lsm", "--set", "hosts.lsm.level0_stop=3"], "hosts.lsm.level0_stop is 3; expected more than hosts.lsm.level0_files, 4"),
        (["--layer", "zoned:lsm", "--set", "layers.zoned.zone=16 GiB"], "make zones smaller"),
        (["--layer", "cmr:log"], "the layer cmr has no zones that a host could write"),
        (["--layer", "cmr", "--set", "hosts.translation=log"], "choose --layer zoned:log-cost-benefit"),
        (["--layer", "zoned:log", "--set", "hosts.log.over_provisioning=0"], "expected a share above 0 and below 1"),
        (["--layer", "zoned:log", "--set", "hosts.log.over_provisioning=1"], "expected a share above 0 and below 1"),
        (["--layer", "zoned:log", "--set", "hosts.log.over_provisioning=1.5"], "hosts.log.over_provisioning"),
        (["--layer", "zoned:log", "--set", "layers.zoned.zone=16 GiB"], "make zones smaller"),
        (["--layer", "zoned:log", "--set", "layers.zoned.max_open=2", "--set", "layers.zoned.max_active=2"], "layers.zoned.max_active"),
        (["--layer", "zoned:log", "--set", "layers.zoned.offline_zones=1"], "layers.zoned.offline_zones"),
        (["--layer", "zoned:dmz"], "2 for data; make more of them, as in --set layers.zoned.conventional=0.018"),
        (["--layer", "zoned:dmz", "--set", "layers.zoned.conventional=0"], "the drive has 0 conventional zones of 253 and hosts.dmz needs at least 4"),
        (["--layer", "zoned:dmz", "--set", "layers.zoned.zone=16 GiB"], "make zones smaller"),
        ([*ENOUGH, "--set", "layers.zoned.max_active=128"], "layers.zoned.max_active is 128; a host that translates needs at least 250"),
        ([*ENOUGH, "--set", "layers.zoned.read_only_zones=1"], "layers.zoned.read_only_zones"),
        ([*ENOUGH, "--set", "hosts.dmz.reclaim_below=0.6"], "hosts.dmz.reclaim_until"),
        ([*ENOUGH, "--set", "hosts.dmz.reserved_zones=300"], "hosts.dmz.reserved_zones"),
    ],
)
def test_what_cannot_be_is_refused_before_the_run(words, sentence):
    assert sentence in simulate("check", "common", *words, status=2).stderr


def test_a_trace_beyond_what_the_application_sees_is_refused(tmp_path):
    capacity = int(simulate("check", "common", "--layer", "zoned:log", *SMALL[:4], "--capacity").stdout)
    trace = tmp_path / "trace.csv"
    trace.write_text(f"0,w,{capacity // 512},8\n")
    words = ("run", "common", "--layer", "zoned:log", *SMALL, "--trace", trace, "--format", COLUMNS, "--out", tmp_path / "out")
    assert "past the drive's end at" in simulate(*words, status=2).stderr


def test_without_a_host_random_writes_fail_and_the_run_names_one(tmp_path):
    folder = run(tmp_path, "common", "--layer", "zoned", *SMALL[:4], "--prefill", "0", *RANDOM, "--limit", "100", status=1)
    assert any("--layer zoned:log" in note for note in folder.summary["run"]["notes"])


def test_parameters_of_a_host_that_does_not_translate_are_set_in_vain():
    said = simulate("check", "common", "--layer", "zoned", "--set", "hosts.log.record=64 KiB")
    assert "hosts.log.record: without effect" in said.stdout


def test_a_saved_state_has_no_tables_of_a_host(tmp_path):
    words = ("run", "common", "--layer", "zoned:log", *SMALL, *RANDOM, "--limit", "10", "--save-state", tmp_path / "state", "--out", tmp_path / "out")
    assert "keeps its tables in memory" in simulate(*words, status=2).stderr


@pytest.mark.parametrize("faults", [(), ("--faults", "torn")])
def test_a_cut_at_any_instant_keeps_what_was_flushed(faults):
    rows = json.loads(simulate("torture", "torture", "--layer", "zoned:log", "--durability", "none", "--operations", "12", "--cuts", "10", *faults, "--json").stdout)
    for row in rows:
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 10


@pytest.mark.parametrize("faults", [(), ("--faults", "torn")])
def test_a_cut_at_any_instant_of_the_host_with_a_merge_tree_keeps_what_was_flushed(faults):
    words = ("--layer", "zoned:lsm", "--durability", "none", "--operations", "12", "--cuts", "10", *faults, "--json")
    for row in json.loads(simulate("torture", "torture", *words).stdout):
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 10


@pytest.mark.parametrize("faults", [(), ("--faults", "torn")])
def test_a_cut_at_any_instant_of_the_host_by_chunks_keeps_what_was_flushed(faults):
    words = ("--layer", "zoned:dmz", "--set", "layers.zoned.conventional=0.12", "--durability", "none", "--operations", "12", "--cuts", "10", *faults, "--json")
    for row in json.loads(simulate("torture", "torture", *words).stdout):
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 10


def test_a_cut_in_a_run_costs_a_recovery_and_nothing_else(tmp_path):
    folder = run(tmp_path, "common", "--layer", "zoned:log", *SMALL, *RANDOM, "--limit", "1500", "--check", "--cut-at", "2s", "--cut-at", "4s")
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("translation.recovery.time") > 0
    assert folder.metric("translation.recovery.records") > 0


def test_a_cut_in_a_run_costs_the_host_by_chunks_a_set_of_metadata(tmp_path):
    folder = run(tmp_path, "common", *DMZ, *RANDOM, "--limit", "300", "--check", "--cut-at", "20s", "--cut-at", "40s")
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("translation.recovery.time") > 0
    assert folder.metric("translation.recovery.reads") >= 2 * 2


def test_random_writes_into_a_merge_tree_are_served_checked_and_compacted_for(tmp_path):
    folder = run(tmp_path, "common", *LSM, *RANDOM, "--limit", "4000", "--check", "--requests")
    assert folder.metric("host.served") == 4000
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("zones.refused") == 0
    assert folder.metric("translation.compactions") > 4
    assert folder.metric("translation.flushes") > 4
    assert folder.metric("cleaning.count") <= folder.metric("translation.compactions") + folder.metric("translation.collections")
    written = sum(folder.metric(f"translation.sectors.{kind}") for kind in ("log", "headers", "flushed", "compacted", "index", "moved", "manifest"))
    assert written == folder.metric("translation.sectors.written") == folder.metric("media.sectors_written.bands")
    assert folder.metric("translation.sectors.log") >= folder.metric("translation.sectors.flushed")
    assert folder.metric("translation.memory") > folder.metric("translation.memory.tables") + folder.metric("translation.memory.index")
    assert folder.metric("write_amplification.host") > 2
    assert folder.summary["run"]["layer"] == "zoned:lsm"


def test_what_a_cut_leaves_of_a_merge_tree_is_read_from_its_log(tmp_path):
    folder = run(tmp_path, "common", *LSM, *RANDOM, "--limit", "1500", "--check", "--cut-at", "2s", "--cut-at", "4s")
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("translation.recovery.time") > 0
    assert folder.metric("translation.recovery.records") > 0


def test_zones_by_lifetime_leave_less_to_move(tmp_path):
    words = ("common", *LSM, "--workload", "zipf-writes", "--fold", "--replay", "closed:8", "--limit", "30000")
    apart, together = (run(tmp_path / value, *words, "--set", f"hosts.lsm.lifetimes={value}") for value in ("true", "false"))
    assert apart.metric("translation.sectors.moved") <= together.metric("translation.sectors.moved")


def test_a_comparison_takes_hosts_as_contestants(tmp_path):
    words = ("compare", "common", "--layers", "cmr,zoned:log-greedy,zoned:dmz", *SMALL, *DMZ[-2:], *RANDOM, "--limit", "200", "--seeds", "1", "--out", tmp_path)
    simulate(*words)
    assert json.loads((tmp_path / "compare.json").read_text())["layers"]["layer"] == ["cmr", "zoned:log-greedy", "zoned:dmz"]
    assert "unknown layer 'zoned:lgo'" in simulate("compare", "common", "--layers", "zoned:lgo", *RANDOM, "--out", tmp_path / "bad", status=2).stderr


@pytest.mark.parametrize("host", [("--layer", "zoned:log", *SMALL), DMZ, LSM])
def test_two_runs_are_the_same(tmp_path, host):
    words = ("common", *host, *RANDOM, "--limit", "600")
    first, second = (run(tmp_path / name, *words).summary["metrics"] for name in ("one", "two"))
    of_the_machine = {"run.cpu_seconds", "run.requests_per_cpu_second", "run.peak_memory_bytes"}
    assert {name: metric for name, metric in first.items() if name not in of_the_machine} == {name: metric for name, metric in second.items() if name not in of_the_machine}


def test_a_host_belongs_to_the_family_of_its_layer():
    assert families.family_of("zoned:log-greedy") == "shingled, zones of the host"
    assert families.ordered(["zoned:log", "tessera", "cmr"]) == ["cmr", "zoned:log", "tessera"]


TORTURED = {"log": (), "lsm": (), "dmz": ("--set", "layers.zoned.conventional=0.12")}


def mixed(trace, seed, requests=250, blocks=11_000):
    """Reads and writes of 512 B to 1 MiB anywhere, with FUA, TRIM and FLUSH among them."""
    draw = random.Random(seed)
    lines = []
    for _ in range(requests):
        op = draw.choices("rwutf", (30, 45, 10, 8, 7))[0]
        count = draw.choice((1, 3, 8, 80, 700, 2048))
        lines.append(f"0,{op},{draw.randrange(blocks - count)},{count}" if op != "f" else "0,f,0,0")
    trace.write_text("\n".join(lines) + "\n")
    return ("--trace", trace, "--columns", "time=1:ps,op=2:r=r,w=w,f=f,t=t,u=u,offset=3:512,size=4:512", "--replay", "queue:16", "--check")


@pytest.mark.parametrize("host", TORTURED)
@pytest.mark.parametrize("link", ["ideal", "sata", "sas"])
def test_writes_find_their_pointers_over_every_link(tmp_path, host, link):
    paths = ((), ("host.crc_errors_per_million=50000", "host.link_outages=[[3, 4], [90, 20]]"), ("host.write_data=on_request",), ("host.window=64 KiB", "controller.cores=4"))
    for number, path in enumerate(paths):
        words = [word for setting in (f"host.link={link}", *path) for word in ("--set", setting)]
        folder = run(tmp_path / str(number), "torture", "--layer", f"zoned:{host}", *TORTURED[host], *mixed(tmp_path / "trace.csv", number), *words)
        assert folder.metric("scoreboard.errors") == 0
        assert folder.metric("zones.refused") == 0


@pytest.mark.parametrize("host", TORTURED)
def test_what_cannot_be_read_fails_alone_and_the_host_goes_on(tmp_path, host):
    faults = ("--set", "media.unrecoverable_errors_per_billion=200000", "--set", "media.transient_errors_per_million=2000")
    folder = run(tmp_path / "run", "torture", "--layer", f"zoned:{host}", *TORTURED[host], *mixed(tmp_path / "trace.csv", 7), "--prefill", "100", *faults, status=None)
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("host.failed") == folder.metric("host.excused") > 0
    assert folder.metric("host.served") > 200


@pytest.mark.parametrize("host", TORTURED)
def test_a_host_whose_drive_cannot_write_takes_no_more_writes_and_keeps_what_it_promised(tmp_path, host):
    faults = ("--set", "media.write_faults_per_million=20000", "--set", "media.spare_tracks=0")
    folder = run(tmp_path / "run", "torture", "--layer", f"zoned:{host}", *TORTURED[host], *mixed(tmp_path / "trace.csv", 8), "--prefill", "100", *faults, "--cut-at", "2s", status=None)
    assert folder.metric("scoreboard.errors") == 0
    assert folder.metric("host.failed.read only") > 0
    assert folder.metric("host.served") > 50
