"""What a referee looks for in tables, findings and pictures (docs/data/evidence.csv)."""

import csv

import polars as pl
import pytest
from samples import REPOSITORY, metric, requests_of, write_run

from tessera import Run
from tessera.explore.dataset import Sweep, frame_of
from tessera.figures import pictures
from tessera.figures.chart import heading
from tessera.figures.gallery import of_run, of_runs, of_sweep as charts_of_sweep
from tessera.figures.latency_plot import plot_latency
from tessera.figures.style import curve_looks, part_colours
from tessera.reports.answer import of_sweep
from tessera.reports.effects import effect_of, effects
from tessera.reports.run_page import COMPARED, ranking, run_page, run_warnings
from tessera.reports.sweep_page import sweep_page

BUFFERS = ("0 B", "4 MiB", "16 MiB")


def rows_of(*points, **more):
    """Rows as a sweep has them: each point (axes), and its mean and 99th percentile."""
    found = []
    for number, (axes, mean, p99) in enumerate(points):
        found.append({
            "key": f"{number:064}", "exit_status": 0, "message": "", "command": "", "seed": axes.get("seed", 1), "tool": "t", "cleans": True, "unstable": False,
            **{f"axis.{name}": value for name, value in axes.items()}, "host.latency.mean": mean, "host.latency.p99": p99, "energy.total": mean,
            "cleaning.count": 100.0, "host.steady.reached": 1.0, **more,
        })  # fmt: skip
    return found


def sweep_of(folder, axes, rows, **facts):
    made = Sweep(folder)
    made.begin({"title": "", "axes": axes, "run": {}, **facts}, [row["key"] for row in rows])
    for row in rows:
        made.add(row)
    made.save()
    return made


@pytest.fixture
def crossed(tmp_path):
    """Layers and buffers with two seeds, p99 the less the more buffer; 16 MiB is hardly better than 4 MiB."""
    p99 = {"0 B": 90.0, "4 MiB": 30.0, "16 MiB": 29.9}
    points = [
        ({"layer": layer, "firmware.write_cache.capacity": size, "seed": seed}, 5.0, p99[size] * factor * (1 + seed / 1000))
        for layer, factor in (("cmr", 1), ("imr-rmw", 3)) for size in ("0 B", "16 MiB", "4 MiB") for seed in (1, 2)
    ]  # fmt: skip
    return sweep_of(tmp_path, ["layer", "firmware.write_cache.capacity", "seed"], rows_of(*points))


def test_levels_of_a_third_factor_are_no_seeds():
    points = [({"a": 1, "b": 1, "merge": merge, "seed": 1}, value, value) for merge, value in ((1, 3000.0), (2, 4000.0), (3, 5700.0))]
    chart = pictures.heat(frame_of(rows_of(*points)), "a", "b", "host.latency.mean")
    assert chart.texts == [["4,233 (3,000 to 5,700)"]]
    assert "mean over 3 values of merge" in heading(chart)


def test_seeds_have_an_interval():
    points = [({"a": 1, "b": 1, "merge": 1, "seed": seed}, value, value) for seed, value in ((1, 3000.0), (2, 4000.0))]
    assert "±" in pictures.heat(frame_of(rows_of(*points)), "a", "b", "host.latency.mean").texts[0][0]


def test_a_front_is_over_designs_and_not_over_traces_and_seeds(tmp_path):
    points = [
        ({"layer": layer, "trace": f"traces/{trace}.csv.xz", "seed": seed}, mean, p99)
        for layer, mean, p99 in (("cmr", 1.0, 9.0), ("imr-rmw", 9.0, 1.0)) for trace in ("web_3", "hm_0") for seed in (1, 2)
    ]  # fmt: skip
    charts = charts_of_sweep(sweep_of(tmp_path, ["layer", "trace", "seed"], rows_of(*points)))
    fronts = [chart for chart in charts if chart.name.startswith("pareto")]
    assert [len(chart.lines[-1].x) for chart in fronts] == [2, 2]
    assert [chart.title.rsplit(": ", 1)[1] for chart in fronts] == ["web_3", "hm_0"]
    assert set(fronts[0].lines[-1].labels) <= {"cmr", "imr-rmw", ""}


