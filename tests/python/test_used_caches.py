"""A full drive begins with caches as such input leaves them, unless a run asks for less (simulation.caches, --caches)."""

import signal
import subprocess
import time

import pytest
from simulate import LAYERS, SIMULATOR, run, simulate

MIB = 1 << 20
SHORT = ("--workload", "zipf-writes", "--fold", "--limit", 1500, "--seed", 3)
USED = ("--caches", "used")
MODERN = ("cmr-24tb", "common", "demo", "dual-arm-14tb", "dual-arm-18tb", "hamr-32tb", "imr-20tb", "seagate-st5000as0011", "seagate-st8000as0002", "seagate-st8000as0022", "seagate-st8000as0022-zones", "seagate-st8000dm004", "wd-wd40efax", "zoned-28tb")
# Bytes of caches on `demo`: 16,384 pages of 4 KiB in flash, and what layers have on the platters, in whole tracks of 2 MiB.
FLASH = 64 * MIB
WRITE = """summary = "random writes of 256 KiB"
law = "uniform"
write_share = {share}
requests = 1000000
write_sizes = [[262144, 1]]
"""


def filling_of(result) -> int:
    return result.summary["run"].get("cache_filling_requests", 0)


def same(one, other):
    """Metrics but those of the machine that ran it."""
    figures = [{name: metric["value"] for name, metric in each.summary["metrics"].items() if not name.startswith("run.")} for each in (one, other)]
    assert figures[0] == figures[1]


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer not in ("cmr", "imr-rmw") and not layer.startswith("shingled-in-place")])
def test_a_run_begins_with_what_a_closed_loop_of_its_workload_leaves_and_not_of_what_it_measures(layer, tmp_path):
    drive = ("demo", "--layer", layer, *SHORT)
    used = run(tmp_path / "used", *drive, *USED)
    before = run(tmp_path / "before", *drive, "--skip", 1500, "--caches", "empty", "--replay", "closed:32", "--save-state", tmp_path / "state")
    after = run(tmp_path / "after", *drive, "--load-state", tmp_path / "state")
    if filling_of(used):
        assert filling_of(used) == before.metric("host.requests") == 1500
        same(used, after)
    else:
        assert layer in ("imr-flip", "imr-dtm"), "layers with caches fill them"
        same(used, run(tmp_path / "empty", *drive, "--caches", "empty"))


