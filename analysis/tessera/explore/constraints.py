"""What a design of a search has to keep, such as a lifetime of five years."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tessera.errors import InputError

LIFETIME = "nand.lifetime.years."
UNWORN = 1000.0  # years: of a design that wears no flash, so that a search can compare it
_LIMIT = re.compile(r"^(<=|>=)\s*([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)$")


@dataclass(frozen=True)
class Constraint:
    metric: str
    at_most: bool
    limit: float

    def excess(self, value: float) -> float:
        """How far the value is on the wrong side, as a share of the limit; 0 or less: it keeps the constraint."""
        beyond = value - self.limit if self.at_most else self.limit - value
        return beyond / (abs(self.limit) or 1.0)

    def text(self) -> str:
        return f"{self.metric} {'<=' if self.at_most else '>='} {self.limit:g}"


def constraints_of(table: Mapping[str, Any]) -> tuple[Constraint, ...]:
    """
    >>> constraints_of({"nand.lifetime.years.worst_block": ">= 5"})[0].text()
    'nand.lifetime.years.worst_block >= 5'
    >>> constraints_of({"cost": "5"})
    Traceback (most recent call last):
    tessera.errors.InputError: constraint of cost: expected "<= NUMBER" or ">= NUMBER", in the metric's unit, found '5'
    """
    found = []
    for metric, text in table.items():
        match = _LIMIT.match(text.strip()) if isinstance(text, str) else None
        if match is None:
            raise InputError(f'constraint of {metric}: expected "<= NUMBER" or ">= NUMBER", in the metric\'s unit, found {text!r}')
        found.append(Constraint(metric, match.group(1) == "<=", float(match.group(2))))
    return tuple(found)


def value_of(row: Mapping[str, Any], metric: str) -> float | None:
    """A figure of a run; flash that is not worn lasts UNWORN years."""
    value = row.get(metric)
    if value is None and metric.startswith(LIFETIME) and metric in row:
        return UNWORN
    return min(value, UNWORN) if metric.startswith(LIFETIME) and value is not None else value
