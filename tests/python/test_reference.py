"""The reference pages are what the program declares."""

import pytest
from images import build_layer
from samples import metric, write_run

from tessera import Run
from tessera.glossary import glossary
from tessera.reference import MANUAL, METRICS, PARAMETERS, manual, metrics_page, parameters_page


pytestmark = pytest.mark.usefixtures("the_built_simulator")


def test_the_glossary_is_what_runs_report(tmp_path):
    build_layer("cmr")
    assert METRICS.read_text() == metrics_page(tmp_path)


def test_a_metric_has_one_unit(tmp_path):
    runs = [Run(write_run(tmp_path / unit, {"x": metric(1, unit)})) for unit in ("ms", "s")]
    with pytest.raises(ValueError, match="x: .* gives it in s, a run before in ms"):
        glossary(runs)


def test_the_parameter_page_is_what_the_program_declares():
    assert PARAMETERS.read_text() == parameters_page()


def test_the_reference_of_commands_calls_and_interface_is_what_the_code_says():
    assert {file.name: file.read_text() for file in MANUAL.iterdir()} == manual()
