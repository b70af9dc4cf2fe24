"""The reference pages are what the program declares."""

import re
import shlex

import click
import pytest
import typer
from images import build_layer
from samples import metric, write_run

from tessera import Run
from tessera.cli import app
from pages.glossary import glossary
from pages.reference import MANUAL, METRICS, PARAMETERS, manual, metrics_page, parameters_page


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


def examples():
    """The words of each example of the commands' reference, but for those of tessera-sim."""
    text = (MANUAL / "tessera.md").read_text()
    lines = "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).splitlines()
    commands = [shlex.split(part, comments=True) for line in lines for part in line.split("&&")]
    return [words[1:] for words in commands if words and words[0] == "tessera"]


def test_every_example_of_a_command_is_one_that_it_takes():
    found = examples()
    assert len(found) > 40
    for words in found:
        name, command, context = "tessera", typer.main.get_command(app), None
        while hasattr(command, "commands"):
            context = click.Context(command, context)
            name, command, words = command.resolve_command(context, list(words))
        command.make_context(name, list(words))  # raises for what it does not take
