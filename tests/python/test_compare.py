"""`tessera compare`: the table and the columns are what the runs of their own would say."""

import csv
import io
import itertools
import json
import math
import os
import re
import signal
import statistics
import subprocess
import time
from unittest.mock import ANY

import pytest
from samples import metric, write_run
from simulate import LAYERS, run, simulate, started

from tessera import InputError, Run
from tessera.explore.comparison import Comparison, command_of
from tessera.figures.gallery import of_comparison
from tessera.reports import write_report
from tessera.reports.comparison_page import comparison_page
from tessera.results.bound_by import time_lines

SMALL = ("--workload", "web-server", "--fold", "--limit", 400)


def compare(folder, drive, *arguments, status=0):
    """The finished process and compare.json."""
    finished = simulate("compare", drive, *arguments, "--out", folder, status=status)
    return finished, json.loads((folder / "compare.json").read_text())


def table_rows(output, heading="layer"):
    """First cell of each line of the table under that heading -> its cells."""
    lines = output.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith(f"{heading} ") and lines[at + 1].startswith("---"))
    rows = [lines[start], *itertools.takewhile(bool, lines[start + 2 :])]
    return {cells[0]: cells for cells in (re.split(r" {2,}", row.strip()) for row in rows)}


def said_in(output):
    """Its sentences, each on a line."""
    return output.replace("\n    ", " ")


def test_all_means_every_layer_in_the_order_of_the_list(tmp_path):
    finished, result = compare(tmp_path, "bare", "--layers", "all", *SMALL)
    assert result["layers"]["layer"] == list(LAYERS)
    assert set(result["layers"]["status"]) == {"ok"}
    assert all(len(column) == len(LAYERS) for column in result["layers"].values())
    assert list(table_rows(finished.stdout))[1:] == list(LAYERS)
    assert [line for line in finished.stderr.splitlines() if " so far" not in line] == []  # but for progress
    assert max(map(len, finished.stdout.splitlines()[:-1])) <= 80  # the last one names a file


def test_verdicts_on_a_recorded_trace_are_over_its_blocks(tmp_path):
    """Seeds move the spindle only, and so settle nothing about what was recorded."""
    words = ("--layers", "cmr,imr-rmw", "--trace", "sample", "--baseline", "cmr")
    finished, result = compare(tmp_path / "long", "demo", *words, "--limit", 1000, "--seeds", 2)
    ratios = result["baselines"]["cmr"]
    assert ratios["host.latency.mean.verdict"] == [None, "worse"] and ratios["host.latency.mean.ratio.seeds"] == [10, 10]
    low, value, high = (ratios[f"host.latency.mean.{of}"][1] for of in ("ratio.low_95", "ratio", "ratio.high_95"))
    means = dict(zip(result["layers"]["layer"], result["layers"]["host.latency.mean"]))
    assert low < value < high and value == pytest.approx(means["imr-rmw"] / means["cmr"])
    assert ratios["write_amplification.total.verdict"] == [None, "not settled"]  # it has no blocks
    assert [len(values) for values in result["blocks"]["host.latency.mean"].values()] == [10, 10]
    assert "over 10 blocks of it, and hold on this recording" in said_in(finished.stdout) and "a ranking takes at least" not in finished.stdout
    assert not list((tmp_path / "long").rglob("requests.npy"))
    finished, result = compare(tmp_path / "short", "demo", *words, "--limit", 100)
    assert result["baselines"]["cmr"]["host.latency.mean.verdict"] == [None, "not settled"]
    assert "verdicts need 10 blocks of it, 200 requests or more" in said_in(finished.stdout)


def test_names_of_earlier_releases_are_those_of_today(tmp_path):
    drive = ("imr_20tb", "--layers", "static-14r23,cmr,shingled-in-place-14r23", "--baseline", "static-14r23")
    _, result = compare(tmp_path, *drive, "--set", "layers.static_14r23.band_tracks=4", "--workload", "random-4k", "--limit", 10)
    assert result["layers"]["layer"] == ["shingled-in-place-14r23", "cmr"]
    assert "shingled-in-place-14r23" in result["baselines"]


