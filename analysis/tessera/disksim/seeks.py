"""Seek times of a DiskSim disk (dm_mech_g1) as a curve of (distance in cylinders, milliseconds)."""

import math
import re

from tessera.disksim.grammar import Block, Entry, Place
from tessera.disksim.keys import entry, number
from tessera.errors import InputError, regular

Curve = list[tuple[int, float]]
HEAD = re.compile(r"\s*Seek distances measured\s*:\s*(\d+)\s*$")
SAME = 0.001  # ms
KINDS = ("extracted", "constant", "linear", "curve", "hpl", "hplplus10")
POINTS_PER_DOUBLING = 8  # of a formula: linear interpolation is within 0.1 % of a square root then


def distances(cylinders: int) -> list[int]:
    """1, 2, 3, ... and then ever further apart, up to a full stroke."""
    last = max(1, cylinders - 1)
    steps = {round(2 ** (step / POINTS_PER_DOUBLING)) for step in range(int(math.log2(last) * POINTS_PER_DOUBLING) + 1)}
    return sorted({*steps, last})


def read_seeks(mechanics: Block, cylinders: int, lost: list[str]) -> tuple[Curve, float]:
    """And what a write takes longer, in ms. Adds to `lost` what of a table was not taken. Raises InputError with file and line."""
    found = entry(mechanics, "Seek type")
    kind = found.value if isinstance(found.value, str) else str(found.value)
    return _measured(mechanics, lost) if kind == "extracted" else (_formula(mechanics, cylinders, found, kind), 0.0)


def _formula(mechanics: Block, cylinders: int, found: Entry, kind: str) -> Curve:
    at = distances(cylinders)
    if kind == "constant":
        return [(d, number(mechanics, "Constant seek time", 0)) for d in (at[0], at[-1])]
    if kind in ("linear", "curve"):
        one, mean, full = (number(mechanics, f"{name} seek time", 0) for name in ("Single cylinder", "Average", "Full strobe"))
        if not one <= mean <= full:
            raise InputError(f"{found.place}: seek times fall: {one:g} ms over a cylinder, {mean:g} on average, {full:g} over all")
        if kind == "linear":
            third = max(2, (cylinders - 1) // 3)  # the mean distance
            return [(1, one), (third, mean), (max(third + 1, cylinders - 1), full)]
        a = (15 * mean - 10 * one - 5 * full) / (3 * math.sqrt(cylinders))  # Lee's curve through these three
        b = (7 * one - 15 * mean + 8 * full) / (3 * cylinders)
        return [(d, a * math.sqrt(d - 1) + b * (d - 1) + one) for d in at]
    if kind in ("hpl", "hplplus10"):
        return _hpl(mechanics, at, kind == "hplplus10")
    raise InputError(f"{found.place}: unknown seek type '{kind}'; expected one of {', '.join(KINDS)}")


def _hpl(mechanics: Block, at: list[int], with_first_ten: bool) -> Curve:
    """Ruemmler and Wilkes (1994): c1 + c2 * sqrt(d) below the boundary, c3 + c4 * d from it on; the sixth value, where not negative, is the
    time over one cylinder."""
    found = entry(mechanics, "HPL seek equation values")
    values = found.value
    if not isinstance(values, list) or len(values) != 6 or not all(isinstance(value, float) for value in values):
        raise InputError(f"{found.place}: 'HPL seek equation values': expected six numbers")
    boundary, c1, c2, c3, c4, one = values
    curve = {d: c1 + c2 * math.sqrt(d) if d < boundary else c3 + c4 * d for d in sorted({*at, max(1, int(boundary) - 1), int(boundary)}) if d <= at[-1]}
    if one >= 0:
        curve[1] = one
    if with_first_ten:
        first = entry(mechanics, "First ten seek times")
        if not isinstance(first.value, list) or len(first.value) != 10 or not all(isinstance(value, float) for value in first.value):
            raise InputError(f"{first.place}: 'First ten seek times': expected ten numbers")
        curve |= {d: ms for d, ms in enumerate(first.value, 1) if d <= at[-1]}
    checked: Curve = []
    for distance, ms in sorted(curve.items()):
        _check(found.place, distance, ms, checked)
        checked.append((distance, ms))
    return checked


def _measured(mechanics: Block, lost: list[str]) -> tuple[Curve, float]:
    """A line per distance: cylinders and milliseconds; in newer tables their standard deviation, and the milliseconds of a write."""
    found = entry(mechanics, "Full seek curve")
    file = found.place.file.parent / str(found.value)
    try:
        lines = regular(file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise InputError(f"{found.place}: {file}: {error.strerror}; expected a table of seek times") from None
    head = HEAD.match(lines[0]) if lines else None
    curve: Curve = []
    fell: Place | None = None
    longer: list[float] = []
    for number_, line in enumerate(lines[1:] if head else lines, 2 if head else 1):
        if not line.strip():
            continue
        try:
            distance, ms, *more = (float(part) for part in line.split(","))
        except ValueError:
            raise InputError(f"{file.name}:{number_}: expected 'distance, milliseconds', found '{line.strip()[:40]}'" + ("" if head or number_ > 1 else " (or 'Seek distances measured: COUNT')")) from None
        if len(more) > 2:
            raise InputError(f"{file.name}:{number_}: expected two to four numbers, found {len(more) + 2}")
        place = Place(file, number_)
        # One point alone is a mistake of whoever typed it; two are another unit, or another table.
        if fell is None and _falls(ms, curve) and curve[-1][0] < distance == int(distance):
            lost.append(f"{place}: seek times fall: {ms:g} ms over {int(distance)} cylinders, {_longest(curve):g} ms over fewer; left out")
            fell = place
            continue
        _check(place, distance, ms, curve)
        fell = None
        curve.append((int(distance), ms))
        longer += [write - ms for write in more[1:]]
    if not curve:
        raise InputError(f"{file.name}: holds no seek time")
    given = len(curve) + sum("left out" in line and line.startswith(f"{file.name}:") for line in lost)
    if head and given != int(head.group(1)):
        lost.append(f"{file.name}: holds {given} seek times, and its first line says {head.group(1)}: it is cut off, or was changed")
    if longer and max(longer) - min(longer) > SAME:
        lost.append(f"{file.name}: the seeks of writes take {min(longer):g} to {max(longer):g} ms longer; written as {sum(longer) / len(longer):g} ms")
    return curve, sum(longer) / len(longer) if longer else 0.0


def _longest(curve: Curve) -> float:
    return max(ms for _, ms in curve)


def _falls(ms: float, curve: Curve) -> bool:
    """Measured curves fall by a tenth here and there, not by a half."""
    return bool(curve) and 0 <= ms < _longest(curve) / 2


def _check(place: Place, distance: float, ms: float, curve: Curve) -> None:
    if distance != int(distance) or distance < 1 or curve and distance <= curve[-1][0]:
        raise InputError(f"{place}: expected a longer distance than {curve[-1][0] if curve else 0} cylinders, found {distance:g}")
    if not math.isfinite(ms) or ms < 0:
        raise InputError(f"{place}: expected a time in milliseconds, found {ms:g}")
    if _falls(ms, curve):
        raise InputError(f"{place}: seek times fall: {ms:g} ms over {int(distance)} cylinders, {_longest(curve):g} ms over fewer")
