"""tessera view."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.output_file import apart

EXAMPLES = """Examples:

  tessera view out/first

  tessera view out/all --layers cmr,media-cache --out two.html      (two layers of a comparison, on one clock)

  tessera view out/first --yes      (repeats a run without --requests, to record them)"""


def view(
    results: Annotated[Path, typer.Argument(help="Folder of a run or a comparison.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="File to write (default: RESULTS/view.html).")] = None,
    layers: Annotated[str | None, typer.Option(metavar="A,B", help="Of a comparison: the two layers to show (default: lowest and highest mean latency).")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Repeat a run without asking if it has no log of requests or head positions.")] = False,
    firmware: Annotated[
        Path | None, typer.Option(help="Shared library or image that the run used, if it is repeated; used only if its digest is the same.")
    ] = None,
) -> None:
    """Write the disk at work as one HTML file: platter and head, every request on a time line, the life of each in words."""
    from tessera.view import write_view

    unasked = []

    def ask(question: str) -> bool:
        if yes or sys.stdin.isatty():
            return yes or typer.confirm(question, default=True, err=True)
        unasked.append(question)
        return False

    if out is not None:
        apart(out, (file for file in results.glob("*") if file.suffix != ".html"))
    chosen = tuple(layers.split(",")) if layers else ()
    print(write_view(results, out, chosen, ask, firmware, progress=sys.stderr.isatty()))
    if unasked:
        print("  note: the page shows no head positions; --yes repeats the run to record them", file=sys.stderr)


def register(app: typer.Typer) -> None:
    app.command("view", epilog=EXAMPLES)(view)
