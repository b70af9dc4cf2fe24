"""Reads that fail for a while, by track, and heads that wear: what a user sees of them."""

import numpy as np
import pytest
from simulate import run, simulate

from tessera.waves.dump import Dump

READS = """law = "uniform"
requests = 4000
range = "64 MiB"
write_share = 0.0
alignment = "4 KiB"
"""


def settings(*values):
    return tuple(word for value in values for word in ("--set", f"media.{value}"))


def reads(folder, *arguments, status=0):
    folder.mkdir()
    (folder / "w.toml").write_text(READS)
    words = ("bare", "--layer", "cmr", "--workload", folder / "w.toml", "--replay", "closed:1", "--requests", *arguments)
    return run(folder / "out", *words, status=status)


def test_retries_make_the_tail_of_reads_and_nothing_else(tmp_path):
    good = reads(tmp_path / "good")
    bad = reads(tmp_path / "bad", *settings("track_error_rates=[[0, 9999, 5000]]"))
    elsewhere = reads(tmp_path / "elsewhere", *settings("track_error_rates=[[0, 9999, 0], [0, 16000, 5000]]"))
    turn = 60_000 / 7200
    assert bad.metric("host.latency.p999") > good.metric("host.latency.p999") + turn
    assert bad.metric("host.latency.p50") == pytest.approx(good.metric("host.latency.p50"), rel=0.02)
    assert elsewhere.metric("host.latency.p999") == good.metric("host.latency.p999")
    assert bad.metric("defects.retries") >= bad.metric("defects.recovered") > 8
    assert bad.metric("media.head.0.unread_sectors") == bad.metric("media.faults.transient") > 8
    assert bad.metric("host.failed") == 0
    retried = bad.requests[np.argmax(bad.requests["error_recovery"])]
    assert retried["error_recovery"] > 0.5e9 * turn
    assert "error_recovery: bad sectors: tried again" in simulate("explain", tmp_path / "bad" / "out", int(retried["number"])).stdout


def test_waveforms_show_which_reads_failed(tmp_path):
    reads(tmp_path / "run", "--limit", 400, "--vcd", tmp_path / "w.vcd", *settings("track_error_rates=[[0, 9999, 20000]]"))
    shown = [change.value for change in Dump(tmp_path / "w.vcd").changes(["drive.media.unread_sectors"])]
    assert "1" in {value.lstrip("b0") or "0" for value in shown}


@pytest.mark.parametrize(("values", "sentence"), [
    (("track_error_rates=[[1, 10, 5]]",), "track_error_rates: row 1 names a surface that the drive does not have; expected 0 to 0"),
    (("track_error_rates=[[0, 10, 5], [0, 10, 6]]",), "track_error_rates: row 2 does not end beyond the row of its surface before it"),
    (("track_error_rates=[[0, 10, 1000001]]",), "a whole number of errors per million, 1000000 at most"),
    (("interference_limit=9", "interference_reach=0"), "media.interference_reach"),
    (("heat.laser_warm_up=2 s",), "media.heat.laser_warm_up"),
])
def test_rates_that_cannot_be_are_refused_before_the_run(tmp_path, values, sentence):
    assert sentence in simulate("run", "bare", "--workload", "random-4k", "--limit", 1, "--out", tmp_path, *settings(*values), status=2).stderr


def test_heads_that_wear_out_send_their_sectors_to_spares(tmp_path):
    words = ("bare", "--layer", "cmr", "--workload", "random-4k", "--limit", 3000, "--replay", "closed:4", "--check")
    worn = run(tmp_path / "worn", *words, *settings("heat.head_life=4 MiB", "heat.worn_faults_per_million=50000", "heat.laser_power=200 mW", "heat.laser_warm_up=5 us"))
    assert worn.metric("media.wear.used") == worn.metric("media.head.0.wear") > 1
    assert worn.metric("defects.write_faults") > 0
    assert worn.metric("scoreboard.errors") == 0
    assert worn.metric("media.energy.laser") == pytest.approx(0.2e-3 * worn.metric("media.time.laser"))
    assert worn.metric("media.time.laser") >= worn.metric("media.time.write")