def test_a_row_is_what_the_run_alone_says(tmp_path):
    _, result = compare(tmp_path / "both", "bare", "--layers", "imr-rmw,mu-rmw", *SMALL, "--warmup", 0, "--check", "--seed", 5)
    alone = run(tmp_path / "alone", "bare", "--layer", "mu-rmw", *SMALL, "--warmup", 0, "--check", "--seed", 5)
    for metric in ("host.latency.mean", "host.latency.p999", "write_amplification.flash", "dram.reserved.total", "scoreboard.errors"):
        assert result["layers"][metric][1] == pytest.approx(alone.metric(metric), rel=1e-12)
    assert result["runs"]["seed"] == [5, 5]
    assert result["runs"]["host.requests"] == [400, 400]
    assert result["units"]["host.latency.mean"] == "ms"


def test_percentiles_by_name_have_columns_and_are_what_the_run_alone_says(tmp_path):
    finished, result = compare(tmp_path / "both", "common", "--layers", "cmr,mu-rmw", *SMALL, "--warmup", 0, "--percentiles", "99.95,75")
    head = table_rows(finished.stdout)["layer"]
    assert [cell for cell in head if cell.startswith("p")] == ["p75 ms", "p99.95 ms"]
    alone = run(tmp_path / "alone", "common", "--layer", "mu-rmw", *SMALL, "--warmup", 0, "--percentiles", "75,99.95", "--requests")
    for name, percent in (("p75", 75), ("p99_95", 99.95)):
        assert result["layers"][f"host.latency.{name}"][1] == pytest.approx(alone.metric(f"host.latency.{name}"), rel=1e-12)
        latencies = sorted(int(end) - int(begin) for begin, end in zip(alone.requests["arrival"], alone.requests["completion"], strict=True))
        exact = latencies[math.ceil(percent / 100 * len(latencies)) - 1] / 1e9
        assert exact <= alone.metric(f"host.latency.{name}") <= exact * (1 + 1 / 256)


@pytest.mark.parametrize(("seeds", "quantile"), [(2, 12.706), (5, 2.776), (10, 2.262)])  # of Student's t, 0.975, seeds - 1
def test_means_over_seeds_carry_the_width_of_their_interval(tmp_path, seeds, quantile):
    finished, result = compare(tmp_path, "bare", "--layers", "cmr", *SMALL, "--seeds", seeds)
    means = result["runs"]["host.latency.mean"]
    assert result["runs"]["seed"] == list(range(1, seeds + 1))
    assert len(set(means)) == seeds
    half_width = quantile * statistics.stdev(means) / math.sqrt(seeds)
    assert result["layers"]["host.latency.mean"] == [pytest.approx(statistics.mean(means))]
    assert result["layers"]["host.latency.mean.half_width_95"] == [pytest.approx(half_width, rel=1e-3)]
    assert "±" in table_rows(finished.stdout)["cmr"][1]
    assert any("at least 10 seeds" in note for note in result["comparison"]["notes"]) == (seeds < 10)


