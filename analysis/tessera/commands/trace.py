"""tessera describe, and tessera trace probe, sort, cut, scale, repeat, merge, fit, convert."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.commands.options import Json, Limit, size_of, time_of
from tessera.engine.output_file import apart, write
from tessera.engine.simulator import ask_simulator

EXAMPLES = """Examples:

  tessera describe week.csv.xz

  tessera describe month.csv.zst --limit 1000000 --picture heat.png --json"""

Described = Annotated[Path, typer.Argument(metavar="TRACE", help="Block trace (plain, gz, xz, zstd, bz2 or lz4), or a saved state.")]
Source = Annotated[Path, typer.Argument(help="Block trace (plain, gz, xz, zstd, bz2 or lz4).")]
Target = Annotated[Path, typer.Option("--out", help="File to write; .gz and .xz are packed. How it is read lies beside it.")]
Format = Annotated[str | None, typer.Option("--format", help="Format of the trace (default: recognised from its content).")]
NAMED_BY = ".columns.toml"
COLUMNS_FILE = "columns:"
Volume = Annotated[str | None, typer.Option("--volume", help="Only this volume.")]


def _read(trace: Path, format: str | None) -> list[Path]:
    """The files of a trace: its own and the description of its columns."""
    return [trace, Path(f"{trace}{NAMED_BY}"), *([Path(format.removeprefix(COLUMNS_FILE))] if (format or "").startswith(COLUMNS_FILE) else [])]


def _apart(out: Path, traces: list[Path], format: str | None = None) -> None:
    """Of a trace that is written with the description of its columns."""
    inputs = [file for trace in traces for file in _read(trace, format)]
    for file in (out, Path(f"{out}{NAMED_BY}")):
        apart(file, inputs)


def describe(
    trace: Described,
    format: Format = None,
    volume: Volume = None,
    limit: Limit = None,
    percentiles: Annotated[str | None, typer.Option("--percentiles", metavar="P,P,...", help="Of the gaps and the reuse distances, such as 50,99,99.9,99.99.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Heat map over time and address to draw, .png, .svg or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Tell what is in a block trace: counts, footprint, reuse, overwriting, order, bursts. Of a saved state, what it is of."""
    from tessera.engine.saved_state import is_state

    if is_state(trace):
        print(ask_simulator(["describe", trace, *(["--json"] if as_json else [])]), end="")
        return
    from tessera.figures.paper import draw, picture_file
    from tessera.results.percentiles import parse
    from tessera.traces.measures import heat_map, measures, rows
    from tessera.traces.table import read_trace, reading_words

    if picture is not None:
        picture_file(picture)
    chosen = None if percentiles is None else parse(percentiles)
    words = ["describe", trace, *reading_words(format, volume, limit)]
    records = read_trace(trace, format=format, volume=volume, limit=limit)
    found = measures(records, chosen)
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


traces = typer.Typer(cls=Commands, no_args_is_help=True, help="Probe, sort, cut, scale, repeat, merge and convert block traces, and fit workloads to them.")


@traces.command(epilog="Example: tessera trace probe disk.trace")
def probe(trace: Source) -> None:
    """Say what a trace is taken for and why, and what else it might be; propose a description of its columns where nothing fits."""
    sys.stdout.write(ask_simulator(["probe", trace]))


@traces.command(epilog='Example: tessera trace cut week.csv.xz --begin "10 s" --end "1 h" --out hour.csv.xz')
def cut(
    trace: Source,
    out: Target,
    begin: Annotated[str, typer.Option(help="Time from which records are kept, since the first one.")] = "0 s",
    end: Annotated[str | None, typer.Option(help="Time before which they are kept (default: to the last one).")] = None,
    format: Format = None,
    volume: Volume = None,
) -> None:
    """Keep a window of a trace."""
    from tessera.traces.edit import cut as cut_records, write_trace
    from tessera.traces.table import read_trace

    kept = cut_records(read_trace(trace, format=format, volume=volume), time_of(begin), None if end is None else time_of(end))
    _apart(out, [trace], format)
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
    from tessera.traces.edit import scale as scale_records, write_trace
    from tessera.traces.table import read_trace

    scaled = scale_records(read_trace(trace, format=format, volume=volume), load, addresses)
    _apart(out, [trace], format)
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
    from tessera.traces.edit import repeat as repeat_records, write_trace
    from tessera.traces.table import read_trace

    repeated = repeat_records(read_trace(trace, format=format, volume=volume), times, size_of(drift))
    _apart(out, [trace], format)
    print(f"{write_trace(repeated, out)}: {len(repeated):,} records")


