"""Parts of a drive that a layer leaves idle: a design without them does the same, so it does not pay for them."""

from collections.abc import Callable
from typing import Any

from tessera.engine.libraries import layers
from tessera.engine.simulation import Simulation
from tessera.explore.axes import amount
from tessera.results.terms import own_buffer

FLASH_CACHE = "firmware.flash_cache.capacity"


def is_idle(path: str, simulation: Simulation, of_drive: Callable[[str], Any]) -> bool:
    """Whether the parameter sizes a part that nobody uses: flash of a layer without, where no flash cache is in front of it, the drive's write
    cache of a layer with a buffer of its own, and what another layer alone has. A layer that this simulator does not know may use everything.
    `of_drive` gives the drive's own value of a parameter."""
    layer = simulation.layer or of_drive("layer")
    name, _, decided_by = layer.partition(":")
    if (known := layers(simulation.firmware).get(name)) is None:
        return False
    if path.startswith("nand."):
        return not known["needs_flash"] and amount(simulation.settings.get(FLASH_CACHE, of_drive(FLASH_CACHE) or 0))[0] == 0
    if path.startswith("firmware.write_cache."):
        return own_buffer(layer) is not None and simulation.settings.get("firmware.write_cache.yields") not in (False, "false")
    section = path.split(".")[1] if "." in path else ""
    return (path.startswith("layers.") and section != name.replace("-", "_")) or (path.startswith("policies.") and section != decided_by.replace("-", "_"))
