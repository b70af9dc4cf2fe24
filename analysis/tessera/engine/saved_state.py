"""A drive's saved state: what it is of, and the run that boots it."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tessera.engine.parameters import drive_parameters
from tessera.engine.simulation import Setting, Simulation
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError

TITLE = b"tessera drive state "
REQUESTS = "random-4k"


def is_state(file: str | Path) -> bool:
    """Whether a file begins as a state does."""
    try:
        if not Path(file).is_file():  # a pipe would wait for somebody
            return False
        with open(file, "rb") as opened:
            return opened.read(len(TITLE)) == TITLE
    except OSError:
        return False


def facts_of(state: str | Path) -> dict[str, Any]:
    """Drive, layer, firmware, content, requests, seed, prefill and every parameter, by its path. Raises InputError for a file that is no state."""
    return json.loads(ask_simulator(["describe", state, "--json"]))


def has_flash(facts: Mapping[str, Any]) -> bool:
    return facts["parameters"].get("nand.blocks", "0") != "0"


def boot_of(state: str | Path, facts: Mapping[str, Any], drive: str | None = None, firmware: Path | None = None) -> Simulation:
    """The run that boots the drive from its state and has one request. `facts`: of the state; `drive`: its description, where the name that
    the state has is not one here."""
    if facts["firmware"] and firmware is None:
        raise InputError(f"{state}: layer {facts['layer']} came from a library or image of the user's: name it with --firmware")
    name = drive or facts["drive"]
    own = drive_parameters(name)
    settings = {path: _setting(value) for path, value in facts["parameters"].items() if path in own and own[path] != value}
    return Simulation(
        drive=name, layer=None if firmware else facts["layer"], workload=REQUESTS, limit=1, content=facts["content"], seed=facts["seed"],
        load_state=Path(state).resolve(), settings=settings, firmware=firmware or (),
    )  # fmt: skip


def _setting(value: str) -> Setting:
    """Out of TOML, as --set takes it."""
    found = tomllib.loads(f"v = {value}")["v"]
    return found if isinstance(found, str) else value
