"""What the caller asked for and cannot have, in one sentence."""

import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class InputError(ValueError):
    """Bad input: one sentence that names what was found and what was expected. The command line ends with status 2."""

    printed = ""
    """What the simulator printed all the same: the table of a comparison of which a part was refused."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like `name`; None where none is like it.

    >>> nearest("controler.clock", ["controller.clock", "nand.dies"])
    'controller.clock'
    >>> nearest("xyzzy", ["nand.dies"]) is None
    True
    """
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def unknown_name(kind: str, name: str, known: Iterable[str]) -> InputError:
    """The error for a name that is none of the known ones.

    >>> raise unknown_name("layer", "imr-rwm", ["cmr", "imr-rmw"])
    Traceback (most recent call last):
    tessera.errors.InputError: unknown layer 'imr-rwm'; did you mean 'imr-rmw'?
    """
    known = list(known)
    close = nearest(name, known)
    if close is not None:
        return InputError(f"unknown {kind} '{name}'; did you mean '{close}'?")
    shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return InputError(f"unknown {kind} '{name}'; known: {shown}")


def check_schema(file: Path, found: object, known: int) -> None:
    """Raises InputError where results are of another schema than the one that this version reads."""
    if found != known or isinstance(found, bool):
        raise InputError(f"{file}: results of schema {found}, this version reads {known}: read them with the version that made them, or make them again")


def damaged(file: Path) -> InputError:
    """The error for a file that ends too early, or that somebody else wrote over."""
    return InputError(f"{file} is damaged or was cut off: remove it, and make again what it is of")


def read_json(file: Path) -> Any:
    """What a file of results holds. Raises InputError where it is damaged."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise damaged(file) from None
