"""Where the firmware interface's header, its examples and the project's own tree are."""

from pathlib import Path

from tessera.engine.simulator import REPOSITORY
from tessera.errors import InputError

HEADER = "tessera_firmware.h"
INSTALLED = Path(__file__).resolve().parents[1] / "share" / "tessera" / "firmware"
LIST = Path("models/firmware/layer_list.cpp")


def _first(places: tuple[Path, ...], file: str) -> Path:
    for place in places:
        if (place / file).exists():
            return place
    raise InputError(f"{file} is in none of {', '.join(map(str, places))}: the installation is not complete; install the package again")


def header_folder() -> Path:
    """What a compiler has to be told with -I: of the installed package, or of the checkout that this program runs from."""
    return _first((INSTALLED, REPOSITORY / "platforms" / "plugin"), HEADER)


def examples_folder() -> Path:
    return _first((INSTALLED / "examples", REPOSITORY / "examples" / "firmware"), "careless.c")


def baselines_folder() -> Path:
    return _first((INSTALLED / "baselines", REPOSITORY / "examples" / "baselines"), "smart.c")


def policies_folder() -> Path:
    return _first((INSTALLED / "policies", REPOSITORY / "examples" / "policies"), "greedy.c")


def checkout(folder: Path) -> Path | None:
    """The project's tree that a folder is in."""
    return next((place for place in (folder, *folder.parents) if (place / LIST).exists()), None)
