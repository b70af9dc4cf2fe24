"""A zoned disk: what it says of itself, what it refuses before and in a run, and that no power cut takes what it promised."""

import json
import re

import pytest
from samples import REPOSITORY
from simulate import run, simulate

from tessera.results.request_log import OPERATIONS
from tessera.traces.edit import write_trace
from tessera.traces.table import read_trace
from tessera.view.packed import unpacked
from tessera.view.side import side_of

SMALL = ("--set", "layers.zoned.zone=16 MiB", "--prefill", "0")


def test_the_list_says_which_layers_have_zones():
    zoned = [layer["name"] for layer in json.loads(simulate("list", "layers", "--json").stdout) if layer["zones"]]
    assert zoned == ["zoned", "host-aware"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["zone=1000001 B"], "a zone of 1000001 bytes is no whole number of sectors of 4096 bytes"),
        (["max_open=8", "max_active=7"], "max_active 7 is less than max_open 8"),
        (["max_open=0"], "max_open"),
        (["zone=60 GiB"], "the drive has room for"),
    ],
)
def test_zones_that_cannot_be_are_refused_before_the_run(settings, sentence):
    words = [word for setting in settings for word in ("--set", f"layers.zoned.{setting}")]
    assert sentence in simulate("check", "bare", "--layer", "zoned", *words, status=2).stderr


def test_a_flash_cache_for_writes_is_refused_and_a_write_cache_yields():
    flash = simulate("check", "bare", "--layer", "zoned", "--set", "firmware.flash_cache.capacity=1 GiB", "--set", "firmware.flash_cache.use=both", status=2)
    assert "set firmware.flash_cache.use to reads" in flash.stderr
    cache = simulate("check", "bare", "--layer", "zoned", "--set", "firmware.write_cache.capacity=1 MiB")
    assert "in their order" in cache.stdout + cache.stderr


def test_sequential_writes_fill_zone_after_zone(tmp_path):
    folder = run(tmp_path, "bare", "--layer", "zoned", *SMALL, "--workload", "sequential", "--limit", "2000", "--replay", "closed:8", "--check")
    assert folder.metric("host.served") == 2000
    assert folder.metric("zones.chains") < 2000  # writes that continue each other go together
    assert folder.metric("gauge.zones.open.peak") <= 2


def test_random_writes_are_refused_by_name(tmp_path):
    folder = run(tmp_path, "bare", "--layer", "zoned", *SMALL, "--set", "layers.zoned.conventional=0", "--workload", "random-4k", "--limit", "200", "--fold", status=1)
    assert folder.metric("host.failed.unaligned write command") + folder.metric("host.served") == 200


@pytest.mark.parametrize("faults", [(), ("--faults", "torn")])
def test_a_cut_at_any_instant_keeps_what_was_promised(faults):
    rows = json.loads(simulate("torture", "torture", "--layer", "zoned", "--durability", "none", "--operations", "30", "--cuts", "20", *faults, "--json").stdout)
    for row in rows:
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 40
        assert row["in_a_row"] > 0


ZONE = 16 << 20
TRACE = """
8,0 0 1 0.000000000 1 Q W {0} + 8 [x]
8,0 0 2 0.000001000 1 Q ZR {0} + 0 [x]
8,0 0 3 0.000002000 1 Q W {0} + 8 [x]
8,0 0 4 0.000003000 1 Q ZA {0} + 16 [x]
8,0 0 5 0.000004000 1 Q W {1} + 8 [x]
8,0 0 6 0.000005000 1 Q ZC {0} + 0 [x]
8,0 0 7 0.000006000 1 Q ZO {0} + 0 [x]
8,0 0 8 0.000007000 1 Q ZF {0} + 0 [x]
8,0 0 9 0.000008000 1 Q ZRA [x]
8,0 0 10 0.000009000 1 Q W {0} + 8 [x]
"""


@pytest.fixture
def zone_trace(tmp_path):
    start = 100 * ZONE // 512
    file = tmp_path / "zones.blkparse"
    file.write_text(TRACE.format(start, start + 24).lstrip())
    return file


@pytest.mark.parametrize("replay", ["timed", "closed:8"])
def test_zone_commands_of_a_trace_are_carried_out_in_their_order(tmp_path, zone_trace, replay):
    folder = run(tmp_path, "bare", "--layer", "zoned", *SMALL, "--trace", zone_trace, "--replay", replay, "--check", "--requests")
    assert folder.metric("host.served") == folder.metric("host.requests") == 10
    operations = [int(row["op"]) for row in sorted(folder.requests, key=lambda row: row["number"])]
    assert operations == [1, 8, 1, 1, 1, 6, 5, 7, 8, 1]


def test_a_drive_without_zones_leaves_zone_commands_out_and_counts_them(tmp_path, zone_trace):
    folder = run(tmp_path, "bare", "--layer", "cmr", "--trace", zone_trace)
    assert folder.metric("host.served") == 4
    assert "6 zone commands (append, reset, open, close, finish) left out" in folder.summary["run"]["notes"]


