"""The file of a sweep: which runs it is made of."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tessera.engine.libraries import check_layer, fitted, parameters
from tessera.engine.simulation import NUMBERS, Simulation
from tessera.errors import InputError, unknown_name
from tessera.evidence.blocks import THROUGHPUT
from tessera.evidence.family import PERCENT
from tessera.explore.axes import MOST_STEPS, Point, Value, axes_of, grid, grid_size, latin_hypercube, matches, values, zipped
from tessera.explore.cluster import check_cluster
from tessera.explore.margin import percent_of
from tessera.explore.toml_file import check_shapes, read_toml, run_options
from tessera.explore.warm import check_warm, split
from tessera.results.percentiles import fraction_of
from tessera.results.steadiness import Until

SECTIONS: Mapping[str, Any] = {
    "title": str, "run": Mapping, "warm": Mapping, "axes": Mapping, "zip": list, "points": list, "latin": Mapping, "branch": list, "skip": list,
    "until": str, "blocks": str, "margin": int | float, "keep": bool, "cluster": Mapping,
}  # fmt: skip
SAMPLE = "sample"  # the trace that comes with the program, which is no file of the user's
LATENCIES = ("host.latency", "host.read.latency", "host.write.latency")
MANY_RUNS = 100_000  # more are refused until they are asked for
OPTIONS = tuple(item.name for item in dataclasses.fields(Simulation) if item.name not in ("settings", "more", "requests", "events", "save_state"))


@dataclass(frozen=True)
class PlannedRun:
    point: Point
    """Its place on the axes."""
    simulation: Simulation
    warm: Simulation | None = None
    """The run that makes the drive's state with which this one begins."""


@dataclass(frozen=True)
class Plan:
    """A sweep's runs, and how they are made."""

    title: str
    run: Mapping[str, Any]
    warm: Mapping[str, Any] | None = None
    """Options of the run that warms the drive of each run; runs that differ only after it share what it made."""
    axes: Mapping[str, Any] = field(default_factory=dict)
    """The grid: every combination of these."""
    zips: tuple[Mapping[str, Any], ...] = ()
    """Groups of axes that go side by side; each group is one more axis of the grid."""
    points: tuple[Point, ...] = ()
    """Listed combinations; one more axis of the grid."""
    latin: Mapping[str, Any] | None = None
    branches: tuple[Mapping[str, Any], ...] = ()
    """Axes of those combinations alone that a `where` names."""
    skips: tuple[Mapping[str, Any], ...] = ()
    until: str | None = None
    blocks: str | None = None
    """A metric of latency, or the throughput: each row has it without each block of the run (tessera.evidence.blocks)."""
    margin: float = PERCENT
    """Within how many percent reports take figures for equal."""
    keep: bool = False
    """Whether the run folders are kept."""
    cluster: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    """Of the file: traces, workloads and drives are named from there."""

    def size(self) -> int:
        """An upper bound of the number of runs, known without making them."""
        count = grid_size(self.axes) * max(1, len(self.points))
        for axes in self.zips:
            count *= len(zipped(axes))
        if self.latin is not None:
            count *= self.latin["samples"]
        for branch in self.branches:
            count *= max(1, grid_size(branch["axes"]))
        return count

    def has_more_than(self, runs: int) -> bool:
        """Whether it takes more runs than this; counts no further."""
        return self.size() > runs and next(itertools.islice(self.points_of(), runs, None), None) is not None

    def points_of(self) -> Iterator[Point]:
        """Every combination that the sweep takes."""
        groups: list[list[Point]] = [zipped(axes) for axes in self.zips]
        if self.points:
            groups.append(list(self.points))
        if self.latin is not None:
            groups.append(latin_hypercube(self.latin["axes"], self.latin["samples"], self.latin.get("seed", 1)))
        for combination in grid(self.axes):
            for point in _with_groups(combination, groups):
                for whole in _with_branches(point, self.branches):
                    if not any(matches(whole, where) for where in self.skips):
                        yield whole

    def runs(self) -> Iterator[PlannedRun]:
        """Raises InputError where there is none, or an axis names nothing."""
        check_axes(self.axis_names(), self.libraries())
        empty = True
        for point in self.points_of():
            empty = False
            simulation = simulation_at(self.run, point, self.folder)
            if self.warm is None:
                yield PlannedRun(point, simulation)
            else:
                yield PlannedRun(point, *split(simulation, self.warm, self.folder))
        if empty:
            raise InputError("the sweep is empty: no combination of its axes is left")

    def axis_names(self) -> list[str]:
        names = [*self.axes, *(name for axes in self.zips for name in axes), *(name for point in self.points for name in point)]
        names += [*(self.latin["axes"] if self.latin else ()), *(name for branch in self.branches for name in branch["axes"])]
        return list(dict.fromkeys(names))

    def libraries(self) -> tuple[str, ...]:
        """Every shared library that a run may load."""
        return libraries_of(self.run, self.all_axes(), self.folder)

    def all_axes(self) -> list[Mapping[str, Any]]:
        return [self.axes, *self.zips, *self.points, self.latin["axes"] if self.latin else {}, *(branch["axes"] for branch in self.branches)]


def _with_groups(point: Point, groups: list[list[Point]]) -> Iterator[Point]:
    if not groups:
        yield point
        return
    for chosen in groups[0]:
        yield from _with_groups({**point, **chosen}, groups[1:])


def _with_branches(point: Point, branches: tuple[Mapping[str, Any], ...]) -> Iterator[Point]:
    if not branches:
        yield point
        return
    here, rest = branches[0], branches[1:]
    if matches(point, here["where"]):
        for chosen in grid(here["axes"]):
            yield from _with_branches({**point, **chosen}, rest)
    else:
        yield from _with_branches(point, rest)


