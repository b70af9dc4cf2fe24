"""The options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.errors import InputError
from tessera.simulation import Setting, Simulation

Drive = Annotated[str, typer.Argument(help="Drive: a name of 'tessera list drives' or a .toml file.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the results.")]
Trace = Annotated[Path | None, typer.Option("--trace", help="Block trace to replay (plain, gz, xz or zstd).")]
Workload = Annotated[str | None, typer.Option("--workload", help="Workload to generate instead of a trace.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="At most so many requests.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of all random streams.")]
Settings = Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Override a parameter of the drive; may be repeated.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, every digit.")]
Jobs = Annotated[int | None, typer.Option("--jobs", min=1, help="Runs at a time; as many as there are CPUs where not given.")]

# Whatever else stands on the line goes to the simulator as it is: it knows its options, and says which is meant.
PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


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
    from tessera.sweeps.axes import amount

    value, found = amount(text)
    if found != unit:
        raise InputError(f"expected {expected}, found '{text}'")
    return int(value)
