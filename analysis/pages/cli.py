"""What `./dev` calls to measure this project and to write its pages: no part of the package that users install."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pages.bench import measure
from pages.growth import hold_growth, measure_growth
from pages.house import draw, print_house
from pages.instructions import hold_instructions, measure_instructions
from pages.left_out import write_left_out
from pages.long_runs import LAYERS, long_runs
from pages.notebook import write_outputs
from pages.own_input import write_own_input
from pages.owners import hold_pages, keep_pages, read_owners
from pages.recovery import write_recovery
from pages.reference import write_reference
from pages.sizing import write_sizing
from pages.stale import write_stale
from pages.studies import NAMES, write_studies
from pages.torture import Effort, write_torture
from pages.trained import speed, train, untrue
from pages.trims import write_trims
from pages.years import measure_years
from tessera.commands.group import Commands
from tessera.errors import unknown_name

app = typer.Typer(cls=Commands, no_args_is_help=True, add_completion=False, help="Measure this project and write its pages.")


@app.command()
def bench(
    only: Annotated[str, typer.Argument(help="Only the cases whose name holds this; layers: the speed of each layer.")] = "",
    growth: Annotated[bool, typer.Option("--growth", help="Instead: instructions a request at 1, 4 and 16 times the capacity.")] = False,
    instructions: Annotated[bool, typer.Option("--instructions", help="Instead: instructions per request, under callgrind.")] = False,
    years: Annotated[bool, typer.Option("--years", help="Instead: drive-years simulated per day, by layer.")] = False,
    hold: Annotated[bool, typer.Option("--hold", help="Instead: fail where instructions or mispredictions per request moved since they were kept; with --growth, where a layer grows further than it is known to.")] = False,
    night: Annotated[bool, typer.Option("--night", help="With --hold: cache misses too, and each layer on the drive demo; minutes.")] = False,
    record: Annotated[bool, typer.Option("--record", help="With --instructions or --hold: keep the rows in bench/instructions.csv.")] = False,
    large_drive: Annotated[str, typer.Option(help="Drive description of 20 TB.")] = "imr-20tb",
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("out/bench"),
) -> None:
    """Measure the simulator's speed and memory, what it costs per request, or how that grows, each figure with its target."""
    if growth and hold:
        hold_growth(Console(), out / "growth", only, len(os.sched_getaffinity(0)))
    elif years:
        measure_years(Console(), out / "years", only)
    elif growth:
        measure_growth(Console(), out / "growth", only, len(os.sched_getaffinity(0)))
    elif instructions:
        measure_instructions(Console(), out / "instructions", only, record)
    elif hold:
        hold_instructions(Console(), out / "instructions", record, night)
    else:
        measure(Console(), out, large_drive, only)


@app.command()
def stale() -> None:
    """Write into each page that docs/stale.toml names that it is older than the program, and remove such notes from all others."""
    for page in write_stale():
        print(page)


@app.command()
def pages(
    stale_only: Annotated[bool, typer.Option("--stale", help="Instead: run the canaries; exit status 1 where a page is older than the program and docs/stale.toml does not say so.")] = False,
    made: Annotated[list[str] | None, typer.Option("--made", help="Instead: record that this program made the page (docs/layers/trim.md); give it once for each page.")] = None,
) -> None:
    """List every page that shows figures, and the command that makes them."""
    jobs = len(os.sched_getaffinity(0))
    if made:
        keep_pages(made, jobs)
    elif stale_only:
        for line in (found := hold_pages(jobs)):
            print(line)
        if found:
            print("Make each again, then ./dev pages --made PAGE; or enter it in docs/stale.toml with the cause, then ./dev stale")
            raise typer.Exit(1)
    else:
        for owner in read_owners().owners:
            print(f"{owner.page}: {owner.shows}: {owner.command}")


