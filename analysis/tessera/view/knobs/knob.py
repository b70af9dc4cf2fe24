"""The sliders: what each sets, and the values at which it stops."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tessera.asking.dependants import values_at
from tessera.asking.source import Source
from tessera.asking.templates import LAYERS, write_buffer_of
from tessera.engine.libraries import layers, parameters
from tessera.engine.parameters import drive_value
from tessera.engine.simulation import Setting, setting_text
from tessera.errors import InputError, unknown_name
from tessera.explore.axes import amount, quantity_text
from tessera.results.families import ordered

LAYER, BUFFER, LOAD, FLASH = "layer", "write-cache", "load", "flash"
MOST_STOPS = 64
BUFFERS = ("0 B", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB")
FACTORS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))  # of the drive's own clock and flash
PACES = ("0.25x", "0.5x", "1x", "2x", "4x", "8x")  # times the arrivals of the input
DEPTHS = (1, 2, 4, 8, 16, 32)
FAULTS = (0, 10, 100, 1_000, 10_000)  # of a million sectors read; beyond, hardly a request is left that nothing delays
CLOCKS_HZ = (10**6, 10**10)  # the simulator's bounds of controller.clock


@dataclass(frozen=True)
class Knob:
    name: str
    """In links and files."""
    title: str
    stops: tuple[str, ...]
    own: int
    """The stop at which the drive and the input are as described."""
    path: str | None = None
    """The parameter that it sets; None of those that set more than one thing."""
    about: str = ""

    def check(self, value: str) -> str:
        if value not in self.stops:
            raise InputError(f"{self.name}: expected one of {', '.join(self.stops)}; found '{value}'")
        return value

    def record(self) -> dict[str, Any]:
        return {"name": self.name, "title": self.title, "stops": list(self.stops), "own": self.own, "about": self.about}


def knobs_of(drive: str, source: Source, settings: Mapping[str, Setting], chosen: Sequence[str] = (), more: Sequence[str] = (), replay: str | None = None) -> tuple[Knob, ...]:
    """The sliders of a drive: its own values are among the stops. `chosen`: layers to choose among; `more`: sliders of further parameters,
    as PATH=A,B,C. What `settings` hold fixed has none."""
    own = chosen[0] if chosen else str(drive_value(drive, "layer"))
    names = tuple(chosen) or tuple(ordered({own, *LAYERS}))
    found = [Knob(LAYER, "Layer", names, names.index(own)), *_buffer(drive, settings, own, names), _load(source, replay), *_numbers(drive, settings), *_flash(drive, settings, names)]
    taken = {knob.path for knob in found}
    for text in more:
        knob = _of_parameter(drive, text)
        if knob.path in taken:
            found = [knob if other.path == knob.path else other for other in found]
        else:
            found.append(knob)
            taken.add(knob.path)
    return tuple(found)


def _buffer(drive: str, settings: Mapping[str, Setting], own: str, names: Sequence[str]) -> list[Knob]:
    """At the start as large as that of the first layer, so that all layers have the same DRAM."""
    if any(write_buffer_of(name) in settings for name in names):
        return []
    path = write_buffer_of(own)
    about = "DRAM for written data: the drive's write cache, or the layer's own write buffer"
    return [dataclasses.replace(_knob(BUFFER, "Write cache", drive, path, BUFFERS, about), path=None)]


def _flash(drive: str, settings: Mapping[str, Setting], names: Sequence[str]) -> list[Knob]:
    size = math.prod(values_at(drive, settings, f"nand.{name}") for name in ("blocks", "pages_per_block", "page_size"))
    if not size or "nand.blocks" in settings or not any(layers()[name]["needs_flash"] for name in names):
        return []
    stops = tuple(quantity_text(int(size * factor), "B") for factor in FACTORS)
    return [Knob(FLASH, "Flash", stops, FACTORS.index(Fraction(1)), about="NAND for layers that use it; the others leave it idle")]


def _load(source: Source, replay: str | None) -> Knob:
    """Of a closed loop, how many requests the host keeps under way; of all others, how fast they arrive."""
    policy, _, depth = (replay or source.replay or "timed").partition(":")
    if policy == "closed":
        stops = sorted({*DEPTHS, int(depth)})
        return Knob(LOAD, "Load", tuple(map(str, stops)), stops.index(int(depth)), about="requests that the host keeps under way")
    return Knob(LOAD, "Load", PACES, PACES.index("1x"), about="rate of the arrivals over that of the input")


def _numbers(drive: str, settings: Mapping[str, Setting]) -> list[Knob]:
    found = []
    if (path := "controller.clock") not in settings:
        own, unit = amount(drive_value(drive, path))
        clocks = [quantity_text(int(own * factor), unit) for factor in FACTORS if CLOCKS_HZ[0] <= own * factor <= CLOCKS_HZ[1]]
        found.append(_knob("clock", "CPU clock", drive, path, clocks))
    if (path := "controller.cores") not in settings:
        found.append(_knob("cores", "CPU cores", drive, path, ("1", "2", "3", "4")))
    if (path := "media.transient_errors_per_million") not in settings:
        found.append(_knob("faults", "Fault rate", drive, path, tuple(map(str, FAULTS)), "of a million sectors read, those that must be read again"))
    return found


def _knob(name: str, title: str, drive: str, path: str, stops: Sequence[str], about: str = "") -> Knob:
    """Of a parameter, with the drive's own value among the stops."""
    listed, own = _with_own(stops, setting_text(drive_value(drive, path)))
    return Knob(name, title, listed, own, path, about)


def _with_own(stops: Sequence[str], own: str) -> tuple[tuple[str, ...], int]:
    """The stops and the place of the drive's own value among them, which keeps its own words.

    >>> _with_own(("4 MiB", "16 MiB"), "12 MiB"), _with_own(("1000 MHz",), "1 GHz")
    ((('4 MiB', '12 MiB', '16 MiB'), 1), (('1 GHz',), 0))
    """
    listed = [stop for stop in stops if _amount(stop) is None or _amount(stop) != _amount(own)]
    listed = [own, *(stop for stop in listed if stop != own)]
    if None not in map(_amount, listed):
        listed.sort(key=_amount)
    return tuple(listed), listed.index(own)


def _amount(text: str) -> Fraction | None:
    """In base units; None of what is no quantity."""
    try:
        return amount(text)[0]
    except InputError:
        return None


def _of_parameter(drive: str, text: str) -> Knob:
    path, equals, listed = text.partition("=")
    if not equals or not listed.strip():
        raise InputError(f"--knob: expected PATH=A,B,C such as \"media.rpm=5400 rpm,7200 rpm\", found '{text}'")
    if path not in parameters():
        raise unknown_name("parameter of --knob", path, parameters())
    stops, own = _with_own(tuple(dict.fromkeys(part.strip() for part in listed.split(","))), setting_text(drive_value(drive, path)))
    if not 2 <= len(stops) <= MOST_STOPS:
        raise InputError(f"--knob: {path}: expected 2 to {MOST_STOPS} values, found {len(stops)}")
    return Knob(path, path, stops, own, path)
