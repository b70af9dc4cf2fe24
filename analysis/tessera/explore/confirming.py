"""What of a search's front is sure: designs that may be on it run again, and the runs that chose them say nothing of how sure it is."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.evidence.blocks import LEAST, PARTS, in_a_log
from tessera.evidence.front import Place, alike, front, near, places, spread, values_of
from tessera.evidence.ratios import Measured
from tessera.explore.search_plan import COST, COST_PER_TB, SearchPlan
from tessera.explore.search_rows import Row, Trial, design_row, failed, measured

FIRST, USUAL = 4, 8  # seeds of a design that may be on the front, and of one whose place these do not settle
LEAST_SEEDS = 2  # fewer have no interval
LOOKS = 2  # after FIRST, and after USUAL

Make = Callable[[Sequence[tuple[Trial, Simulation]]], Sequence[Row]]
"""Makes runs of designs, each with its row."""


@dataclass(frozen=True)
class Confirmed:
    """What the second look at a search's designs came to."""

    places: Mapping[int, Place]
    """Of the designs that keep the constraints, by their number."""
    runs: int
    """That were spent on it; the parts of a recording are as long as one run together."""
    once: frozenset[int]
    """Those that ran once and are too far from the front to run again: nothing at 95 % is said of them."""
    wanted: int
    """That it would have taken; more than `runs` where the budget ended first."""


def confirm(plan: SearchPlan, trials: Sequence[Trial], make: Make) -> Confirmed:
    """Runs again what may be on the front, as far as the plan's budget goes, and says of every design where it stands. Trials have figures for
    every objective."""
    looking = _Confirming(plan, trials, make)
    first = looking.front()
    looking.run(first, FIRST)
    looking.run(looking.near(first), FIRST)
    if looking.by_seeds and (doubtful := looking.doubtful()):
        looking.run(doubtful, USUAL)
    return looking.confirmed()


def needs_parts(plan: SearchPlan) -> bool:
    """Whether no log of requests has an objective, so that a recorded trace has to be run in parts for its interval."""
    return any(not in_a_log(name) and name not in (COST, COST_PER_TB) for name in plan.objectives)


def blocks_of(plan: SearchPlan) -> tuple[str, ...]:
    """The objectives whose blocks a log of requests has."""
    return tuple(name for name in plan.objectives if in_a_log(name))


