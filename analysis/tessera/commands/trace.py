"""tessera describe."""

import sys

import typer

from tessera.commands.options import PASS_ON
from tessera.simulator import run_simulator


def describe(context: typer.Context) -> None:
    """Summarise a block trace."""
    sys.stdout.write(run_simulator(["describe", *context.args]))


def register(app: typer.Typer) -> None:
    app.command("describe", context_settings={**PASS_ON, "help_option_names": []})(describe)
