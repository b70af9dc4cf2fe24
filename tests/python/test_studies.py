"""The studies' sweeps name what there is, and a first run of each is made as they say."""

import re
import tomllib

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


def test_the_measured_costs_of_the_study_are_of_operations_that_the_calibration_page_has():
    page = (REPOSITORY / "docs" / "guide" / "calibration.md").read_text()
    table = page.partition("**Costs of operations, core cycles**")[2].partition("**")[0]
    operations = re.findall(r"^\| `(\w+)` \| \d+ \| \d+ \|", table, re.MULTILINE)
    described = tomllib.loads((REPOSITORY / "docs" / "studies" / "drives" / "measured_costs.toml").read_text())
    assert set(described["controller"]["costs"]) < set(operations) and len(operations) == 17
