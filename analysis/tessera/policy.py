"""Policies of cleaning in Python: when a layer of Tessera's own cleans although it need not, and what. A policy is a class in a file of its own, named where
a shared library may be named; the layer media-cache with it is `media-cache:fullest`:

    from tessera.layer import MS, time
    from tessera.policy import Policy

    class Fullest(Policy):
        \"\"\"The band that holds most of the cache, once the host has been quiet for a while.\"\"\"

        quiet = time(100 * MS, 0, 3_600_000 * MS, "without commands, before cleaning begins")

        def when(self, cleaning):
            if cleaning.outstanding:
                return cleaning.now + self.quiet
            return cleaning.last_activity + self.quiet

        def choose(self, cleaning):
            return max(self.units(), key=lambda unit: unit.cached).number

A policy answers with a time and a number. The layer checks them, moves the data itself and keeps its own promises: a policy can make a drive slow, and lose
nothing. Times are integers in picoseconds of simulated time; Python code takes none, `charge()` and `units()` do. Like tessera.layer, of which it has parameters
and figures, the simulator brings its own copy of this module.
"""

import sys
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, NamedTuple

from tessera.layer import CHARGES, WRITE, Figure, Layer, Refused, _name_of, _number, _offered_parameters, _with_values

NEVER = 2**64 - 1
"""Of when(): not before the next write to the cache."""


class Cleaning(NamedTuple):
    """What a policy is told with each question."""

    now: int
    last_activity: int
    """When the last command came or was completed."""
    served: int
    """Commands since power-on."""
    latency: int
    """Of all these together, as the firmware had them in hand."""
    outstanding: int
    """Commands that the drive has and has not completed."""
    waiting: int
    """Writes that the layer has in hand."""
    needed: bool
    """choose(): somebody waits for room."""
    units_cached: int
    """Units of which the cache holds something."""
    used: int
    """Sectors of the cache in use, with dead ones between live ones."""
    room: int
    """Sectors of the cache."""
    cached: int
    """Sectors of which the cache holds the newest copy."""
    entries: int
    """Of the cache's map."""
    most_entries: int
    """At which the map is full."""


class Unit(NamedTuple):
    """A band, or zone, of which the cache holds something. Ages are sectors that the cache has got since."""

    number: int
    first: int
    """Logical sector."""
    sectors: int
    """That it has room for."""
    held: int
    """Up to where it is written in its place."""
    cached: int
    """Sectors of which the cache holds the newest copy."""
    entries: int
    """Extents or blocks of the cache that hold them."""
    oldest: int
    """Age of what has been in the cache longest."""
    newest: int
    """Age of what came last."""
    cleaned: int
    """Times that the policy chose it since power-on: a measure of wear."""


class Arrival(NamedTuple):
    """A command of the host's that has come, in blocks of 512 B."""

    time: int
    kind: int
    """READ, WRITE, FLUSH or TRIM of tessera.layer."""
    blocks: int
    first: int


class Policy:
    """A policy of cleaning. Write a class that inherits from this one; its docstring's first line is the policy's summary. It has when(), choose(), or both:
    what it has not, the layer's own policy decides. An exception ends the run with its place, and with the results so far."""

    name: str = ""
    """As after the colon in --layer media-cache:NAME (default: of the class, MyRule -> my-rule)."""

    _machine: Any

    def setup(self) -> None:
        """At each power-on. Nothing that was in the object before is there."""

    def when(self, cleaning: Cleaning) -> int:
        """When to clean next, though nobody needs it: not later than `now`: now. Later: asked again then. NEVER: after the next write to the cache. Not
        asked while the cache is empty."""
        return self.own()

    def choose(self, cleaning: Cleaning) -> int:
        """The number of a unit, of those of units()."""
        return self.own()

    def arrived(self, arrival: Arrival) -> None:
        """A command of the host's has come."""

    def report(self) -> Iterable[Figure]:
        """Figures of the policy's own."""
        return ()

    def units(self) -> list[Unit]:
        """All units, in the order of their numbers, in when() and choose(); charges the scan of a list of so many elements."""
        return self._machine.units(Unit)

    def own(self) -> int:
        """What the layer's own policy answers to this question, in when() and choose()."""
        return self._machine.own()

    def charge(self, operation: str, times: int = 1) -> None:
        """The processor does something so many times, in when() and choose(): one of CHARGES of tessera.layer."""
        self._machine.charge(_number(CHARGES, operation, "operation"), times)

    def write_waiting(self, first: int, end: int) -> bool:
        """Whether a write of the host's to logical sectors from `first` to before `end` is in the drive."""
        return self._machine.write_waiting(first, end)

    def log(self, line: object) -> None:
        """Writes a line with the simulated time to standard error."""
        self._machine.log(str(line))


