"""What torture finds on every layer: docs/data/torture.csv, and its sums on docs/reliability.md."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import REPOSITORY, SimulatorError, layer_names, run_simulator
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section

PAGE = REPOSITORY / "docs" / "reliability.md"
DATA = REPOSITORY / "docs" / "data" / "torture.csv"
FOUND = (1, 3)  # statuses of a torture that found something; its rows are whole
HEADER = ("layer", "durability", "faults", "prefilled_percent", "requests", "operations", "cuts", "cuts_in_recovery", "cuts_in_a_row", "failures")
SUMS = HEADER[4:]


@dataclass(frozen=True)
class Effort:
    operations: int
    cuts: int
    seed: int

    def options(self) -> tuple[str | int, ...]:
        return "--operations", self.operations, "--cuts", self.cuts, "--seed", self.seed


def tortured(layer: str, effort: Effort, faults: str) -> list[dict]:
    """The rows of `tessera-sim torture` for one layer, a row for each durability. Raises SimulatorError where it cannot run."""
    command = ["torture", "torture", "--layer", layer, *map(str, effort.options()), "--json"]
    if faults:
        command += ["--faults", faults]
    try:
        return json.loads(run_simulator(command))
    except SimulatorError as error:
        if error.status not in FOUND:
            raise
        return json.loads(error.output)


def figures(row: dict, faults: str) -> tuple[str, ...]:
    cuts = row["cuts"]
    numbers = (
        row["prefill"], row["requests"], row["operations"], sum(cuts.values()),
        sum(cuts.get(stage, 0) for stage in ("start", "recovery", "verification")), row["in_a_row"], row["failures"],
    )  # fmt: skip
    return row["layer"], row["durability"], faults or "none", *map(str, numbers)


def rows_of(data: Path) -> dict[str, list[tuple[str, ...]]]:
    """The rows on record, by layer."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    if data.exists():
        with data.open(newline="", encoding="utf-8") as file:
            for row in list(csv.reader(file))[1:]:
                rows.setdefault(row[0], []).append(tuple(row))
    return rows


def write_torture(console: Console, effort: Effort, layers: tuple[str, ...] = (), page: Path = PAGE, data: Path = DATA) -> bool:
    """Tortures the layers named, or all, without faults and with torn sectors, each with a seed of its own; prints a line for each run, and
    puts each layer's rows into the table as soon as they are there. Whether nothing was lost."""
    known = layer_names()
    rows, told = {layer: found for layer, found in rows_of(data).items() if layer in known}, []
    for layer in layers or known:
        rows[layer] = []
        for faults in ("", "torn"):
            for row in tortured(layer, Effort(effort.operations, effort.cuts, effort.seed + known.index(layer)), faults):
                rows[layer].append(figures(row, faults))
                told += [failure["again"] for failure in row["told"]]
                console.print("  ".join(rows[layer][-1]), highlight=False)
        there = [row for layer in known for row in rows.get(layer, ())]
        write_rows(data, there)
        write_marked_section(page, "./dev reliability", section(effort, there))
    for again in told:
        console.print(again, highlight=False, soft_wrap=True)
    console.print(f"{page}: written")
    return not told


def write_rows(data: Path, rows: list[tuple[str, ...]]) -> None:
    with data.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows((HEADER, *rows))


def section(effort: Effort, rows: list[tuple[str, ...]]) -> str:
    """The sums by durability and faults."""
    kinds = sorted({row[1:3] for row in rows})
    sums = []
    for kind in kinds:
        of = [row for row in rows if row[1:3] == kind]
        columns = [sum(int(row[HEADER.index(name)]) for row in of) for name in SUMS]
        sums.append((kind[0], kind[1], str(len({row[0] for row in of})), *(number(value, 0) for value in columns)))
    cuts = sum(int(row[HEADER.index("cuts")]) for row in rows)
    return (
        f"{cuts:,} cuts, {sum(int(row[-1]) for row in rows)} failures. Each layer's row is in [torture.csv](data/torture.csv). Made by "
        f"`./dev reliability [LAYER...] --operations {effort.operations} --cuts {effort.cuts} --seed {effort.seed}`, layer by layer:\n"
        "the seed of each is one more than that of the layer before it in the list.\n\n"
        + table(("durability", "faults", "layers", *(name.replace("_", " ") for name in SUMS)), sums)
    )
