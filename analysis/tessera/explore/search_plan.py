"""The file of a search: what may vary, what is to be small or large, what must hold, and what things cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tessera.errors import InputError, unknown_name
from tessera.evidence.family import PERCENT
from tessera.explore.axes import axes_of, read_range, values
from tessera.explore.cluster import check_cluster
from tessera.explore.constraints import Constraint, constraints_of
from tessera.explore.margin import percent_of
from tessera.explore.plan import branches_of, check_axes, libraries_of, values_given
from tessera.explore.prices import prices_of
from tessera.explore.toml_file import check_shapes, flat, read_toml, run_options
from tessera.results.steadiness import Until

COST = "cost"
COST_PER_TB = "cost_per_user_tb"  # the cost over the terabytes that the user gets
SECTIONS: Mapping[str, Any] = {
    "title": str, "run": Mapping, "axes": Mapping, "objectives": Mapping, "cost": Mapping, "constraints": Mapping, "branch": list,
    "search": Mapping, "until": str, "cluster": Mapping,
}  # fmt: skip
DIRECTIONS = ("minimise", "maximise")
TRIALS, BATCH = 60, 8
KEYS = ("trials", "batch", "seed", "seeds", "confirm", "margin")


@dataclass(frozen=True)
class SearchPlan:
    title: str
    run: Mapping[str, Any]
    axes: Mapping[str, Any]
    objectives: Mapping[str, str]
    """Metric, or `cost` -> minimise or maximise."""
    cost: Mapping[str, Any] = field(default_factory=dict)
    constraints: tuple[Constraint, ...] = ()
    branches: tuple[Mapping[str, Any], ...] = ()
    """Axes of those designs alone that a `where` names."""
    seeds: int = 1
    """Runs of each design; its figures are their means. With one, what may be on the front runs again with other seeds."""
    confirm: int | None = None
    """Runs that may be spent on that; as many as `trials`, where not given."""
    trials: int = TRIALS
    batch: int = BATCH
    """Runs that are chosen together: the search knows the results of the ones before."""
    seed: int = 1
    """Of the sampler."""
    margin: float = PERCENT
    """Within how many percent figures are equal in practice."""
    until: str | None = None
    cluster: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()

    @property
    def budget(self) -> int:
        """Runs that may be spent on confirming the front."""
        return self.trials if self.confirm is None else self.confirm

    def axis_names(self) -> list[str]:
        return list(dict.fromkeys([*self.axes, *(name for branch in self.branches for name in branch["axes"])]))

    def libraries(self) -> tuple[str, ...]:
        """Every shared library that a run may load."""
        return libraries_of(self.run, [self.axes], self.folder)


def read_search(file: str | Path) -> SearchPlan:
    """Reads the file of a search. Raises InputError with file and reason."""
    return read_toml(file, search_plan_of)


def search_plan_of(table: Mapping[str, Any], folder: Path = Path()) -> SearchPlan:
    for name in table:
        if name not in SECTIONS:
            raise unknown_name("section of a search", name, SECTIONS)
    check_shapes(table, SECTIONS)
    run = run_options(table)
    axes, objectives = axes_of(table.get("axes", {})), flat(table.get("objectives", {}))
    if not axes:
        raise InputError("the search is empty: it has no axis; give it [axes]")
    libraries = libraries_of(run, [axes], folder)
    check_axes(axes, libraries, values_given("layer", run, [axes]))
    for name, given in axes.items():
        _ = read_range(name, given) if isinstance(given, Mapping) else values(name, given)
    if not objectives:
        raise InputError('a search has [objectives], such as "host.latency.p99" = "minimise"')
    for direction in objectives.values():
        if direction not in DIRECTIONS:
            raise unknown_name("direction of an objective", str(direction), DIRECTIONS)
    check_cluster(table.get("cluster", {}))
    options = dict(table.get("search", {}))
    for name, value in options.items():
        if name not in KEYS:
            raise unknown_name("key of [search]", name, KEYS)
        if name == "margin":
            options[name] = percent_of(value, "search: margin")
            continue
        least = 0 if name == "confirm" else 1
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise InputError(f"search: {name}: expected a whole number of at least {least}, found {value!r}")
    if options.get("seeds", 1) > 1 and run.get("trace"):
        raise InputError(f"search: seeds: expected 1 with a recorded trace, found {options['seeds']}: seeds move the spindle only; intervals come from blocks of the recording")
    if "until" in table:
        Until.parse(table["until"])
    constraints = constraints_of(flat(table.get("constraints", {})))
    for name in (*objectives, *(each.metric for each in constraints)):
        if name in (COST, COST_PER_TB) and not table.get("cost"):
            raise InputError(f"the objective '{name}' needs a table [cost]")
    branches = branches_of(table.get("branch", []))
    check_axes((name for branch in branches for name in branch["axes"]), libraries)
    for branch in branches:
        for name in branch["where"]:
            if name not in axes:
                raise unknown_name("axis of this search", name, axes)
        for name, given in branch["axes"].items():
            _ = read_range(name, given) if isinstance(given, Mapping) else values(name, given)
    return SearchPlan(
        title=table.get("title", ""), run=run, axes=axes, objectives=objectives, cost=prices_of(table.get("cost", {})), constraints=constraints, branches=branches, until=table.get("until"),
        cluster=dict(table.get("cluster", {})), folder=folder, **options,
    )  # fmt: skip
