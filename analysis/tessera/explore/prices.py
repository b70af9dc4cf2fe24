"""What a design costs, by the table [cost] of a search."""

import tomllib
from collections.abc import Mapping
from functools import partial
from typing import Any

from tessera.engine.parameters import drive_parameters, drive_value
from tessera.engine.simulation import Simulation
from tessera.errors import InputError, is_figure, unknown_name
from tessera.explore.axes import amount
from tessera.explore.idle_parts import is_idle

FIXED = "fixed"
KEYS = ("price", "per")


def prices_of(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Tables of prices by path, down to those that have a `price`. Raises InputError for what is no price.

    >>> prices_of({"fixed": 9, "dram": {"capacity": {"price": 0.01, "per": "MiB"}}})
    {'fixed': 9, 'dram.capacity': {'price': 0.01, 'per': 'MiB'}}
    """
    found: dict[str, Any] = {}
    for name, value in table.items():
        path = prefix + name
        if isinstance(value, Mapping) and "price" not in value:
            found |= prices_of(value, f"{path}.")
            continue
        _check_price(path, value)
        found[path] = value
    return found


def _check_price(name: str, price: Any) -> None:
    if name == FIXED:
        _check_number(FIXED, price)
        return
    if not isinstance(price, Mapping):
        raise InputError(f'cost of {name}: expected {{ price = 0.01, per = "MiB" }}, found {price!r}')
    for key in price:
        if key not in KEYS:
            raise unknown_name(f"key of the cost of {name}", key, KEYS)
    _check_number(name, price["price"])
    if _unit_of(price)[0] <= 0:
        raise InputError(f"cost of {name}: expected a price per something above 0, found per = {price['per']!r}")


def _check_number(name: str, price: Any) -> None:
    if isinstance(price, bool) or not isinstance(price, int | float) or not is_figure(price):
        raise InputError(f"cost of {name}: expected a price in numbers, found {price!r}")


def _unit_of(price: Mapping[str, Any]) -> tuple[float, str]:
    """How much the price is for, in base units, and the base unit."""
    per = price.get("per", 1)
    unit, dimension = amount(f"1 {per}" if isinstance(per, str) and not per[:1].isdigit() else per)
    return float(unit), dimension


def cost_of(prices: Mapping[str, Any], simulation: Simulation, row: Mapping[str, Any]) -> float | None:
    """The price of a design: `fixed`, and for each parameter or metric its price times how much there is of it; parts that the layer leaves
    idle are free. None where a metric is undefined."""
    total = float(prices.get(FIXED, 0))
    for name, price in prices.items():
        if name == FIXED:
            continue
        unit, dimension = _unit_of(price)
        parameters = drive_parameters(str(simulation.drive))
        if name in parameters:
            given = simulation.settings.get(name)
            value, found = amount(tomllib.loads(f"v = {parameters[name]}")["v"] if given is None else given)
        elif name in row:
            if row[name] is None:
                return None
            value, found = row[name], dimension
        else:
            raise unknown_name("parameter or metric of [cost]", name, (*parameters, *(key for key in row if "." in key)))
        if found != dimension:
            raise InputError(f"cost of {name}: it is in {found or 'plain numbers'}, the price is per {price.get('per', 1)}")
        if name in parameters and is_idle(name, simulation, partial(drive_value, str(simulation.drive))):
            continue
        total += float(price["price"]) * float(value) / unit
    return total
