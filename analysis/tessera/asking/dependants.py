"""What a larger memory brings with it: DRAM that holds it, a dump area that saves it, the energy for that, and flash blocks to save it to."""

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

from tessera.engine.libraries import fitted
from tessera.engine.parameters import drive_value
from tessera.engine.simulation import Setting, Simulation
from tessera.errors import InputError
from tessera.explore.axes import amount

MIB = 1 << 20
# Large enough for every dump, so that one probe says what all of them need. The simulator has bounds of its own.
AMPLE = {"dram.capacity": "64 GiB", "power.dump_area": "64 GiB", "power.hold_up_energy": "1000 J"}
MOST_BLOCKS = 1_000_000  # the simulator's bound of nand.dump_blocks: of small blocks, they are the bound of the dump area
CHECK_SHARE = Fraction(4096 + 16, 4096)  # the dump writes 16 B of check after each 4 KiB
UNITS = {"dram.capacity": "B", "power.dump_area": "B", "power.hold_up_energy": "J", "nand.dump_blocks": ""}


def needs(drive: str, layer: str | None, settings: Mapping[str, Setting], firmware: tuple[str, ...] = ()) -> dict[str, Fraction]:
    """What a design needs of each dependant, at least, in B, J and blocks: from a probe of one request in which there is plenty of each."""
    with TemporaryDirectory(prefix="tessera-ask-") as folder:
        probe = fitted(Simulation(drive=drive, layer=layer, firmware=firmware, workload="random-4k", limit=1, prefill=0, settings={**settings, **_ample(drive, settings)}))
        run = probe.run(Path(folder) / "run")
        region, dram = run.find("power.dump.region") or 0, run.find("dram.reserved.total") or 0
    value = lambda path: values_at(drive, settings, path)  # noqa: E731
    found = {"dram.capacity": Fraction(math.ceil(dram / MIB) * MIB)}
    if region:
        area = Fraction(math.ceil(region / MIB) * MIB)
        seconds = area * CHECK_SHARE / value("power.dump_rate")
        watts = value("power.dump_power") / 10**6
        found |= {"power.dump_area": area, "power.hold_up_energy": Fraction(math.ceil(10 * seconds * watts), 10)}
        if value("nand.blocks"):
            found["nand.dump_blocks"] = Fraction(math.ceil(area / _block(drive, settings)))
    return found


def _ample(drive: str, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Of a drive without a dump engine, DRAM alone: its area stays 0."""
    if not values_at(drive, settings, "power.dump_area"):
        return {"dram.capacity": AMPLE["dram.capacity"]}
    block = _block(drive, settings)
    if not block:
        return AMPLE
    area = min(amount(AMPLE["power.dump_area"])[0], MOST_BLOCKS * block // MIB * MIB)
    return {**AMPLE, "power.dump_area": said("power.dump_area", area), "nand.dump_blocks": math.ceil(area / block)}


def _block(drive: str, settings: Mapping[str, Setting]) -> Fraction:
    """Bytes of an erase block of the flash."""
    return values_at(drive, settings, "nand.pages_per_block") * values_at(drive, settings, "nand.page_size")


def values_at(drive: str, settings: Mapping[str, Setting], path: str) -> Fraction:
    """A parameter in base units, of the settings or else the drive; 0 where the drive has no such parameter."""
    if path in settings:
        return _amount(path, settings[path])
    return _amount(path, drive_value(drive, path) or 0)


def _amount(path: str, value: Setting) -> Fraction:
    if isinstance(value, str) and value.endswith(" J"):
        return Fraction(value.removesuffix(" J"))
    return amount(value)[0]


def dependants(drive: str, layer: str | None, settings: Mapping[str, Setting], pinned: Mapping[str, Setting], what: str, firmware: tuple[str, ...] = ()) -> dict[str, Setting]:
    """The parameters that have to grow with `settings`, with the values that they need; `pinned`: those that the user has set, which stay.
    Raises InputError that names all pinned ones that are too small, at once."""
    needed = needs(drive, layer, {**pinned, **settings}, firmware)
    short = {path: least for path, least in needed.items() if values_at(drive, {**pinned, **settings}, path) < least}
    held = [f"{path} is {pinned[path]} and has to be {said(path, least)}" for path, least in short.items() if path in pinned]
    if held:
        raise InputError(f"{what} does not fit what --set holds fixed: {'; '.join(held)}. Leave them out of --set, and they are set with it")
    return {path: said(path, least) for path, least in short.items()}


def said(path: str, value: Fraction) -> Setting:
    """As `--set` takes it.

    >>> said("power.dump_area", Fraction(66 << 20)), said("power.hold_up_energy", Fraction(7, 2)), said("nand.dump_blocks", Fraction(528))
    ('66 MiB', '3.5 J', 528)
    """
    unit = UNITS[path]
    if unit == "B":
        return f"{int(value / MIB)} MiB"
    return f"{float(value):g} J" if unit == "J" else int(value)
