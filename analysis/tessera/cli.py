"""The command `tessera`."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tessera.commands import ask, calibrate, curve, drive, firmware, identify, importing, new_layer, papers, plot, report, search, simulate, sweep, trace, view, wave, workload
from tessera.commands.group import Commands
from tessera.commands.options import count_of
from tessera.drives.host_page import PAGE as HOST_VIEW_PAGE
from tessera.drives.host_page import write_host_page
from tessera.drives.host_view import DRIVES as HOST_VIEW_DRIVES
from tessera.drives.mechanics import DRIVES, PAGE, write_mechanics
from tessera.drives.shingled import write_shingled
from tessera.errors import InputError, unknown_name
from tessera.papers.lab import Lab
from tessera.run_folder import Run
from tessera.sameness import differences
from tessera.simulator import simulator, simulator_digest

CHECKS = "Held against measurements and papers"

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Simulate shingled (SMR) and interlaced (IMR) hard drives: run, compare, sweep, search, plot and report.")
for part in (simulate, ask, sweep, search, plot, report, view, wave, curve, trace, workload, importing, drive, identify, firmware, new_layer, calibrate):
    part.register(app)
validation = typer.Typer(cls=Commands, no_args_is_help=True, help="Hold the model against what was measured.")
app.add_typer(validation, name="validate", rich_help_panel=CHECKS)


def show_version(wanted: bool) -> None:
    if not wanted:
        return
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
    from tessera.demo import demonstrate  # with polars, which few commands need

    demonstrate(Console(), trace, limit, out)


papers.register(app, CHECKS)


@app.command()
def same(
    first: Annotated[Path, typer.Argument(help="Run folder.")],
    second: Annotated[Path, typer.Argument(help="Run folder to compare with.")],
    figures_only: Annotated[bool, typer.Option("--figures-only", help="Compare the metrics that both have.")] = False,
) -> None:
    """Compare the summaries of two runs, the machine's own figures left out; exit status 1 if they differ."""
    found = differences(Run(first), Run(second), figures_only)
    for line in found:
        print(line)
    if found:
        raise typer.Exit(1)
    print(f"{first} and {second} agree")


@validation.command("drives")
def validate_drives(
    drive: Annotated[str | None, typer.Argument(help="Drive: a name of `tessera list drives` or a file; none: the shingled drives as sold.")] = None,
    trace: Annotated[
        Path | None, typer.Argument(help="Measured responses in DiskSim's validation format: R|W class block blocks service_us think_us.")
    ] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Parameter of the drive, path=value.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed: where the spindle stands at the first request.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the runs, the picture and the table.")] = Path("out/validate-drives"),
    page: Annotated[bool, typer.Option(help="Without a trace: put the table into docs/validation/drives.md.")] = True,
    measured: Annotated[bool, typer.Option("--measured", help="The library of measured drives, on the traces in --traces.")] = False,
    rates: Annotated[bool, typer.Option("--rates", help="Random requests by depth on the drives as sold, next to published rates and measured tails.")] = False,
    consumer: Annotated[bool, typer.Option("--consumer", help="Shingled disks that people own, next to what is published of them.")] = False,
    traces: Annotated[Path | None, typer.Option(help="Folder of NAME.trace.xz. Default: measured/disksim in `shared` next to the checkout.")] = None,
) -> None:
    """Replay a trace of measured responses (completion and think time) and print the error of the model's response distributions by class.

    Without one, hold the shingled drives as sold against what was published of them, and write docs/validation/drives.md. With --measured, replay the
    traces of the seven drives of platforms/drives/measured; with --rates, random requests on drives as sold; with --consumer, shingled disks that people own.
    """
    from tessera.drives.against_measurement import compare  # with matplotlib, which few commands need

    console = Console()
    if measured:
        if drive is not None:
            raise typer.BadParameter("--measured replays the whole library; leave DRIVE out")
        from tessera.drives.measured_library import FOLDER, write_library

        write_library(console, traces or FOLDER, out, PAGE if page else None)
        return
    if rates:
        if drive is not None:
            raise typer.BadParameter("--rates measures the drives as sold; leave DRIVE out")
        from tessera.drives.random_rates import write_rates

        write_rates(console, out, PAGE if page else None)
        return
    if consumer:
        if drive is not None:
            raise typer.BadParameter("--consumer measures the disks of its table; leave DRIVE out")
        from tessera.drives.consumer import write_consumer

        write_consumer(console, out, PAGE if page else None)
        return
    if drive is None:
        write_shingled(console, out, PAGE if page else None)
        return
    if trace is None:
        raise typer.BadParameter(f"a trace of responses that were measured on {drive} is missing")
    comparison = compare(drive, trace, out, settings or (), seed)
    console.print(comparison.text(), soft_wrap=True, markup=False, highlight=False)
    console.print(f"picture: {comparison.picture}", soft_wrap=True)


@validation.command("dd")
def validate_dd(
    drives: Annotated[list[str] | None, typer.Argument(help=f"Drives: {', '.join(HOST_VIEW_DRIVES)}; all if none is named.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/validate-dd"),
    page: Annotated[bool, typer.Option("--page", help="Put the tables into docs/guide/dd-and-fio.md.")] = False,
) -> None:
    """Measure sequential and random throughput as dd and fio would, next to the rate of the platters."""
    for name in drives or ():
        if name not in HOST_VIEW_DRIVES:
            raise unknown_name("drive", name, HOST_VIEW_DRIVES)
    if drives and page:
        raise typer.BadParameter("the page shows all drives; leave DRIVES out with --page")
    chosen = {name: HOST_VIEW_DRIVES[name] for name in drives or HOST_VIEW_DRIVES}
    write_host_page(Console(), Lab(out), chosen, HOST_VIEW_PAGE if page else None)


@validation.command("mechanics")
def validate_mechanics(
    drives: Annotated[list[str] | None, typer.Argument(help=f"Drives of 512 B sectors; {' and '.join(DRIVES)} if none is named.")] = None,
    accesses: Annotated[int, typer.Option(min=1, help="Single accesses on each.")] = 10_000,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/validate-mechanics"),
    page: Annotated[bool, typer.Option("--page", help="Put the table into docs/validation/drives.md.")] = False,
) -> None:
    """Hold random single accesses against a closed form of seek, rotation, transfer, link and overheads."""
    try:
        write_mechanics(Console(), drives or DRIVES, out, accesses, PAGE if page else None)
    except ValueError as error:
        print(f"tessera: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