def test_a_recorded_trace_differs_by_seed_as_the_spindle_stands_elsewhere(tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("".join(f"{128166372003061629 + n * 200000},hm,0,Read,{n * 7919 % 1000 * 4096},4096,1\n" for n in range(50)))
    _, result = compare(tmp_path / "out", "bare", "--layers", "cmr", "--trace", trace, "--seeds", 3)
    assert len(set(result["runs"]["host.latency.mean"])) == 3


def test_a_layer_that_the_drive_cannot_carry_says_why_and_the_others_go_on(tmp_path):
    finished, result = compare(tmp_path, "bare", "--layers", "mu-rmw,cmr", *SMALL, "--set", "nand.blocks=0", status=2)
    refusal, good = result["layers"]["status"]
    assert refusal.startswith("the layer mu-rmw needs NAND flash")
    assert good == "ok"
    assert result["layers"]["host.latency.mean"][0] is None
    assert result["layers"]["host.latency.mean"][1] > 0
    assert list(table_rows(finished.stdout)) == ["layer", "cmr"]
    assert f"\n  ! mu-rmw: {refusal}\n" in said_in(finished.stdout)
    assert result["runs"]["exit_status"] == [2, 0]


def test_the_longest_warm_up_is_left_out_of_all_layers(tmp_path):
    """Of latencies and throughput, as `--warmup N` leaves it out."""
    cold = ("--layers", "cmr,imr-rmw", "--workload", "oltp", "--fold", "--prefill", 100, "--limit", 20000)
    finished, result = compare(tmp_path / "found", "demo", *cold, "--baseline", "cmr")
    said = re.search(r"note: latencies and throughput leave out the first 1/(\d+) of each run, the longest warm-up of all \(--warmup 0 keeps it\); other figures are of whole runs", said_in(finished.stdout))
    left_out = math.ceil(20000 / int(said[1]))
    _, by_hand = compare(tmp_path / "given", "demo", *cold, "--baseline", "cmr", "--warmup", left_out)
    _, whole = compare(tmp_path / "whole", "demo", *cold, "--warmup", 0)
    for name in ("mean", "p99", "max"):
        found, given, all_ = (each["layers"][f"host.latency.{name}"] for each in (result, by_hand, whole))
        assert found == pytest.approx(given, rel=1 / 256)  # a percentile of the simulator is of a bucket
        assert found != all_ or name == "max"
        assert result["runs"][f"host.latency.{name}"] == found
    assert result["comparison"]["warm_up"] == int(said[1]) and all("whole runs" in chart.note for chart in of_comparison(Comparison(tmp_path / "found")))
    assert whole["comparison"]["warm_up"] is None and not any("whole runs" in chart.note for chart in of_comparison(Comparison(tmp_path / "whole")))
    ratios = [each["baselines"]["cmr"]["host.latency.mean.ratio"][1] for each in (result, by_hand)]
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-9)
    assert result["runs"]["host.throughput"] == pytest.approx(by_hand["runs"]["host.throughput"], rel=0.01)
    for of_whole in ("energy.total", "write_amplification.total", "host.served"):
        assert result["runs"][of_whole] == whole["runs"][of_whole]
    assert not any("warm-up" in note for each in (by_hand, whole) for note in each["comparison"]["notes"])


def test_a_run_of_a_comparison_leaves_what_the_run_alone_does(tmp_path):
    """The log of its requests is there to find the warm-up, and goes again."""
    compare(tmp_path / "all", "demo", "--layers", "cmr,imr-rmw", *SMALL)
    words = json.loads((tmp_path / "all" / "cmr" / "1" / "simulation.json").read_text())
    run(tmp_path / "alone", "demo", "--layer", "cmr", *SMALL, "--fold-at", words["fold_at"], "--seed", 1)
    files = [{file.name for file in folder.iterdir()} for folder in (tmp_path / "all" / "cmr" / "1", tmp_path / "alone")]
    assert files[0] - {"simulation.json"} == files[1] - {"simulation.json"} and "requests" not in words
    for name in ("run.toml", "run.json"):
        assert (tmp_path / "all" / "cmr" / "1" / name).read_text() == (tmp_path / "alone" / name).read_text()
    compare(tmp_path / "logged", "demo", "--layers", "cmr", *SMALL, "--requests")
    assert (tmp_path / "logged" / "cmr" / "1" / "requests.npy").exists()


