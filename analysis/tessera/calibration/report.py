"""What was measured and found: tables for people, calibration.json for programs, costs.toml for drives."""

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tessera.calibration.fit import Fit, by_layer
from tessera.calibration.measurement import Measurement
from tessera.engine.output_file import write
from tessera.results.markdown import number, percent, table

AIM = 0.15  # a layer's largest residual

_PRODUCER = re.compile(rb"GNU C\+\+\d+ (\d+\.\d+\.\d+)[^\0]* -march=(\w+)[^\0]* (-O\w+)")


@dataclass(frozen=True)
class Page:
    """A table under its title."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        return f"**{self.title}**\n\n" + table(self.header, self.rows)

    def show(self, console: Console) -> None:
        shown = Table(title=self.title, title_justify="left")
        for index, column in enumerate(self.header):
            shown.add_column(column, justify="right" if index else "left")
        for row in self.rows:
            shown.add_row(*(cell.replace("`", "") for cell in row))
        console.print(shown)


def compiled(image: Path) -> str:
    """Compiler, optimisation and instruction set, as the image's debug information says of its first file."""
    found = _PRODUCER.search(image.read_bytes())
    return f"GCC {found[1].decode()}, {found[3].decode()}, {found[2].decode()}" if found else "compiler unknown"


def layers_page(measurements: Sequence[Measurement], found: Fit, of: str = "of the fit") -> Page:
    """A layer's figures are of the sum of its runs; `of`: what the residuals are of."""
    rows = []
    for layer, runs in by_layer(measurements).items():
        requests, cycles = sum(one.requests for one in runs), sum(one.cycles for one in runs)
        estimated, instructions = sum(one.table_cycles for one in runs), sum(one.instructions for one in runs)
        residuals = [found.residual([one]) for one in runs]
        rows.append((
            f"`{layer}`", number(estimated / requests, 0), number(cycles / requests, 0), number(cycles / estimated, 1),
            number(instructions / requests, 0), number(cycles / instructions, 2), percent(found.residual(runs), 0),
            percent(max(residuals, key=abs), 0),
        ))  # fmt: skip
    header = ("layer", "cycles a request, estimates", "image", "ratio", "instructions a request", "CPI", f"residual {of}", "of its worst workload")
    return Page("Cycles of the images", header, rows)


def costs_page(before: Mapping[str, int], found: Fit) -> Page:
    together = {name: group for group in found.together for name in group}
    remarks = {name: "in what comes with it" for name in before if found.costs[name] == 0}
    remarks |= {name: "performed nowhere, kept" for name in found.never}
    for name, group in together.items():
        divided = f"as many as {', '.join(other for other in group if other != name)}: their sum is divided as before"
        remarks[name] = f"{remarks[name]}; {divided}" if name in remarks else divided
    rows = [(f"`{name}`", str(cost), str(found.costs[name]), remarks.get(name, "")) for name, cost in before.items()]
    return Page("Costs of operations, core cycles", ("operation", "estimate", "measured", "remark"), rows)


def verdict(measurements: Sequence[Measurement], found: Fit) -> str:
    """Which layers the costs explain, and which they do not."""
    residuals = {layer: found.residual(runs) for layer, runs in by_layer(measurements).items()}
    missed = {layer: residual for layer, residual in residuals.items() if abs(residual) > AIM}
    text = f"{len(residuals) - len(missed)} of {len(residuals)} layers are within {100 * AIM:.0f} % of their image."
    for layer, residual in sorted(missed.items(), key=lambda item: -abs(item[1])):
        text += f" {layer}: {percent(residual, 0)}."
    if missed:
        text += " Too little (-): its code does what no operation counts. Too much (+): less of that comes with its operations than elsewhere."
    return text


def write_costs(path: Path, found: Fit, drive: str, compiler: str, runs: int) -> None:
    """A description of `drive` with the costs found."""
    lines = [
        f'extends = "{drive}"', f'summary = "{drive} with the costs of operations that its firmware images took"', "", "[controller.costs]",
        f"# measured: {compiler}, {runs} runs",
        *(f"{name} = {cost}" for name, cost in found.costs.items()),
    ]  # fmt: skip
    write(path, "\n".join(lines) + "\n")


def write_measured_costs(path: Path, record: Path) -> None:
    """The costs of a record (write_record) as the list that linked firmware is priced by, over the list that is there."""
    costs = json.loads(record.read_text(encoding="utf-8"))["costs"]["measured"]
    opening = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("//")]
    write(path, "\n".join([*opening, *(f"MEASURED_COST({name}, {cost})" for name, cost in costs.items())]) + "\n")


def write_record(path: Path, measurements: Sequence[Measurement], before: Mapping[str, int], found: Fit) -> None:
    """Everything, every digit."""
    record = {
        "costs": {"before": dict(before), "measured": dict(found.costs), "never": found.never, "together": found.together},
        "residuals": {layer: found.residual(runs) for layer, runs in by_layer(measurements).items()},
        "measurements": [dataclasses.asdict(one) | {"fit_cycles": found.cycles(one)} for one in measurements],
    }
    write(path, json.dumps(record, indent=1) + "\n")
