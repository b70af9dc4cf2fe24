"""What torture finds on every layer: the table of docs/reliability.md."""

import json
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.marked_section import marked_section, write_marked_section
from tessera.papers.page import number, table
from tessera.simulator import REPOSITORY, SimulatorError, layer_names, run_simulator

PAGE = REPOSITORY / "docs" / "reliability.md"
FOUND = (1, 3)  # statuses of a torture that found something; its rows are whole
HEADER = ("layer", "durability", "faults", "prefilled %", "requests", "operations", "cuts", "of them in recovery", "in a row", "failures")


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


def cells(row: dict, faults: str) -> tuple[str, ...]:
    cuts = row["cuts"]
    return (
        f"`{row['layer']}`", row["durability"], faults or "none", number(row["prefill"], 0), number(row["requests"], 0), number(row["operations"], 0),
        number(sum(cuts.values()), 0), number(sum(cuts.get(stage, 0) for stage in ("start", "recovery", "verification")), 0),
        number(row["in_a_row"], 0), number(row["failures"], 0),
    )  # fmt: skip


def rows_of(page: Path) -> dict[str, list[tuple[str, ...]]]:
    """The table's rows as they are on the page, by layer."""
    rows: dict[str, list[tuple[str, ...]]] = {}
    for line in marked_section(page, "tessera torture").splitlines():
        if line.startswith("| `"):
            words = tuple(word.strip() for word in line.strip("|").split("|"))
            rows.setdefault(words[0].strip("`"), []).append(words)
    return rows


def write_torture(console: Console, effort: Effort, layers: tuple[str, ...] = (), page: Path = PAGE) -> bool:
    """Tortures the layers named, or all, without faults and with torn sectors, each with a seed of its own; prints a line for each run, and
    puts each layer's rows into the table as soon as they are there. Whether nothing was lost."""
    known = layer_names()
    rows, told = {layer: found for layer, found in rows_of(page).items() if layer in known}, []
    for layer in layers or known:
        rows[layer] = []
        for faults in ("", "torn"):
            for row in tortured(layer, Effort(effort.operations, effort.cuts, effort.seed + known.index(layer)), faults):
                rows[layer].append(cells(row, faults))
                told += [failure["again"] for failure in row["told"]]
                console.print("  ".join(rows[layer][-1]), highlight=False)
        write_marked_section(page, "tessera torture", section(effort, [row for layer in known for row in rows.get(layer, ())]))
    for again in told:
        console.print(again, highlight=False, soft_wrap=True)
    console.print(f"{page}: written")
    return not told


def section(effort: Effort, rows: list[tuple[str, ...]]) -> str:
    cuts = sum(int(row[HEADER.index("cuts")].replace(",", "")) for row in rows)
    return (
        f"{cuts:,} cuts. Made by `tessera torture [LAYER...] --operations {effort.operations} --cuts {effort.cuts} --seed {effort.seed}`, layer by layer: the "
        "seed of each is one more\nthan that of the one before it in the list of layers.\n\n" + table(HEADER, rows)
    )
