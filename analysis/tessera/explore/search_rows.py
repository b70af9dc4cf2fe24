"""The row of a design of a search: means over its runs, half their intervals, cost, marks and constraints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tessera.engine.simulation import Simulation
from tessera.errors import unknown_name
from tessera.evidence.blocks import BLOCKS, pseudo_values
from tessera.evidence.marks import marks_of
from tessera.evidence.ratios import Measured
from tessera.explore.axes import Point
from tessera.explore.constraints import value_of
from tessera.explore.plan import simulation_at
from tessera.explore.prices import cost_of
from tessera.explore.search_plan import COST, COST_PER_TB, SearchPlan

EXCESS = "excess"  # of a design over each constraint
Row = Mapping[str, Any]


@dataclass
class Trial:
    """A design that a search tried."""

    point: Point
    simulation: Simulation
    """Its first run."""
    rows: Sequence[Row]
    """Of the runs by which it was chosen, or not."""
    again: list[Row] = field(default_factory=list)
    """Of runs with other seeds, which the choice did not see; of a recorded trace, of runs of its parts."""

    @property
    def recorded(self) -> bool:
        """Seeds then move the spindle only: replicates are stretches of the recording."""
        return bool(self.rows[0].get("recorded"))

    @property
    def evidence(self) -> Sequence[Row]:
        """The rows that its figures are means of."""
        return self.again if self.again and not self.recorded else self.rows


def replicates(plan: SearchPlan, point: Point) -> list[Simulation]:
    """The runs of a design: one for each seed, from the plan's own on."""
    simulation = simulation_at(plan.run, point, plan.folder)
    return [simulation.but(seed=simulation.seed + number) for number in range(plan.seeds)]


def failed(trial: Trial) -> dict[str, Any] | None:
    """The row of a run that failed."""
    bad = next((row for row in (*trial.rows, *trial.again) if row["exit_status"] != 0), None)
    return None if bad is None else dict(bad)


def measured(plan: SearchPlan, trial: Trial, name: str) -> Measured | None:
    """A figure of a design by replicate, of those runs that have it; None where none does."""
    values = [_value(plan, trial, row, name) for row in trial.evidence]
    if not trial.recorded:
        known = {int(row["seed"]): value for row, value in zip(trial.evidence, values) if value is not None}
        return Measured(known) if known else None
    whole = values[0]
    if whole is None:
        return None
    if name in (COST, COST_PER_TB):
        return Measured(dict.fromkeys(range(1, BLOCKS + 1), whole), whole=whole)
    row = trial.rows[0]
    if row.get(f"{name}.of_all") is not None:
        return Measured(pseudo_values(row[f"{name}.of_all"], [row[f"{name}.without.{block}"] for block in range(1, BLOCKS + 1)]), whole=whole)
    parts = [value_of(row, name) for row in trial.again]
    return Measured({} if None in parts else dict(enumerate(parts, 1)), whole=whole, of_parts=True)


def _value(plan: SearchPlan, trial: Trial, row: Row, name: str) -> float | None:
    if name not in (COST, COST_PER_TB) or not plan.cost:
        return value_of(row, name)
    cost = cost_of(plan.cost, trial.simulation, row)
    if name == COST or cost is None:
        return cost
    capacity = row.get("capacity.user")
    return cost / (capacity / 1e12) if capacity else None


def design_row(plan: SearchPlan, trial: Trial) -> dict[str, Any]:
    """The row of a design: of the first run, with means over those that count, half widths, cost, marks and constraints. Of a run that failed,
    that one's."""
    if (bad := failed(trial)) is not None:
        return bad
    row = dict(trial.rows[0])
    costs = (COST, COST_PER_TB) if plan.cost else ()
    wanted = [*plan.objectives, *(each.metric for each in plan.constraints)]
    for name in dict.fromkeys([*wanted, *costs]):
        found = measured(plan, trial, name)
        if found is not None:
            estimate, bounds = found.estimate(), found.bounds()
            row[name], row[f"{name}.half_width"] = found.mean, estimate.half_width if estimate else None
            row[f"{name}.low_95"], row[f"{name}.high_95"] = bounds or (None, None)
        elif name in costs:
            row[name] = None
    row["runs"] = len(trial.evidence)
    row["marks"] = "; ".join(dict.fromkeys(mark for each in trial.evidence for mark in marks_of(each, wanted)))
    known = [row.get(each.metric) for each in plan.constraints]
    row[EXCESS] = [each.excess(value) if value is not None else 1.0 for each, value in zip(plan.constraints, known)]
    row["keeps"] = all(excess <= 0 for excess in row[EXCESS])
    return row


def nearest_of(rows: Sequence[Row]) -> str:
    """The command of the design that is least beyond its constraints."""
    return str(min(rows, key=lambda row: max(row[EXCESS]))["command"])


def check_objectives(objectives: Iterable[str], rows: Iterable[Row]) -> None:
    """Raises InputError for an objective that no run has; of one that only other layers have, a design fails."""
    good = [row for row in rows if row["exit_status"] == 0]
    for name in objectives if good else ():
        if name not in (COST, COST_PER_TB) and not any(name in row for row in good):
            raise unknown_name("objective", name, (COST, COST_PER_TB, *dict.fromkeys(key for row in good for key in row if "." in key)))
