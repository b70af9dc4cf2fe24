"""What the simulator says that the parameters of a drive are."""

import json
import tomllib
from functools import cache
from typing import Any

from tessera.engine.simulator import ask_simulator


@cache
def drive_parameters(drive: str) -> dict[str, str]:
    """Path -> value of every parameter of a drive, as TOML."""
    return {entry["path"]: entry["value"] for entry in json.loads(ask_simulator(["list", "parameters", drive, "--json"]))}


def drive_value(drive: str, path: str) -> Any:
    """One of them as a value; None where the drive has no such parameter."""
    text = drive_parameters(drive).get(path)
    return None if text is None else tomllib.loads(f"v = {text}")["v"]
