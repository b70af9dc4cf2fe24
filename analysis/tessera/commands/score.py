"""tessera score."""

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.options import Jobs, Json
from tessera.errors import InputError

if TYPE_CHECKING:
    from tessera.scoring.card import Scored

EXAMPLES = """Examples:

  tessera score ./my-log.so  # a layer of your own, next to all shipped ones

  tessera score media-cache --out out/score/media-cache

  tessera score --shipped  # ranks of all shipped layers; nothing runs

The same command goes on where it was interrupted."""


def score(
    layer: Annotated[str | None, typer.Argument(metavar="LAYER", help="Layer: a name of 'tessera list layers', or a library or .py file with one of your own.")] = None,
    firmware: Annotated[Path | None, typer.Option(metavar="FILE", help="Shared library or .py file that has LAYER.")] = None,
    suite: Annotated[str | None, typer.Option(metavar="NAME", help="Version of the suite (default: score-1, the newest).")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the runs and the card (default: out/score/LAYER).")] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Print the ranks of all shipped layers, and run nothing.")] = False,
    baselines: Annotated[Path | None, typer.Option(metavar="FILE", help="Run all shipped layers, and write their figures to FILE.")] = None,
    jobs: Jobs = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="With --shipped: print ranks, figures and intervals as CSV.")] = False,
    as_json: Json = False,
) -> None:
    """Score a layer on a fixed suite: ranks among all shipped layers, measure by measure."""
    from tessera.engine.simulator import layer_names
    from tessera.progress import counting, progress
    from tessera.scoring.card import Scored, ranks_csv, ranks_text  # with polars
    from tessera.scoring.measures import as_csv as file_of
    from tessera.scoring.measures import shipped as shipped_figures
    from tessera.scoring.scoring import NoScore, digest_of, run_suite, subject_of, torture
    from tessera.scoring.standing import old
    from tessera.scoring.suite import NEWEST, suite_named

    chosen = suite_named(suite or NEWEST)
    if sum((layer is not None, shipped, baselines is not None)) != 1:
        raise InputError("score takes a layer, or --shipped, or --baselines FILE, and one of them alone")
    if as_csv and not shipped:
        raise InputError("--csv goes with --shipped; a card is printed as a table or, with --json, as JSON")
    if shipped:
        print((ranks_csv if as_csv else ranks_text)(chosen, shipped_figures(chosen)), end="")
        return
    name, libraries = subject_of(layer, [str(firmware)] if firmware else []) if layer is not None else ("baselines", ())
    folder = out or Path("out/score") / name
    words = shlex.join(["tessera", *sys.argv[1:]])
    with progress(hidden=as_json) as bar:
        try:
            if baselines is not None:
                names = layer_names()
                file_text = file_of(chosen, run_suite(chosen, names, names, (), folder, words, jobs, counting(bar)))
            else:
                line = bar.add_task("torture", total=None)
                torture(chosen, name, libraries, folder)
                bar.remove_task(line)
                known = shipped_figures(chosen)
                found = run_suite(chosen, [name], known, libraries, folder, words, jobs, counting(bar))
        except KeyboardInterrupt as error:
            bar.stop()
            raise interrupted(error, f"what was measured is kept in {folder}, and the same command goes on") from None
        except NoScore as error:
            bar.stop()
            print(f"tessera: {error}", file=sys.stderr)
            raise typer.Exit(error.status) from None
    if baselines is not None:
        from tessera.engine.output_file import write

        print(write(baselines, file_text))
        return
    library = {"file": libraries[0], "sha256": digest_of(libraries) or ""} if libraries else None
    commands = [words, f"tessera sweep {shlex.quote(str(folder / 'score.toml'))} --out {shlex.quote(str(folder))}"]
    _show(Scored(chosen, name, library, found[name], known, old(chosen, found, known), commands), folder, as_json)


def _show(card: "Scored", folder: Path, as_json: bool) -> None:
    from tessera.engine.output_file import write_inside
    from tessera.figures.page import render

    record = json.dumps(card.record(), indent=1) + "\n"
    write_inside(folder / "card.json", record)
    write_inside(folder / "card.html", render(card.page()))
    print(record if as_json else f"{card.text()}\nCard: {folder / 'card.html'}, card.json; repeat: {card.commands[-1]}", end="" if as_json else "\n")


def register(app: typer.Typer) -> None:
    app.command("score", epilog=EXAMPLES)(score)
