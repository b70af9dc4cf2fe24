"""Percentiles that the user names (--percentiles) stand in every table, picture and sentence."""

import json

import pytest
from simulate import simulate

from tessera.errors import InputError
from tessera.explore import run_sweep
from tessera.explore.comparison import Comparison
from tessera.explore.plan import plan_of
from tessera.figures.pictures import latency_percentiles
from tessera.reports.comparison_page import comparison_page
from tessera.reports.run_page import run_page, runs_page
from tessera.reports.sweep_page import sweep_page
from tessera.results.human import figure
from tessera.results.percentiles import parse
from tessera.results.run_folder import Run
from tessera.traces.measures import measures
from tessera.traces.table import read_trace

NAMED = "50,99,99.9,99.99"
METRIC = "host.latency.p99_99"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("named") / "compared"
    words = ["--workload", "random-4k", "--limit", 200, "--fold", "--percentiles", NAMED, "--jobs", 1, "--out", out]
    simulate("compare", "bare", "--layers", "cmr,imr-rmw", *words)
    return out


def test_a_comparison_has_a_column_for_each(folder):
    table = comparison_page(Comparison(folder)).tables[0]
    titles = [column.title for column in table.columns]
    assert [title for title in titles if title != "requests/s"][:6] == ["layer", "mean", "p99", "p99.9", "p99.99", "WA"]
    longest = Comparison(folder).columns["layers"]["host.latency.max"]
    assert [row[4].value for row in table.rows] == longest


def test_a_run_has_them_in_its_sentence_and_picture(folder):
    run = Run(folder / "cmr" / "1")
    assert f", p99.99 {figure(run.metric(METRIC), 'ms')}, longest" in run_page(run).findings[0]
    (line,) = latency_percentiles({"cmr": run}).lines
    assert line.y[-1] == pytest.approx(1e-4)
    assert "p99.99" in [column.title for column in runs_page({"cmr": run}, "", "", [], {"cmr": {}}, "").tables[0].columns]


def test_a_sweep_has_a_column_for_each(tmp_path):
    run = {"drive": "bare", "workload": "random-4k", "limit": 100, "fold": True, "percentiles": NAMED}
    table = sweep_page(run_sweep(plan_of({"run": run, "axes": {"layer": ["cmr"]}}), tmp_path / "out", jobs=1)).tables[0]
    assert METRIC in [column.title for column in table.columns]


def test_a_trace_is_described_by_them(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{10_000 * n * n},web,0,Read,{4096 * (n % 7)},4096,0\n" for n in range(100)))
    found = measures(read_trace(trace), (50, 99.99))
    assert [name for name in found if name.startswith("gap_p")] == ["gap_p50_ms", "gap_p99.99_ms"]
    assert found["gap_p99.99_ms"] == pytest.approx(197, rel=0.001)
    assert "reuse_distance_p99.99_bytes" in found


@pytest.mark.parametrize("text", ["", "x", "0", "100", "50,,99", "-1"])
def test_what_is_no_percentile_is_refused(text):
    with pytest.raises(InputError, match="expected numbers above 0 and below 100"):
        parse(text)


def test_summary_holds_them_for_all_reads_and_writes(folder):
    metrics = json.loads((folder / "cmr" / "1" / "summary.json").read_text())["metrics"]
    assert {METRIC, "host.read.latency.p99_99", "host.write.latency.p99_99"} <= set(metrics)
