"""What a score measures, and the figures of layers: of runs that were just made, or of the file that ships with a suite."""

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from tessera.evidence.marks import NOT_YET, TOO_SHORT, UNRANKED, marks_of

if TYPE_CHECKING:
    from tessera.scoring.suite import Suite

_CLEANED = (TOO_SHORT, NOT_YET)


@dataclass(frozen=True)
class Measure:
    title: str
    metric: str
    marks: tuple[str, ...] = ()
    """That keep a run's figure from being ranked."""
    more_is_better: bool = False
    fraction: float = 0.0
    """Of a percentile."""
    once: bool = False
    """It is of the run with the power cut alone: nothing that an input changes."""
    unit: str = ""
    """Of a figure that is shown as it is."""


MEASURES = (
    Measure("mean latency", "host.latency.mean", UNRANKED), Measure("p99 latency", "host.latency.p99", UNRANKED, fraction=0.99),
    Measure("p99.9 latency", "host.latency.p999", UNRANKED, fraction=0.999), Measure("longest latency", "host.latency.max", UNRANKED),
    Measure("throughput", "host.throughput", _CLEANED, more_is_better=True), Measure("write amplification", "write_amplification.total", _CLEANED),
    Measure("energy", "energy.total", _CLEANED), Measure("capacity", "capacity.gain_vs_cmr", more_is_better=True, once=True),
    Measure("tables in DRAM", "metadata.bytes", once=True), Measure("recovery time", "recovery.time", once=True),
)  # fmt: skip

# Shown as they are and not ranked: prices are the description's, and a layer that uses no flash wears none.
COLUMNS = (
    Measure("cost", "cost.per_user_tb", once=True, unit="$ per TB"), Measure("flash wear", "write_amplification.flash", unit="pages written per sector of the host"),
)  # fmt: skip
ALL = (*MEASURES, *COLUMNS)


@dataclass(frozen=True)
class Figure:
    by_seed: Mapping[int, float]
    unranked: str = ""
    """Why it must not be ranked."""


Figures = Mapping[str, Mapping[str, Figure]]
"""Of a layer: cell -> metric."""


def digits(value: float) -> str:
    """As files hold it: the same on every machine.

    >>> digits(1234567.8), digits(0.1 + 0.2)
    ('1.23457e+06', '0.3')
    """
    return f"{value:.6g}"


def figures_of(suite: "Suite", rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, Figure]]]:
    """Layer -> cell -> metric, of runs that ended well. Each row has `layer` and `cell`, and its figures after the warm-up."""
    found: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for row in rows:
        found.setdefault(row["layer"], {}).setdefault(row["cell"], []).append(row)
    return {layer: {cell: dict(_of_cell(suite, cell, runs)) for cell, runs in cells.items()} for layer, cells in found.items()}


def _of_cell(suite: "Suite", cell: str, runs: list[Mapping[str, Any]]) -> Iterable[tuple[str, Figure]]:
    for measure in ALL:
        if cell in (*suite.cells_of(measure), suite.canary.name):
            values = {int(run["seed"]): float(digits(run[measure.metric])) for run in runs if run.get(measure.metric) is not None}
            marks = dict.fromkeys(mark for run in runs for mark in marks_of(run, [measure.metric]) if mark in measure.marks)
            if values:
                yield measure.metric, Figure(values, "; ".join(marks))


def as_csv(suite: "Suite", layers: Mapping[str, Figures]) -> str:
    """A row for each layer and cell; of each metric the figures by seed, and after an asterisk why they must not be ranked."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["layer", "cell", *(measure.metric for measure in ALL)])
    for layer, cells in layers.items():
        for cell, figures in cells.items():
            rows.writerow([layer, cell, *(_field(suite, figures.get(measure.metric)) for measure in ALL)])
    return text.getvalue()


def _field(suite: "Suite", figure: Figure | None) -> str:
    if figure is None:
        return ""
    values = " ".join(digits(figure.by_seed[seed]) if seed in figure.by_seed else "-" for seed in suite.seeds)
    return f"{values} *{figure.unranked}" if figure.unranked else values


def of_csv(suite: "Suite", text: str) -> dict[str, dict[str, dict[str, Figure]]]:
    """What `as_csv` wrote."""
    found: dict[str, dict[str, dict[str, Figure]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        layer, cell = row.pop("layer"), row.pop("cell")
        found.setdefault(layer, {})[cell] = {metric: _read(suite, field) for metric, field in row.items() if field}
    return found


def _read(suite: "Suite", field: str) -> Figure:
    values, _, why = field.partition("*")
    return Figure({seed: float(value) for seed, value in zip(suite.seeds, values.split()) if value != "-"}, why)


def shipped(suite: "Suite") -> dict[str, dict[str, dict[str, Figure]]]:
    """Figures of the shipped layers, as the suite's file has them."""
    return of_csv(suite, (resources.files(__package__) / f"{suite.name}.csv").read_text(encoding="utf-8"))
