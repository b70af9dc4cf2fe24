"""tessera report."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.options import Margin
from tessera.engine.output_file import apart

EXAMPLES = """Examples:

  tessera report out/first

  tessera report out/memory --out memory.html --question "How much DRAM does the sector map need?" """


def report(
    results: Annotated[Path, typer.Argument(help="Folder of a run, a comparison or a sweep.")],
    out: Annotated[Path | None, typer.Option("--out", help="File to write (default: RESULTS/report.html).")] = None,
    margin: Margin = None,
    question: Annotated[str, typer.Option(help="What the reader wants to know; stands at the top.")] = "",
) -> None:
    """Write one HTML file with findings, pictures, tables and warnings; it needs no network."""
    from tessera.reports import write_report

    if out is not None:
        apart(out, (file for file in results.glob("*") if file.suffix != ".html"))
    print(write_report(results, out, question, margin))


def register(app: typer.Typer) -> None:
    app.command("report", epilog=EXAMPLES)(report)
