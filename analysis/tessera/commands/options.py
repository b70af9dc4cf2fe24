"""The options that several commands share."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Annotated

import typer

from tessera.engine.simulation import Setting, Simulation
from tessera.errors import InputError, count_in

Drive = Annotated[str, typer.Argument(help="Drive: a name of 'tessera list drives' or a .toml file.")]


def count_of(text: str | int) -> int:
    """A number of things as people type it; a default is one already.

    >>> count_of("20000"), count_of("1k"), count_of("1e6"), count_of("2.5M"), count_of("100_000")
    (20000, 1000, 1000000, 2500000, 100000)
    """
    value = count_in(text)
    if value is None or value < 1:
        raise typer.BadParameter(f"expected a number of at least 1 such as 20000, 20k or 1e6, found '{text}'")
    return value


Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the results.")]
OutOrNext = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the results (default: the next free one in out/).")]
Trace = Annotated[Path | None, typer.Option("--trace", metavar="FILE", help="Block trace to replay (plain, gz, xz, zstd, bz2 or lz4).")]
Workload = Annotated[str | None, typer.Option("--workload", metavar="NAME", help="Workload to generate instead of a trace.")]
Limit = Annotated[int | None, typer.Option("--limit", parser=count_of, metavar="N", help="At most so many requests: 20000, 20k or 1e6.")]
Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of all random streams.")]
Settings = Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Override a parameter of the drive; may be repeated.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, every digit.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, metavar="N", help="Runs at a time (default: as many as there are CPUs).")]

Margin = Annotated[float | None, typer.Option("--margin", metavar="PERCENT", help="Figures within so many percent of each other are equal in practice (default: 5).")]

# Whatever else stands on the line goes to the simulator as it is: it knows its options, and says which is meant.
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


@contextmanager
def results_folder(out: Path | None, kind: str) -> Iterator[Path]:
    """`out`, or the next free folder out/KIND-N, which this command alone has and which goes again if nothing came to lie in it."""
    if out is not None:
        yield out
        return
    for number in count(1):
        folder = Path("out") / f"{kind}-{number}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        break
    try:
        yield folder
    finally:
        with suppress(OSError):  # it holds results
            folder.rmdir()


def settings_of(words: list[str] | None) -> dict[str, Setting]:
    """
    >>> settings_of(["nand.dies=4", "media.rpm=5400 rpm"])
    {'nand.dies': '4', 'media.rpm': '5400 rpm'}
    """
    settings: dict[str, Setting] = {}
    for word in words or ():
        path, equals, value = word.partition("=")
        if not equals or not path:
            raise InputError(f"--set: expected PATH=VALUE, found '{word}'")
        settings[path] = value
    return settings


def simulation(
    drive: str, trace: Path | None, workload: str | None, limit: int | None, seed: int, settings: list[str] | None, more: list[str]
) -> Simulation:
    """From what every command with a simulation takes; `more` are the words that only the simulator knows."""
    return Simulation(
        drive=drive, trace=trace, workload=workload, limit=limit, seed=seed, settings=settings_of(settings), more=tuple(more)
    )


def time_of(text: str) -> int:
    """A time in picoseconds."""
    return _amount_in("ps", text, 'a time such as "10 s"')


def size_of(text: str) -> int:
    """A size in bytes."""
    return _amount_in("B", text, 'a size such as "1 GiB"')


def _amount_in(unit: str, text: str, expected: str) -> int:
    from tessera.explore.axes import amount

    value, found = amount(text)
    if found != unit:
        raise InputError(f"expected {expected}, found '{text}'")
    return int(value)
