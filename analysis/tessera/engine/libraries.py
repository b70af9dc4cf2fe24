"""Layers and policies out of shared libraries: which library has which, what can be set of it, and the library that a run needs. A run loads the one
that has its layer or its policy, and none where both are the simulator's own: so a result depends on no code that did not run in it."""

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
        for entry in _listed(what, library, called):
            known = found.get(entry[key])
            if known is None or entry.get("library"):
                found[entry[key]] = entry
            elif policies := entry.get("policies"):
                found[entry[key]] = {**known, "policies": [*known.get("policies", ()), *policies]}
    return found


def layers(libraries: Sequence[str] = (), called: tuple[str, ...] = ()) -> dict[str, dict[str, Any]]:
    """What the simulator says of its layers and of those of the libraries, by their names; `called`: Simulation.called_words()."""
    return _merged("layers", "name", libraries, called)


def parameters(libraries: Sequence[str] = ()) -> dict[str, str]:
    """Path of every parameter of a drive -> its type in words."""
    return {path: entry["type"] for path, entry in _merged("parameters", "path", libraries).items()}


def check_layer(name: str, libraries: Sequence[str], called: tuple[str, ...] = ()) -> None:
    """Raises InputError, with the nearest name, for a layer that there is not; it may name a host or a policy, too."""
    listed = layers(libraries, called)
    if name not in listed and not any(name in entry["former_names"] or name in full_names(entry) for entry in listed.values()):
        raise unknown_name("layer", name, [*listed, *(word for entry in listed.values() for word in _with_policies(entry))])


def full_names(entry: Mapping[str, Any]) -> list[str]:
    """What a layer may be called: its name alone, with a host that translates for it, or with a policy that decides for it."""
    return [entry["name"], *(f"{entry['name']}:{host}" for host in entry.get("hosts", ())), *_with_policies(entry)]


def _with_policies(entry: Mapping[str, Any]) -> list[str]:
    return [f"{entry['name']}:{policy}" for policy in entry.get("policies", ())]


def _own(library: str, called: tuple[str, ...]) -> set[str]:
    """Layers of the library's, and the simulator's with a policy of its."""
    listed = _listed("layers", library, called)
    return {entry["name"] for entry in listed if entry.get("library")} | {name for entry in listed for name in _with_policies(entry)}


def _sections(library: str, called: tuple[str, ...]) -> set[str]:
    """Of a drive's description: where the parameters of its layers and policies are."""
    names = [name.partition(":") for name in _own(library, called)]
    return {f"policies.{policy}".replace("-", "_") if policy else f"layers.{layer}".replace("-", "_") for layer, _, policy in names}


def fitted(simulation: Simulation) -> Simulation:
    """The run with the one of its libraries that has its layer or its policy, or with the first where it names no layer. A parameter of another library's layer
    or policy is left out: it is of no effect. Raises InputError for a layer that is in none, or in two."""
    libraries, layer = simulation.firmware, simulation.layer
    if not libraries or layer is None:
        return simulation.but(firmware=libraries[:1])
    called = simulation.called_words()
    check_layer(layer, libraries, called)
    holders = [library for library in libraries if layer in _own(library, called)]
    if len(holders) > 1:
        raise InputError(f"the layer '{layer}' is in {' and in '.join(holders)}: leave one of them out")
    others = {section for library in libraries if library not in holders for section in _sections(library, called)}
    settings = {path: value for path, value in simulation.settings.items() if ".".join(path.split(".")[:2]) not in others}
    more = list(simulation.more)
    for option in OF_FIRMWARE if not holders else ():
        if option in more:
            del more[more.index(option) : more.index(option) + 2]
    return simulation.but(firmware=tuple(holders), settings=settings, more=tuple(more))