class _Confirming:
    def __init__(self, plan: SearchPlan, trials: Sequence[Trial], make: Make):
        self._plan, self._trials, self._make = plan, trials, make
        self._more_is_better = [direction == "maximise" for direction in plan.objectives.values()]
        self._parts = needs_parts(plan)
        self.by_seeds = plan.seeds == 1 and any(not trial.recorded for trial in trials)
        self._spent = Fraction(0)
        self._wanted: dict[int, Fraction] = {}

    def confirmed(self) -> Confirmed:
        found = self.places()
        once = frozenset(number for number, place in found.items() if self.by_seeds and not self._trials[number].again and place.settled)
        return Confirmed(found, math.ceil(self._spent), once, math.ceil(sum(self._wanted.values())))

    def front(self) -> list[int]:
        """The designs that stand on it by the run that all have, then those that are like one of them."""
        kept = self._kept()
        if not kept:
            return []
        values = self._once(kept)
        on, same = front(values), alike(values)
        ties = ~on & same[:, on].any(axis=1)
        return [kept[row] for row in (*np.flatnonzero(on), *np.flatnonzero(ties))]

    def near(self, first: Sequence[int]) -> list[int]:
        """Those that chance may have kept off the front, by the run that all designs have, the nearest first."""
        others = [number for number in self._kept() if number not in first]
        if not others or not first:
            return []
        return [others[row] for row in near(self._once(others), self._once(first), spread([self._figures(number) for number in first]))]

    def doubtful(self) -> list[int]:
        """Those whose places are not settled, and their rivals."""
        found = self.places()
        open_ = {number for number, place in found.items() if self._trials[number].again and not place.settled}
        rivals = {place.rival for number, place in found.items() if number in open_ and place.rival is not None}
        return sorted(number for number in open_ | rivals if self._trials[number].again)

    def run(self, numbers: Sequence[int], seeds: int) -> None:
        """Until each has so many seeds, or its parts; where the budget has not enough for all, those first that come first."""
        jobs = [(number, self._runs(self._trials[number], seeds)) for number in numbers]
        jobs = [(number, runs) for number, runs in jobs if runs]
        self._wanted |= {number: self._cost(self._trials[number].again) + self._cost(runs) for number, runs in jobs}
        left = self._plan.budget - self._spent
        if self.by_seeds and jobs and left < sum(len(runs) for _, runs in jobs):
            each = max(LEAST_SEEDS, int(left) // len(jobs))
            jobs = [(number, runs[:each]) for number, runs in jobs]
        chosen: list[tuple[Trial, Simulation]] = []
        for number, runs in jobs:
            if self._cost(chosen) + self._cost(runs) <= left:
                chosen += [(self._trials[number], run) for run in runs]
        if not chosen:
            return
        self._spent += self._cost(chosen)
        made = list(zip(chosen, self._make(chosen)))
        lost = {id(trial) for (trial, _), row in made if row["exit_status"] != 0}
        for (trial, _), row in made:
            if id(trial) not in lost:  # what failed here was good before: the design's place is not settled
                trial.again.append(row)

    def _cost(self, runs: Sequence[object]) -> Fraction:
        """In runs as long as those of the plan."""
        return Fraction(len(runs), 1 if self.by_seeds else PARTS)

    def places(self) -> dict[int, Place]:
        kept = self._kept()
        if not kept:
            return {}
        designs = [self._figures(number) for number in kept]
        again = [row for row, number in enumerate(kept) if self._trials[number].again]
        points = [row for row in np.flatnonzero(front(values_of(designs, self._more_is_better))) if row in again]
        beaten: set[int] = set()
        if self.by_seeds and points:  # of what ran once, only what is far from the front is known to be off it
            others = [row for row in range(len(kept)) if row not in again]
            at = lambda rows: self._once([kept[row] for row in rows])  # noqa: E731
            close = near(at(others), at(points), spread([designs[row] for row in again])) if others else []
            beaten = set(others) - {others[row] for row in close}
        found = places(designs, self._more_is_better, looks=LOOKS if self.by_seeds else 1, compared=len(again) if self.by_seeds else None, beaten=beaten)
        back = lambda row: None if row is None else kept[row]  # noqa: E731
        return {kept[row]: Place(place.on, back(place.point), back(place.rival)) for row, place in enumerate(found)}

    def _kept(self) -> list[int]:
        return [number for number, trial in enumerate(self._trials) if failed(trial) is None and design_row(self._plan, trial)["keeps"]]

    def _figures(self, number: int, once: bool = False) -> list[Measured]:
        """`once`: by the run that all designs have, or, of a recording, by all of it."""
        trial = self._trials[number]
        first = Trial(trial.point, trial.simulation, trial.rows)
        found = [measured(self._plan, first if once and not trial.recorded else trial, name) or measured(self._plan, first, name) for name in self._plan.objectives]
        return [figure for figure in found if figure is not None]

    def _once(self, numbers: Sequence[int]) -> np.ndarray:
        """A row a design, by the run that all designs have."""
        return values_of([self._figures(number, once=True) for number in numbers], self._more_is_better)

    def _runs(self, trial: Trial, seeds: int) -> list[Simulation]:
        """What is missing of a design's evidence."""
        if trial.recorded:
            return _parts(trial) if self._parts and not trial.again else []
        if self._plan.seeds > 1:
            return []
        return [trial.simulation.but(seed=trial.simulation.seed + number) for number in range(1 + len(trial.again), 1 + seeds)]


def _parts(trial: Trial) -> list[Simulation]:
    """The recording in parts, each a run whose caches its own past filled; none of one that is too short, or whose beginning is left out."""
    simulation = trial.simulation
    part = int(trial.rows[0].get("host.requests") or 0) // PARTS
    if part < LEAST or simulation.warmup is not None:
        return []
    past = int(simulation.skip or 0)
    return [simulation.but(skip=past + number * part, limit=part) for number in range(PARTS)]
