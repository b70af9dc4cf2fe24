"""The command `tessera`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tessera.bench import measure
from tessera.commands import calibrate, curve, firmware, plot, report, search, simulate, sweep, trace, wave, workload
from tessera.commands.group import Commands
from tessera.drives.mechanics import DRIVES, PAGE, write_mechanics
from tessera.drives.shingled import write_shingled
from tessera.growth import measure_growth
from tessera.instructions import measure_instructions
from tessera.long_runs import LAYERS, long_runs
from tessera.papers import CHAPTERS
from tessera.papers.lab import Lab, default_traces
from tessera.papers.report import write_page
from tessera.recovery import write_recovery
from tessera.reference import write_reference
from tessera.run_folder import Run
from tessera.sameness import differences
from tessera.sizing import write_sizing
from tessera.torture import Effort, write_torture

PAGES = "Measuring the model and the program, and the pages that say so"

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Run, compare, sweep and plot simulations of a hard disk with overlapping tracks.")
for part in (simulate, sweep, search, plot, report, wave, curve, trace, workload, firmware, calibrate):
    part.register(app)
validation = typer.Typer(cls=Commands, no_args_is_help=True, help="Hold the model against what was measured.", rich_help_panel=PAGES)
app.add_typer(validation, name="validate")


@app.command()
def demo(
    trace: Annotated[Path | None, typer.Argument(help="Block trace to replay; the built-in web-server workload if not given.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Requests of the built-in workload.")] = 100_000,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/demo"),
) -> None:
    """Compare every translation layer on one drive: a table, a picture, a waveform and a report."""
    from tessera.demo import demonstrate  # with polars, which few commands need

    demonstrate(Console(), trace, limit, out)


@app.command(rich_help_panel=PAGES)
def bench(
    only: Annotated[str, typer.Argument(help="Only the cases whose name holds this; layers: the speed of each layer.")] = "",
    growth: Annotated[bool, typer.Option("--growth", help="Instead: instructions a request at 1, 4 and 16 times the capacity.")] = False,
    instructions: Annotated[bool, typer.Option("--instructions", help="Instead: instructions a request, under callgrind.")] = False,
    large_drive: Annotated[str, typer.Option(help="Drive description of 20 TB.")] = "imr_20tb",
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/bench"),
) -> None:
    """Measure the simulator's speed and memory, what a request costs it, or the growth of that, each figure beside its target."""
    if growth:
        measure_growth(Console(), out / "growth", only, len(os.sched_getaffinity(0)))
    elif instructions:
        measure_instructions(Console(), out / "instructions", only)
    else:
        measure(Console(), out, large_drive, only)


@app.command("long-runs", rich_help_panel=PAGES)
def long_runs_command(
    layers: Annotated[list[str] | None, typer.Argument(help="Layers; one of each kind where none is named.")] = None,
    requests: Annotated[int, typer.Option(help="Requests of the longest run.")] = 10_000_000,
) -> None:
    """Measure whether the simulator's memory grows with the length of a run; exit status 1 where it does."""
    if not long_runs(requests, tuple(layers or LAYERS), Console()):
        raise typer.Exit(1)


@app.command(rich_help_panel=PAGES)
def papers(
    only: Annotated[list[str] | None, typer.Argument(help=f"Chapters: {', '.join(CHAPTERS)}; all if none is named.")] = None,
    traces: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder of recorded traces and histograms; TESSERA_TRACES if not given."),
    ] = None,
    scale: Annotated[float, typer.Option(min=0.001, max=1, help="Length of the generated inputs; 1 is what the page shows.")] = 1.0,
    out: Annotated[Path, typer.Option(help="Folder for the runs, some 2 GB.")] = Path("out/papers"),
    page: Annotated[Path | None, typer.Option(help="Page to write; docs/validation.md for a whole one, OUT/validation.md else.")] = None,
) -> None:
    """Run the papers' experiments and write the page that holds their figures beside ours."""
    unknown = [name for name in only or () if name not in CHAPTERS]
    if unknown:
        print(f"tessera: no chapter '{unknown[0]}'; there are {', '.join(CHAPTERS)}", file=sys.stderr)
        raise typer.Exit(2)
    whole = not only and scale == 1
    write_page(
        Console(), Lab(out, traces or default_traces(), scale), only or list(CHAPTERS),
        page or (Path("docs/validation.md") if whole else out / "validation.md"),
    )


