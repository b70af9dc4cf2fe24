"""Pictures by the grammar: what each kind makes of a table, to the figure; panels; what is refused; and the command over results."""

import csv

import polars as pl
import pytest
from matplotlib import pyplot as plt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from samples import metric, requests_of, write_run
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.explore.dataset import Sweep
from tessera.figures import paper
from tessera.figures.chart import Facets, Lanes, Lines
from tessera.figures.data import table_of
from tessera.figures.grammar import KINDS, chart_of, stretches
from tessera.figures.paper import draw
from tessera.figures.style import SHEETS, curve_looks

SEEDS = pl.DataFrame({
    "layer": ["a", "a", "b", "b"] * 2, "axis.size": ["4 MiB"] * 4 + ["1 MiB"] * 4, "amount.size": [4.0 * 2**20] * 4 + [2.0**20] * 4, "seed": [1, 2] * 4, "mean": [1.0, 3.0, 2.0, 2.0, 5.0, 5.0, 7.0, 9.0],
})  # fmt: skip


def test_a_line_has_quantities_where_they_lie_and_the_interval_of_the_seeds():
    chart = chart_of(SEEDS, "line", x="size", y="mean", by="layer")
    assert isinstance(chart, Lines) and [line.name for line in chart.lines] == ["a", "b"]
    assert chart.lines[0].x == [2**20, 4 * 2**20] and chart.lines[0].y == [5, 2] and chart.x.ticks == ((2**20, "1 MiB"), (4 * 2**20, "4 MiB"))
    assert chart.lines[0].half_widths == pytest.approx([0, 12.706], abs=1e-3)  # Student's t of one degree, times a deviation of 1.414 over 1.414
    assert chart.note == "mean and 95 % interval over 2 seeds"


def test_rows_that_differ_in_another_axis_have_a_mean_and_no_interval():
    chart = chart_of(SEEDS, "bar", x="layer", y="mean")
    assert chart.series == {"mean": [(3.5, None), (5.0, None)]} and chart.note == "mean over 2 values of size"
    of_layers = chart_of(SEEDS, "bar", x="size", y="mean")
    assert of_layers.series == {"mean": [(6.5, None), (2.0, None)]} and of_layers.note == "mean over 2 values of layer"


def test_rows_without_seeds_have_the_interval_over_rows():
    assert chart_of(SEEDS.drop("seed"), "line", x="size", y="mean", by="layer").note == "mean and 95 % interval over 2 rows"


def test_shares_are_exact_and_of_several_seeds_the_mean_at_each_share():
    table = pl.DataFrame({"seed": [1, 1, 2, 2], "ms": [1.0, 2.0, 3.0, 6.0]})
    cdf, tail = (chart_of(table, kind, x="ms") for kind in ("cdf", "tail"))
    assert (cdf.lines[0].x, cdf.lines[0].y) == ([2, 4], [0.5, 1]) and (tail.lines[0].x, tail.lines[0].y) == ([2, 4], [1, 0.5])
    assert cdf.lines[0].x_half_widths == pytest.approx([12.706, 25.412], abs=1e-3) and (tail.x.log, tail.y.log, cdf.x.log) == (True, True, False)


def test_a_box_is_quartiles_and_the_outer_percentiles():
    chart = chart_of(pl.DataFrame({"k": ["x"] * 101, "ms": [float(value) for value in range(101)]}), "box", x="k", y="ms")
    assert chart.series == {"ms": [(1, 25, 50, 75, 99)]}
    assert table_of(chart) == [("series", "k", "p1", "p25", "median", "p75", "p99"), ("ms", "x", 1, 25, 50, 75, 99)]


def test_a_timeline_has_a_lane_for_each_value():
    events = pl.DataFrame({"time_ps": [1e12, 2e12, 3e12, 5e12], "kind": ["merge", "rmw", "rmw", "merge"], "edge": ["begin", "begin", "end", "end"], "subject": [7, 8, 8, 7]})
    work = stretches(events)
    assert work.rows() == [("rmw", 8, 2.0, 3.0, False), ("merge", 7, 1.0, 5.0, True)]
    chart = chart_of(work, "timeline", x="start_s, end_s", y="kind")
    assert isinstance(chart, Lanes) and {lane: [(part.begin, part.end) for part in parts] for lane, parts in chart.lanes.items()} == {"rmw": [(2, 3)], "merge": [(1, 5)]}