def test_a_refused_layer_does_not_show_an_earlier_comparison(tmp_path):
    compare(tmp_path, "bare", "--layers", "mu-rmw,cmr", *SMALL)
    _, result = compare(tmp_path, "bare", "--layers", "mu-rmw,cmr", *SMALL, "--set", "nand.blocks=0", status=2)
    assert result["layers"]["host.latency.mean"][0] is None
    simulate("compare", "bare", "--layers", "mu-rmw", *SMALL, "--set", "nand.blocks=0", "--out", tmp_path, status=2)
    assert not (tmp_path / "compare.json").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--layers", "imr-rwm", *SMALL), "--layers: unknown layer 'imr-rwm'; did you mean 'imr-rmw'?"),
        (("--layers", "cmr,imr-rmw", *SMALL, "--baseline", "imr-rwm"), "--baseline: unknown baseline 'imr-rwm'; did you mean 'imr-rmw'?"),
        (("--layers", "imr-rmw", *SMALL, "--baseline", "cmr"), "--baseline: unknown baseline 'cmr'"),
        (("--layers", "cmr", *SMALL, "--baseline", "bets"), "did you mean 'best'?"),
        (("--layers", "cmr", "--workload", "web-servr"), "did you mean 'web-server'?"),
        (("--layers", "cmr", "--trace", "nowhere.csv"), "nowhere.csv: no such file"),
        (("--layers", "cmr,imr-rmw", *SMALL, "--set", "media.rmp=7200 rpm"), "did you mean 'media.rpm'?"),
        (("--layers", "cmr,imr-rmw", *SMALL, "--chekc"), "unknown option '--chekc'; did you mean '--check'?"),
        (("--layers", "cmr,cmr", *SMALL), "--layers: 'cmr' is named twice"),
        (("--layers", "all,cmr", *SMALL), "--layers: 'all' stands alone"),
        (("--layers", "cmr", *SMALL, "--vcd", "a.vcd"), "--vcd a.vcd: a recording is of one run; run it by itself ('run')"),
        (("--layers", "cmr", *SMALL, "--layer", "cmr"), "a comparison takes its layers from 'layers', not from 'layer'"),
        (("--layers", "cmr", *SMALL, "--seeds", "10001"), "--seeds: expected a whole number from 1 to 10000, found 10001"),
        (("--layers", "cmr", *SMALL, "--prefill", "1", "--prefill=2"), "--prefill was given 2 times, expected once"),
        (("--layers", "cmr", *SMALL, "--wide", "--csv"), "--wide, --csv and --json exclude each other"),
    ],
)
def test_what_no_layer_could_run_is_said_once(tmp_path, arguments, expected):
    finished = simulate("compare", "bare", *arguments, "--out", tmp_path / "out", status=2)
    assert expected in finished.stderr
    assert len(finished.stderr.splitlines()) == 1 and finished.stdout == ""
    assert not (tmp_path / "out" / "compare.json").exists() and not list(tmp_path.glob("out/*"))


def test_figures_that_do_not_rank_say_why(tmp_path):
    finished, result = compare(tmp_path, "bare", "--layers", "cmr,mu-rmw", *SMALL)
    layers = result["layers"]
    assert layers["host.latency.mean.unranked"][0] is None  # it never cleans, so it has no steady state to wait for
    assert layers["host.latency.mean.unranked"][1].startswith("fewer than 20 cleanings")
    assert layers["host.latency.p99.unranked"][0].startswith("fewer than 100 requests")
    assert layers["metadata.bytes.unranked"] == [None, None]
    rows = table_rows(finished.stdout)
    assert rows["mu-rmw"][1].endswith("*") and not rows["cmr"][1].endswith("*")
    assert finished.stdout.splitlines()[1:3] == ["  ! mu-rmw*: fewer than 20 cleanings: the caches were hardly ever full", "  ! p99, p99.9: fewer than 100 requests lie above it"]


def test_ratios_to_a_baseline_are_those_of_runs_with_one_seed(tmp_path):
    finished, result = compare(tmp_path, "bare", "--layers", "cmr,imr-rmw,mu-rmw", *SMALL, "--seeds", 3, "--baseline", "cmr,best")
    means = result["runs"]["host.latency.mean"]
    by_seed = [means[3 + seed] / means[seed] for seed in range(3)]
    ratios = result["baselines"]["cmr"]
    expected = math.exp(statistics.mean(map(math.log, by_seed)))
    half = 4.303 * statistics.stdev(map(math.log, by_seed)) / math.sqrt(3)  # Student's t, two degrees of freedom
    assert ratios["layer"] == ["cmr", "imr-rmw", "mu-rmw"]
    assert ratios["host.latency.mean.ratio"][:2] == [1, pytest.approx(expected)]
    assert ratios["host.latency.mean.ratio.low_95"][1] == pytest.approx(expected * math.exp(-half), rel=1e-3)
    assert ratios["host.latency.mean.ratio.high_95"][1] == pytest.approx(expected * math.exp(half), rel=1e-3)
    assert ratios["host.latency.mean.ratio.seeds"] == [3, 3, 3]
    # mu-rmw may be the quickest, but its cache never filled: it ranks nowhere, and its ratio says so.
    assert result["baselines"]["best"]["host.latency.mean.against"] == "cmr"
    assert ratios["host.latency.mean.ratio.unranked"][2].startswith("fewer than 20 cleanings")
    assert ratios["host.latency.mean.verdict"] == [None, ANY, None]
    rows = table_rows(finished.stdout, "times cmr")
    assert rows["cmr"][1] == "1" and rows["mu-rmw"][1].endswith("*")
    assert table_rows(finished.stdout, "times best")["cmr"][1] == "best"


