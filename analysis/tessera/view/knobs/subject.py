"""What the sliders stand on: a drive and its input; and the run at a position of the sliders."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tessera.asking.dependants import dependants
from tessera.asking.source import Source
from tessera.asking.templates import flash_settings, needs_flash, write_buffer_of
from tessera.engine.parameters import drive_value
from tessera.engine.simulation import Setting, Simulation, setting_text
from tessera.errors import InputError, unknown_name
from tessera.explore.fold import Fold, folded, smallest_fold
from tessera.results.steadiness import Until
from tessera.view.knobs.knob import BUFFER, FLASH, LAYER, LOAD, Knob

FIRST, GROWTH = 2_000, 5  # requests of the first run, and how much longer each next one is: the first picture is there at once

TIMES_ONLY = ("controller.clock", "media.transient_errors_per_million")  # parameters on which no memory depends

Position = Mapping[str, str]
"""The value of each slider, by its name."""


@dataclass(frozen=True)
class Planned:
    """The longest run at a position, and what was set with it."""

    simulation: Simulation
    with_it: Mapping[str, Setting]
    idle: tuple[str, ...]
    """Sliders that have no effect at this position."""


@dataclass(frozen=True)
class Subject:
    drive: str
    source: Source
    knobs: tuple[Knob, ...]
    most: int
    """Requests of the longest run."""
    until: Until
    """How sure a figure has to be, so that no longer run is made."""
    settings: Mapping[str, Setting] = field(default_factory=dict)
    replay: str | None = None
    format: str | None = None
    seed: int = 1
    _found: dict[tuple[Any, ...], Mapping[str, Setting]] = field(default_factory=dict)

    @property
    def drive_name(self) -> str:
        return Path(self.drive).stem if self.drive.endswith(".toml") else self.drive

    def facts(self) -> list[str]:
        """What all positions share."""
        held = [f"{path} = {value}" for path, value in self.settings.items()]
        shared = [self.fold.text().removesuffix(".")] if self.fold else []
        return [f"drive {self.drive}", f"input {self.source.name}", f"up to {self.most:,} requests", f"seed {self.seed}", *held, *shared]

    @cached_property
    def fold(self) -> Fold | None:
        """Where addresses fold at all positions, so that all curves are of one workload: at the smallest capacity of the layers, and of the values
        of the sliders that the user added."""
        own, added = self.position({}), [knob for knob in self.knobs if knob.path == knob.name]
        held = [self.settings, *({**self.settings, knob.name: stop} for knob in added for stop in knob.stops)]
        return smallest_fold(self._simulation(own, layer, settings) for layer in self.by_name[LAYER].stops for settings in held)

    @cached_property
    def by_name(self) -> dict[str, Knob]:
        return {knob.name: knob for knob in self.knobs}

    def position(self, given: Mapping[str, Any]) -> dict[str, str]:
        """All sliders, where `given` may name but some. Raises InputError for a slider or a value that there is not."""
        if not isinstance(given, Mapping):
            raise InputError(f"state: expected values by the names of sliders, found {type(given).__name__}")
        for name, value in given.items():
            if name not in self.by_name:
                raise unknown_name("slider", str(name), self.by_name)
            if not isinstance(value, str):
                raise InputError(f"{name}: expected a text such as '{self.by_name[name].stops[0]}', found {json.dumps(value)}")
        return {name: knob.check(given.get(name, knob.stops[knob.own])) for name, knob in self.by_name.items()}

    def plan(self, position: Position) -> Planned:
        """Raises InputError where the drive cannot be that way."""
        layer = position[LAYER]
        sizes: dict[str, Setting] = {}
        if BUFFER in position:
            sizes |= self._changed({write_buffer_of(layer): position[BUFFER]})
        idle = []
        if FLASH in position and not needs_flash(layer):
            idle.append(FLASH)
        elif FLASH in position and position[FLASH] != self._own(FLASH):
            sizes |= flash_settings(self.drive, self.settings, layer, position[FLASH])
        others = self._changed({knob.path: position[name] for name, knob in self.by_name.items() if knob.path is not None})
        with_it = self._with_it(layer, {**others, **sizes}) if sizes else {}
        settings = {**self.settings, **others, **sizes, **with_it}
        return Planned(folded(self._simulation(position, layer, settings), self.fold), with_it, tuple(idle))

    def _with_it(self, layer: str, settings: Mapping[str, Setting]) -> Mapping[str, Setting]:
        """What has to grow with these; each is found out once, by a run of one request."""
        relevant = {path: value for path, value in settings.items() if path not in TIMES_ONLY}
        asked = (layer, tuple(relevant.items()))
        if asked not in self._found:
            self._found[asked] = dependants(self.drive, layer, relevant, self.settings, "what the sliders ask for")
        return self._found[asked]

    def _own(self, name: str) -> str:
        knob = self.by_name[name]
        return knob.stops[knob.own]

    def _changed(self, settings: Mapping[str, str]) -> dict[str, Setting]:
        """Those that are not the drive's own: two positions of one drive are one run."""
        return {path: value for path, value in settings.items() if value != setting_text(drive_value(self.drive, path))}

    def _simulation(self, position: Position, layer: str, settings: Mapping[str, Setting]) -> Simulation:
        options: dict[str, Any] = dict(self.source.options())
        if self.replay is not None:
            options["replay"] = self.replay
        if options.get("replay", "").startswith("closed:"):
            options["replay"] = f"closed:{position[LOAD]}"
        elif position[LOAD] != self._own(LOAD):
            options["time_scale"] = 1 / float(position[LOAD].removesuffix("x"))
        return Simulation(
            drive=self.drive, layer=layer, **options, format=self.format, fold=True, limit=self.most, seed=self.seed, settings=settings,
        )  # fmt: skip

    def lengths(self) -> list[int]:
        """Of the runs at a position, short ones first.

        >>> Subject("demo", Source("s", workload="w"), (), 100_000, Until.parse("host.latency.p99:10%")).lengths()
        [2000, 10000, 50000, 100000]
        """
        found, length = [], FIRST
        while length < self.most:
            found.append(length)
            length *= GROWTH
        return [*found, self.most]


def command_of(simulation: Simulation) -> str:
    """The line that repeats a run."""
    return simulation.command()
