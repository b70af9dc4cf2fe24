"""Figures for papers: all seeds with their intervals, layers by choice and by name, sizes and fonts of a column, and the data that is drawn."""

import csv
import itertools
import json
import re
import struct
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from samples import metric, requests_of, write_run
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.explore.comparison import Comparison
from tessera.explore.dataset import Sweep
from tessera.figures import pictures
from tessera.figures.chart import Axis, Field, Heat, Line, Lines, Stack, heading
from tessera.figures.data import table_of
from tessera.figures.gallery import charts_of, of_comparison, of_sweep
from tessera.figures.paper import draw
from tessera.figures.screen import figure
from tessera.figures.style import LAYERS, SHEETS, curve_looks
from tessera.results.run_folder import Run

LATENCIES = {("imr-rmw", 1): [1, 2, 3, 4], ("imr-rmw", 2): [3, 4, 5, 6], ("mu-rmw", 1): [1, 1, 1, 9], ("mu-rmw", 2): [1, 1, 1, 11], ("cmr", 1): [2, 2, 2, 2]}


@pytest.fixture
def compared(tmp_path):
    """Two seeds of two layers, one of a third."""
    for (layer, seed), latencies in LATENCIES.items():
        metrics = {
            "host.requests": metric(4), "dram.energy": metric(4 * seed, "mJ"), "write_amplification.media": metric(seed), "write_amplification.flash": metric(0),
            "media.sectors_written.total": metric(2), "media.sectors_written.data_0": metric(2), "host.latency.p50": metric(latencies[1], "ms"), "host.latency.p99": metric(latencies[3], "ms"),
        }  # fmt: skip
        write_run(tmp_path / layer / str(seed), metrics, requests_of(latencies), {"layer": layer})
    layers, seeds = zip(*LATENCIES)
    listed = list(dict.fromkeys(layers))
    columns = {
        "schema": 1, "comparison": {"seeds": 2}, "units": {}, "layers": {"layer": listed, "status": ["ok"] * 3},
        "runs": {"layer": list(layers), "seed": list(seeds), "exit_status": [0] * len(layers)},
    }  # fmt: skip
    (tmp_path / "compare.json").write_text(json.dumps(columns))
    return Comparison(tmp_path)


def plotted(*words):
    result = CliRunner().invoke(app, ["plot", *map(str, words)])
    return result.exit_code, result.output


def chart_named(charts, name):
    return next(chart for chart in charts if chart.name == name)


def test_all_seeds_are_in_the_tail_with_their_interval(compared):
    chart = chart_named(of_comparison(compared), "latency-tail")
    assert chart.note == "mean and 95 % interval over 1 to 2 seeds"
    line = next(line for line in chart.lines if line.name == "imr-rmw")
    assert line.x == [2, 3, 4, 5] and line.y == [1, 0.75, 0.5, 0.25]
    assert line.x_half_widths == pytest.approx([12.706] * 4)  # Student's t of one degree, times a deviation of 1.414 over 1.414
    assert next(line for line in chart.lines if line.name == "cmr").x_half_widths is None


def test_without_logs_the_percentiles_have_intervals_too(compared):
    for log in compared.folder.rglob("requests.npy"):
        log.unlink()
    chart = chart_named(of_comparison(compared), "latency-percentiles")
    line = next(line for line in chart.lines if line.name == "mu-rmw")
    assert line.x == [1, 10] and line.x_half_widths == pytest.approx([0, 12.706])


def test_bars_are_means_with_the_interval_of_their_sum(compared):
    charts = of_comparison(compared)
    written, energy = chart_named(charts, "write-amplification"), chart_named(charts, "energy")
    assert written.parts == {"platters: data": [1.5, 1.5, 1]} and written.half_widths[:2] == pytest.approx([6.353] * 2) and written.half_widths[2] is None
    assert energy.parts == {"DRAM": [1.5, 1.5, 1]} and "over 1 to 2 seeds" in heading(energy)


def test_one_seed_has_no_interval_and_no_note(tmp_path):
    chart = pictures.latency_tail({"a": Run(write_run(tmp_path, {}, requests_of([1, 2])))})
    assert chart.note == "" and chart.lines[0].x_half_widths is None