@app.command(rich_help_panel=PAGES)
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


@app.command(rich_help_panel=PAGES)
def reference(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/reference")) -> None:
    """Write docs/guide/metrics.md, docs/guide/parameters.md, docs/reference and tests/golden/digests.json anew."""
    write_reference(out)


@app.command(rich_help_panel=PAGES)
def torture(
    layers: Annotated[list[str] | None, typer.Argument(help="Layers whose rows are written; all if none is named.")] = None,
    operations: Annotated[int, typer.Option(help="Persistent operations that are cut before, inside and after.")] = 2000,
    cuts: Annotated[int, typer.Option(help="Cuts at random instants.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the first layer.")] = 1,
) -> None:
    """Cut the power of every layer thousands of times and write its rows of the table of docs/reliability.md anew; exit status 1 if anything is lost."""
    if not write_torture(Console(), Effort(operations, cuts, seed), tuple(layers or ())):
        raise typer.Exit(1)


@app.command(rich_help_panel=PAGES)
def recovery(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/recovery")) -> None:
    """Measure how long each layer takes to recover and write the table of docs/reliability.md anew."""
    write_recovery(Console(), out)


@app.command(rich_help_panel=PAGES)
def sizing(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/sizing")) -> None:
    """Measure what less bandwidth and smaller buffers cost and write the curves of docs/guide/sizing.md anew."""
    write_sizing(Console(), out)


@validation.command("drives")
def validate_drives(
    drive: Annotated[str | None, typer.Argument(help="Drive: a name of `tessera-sim list drives` or a file; none: the shingled drives as sold.")] = None,
    trace: Annotated[
        Path | None, typer.Argument(help="Measured responses in DiskSim's validation format: R|W class block blocks service_us think_us.")
    ] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Parameter of the drive, path=value.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed: where the spindle stands at the first request.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for the runs, the picture and the table.")] = Path("out/validate-drives"),
    page: Annotated[bool, typer.Option(help="Without a trace: put the table into docs/validation.md.")] = True,
) -> None:
    """Replay a trace of measured responses (completion and think time) and print the error of the model's response distributions by class.

    Without one, hold the shingled drives as sold against what was published of them, and write docs/validation.md.
    """
    from tessera.drives.against_measurement import compare  # with matplotlib, which few commands need

    console = Console()
    if drive is None:
        write_shingled(console, out, PAGE if page else None)
        return
    if trace is None:
        raise typer.BadParameter(f"a trace of responses that were measured on {drive} is missing")
    comparison = compare(drive, trace, out, settings or (), seed)
    console.print(comparison.text(), soft_wrap=True, markup=False, highlight=False)
    console.print(f"picture: {comparison.picture}", soft_wrap=True)


@validation.command("mechanics")
def validate_mechanics(
    drives: Annotated[list[str] | None, typer.Argument(help=f"Drives of 512 B sectors; {' and '.join(DRIVES)} if none is named.")] = None,
    accesses: Annotated[int, typer.Option(min=1, help="Single accesses on each.")] = 10_000,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/validate-mechanics"),
    page: Annotated[bool, typer.Option("--page", help="Put the table into docs/validation.md.")] = False,
) -> None:
    """Hold random single accesses against a closed form of seek, rotation, transfer, link and overheads."""
    try:
        write_mechanics(Console(), drives or DRIVES, out, accesses, PAGE if page else None)
    except ValueError as error:
        print(f"tessera: {error}", file=sys.stderr)
        raise typer.Exit(2) from None
