"""What the programs of a round have loaded already: loading takes four times as long as their sweeps. The fork server imports it."""

import html  # noqa: F401

import numpy.ma
import numpy.random
import optuna  # noqa: F401
import pydantic  # noqa: F401
import typer
import typer._adapters  # noqa: F401

import tessera.cli
import tessera.explore.searching
import tessera.explore.sweep
import tessera.reports
import tessera.results.bound_by

COMMAND = typer.main.get_command(tessera.cli.app)
