"""Parts of a drive that a layer leaves idle: a design without them does the same, so it does not pay for them."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from tessera.engine.simulation import Simulation
from tessera.engine.simulator import ask_simulator
from tessera.explore.axes import amount
from tessera.results.terms import OWN_BUFFER


@cache
def _uses_flash() -> dict[str, bool]:
    return {entry["name"]: bool(entry["needs_flash"]) for entry in json.loads(ask_simulator(["list", "layers", "--json"]))}


FLASH_CACHE = "firmware.flash_cache.capacity"


def is_idle(path: str, simulation: Simulation, of_drive: Callable[[str], Any]) -> bool:
    """Whether the parameter sizes a part that nobody uses: flash of a layer without, where no flash cache is in front of it, the drive's write
    cache of a layer with a buffer of its own, and what another layer alone has. A layer that this simulator does not know may use everything.
    `of_drive` gives the drive's own value of a parameter."""
    layer = simulation.layer or of_drive("layer")
    if layer not in _uses_flash():
        return False
    if path.startswith("nand."):
        return not _uses_flash()[layer] and amount(simulation.settings.get(FLASH_CACHE, of_drive(FLASH_CACHE) or 0))[0] == 0
    if path.startswith("firmware.write_cache."):
        return layer in OWN_BUFFER and simulation.settings.get("firmware.write_cache.yields") not in (False, "false")
    return path.startswith("layers.") and path.split(".")[1] != layer.replace("-", "_")
