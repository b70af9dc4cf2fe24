"""Parts of a drive that a layer leaves idle: a design without them does the same, so it does not pay for them."""

import json
from functools import cache

from tessera.simulation import Simulation
from tessera.simulator import ask_simulator
from tessera.terms import OWN_BUFFER


@cache
def _uses_flash() -> dict[str, bool]:
    return {entry["name"]: bool(entry["needs_flash"]) for entry in json.loads(ask_simulator(["list", "layers", "--json"]))}


def is_idle(path: str, simulation: Simulation, drive_layer: str) -> bool:
    """Whether the parameter sizes a part that the layer has no use for: flash of a layer without, the drive's write cache of a layer with a
    buffer of its own, and what another layer alone has. A layer that this simulator does not know may use everything."""
    layer = simulation.layer or drive_layer
    if layer not in _uses_flash():
        return False
    if path.startswith("nand."):
        return not _uses_flash()[layer]
    if path.startswith("firmware.write_cache."):
        return layer in OWN_BUFFER and simulation.settings.get("firmware.write_cache.yields") not in (False, "false")
    return path.startswith("layers.") and path.split(".")[1] != layer.replace("-", "_")