def kinds_of(axes: Iterable[str], libraries: Sequence[str]) -> dict[str, bool]:
    """Whether each axis is of numbers, by what it is declared to be: a column of results has its type whatever its values."""
    declared = parameters(libraries)
    return {name: name in NUMBERS if name in OPTIONS else declared.get(name) in ("number", "whole number") for name in axes}


def check_axes(names: Iterable[str], libraries: Sequence[str], layers: Iterable[Value] = ()) -> None:
    """Raises InputError for an axis that is neither an option of a run nor a parameter of a drive or of a library's layer. Of layers that there are
    not each run says it, but where they are the user's own."""
    known = (*OPTIONS, *parameters(libraries))
    for name in names:
        if name not in known:
            raise unknown_name("axis", name, known)
    for layer in layers if libraries else ():
        check_layer(str(layer), libraries)


def values_given(option: str, run: Mapping[str, Any], axes: Iterable[Mapping[str, Any]]) -> list[Value]:
    """Every value of an option of runs, in [run] and on axes."""
    return [value for table in (run, *axes) if option in table for value in values(option, list(table[option]) if isinstance(table[option], tuple) else table[option])]


def libraries_of(run: Mapping[str, Any], axes: Iterable[Mapping[str, Any]], folder: Path) -> tuple[str, ...]:
    """The shared libraries that [run] or an axis names, from `folder`."""
    return tuple(dict.fromkeys(str((folder / str(library)).resolve()) for library in values_given("firmware", run, axes)))


def simulation_at(run: Mapping[str, Any], point: Point, folder: Path) -> Simulation:
    """The run at a point: its options and settings over those that all runs share, and the library that has its layer; files are named from
    `folder`."""
    fields = dict(run)
    fields["settings"] = dict(run.get("settings", {}))
    for name, value in point.items():
        if name in OPTIONS:
            fields[name] = value
            if name in ("trace", "workload"):
                fields.pop("workload" if name == "trace" else "trace", None)
        else:
            fields["settings"][name] = value
    for name in ("trace", "workload", "drive", "load_state", "elf"):
        named = fields.get(name)
        if name == "trace" and named == SAMPLE and not (folder / named).exists():
            continue
        if isinstance(named, str) and (name in ("trace", "load_state", "elf") or named.endswith(".toml")):
            fields[name] = str((folder / named).resolve())
    return fitted(Simulation.of({**fields, "firmware": libraries_of(fields, (), folder)}))


def branches_of(tables: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """The sections [[branch]] of a sweep or a search, axes by their paths."""
    branches = []
    for branch in tables:
        if not (isinstance(branch.get("where"), Mapping) and isinstance(branch.get("axes"), Mapping) and branch["where"] and branch["axes"]):
            raise InputError("branch: expected where = { AXIS = VALUE } and axes = { AXIS = [...] }")
        branches.append({**branch, "where": axes_of(branch["where"]), "axes": axes_of(branch["axes"])})
    return tuple(branches)


def plan_of(table: Mapping[str, Any], folder: Path = Path()) -> Plan:
    """From the tables of a file. Raises InputError."""
    for name in table:
        if name not in SECTIONS:
            raise unknown_name("section of a sweep", name, SECTIONS)
    check_shapes(table, SECTIONS)
    run = run_options(table)
    Simulation.of({"workload": "any", **{name: value for name, value in run.items() if name not in ("trace", "workload")}})
    latin = table.get("latin")
    if latin is not None:
        samples, axes = latin.get("samples"), latin.get("axes")
        if type(samples) is not int or not 0 < samples <= MOST_STEPS or not isinstance(axes, Mapping) or not axes:
            raise InputError(f"latin: expected samples = N, up to {MOST_STEPS:,}, and [latin.axes] with at least one axis")
        latin = {**latin, "axes": axes_of(axes)}
    branches = branches_of(table.get("branch", []))
    if "until" in table:
        Until.parse(table["until"])
    if "blocks" in table:
        of, _, statistic = table["blocks"].rpartition(".")
        known = table["blocks"] == THROUGHPUT or (of in LATENCIES and (statistic in ("mean", "max") or fraction_of(statistic) is not None))
        if not known or "until" in table:
            raise InputError(f"blocks: expected a metric of latency such as host.latency.p99, or {THROUGHPUT}, and no until; found '{table['blocks']}'")
    check_cluster(table.get("cluster", {}))
    plan = Plan(
        title=table.get("title", ""), run=run, warm=table.get("warm"), axes=axes_of(table.get("axes", {})), zips=tuple(map(axes_of, table.get("zip", []))),
        points=tuple(map(axes_of, table.get("points", []))), latin=latin, branches=branches, skips=tuple(map(axes_of, table.get("skip", []))),
        until=table.get("until"), blocks=table.get("blocks"), margin=percent_of(table.get("margin", PERCENT), "margin"), keep=bool(table.get("keep", False)),
        cluster=dict(table.get("cluster", {})), folder=folder,
    )  # fmt: skip
    if "save_state" in run:
        raise InputError("run: save_state keeps one state for all runs; [warm] keeps as many as there are drives")
    if plan.warm is not None:
        check_warm(plan.warm, run, plan.axis_names())
    names = plan.axis_names()
    if not names:
        raise InputError("the sweep is empty: it has no axis; give it [axes], [[zip]], [[points]] or [latin]")
    check_axes(names, plan.libraries(), values_given("layer", plan.run, plan.all_axes()))
    for name in itertools.chain(*plan.skips, *(branch["where"] for branch in plan.branches)):
        if name not in names:
            raise unknown_name("axis of this sweep", name, names)
    return plan


def read_plan(file: str | Path) -> Plan:
    """Reads the file of a sweep. Raises InputError with file and reason."""
    return read_toml(file, plan_of)
