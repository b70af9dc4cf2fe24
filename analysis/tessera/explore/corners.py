"""The designs at the ends of a search's axes: what it can hold at the least and at the most is known before it begins."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tessera.errors import InputError
from tessera.explore.axes import Point, Value, amount, grid, matches, read_range, values
from tessera.explore.designs import is_design

MOST = 1_024  # each is asked for its capacity


def corners(axes: Mapping[str, Any], branches: Sequence[Mapping[str, Any]]) -> list[Point]:
    """Every combination of the smallest and the largest amount of each axis, and of all names. Axes that are no design have their first value.
    Raises InputError where there are too many.

    >>> corners({"nand.blocks": [4, 16, 8], "limit": [5, 6]}, [])
    [{'nand.blocks': 4, 'limit': 5}, {'nand.blocks': 16, 'limit': 5}]
    >>> corners({"layer": ["cmr", "pore"]}, [{"where": {"layer": "pore"}, "axes": {"nand.dies": [2, 1]}}])
    [{'layer': 'cmr'}, {'layer': 'pore', 'nand.dies': 1}, {'layer': 'pore', 'nand.dies': 2}]
    """
    found = list(itertools.islice(_with_branches(grid(_ends(axes)), branches), MOST + 1))
    if len(found) > MOST:
        raise InputError(f"fold: the axes of this search end in more than {MOST:,} designs, each of which may be the smallest; give [run] fold_at = \"SIZE\"")
    return found


def _with_branches(points: Iterator[Point], branches: Sequence[Mapping[str, Any]]) -> Iterator[Point]:
    for point in points:
        chosen = [grid(_ends(branch["axes"])) for branch in branches if matches(point, branch["where"])]
        for each in itertools.product(*chosen):
            yield {**point, **{name: value for part in each for name, value in part.items()}}


def _ends(axes: Mapping[str, Any]) -> dict[str, list[Value]]:
    return {name: _end_values(name, given) if is_design(name) else _all_values(name, given)[:1] for name, given in axes.items()}


def _all_values(name: str, given: Any) -> list[Value]:
    if isinstance(given, Mapping) and "steps" not in given:
        over = read_range(name, given)
        return [over.at(0.0), over.at(1.0)]
    return values(name, given)


def _end_values(name: str, given: Any) -> list[Value]:
    listed = _all_values(name, given)
    try:
        ordered = sorted(listed, key=_amount)
    except InputError:  # names
        return listed
    return list(dict.fromkeys((ordered[0], ordered[-1])))


def _amount(value: Value) -> Fraction:
    return amount(value)[0]
