"""Pictures of how full bands are: their data by hand, and what is drawn of it."""

import numpy as np
from samples import requests_of, write_run

from tessera import Run
from tessera.figures import paper, screen
from tessera.figures.bands import COLUMNS, ROWS, of_bands

HEAD = "time_s,band,sectors,held,cached"


def run_with(folder, *lines):
    run = Run(write_run(folder, {}, requests_of([1])))
    (folder / "bands.csv").write_text("\n".join([HEAD, *lines]) + "\n")
    return run


def test_a_cell_holds_what_a_look_said_until_the_next_one_says_something_else(tmp_path):
    run = run_with(tmp_path, "0.5,0,100,100,0", "0.5,1,50,50,10", "2,0,100,100,25", "3.5,1,50,50,0", "4,0,100,100,25")
    (chart,) = of_bands(run)  # all bands are written all along, which is no picture
    assert (chart.name, chart.xs, chart.ys) == ("bands", [0.5, 2, 3.5, 4], [0, 1, 2])
    assert chart.values == [[None, 25, 25], [20, 20, None]]


def test_bands_behind_the_last_used_one_are_left_out_and_what_changes_is_drawn(tmp_path):
    lines = [f"0,{band},8,0,0" for band in range(10)]
    cached, written = of_bands(run_with(tmp_path, *lines, "1,3,8,0,8", "2,2,8,4,0", "3,2,8,8,0"))
    assert (cached.name, cached.ys, cached.values[3]) == ("bands", [0, 1, 2, 3, 4], [None, 100, 100])
    assert (written.name, written.ys, written.values[2]) == ("bands-written", [0, 1, 2, 3], [None, None, 50])


def test_of_many_bands_and_looks_a_cell_shows_the_fullest_band_and_the_mean_over_time(tmp_path):
    looks, bands = 2 * COLUMNS + 1, 2 * ROWS
    lines = [f"{look},{band},100,100,{50 if band % 2 else look % 2 * 100}" for look in range(looks) for band in range(bands)]
    (chart,) = of_bands(run_with(tmp_path, *lines))
    assert (len(chart.xs), len(chart.ys)) == (COLUMNS + 1, ROWS + 1)
    assert np.unique(chart.values).tolist() == [75]  # the fuller of 50 and 0, and of 50 and 100
    assert "the fullest of 2 side by side" in chart.y.label


def test_it_is_drawn_on_paper_and_on_the_screen(tmp_path, monkeypatch):
    (chart,) = of_bands(run_with(tmp_path, "0,0,100,100,50", "0,1,100,100,0", "1,1,100,100,100", "2,0,100,100,50"))
    figures = []
    monkeypatch.setattr(paper.plt, "close", figures.append)
    paper.draw(chart, tmp_path / "bands.svg")
    (mesh,) = figures[0].axes[0].collections
    assert mesh.get_array().tolist() == [[50, 50], [None, 100]]
    made = screen.figure(chart)
    assert made["data"][0]["z"] == [[50, 50], [None, 100]] and made["data"][0]["x"] == [0, 1, 2]


def test_a_run_without_looks_has_no_such_picture(tmp_path):
    assert of_bands(Run(write_run(tmp_path, {}, requests_of([1])))) == []
    assert of_bands(run_with(tmp_path / "one", "0,0,100,100,50")) == []
