"""The row of a design of a search: means over its seeds, cost, marks and constraints."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tessera.engine.simulation import Simulation
from tessera.errors import unknown_name
from tessera.evidence.intervals import of_mean
from tessera.evidence.marks import marks_of
from tessera.explore.axes import Point
from tessera.explore.constraints import value_of
from tessera.explore.plan import simulation_at
from tessera.explore.prices import cost_of
from tessera.explore.search_plan import COST, COST_PER_TB, SearchPlan

EXCESS = "excess"  # of a design over each constraint


def replicates(plan: SearchPlan, point: Point) -> list[Simulation]:
    """The runs of a design: one for each seed, from the plan's own on."""
    simulation = simulation_at(plan.run, point, plan.folder)
    return [simulation.but(seed=simulation.seed + number) for number in range(plan.seeds)]


def design_row(plan: SearchPlan, simulation: Simulation, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The row of a design: of the first run, with means over seeds, half widths, cost, marks and constraints. Of a run that failed, that one's."""
    bad = next((row for row in rows if row["exit_status"] != 0), None)
    if bad is not None:
        return dict(bad)
    row = dict(rows[0])
    wanted = [*plan.objectives, *(each.metric for each in plan.constraints)]
    for name in wanted:
        found = [value_of(each, name) for each in rows]
        if name in row and None not in found:
            row[name] = float(np.mean(found))
        row[f"{name}.half_width"] = of_mean(np.array(found)).half_width if len(rows) > 1 and name in row and None not in found else 0.0
    if plan.cost:
        row[COST] = cost_of(plan.cost, simulation, row)
        capacity = row.get("capacity.user")
        row[COST_PER_TB] = row[COST] / (capacity / 1e12) if row[COST] is not None and capacity else None
    row["marks"] = "; ".join(dict.fromkeys(mark for each in rows for mark in marks_of(each)))
    known = [objective_of(row, each.metric) for each in plan.constraints]
    row[EXCESS] = [each.excess(value) if value is not None else 1.0 for each, value in zip(plan.constraints, known)]
    row["keeps"] = all(excess <= 0 for excess in row[EXCESS])
    return row


def nearest_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """The command of the design that is least beyond its constraints."""
    return str(min(rows, key=lambda row: max(row[EXCESS]))["command"])


def objective_of(row: Mapping[str, Any], name: str) -> float | None:
    if name not in row:
        raise unknown_name("objective", name, (COST, COST_PER_TB, *(key for key in row if "." in key)))
    return row[name]
