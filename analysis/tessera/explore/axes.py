"""The values along an axis, and the runs that a set of axes makes."""

import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tessera.errors import mapping_of, InputError, unknown_name

Value = str | int | float | bool
Point = dict[str, Value]
MOST_STEPS = 1_000_000  # of a range, and samples: more would fill the memory before a run is made
RANGE = ("from", "to", "steps", "scale")

_QUANTITY = re.compile(r"^\s*([0-9]{1,40}(?:\.[0-9]{1,40})?)\s*([^0-9\s].*?)?\s*$")
# Units that stand for a multiple of another one, so that a range may begin in one and end in the other.
_SCALES = {
    **{unit: ("B", factor) for unit, factor in {
        "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}.items()},
    **{unit: ("ps", factor) for unit, factor in {
        "ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12, "h": 3600 * 10**12}.items()},
    **{unit: ("Hz", factor) for unit, factor in {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9}.items()},
    **{unit: ("B/s", factor) for unit, factor in {
        "B/s": 1, "kB/s": 10**3, "MB/s": 10**6, "GB/s": 10**9, "KiB/s": 2**10, "MiB/s": 2**20, "GiB/s": 2**30}.items()},
    "rpm": ("rpm", 1),
    **{unit: ("uW", factor) for unit, factor in {"uW": 1, "mW": 10**3, "W": 10**6}.items()},
}  # fmt: skip


def amount(value: Value) -> tuple[Fraction, str]:
    """A number, or a quantity in base units, and the base unit ("" for a number). Raises InputError for any other text.

    >>> amount("64 KiB"), amount(3)
    ((Fraction(65536, 1), 'B'), (Fraction(3, 1), ''))
    """
    if isinstance(value, bool):
        raise InputError(f"expected a number or a quantity such as \"64 MiB\", found {value}")
    if isinstance(value, int | float):
        if not math.isfinite(value):
            raise InputError(f"expected a number or a quantity such as \"64 MiB\", found {value}")
        return Fraction(value), ""
    match = _QUANTITY.match(value) if isinstance(value, str) else None
    unit = (match.group(2) or "") if match else None
    if unit is None or (unit and unit not in _SCALES):
        raise InputError(f"expected a number or a quantity such as \"64 MiB\", found '{value}'")
    base, factor = _SCALES.get(unit, ("", 1))
    return Fraction(match.group(1)) * factor, base


def quantity_text(count: int, base: str) -> str:
    """A count of base units in the largest unit that holds it exactly.

    >>> quantity_text(67108864, "B"), quantity_text(1500, "Hz")
    ('64 MiB', '1500 Hz')
    """
    exact = [(factor, unit) for unit, (of, factor) in _SCALES.items() if of == base and count % factor == 0]
    factor, unit = max(exact) if count else (1, base)
    return f"{count // factor} {unit}"


@dataclass(frozen=True)
class Range:
    """From one amount to another, both included, evenly by difference or by ratio."""

    first: Fraction
    last: Fraction
    unit: str
    logarithmic: bool = False
    whole: bool = False

    def at(self, share: float) -> Value:
        """The amount at `share` (0 to 1) of the way; quantities in whole base units."""
        if self.logarithmic:
            value = float(self.first) * (float(self.last) / float(self.first)) ** share
        else:
            value = float(self.first) + float(self.last - self.first) * share
        if share in (0.0, 1.0):
            value = self.first if share == 0 else self.last
        if self.unit:
            return quantity_text(round(value), self.unit)
        return round(value) if self.whole else float(value)


def read_range(name: str, table: Mapping[str, Any]) -> Range:
    """`{from = A, to = B}` with `scale = "log"` where wanted."""
    for key in ("from", "to"):
        if key not in table:
            raise InputError(f"axis '{name}': a range has 'from' and 'to'; '{key}' is missing")
    for key in table:
        if key not in RANGE:
            raise InputError(f"axis '{name}': {unknown_name('key of a range', key, RANGE)}")
    (first, unit), (last, other) = amount(table["from"]), amount(table["to"])
    if unit != other:
        raise InputError(f"axis '{name}': from and to are of different units ('{table['from']}', '{table['to']}')")
    scale = table.get("scale", "linear")
    if scale not in ("linear", "log"):
        raise unknown_name(f"scale of axis '{name}'", str(scale), ("linear", "log"))
    if scale == "log" and not (first > 0 and last > 0):
        raise InputError(f"axis '{name}': a logarithmic range lies above 0")
    whole = isinstance(table["from"], int) and isinstance(table["to"], int)
    return Range(first, last, unit, scale == "log", whole)


def axes_of(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Axes by their paths, whether TOML had these in quotes or not.

    >>> axes_of({"layer": ["cmr"], "nand": {"blocks": {"from": 1, "to": 4}, "dies": [1, 2]}})
    {'layer': ['cmr'], 'nand.blocks': {'from': 1, 'to': 4}, 'nand.dies': [1, 2]}
    """
    paths: dict[str, Any] = {}
    for name, given in mapping_of("axes", table).items():
        nested = isinstance(given, Mapping) and not any(key in given for key in RANGE)
        paths |= axes_of(given, f"{prefix}{name}.") if nested else {prefix + name: given}
    return paths


def values(name: str, given: Any) -> list[Value]:
    """An axis in a file: a list of values, one value, or a range with steps.

    >>> values("nand.dies", {"from": 1, "to": 16, "steps": 5, "scale": "log"})
    [1, 2, 4, 8, 16]
    """
    if isinstance(given, Mapping):
        if "steps" not in given:
            raise InputError(f"axis '{name}': a range on a grid has 'steps'")
        steps = given["steps"]
        if not isinstance(steps, int) or not 2 <= steps <= MOST_STEPS:
            raise InputError(f"axis '{name}': expected 2 to {MOST_STEPS:,} steps, found {steps}")
        over = read_range(name, given)
        return list(dict.fromkeys(over.at(step / (steps - 1)) for step in range(steps)))
    found = list(given) if isinstance(given, list) else [given]
    if not found:
        raise InputError(f"axis '{name}' has no values: the sweep would be empty")
    for value in found:
        if not isinstance(value, Value):
            raise InputError(f"axis '{name}': expected texts, numbers, true or false, found {value}")
    return found


def grid(axes: Mapping[str, Any]) -> Iterator[Point]:
    """Every combination, the last axis fastest.

    >>> list(grid({"a": [1, 2], "b": ["x"]}))
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'x'}]
    """
    lists = {name: values(name, given) for name, given in axes.items()}
    return (dict(zip(lists, chosen)) for chosen in itertools.product(*lists.values()))


def grid_size(axes: Mapping[str, Any]) -> int:
    return math.prod(len(values(name, given)) for name, given in axes.items())


def zipped(axes: Mapping[str, Any]) -> list[Point]:
    """The axes side by side: the first values together, then the second ones.

    >>> zipped({"a": [1, 2], "b": [3]})
    Traceback (most recent call last):
    tessera.errors.InputError: axes that go together have as many values each; a has 2, b has 1
    """
    lists = {name: values(name, given) for name, given in axes.items()}
    if len({len(found) for found in lists.values()}) > 1:
        raise InputError("axes that go together have as many values each; " + ", ".join(f"{name} has {len(found)}" for name, found in lists.items()))
    return [dict(zip(lists, chosen)) for chosen in zip(*lists.values())]


def latin_hypercube(axes: Mapping[str, Any], samples: int, seed: int) -> list[Point]:
    """Points of which each axis has one in each of `samples` equal parts of its range; lists of values take turns."""
    draw = random.Random(seed)
    columns: dict[str, list[Value]] = {}
    for name, given in axes.items():
        strata = list(range(samples))
        draw.shuffle(strata)
        if isinstance(given, Mapping):
            over = read_range(name, given)
            columns[name] = [over.at((stratum + draw.random()) / samples) for stratum in strata]
        else:
            listed = values(name, given)
            columns[name] = [listed[stratum * len(listed) // samples] for stratum in strata]
    return [dict(zip(columns, chosen)) for chosen in zip(*columns.values())]


def matches(point: Point, where: Mapping[str, Value | Sequence[Value]]) -> bool:
    """Whether the point has one of the values that `where` names, on each of its axes.

    >>> matches({"layer": "cmr", "nand.dies": 4}, {"layer": ["cmr", "pore"]})
    True
    """
    return all(point.get(name) in (wanted if isinstance(wanted, list) else [wanted]) for name, wanted in where.items())
