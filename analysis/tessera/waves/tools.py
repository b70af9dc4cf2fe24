"""GTKWave's programs, and those that show waveforms."""

import shutil

from tessera.errors import InputError

VIEWERS = ("gtkwave", "surfer")


def tool(name: str) -> str:
    """Path of one of GTKWave's programs. Raises InputError where it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise InputError(f"{name} is not installed; it comes with GTKWave (Debian: package gtkwave)")
    return found


def viewer(wanted: str | None = None) -> str:
    """Path of the viewer of this name, or of the first one that there is. Raises InputError where there is none."""
    for name in (wanted,) if wanted else VIEWERS:
        if found := shutil.which(name):
            return found
    raise InputError(f"{wanted} is not installed" if wanted else f"no viewer of waveforms is installed: {' or '.join(VIEWERS)} (Debian: package gtkwave)")
