"""tessera workload: a workload by a row of a table of published statistics."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.engine.output_file import write
from tessera.errors import InputError
from tessera.traces.published_workload import Shape, description, read_table, row_of


def workload(
    table: Annotated[Path, typer.Argument(help="Table of the statistics of block traces, a line a workload; .xz and .gz are unpacked.")],
    name: Annotated[str | None, typer.Argument(help="Which workload of the table; all names are listed if none is given.")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write (default: to the terminal).")] = None,
    track: Annotated[int, typer.Option(min=4096, help="Size of a track in bytes, a multiple of 4096.")] = 2 * 1024 * 1024,
    tracks: Annotated[int, typer.Option(min=1, help="Number of hot tracks.")] = 100,
    share: Annotated[float | None, typer.Option(min=0, max=1, help="Share of the requests on them (default: estimated from the pages' popularity).")] = None,
    run_length: Annotated[int, typer.Option(min=1, max=32, help="Hot tracks side by side.")] = 1,
    drift: Annotated[float, typer.Option(min=0, max=1, help="Share of the hot runs that others replace every 20,000 writes.")] = 0.0,
    mean_gaps: Annotated[bool, typer.Option("--mean-gaps", help="Exponential gaps of the published mean instead of the published percentiles.")] = False,
) -> None:
    """Write a synthetic workload that has the published statistics of a recorded one.

    Example: tessera workload all106_stats.csv.xz w39 --run-length 8 --out w39.toml
    """
    if name is None:
        print("\n".join(read_table(table)))
        return
    if track % 4096:
        raise InputError(f"--track {track}: expected a multiple of 4096")
    shape = Shape(track=track, tracks=tracks, share=share, run_length=run_length, drift_share=drift, exponential=mean_gaps)
    text = description(row_of(table, name), shape)
    if out is None:
        print(text, end="")
    else:
        write(out, text)


def register(app: typer.Typer) -> None:
    app.command("workload")(workload)