FEATURES = ("quiet", "outstanding", "fill", "map", "live", "gap", "writes", "waited")
"""What features() gives: seconds since the last command, 0 where one is in hand; commands in hand; shares of the cache and of its map in use; share of the
cache's sectors in use that are live; mean gap between commands in seconds; share of writes among them; seconds since the last question."""
_MEMORY = 1 / 64  # weight of the newest command in a mean


class Watcher(Policy):
    """A policy that decides by numbers: features() of a question, with what the history of commands says. tessera.environment trains on the same."""

    def setup(self) -> None:
        self._gap = 0.0
        self._writes = 0.5
        self._last_arrival = self._last_asked = 0

    def arrived(self, arrival: Arrival) -> None:
        self._gap += ((arrival.time - self._last_arrival) * 1e-12 - self._gap) * _MEMORY
        self._last_arrival = arrival.time
        self._writes += ((arrival.kind == WRITE) - self._writes) * _MEMORY

    def features(self, cleaning: Cleaning) -> tuple[float, ...]:
        """Numbers of FEATURES; once per question."""
        now = cleaning.now
        waited, self._last_asked = now - self._last_asked, now
        return (
            0.0 if cleaning.outstanding else (now - cleaning.last_activity) * 1e-12, float(cleaning.outstanding), cleaning.used / cleaning.room,
            cleaning.entries / cleaning.most_entries, cleaning.cached / cleaning.used if cleaning.used else 1.0, self._gap, self._writes, waited * 1e-12,
        )  # fmt: skip


# ---- what the simulator calls ----

_OPTIONAL = ("when", "choose", "arrived", "report")


def _policies_of(module_name: str) -> list[tuple[Any, ...]]:
    """Every policy of the file that was read last: class, name, summary, parameters, what it has of _OPTIONAL."""
    made = []
    for kind in vars(sys.modules[module_name]).values():
        if not (isinstance(kind, type) and issubclass(kind, Policy) and kind.__module__ == module_name) or kind.__name__.startswith("_"):
            continue
        if issubclass(kind, Layer):
            raise TypeError(f"{kind.__name__} is a layer and a policy; expected one of them")
        has = [name for name in _OPTIONAL if getattr(kind, name) is not getattr(Policy, name)]
        made.append((kind, kind.name or _name_of(kind), (kind.__doc__ or "").strip().split("\n")[0].rstrip("."), _offered_parameters(kind), has))
    return made


def _made(kind: type, values: Sequence[Any], machine: Any) -> Policy:
    policy = _with_values(kind, values)
    policy._machine = machine
    policy.setup()
    return policy


class _NoAnswer(Refused):
    """What is said of it has its place already."""


def _answer(policy: Policy, what: str, cleaning: Cleaning) -> int:
    value = getattr(policy, what)(cleaning)
    try:
        number = index(value)
    except TypeError:
        number = -1
    if value is True or value is False or not 0 <= number <= NEVER:
        code = getattr(policy, what).__func__.__code__
        expected = "the number of a unit, such as self.units()[0].number" if what == "choose" else "a time in ps, such as cleaning.now, or NEVER"
        raise _NoAnswer(f"{code.co_filename}:{code.co_firstlineno}: {code.co_qualname}() gave {value!r}; expected {expected}")
    return number


def _reported(policy: Policy) -> list[tuple[Any, ...]]:
    return [(name, None if value is None else float(value), unit, what, bool(counts)) for name, value, unit, what, counts in (Figure(*one) for one in policy.report() or ())]