@pytest.mark.parametrize(("layer", "platters"), [("mu-rmw", 0), ("media-cache", 48 * MIB), ("fluid", 48 * MIB), ("tessera", 48 * MIB)])
def test_caches_are_full_after_one_and_a_half_times_what_they_hold(layer, platters, tmp_path):
    (tmp_path / "writes.toml").write_text(WRITE.format(share=1.0))
    long = run(tmp_path / "run", "demo", "--layer", layer, "--workload", tmp_path / "writes.toml", "--limit", 2000, *USED)
    flash = FLASH if layer in ("mu-rmw", "tessera") else 0
    whole = -(-(flash + platters) * 3 // 2 // (256 << 10))
    assert whole <= filling_of(long) <= whole + 24, "a track's worth at most, as regions are whole tracks"
    notes = long.summary["run"]["notes"]
    assert "it began with used caches: other requests of the same workload had filled them before (--caches empty begins without)" in notes
    short = run(tmp_path / "short", "demo", "--layer", layer, "--workload", tmp_path / "writes.toml", "--limit", whole - 1, *USED)
    assert filling_of(short) == whole - 1
    assert any("filled them in part" in note for note in short.summary["run"]["notes"])


def test_the_requests_that_fill_come_after_those_of_the_run_whatever_says_how_many_these_are(tmp_path):
    """By --limit, by --skip, or by the workload alone: the state is that of the requests from 600 to 900."""
    (tmp_path / "writes.toml").write_text(WRITE.format(share=1.0).replace("1000000", "600"))
    words = ("demo", "--layer", "media-cache", "--workload", tmp_path / "writes.toml", "--skip", 300)
    before = ("--limit", 300, "--caches", "empty", "--replay", "closed:32", "--save-state", tmp_path / "state")
    run(tmp_path / "before", *words[:-1], 600, *before)
    used = run(tmp_path / "used", *words, *USED)
    assert used.metric("host.requests") == 300 and 0 < filling_of(used) <= 300
    same(used, run(tmp_path / "limited", *words, "--limit", 300, *USED))
    same(used, run(tmp_path / "loaded", *words, "--load-state", tmp_path / "state"))


def test_an_input_that_only_reads_fills_none_for_ever(tmp_path):
    (tmp_path / "reads.toml").write_text(WRITE.format(share=0.0))
    reads = run(tmp_path / "run", "demo", "--layer", "mu-rmw", "--workload", tmp_path / "reads.toml", "--limit", 2000, *USED)
    assert 6 * FLASH <= filling_of(reads) * (256 << 10) <= 6.2 * FLASH, "with the blocks of the log and of dumps"


def test_layers_without_caches_begin_at_once(tmp_path):
    for layer in ("cmr", "imr-rmw", "shingled-in-place-1234", "zoned"):
        workload = ("--workload", "sequential", "--limit", 20) if layer == "zoned" else SHORT
        assert filling_of(run(tmp_path / layer, "demo", "--layer", layer, *workload, *USED, status=None)) == 0


@pytest.mark.parametrize("drive", MODERN)
def test_drives_of_today_begin_used(drive):
    values = simulate("list", "parameters", drive).stdout
    line = next(line for line in values.splitlines() if line.startswith("simulation.caches"))
    assert "used" in line


def test_a_run_that_is_checked_knows_what_the_filling_wrote(tmp_path):
    for layer in ("media-cache", "mu-rmw", "hwsr"):
        cut = ("--check", "--cut-at", "2 s")
        run(tmp_path / layer, "demo", "--layer", layer, *SHORT, "--replay", "closed:4", *USED, *cut)


def test_less_is_asked_for_and_what_cannot_be_is_said(tmp_path):
    words = ("demo", "--layer", "media-cache", *SHORT)
    assert filling_of(run(tmp_path / "half", *words, "--prefill", 50, "--set", "simulation.caches=used", "--caches", "empty")) == 0
    half = [SIMULATOR, "run", *map(str, words), "--prefill", "50", "--out", tmp_path / "by-drive"]
    said = subprocess.run(half, capture_output=True, text=True).stdout
    assert "note: it began with empty caches: only those of a full drive are filled (--prefill 100)" in said
    refused = simulate("run", *words, *USED, "--prefill", 50, "--out", tmp_path / "x", status=2).stderr
    assert "--caches used needs a full drive, and this one is prefilled to 50 %" in refused
    assert "give --prefill 100" in refused
    state = tmp_path / "state"
    run(tmp_path / "saved", *words, "--save-state", state)
    refused = simulate("run", *words, *USED, "--load-state", state, "--out", tmp_path / "x", status=2).stderr
    assert "--load-state and --caches exclude each other" in refused
    noted = run(tmp_path / "noted", *words, "--set", "simulation.caches=used", "--caches", "empty").summary["run"]["notes"]
    assert "simulation.caches: without effect, --caches says what they hold" in noted
    wrong = simulate("run", *words, "--caches", "full", "--out", tmp_path / "x", status=2).stderr
    assert "empty" in wrong and "used" in wrong


def test_a_recording_fills_caches_with_its_past_and_says_where_it_has_none(tmp_path):
    """The first half of a recording, served and left out, is the state that a run of it would save: never the blocks that are measured."""
    trace = tmp_path / "trace.csv"
    trace.write_text("\n".join(f"{number * 100_000},host,0,Write,{(number * 7919 % 4000 + (4000 if number >= 600 else 0)) * 65536},65536,10" for number in range(1200)) + "\n")
    words = ("demo", "--layer", "media-cache", "--trace", trace, "--format", "msr", "--fold")
    later = run(tmp_path / "later", *words, "--skip", 600, *USED)
    run(tmp_path / "first", *words, "--limit", 600, "--caches", "empty", "--replay", "closed:32", "--save-state", tmp_path / "state")
    same(later, run(tmp_path / "loaded", *words, "--skip", 600, "--load-state", tmp_path / "state"))
    assert filling_of(later) == 600
    assert any(note.startswith("it began with used caches: the 600 requests before filled them") for note in later.summary["run"]["notes"])
    said = simulate("run", *words, *USED, "--out", tmp_path / "whole").stdout
    assert "! best case: these very requests had filled the caches before" in said
    said = simulate("run", *words, "--skip", 100, *USED, "--out", tmp_path / "little").stdout
    assert "! too short a past: the requests before these filled the caches in part only" in said


def test_a_trace_from_a_pipe_fills_no_caches(tmp_path):
    words = [SIMULATOR, "run", "demo", "--layer", "media-cache", "--trace", "/dev/stdin", "--format", "msr", "--out", tmp_path / "out"]
    msr = "\n".join(f"{number * 100_000},host,0,Write,{number * 4096},4096,10" for number in range(50)) + "\n"
    by_drive = subprocess.run(words, input=msr, capture_output=True, text=True)
    assert by_drive.returncode == 0, by_drive.stderr
    refused = subprocess.run([*words, *USED], input=msr, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "--caches used reads the trace twice, and /dev/stdin can be read only once" in refused.stderr


def test_a_stop_signal_ends_the_filling_too(tmp_path):
    (tmp_path / "writes.toml").write_text(WRITE.format(share=1.0))
    words = [SIMULATOR, "run", "common", "--layer", "media-cache", "--workload", tmp_path / "writes.toml", "--set", "layers.media_cache.cache=16 GiB", "--out", tmp_path / "out"]
    process = subprocess.Popen([*map(str, words)], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    while process.poll() is None and not (filling := open(children).read().split()):
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)  # the process that fills has these pipes, too
    assert process.returncode == 128 + signal.SIGTERM, said
    for _ in range(500):
        if not alive(filling[0]):
            break
        time.sleep(0.02)
    assert not alive(filling[0]), "the process that fills outlives no run"


def alive(process: str) -> bool:
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_layers_are_compared_with_used_caches(tmp_path):
    words = ("demo", "--layers", "cmr,media-cache", "--workload", "web-server", "--fold", "--limit", 300)
    said = simulate("compare", *words, *USED, "--out", tmp_path / "used").stdout
    assert "used caches" in said
    assert "used caches" not in simulate("compare", *words, "--caches", "empty", "--out", tmp_path / "empty").stdout