def test_designs_of_a_front_are_equal_or_not_settled(tmp_path):
    def front_of(folder, spread):
        points = [
            ({"layer": layer, "seed": seed}, mean * (1 + spread * (seed * factor % 3)), p99) for layer, mean, p99, factor in (("cmr", 10.0, 9.0, 1), ("imr-rmw", 10.1, 8.9, 2), ("vguard", 20.0, 4.0, 1))
            for seed in range(1, 9)
        ]  # fmt: skip
        (front,) = [chart for chart in charts_of_sweep(sweep_of(tmp_path / folder, ["layer", "seed"], rows_of(*points))) if chart.name == "pareto"]
        return front

    equal, noisy = front_of("equal", 0.0001), front_of("noisy", 0.3)
    assert {line.name: list(line.x) for line in equal.lines} == {"front": [4.0, 8.9]} and equal.lines[-1].labels[1] == "imr-rmw (+1)"
    assert "(+N): so many more within 5 %" in heading(equal)
    assert {line.name: len(line.x) for line in noisy.lines} == {"not settled": 1, "front": 2} and "(+1)" not in "".join(noisy.lines[-1].labels)


def test_zipped_axes_are_one():
    points = [({"cores": cores, "clock": clock, "seed": seed}, cores * 10.0 + seed, 1.0) for cores, clock in ((1, "500 MHz"), (2, "250 MHz")) for seed in (1, 2)]
    found = effects(frame_of(rows_of(*points)), ["cores", "clock", "seed"], "host.latency.mean", "ms")
    assert len(found) == 1 and found[0].startswith("host.latency.mean over cores with clock: from 11.5 ms (1) to 21.5 ms (2), a factor of 1.87")


def test_a_finding_says_over_what_it_is_a_mean(crossed):
    effect = effect_of(crossed.good, crossed.axes, "firmware.write_cache.capacity", "host.latency.p99")
    assert "geometric means over 2 values of layer" in effect.sentence("ms")
    assert "2 seeds]" in effect.sentence("ms") and effect.ratio.low > 1


def test_an_interval_is_over_seeds_alone(crossed):
    layer = effect_of(crossed.good, crossed.axes, "layer", "host.latency.p99")
    assert (layer.ratio.low, layer.ratio.high) == pytest.approx((3, 3))  # each seed, and each buffer, has the same factor


@pytest.mark.parametrize("change, mark", [
    ({"cleaning.count": 3.0}, "too short to compare"), ({"progress.heat_intervals.done": 4.0, "progress.heat_intervals.of": 20.0}, "not yet"),
    ({"unstable": True}, "unstable"), ({"host.steady.reached": 0.0}, "not steady"),
])  # fmt: skip
def test_marks_travel_into_table_finding_and_picture(tmp_path, change, mark):
    points = [({"layer": layer, "seed": seed}, 5.0 + seed, 5.0) for layer in ("cmr", "imr-rmw") for seed in (1, 2)]
    page = sweep_page(sweep_of(tmp_path, ["layer", "seed"], rows_of(*points, **change)), "Which layer is fast?")
    assert any(mark in line for line in page.warnings)
    assert {cell.note for row in page.tables[0].rows for cell in row if cell.note} == {mark}
    assert page.answer.startswith("Not settled") and all("not ranked" in line for line in page.findings)
    assert all(name.endswith("*") for chart in page.charts if chart.name == "curve-layer" for name in chart.categories)
    assert not [chart for chart in page.charts if chart.name == "pareto"]


def test_one_value_of_every_axis_and_one_seed_say_what_would_settle_them(tmp_path):
    one = sweep_of(tmp_path / "value", ["layer", "seed"], rows_of(({"layer": "cmr", "seed": 1}, 5.0, 5.0)))
    assert sweep_page(one, "Which layer is fast?").answer == "Not settled: every axis has one value (layer: cmr), so there is nothing to compare. Give an axis of [axes] another value."
    seed = sweep_of(tmp_path / "seed", ["layer", "seed"], rows_of(({"layer": "cmr", "seed": 1}, 5.0, 5.0), ({"layer": "imr-rmw", "seed": 1}, 9.0, 9.0)))
    assert sweep_page(seed, "Which layer is fast?").answer.startswith("Not settled: one seed has no interval (four have one: --seeds 4, or seed = [1, 2, 3, 4] under [axes]).")


def test_a_recording_is_as_long_as_it_is(tmp_path):
    points = [({"layer": layer, "seed": seed}, mean, 5.0) for layer, mean in (("cmr", 5.0), ("imr-rmw", 9.0)) for seed in (1, 2)]
    page = sweep_page(sweep_of(tmp_path, ["layer", "seed"], rows_of(*points, **{"host.steady.reached": 0.0, "recorded": True})), "Which layer is fast?")
    assert any("uneven recording: latencies changed" in line for line in page.warnings)
    assert page.answer.startswith('Not settled: a recorded trace is one sample, and blocks = "host.latency.mean" in the file of the sweep has intervals over its blocks. As far as it goes: cmr has the smallest mean')
    blocks = {"host.latency.mean.of_all": 5.0, **{f"host.latency.mean.without.{block}": 5.0 for block in range(1, 11)}}
    rows = rows_of(*points, recorded=True)
    for row in rows:
        row |= {name: value * row["host.latency.mean"] / 5.0 for name, value in blocks.items()}
    said = sweep_page(sweep_of(tmp_path / "blocks", ["layer", "seed"], rows), "Which layer is fast?").answer
    assert said == "cmr has the smallest mean: mean 5.00 ms; imr-rmw is 1.8 [1.8 to 1.8] times that; on this recording, from this start."


