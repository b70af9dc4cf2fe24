"""What the pictures show, by hand, and that both ways of drawing them draw it."""

import numpy as np
import polars as pl
import pytest
from samples import metric, requests_of, write_run

from tessera import InputError, Run
from tessera.explore.dataset import Sweep
from tessera.figures import pictures
from tessera.figures.chart import Axis, Heat, Line, Lines, Stack
from tessera.figures.gallery import _label, of_sweep
from tessera.figures.paper import draw, draw_all
from tessera.figures.screen import figure
from tessera.figures.style import look


def run_of(folder, latencies, metrics=None, **phases):
    log = requests_of(latencies)
    for name, values in phases.items():
        log[name] = (np.array(values) * 1e9).astype(np.uint64)
    return Run(write_run(folder, metrics or {}, log, {"layer": "x"}))


def test_the_tail_is_the_share_of_slower_requests(tmp_path):
    (line,) = pictures.latency_tail({"a": run_of(tmp_path, [4, 1, 3, 2])}).lines
    assert line.x == [1, 2, 3, 4]
    assert line.y == [1, 0.75, 0.5, 0.25]  # as slow or slower


def test_a_life_is_split_by_percentile_into_shares(tmp_path):
    chart = pictures.life(run_of(tmp_path, [1, 1, 4, 10], link=[1, 1, 1, 1], seek=[0, 0, 3, 9]))
    assert chart.categories[:2] == ["faster half (mean 1 ms)", "50 to 90 % (mean 4 ms)"]
    assert chart.parts["link"][:2] == [100, 25]
    assert chart.parts["seek"][:2] == [0, 75]
    assert chart.sums() == pytest.approx([100] * len(chart.categories))


def test_write_amplification_is_split_by_region_and_flash(tmp_path):
    metrics = {
        "write_amplification.media": metric(3), "write_amplification.flash": metric(0.5), "media.sectors_written.total": metric(60),
        "media.sectors_written.data_0": metric(30), "media.sectors_written.data_1": metric(10), "media.sectors_written.log": metric(20),
    }  # fmt: skip
    chart = pictures.write_amplification({"a": run_of(tmp_path, [1], metrics)})
    assert chart.parts == {"platters: data": [2], "platters: log": [1], "flash": [0.5]}
    assert chart.sums() == [3.5]


def test_energy_is_that_of_a_request(tmp_path):
    metrics = {"host.requests": metric(10), "media.energy.idle": metric(2, "J"), "nand.energy.read": metric(50, "mJ"), "dram.energy": metric(30, "mJ")}
    chart = pictures.energy({"a": run_of(tmp_path, [1], metrics)})
    assert chart.parts == {"disk: idle": [200], "flash: read": [5], "DRAM": [3]}


def test_cleanings_are_shaded_and_near_ones_are_one(tmp_path):
    run = run_of(tmp_path, [1])
    times = [(1, "begin"), (2, "begin"), (3, "end"), (4, "end"), (4.5, "begin"), (6, "end"), (9, "begin"), (10, "end")]
    rows = [f"{int(time * 1e12)},clean,{edge},0,0" for time, edge in times] + ["0,rmw,begin,0,0"]
    (tmp_path / "events.csv").write_text("time_ps,kind,edge,subject,amount\n" + "\n".join(rows) + "\n")
    assert pictures.cleanings(run, 1.0) == [(1, 6), (9, 10)]


def test_the_front_is_what_nothing_beats():
    points = pl.DataFrame({"a": [1.0, 2.0, 3.0, 3.0], "b": [9.0, 4.0, 5.0, 1.0], "label": ["w", "x", "y", "z"]})
    beaten, front = pictures.pareto(points, ("a", "b")).lines
    assert (beaten.x, beaten.y) == ([3], [5])
    assert (front.x, front.labels) == ([1, 2, 3], ["w", "x", "z"])


def test_a_heat_map_has_means_with_intervals_and_axes_in_order():
    rows = [("1 MiB", 1.0, 2.0), ("1 MiB", 1.0, 4.0), ("64 KiB", 1.0, 1.0), ("64 KiB", 2.0, 7.0)]
    results = pl.DataFrame(rows, schema=["axis.size", "axis.dies", "m"], orient="row")
    chart = pictures.heat(results, "size", "dies", "m")
    assert chart.xs == ["64 KiB", "1 MiB"] and chart.ys == ["1", "2"]
    assert chart.values == [[1, 3], [7, None]]
    assert chart.texts[0][1] == "3 ± 13"  # Student's t of one degree, 12.706, times a deviation of 1.414 over 1.414
    assert chart.ends == (1, 7)
    alike = pl.DataFrame([("a", 1.0, 89.38560), ("b", 1.0, 89.38564)], schema=["axis.size", "axis.dies", "m"], orient="row")
    low, high = pictures.heat(alike, "size", "dies", "m").ends
    assert low < 88 and high > 91  # one colour for both
    with pytest.raises(InputError, match="unknown axis of this sweep 'sizes'; did you mean 'size'"):
        pictures.heat(results, "sizes", "dies", "m")