def test_panels_have_one_look_for_a_name_and_share_a_table():
    chart = chart_of(SEEDS, "line", x="size", y="mean", facet="layer", labels={"a": "Ours"})
    assert isinstance(chart, Facets) and [panel.title for panel in chart.panels] == ["Ours", "b"] and chart.note == "mean and 95 % interval over 2 seeds"
    assert table_of(chart)[:2] == [("panel", "series", "size", "mean", "y half_width_95"), ("Ours", "mean", 2**20, 5, 0)]


def test_what_must_not_be_ranked_has_a_mark():
    rows = SEEDS.with_columns(marks=pl.when(pl.col("layer") == "b").then(pl.lit("not steady")).otherwise(pl.lit("")))
    assert [line.name for line in chart_of(rows, "line", x="size", y="mean", by="layer").lines] == ["a", "b*"]
    bars = chart_of(rows, "bar", x="layer", y="mean")
    assert bars.categories == ["a", "b*"] and "* not to be ranked" in bars.note


def test_layers_are_chosen_in_order_and_looks_stay_theirs_under_other_names():
    chart = chart_of(SEEDS, "line", x="size", y="mean", by="layer", layers=("b", "a"), labels={"b": "Ours"})
    assert [(line.name, line.key) for line in chart.lines] == [("Ours", "b"), ("a", "a")]


REFUSED = {
    "a kind": ({"kind": "lines"}, "unknown kind of picture 'lines'; did you mean 'line'?"),
    "a column": ({"y": "maen"}, "unknown column for y 'maen'; did you mean 'mean'?"),
    "no y": ({"y": None}, "a line takes x and y; found no y"),
    "a y too many": ({"kind": "cdf", "x": "mean"}, "a cdf takes x; found y = mean"),
    "words where numbers belong": ({"y": "layer"}, "y = layer: a line takes numbers there"),
    "one column of a timeline": ({"kind": "timeline"}, "expected two columns, begin and end"),
    "a logarithm": ({"log": "z"}, "expected x, y or xy, found 'z'"),
    "a layer": ({"layers": ("c",)}, "unknown layer of these results 'c'"),
}


