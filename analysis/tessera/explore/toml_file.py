"""What the files of sweeps and of searches have in common."""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from tessera.errors import mapping_of, InputError

Described = TypeVar("Described")


def read_toml(file: str | Path, describe: Callable[[Mapping[str, Any], Path], Described]) -> Described:
    """What `describe` makes of the file's tables and the folder it lies in. Raises InputError with file and reason."""
    path = Path(file)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: expected UTF-8, found the byte 0x{error.object[error.start]:02x} at {error.start}: save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None
    try:
        return describe(table, path.parent)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def check_shapes(table: Mapping[str, Any], shapes: Mapping[str, Any]) -> None:
    """Raises InputError where a section is of another shape than `shapes` says: Mapping, list (of tables), str, bool or a number.

    >>> check_shapes({"zip": {"nand.dies": [1, 2]}}, {"zip": list})
    Traceback (most recent call last):
    tessera.errors.InputError: zip: expected tables [[zip]], found a table
    """
    for name, value in table.items():
        shape = shapes[name]
        tables = shape is list and isinstance(value, list | tuple) and bool(value) and all(isinstance(part, Mapping) for part in value)
        if not (tables or (shape is not list and isinstance(value, shape))):
            expected = {Mapping: f"a table [{name}]", list: f"tables [[{name}]]", str: "a text", bool: "true or false", int | float: "a number"}[shape]
            raise InputError(f"{name}: expected {expected}, found {'a table' if isinstance(value, Mapping) else repr(value)}")


def flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Tables of settings as paths: {"nand": {"dies": 4}} is {"nand.dies": 4}."""
    paths: dict[str, Any] = {}
    for name, value in mapping_of(prefix.rstrip(".") or "settings", table).items():
        paths |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return paths


def run_options(table: Mapping[str, Any]) -> dict[str, Any]:
    """The section [run], its parameters by their paths."""
    run = dict(table.get("run", {}))
    if "set" in run:
        if not isinstance(run["set"], Mapping):
            raise InputError(f"run: set: expected a table [run.set] of parameters, found {run['set']!r}")
        run["settings"] = flat(run.pop("set"))
    return run
