"""The reference pages are what the program declares."""

import pytest
from samples import REPOSITORY, metric, write_run
from simulate import SIMULATOR, simulate

from tessera import Run
from tessera.glossary import glossary, glossary_runs

GUIDE = REPOSITORY / "docs" / "guide"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_SIM", str(SIMULATOR))
        return glossary_runs(tmp_path_factory.mktemp("glossary"))


def test_the_glossary_is_what_runs_report(runs):
    assert (GUIDE / "metrics.md").read_text() == glossary(runs)


def test_a_metric_has_one_unit(tmp_path):
    runs = [Run(write_run(tmp_path / unit, {"x": metric(1, unit)})) for unit in ("ms", "s")]
    with pytest.raises(ValueError, match="x: .* gives it in s, a run before in ms"):
        glossary(runs)


def test_the_parameter_page_is_what_the_program_declares():
    assert (GUIDE / "parameters.md").read_text() == simulate("list", "parameters", "--markdown").stdout
