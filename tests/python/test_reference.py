"""The reference pages are what the program declares."""

import pytest
from simulate import SIMULATOR

from tessera.reference import METRICS, PARAMETERS, metrics_page, parameters_page


@pytest.fixture(autouse=True)
def the_built_simulator(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))


def test_the_glossary_is_what_runs_report(tmp_path):
    assert METRICS.read_text() == metrics_page(tmp_path)


def test_the_parameter_page_is_what_the_program_declares():
    assert PARAMETERS.read_text() == parameters_page()
