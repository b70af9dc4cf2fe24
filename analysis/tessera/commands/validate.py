"""tessera validate: the model against what was measured."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.checkout import of_checkout
from tessera.commands.group import Commands
from tessera.engine.simulator import REPOSITORY
from tessera.errors import unknown_name

DRIVES_PAGE = REPOSITORY / "docs" / "validation" / "drives.md"


def drives_command(
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
    from rich.console import Console

    console = Console()
    if measured:
        if drive is not None:
            raise typer.BadParameter("--measured replays the whole library; leave DRIVE out")
        with of_checkout():
            from validation.drives.measured_library import FOLDER, write_library

        write_library(console, traces or FOLDER, out, DRIVES_PAGE if page else None)
        return
    if rates:
        if drive is not None:
            raise typer.BadParameter("--rates measures the drives as sold; leave DRIVE out")
        with of_checkout():
            from validation.drives.random_rates import write_rates

        write_rates(console, out, DRIVES_PAGE if page else None)
        return
    if consumer:
        if drive is not None:
            raise typer.BadParameter("--consumer measures the disks of its table; leave DRIVE out")
        with of_checkout():
            from validation.drives.consumer import write_consumer

        write_consumer(console, out, DRIVES_PAGE if page else None)
        return
    if drive is None:
        with of_checkout():
            from validation.drives.shingled import write_shingled

        write_shingled(console, out, DRIVES_PAGE if page else None)
        return
    if trace is None:
        raise typer.BadParameter(f"a trace of responses that were measured on {drive} is missing")
    from tessera.identify.against_measurement import compare

    comparison = compare(drive, trace, out, settings or (), seed)
    console.print(comparison.text(), soft_wrap=True, markup=False, highlight=False)
    console.print(f"picture: {comparison.picture}", soft_wrap=True)


def dd_command(
    drives: Annotated[list[str] | None, typer.Argument(help="Drives of the page; all if none is named.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/validate-dd"),
    page: Annotated[bool, typer.Option("--page", help="Write docs/data/dd-and-fio.csv, its picture and the table of docs/guide/drives.md.")] = False,
) -> None:
    """Measure sequential and random throughput as dd and fio would, next to the rate of the platters."""
    from rich.console import Console

    with of_checkout():
        from validation.drives.host_page import write_host_page
        from validation.drives.host_view import DRIVES
        from validation.papers.lab import Lab

    for name in drives or ():
        if name not in DRIVES:
            raise unknown_name("drive", name, DRIVES)
    if drives and page:
        raise typer.BadParameter("the page shows all drives; leave DRIVES out with --page")
    write_host_page(Console(), Lab(out), {name: DRIVES[name] for name in drives or DRIVES}, page)


def mechanics_command(
    drives: Annotated[list[str] | None, typer.Argument(help="Drives of 512 B sectors; none: two of the nineties.")] = None,
    accesses: Annotated[int, typer.Option(min=1, help="Single accesses on each.")] = 10_000,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/validate-mechanics"),
    page: Annotated[bool, typer.Option("--page", help="Put the table into docs/validation/drives.md.")] = False,
) -> None:
    """Hold random single accesses against a closed form of seek, rotation, transfer, link and overheads."""
    from rich.console import Console

    with of_checkout():
        from validation.drives.mechanics import DRIVES, write_mechanics

    try:
        write_mechanics(Console(), drives or DRIVES, out, accesses, DRIVES_PAGE if page else None)
    except ValueError as error:
        print(f"tessera: {error}", file=sys.stderr)
        raise typer.Exit(2) from None


def identify_command(
    drives: Annotated[int, typer.Option(min=1, help="Drives to draw.")] = 30,
    out: Annotated[Path, typer.Option(help="Folder for the drives, their logs and what is found.")] = Path("out/validate-identify"),
    page: Annotated[bool, typer.Option("--page", help="Write docs/data/identify-intervals.csv.")] = False,
) -> None:
    """Draw drives at random, identify each from the logs of its small jobs, and count how many true parameters lie within their stated intervals."""
    from rich.console import Console

    with of_checkout():
        from validation.drives.identification import write_coverage

    write_coverage(Console(), drives, out, REPOSITORY / "docs" / "data" / "identify-intervals.csv" if page else None)


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Commands, no_args_is_help=True, help="Hold the model against what was measured.")
    group.command("drives")(drives_command)
    group.command("dd")(dd_command)
    group.command("mechanics")(mechanics_command)
    group.command("identify")(identify_command)
    app.add_typer(group, name="validate")