def test_zone_commands_survive_a_conversion(tmp_path, zone_trace):
    simulate("convert", zone_trace, "--to", "columns", "--out", tmp_path / "zones.csv")
    assert [line.split(",")[2] for line in (tmp_path / "zones.csv").read_text().splitlines()[1:]] == ["w", "zr", "w", "w", "zc", "zo", "zf", "zra", "w"]
    simulate("convert", tmp_path / "zones.csv", "--to", "blkparse", "--out", tmp_path / "again")
    assert simulate("convert", tmp_path / "again", "--to", "columns", "--out", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == (tmp_path / "zones.csv").read_text()
    assert "5 zone commands left out" in simulate("convert", tmp_path / "zones.csv", "--to", "msr", "--out", tmp_path / "msr").stdout


def test_zone_commands_of_a_run_are_in_its_tables_pages_and_words(tmp_path, zone_trace):
    folder = run(tmp_path, "bare", "--layer", "zoned", *SMALL, "--trace", zone_trace, "--requests")
    log = folder.frames.requests.sort("number")
    names = ["write", "zone_reset", "write", "write", "write", "zone_close", "zone_open", "zone_finish", "zone_reset", "write"]
    assert log["op"].to_list() == names
    assert sorted(names) == sorted(OPERATIONS[op] for op in unpacked(side_of(folder, None, "zones")["requests"]["op"]))
    reset, zone = (log.row(names.index(name), named=True) for name in ("zone_reset", "zone_close"))
    assert f"Request {reset['number']} resets the zone at LBA {reset['lba']}." in explained(folder, reset)
    assert f"Request {zone['number']} closes the zone at LBA {zone['lba']}." in explained(folder, zone)


def explained(folder, request):
    return simulate("explain", folder.folder, request["number"]).stdout


def test_the_words_of_the_page_are_those_of_the_simulator():
    assets = (REPOSITORY / "analysis/tessera/view/assets/words.js").read_text()
    statuses, verbs = (re.findall(r'"([^"]+)"', re.search(rf"const {name} = \[(.*?)\];", assets, re.DOTALL)[1]) for name in ("STATUSES", "VERBS"))
    ports = (REPOSITORY / "models/firmware/ports/ports.cpp").read_text()
    assert statuses == re.findall(r'case Status::\w+: return "([^"]+)"', ports)
    explain = (REPOSITORY / "platforms/output/explain.cpp").read_text()
    assert verbs == re.findall(r'"([^"]+)"', re.search(r"verbs = \{(.*?)\};", explain, re.DOTALL)[1])
    assert len(verbs) == len(OPERATIONS)


def test_zone_commands_survive_a_way_through_python(tmp_path, zone_trace):
    written = write_trace(read_trace(zone_trace), tmp_path / "through.csv")
    assert [line.split(",")[2] for line in written.read_text().splitlines()[1:]] == ["w", "zr", "w", "w", "zc", "zo", "zf", "zra", "w"]
    assert (read_trace(written) == read_trace(zone_trace)).all()


WORKLOAD = """
law = "{law}"
write_share = 0.7
write_sizes = [[4096, 1], [65536, 1], [1048576, 1]]
requests = 3000
first = "{first} MiB"
range = "512 MiB"
zonemode = "zbd"
[zbd]
max_open_zones = 4
zone_reset_frequency = 0.05
zone_reset_threshold = 0.5
"""


@pytest.mark.parametrize("prefill", ["0", "100"])
@pytest.mark.parametrize("law", ["uniform", "sequential"])
def test_fios_zbd_workload_is_served_without_a_refusal(tmp_path, law, prefill):
    workload = tmp_path / "zbd.toml"
    workload.write_text(WORKLOAD.format(law=law, first=16 * 1024))
    words = (*SMALL[:2], "--prefill", prefill, "--workload", workload, "--replay", "closed:16", "--check", "--requests")
    folder = run(tmp_path, "bare", "--layer", "zoned", *words)
    resets = folder.metric("host.requests") - 3000
    assert resets > 10
    assert folder.metric("host.served") == folder.metric("host.requests")
    assert folder.metric("gauge.zones.open.peak") <= 5


def test_zbd_needs_a_drive_with_zones_that_the_host_sees(tmp_path):
    workload = tmp_path / "zbd.toml"
    workload.write_text(WORKLOAD.format(law="uniform", first=0))
    for command in (("run", "bare", "--layer", "cmr", "--out", tmp_path / "a"), ("run", "bare", "--layer", "zoned:log", "--out", tmp_path / "b"),
                    ("torture", "torture", "--layer", "zoned")):  # fmt: skip
        refused = simulate(*command, "--workload", workload, status=2)
        assert "zonemode: zbd writes the zones of a drive; expected a run with --layer zoned" in refused.stderr
