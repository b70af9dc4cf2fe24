"""Pictures of places and of a window: their data by hand, and what is drawn of it."""

import json

import pytest
from samples import metric, requests_of, write_run
from typer.testing import CliRunner

from tessera import InputError, Run
from tessera.cli import app
from tessera.figures import paper, pictures
from tessera.figures.chart import Axis, Heat, Slice
from tessera.figures.places import occupancy, of_places, track_heat, wear
from tessera.figures.timeline import timeline


@pytest.fixture
def drawn(tmp_path, monkeypatch):
    """Draws a chart and gives the figure with its artists."""

    def draw(chart):
        figures = []
        monkeypatch.setattr(paper.plt, "close", figures.append)
        paper.draw(chart, tmp_path / "drawn.svg")
        return figures[0]

    return draw


def run_with(folder, **files):
    run = Run(write_run(folder, {}, requests_of([1])))
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return run


def test_track_heat_is_the_mean_of_a_bin_over_all_surfaces(tmp_path, drawn):
    # 480 radii and two surfaces: bins of 2 radii are 4 tracks.
    head = "radius,surface,region,reads,writes,sectors_read,sectors_written"
    lines = [head, "0,0,data,2,0,2,0", "1,1,data,4,8,4,8", "476,0,log,0,4,0,4", "477,0,log,0,4,0,4", "479,0,data,1,0,1,0"]
    chart = track_heat(run_with(tmp_path, tracks=lines))
    reads, writes = chart.lines
    assert (reads.x, reads.y) == ([1, 477, 479], [1.5, None, 0.25])
    assert writes.y == [2, 2, None]
    assert chart.shades == [(476, 478)] and chart.shade_label == "log"
    panel = drawn(chart).axes[0]
    assert panel.lines[0].get_xydata()[0].tolist() == [1, 1.5]
    assert panel.patches[0].get_linewidth() > 0  # two tracks of a drive are less than a dot wide
    assert panel.get_yscale() == "log" and panel.get_ylabel() == "accesses of a track (mean of 4)"


def test_wear_counts_every_block_once(tmp_path, drawn):
    erases = [0, 0, 1, 5, 23, 24, 24]  # the most is 24: twelve bins of three would end at 35, so that nine are there
    lines = ["block,channel,die,erases,programmed,bad", *(f"{number},0,0,{count},0,{int(number == 3)}" for number, count in enumerate(erases))]
    chart = wear(run_with(tmp_path, blocks=lines))
    assert chart.categories == [f"{low} to {low + 2} erases" for low in range(0, 27, 3)]
    assert chart.parts == {"good blocks": [3, 0, 0, 0, 0, 0, 0, 1, 2], "bad blocks": [0, 1, 0, 0, 0, 0, 0, 0, 0]}
    bars = drawn(chart).axes[0].patches
    assert [bar.get_width() for bar in bars[:9]] == chart.parts["good blocks"]


def test_occupancy_is_a_share_of_the_highest_level(tmp_path, drawn):
    columns = "start_s,end_s,requests,reads,writes,requests_per_s,mean_latency_ms,max_latency_ms,mean_outstanding,max_outstanding,cleanings,cleaning_s"
    rows = [f"{at},{at + 10}{',0' * 10},{level},0" for at, level in ((0, 50), (10, 200), (20, 100))]
    run = run_with(tmp_path, intervals=[f"{columns},buffer.used,never.used", *rows])
    (line,) = occupancy(run).lines
    assert (line.name, line.x, line.y) == ("buffer.used, of 200", [10, 20, 30], [25, 100, 50])
    assert drawn(occupancy(run)).axes[0].lines[0].get_ydata().tolist() == [25, 100, 50]
    assert [chart.name for chart in of_places(run)] == ["occupancy"]


def event(ph, pid, tid, at_us, called=None, **numbers):
    return {"ph": ph, "pid": pid, "tid": tid, "ts": at_us, **({"name": called} if called else {}), **({"args": numbers} if numbers else {})}


