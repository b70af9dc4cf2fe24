"""A question as data: the designs that it compares, and what they share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tessera.asking.metric import Metric
from tessera.asking.prices import Prices
from tessera.asking.source import Source
from tessera.engine.simulation import Setting

KINDS = ("dram", "flash", "cpu", "layer", "lifetime", "cost", "what-if")
MOST_REQUESTS, MOST_BYTES = 100_000, 4 << 30  # of a run, unless the user says how many: an answer is to come in minutes


@dataclass(frozen=True)
class Asked:
    """What the user asked for."""

    kind: str
    metric: Metric
    source: Source
    drive: str = "demo"
    layers: Sequence[str] = ()
    sizes: Sequence[str] = ()
    cores: int | None = None
    clock: str | None = None
    change: Mapping[str, Setting] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    firmware: tuple[str, ...] = ()
    """Shared libraries with layers of the user's."""
    replay: str | None = None
    format: str | None = None
    most: int = MOST_REQUESTS
    at_most: float | None = None
    """Cost per user TB."""
    prices: Prices = Prices()


def most_requests(source: Source) -> int:
    """How long a run may be: fewer of large requests."""
    return MOST_REQUESTS if source.mean_bytes is None else max(1000, min(MOST_REQUESTS, int(MOST_BYTES / source.mean_bytes) // 1000 * 1000))


@dataclass(frozen=True)
class Design:
    """One of the things that are compared."""

    name: str
    layer: str
    settings: Mapping[str, Setting]
    note: str = ""
    """What it is, where the name does not say."""

    def point(self) -> dict[str, Any]:
        return {"layer": self.layer, **self.settings}


@dataclass(frozen=True)
class Question:
    """What is run, and what is asked of it."""

    title: str
    asked: Asked
    axis: str
    """What the designs differ in, as a heading."""
    designs: Sequence[Design]
    ordered: bool = False
    """Whether they go from little to much, so that the least that is enough is the answer."""
    with_it: Mapping[str, Mapping[str, Setting]] = field(default_factory=dict)
    """Design -> dependants that were set with it."""
    remarks: Sequence[str] = ()
    """What the answer does not cover."""
