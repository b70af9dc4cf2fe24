"""tessera sweep."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.help import TwoTier
from tessera.commands.options import Jobs, Json, Margin
from tessera.results.human import counted

if TYPE_CHECKING:
    from tessera.explore import Sweep
    from tessera.explore.sweep import Count

EXAMPLES = """Examples:

  tessera sweep memory.toml --out out/memory

  tessera sweep memory.toml --out out/memory --scheduler tcp://head:8786

  tessera sweep memory.toml --job-script  # what the batch system of its [cluster] would get

The same command goes on where it was interrupted, and makes only what is missing."""


def sweep(
    plan: Annotated[Path, typer.Argument(help="File of the sweep, in TOML.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the results (default: out/ and the file's name).")] = None,
    margin: Margin = None,
    jobs: Jobs = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler that runs already, tcp://HOST:PORT.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Make more than a hundred thousand runs.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the command of every run instead of making it.")] = False,
    script: Annotated[bool, typer.Option("--job-script", help="Print the batch system's script instead of running.")] = False,
    as_json: Json = False,
) -> None:
    """Make many runs over axes, and keep each."""
    from tessera.explore import read_plan, run_sweep  # with polars and Dask, which no other command waits for
    from tessera.explore.cluster import job_script
    from tessera.explore.margin import percent_of
    from tessera.explore.sweep import commands_of, summary_of
    from tessera.progress import counting, progress

    read = read_plan(plan)
    read = read if margin is None else replace(read, margin=percent_of(margin))
    folder = out or Path("out") / plan.stem
    if script:
        print(job_script(read.cluster))
        return
    if dry_run:
        print(*commands_of(read, folder), sep="\n")
        return
    count: "Count | None" = None
    with progress(hidden=as_json, transient=False) as bar:
        shown = counting(bar)

        def tell(now: "Count") -> None:
            nonlocal count
            count = now
            shown(now)

        try:
            made = run_sweep(read, folder, jobs=jobs, scheduler=scheduler, yes=yes, progress=tell)
        except KeyboardInterrupt as error:
            bar.stop()
            done = count.kept + count.done if count else 0
            of = f" of {count.runs:,}" if count else ""
            raise interrupted(error, f"{done:,}{of} results are kept in {folder}, and the same command goes on") from None
        except OSError as error:  # a disk that is full
            bar.stop()
            done = count.kept + count.done if count else 0
            kept = f"; {counted(done, 'result')} kept in {folder}, and the same command goes on" if done else ""
            print(f"tessera: {error.filename or folder}: {error.strerror}{kept}", file=sys.stderr)
            raise typer.Exit(1) from None
    if as_json:
        print(json.dumps({"folder": str(folder), **summary_of(count)}))
    else:
        _print(made, count)
    if made.failed.height:
        raise typer.Exit(1)


def _print(made: "Sweep", count: "Count") -> None:
    warmed = f", behind {count.warmed:,} warm-ups" if count.warmed else ""
    print(f"{counted(count.runs, 'run')}: {count.kept:,} were there, {count.done:,} made now{warmed}; results: {made.folder}")
    if count.other_simulator:
        print(f"  {count.other_simulator:,} results in that folder are of another simulator; they stay there and are not among these")
    if fold := made.facts.get("fold"):
        print(f"  {fold}")
    failed = made.failed
    if failed.height:
        print(f"  {counted(failed.height, 'run')} failed; the first ones:" if failed.height > 1 else "  1 run failed:")
        for command, message in failed.select("command", "message").head(5).rows():
            print(f"    {command}\n      {message}")


def register(app: typer.Typer) -> None:
    app.command("sweep", cls=TwoTier, epilog=EXAMPLES)(sweep)
