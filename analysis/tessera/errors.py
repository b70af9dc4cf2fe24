"""What the caller asked for and cannot have, in one sentence."""

import difflib
import json
import math
import operator
import os
import re
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from tokenize import TokenError
from typing import Any

SHOWN = 80  # characters of a value in a sentence
DEBUG = "TESSERA_DEBUG"  # in the environment: errors that nobody thought of show where they happened


class InputError(ValueError):
    """Bad input: one sentence that names what was found and what was expected. The command line ends with status 2."""


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
    close = nearest(name, known) if isinstance(name, str) else None
    if close is not None:
        return InputError(f"unknown {kind} '{name}'; did you mean '{close}'?")
    shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return InputError(f"unknown {kind} '{name}'; known: {shown}")


def wrong(name: str, expected: str, found: object) -> InputError:
    """The error for what a caller of the package hands in and is of a wrong kind: one sentence, not an error of an inner class."""
    text = repr(found)
    return InputError(f"{name}: expected {expected}, found {text[:SHOWN]}{'...' if len(text) > SHOWN else ''}")


def path_of(name: str, value: object) -> Path:
    r"""
    >>> path_of("out", 3)
    Traceback (most recent call last):
    tessera.errors.InputError: out: expected a path, found 3
    >>> path_of("out", "a\ud800")
    Traceback (most recent call last):
    tessera.errors.InputError: out: expected a path, found 'a\ud800'
    """
    if not isinstance(value, str | os.PathLike):
        raise wrong(name, "a path", value)
    text = os.fspath(value)
    try:
        if not isinstance(text, str) or b"\0" in os.fsencode(text):
            raise wrong(name, "a path", value)
    except UnicodeEncodeError:
        raise wrong(name, "a path", value) from None
    return Path(text)


def text_of(name: str, value: object) -> str:
    r"""
    >>> text_of("layer", "\ud800")
    Traceback (most recent call last):
    tessera.errors.InputError: layer: expected a text of Unicode, found '\ud800'
    """
    if not isinstance(value, str):
        raise wrong(name, "a text", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise wrong(name, "a text of Unicode", value) from None
    return value


_FACTORS = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}


def count_in(value: object) -> int | None:
    """A number of things, as a number or as people type it; None where it is no whole number.

    >>> [count_in(value) for value in (20000, "1k", "1e6", "2.5M", "100_000", 1e4)]
    [20000, 1000, 1000000, 2500000, 100000, 10000]
    >>> [count_in(value) for value in ("10m", "1.5", -1, 0.5, True, "")]
    [None, None, -1, None, None, None]
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if not isinstance(value, str):
        try:
            return operator.index(value)  # type: ignore[arg-type]  # numbers of NumPy have it as well
        except TypeError:
            return None
    match = re.fullmatch(r"[0-9]+|([0-9]+(?:\.[0-9]+)?)(?:([kKMG])|[eE]([0-9]{1,2}))", value.replace("_", ""))
    found = Decimal(match[1] or match[0]) * _FACTORS.get(match[2], 10 ** int(match[3] or 0)) if match else Decimal("0.5")
    return int(found) if found == int(found) else None


def whole_of(name: str, value: object, least: int = 0) -> int:
    """
    >>> whole_of("seeds", "1k", 1), whole_of("seeds", 3)
    (1000, 3)
    """
    found = count_in(value)
    if found is None or found < least:
        raise wrong(name, f"a whole number of at least {least}", value)
    return found


def flag_of(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise wrong(name, "True or False", value)
    return value


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """Several texts, or one with commas as the command line has it.

    >>> texts_of("layers", "cmr, imr-rmw"), texts_of("layers", ["cmr"])
    (('cmr', 'imr-rmw'), ('cmr',))
    >>> texts_of("layers", 3)
    Traceback (most recent call last):
    tessera.errors.InputError: layers: expected several texts such as ("cmr", "imr-rmw"), found 3
    """
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",")]
    found = None if isinstance(value, bytes | Mapping) or not isinstance(value, Iterable) else tuple(value)
    if found is None or not all(isinstance(each, str) for each in found):
        raise wrong(name, 'several texts such as ("cmr", "imr-rmw")', value)
    return found


def mapping_of(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise wrong(name, "a mapping with texts as keys", value)
    return value


def check_schema(file: Path, found: object, known: int) -> None:
    """Raises InputError where results are of another schema than the one that this version reads."""
    if found != known or isinstance(found, bool):
        raise InputError(f"{file}: results of schema {found}, this version reads {known}: read them with the version that made them, or make them again")


@contextmanager
def whole_numpy(file: Path) -> Iterator[None]:
    """Whatever NumPy raises at a header that is none, an expression of Python that it tokenizes and evaluates, as `damaged`."""
    try:
        yield
    except (ArithmeticError, EOFError, LookupError, MemoryError, RecursionError, SyntaxError, TokenError, TypeError, ValueError) as error:
        raise error if isinstance(error, InputError) else damaged(file) from None


def damaged(file: Path) -> InputError:
    """The error for a file that ends too early, or that somebody else wrote over."""
    return InputError(f"{file} is damaged or was cut off: remove it, and make again what it is of")


def regular(file: Path) -> Path:
    """The file, if opening it ends: a pipe waits for somebody, a device has no end. Whatever reads a folder that somebody else may have made,
    or a file that another one names, asks this first. Raises InputError, or OSError where there is no such file."""
    if not file.is_file():
        os.stat(file)
        raise InputError(f"{file}: expected a file, found {'a folder' if file.is_dir() else 'a pipe, a socket or a device'}")
    return file


def read_text(file: Path) -> str:
    """A file of results as text. Raises InputError where it is none."""
    try:
        return regular(file).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise damaged(file) from None


def read_json(file: Path) -> Any:
    """What a file of results holds. Raises InputError where it is damaged."""
    try:
        return json.loads(read_text(file), parse_constant=_no_number)
    except InputError:
        raise
    except (ValueError, RecursionError):
        raise damaged(file) from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def is_figure(value: object) -> bool:
    """Whether a value out of a file is a number that can be reckoned with.

    >>> is_figure(1.5), is_figure(float("nan")), is_figure(10**400), is_figure(True)
    (True, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


# What a program that expects the files of a run meets in files of another shape.
_UNFIT = (ArithmeticError, AttributeError, AssertionError, LookupError, MemoryError, RecursionError, TypeError, ValueError)


@contextmanager
def fitting(results: str | Path) -> Iterator[None]:
    """Around whatever reads, draws or tells of a folder of results: its files are whole and of the right kind each, and still need not fit one
    another. Raises InputError with what did not fit."""
    try:
        yield
    except InputError:
        raise
    except BaseException as error:
        unfit = isinstance(error, _UNFIT) or type(error).__module__.startswith(("polars", "pyo3"))
        if not unfit or os.environ.get(DEBUG):
            raise
        at = traceback.extract_tb(error.__traceback__)[-1]
        met = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise InputError(
            f"{results}: what its files hold does not fit together as a run, comparison or sweep of this version leaves it ({met}; {Path(at.filename).name}, line {at.lineno}): "
            f"make it again ({DEBUG}=1 shows more)"
        ) from error
