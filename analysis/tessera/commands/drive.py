"""tessera drive."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.engine.output_file import write
from tessera.errors import InputError, unknown_name

EXAMPLES = """Examples:

  tessera drive new exos-x24 --capacity "24 TB" --platters 10 --rpm 7200 --outer "285 MB/s" --cache "512 MB" --interface "6 Gb/s" --random-reads 168 --random-writes 550

  tessera drive new mine  # asks for each figure"""

ASKED = {
    "capacity": 'Capacity, such as "24 TB"', "platters": "Platters", "rpm": "Turns per minute", "outer": 'Sustained rate at the outer edge, such as "285 MB/s"',
    "inner": "Sustained rate at the inner edge", "recording": "Recording: conventional, shingled, interlaced or zoned", "arms": "Arms that read at once",
    "seek-read": 'Average seek, reads, such as "8 ms"', "seek-write": "Average seek, writes", "track-to-track": "Seek from track to track", "cache": 'Cache, such as "512 MB"',
    "interface": 'Interface, such as "6 Gb/s"', "random-reads": "Random 4 KiB reads per s", "random-writes": "Random 4 KiB writes per s", "depth": "Commands in the queue, of both",
    "sector": 'Sector, "512 B" or "4 KiB"',
}  # fmt: skip
LIMITS = {"platters": (1, 64), "arms": (1, 2), "depth": (1, 32)}
NEEDED = ("capacity", "platters", "rpm", "outer")