def test_the_first_sentence_answers_the_question(crossed):
    said = of_sweep(crossed.good, crossed.axes, "How much DRAM does p99 need?")
    assert said.startswith("firmware.write_cache.capacity 4 MiB is enough: p99 ") and "0 B is 3 [" in said and "geometric mean over 2 values of layer" in said
    assert of_sweep(crossed.good, crossed.axes, "Which layer has the shortest tail?").startswith("cmr has the smallest p99")
    assert of_sweep(crossed.good, crossed.axes, "Does the weather matter?").startswith("Not understood: the question names no axis of this sweep (layer, ")


def test_one_seed_settles_nothing(crossed):
    one = crossed.good.filter(pl.col("axis.seed") == 1)
    assert of_sweep(one, crossed.axes, "Which layer has the best p99?").startswith("Not settled: one seed has no interval (four have one: --seeds 4, or seed = [1, 2, 3, 4] under [axes]). As far as it goes: cmr has")


def test_the_picture_is_of_the_metric_that_the_question_names(crossed):
    assert sweep_page(crossed, "How much DRAM does p99 need?").charts[1].title.startswith("host.latency.p99 over")
    assert sweep_page(crossed).charts[1].title.startswith("host.latency.mean over")


def test_amounts_are_in_order_and_typed(crossed):
    chart = charts_of_sweep(crossed)[1]
    assert list(BUFFERS) in (list(chart.xs), list(chart.ys))
    amounts = crossed.results.select("axis.firmware.write_cache.capacity", "amount.firmware.write_cache.capacity").unique().sort("amount.firmware.write_cache.capacity")
    assert amounts.rows() == [("0 B", 0.0), ("4 MiB", 4.0 * 2**20), ("16 MiB", 16.0 * 2**20)]


def test_traces_are_named_by_their_stems(tmp_path):
    points = [({"trace": f"../far/{trace}.csv.xz", "seed": 1}, 5.0, 5.0) for trace in ("web_3", "hm_0")]
    page = sweep_page(sweep_of(tmp_path, ["trace", "seed"], rows_of(*points)))
    assert [row[0].text for row in page.tables[0].rows] == ["web_3", "hm_0"]
    assert page.charts[0].categories == ["web_3", "hm_0"]


def test_a_run_with_power_cuts_says_so(tmp_path):
    run = Run(write_run(tmp_path, {"host.latency.mean": metric(5, "ms")}, None, {"power_cuts": 2}))
    assert any("Power was cut 2 times" in line for line in run_warnings(run))


def test_one_run_answers_with_its_figure_and_its_mark(tmp_path):
    metrics = {"host.latency.p99": metric(5, "ms"), "host.served": metric(10), "cleaning.count": metric(1), "host.latency.mean": metric(1, "ms"), "host.latency.max": metric(9, "ms")}
    run = Run(write_run(tmp_path, metrics, None, {"cleans": True, "layer": "fluid", "drive": "demo", "input": "web", "seed": 1, "tool": "t"}))
    assert run_page(run, "How long is the tail?").answer.startswith("Not settled: too short to compare. As far as it goes: p99 is 5.00 ms for fluid on web")


def layer_run(folder, name, cleanings):
    metrics = {f"host.latency.{of}": metric(value, "ms") for of, value in (("p50", 1), ("p90", 2), ("p95", 3), ("p99", 9), ("p999", 99))}
    metrics |= {"write_amplification.media": metric(2), "media.sectors_written.total": metric(4), "media.sectors_written.data": metric(4), "cleaning.count": metric(cleanings)}
    return Run(write_run(folder / name, metrics, None, {"layer": name, "cleans": True}))


def test_pictures_of_layers_carry_marks_and_have_tails_without_logs(tmp_path):
    charts = {chart.name: chart for chart in of_runs({"fluid": layer_run(tmp_path, "fluid", 3), "imr-rmw": layer_run(tmp_path, "imr-rmw", 300)})}
    tail = charts["latency-percentiles"]
    assert [line.name for line in tail.lines] == ["fluid*", "imr-rmw"] and tail.x.log and tail.y.log
    assert heading(tail).endswith("(* too short to compare)")
    assert charts["write-amplification"].categories == ["fluid*", "imr-rmw"]


