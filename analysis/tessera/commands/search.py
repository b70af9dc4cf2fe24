"""tessera search."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.help import TwoTier
from tessera.commands.options import Jobs, Json, Margin

if TYPE_CHECKING:
    from tessera.explore.searching import Search

EXAMPLES = """Examples:

  tessera search sizing.toml --out out/sizing

  tessera report out/sizing"""


def search(
    plan: Annotated[Path, typer.Argument(help="File of the search, in TOML.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the results (default: out/ and the file's name).")] = None,
    margin: Margin = None,
    jobs: Jobs = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="A Dask scheduler that runs already, tcp://HOST:PORT.")] = None,
    as_json: Json = False,
) -> None:
    """Search for Pareto-optimal designs: latency, cost and any other objective."""
    from tessera.evidence.family import judged_within
    from tessera.explore.margin import percent_of
    from tessera.explore.search_plan import read_search  # with polars, Dask and Optuna, which no other command waits for
    from tessera.explore.searching import run_search  # with polars, Dask and Optuna, which no other command waits for
    from tessera.progress import progress

    read = read_search(plan)
    read = read if margin is None else replace(read, margin=percent_of(margin))
    folder = out or Path("out") / plan.stem
    with progress(hidden=as_json, transient=False) as bar:
        line = bar.add_task("designs", total=read.trials)

        def tell(done: int, whole: int, failed: int) -> None:
            bar.update(line, completed=done, total=whole, description=f"designs ({failed} failed)" if failed else "designs")

        try:
            found = run_search(read, folder, jobs=jobs, scheduler=scheduler, progress=tell)
        except KeyboardInterrupt as error:
            bar.stop()
            raise interrupted(error, f"what was measured is kept in {folder}, and the same command goes on") from None
    if as_json:
        rows = found.front.drop("front").to_dicts()
        print(json.dumps({"folder": str(folder), "designs": found.trials.height, "front": rows, "notes": found.notes, "descriptions": [str(file) for file in found.descriptions]}))
    else:
        with judged_within(read.margin):
            _print(found)


def _print(found: "Search") -> None:
    from tessera.explore.search_notes import of_design, reached
    from tessera.figures.pictures import text
    from tessera.reports.sweep_page import SWEPT
    from tessera.results.human import counted

    print(f"{counted(found.trials.height, 'design')} measured, {found.front.height} beaten by no other:")
    if fold := found.sweep.facts.get("fold"):
        print(f"  {fold}")
    if few := found.unranked:
        print(f"  ! {few} of them must not be ranked, for the marks next to them: a longer limit helps, or smaller caches")
    for note in found.notes:
        print(f"  {'! ' if note.startswith('not settled') else ''}{note}")
    for file, row in zip(found.descriptions, found.front.iter_rows(named=True)):
        figures = ", ".join(f"{name} {reached(row, name, SWEPT.get(name, '1'))}" for name in found.objectives)
        design = ", ".join(f"{name.removeprefix('axis.')} {text(value)}" for name, value in row.items() if name.startswith("axis.") and value is not None)
        said = "".join(f" ({each})" for each in (row.get("marks"), of_design(row)) if each)
        print(f"  {file}\n    {design}\n    {figures}{said}")


def register(app: typer.Typer) -> None:
    app.command("search", cls=TwoTier, epilog=EXAMPLES)(search)
