"""The layout of a DiskSim disk (dm_disk), by its kind."""

from tessera.disksim.geometry import Layout
from tessera.disksim.grammar import Block
from tessera.disksim.keys import child, entry, whole
from tessera.disksim.layout_g1 import read_g1
from tessera.disksim.layout_g2 import read_g2
from tessera.disksim.layout_g4 import read_g4
from tessera.errors import InputError, nearest

KINDS = {"dm_layout_g1": read_g1, "dm_layout_g2": read_g2, "dm_layout_g4": read_g4}


def read_layout(disk: Block) -> Layout:
    """Raises InputError with file and line."""
    surfaces, cylinders = whole(disk, "Number of data surfaces", 1, 64), whole(disk, "Number of cylinders", 1, 1 << 24)
    model = child(disk, "Layout Model")
    if model.type not in KINDS:
        close = nearest(model.type, list(KINDS))
        raise InputError(f"{model.place}: unknown layout '{model.type}'; expected {', '.join(KINDS)}" + (f"; did you mean '{close}'?" if close else ""))
    layout = KINDS[model.type](model, surfaces, cylinders)
    end = layout.zones[-1].last + 1
    if end > cylinders:  # DiskSim goes by the zones
        layout.lost.append(f"{entry(disk, 'Number of cylinders').place}: 'Number of cylinders' is {cylinders:,}, the zones have {end:,}; written as they have them")
    if end < cylinders:
        layout.add_gap(end, cylinders, layout.zones[-1].sectors)
    return layout