def new(
    name: Annotated[str, typer.Argument(help="Name of the drive.")],
    capacity: Annotated[str | None, typer.Option(help='Such as "24 TB".')] = None,
    platters: Annotated[int | None, typer.Option(help="Platters with data on both sides.")] = None,
    surfaces: Annotated[int | None, typer.Option(min=1, max=128, help="Recording surfaces, where they are not two per platter.")] = None,
    recording: Annotated[str | None, typer.Option(help="conventional (the default), shingled (the drive hides it), interlaced, or zoned (the host sees its zones).")] = None,
    arms: Annotated[int | None, typer.Option(help="Arms that read at once (default: 1).")] = None,
    rpm: Annotated[str | None, typer.Option(help="Turns per minute.")] = None,
    outer: Annotated[str | None, typer.Option(help='Sustained rate at the outer edge, "285 MB/s".')] = None,
    inner: Annotated[str | None, typer.Option(help="Sustained rate at the inner edge (default: half as much).")] = None,
    seek_read: Annotated[str | None, typer.Option(help="Average seek of reads (default: what the random reads take).")] = None,
    seek_write: Annotated[str | None, typer.Option(help="Average seek of writes (default: 0.1 ms more).")] = None,
    track_to_track: Annotated[str | None, typer.Option(help="Seek from track to track, reads (default: 0.25 ms).")] = None,
    cache: Annotated[str | None, typer.Option(help="Cache (default: 256 MiB).")] = None,
    interface: Annotated[str | None, typer.Option(help='Rate of the interface, "6 Gb/s" or "600 MB/s".')] = None,
    random_reads: Annotated[float | None, typer.Option(min=1, help="Random 4 KiB reads per second.")] = None,
    random_writes: Annotated[float | None, typer.Option(min=1, help="Random 4 KiB writes per second.")] = None,
    depth: Annotated[int | None, typer.Option(help="Commands in the queue for both (default: 16).")] = None,
    write_cache: Annotated[bool, typer.Option("--write-cache/--no-write-cache", help="Whether random writes may go through a cache, protected or not.")] = True,
    sector: Annotated[str | None, typer.Option(help='Sector, "512 B" or "4 KiB" (the default).')] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Description to write (default: NAME.toml).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a description that is there.")] = False,
) -> None:
    """Write the description of a drive from the figures of its data sheet, once runs show that it has each of them within 5 %.

    Asks on a terminal for figures that you leave out. Nothing is written, and the exit status is 2, if figures contradict each other; 1 if one is
    not met.
    """
    from tessera.datasheet.fit import design_of
    from tessera.datasheet.measured import HEADER, Bench, figures_of

    target = out or Path(f"{name}.toml")
    if target.suffix != ".toml":
        raise InputError(f"{target}: expected a name that ends with .toml")
    if target.exists() and not force:
        raise InputError(f"{target} is there already; name another with --out, or say --force")
    given = {
        "capacity": capacity, "platters": platters, "rpm": rpm, "outer": outer, "inner": inner, "seek-read": seek_read, "seek-write": seek_write, "track-to-track": track_to_track,
        "recording": recording, "arms": arms, "cache": cache, "interface": interface, "random-reads": random_reads, "random-writes": random_writes, "depth": depth, "sector": sector,
    }  # fmt: skip
    if surfaces is not None and platters is not None and surfaces > 2 * platters:
        raise InputError(f"{surfaces} surfaces are more than {platters} platters have")
    if surfaces is not None:
        given["platters"] = platters or -(-surfaces // 2)
    bench = Bench(_shown if sys.stderr.isatty() else lambda _: None)
    design = design_of(_sheet(name, _asked(given), surfaces, write_cache), bench)
    found = list(figures_of(design, bench))
    print(HEADER)
    for figure in found:
        print(figure.line())
    for remark in design.found:
        print(remark)
    if missed := [figure.name for figure in found if not figure.met]:
        print(f"tessera: not met within 5 %: {', '.join(missed)}; {target} is not written: leave out figures that matter less", file=sys.stderr)
        raise typer.Exit(1)
    write(target, design.text())
    layer = " --layer zoned:log" if design.sheet.recording == "zoned" else ""  # a host that writes zones for applications that do not
    print(f"{target}: tessera run {target}{layer} --workload random-4k --limit 10000 --fold --out out/{target.stem}")


def _shown(what: str) -> None:
    print(f"  running {what}", file=sys.stderr)


def _asked(given: dict[str, object]) -> dict[str, object]:
    """With the answers on a terminal; raises InputError for what is needed and missing elsewhere."""
    missing = [name for name in NEEDED if given[name] is None]
    if not missing:
        return given
    if not sys.stdin.isatty():
        raise InputError(f"--{' --'.join(missing)}: expected the figures of the data sheet")
    for name, said in ASKED.items():
        if given[name] is None:
            needed = name in NEEDED
            given[name] = typer.prompt(said if needed else f"{said} (empty: not printed)", default=None if needed else "", show_default=False, value_proc=_answer(name, needed)) or None
    return given


def _answer(name: str, needed: bool):
    """Asks again for what is no such figure, so that the answers before it are not lost."""

    def checked(text: str) -> str:
        try:
            if text or needed:
                _figure(name, text)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
        return text

    return checked


def _figure(name: str, value: object) -> object:
    from tessera.datasheet.figures import RECORDINGS, UNITS, read

    if name in UNITS:
        figure = read(name, str(value))
        return int(figure) if name in ("capacity", "cache", "sector") else float(figure)
    if name == "recording":
        if value not in RECORDINGS:
            raise unknown_name(name, str(value), RECORDINGS)
        return value
    if name not in LIMITS:
        return _number(name, value, float)
    least, most = LIMITS[name]
    if not least <= (count := _number(name, value, int)) <= most:
        raise InputError(f"{name}: expected {least} to {most}, found {value}")
    return count


def _sheet(name: str, given: dict[str, object], surfaces: int | None, write_cache: bool):
    from tessera.datasheet.figures import Sheet

    fields = {each.replace("-", "_"): _figure(each, value) for each, value in given.items() if value is not None}
    platters = fields.pop("platters")
    return Sheet(name=name, surfaces=surfaces or 2 * platters, write_cache=write_cache, **fields)  # type: ignore[arg-type, operator]


def _number(name: str, value: object, kind: type) -> int | float:
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a number, found '{value}'") from None


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Commands, no_args_is_help=True, help="Describe drives.")
    group.command("new", epilog=EXAMPLES)(new)
    app.add_typer(group, name="drive")