@pytest.mark.parametrize(("change", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_drawn_is_refused(change, said):
    with pytest.raises(tessera.InputError, match=said.replace("?", r"\?")):
        chart_of(SEEDS, **{"kind": "line", "x": "size", "y": "mean", **change})


def test_an_empty_table_is_told():
    with pytest.raises(tessera.InputError, match="nothing to draw: the table has no row with mean"):
        chart_of(SEEDS.clear(), "cdf", x="mean")


def test_more_panels_than_a_page_has_room_for_are_refused():
    table = pl.DataFrame({"f": list(range(13)), "v": [1.0] * 13})
    with pytest.raises(tessera.InputError, match="f has 13 values; a picture has room for 12 panels"):
        chart_of(table, "cdf", x="v", facet="f")
    assert len(chart_of(table.head(12), "cdf", x="v", facet="f").panels) == 12


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("facet", [None, "layer"])
def test_every_kind_is_drawn_in_each_format_and_nothing_is_cut(kind, facet, tmp_path, monkeypatch):
    table = SEEDS.with_columns(pl.col("mean").alias("begin"), (pl.col("mean") + 1).alias("end"))
    words = {"line": {"x": "size", "y": "mean"}, "bar": {"x": "size", "y": "mean"}, "box": {"x": "size", "y": "mean"}, "cdf": {"x": "mean"}, "tail": {"x": "mean"}, "timeline": {"x": "begin,end", "y": "size"}}[kind]
    chart = chart_of(table, kind, **words, by=None if facet else "layer", facet=facet)
    drawn = []
    monkeypatch.setattr(paper.plt, "close", drawn.append)
    for ending, sheet in (*((ending, "paper-1col") for ending in ("pdf", "svg", "png", "pgf")), ("png", "paper-2col")):
        assert draw(chart, tmp_path / f"picture.{ending}", SHEETS[sheet]).stat().st_size > 500
    for figure in drawn:
        FigureCanvasAgg(figure).draw()
        width, height = figure.get_size_inches() * figure.dpi
        for text in [text for axes in figure.axes if axes.get_visible() for text in (axes.xaxis.label, axes.yaxis.label, axes.title) if text.get_text()]:
            box = text.get_window_extent()
            assert box.x0 >= -1 and box.x1 <= width + 1 and box.y0 >= -1 and box.y1 <= height + 1, (kind, text.get_text())
    monkeypatch.undo()
    plt.close("all")


def test_panels_draw_a_name_in_its_colour_where_others_lack_it(tmp_path, monkeypatch):
    table = pl.DataFrame({"f": ["1", "1", "2"], "layer": ["cmr", "x", "x"], "n": [1.0, 1.0, 1.0], "v": [1.0, 2.0, 3.0]})
    figures = []
    monkeypatch.setattr(paper.plt, "close", figures.append)
    draw(chart_of(table, "line", x="n", y="v", by="layer", facet="f"), tmp_path / "picture.png")
    colours = {axes.get_title(): {line.get_label(): line.get_color() for line in axes.get_lines()} for axes in figures[0].axes}
    looks = curve_looks(["cmr", "x"])
    assert colours["1"] == {name: looks[name][0] for name in ("cmr", "x")} and colours["2"] == {"x": looks["x"][0]}


def plotted(*words):
    result = CliRunner().invoke(app, ["plot", *map(str, words)])
    return result.exit_code, result.output


def test_the_command_draws_tables_of_runs_comparisons_and_sweeps(tmp_path):
    run = write_run(tmp_path / "run", {"host.requests": metric(3)}, requests_of([1, 2, 4]), {"layer": "cmr"})
    code, output = plotted(run, "--kind", "tail", "--x", "latency_ms", "--out", tmp_path / "tail.pdf", "--data", tmp_path / "tail.csv")
    assert code == 0, output
    assert (tmp_path / "tail.pdf").read_bytes().startswith(b"%PDF")
    assert list(csv.reader((tmp_path / "tail.csv").open()))[1:] == [["latency_ms", "1.0", "1.0"], ["latency_ms", "2.0", "0.6666666666666666"], ["latency_ms", "4.0", "0.3333333333333333"]]
    sweep = Sweep(tmp_path / "sweep")
    sweep.begin({"axes": ["layer", "seed"], "simulator": "x"}, ["1", "2"])
    for key, layer in (("1", "cmr"), ("2", "mu-rmw")):
        sweep.add({"key": key, "exit_status": 0, "axis.layer": layer, "axis.seed": 1, "host.latency.mean": float(key)})
    sweep.save()
    sweep.add_facts({"units": {"host.latency.mean": "ms"}})
    code, output = plotted(sweep.folder, "--kind", "bar", "--x", "layer", "--y", "host.latency.mean", "--layers", "mu-rmw,cmr", "--out", tmp_path / "bar.svg", "--data", tmp_path / "bar.csv")
    assert code == 0, output
    assert list(csv.reader((tmp_path / "bar.csv").open())) == [["series", "layer", "host.latency.mean (ms)", "half_width_95"], ["host.latency.mean", "mu-rmw", "2.0", ""], ["host.latency.mean", "cmr", "1.0", ""]]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--by", "op"], "--by takes --kind"), (["--kind", "tail"], "a tail takes --x COLUMN"), (["--kind", "tail", "--x", "latency_ms", "--only", "life"], "--only chooses among"), (["--kind", "tail", "--x", "latency_ms", "--frame", "wrok"], "did you mean 'work'")],
)  # fmt: skip
def test_the_command_refuses_words_that_do_not_go_together(words, said, tmp_path):
    run = write_run(tmp_path / "run", {"host.requests": metric(3)}, requests_of([1, 2, 4]), {"layer": "cmr"})
    code, output = plotted(run, *words)
    assert code == 2 and said in " ".join(output.split())
