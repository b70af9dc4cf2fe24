"""tessera describe, and tessera trace cut, scale, repeat, merge, fit."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.commands.options import Json, Limit, size_of, time_of
from tessera.simulator import ask_simulator

EXAMPLES = """Examples:

  tessera describe week.csv.xz

  tessera describe month.csv.zst --limit 1000000 --picture heat.png --json"""

Source = Annotated[Path, typer.Argument(help="Block trace (plain, gz, xz or zstd).")]
Target = Annotated[Path, typer.Option("--out", help="File to write; .gz and .xz are packed. How it is read lies beside it.")]
Format = Annotated[str | None, typer.Option("--format", help="Format of the trace; recognised from its content if not given.")]
Volume = Annotated[str | None, typer.Option("--volume", help="Only this volume.")]


def describe(
    trace: Source,
    format: Format = None,
    volume: Volume = None,
    limit: Limit = None,
    picture: Annotated[Path | None, typer.Option(help="Heat map over time and address to draw, .png or .svg.")] = None,
    as_json: Json = False,
) -> None:
    """Tell what is in a block trace: counts, footprint, reuse, overwriting, order, bursts."""
    from tessera.charts.paper import draw
    from tessera.trace.measures import heat_map, measures, rows
    from tessera.trace.table import read_trace, reading_words

    words = ["describe", trace, *reading_words(format, volume, limit)]
    records = read_trace(trace, format=format, volume=volume, limit=limit)
    found = measures(records)
    if picture is not None:
        draw(heat_map(records), picture)
    if as_json:
        print(json.dumps({**json.loads(ask_simulator([*words, "--json"])), "measures": found}))
        return
    sys.stdout.write(ask_simulator(words))
    print()
    for name, value in rows(found):
        print(f"{name:<32}{value:>17}")
    if picture is not None:
        print(picture)


traces = typer.Typer(cls=Commands, no_args_is_help=True, help="Cut, scale, repeat and merge block traces, and fit workloads to them.")


@traces.command(epilog='Example: tessera trace cut week.csv.xz --begin "10 s" --end "1 h" --out hour.csv.xz')
def cut(
    trace: Source,
    out: Target,
    begin: Annotated[str, typer.Option(help="Time from which records are kept, since the first one.")] = "0 s",
    end: Annotated[str | None, typer.Option(help="Time before which they are kept; to the last one if not given.")] = None,
    format: Format = None,
    volume: Volume = None,
) -> None:
    """Keep a window of a trace."""
    from tessera.trace.edit import cut as cut_records
    from tessera.trace.edit import write_trace
    from tessera.trace.table import read_trace

    kept = cut_records(read_trace(trace, format=format, volume=volume), time_of(begin), None if end is None else time_of(end))
    print(f"{write_trace(kept, out)}: {len(kept):,} records")


@traces.command(epilog="Example: tessera trace scale week.csv.xz --load 4 --out busy.csv.xz")
def scale(
    trace: Source,
    out: Target,
    load: Annotated[float, typer.Option(help="So many times as many requests a second.")] = 1.0,
    addresses: Annotated[float, typer.Option(help="Addresses times this, for a smaller or larger drive.")] = 1.0,
    format: Format = None,
    volume: Volume = None,
) -> None:
    """Make a trace busier, or its address space smaller."""
    from tessera.trace.edit import scale as scale_records
    from tessera.trace.edit import write_trace
    from tessera.trace.table import read_trace

    scaled = scale_records(read_trace(trace, format=format, volume=volume), load, addresses)
    print(f"{write_trace(scaled, out)}: {len(scaled):,} records")


@traces.command(epilog='Example: tessera trace repeat hour.csv.xz --times 10 --drift "1 GiB" --out ten_hours.csv.xz')
def repeat(
    trace: Source,
    out: Target,
    times: Annotated[int, typer.Option(help="Passes over the trace.")],
    drift: Annotated[str, typer.Option(help="How much further up each pass lies than the one before it.")] = "0 B",
    format: Format = None,
    volume: Volume = None,
) -> None:
    """Play a trace several times in a row, each time at other addresses, so that it fills caches that it is too short for."""
    from tessera.trace.edit import repeat as repeat_records
    from tessera.trace.edit import write_trace
    from tessera.trace.table import read_trace

    repeated = repeat_records(read_trace(trace, format=format, volume=volume), times, size_of(drift))
    print(f"{write_trace(repeated, out)}: {len(repeated):,} records")


@traces.command(epilog="Example: tessera trace merge web.csv.xz mail.csv.xz --out both.csv.xz")
def merge(
    sources: Annotated[list[Path], typer.Argument(help="Block traces; every volume of each gets addresses of its own.")],
    out: Target,
    over: Annotated[bool, typer.Option("--over", help="Lay all over the same addresses instead.")] = False,
) -> None:
    """Put several traces, or volumes, on one drive, in the order of their arrivals."""
    from tessera.trace.edit import merge as merge_records
    from tessera.trace.edit import write_trace
    from tessera.trace.table import read_trace

    merged = merge_records([read_trace(source) for source in sources], separate=not over)
    print(f"{write_trace(merged, out)}: {len(merged):,} records")


@traces.command(epilog="Example: tessera trace fit week.csv.xz --out week-like.toml")
def fit(
    trace: Source,
    out: Annotated[Path, typer.Option("--out", help="Workload description to write.")],
    format: Format = None,
    volume: Volume = None,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Write a workload that has a trace's measured characteristics, and say which of them it has."""
    from tessera.trace.fit import fit as fit_records
    from tessera.trace.measures import rows
    from tessera.trace.table import read_trace

    found = fit_records(read_trace(trace, format=format, volume=volume, limit=limit), trace.name)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(found.text)
    agreement = found.agreement()
    if as_json:
        print(json.dumps({"law": found.law, "characteristics": {name: {"trace": a, "workload": b, "agrees": same} for name, a, b, same in agreement}}))
        return
    print(f"{out}: law {found.law}; {sum(same for *_, same in agreement)} of {len(agreement)} characteristics agree")
    wanted, reached = (dict(rows({name: side[place] for name, *side in agreement})) for place in (0, 1))
    for (name, value), other, (*_, same) in zip(wanted.items(), reached.values(), agreement):
        print(f"  {name:<30}{value:>14}{other:>14}  {'' if same else 'does not agree'}")


def register(app: typer.Typer) -> None:
    app.command("describe", epilog=EXAMPLES)(describe)
    app.add_typer(traces, name="trace")
