"""The command `tessera`."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands import ask, calibrate, curve, drive, firmware, identify, importing, new_firmware, new_layer, papers, plot, report, score, search, simulate, sweep, trace, validate, view, wave, workload
from tessera.commands.help import Program
from tessera.commands.options import count_of
from tessera.engine.simulator import simulator, simulator_digest
from tessera.errors import InputError

app = typer.Typer(cls=Program, help="Simulate shingled (SMR) and interlaced (IMR) hard drives: run, compare, sweep, search, plot and report.")
for part in (simulate, ask, score, sweep, search, plot, report, view, wave, curve, trace, workload, importing, drive, identify, firmware, new_firmware, new_layer, calibrate):
    part.register(app)
validate.register(app)


def show_version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib import metadata

    try:
        digest = simulator_digest()[:12]
    except InputError as error:  # options are read before the group catches what commands raise
        print(f"tessera: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
    engine = subprocess.run([simulator(), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"tessera {metadata.version('tessera')}\n{engine}, SHA-256 {digest}")
    raise typer.Exit


@app.callback()
def whole(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=show_version, help="Print the versions of the package and the simulator.")] = False,
) -> None:
    """Simulate shingled (SMR) and interlaced (IMR) hard drives: run, compare, sweep, search, plot and report."""


@app.command()
def demo(
    trace: Annotated[Path | None, typer.Argument(help="Block trace to replay (default: the built-in web-server workload).")] = None,
    limit: Annotated[int, typer.Option(parser=count_of, metavar="N", help="Requests of the built-in workload.")] = 100_000,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/demo"),
) -> None:
    """Compare every translation layer on one drive: a table, a picture, a waveform and a report."""
    from rich.console import Console

    from tessera.commands.demo import demonstrate  # with polars, which few commands need

    demonstrate(Console(), trace, limit, out)


papers.register(app)


@app.command()
def same(
    first: Annotated[Path, typer.Argument(help="Run folder.")],
    second: Annotated[Path, typer.Argument(help="Run folder to compare with.")],
    figures_only: Annotated[bool, typer.Option("--figures-only", help="Compare the metrics that both have.")] = False,
) -> None:
    """Compare the summaries of two runs, the machine's own figures left out; exit status 1 if they differ."""
    from tessera.results.run_folder import Run
    from tessera.results.sameness import differences

    found = differences(Run(first), Run(second), figures_only)
    for line in found:
        print(line)
    if found:
        raise typer.Exit(1)
    print(f"{first} and {second} agree")
