"""The studies' sweeps name what there is, and a first run of each is made as they say."""

import pytest
from samples import REPOSITORY
from simulate import SIMULATOR

from tessera.sweeps import read_plan

STUDIES = sorted((REPOSITORY / "docs" / "studies").glob("*.toml"))


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_a_study_is_a_sweep_that_runs_and_its_page_names_it(file, tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))
    runs = list(read_plan(file).runs())
    assert 4 <= len(runs) <= 600
    assert runs[0].simulation.but(limit=200).run(tmp_path).metric("host.served") == 200
    assert f"[{file.name}]({file.name})" in (file.parent / "README.md").read_text()
