"""The results of a served drive (serve --out): the summary, requests and intervals of a run, and a snapshot at SIGUSR2."""

import csv
import json
import signal

import numpy
from nbd import DISCONNECT, FUA, TRIM, WRITE_ZEROES, Served
from simulate import simulate

BLOCK = 4096


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def value(folder, name):
    return summary(folder)["metrics"][name]["value"]


def test_a_served_drive_reports_what_a_run_reports(tmp_path):
    out = tmp_path / "out"
    with Served(tmp_path, "common", "--layer", "imr-rmw", "--out", out, "--requests", "--intervals", "10 requests") as drive:
        client = drive.connect()
        for block in range(40):
            client.write(BLOCK * block, b"1" * BLOCK, FUA)
        for block in range(20):
            client.read(BLOCK * block, BLOCK)
        assert client.call(TRIM, 0, BLOCK)[0] == 0
        client.flush()

        drive.process.send_signal(signal.SIGUSR2)
        drive.said("results so far")
        assert summary(out)["run"]["partial"] is True
        assert value(out, "host.requests") == 62

        drive.cut_power()
        client = drive.connect()
        assert client.call(WRITE_ZEROES, 0, 3 << 20)[0] == 0  # three writes of 1 MiB
        client.send(DISCONNECT)
        assert client.ended()
    assert drive.status == 0
    run = summary(out)["run"]
    assert (run["partial"], run["power_cuts"], run["layer"]) == (False, 1, "imr-rmw")
    assert value(out, "host.requests") == value(out, "host.served") == 65
    assert value(out, "host.bytes_written") == 40 * BLOCK + (3 << 20)
    assert value(out, "host.bytes_read") == 20 * BLOCK
    assert value(out, "media.sectors_written.total") >= 40
    assert 0 < value(out, "host.read.latency.p50") <= value(out, "host.read.latency.max")
    requests = numpy.load(out / "requests.npy")
    assert sorted(requests["number"]) == list(range(65))
    assert list(numpy.bincount(requests["op"], minlength=4)) == [20, 43, 1, 1]
    latency = requests["completion"] - requests["arrival"]
    assert abs(latency[requests["op"] == 0].max() / 1e9 - value(out, "host.read.latency.max")) < 0.01
    with (out / "intervals.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 6
    assert (out / "drive.toml").exists()
    said = drive.log.read_text()
    assert "common, layer imr-rmw, served:" in said
    assert f"results: {out}" in said
    assert value(out, "run.simulated_seconds") > 0
    assert "completed" in simulate("explain", out, 3).stdout


def test_a_snapshot_without_a_folder_is_refused_in_words(tmp_path):
    with Served(tmp_path, "common", "--layer", "cmr") as drive:
        drive.process.send_signal(signal.SIGUSR2)
        drive.said("there is no --out DIR")
        drive.connect().write(0, b"1" * BLOCK)
    assert drive.status == 0


def test_results_want_a_folder(tmp_path):
    for words in (["--requests"], ["--intervals", "1 s"]):
        assert "--out" in simulate("serve", "common", "--nbd", f"unix:{tmp_path}/x", *words, status=2).stderr