def test_the_only_layer_that_may_be_ranked_is_not_the_best():
    figures = {name: [("fluid", 5.0, False), ("imr-rmw", 9.0, True)] for _, name in COMPARED}
    assert ranking(figures, {"host.latency.mean": "ms"})[0] == "mean: only imr-rmw may be ranked, 9.00 ms."
    alone = {name: [("cmr", 18.0, True), ("imr-rmw", 9.0, True)] for _, name in COMPARED}
    assert ranking(alone, {"host.latency.mean": "ms"})[0] == "mean: imr-rmw, 9.00 ms (0.5x cmr)."  # nobody else was there to be left out
    both = {name: [("cmr", 18.0, True), ("fluid", 5.0, True), ("imr-rmw", 9.0, True)] for _, name in COMPARED}
    assert ranking(both, {"host.latency.mean": "ms"})[0] == "Lowest mean but for cmr: fluid, 5.00 ms (0.278x cmr); highest: imr-rmw, 9.00 ms."


def test_the_pictures_of_one_run_carry_its_marks(tmp_path):
    run = Run(write_run(tmp_path, {"cleaning.count": metric(1)}, requests_of([1, 2, 3]), {"layer": "fluid", "cleans": True}))
    assert all(heading(chart).endswith("(too short to compare)") for chart in of_run(run) if chart.name in ("latency-tail", "latency-over-time", "life"))


def test_a_colour_means_the_same_in_every_picture():
    life, energy = part_colours(["host queue", "seek", "flash"]), part_colours(["disk: idle", "disk: seek", "flash: program"])
    assert life["seek"] == energy["disk: seek"] and life["flash"] == energy["flash: program"]
    few, many = curve_looks(["mu-rmw"]), curve_looks(["imr-rmw", "fluid", "mu-rmw*", "median"])
    assert few["mu-rmw"] == many["mu-rmw*"]
    assert len({str(each) for each in many.values()}) == 4
    assert all(len(set(part_colours(names).values())) == len(names) for names in (["seek", "x", "y", "z"], ["host", "disk", "flash", "cpu", "copy", "descriptors", "registers"]))


def test_the_tail_of_the_demonstration_is_logarithmic(tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    panels = []
    monkeypatch.setattr(plt, "close", lambda figure: panels.extend(figure.axes))
    run = Run(write_run(tmp_path / "a", {"cleaning.count": metric(1)}, requests_of(range(1, 2000)), {"cleans": True}))
    plot_latency({"interlaced": {"imr-rmw": run}}, tmp_path / "plot.png", "title")
    writes = panels[1]
    assert (writes.get_xscale(), writes.get_yscale()) == ("log", "log")
    assert min(writes.lines[0].get_ydata()) == pytest.approx(100 / 1999)
    assert writes.lines[0].get_label() == "imr-rmw*"


def test_the_check_list_names_tests_that_there_are():
    with (REPOSITORY / "docs" / "data" / "evidence.csv").open(encoding="utf-8", newline="") as rules:
        named = [row["test"] for row in csv.DictReader(rules)]
    there = "".join((REPOSITORY / "tests" / "python" / name).read_text(encoding="utf-8") for name in ("test_statistics.py", "test_ask.py", "test_evidence.py", "test_effort.py", "test_ratios.py", "test_compare.py", "test_known_answers.py"))
    page = (REPOSITORY / "docs" / "guide" / "compare.md").read_text(encoding="utf-8")
    assert f"lists all {len(named)}, each with the test that checks it" in page
    assert [name for name in named if f"def {name}(" not in there] == []


def test_an_answer_about_a_recording_says_that_it_is(crossed, tmp_path):
    recorded = crossed.good.with_columns(pl.lit(True).alias("recorded"))
    assert of_sweep(recorded, crossed.axes, "Which layer has the shortest tail?").endswith("; on this recording, from this start.")
    lines = effects(recorded, crossed.axes, "host.latency.p99", "ms")
    assert all(line.endswith(" On this recording, from this start.") and "not settled: " in line and "(no blocks of this recording: no interval)" in line for line in lines)
    blocks = {f"host.latency.p99.without.{block}": pl.col("host.latency.p99") * (1 + block / 1000) for block in range(1, 11)}
    sure = effects(recorded.with_columns(pl.col("host.latency.p99").alias("host.latency.p99.of_all"), **blocks), crossed.axes, "host.latency.p99", "ms")
    assert any("a factor of 3 [3 to 3, 10 blocks]" in line and "not settled" not in line for line in sure)
    assert "on this recording" not in of_sweep(crossed.good, crossed.axes, "Which layer has the shortest tail?")
