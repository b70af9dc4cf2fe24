"""tessera new-firmware."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.firmware.begin import write_firmware

EXAMPLES = """Examples:

  tessera new-firmware mine

  tessera new-firmware mine --arch rv32imac --out firmware/mine"""


def new_firmware(
    name: Annotated[str, typer.Argument(help="Its name: a-z, 0-9 and '-'.")],
    arch: Annotated[str, typer.Option(help="Processor: rv64imac or rv32imac.")] = "rv64imac",
    out: Annotated[Path | None, typer.Option(help="Folder to make (default: NAME).")] = None,
) -> None:
    """Make a firmware image of your own that works, as a place to begin: one C file, build, debugger and page."""
    folder = out or Path(name)
    write_firmware(name, arch, folder)
    print(f"{folder}: firmware that serves reads and writes, to be changed; README.md explains it\n\nNext:\n  cd {folder} && make")
    print(f"  tessera run demo --elf {name}.elf --workload random-4k --limit 500 --check --out out/run")


def register(app: typer.Typer) -> None:
    app.command("new-firmware", epilog=EXAMPLES)(new_firmware)
