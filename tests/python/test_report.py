"""Reports, looked at with a browser: they stand alone, nothing fails in them, and they can be read and worked with at both widths."""

import re
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.evidence.intervals import of_mean
from tessera.figures import pictures
from tessera.reports import write_report
from tessera.reports.comparison_page import comparison_page
from tessera.reports.effects import effect_of

browser = pytest.importorskip("browser")
SMALL = {"workload": "web-server", "fold": True, "limit": 800, "prefill": 100}
WIDTHS = (1280, 400)
KINDS = ("run", "comparison", "sweep")


pytestmark = pytest.mark.usefixtures("the_built_simulator")


@pytest.fixture(scope="module")
def reports(the_built_simulator, tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    tessera.run("demo", layer="fluid", requests=True, events=True, out=folder / "run", **SMALL)
    tessera.compare("demo", layers=("imr-rmw", "cmr", "mu-rmw"), baselines=("cmr", "best"), requests=True, out=folder / "comparison", **SMALL)
    axes = {"layer": ["cmr", "imr-rmw", "mu-rmw"], "nand.blocks": [0, 384, 512], "seed": [1, 2]}  # mu-rmw cannot be without flash
    tessera.sweep({"title": "Flash and <layers>", "run": {"drive": "demo", **SMALL}, "axes": axes}, out=folder / "sweep", jobs=2)
    return {kind: write_report(folder / kind) for kind in KINDS}


@pytest.fixture(scope="module", params=WIDTHS)
def chromium(request):
    if browser.CHROMIUM is None:
        assert not os.environ.get("TESSERA_STRICT"), browser.MISSING  # in CI it is there
        pytest.skip(browser.MISSING)
    with browser.Browser(request.param) as opened:
        opened.width = request.param
        yield opened


@pytest.fixture(params=KINDS)
def page(request, chromium, reports):
    chromium.errors.clear()
    chromium.requests.clear()
    chromium.open(reports[request.param])
    chromium.kind = request.param
    yield chromium
    assert chromium.errors == []
    assert [url for url in chromium.requests if not url.startswith(("file:", "data:", "blob:"))] == []  # nothing from the network


def test_every_figure_is_drawn_and_nothing_is_wider_than_the_page(page):
    figures = page.run("document.querySelectorAll('.plot').length")
    assert figures >= {"run": 5, "comparison": 3, "sweep": 2}[page.kind]
    assert page.run("[...document.querySelectorAll('.plot')].filter(plot => plot.querySelector('.main-svg')).length") == figures
    assert page.run("document.documentElement.scrollWidth") <= page.width
    assert page.run("[...document.querySelectorAll('.plot .main-svg')].every(svg => svg.getBoundingClientRect().right <= innerWidth)")
    assert page.run("[...document.querySelectorAll('.legend .scrollbar')].every(bar => bar.getBoundingClientRect().height === 0)")
    smallest = "Math.min(...[...document.querySelectorAll('h1, h2, li, td, th, button, pre')].map(e => parseFloat(getComputedStyle(e).fontSize)))"
    assert page.run(smallest) >= 12


def test_a_window_that_changes_its_width_is_drawn_for_it_at_once(page):
    others = [width for width in WIDTHS if width != page.width]
    try:
        for width in (*others, page.width):
            page.resize(width)
            page.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            off = "plot => Math.abs(plot.querySelector('.main-svg').getBoundingClientRect().width - plot.clientWidth)"
            assert page.run(f"Math.max(...[...document.querySelectorAll('.plot')].map({off}))") <= 1
            assert page.run("[...document.querySelectorAll('.legend .scrollbar')].every(bar => bar.getBoundingClientRect().height === 0)")
    finally:
        page.resize(page.width)


def test_a_click_sorts_a_table_by_its_figures_and_another_the_other_way(page):
    column = {"run": 1, "comparison": 1, "sweep": 3}[page.kind]
    page.run("document.querySelectorAll('details').forEach(d => d.open = true)")
    read = (
        f"[...document.querySelector('table').tBodies[0].rows].map(row => row.cells[{column}].dataset.value)"
        ".filter(value => value !== '').map(Number)"
    )
    click = f"document.querySelector('table').tHead.rows[0].cells[{column}].querySelector('button').click()"
    before = page.run(read)
    page.run(click)
    assert page.run(read) == sorted(before)
    page.run(click)
    assert page.run(read) == sorted(before, reverse=True)
    assert page.run(f"document.querySelector('table').tHead.rows[0].cells[{column}].getAttribute('aria-sort')") == "descending"


def test_the_theme_turns_page_and_figures_dark(page):
    page.run("document.documentElement.dataset.theme === 'light' || document.getElementById('theme').click()")
    light = page.run("getComputedStyle(document.body).backgroundColor")
    page.run("document.getElementById('theme').click()")
    assert page.run("document.documentElement.dataset.theme") == "dark"
    assert page.run("getComputedStyle(document.body).backgroundColor") != light
    assert page.run("document.querySelector('.plot').layout.font.color") == page.run("getComputedStyle(document.documentElement).getPropertyValue('--ink')")


def test_tables_fold_and_copy_with_every_digit_and_figures_save(page):
    assert page.run("(() => { const d = document.querySelector('details'); const was = d.open; d.querySelector('summary').click(); return was !== d.open })()")
    csv = page.run("reportCsv(document.querySelector('table'))").splitlines()
    assert len(csv) == 1 + page.run("document.querySelector('table').tBodies[0].rows.length")
    svg = page.run("Plotly.toImage(document.querySelector('.plot'), {format: 'svg', width: 500, height: 300})")
    assert svg.startswith("data:image/svg+xml")


def test_a_sweep_s_report_shows_failures_and_what_must_not_be_ranked(reports):
    text = reports["sweep"].read_text()
    assert "2 of 18 runs failed" in text
    assert "the layer mu-rmw needs NAND flash" in text
    assert "must not be ranked" in text
    assert "Flash and &lt;layers&gt;" in text and "<layers>" not in text


def test_an_axis_is_judged_by_runs_that_are_alike_in_all_else():
    rows = [("a", 1.0, 1.0, 10.0), ("a", 2.0, 1.0, 20.0), ("b", 1.0, 1.0, 900.0), ("a", 1.0, 2.0, 30.0), ("a", 2.0, 2.0, 40.0)]
    good = pl.DataFrame(rows, schema=["axis.layer", "axis.size", "axis.seed", "m"], orient="row")
    axes = ["layer", "size", "seed"]
    # Layer b ran with size 1 alone, so that it would make size 1 look slow.
    size = effect_of(good, axes, "size", "m")
    assert (size.low, size.high) == ((1, pytest.approx(300**0.5)), (2, pytest.approx(800**0.5)))
    # Seeds are no factor: they make the interval, and what differs by them is not "what else differs".
    assert (size.least, size.most) == (pytest.approx(1.633, rel=1e-3), pytest.approx(1.633, rel=1e-3))
    assert size.ratio.count == 2 and size.ratio.low < 1 < size.ratio.high
    assert size.sentence("ms") == "not settled: from 17.3 ms (1) to 28.3 ms (2), a factor of 1.63 [0.124 to 21.5, 2 seeds], all else alike."
    layer = effect_of(good, axes, "layer", "m")
    assert (layer.low, layer.high) == (("a", pytest.approx(10)), ("b", pytest.approx(900)))
    assert effect_of(good, axes, "nothing", "m") is None


def test_what_is_slow_for_another_reason_does_not_hide_what_an_axis_does():
    # A clock that counts tenfold where nothing else is waited for, and not at all where seconds are.
    rows = [("hits", 1.0, 1.0), ("hits", 10.0, 10.0), ("cleans", 1.0, 5000.0), ("cleans", 10.0, 5001.0)]
    good = pl.DataFrame(rows, schema=["axis.state", "axis.period", "m"], orient="row")
    assert "1 to 10 by what else differs" in effect_of(good, ["state", "period"], "period", "m").sentence("ms")
    alike = good.filter(pl.col("axis.state") == "cleans")
    assert effect_of(alike, ["state", "period"], "period", "m").sentence("ms") == "not settled: from 5.00 s (1) to 5.00 s (10), a factor of 1 (one seed: no interval), all else alike."


def test_a_search_s_report_names_its_front(tmp_path):
    plan = {
        "run": {"workload": "random-4k", "limit": 100}, "axes": {"layer": ["cmr", "imr-rmw"]}, "search": {"trials": 4, "batch": 2},
        "objectives": {"host.latency.mean": "minimise", "cost": "minimise"}, "cost": {"fixed": 3},
    }  # fmt: skip
    tessera.search(plan, out=tmp_path, jobs=1)
    text = write_report(tmp_path).read_text()
    assert "Which designs does no other beat in host.latency.mean and cost?" in text
    assert "designs are beaten by no other in host.latency.mean and cost." in text and re.search(r"layer (cmr|imr-rmw): host.latency.mean", text)


def test_a_comparison_s_report_has_a_table_of_ratios_for_each_baseline(reports):
    text = reports["comparison"].read_text()
    assert "Times cmr, seed by seed" in text and "Times the best layer of each column" in text
    assert "(to cmr)" in text


def test_a_comparison_s_report_has_each_reason_beside_its_figure(reports):
    text = reports["comparison"].read_text()
    assert "mu-rmw must not be ranked by the figures with an asterisk: fewer than 20 cleanings" in text
    assert "tessera compare demo --layers imr-rmw,cmr,mu-rmw --seeds 1 --workload web-server" in text


def test_a_run_s_report_says_what_made_it_and_where_the_slow_requests_spent_their_time(reports):
    text = reports["run"].read_text()
    assert "tessera run demo --layer fluid --workload web-server --limit 800 --prefill 100 --seed 1 --fold --requests --events" in text
    assert "A read takes " in text and "; one of the slowest 1 % takes " in text


@pytest.fixture(scope="module")
def ten_seeds(the_built_simulator, tmp_path_factory) -> Path:
    """A comparison over ten seeds, with more columns of intervals than others: capacity and cost are alike with each seed."""
    out = tmp_path_factory.mktemp("ten")
    tessera.compare("demo", layers=("cmr", "imr-rmw"), seeds=10, baselines=("cmr",), workload="web-server", fold=True, limit=60, prefill=100, out=out)
    return write_report(out)


def test_figures_that_no_seed_moves_have_no_interval(ten_seeds):
    comparison = tessera.open_results(ten_seeds.parent)
    columns = comparison.columns["layers"]
    assert columns["capacity.gain_vs_cmr.half_width_95"][1] == 0  # not what the arithmetic leaves of ten equal figures
    cells = [cell.text for table in comparison_page(comparison).tables for row in table.rows for cell in row]
    assert "1.3" in cells and [text for text in cells if "e-1" in text] == []
    assert any(" ms ± " in text for text in cells)  # latencies have theirs
    assert of_mean(np.full(10, 1.3)).half_width == 0
    alike = pl.DataFrame({"axis.seed": list(range(10)), "m": [1.3] * 10})
    assert pictures.cell(alike, [], "m") == (pytest.approx(1.3), "1.3")


def test_a_table_of_intervals_is_no_wider_than_a_page_of_1280(chromium, ten_seeds):
    chromium.open(ten_seeds)
    over = chromium.run("[...document.querySelectorAll('.scroll')].map(table => table.scrollWidth - table.clientWidth)")
    if chromium.width >= 1280:
        assert over == [0, 0]
    else:  # there each scrolls in its own frame
        assert len(over) == 2 and chromium.run("document.documentElement.scrollWidth - window.innerWidth") <= 0


def test_a_folder_without_results_is_refused(tmp_path):
    finished = CliRunner().invoke(app, ["report", str(tmp_path)])
    assert finished.exit_code == 2
    assert "holds no results" in finished.output and "holds some" not in finished.output
    (tmp_path / "cmr" / "1").mkdir(parents=True)
    (tmp_path / "cmr" / "1" / "summary.json").write_text("{}")
    assert f"{tmp_path / 'cmr' / '1'} holds some" in CliRunner().invoke(app, ["report", str(tmp_path)]).output.replace("\n", "")  # a layer of a comparison, a folder of runs


def test_the_report_of_a_sweep_where_nothing_ran_well_is_one_of_its_failures(tmp_path):
    tessera.sweep({"run": {"workload": "random-4k", "limit": 10, "layer": "mu-rmw"}, "axes": {"nand.blocks": [0]}}, out=tmp_path, jobs=1)
    assert "1 of 1 runs failed" in write_report(tmp_path).read_text()


def test_the_library_that_draws_is_in_the_file_with_its_licence(reports):
    text = reports["run"].read_text()
    assert "plotly.js v" in text and "Licensed under the MIT license" in text
    assert "<script src=" not in text
