"""The results of a served drive (serve --out): the files of a run, waveforms, a report, and a snapshot at SIGUSR1."""

import csv
import json
import signal

import numpy
from nbd import DISCONNECT, FUA, TRIM, WRITE_ZEROES, Served
from simulate import simulate

from tessera.reports.run_page import run_page
from tessera.results.run_folder import Run

BLOCK = 4096


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def value(folder, name):
    return summary(folder)["metrics"][name]["value"]


def rows_of(file):
    with file.open() as text:
        return list(csv.DictReader(text))


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

        drive.process.send_signal(signal.SIGUSR1)
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
    assert len(rows_of(out / "intervals.csv")) >= 6
    assert (out / "drive.toml").exists()
    said = drive.log.read_text()
    assert "common, layer imr-rmw, served:" in said
    assert f"results: {out}" in said
    assert value(out, "run.simulated_seconds") > 0
    assert "completed" in simulate("explain", out, 3).stdout


def test_a_snapshot_without_a_folder_is_refused_in_words(tmp_path):
    with Served(tmp_path, "common", "--layer", "cmr") as drive:
        drive.process.send_signal(signal.SIGUSR1)
        drive.said("there is no --out DIR")
        drive.connect().write(0, b"1" * BLOCK)
    assert drive.status == 0


def test_a_served_drive_records_what_a_run_records(tmp_path):
    out, waves = tmp_path / "out", tmp_path / "w.vcd"
    logs = ["--requests", "--intervals", "1 s", "--events", "--places", "--percentiles", "50,99.99"]
    trigger = ["--vcd", waves, "--record-trigger", "request:3", "--record-before", "1 us", "--record-after", "1 ms"]
    with Served(tmp_path, "common", "--layer", "imr-rmw", "--out", out, *logs, *trigger) as drive:
        client = drive.connect()
        for block in range(8):
            client.write(BLOCK * 1000 * block, b"1" * BLOCK, FUA)
        drive.cut_power()
    assert drive.status == 0
    assert value(out, "host.latency.p99_99") == value(out, "host.latency.max")
    kinds = [row["kind"] for row in rows_of(out / "events.csv")]
    assert kinds.count("power_cut") == 1
    assert sum(int(row["sectors_written"]) for row in rows_of(out / "tracks.csv")) >= 8
    assert sum(int(row["requests"]) for row in rows_of(out / "intervals.csv")) == 8
    fourth = numpy.load(out / "requests.npy")[3]
    times = [int(line[1:]) for line in waves.read_text().splitlines() if line.startswith("#")]
    assert int(fourth["issue"]) - 2_000_000 <= times[-2] <= times[-1] <= int(fourth["issue"]) + 1_000_000_000
    assert waves.with_suffix(".gtkw").exists()


def test_a_served_folder_makes_a_report(tmp_path):
    out = tmp_path / "out"
    with Served(tmp_path, "common", "--layer", "cmr", "--out", out, "--requests", "--percentiles", "50,99.99") as drive:
        client = drive.connect()
        for block in range(8):
            client.write(BLOCK * block, b"1" * BLOCK, FUA)
    page = run_page(Run(out))
    assert page.question == f"How does cmr serve clients at unix:{drive.path}?"
    assert "p99.99" in page.findings[0]
    assert page.commands == [f"# clients chose the requests: such a session cannot be repeated; {out / 'drive.toml'} is the drive as it was"]
    assert {"latency-tail", "life"} <= {chart.name for chart in page.charts}


def test_an_event_of_a_served_drive_that_never_came_is_named(tmp_path):
    out = tmp_path / "out"
    with Served(tmp_path, "common", "--layer", "cmr", "--out", out, "--timeline", tmp_path / "t.json", "--record-trigger", "merge") as drive:
        drive.connect().write(0, b"1" * BLOCK, FUA)
    assert any("the waveform trigger 'merge' never came" in note for note in summary(out)["run"]["notes"])


def test_results_want_a_folder(tmp_path):
    for words in (["--requests"], ["--intervals", "1 s"], ["--events"], ["--places"], ["--vcd", tmp_path / "w.vcd"]):
        assert "--out" in simulate("serve", "common", "--nbd", f"unix:{tmp_path}/x", *words, status=2).stderr