def test_a_sweep_s_bars_have_the_interval_over_its_seeds(tmp_path):
    sweep = Sweep(tmp_path)
    rows = [{"axis.layer": layer, "axis.seed": seed, "host.latency.mean": value} for layer, seed, value in (("a", 1, 1.0), ("a", 2, 3.0), ("b", 1, 5.0), ("b", 2, 5.0))]
    sweep.begin({"axes": ["layer", "seed"]}, map(str, range(4)))
    for number, row in enumerate(rows):
        sweep.add({"key": str(number), "exit_status": 0, **row})
    chart = chart_named(of_sweep(Sweep(tmp_path)), "curve-layer")
    assert chart.parts == {"host.latency.mean": [2, 5]} and chart.half_widths == pytest.approx([12.706, 0])
    assert heading(chart) == "host.latency.mean over layer (mean and 95 % interval over 2 seeds)"
    named = chart_named(charts_of(Sweep(tmp_path), ("b", "a"), {"b": "Ours, new"}), "curve-layer")
    assert named.categories == ["Ours, new", "a"] and named.parts == {"host.latency.mean": [5, 2]}
    with pytest.raises(tessera.InputError, match="unknown layer of this sweep 'c'; known: a, b"):
        charts_of(Sweep(tmp_path), ("c",))


def swept(folder, rows, axes):
    """A sweep with these results, each with the axes that it has."""
    sweep = Sweep(folder)
    sweep.begin({"axes": axes}, map(str, range(len(rows))))
    for number, row in enumerate(rows):
        sweep.add({"key": str(number), "exit_status": 0, **row})
    return sweep


OF_BRANCHES = [
    {"axis.layer": layer, "axis.seed": seed, **unit, "host.latency.mean": value + seed, "host.latency.p99": 10 * value}
    for layer, unit, value in (("a", {"axis.layers.a.unit": 3}, 1.0), ("a", {"axis.layers.a.unit": 7}, 2.0), ("b", {}, 5.0)) for seed in (1, 2)
]  # fmt: skip


def test_a_parameter_of_one_layer_is_drawn_next_to_the_others(tmp_path):
    sweep = swept(tmp_path, OF_BRANCHES, ["layer", "seed", "layers.a.unit"])
    chart = chart_named(charts_of(sweep, labels={"a": "Ours"}), "designs")
    assert chart.categories == ["Ours, unit 3", "Ours, unit 7", "b"] and chart.parts == {"host.latency.mean": [2.5, 3.5, 6.5]}
    assert chart.half_widths == pytest.approx([6.353] * 3, abs=1e-3)  # 12.706 times 0.7071 over the square root of 2
    curve = chart_named(charts_of(sweep), "curve-layer")
    assert "mean over 2 values of layers.a.unit" in curve.note  # that b has none is no third value
    assert curve.half_widths[0] is None and curve.half_widths[1] is not None
    plain = swept(tmp_path / "plain", [row for row in OF_BRANCHES if len(row) == 4], ["layer", "seed"])
    assert "designs" not in [chart.name for chart in charts_of(plain)]


def test_what_has_no_interval_is_drawn_without_one(tmp_path):
    chart = Stack("stack", "t", Axis("v (1)"), ["one", "two"], {"p": [1, 2]}, half_widths=[None, 0.5])
    (bars,) = [trace for trace in figure(chart)["data"] if "error_x" in trace]
    assert bars["error_x"]["array"] == [None, 0.5]
    svg = draw(chart, tmp_path / "one.svg").read_text()
    assert draw(replace(chart, half_widths=[0.5, 0.5]), tmp_path / "two.svg").read_text().count("<use") - svg.count("<use") == 2  # a cap at each end


def test_a_sweep_s_bars_show_the_metric_that_is_asked_for(tmp_path):
    sweep = swept(tmp_path, OF_BRANCHES, ["layer", "seed", "layers.a.unit"])
    assert chart_named(charts_of(sweep, metric="host.latency.p99"), "designs").parts == {"host.latency.p99": [10, 20, 50]}
    with pytest.raises(tessera.InputError, match="unknown metric 'host.latency.p98'; did you mean 'host.latency.p99'"):
        charts_of(sweep, metric="host.latency.p98")


def test_a_heat_map_s_table_has_its_intervals():
    rows = pl.DataFrame({"axis.x": ["a", "a", "b"], "axis.y": ["c"] * 3, "axis.seed": [1.0, 2.0, 1.0], "m": [1.0, 3.0, 5.0]})
    assert pictures.heat(rows, "x", "y", "m").half_widths == [[pytest.approx(12.706, abs=1e-3), None]]


