"""What callers of the package hand in, checked where it comes in: a wrong kind is one sentence, not an error of an inner class."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tessera.errors import InputError

SHOWN = 80  # characters of a value in a sentence


def wrong(name: str, expected: str, found: object) -> InputError:
    text = repr(found)
    return InputError(f"{name}: expected {expected}, found {text[:SHOWN]}{'...' if len(text) > SHOWN else ''}")


def path_of(name: str, value: object) -> Path:
    """
    >>> path_of("out", 3)
    Traceback (most recent call last):
    tessera.errors.InputError: out: expected a path, found 3
    """
    if not isinstance(value, str | os.PathLike):
        raise wrong(name, "a path", value)
    text = os.fspath(value)
    if not isinstance(text, str) or "\0" in text:
        raise wrong(name, "a path", value)
    return Path(text)


def text_of(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise wrong(name, "a text", value)
    return value


def whole_of(name: str, value: object, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise wrong(name, f"a whole number of at least {least}", value)
    return value


def flag_of(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise wrong(name, "True or False", value)
    return value


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """
    >>> texts_of("layers", "cmr")
    Traceback (most recent call last):
    tessera.errors.InputError: layers: expected several texts such as ("cmr", "imr-rmw"), found 'cmr'
    """
    found = None if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable) else tuple(value)
    if found is None or not all(isinstance(each, str) for each in found):
        raise wrong(name, 'several texts such as ("cmr", "imr-rmw")', value)
    return found


def mapping_of(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise wrong(name, "a mapping with texts as keys", value)
    return value
