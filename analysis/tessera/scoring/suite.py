"""A suite: the runs that a score is made of, as a file of the package that never changes. Its name ends in its version."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from tessera.errors import unknown_name
from tessera.scoring.measures import Measure

NEWEST = "score-1"
POWER_CUT, CANARY = "power cut", "canary"


@dataclass(frozen=True)
class Cell:
    """One input on the drive, so many percent full."""

    name: str
    options: Mapping[str, Any]
    """Of its runs."""


@dataclass(frozen=True)
class Suite:
    name: str
    drive: str
    warm_up: int
    """One request in so many is left out of latencies and throughput."""
    seeds: tuple[int, ...]
    yardstick: str
    least_above: int
    torture: tuple[str, ...]
    settings: Mapping[str, Any]
    inputs: tuple[Cell, ...]
    power_cut: Cell
    canary: Cell

    def cells_of(self, measure: Measure) -> list[str]:
        """The cells of which a figure is."""
        if measure.once:
            return [self.power_cut.name]
        share = (1 - 1 / self.warm_up) * (1 - measure.fraction)
        return [cell.name for cell in self.inputs if not measure.fraction or cell.options["limit"] * share >= self.least_above]

    def plan_table(self, layers: Iterable[str], canaries: Iterable[str], libraries: Sequence[str] = ()) -> dict[str, Any]:
        """The sweep of these layers, and the canary of those; `libraries`: files with layers."""
        run = {"drive": self.drive, "set": dict(self.settings)} | ({"firmware": list(libraries)} if libraries else {})
        points = [{"layer": layer, **cell.options} for layer in layers for cell in (*self.inputs, self.power_cut)]
        points += [{"layer": layer, **self.canary.options} for layer in canaries]
        return {"title": self.name, "run": run, "points": points, "axes": {"seed": list(self.seeds)}}

    def cell_at(self, point: Mapping[str, Any]) -> str:
        """The name of the cell of a point of that plan."""
        cells = (*self.inputs, self.power_cut, self.canary)
        return next(cell.name for cell in cells if all(point.get(name) == cell.options.get(name) for name in {*point, *cell.options} - {"layer", "seed"}))


def suites() -> list[str]:
    """The versions that this package has."""
    return sorted(file.name.removesuffix(".toml") for file in resources.files(__package__).iterdir() if file.name.endswith(".toml"))


@cache
def suite_named(name: str = NEWEST) -> Suite:
    """Raises InputError for a version that there is not."""
    if name not in suites():
        raise unknown_name("suite", name, suites())
    read = tomllib.loads((resources.files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))

    def cell(name: str, table: Mapping[str, Any], fill: int) -> Cell:
        return Cell(name, {**{option: value for option, value in table.items() if option != "fills"}, "prefill": fill, "fold_at": f"{read['fold_gib'] * fill // 100} GiB"})

    inputs = [cell(f"{table['workload'].rpartition('/')[2]}, {fill} % full", table, fill) for table in read["inputs"] for fill in table["fills"]]
    return Suite(
        name, read["drive"], read["warm_up"], tuple(read["seeds"]), read["yardstick"], read["least_above"], tuple(read["torture"]), read["set"],
        tuple(inputs), cell(POWER_CUT, read["recovery"], 100), cell(CANARY, read["canary"], 100),
    )  # fmt: skip
