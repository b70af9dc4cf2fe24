"""The studies' sweeps name what there is, a first run of each is made as they say, and no run of theirs is refused."""

import subprocess

import pytest
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
