"""A firmware image of one's own: a folder with source, build, debugger and page."""

import re
import shutil
from pathlib import Path

from tessera.errors import InputError, unknown_name
from tessera.firmware.images import ABI, own_folders
from tessera.new_layer.library import filled

TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[a-z][a-z0-9-]*")
PLACES = {"launch.json": ".vscode/launch.json"}
"""Of templates, where they belong in the folder; the others lie in it."""


def write_firmware(name: str, architecture: str, folder: Path) -> list[Path]:
    """Writes the folder, which must not exist yet, whole or not at all. Raises InputError where it does, or where name or architecture cannot be."""
    if not NAME.fullmatch(name):
        raise InputError(f"a firmware is called by a-z, 0-9 and '-', a letter first; found '{name}'")
    if architecture not in ABI:
        raise unknown_name("architecture", architecture, list(ABI))
    headers, scripts = own_folders()
    values = {"NAME": name, "ARCH": architecture, "WIDTH": architecture[2:4], "HEADERS": str(headers), "SVD": str(headers / "tessera.svd")}
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"{folder} exists already, and is left as it is; --out names another folder") from None
    made = []
    try:
        for source in sorted(TEMPLATES.iterdir()):
            target = folder / PLACES.get(source.name, source.name)
            target.parent.mkdir(exist_ok=True)
            target.write_text(filled(source.read_text(encoding="utf-8"), values), encoding="utf-8")
            made.append(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return made
