"""The studies' sweeps name what there is, a first run of each is made as they say, and no run of theirs is refused."""

import csv
import subprocess

import pytest
from pages.sizing import BANDWIDTH, CLOCKS, CURVES, PLACEMENT, TABLES
from samples import REPOSITORY
from simulate import SIMULATOR

from tessera.engine.simulation import setting_text
from tessera.explore import read_plan

STUDIES = sorted((REPOSITORY / "docs" / "studies").glob("*.toml"))


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_a_study_is_a_sweep_that_runs_and_its_page_names_it(file, tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))
    runs = list(read_plan(file).runs())
    assert 4 <= len(runs) <= 600
    assert runs[0].simulation.but(limit=200).run(tmp_path).metric("host.served") == 200
    assert f"[{file.name}]({file.name})" in (file.parent / "README.md").read_text()


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_no_drive_of_a_study_is_refused(file):
    drives = set()
    for run in read_plan(file).runs():
        settings = [word for path, value in run.simulation.settings.items() for word in ("--set", f"{path}={setting_text(value)}")]
        drives.add((str(run.simulation.drive), "--layer", run.simulation.layer, *settings))
    for drive in sorted(drives):
        checked = subprocess.run([SIMULATOR, "check", *drive], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr


def test_the_data_of_bus_and_buffers_has_the_points_of_its_command():
    folder = REPOSITORY / "docs" / "studies"
    bandwidth, placement = (list(csv.reader((folder / name).open(encoding="utf-8"))) for name in ("bandwidth.csv", "placement.csv"))
    assert (tuple(bandwidth[0]), tuple(placement[0])) == (BANDWIDTH, PLACEMENT)
    assert [tuple(row[:2]) for row in bandwidth[1:]] == [(curve.title, setting) for curve in CURVES for setting, _ in curve.points]
    assert [tuple(row[:2]) for row in placement[1:]] == [(str(clock), where) for clock in CLOCKS for where, _ in TABLES]