def test_two_clocks_that_read_alike_are_two_columns_of_a_heat_map():
    rows = [("118104335 Hz", "x", 1.0), ("118404335 Hz", "y", 2.0)]
    chart = pictures.heat(pl.DataFrame(rows, schema=["axis.clock", "axis.kind", "m"], orient="row"), "clock", "kind", "m")
    assert figure(chart)["data"][0]["x"] == ["118104335 Hz", "118404335 Hz"]


def test_on_the_screen_shades_are_in_the_legend_and_labels_point_inwards():
    lines = [Line("beaten", [10.0], [1.0], points_only=True, muted=True), Line("front", [1.0, 2.0], [3.0, 2.0], labels=["a", "b"])]
    drawn = figure(Lines("name", "title", Axis("x"), Axis("y"), lines, shades=[(1.0, 2.0)], shade_label="cleaning"))
    assert [trace["name"] for trace in drawn["data"]] == ["beaten", "front", "cleaning"]
    assert drawn["data"][1]["textposition"] == ["top right", "top right"]


def test_axes_of_branches_have_a_picture_each_and_crossed_ones_a_heat_map(tmp_path):
    def swept(name, rows, axes):
        sweep = Sweep(tmp_path / name)
        sweep.begin({"axes": axes}, [str(index) for index in range(len(rows))])
        for index, row in enumerate(rows):
            sweep.add({"key": str(index), "exit_status": 0, **{f"axis.{axis}": value for axis, value in row.items()}, "host.latency.mean": index + 1.0})
        return Sweep(tmp_path / name)

    branches = swept("branches", [{"layer": "a", "p": 1}, {"layer": "a", "p": 2}, {"layer": "b", "q": 1}, {"layer": "b", "q": 2}], ["layer", "p", "q"])
    assert [chart.name for chart in of_sweep(branches)] == ["curve-layer", "curve-p", "curve-q"]
    crossed = swept("crossed", [{"layer": layer, "p": p, "q": 1} for layer in "ab" for p in (1, 2)], ["layer", "p", "q"])
    (heat,) = of_sweep(crossed)
    assert (heat.xs, heat.ys) == (["a", "b"], ["1", "2"])
    three = swept("three", [{"layer": layer, "p": p, "q": q} for layer in "ab" for p in (1, 2) for q in (1, 2, 3)], ["layer", "p", "q"])
    heats = of_sweep(three)  # two axes that were crossed most, one picture for each value of the third
    assert [chart.title for chart in heats] == ["host.latency.mean over layer and q: 1", "host.latency.mean over layer and q: 2"]
    assert heats[0].values == [[1, 7], [2, 8], [3, 9]]


CHARTS = (
    Lines("lines", "t", Axis("x (ms)", log=True), Axis("y", log=True), [Line("a", [1, 1000], [1, 2], [0.1, 0.2], ["p", "q"]), Line("b", [2], [2], muted=True)], shades=[(1, 2)]),
    Stack("stack", "t", Axis("v (1)"), ["one", "two"], {"p": [1, 2], "q": [3, None]}),
    Heat("heat", "t", Axis("x"), Axis("y"), ["a", "b"], ["c"], [[1.0, 100.0]], [["1", "100"]], "ms"),
)  # fmt: skip


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_a_chart_is_drawn_on_paper_twice_the_same(chart, tmp_path):
    files = draw_all([chart], tmp_path)
    assert [file.name for file in files] == [f"{chart.name}.png", f"{chart.name}.svg"]
    assert files[0].read_bytes().startswith(b"\x89PNG")
    svg = files[1].read_text()
    label = chart.value.label if isinstance(chart, Stack) else chart.x.label
    assert label in svg
    assert draw(chart, tmp_path / "again.svg").read_text() == svg


def test_on_the_screen_are_the_same_figures():
    lines, stack, heat = (figure(chart) for chart in CHARTS)
    assert lines["data"][0]["x"] == [1, 1000] and lines["data"][0]["error_y"]["array"] == [0.1, 0.2]
    assert lines["layout"]["xaxis"]["type"] == "log" and lines["layout"]["xaxis"]["title"]["text"] == "x (ms)"
    assert [trace["x"] for trace in stack["data"][:2]] == [[1, 2], [3, None]]
    assert stack["data"][2]["text"] == ["\u20024", "\u20022"]  # the sums
    assert heat["data"][0]["customdata"] == [[1, 100]] and heat["data"][0]["z"] == [[0, 2]]  # more than a decade: by ratio


def test_no_two_of_the_first_32_curves_look_alike():
    assert len({look(index)[:2] for index in range(32)}) == 32


def test_a_design_s_clock_is_rounded_as_in_the_text_beside_it():
    rows = pl.DataFrame({"axis.layer": ["imr-rmw", "mu-rmw"], "axis.controller.clock": ["59959594 Hz", "400 MHz"], "axis.nand.blocks": [None, 200.0]})
    assert rows.select(_label(["layer", "controller.clock", "nand.blocks"]))["label"].to_list() == ["imr-rmw, 60.0 MHz", "mu-rmw, 400 MHz, 200"]