WINDOW = [
    *(event("M", pid, 0, 0, "process_name", name=f"drive.{name}") for pid, name in ((3, "controller"), (5, "media"), (7, "nand"))),
    *(event("M", pid, tid, 0, "thread_name", name=name) for pid, tid, name in ((3, 1, "cpu.core0"), (3, 2, "disk_channel.command"), (5, 3, "state"), (7, 4, "die_0"))),
    event("B", 5, 3, 1_000_000, "seek", head_radius=900, head_surface=0), event("E", 5, 3, 1_004_000),
    event("B", 5, 3, 1_004_000, "write", head_radius=100, head_surface=0), event("E", 5, 3, 1_010_000),
    event("B", 3, 1, 1_002_000, "merge"), event("E", 3, 1, 1_003_000),
    event("B", 3, 2, 1_002_000, "write"), event("E", 3, 2, 1_010_000),
    event("B", 7, 4, 1_006_000, "erasing"), event("E", 7, 4, 1_008_000),
]  # fmt: skip


def test_a_window_shows_the_head_by_track_and_what_each_part_does(tmp_path, drawn):
    file = tmp_path / "t.json"
    file.write_text(json.dumps(WINDOW))
    chart = timeline(file)
    assert (chart.curve.x, chart.curve.y) == ([0, 4, 10], [900, 100, 100])  # a seek leads from where it begins to where the next state is
    assert chart.lanes == {
        "head": [Slice(0, 4, "seek"), Slice(4, 10, "write")], "CPU core0": [Slice(2, 3, "code runs")], "die 0": [Slice(6, 8, "erasing")],
    }  # fmt: skip
    assert chart.x.label == "time since 1.000000 s (ms)"
    above, below = drawn(chart).axes
    assert above.lines[0].get_xydata().tolist() == [[0, 900], [4, 100], [10, 100]]
    spans = [path.get_extents() for collection in below.collections for path in collection.get_paths()]
    assert [(span.x0, span.x1) for span in spans] == [(0, 4), (4, 10), (2, 3), (6, 8)]
    assert [round((span.y0 + span.y1) / 2) for span in spans] == [0, 0, 1, 2]
    assert [label.get_text() for label in below.get_yticklabels()] == ["head", "CPU core0", "die 0"]
    assert len({tuple(collection.get_facecolor()[0]) for collection in below.collections}) == 4


def test_the_command_draws_a_timeline_beside_its_file_and_takes_no_choice_in_silence(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps(WINDOW))
    assert CliRunner().invoke(app, ["plot", str(file)]).exit_code == 0
    assert {made.name for made in tmp_path.iterdir()} == {"t.json", "timeline.png", "timeline.svg"}
    refused = CliRunner().invoke(app, ["plot", str(file), "--only", "wear"])
    assert refused.exit_code == 2 and "a timeline is one picture" in refused.stderr


def test_the_timeline_of_a_killed_run_is_drawn_as_far_as_it_goes(tmp_path):
    file = tmp_path / "t.json"
    file.write_text(json.dumps(WINDOW)[:-1].rsplit(", {", 1)[0] + ",\n")
    assert "die 0" not in timeline(file).lanes  # its end was not written


@pytest.mark.parametrize(("text", "expected"), [("{}", "is no timeline"), ("[1]", "is no timeline"), ("[]", "shows neither head"), (None, "No such file")])
def test_what_is_no_timeline_is_refused(tmp_path, text, expected):
    file = tmp_path / "t.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError, match=expected):
        timeline(file)


def test_energy_and_bus_are_drawn_by_part(tmp_path, drawn):
    metrics = {"host.requests": metric(10), "media.energy.idle": metric(2, "J"), "dram.energy": metric(30, "mJ"), "bus.host.utilisation": metric(0.25), "bus.disk.utilisation": metric(0.5)}
    run = Run(write_run(tmp_path, metrics))
    energy = drawn(pictures.energy({"a": run})).axes[0]
    assert [(bar.get_x(), bar.get_width()) for bar in energy.patches] == [(0, 200), (200, 3)]
    assert [text.get_text() for text in energy.texts] == ["203"]
    bus = drawn(pictures.bus({"a": run})).axes[0]
    assert [bar.get_width() for bar in bus.patches] == [25, 50]


def test_a_heat_map_is_drawn_with_its_values_and_texts(drawn):
    panel, bar = drawn(Heat("heat", "t", Axis("x"), Axis("y"), ["a", "b"], ["c"], [[1.0, None]], [["1 ± 0.2", ""]], "m (ms)")).axes
    assert panel.images[0].get_array().tolist() == [[1.0, None]]
    assert [text.get_text() for text in panel.texts] == ["1 ± 0.2", ""]
    assert bar.get_ylabel() == "m (ms)"