def test_layers_are_chosen_ordered_and_named_and_keep_their_looks(compared):
    chart = chart_named(charts_of(compared, ("mu-rmw", "imr-rmw"), {"mu-rmw": "Ours"}), "latency-tail")
    assert [line.name for line in chart.lines] == ["Ours", "imr-rmw"]
    colours = {trace["name"]: trace["line"]["color"] for trace in figure(chart)["data"] if trace.get("showlegend", True)}
    assert colours["Ours"] == curve_looks(["mu-rmw"])["mu-rmw"][0] != colours["imr-rmw"]


def test_no_two_layers_share_a_colour_or_the_look_that_grey_leaves():
    looks = curve_looks([*LAYERS, "of a plug-in", "another"])
    assert len({colour for colour, _, _ in looks.values()}) == len({look[1:] for look in looks.values()}) == len(looks)
    assert curve_looks(["vguard"])["vguard"][0] == curve_looks(["imr-rmw"])["imr-rmw"][0]  # on their own each has its colour
    both = curve_looks(["vguard", "imr-rmw"])
    assert both["imr-rmw"] == curve_looks(["imr-rmw"])["imr-rmw"] and both["vguard"][0] != both["imr-rmw"][0]


CHARTS = (
    Lines("lines", "t", Axis("x (ms)", log=True), Axis("y", log=True), [Line("a", [1, 10], [1, 0.1], x_half_widths=[0.5, 20], labels=["p", "q"]), Line("b", [2], [2])], shades=[(1, 2)], shade_label="s"),
    Stack("stack", "t", Axis("v (1)"), ["one", "two"], {"p": [1, 2], "q": [3, None]}, half_widths=[0.5, None]),
    Heat("heat", "t", Axis("x"), Axis("y"), ["a", "b"], ["c"], [[1.0, None]], [["1 ± 2*", ""]], "ms", half_widths=[[2.0, None]]),
    Field("field", "t", Axis("x"), Axis("y"), [0, 1, 2], [0, 5], [[3.0, None]], "cached"),
)  # fmt: skip


def test_the_table_is_what_is_drawn():
    lines, stack, heat, field = (table_of(chart) for chart in CHARTS)
    assert lines == [
        ("series", "x (ms)", "y", "x half_width_95", "label", "until"), ("a", 1, 1, 0.5, "p", None), ("a", 10, 0.1, 20, "q", None), ("b", 2, 2, None, None, None), ("s", 1, None, None, None, 2),
    ]  # fmt: skip
    assert stack == [("name", "p: v (1)", "q: v (1)", "half_width_95"), ("one", 1, 3, 0.5), ("two", 2, None, None)]
    assert heat == [("x", "y", "ms", "half_width_95", "text"), ("a", "c", 1.0, 2.0, "1 ± 2*"), ("b", "c", None, None, "")]
    assert field == [("x from", "x to", "y from", "y to", "cached"), (0, 1, 0, 5, 3.0)]