@traces.command(epilog="Example: tessera trace merge web.csv.xz mail.csv.xz --out both.csv.xz")
def merge(
    sources: Annotated[list[Path], typer.Argument(help="Block traces; every volume of each gets addresses of its own.")],
    out: Target,
    over: Annotated[bool, typer.Option("--over", help="Lay all over the same addresses instead.")] = False,
) -> None:
    """Put several traces, or volumes, on one drive, in the order of their arrivals."""
    from tessera.traces.edit import merge as merge_records, write_trace
    from tessera.traces.table import read_trace

    merged = merge_records([read_trace(source) for source in sources], separate=not over)
    _apart(out, sources)
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
    from tessera.traces.fit import fit as fit_records
    from tessera.traces.measures import rows
    from tessera.traces.table import read_trace

    found = fit_records(read_trace(trace, format=format, volume=volume, limit=limit), trace.name)
    apart(out, _read(trace, format))
    write(out, found.text)
    agreement = found.agreement()
    if as_json:
        print(json.dumps({"law": found.law, "characteristics": {name: {"trace": a, "workload": b, "agrees": same} for name, a, b, same in agreement}}))
        return
    print(f"{out}: law {found.law}; {sum(same for *_, same in agreement)} of {len(agreement)} characteristics agree")
    wanted, reached = (dict(rows({name: side[place] for name, *side in agreement})) for place in (0, 1))
    for (name, value), other, (*_, same) in zip(wanted.items(), reached.values(), agreement):
        print(f"  {name:<30}{value:>14}{other:>14}  {'' if same else 'does not agree'}")


class Form(StrEnum):
    """What tessera-sim convert --to takes."""

    fio = "fio"
    fio2 = "fio2"
    blkparse = "blkparse"
    msr = "msr"
    columns = "columns"
    npy = "npy"


@traces.command(epilog="Example: tessera trace convert disk.blktrace.0 --to fio --out disk.fio")
def convert(
    trace: Source,
    out: Annotated[Path, typer.Option("--out", help="File to write.")],
    to: Annotated[Form, typer.Option("--to", help="fio and fio2: fio's log, version 3 or 2; blkparse; msr; columns: text that loses nothing; npy: NumPy array.")],
    format: Format = None,
    volume: Volume = None,
    limit: Limit = None,
) -> None:
    """Write a trace in another form: for fio, for readers of blkparse or MSR traces, or with every picosecond. Notes say what the form cannot hold."""
    from tessera.traces.table import reading_words

    sys.stdout.write(ask_simulator(["convert", trace, *reading_words(format, volume, limit), "--to", to.value, "--out", out]))


@traces.command(epilog="Example: tessera trace sort disk.csv.bz2 --out sorted.csv")
def sort(
    trace: Source,
    out: Annotated[Path, typer.Option("--out", help="File to write.")],
    to: Annotated[Form, typer.Option("--to", help="Form of the file: as of convert.")] = Form.columns,
    format: Format = None,
    volume: Volume = None,
) -> None:
    """Put the whole of a trace in order of arrival, in bounded memory and a temporary file, and say how many records were out of order."""
    from tessera.traces.table import reading_words

    sys.stdout.write(ask_simulator(["convert", trace, *reading_words(format, volume, None), "--sort", "all", "--to", to.value, "--out", out]))


def register(app: typer.Typer) -> None:
    app.command("describe", epilog=EXAMPLES)(describe)
    app.add_typer(traces, name="trace")
