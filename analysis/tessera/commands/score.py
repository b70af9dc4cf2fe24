"""tessera score."""

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.options import Jobs, Json
from tessera.errors import InputError

EXAMPLES = """Examples:

  tessera score ./my-log.so  # a layer of your own, next to all shipped ones

  tessera score media-cache --out out/score/media-cache

  tessera score ./my-log.so --trace web_0.csv.gz --next-to tessera,media-cache  # with a table of a recording of yours

  tessera score --shipped  # ranks of all shipped layers; nothing runs

The same command goes on where it was interrupted."""


def score(
    layer: Annotated[str | None, typer.Argument(metavar="LAYER", help="Layer: a name of 'tessera list layers', or a library or .py file with one of your own.")] = None,
    firmware: Annotated[Path | None, typer.Option(metavar="FILE", help="Shared library or .py file that has LAYER.")] = None,
    suite: Annotated[str | None, typer.Option(metavar="NAME", help="Version of the suite (default: score-1, the newest).")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the runs and the card (default: out/score/LAYER).")] = None,
    trace: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Block trace of your own: a table next to the score. Repeatable.")] = None,
    next_to: Annotated[str | None, typer.Option("--next-to", metavar="A,B,...", help="With --trace: shipped layers in that table, next to cmr.")] = None,
    limit: Annotated[str | None, typer.Option(metavar="N", help="With --trace: at most this many requests of each (default: 20000).")] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Print the ranks of all shipped layers, and run nothing.")] = False,
    baselines: Annotated[Path | None, typer.Option(metavar="FILE", help="Run all shipped layers, and write their figures to FILE.")] = None,
    jobs: Jobs = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="With --shipped: print ranks, figures and intervals as CSV.")] = False,
    as_json: Json = False,
) -> None:
    """Score a layer on a fixed suite: ranks among all shipped layers, measure by measure."""
    from tessera.engine.output_file import write
    from tessera.engine.simulator import layer_names
    from tessera.progress import counting, progress
    from tessera.scoring.card import ranks_csv, ranks_text  # with polars
    from tessera.scoring.measures import as_csv as file_of
    from tessera.scoring.measures import shipped as shipped_figures
    from tessera.scoring.scoring import TRACE_LIMIT, NoScore, run_suite, score_layer
    from tessera.scoring.suite import NEWEST, suite_named

    chosen = suite_named(suite or NEWEST)
    if sum((layer is not None, shipped, baselines is not None)) != 1:
        raise InputError("score takes a layer, or --shipped, or --baselines FILE, and one of them alone")
    if as_csv and not shipped:
        raise InputError("--csv goes with --shipped; a card is printed as a table or, with --json, as JSON")
    if given := [option for option, value in {"--next-to": next_to, "--limit": limit}.items() if value and not trace]:
        raise InputError(f"{given[0]} goes with --trace FILE: inputs and lengths of a suite are fixed")
    if trace and layer is None:
        raise InputError("--trace goes with a layer")
    if shipped:
        print((ranks_csv if as_csv else ranks_text)(chosen, shipped_figures(chosen)), end="")
        return
    words = shlex.join(["tessera", *sys.argv[1:]])
    with progress(hidden=as_json) as bar:
        try:
            if baselines is not None:
                names = layer_names()
                made = run_suite(chosen, names, names, (), out or Path("out/score/baselines"), words, jobs, counting(bar))
            else:
                line = bar.add_task("torture", total=None)
                others = tuple(word.strip() for word in next_to.split(",")) if next_to else ()
                card = score_layer(
                    chosen, str(layer), [str(firmware)] if firmware else [], out, words, jobs, trace or (), others, limit or TRACE_LIMIT, lambda: bar.remove_task(line), counting(bar)
                )
        except KeyboardInterrupt as error:
            bar.stop()
            raise interrupted(error, "what was measured is kept, and the same command goes on") from None
        except NoScore as error:
            bar.stop()
            print(f"tessera: {error}", file=sys.stderr)
            raise typer.Exit(error.status) from None
    if baselines is not None:
        print(write(baselines, file_of(chosen, made)))
    elif as_json:
        print(json.dumps(card.record(), indent=1))
    else:
        print(f"{card.text()}\nCard: {card.folder}/card.html, card.pdf, card.json; repeat: {card.commands[-1]}")


def register(app: typer.Typer) -> None:
    app.command("score", epilog=EXAMPLES)(score)
