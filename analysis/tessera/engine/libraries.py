"""Layers out of shared libraries: which library has which layer, what can be set of it, and the library that a run needs. A run loads the one
that has its layer, and none where the layer is the simulator's own: so a result depends on no code that did not run in it."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tessera.engine.simulation import OF_FIRMWARE, Simulation
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError, unknown_name


def _listed(what: str, library: str | None, called: tuple[str, ...] = ()) -> tuple[dict[str, Any], ...]:
    file = Path(library) if library else None
    return _asked(what, library, called, (file.stat().st_size, file.stat().st_mtime_ns) if file and file.exists() else None)


@cache
def _asked(what: str, library: str | None, called: tuple[str, ...], build: tuple[int, int] | None) -> tuple[dict[str, Any], ...]:
    """`build`: size and time of change of the library, which may have been built again."""
    return tuple(json.loads(ask_simulator(["list", what, "--json", *(("--firmware", library, *called) if library else ())])))


def _merged(what: str, key: str, libraries: Sequence[str], called: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    found = {entry[key]: entry for entry in _listed(what, None)}
    for library in libraries:
        found |= {entry[key]: entry for entry in _listed(what, library, called) if entry[key] not in found or entry.get("library")}
    return found


def layers(libraries: Sequence[str] = (), called: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """What the simulator says of its layers and of those of the libraries, by their names; `called`: Simulation.called_words()."""
    return _merged("layers", "name", libraries, called)


def parameters(libraries: Sequence[str] = ()) -> dict[str, str]:
    """Path of every parameter of a drive -> its type in words."""
    return {path: entry["type"] for path, entry in _merged("parameters", "path", libraries).items()}


def check_layer(name: str, libraries: Sequence[str], called: tuple[str, ...] = ()) -> None:
    """Raises InputError, with the nearest name, for a layer that there is not; it may name a host, too."""
    listed = layers(libraries, called)
    if name not in listed and not any(name in entry["former_names"] or name in _with_hosts(entry) for entry in listed.values()):
        raise unknown_name("layer", name, listed)


def _with_hosts(entry: Mapping[str, Any]) -> list[str]:
    return [f"{entry['name']}:{host}" for host in entry.get("hosts", ())]


def _own(library: str, called: tuple[str, ...]) -> set[str]:
    return {entry["name"] for entry in _listed("layers", library, called) if entry.get("library")}


def fitted(simulation: Simulation) -> Simulation:
    """The run with the one of its libraries that has its layer, or with the first where it names none. A parameter of another library's layer
    is left out: it is of no effect. Raises InputError for a layer that is in none, or in two."""
    libraries, layer = simulation.firmware, simulation.layer
    if not libraries or layer is None:
        return simulation.but(firmware=libraries[:1])
    called = simulation.called_words()
    check_layer(layer, libraries, called)
    holders = [library for library in libraries if layer in _own(library, called)]
    if len(holders) > 1:
        raise InputError(f"the layer '{layer}' is in {' and in '.join(holders)}: leave one of them out")
    others = {name.replace("-", "_") for library in libraries if library not in holders for name in _own(library, called)}
    settings = {path: value for path, value in simulation.settings.items() if not (path.startswith("layers.") and path.split(".")[1] in others)}
    more = list(simulation.more)
    for option in OF_FIRMWARE if not holders else ():
        if option in more:
            del more[more.index(option) : more.index(option) + 2]
    return simulation.but(firmware=tuple(holders), settings=settings, more=tuple(more))