@app.command()
def house(picture: Annotated[bool, typer.Option("--picture", help="Instead: draw docs/architecture.svg again, from the includes.")] = False) -> None:
    """Print what the tree weighs and how it is built, each measure with its goal."""
    if picture:
        print(draw())
    else:
        print_house(Console())


@app.command("long-runs")
def long_runs_command(
    layers: Annotated[list[str] | None, typer.Argument(help="Layers; one of each kind where none is named.")] = None,
    requests: Annotated[int, typer.Option(help="Requests of the longest run.")] = 10_000_000,
) -> None:
    """Measure whether the simulator's memory grows with the length of a run; exit status 1 where it does."""
    if not long_runs(requests, tuple(layers or LAYERS), Console()):
        raise typer.Exit(1)


@app.command()
def reference(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/reference")) -> None:
    """Write docs/guide/metrics.md, docs/guide/parameters.md, docs/reference and tests/golden/digests.json again."""
    write_reference(out)


@app.command()
def reliability(
    layers: Annotated[list[str] | None, typer.Argument(help="Layers whose rows are written; all if none is named.")] = None,
    operations: Annotated[int, typer.Option(help="Persistent operations that are cut before, inside and after.")] = 2000,
    cuts: Annotated[int, typer.Option(help="Cuts at random instants.")] = 2000,
    seed: Annotated[int, typer.Option(help="Seed of the first layer.")] = 1,
) -> None:
    """Cut the power of every layer thousands of times and write its rows of the table of docs/reliability.md again; exit status 1 if anything is lost."""
    if not write_torture(Console(), Effort(operations, cuts, seed), tuple(layers or ())):
        raise typer.Exit(1)


@app.command()
def recovery(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/recovery")) -> None:
    """Measure how long each layer takes to recover and write the table of docs/developers/recovery.md again."""
    write_recovery(Console(), out)


@app.command("own-input")
def own_input(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/own-input")) -> None:
    """Run the layers of README.md's table over seeds and write there which figures our own layers win, tie and lose."""
    write_own_input(Console(), out)


@app.command()
def notebook() -> None:
    """Run the cells of docs/tutorial/notebook.ipynb, and keep what they show in it."""
    write_outputs(Path("docs/tutorial/notebook.ipynb"))


@app.command("left-out")
def left_out(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/left-out")) -> None:
    """Judge layers on volumes on which none of their parameters was chosen and write the tables of docs/developers/left-out.md again."""
    write_left_out(Console(), out)


@app.command()
def trims(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/trims")) -> None:
    """Measure what each layer gains from a TRIM and from empty space and write the table of docs/layers/trim.md again."""
    write_trims(Console(), out)


@app.command()
def sizing(out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/sizing")) -> None:
    """Measure what less bandwidth and smaller buffers cost and write docs/studies/bandwidth.csv and placement.csv again."""
    write_sizing(Console(), out)


@app.command()
def studies(
    only: Annotated[list[str] | None, typer.Argument(help=f"Studies: {', '.join(NAMES)}; all if none is named.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the runs.")] = Path("out/studies"),
) -> None:
    """Run the sweeps and arrays of docs/studies and write the tables of its pages and its data files again."""
    for name in only or ():
        if name not in NAMES:
            raise unknown_name("study", name, NAMES)
    write_studies(Console(), out, only or ())


@app.command("train")
def train_command(
    program: Annotated[Path, typer.Argument(help="The simulator to run.")],
    out: Annotated[Path, typer.Argument(help="Folder for the runs.")],
    against: Annotated[Path | None, typer.Option(help="Folder of the same runs by another build; exit status 1 where a figure differs.")] = None,
) -> None:
    """Run what a build by profile is laid out for (./dev fast), or hold such a build against the one that counted."""
    train(program, out, Console())
    if against is not None:
        for line in (found := untrue(against, out)):
            print(line)
        if found:
            raise typer.Exit(1)
        print(f"every figure and request is the same; {speed(out):,.0f} requests per CPU-second over all layers")
