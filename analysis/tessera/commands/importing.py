"""tessera import."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import Commands
from tessera.engine.output_file import write
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError

EXAMPLES = """Examples:

  tessera import disksim cheetah9LP.parv --out cheetah.toml  # a whole system: the drive with its bus

  tessera import disksim atlas10k.model  # mechanics alone, into atlas10k.toml"""


def disksim(
    file: Annotated[Path, typer.Argument(help="Parameter file of DiskSim: .parv, .diskspecs or .model. Files that it includes are read, too.")],
    out: Annotated[Path | None, typer.Option("--out", help="Description to write (default: the file's name with .toml, here).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a description that is there.")] = False,
) -> None:
    """Write a drive description from the parameter files of the DiskSim simulator, with the source of each line.

    What a description cannot say is listed, with file and line, here and at the head of the description.
    """
    from tessera.disksim.drive import import_drive
    from tessera.disksim.text import description

    target = out or Path(file.stem + ".toml")
    if target.exists() and not force:
        raise InputError(f"{target} is there already; name another with --out, or say --force")
    drive = import_drive(file)
    text = description(drive, file.name)
    _check(text, file)
    write(target, text)
    zones = sum(zone.place is not None for zone in drive.layout.zones) if drive.layout else 0
    print(f"{target}: {drive.name}, {drive.blocks:,} sectors in {zones} zones, {len(drive.seeks)} seek times")
    if drive.lost:
        print(f"not carried over ({len(drive.lost)}; also at the head of {target.name}):")
        for sentence in drive.lost:
            print(f"  {sentence}")
    print(f"try it: tessera run {target} --workload random-4k --limit 10000 --out out/{target.stem}")


def _check(text: str, file: Path) -> None:
    """Raises InputError where the simulator does not take the description, and nothing has been written."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / "drive.toml"
        trial.write_text(text, encoding="utf-8")
        try:
            ask_simulator(["check", trial])
        except InputError as error:
            raise InputError(f"{file}: gives a drive that cannot be: {str(error).replace(str(trial), 'the description')}") from None


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Commands, no_args_is_help=True, help="Read drives from the files of other simulators.")
    group.command("disksim", epilog=EXAMPLES)(disksim)
    app.add_typer(group, name="import")
