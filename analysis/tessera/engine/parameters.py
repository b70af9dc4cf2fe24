"""What the simulator says that the parameters of a drive are."""

import json
import tomllib
from functools import cache
from typing import Any

from tessera.engine.simulator import ask_simulator


@cache
def drive_parameters(drive: str, libraries: tuple[str, ...] = ()) -> dict[str, str]:
    """Path -> value of every parameter of a drive, as TOML, with those of the libraries' layers."""
    asked = ["list", "parameters", drive, "--json"]
    listed = [ask_simulator([*asked, "--firmware", library]) for library in libraries] or [ask_simulator(asked)]
    return {entry["path"]: entry["value"] for each in listed for entry in json.loads(each)}


def drive_value(drive: str, path: str, libraries: tuple[str, ...] = ()) -> Any:
    """One of them as a value; None where the drive has no such parameter."""
    text = drive_parameters(drive, libraries).get(path)
    return None if text is None else tomllib.loads(f"v = {text}")["v"]