@pytest.mark.parametrize("style", SHEETS)
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_a_picture_has_the_width_of_its_column_and_embedded_fonts(chart, style, tmp_path):
    sheet = SHEETS[style]
    png = draw(chart, tmp_path / "p.png", sheet).read_bytes()
    assert struct.unpack(">I", png[16:20])[0] == round(sheet.width * sheet.dpi)
    pdf = draw(chart, tmp_path / "p.pdf", sheet).read_bytes()
    box = [float(number) for number in re.search(rb"/MediaBox \[([^\]]+)\]", pdf)[1].split()]
    assert box[2] == pytest.approx(72 * sheet.width)
    assert b"/Subtype /Type3" not in pdf and b"/FontFile2" in pdf
    svg = draw(chart, tmp_path / "p.svg", sheet).read_text()
    assert "<text" not in svg  # outlines, whichever fonts a reader has


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_pgf_is_written_without_latex(chart, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    text = draw(chart, tmp_path / "p.pgf", SHEETS["paper-1col"]).read_text()
    assert text.count("\\begin{pgfpicture}") == text.count("\\end{pgfpicture}") == 1
    assert text.count("\\begin{pgfscope}") == text.count("\\end{pgfscope}") and text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    assert "\\sffamily\\fontsize{8.0" in text
    for image in re.findall(r"\\includegraphics\[[^]]*\]\{([^}]+)\}", text):
        assert (tmp_path / image).read_bytes().startswith(b"\x89PNG")
    assert draw(chart, tmp_path / "p.pgf", SHEETS["paper-1col"]).read_text() == text


@pytest.fixture
def written(monkeypatch):
    """The texts that are drawn, with the place of each, and the size of what they are drawn on."""
    texts = {}
    drawn = RendererAgg.draw_text

    def noting(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        texts[id(mtext)] = s, mtext.get_window_extent(self), (self.width, self.height)
        drawn(self, gc, x, y, s, prop, angle, ismath, mtext)

    monkeypatch.setattr(RendererAgg, "draw_text", noting)
    return texts


@pytest.mark.parametrize("family", ["sans-serif", "serif"])
@pytest.mark.parametrize("style", SHEETS)
def test_nothing_is_cut_and_nothing_overlaps_in_a_column(compared, style, family, tmp_path, written):
    longest = {"imr-rmw": "shingled-in-place-r4123", "mu-rmw": "Ours, with a long name"}
    heat = Heat(
        "heat", "t", Axis("firmware.write_cache.capacity"), Axis("layer"), ["4 MiB", "64 MiB", "1 GiB"], ["a", "shingled-in-place-1234"], [[1.0, 2, 3], [4, 5, 600]],
        [["1.23 ± 0.4"] * 3] * 2, "host.latency.mean (ms)", note="± half the 95 % interval over the seeds",
    )  # fmt: skip
    for chart in [*charts_of(compared, (), longest), heat]:
        written.clear()
        draw(chart, tmp_path / "p.png", replace(SHEETS[style], family=family))
        found = list(written.values())
        assert len(found) > 6
        for text, box, (width, height) in found:
            assert box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, (chart.name, text, "is cut")
        for (one, a, _), (other, b, _) in itertools.combinations(found, 2):
            apart = min(a.x1, b.x1) - max(a.x0, b.x0) <= 1 or min(a.y1, b.y1) - max(a.y0, b.y0) <= 1
            assert apart, (chart.name, one, other, "overlap")


def test_the_command_writes_picture_table_and_caption(compared, tmp_path):
    out, data = tmp_path / "t.pdf", tmp_path / "t.csv"
    status, said = plotted(compared.folder, "--only", "latency-tail", "--style", "paper-1col", "--serif", "--layers", "mu-rmw,imr-rmw", "--labels", "mu-rmw=Ours, new", "--out", out, "--data", data)
    assert status == 0 and "caption: Share of requests slower than a latency (mean and 95 % interval over 2 seeds)" in said
    assert out.read_bytes().startswith(b"%PDF") and b"STIX" in out.read_bytes()
    rows = list(csv.DictReader(data.read_text().splitlines()))
    assert [row["series"] for row in rows] == ["Ours, new"] * 4 + ["imr-rmw"] * 4
    assert np.isclose(float(rows[-1]["latency, arrival to completion (ms)"]), 5)
    status, said = plotted(compared.folder, "--style", "paper-2col", "--out", tmp_path / "all")
    assert status == 0 and {file.suffix for file in (tmp_path / "all").iterdir()} == {".pdf", ".png"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--out", "x.gif"), "expected the name of a picture that ends with .png, .svg, .pdf or .pgf"),
        (("--style", "paper-1"), "unknown style 'paper-1'; did you mean 'paper-1col'?"),
        (("--layers", "mu-rmv"), "unknown layer with results 'mu-rmv'; did you mean 'mu-rmw'?"),
        (("--labels", "mu-rm=Ours"), "unknown layer of --labels 'mu-rm'; did you mean 'mu-rmw'?"),
        (("--labels", "Ours"), "--labels: expected LAYER=TEXT"),
        (("--metric", "host.latency.p99"), "--metric: the figure of a sweep's bars and heat maps; these results are of no sweep"),
        (("--data", "x.txt"), "expected the name of a table that ends with .csv"),
        (("--data", "x.csv"), "one file holds one picture; --only takes one of latency-tail"),
        (("--only", "latency-tai"), "unknown picture 'latency-tai'; did you mean 'latency-tail'?"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused_in_a_sentence(compared, words, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, said = plotted(compared.folder, *words)
    assert status == 2 and expected in said and said.count("\n") == 1
    assert not (compared.folder / "pictures").exists() and not list(tmp_path.glob("x.*"))


def test_a_run_has_its_own_layer_alone(compared):
    status, said = plotted(compared.folder / "cmr" / "1", "--layers", "imr-rmw")
    assert status == 2 and "unknown layer of this run 'imr-rmw'" in said
