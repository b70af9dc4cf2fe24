"""Values of a block's keys, each checked, and refused with its file and line."""

import math

from tessera.disksim.grammar import Block, Entry
from tessera.errors import InputError


def entry(block: Block, key: str) -> Entry:
    found = block.find(key)
    if found is None:
        raise InputError(f"{block.place}: {block.type} {block.name} has no '{key}'".replace("  ", " "))
    return found


def number(block: Block, key: str, low: float = -math.inf, high: float = math.inf, default: float | None = None) -> float:
    found = block.find(key)
    if found is None and default is not None:
        return default
    found = entry(block, key)
    if not isinstance(found.value, float) or not math.isfinite(found.value):
        raise InputError(f"{found.place}: '{key}': expected a number, found '{found.value if not isinstance(found.value, (Block, list)) else 'a block or list'}'")
    if not low <= found.value <= high:
        raise InputError(f"{found.place}: '{key}': expected {low:g} to {high:g}, found {found.value:g}")
    return found.value


def whole(block: Block, key: str, low: int = 0, high: int = 1 << 40, default: int | None = None) -> int:
    value = number(block, key, low, high, default)
    if value != int(value):
        raise InputError(f"{entry(block, key).place}: '{key}': expected a whole number, found {value:g}")
    return int(value)


def child(block: Block, key: str) -> Block:
    found = entry(block, key)
    if not isinstance(found.value, Block):
        raise InputError(f"{found.place}: '{key}': expected a block")
    return found.value
