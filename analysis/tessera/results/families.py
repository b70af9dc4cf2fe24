"""The layers by what they build on, in the order in which tables and pictures show them."""

from collections.abc import Iterable

YARDSTICK = "cmr"
FAMILIES = {
    "interlaced": ("imr-rmw", "imr-flip", "imr-cache", "imr-dtm"),
    "shingled, in place": ("shingled-in-place-1234", "shingled-in-place-r4123", "shingled-in-place-124r3", "shingled-in-place-14r23", "vguard"),
    "shingled, memory buffer": ("sblock", "hwsr"),
    "shingled, flash cache": ("skylight-flash", "pore", "mu-rmw"),
    "shingled, conventional buffer": ("skylight-disk", "fluid", "fluid-loop", "amphisbaena", "media-cache"),
    "shingled, zones of the host": ("zoned", "host-aware"),
    "our own": ("tessera", "tessera-imr"),
}
OTHERS = "others"


def family_of(layer: str) -> str:
    """The family; a layer that is none's is among the others. A host or a policy after a colon ("zoned:log") changes nothing."""
    return next((family for family, layers in FAMILIES.items() if layer.partition(":")[0] in layers), OTHERS)


def ordered(layers: Iterable[str]) -> list[str]:
    """The yardstick, then family by family; layers of no family last, as they came."""
    known = [YARDSTICK, *(layer for family in FAMILIES.values() for layer in family)]

    def place(layer: str) -> int:
        name = layer.partition(":")[0]
        return known.index(name) if name in known else len(known)

    return sorted(layers, key=place)


def grouped(layers: Iterable[str]) -> dict[str, list[str]]:
    """The layers but the yardstick by family; families without one are left out."""
    groups: dict[str, list[str]] = {}
    for layer in ordered(layers):
        if layer != YARDSTICK:
            groups.setdefault(family_of(layer), []).append(layer)
    return groups