def test_a_verdict_is_of_the_layers_that_rank(tmp_path):
    finished, result = compare(tmp_path, "demo", "--layers", "cmr,imr-rmw,mu-rmw", *SMALL[:-2], "--limit", 1500, "--seeds", 3, "--baseline", "best")
    verdicts = result["baselines"]["best"]["host.latency.mean.verdict"]
    assert verdicts == [None, "worse", None]  # mu-rmw never cleaned
    assert table_rows(finished.stdout, "times best")["imr-rmw"][1].endswith(" worse")


def test_enough_cleanings_and_requests_rank(tmp_path):
    few_blocks = ("--set", "nand.blocks=64", "--workload", "quarter-updates", "--fold", "--replay", "closed:8", "--limit", 12000)
    _, result = compare(tmp_path, "mu-rmw-paper", "--layers", "mu-rmw", *few_blocks)
    assert result["layers"]["cleaning.count"][0] >= 20
    assert result["layers"]["host.latency.mean.unranked"] == [None]
    assert result["layers"]["host.latency.p99.unranked"] == [None]
    assert result["layers"]["host.latency.p999.unranked"][0].startswith("fewer than 100 requests")


def test_control_c_ends_the_runs_in_order_and_says_where_they_are(tmp_path):
    words = ("compare", "bare", "--layers", "cmr,imr-rmw", "--workload", "random-4k", "--seeds", "500", "--jobs", "2", "--out", tmp_path / "out")
    process = subprocess.Popen(**started(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    deadline = time.monotonic() + 60
    while not (tmp_path / "out" / "cmr" / "1" / "summary.json").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and errors.endswith(f"tessera: interrupted; the runs so far are in {tmp_path / 'out' / 'compare.json'}, marked as partial\n"), errors
    result = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert result["comparison"]["partial"]
    assert result["runs"]["exit_status"][0] == 0 and None in result["runs"]["exit_status"]


def test_wide_has_every_column_and_where_the_time_goes(tmp_path):
    said = simulate("compare", "demo", "--layers", "cmr,imr-rmw", *SMALL[:-2], "--limit", 1500, "--seeds", 2, "--baseline", "cmr", "--wide", "--out", tmp_path).stdout
    assert table_rows(said)["layer"][-1] == "errors"
    assert re.search(r"^imr-rmw +[0-9.]+ \[[0-9.]+, [0-9,.]+\] (worse|not settled) ", said, re.MULTILINE)
    lines = said.split("Where the time goes:\n")[1].splitlines()[:4]
    assert [line.split()[:3] for line in lines] == [[layer, ops, "mean"] for layer in ("cmr", "imr-rmw") for ops in ("reads", "writes")]
    assert all("; slowest 1 % " in line for line in lines)
    assert "Whose work it is:\n" in said


def test_data_on_standard_output_is_that_of_the_file(tmp_path):
    words = ("compare", "bare", "--layers", "cmr,mu-rmw", *SMALL)
    told = json.loads(simulate(*words, "--json", "--out", tmp_path / "a").stdout)
    assert told == json.loads((tmp_path / "a" / "compare.json").read_text())
    rows = list(csv.DictReader(io.StringIO(simulate(*words, "--csv", "--out", tmp_path / "b").stdout)))
    assert [row["layer"] for row in rows] == ["cmr", "mu-rmw"]
    assert [float(row["host.latency.mean"]) for row in rows] == told["layers"]["host.latency.mean"]
    assert rows[0]["host.latency.mean.unranked"] == ""


def test_a_seed_that_fails_does_not_hide_the_others(tmp_path, monkeypatch):
    words = ("--layers", "cmr,imr-rmw", "--workload", "random-4k", "--limit", 50, "--seeds", 2)
    simulate("compare", "demo", *words, "--save-state", tmp_path / "warm", "--out", tmp_path / "a")
    (tmp_path / "warm" / "cmr" / "2.state").write_text("torn")
    finished, result = compare(tmp_path / "b", "demo", *words, "--load-state", tmp_path / "warm", status=2)
    assert result["runs"]["exit_status"] == [0, 2, 0, 0]
    assert result["layers"]["status"][0].startswith("1 of 2 runs, first with seed 2: ") and result["layers"]["status"][1] == "ok"
    assert result["layers"]["host.latency.mean"][0] == result["runs"]["host.latency.mean"][0]
    assert "tessera: refused: cmr; the table says why" in finished.stderr


def run_of(folder, **parts):
    """A run whose reads and writes took so many ms in these parts: read_time_seek=4 is host.read.time.seek."""
    return Run(write_run(folder, {"host." + name.replace("_", ".", 2): metric(ms, "ms") for name, ms in parts.items()}))


def test_where_the_time_goes_is_a_mean_over_seeds(tmp_path):
    cmr = [run_of(tmp_path / "a", read_time_seek=4.0, read_slowest_seek=8.0), run_of(tmp_path / "b", read_time_seek=2.0, read_time_lock=2.0, read_slowest_lock=8.0)]
    assert time_lines({"cmr": cmr, "imr-rmw": [run_of(tmp_path / "c", write_time_background_wait=9.0, write_slowest_background_wait=90.0)], "none": []}) == [
        "", "Where the time goes:",
        "cmr      reads   mean 4.00 ms: media 75 %, lock 25 %; slowest 1 % 8.00 ms: media 50 %, lock 50 %",
        "imr-rmw  writes  mean 9.00 ms: background work 100 %; slowest 1 % 90.0 ms: background work 100 %",
    ]  # fmt: skip


def test_the_margin_of_a_comparison_is_the_users(tmp_path):
    finished, result = compare(tmp_path, "bare", "--layers", "cmr,imr-rmw", *SMALL, "--seeds", 3, "--baseline", "cmr", "--margin", 50)
    assert "equal: within 50 %;" in finished.stdout and result["comparison"]["margin"] == 50
    assert "--margin 50" in command_of(tmp_path)
    with pytest.raises(InputError, match="judged within 50 %; 'tessera compare' takes another"):
        write_report(tmp_path, margin=3)
    write_report(tmp_path, margin=50)
    refused = simulate("compare", "bare", "--layers", "cmr", *SMALL, "--margin", 51, "--out", tmp_path / "no", status=2)
    assert "--margin: expected a percentage above 0 and up to 50, found 51" in refused.stderr


def test_overloaded_layers_are_compared_by_what_they_serve(tmp_path):
    """Requests that come faster than any layer serves them."""
    trace = tmp_path / "overload.csv"
    trace.write_text("".join(f"{128166372003061629 + n * 1000},hm,0,Write,{n * 7919 % 5_000_000 * 4096},4096,1\n" for n in range(4_000)))
    finished, result = compare(tmp_path / "out", "bare", "--layers", "imr-rmw,cmr", "--trace", trace, "--baseline", "cmr,best")
    assert table_rows(finished.stdout)["layer"][1] == "req/s" and "req/s: requests served per second, by which overloaded layers are compared." in said_in(finished.stdout)
    ratios = result["baselines"]["cmr"]
    assert ratios["host.throughput.verdict"] == ["worse", None] and ratios["host.throughput.ratio"][0] < 1
    assert ratios["host.latency.mean.verdict"] == [None, None] and result["baselines"]["best"]["host.throughput.against"] == "cmr"
    page = comparison_page(Comparison(tmp_path / "out"), "Which layer has the smallest p99?")
    assert page.answer.startswith("Not settled: no figure may be ranked (requests piled up to the end") and "Overloaded designs are compared by throughput: cmr has the largest throughput" in page.answer
    assert page.findings[-1].startswith("Overloaded layers are compared by what they serve: cmr serves ") and not any("p99" in each for each in page.findings)
    _, calm = compare(tmp_path / "calm", "bare", "--layers", "imr-rmw,cmr", "--trace", trace, "--replay", "closed:1", "--limit", 100)
    assert "host.throughput" not in calm["layers"]
