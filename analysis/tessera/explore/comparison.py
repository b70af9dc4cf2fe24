"""Many layers on one input: the columns that `tessera-sim compare` writes."""

import json
import shlex
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tessera.engine.output_file import write_inside
from tessera.engine.simulation import RECORD, Simulation
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError, check_schema, damaged, read_json, unknown_name
from tessera.results.human import counted, figure
from tessera.results.intervals import Estimate, of_mean
from tessera.results.run_folder import Run
from tessera.results.shown import Card, Shown

if TYPE_CHECKING:
    import polars as pl


SCHEMA = 1
WORDS, COUNTS = ("layer", "status", "message", "unranked"), ("seed", "seeds", "exit_status")  # by the last part of a column's name; the others are figures
SHOWN = {"mean": "host.latency.mean", "p50": "host.latency.p50", "p99": "host.latency.p99", "p99.9": "host.latency.p999", "max": "host.latency.max", "WA": "write_amplification.total"}
UNRANKED = "*"


class Comparison(Shown):
    """The folder of a comparison."""

    printed = ""
    """The table as the simulator printed it, where this package ran it."""
    temporary: TemporaryDirectory | None = None
    """The folder goes with this object, where nobody named one."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def _card(self) -> Card:
        facts, layers = self.columns["comparison"], self.columns["layers"]
        warnings = [f"did not end well: {', '.join(self.refused)} (`status` in .layers says why)"] if self.refused else []
        if facts.get("partial"):
            warnings.insert(0, "ended before its input: these are the figures of a part")
        shown = {title: name for title, name in SHOWN.items() if name in layers}
        table = [["layer", *shown]]
        for number, layer in enumerate(layers["layer"]):
            table.append([layer, *(self._cell(name, number) for name in shown.values())])
        if any(cell.endswith(UNRANKED) for row in table for cell in row):
            warnings.append(f"{UNRANKED} not to be ranked (METRIC.unranked in .layers says why)")
        of = [facts.get("drive"), facts.get("input"), counted(len(layers["layer"]), "layer"), counted(facts.get("seeds", 1), "seed"), str(self.folder)]
        return Card("Comparison", ", ".join(str(part) for part in of if part), warnings, table=table, rest=".layers")

    def _cell(self, metric: str, number: int) -> str:
        """A figure of a layer, half its interval in percent of it, and a mark where it must not be ranked."""
        value, half, unranked = (self.columns["layers"].get(metric + kind, {number: None})[number] for kind in ("", ".half_width_95", ".unranked"))
        share = f" ±{100 * half / value:.2g} %" if value and half else ""
        return figure(value, self.columns["units"].get(metric, "1")) + share + (UNRANKED if value is not None and unranked else "")

    @cached_property
    def columns(self) -> dict:
        """compare.json as it stands. Raises InputError where the folder holds none, or one of another schema."""
        file = self.folder / "compare.json"
        if not file.exists():
            raise InputError(f"{self.folder} has no compare.json: it is no folder of a comparison, or of one that did not end")
        columns = read_json(file)
        if not isinstance(columns, dict):
            raise damaged(file)
        check_schema(file, columns.get("schema"), SCHEMA)
        return columns

    @cached_property
    def layers(self) -> "pl.DataFrame":
        """A row a layer: layer, status, and METRIC, METRIC.half_width_95, METRIC.unranked for each metric of the table."""
        return _frame(self.columns["layers"])

    @cached_property
    def runs(self) -> "pl.DataFrame":
        """A row a run: layer, seed, exit_status, message and every metric that any run reports."""
        return _frame(self.columns["runs"])

    def ratios(self, baseline: str) -> "pl.DataFrame":
        """A row a layer: how many times each latency and write amplification is the baseline's, as the geometric mean over common seeds, with
        its 95 % interval (METRIC.ratio, .ratio.low_95, .ratio.high_95, .ratio.seeds, .ratio.unranked). Raises InputError where the comparison
        was made without that baseline."""
        return _frame({name: column for name, column in self._baseline(baseline).items() if isinstance(column, list)})

    def divided_by(self, baseline: str, metric: str) -> str | None:
        """The layer that the ratios of a metric are to: the baseline, or the one that "best" stands for; None where no layer ranks."""
        return self._baseline(baseline)[f"{metric}.against"]

    @property
    def baselines(self) -> tuple[str, ...]:
        """Those that the comparison was made with."""
        return tuple(self.columns.get("baselines", {}))

    def _baseline(self, name: str) -> dict:
        if name not in self.baselines:
            raise unknown_name("baseline of this comparison", name, self.baselines)
        return self.columns["baselines"][name]

    @property
    def notes(self) -> list[str]:
        """What holds of the whole table."""
        return self.columns["comparison"].get("notes", [])

    @property
    def refused(self) -> list[str]:
        """The layers that drive or input do not fit; their `status` says why."""
        return [layer for layer, status in zip(self.columns["layers"]["layer"], self.columns["layers"]["status"]) if status != "ok"]

    def run(self, layer: str, seed: int | None = None) -> Run:
        """One of the runs; the first seed's where none is named."""
        layers = self.columns["runs"]["layer"]
        if layer not in layers:
            raise unknown_name("layer", layer, dict.fromkeys(layers))
        if seed is None:
            seed = self.columns["runs"]["seed"][layers.index(layer)]
        return Run(self.folder / layer / str(seed))

    def paired(self, metric: str, layer: str, baseline: str) -> Estimate:
        """Mean difference of a metric between two layers, seed by seed, with its 95 % interval: both ran the same random streams, so
        what the seed did to both falls out. Raises InputError where fewer than two seeds ran well on both."""
        good = self.runs.filter(self.runs["exit_status"] == 0)
        if metric not in good.columns:
            raise unknown_name("metric", metric, good.columns)
        sides = [good.filter(good["layer"] == name).select("seed", metric).drop_nulls() for name in (layer, baseline)]
        both = sides[0].join(sides[1], on="seed", suffix=".baseline")
        if both.height < 2:
            raise InputError(f"{layer} and {baseline} have {both.height} seeds in common: a paired interval takes two or more")
        return of_mean((both[metric] - both[f"{metric}.baseline"]).to_numpy())


def _frame(columns: dict) -> "pl.DataFrame":
    import polars as pl  # loaded by those who ask for frames

    def kind(name: str) -> type[pl.DataType]:
        last = name.rpartition(".")[2]
        return pl.String if last in WORDS else pl.Int64 if last in COUNTS else pl.Float64

    return pl.DataFrame([pl.Series(name, values, dtype=kind(name), strict=False) for name, values in columns.items()])


def command_of(folder: Path) -> str | None:
    """The line that makes a comparison again; None where it was not made by this package."""
    record = folder / RECORD
    if not record.exists():
        return None
    fields = read_json(record)
    layers, seeds, baselines = fields.pop("layers"), fields.pop("seeds"), fields.pop("baselines", [])
    words = _words(Simulation.of(fields), layers, seeds, baselines)
    return " ".join(["tessera", *(shlex.quote(word) for word in words), "--out", shlex.quote(str(folder))])


def _words(simulation: Simulation, layers: Sequence[str], seeds: int, baselines: Sequence[str]) -> list[str]:
    words = simulation.words()
    words[0] = "compare"
    words[2:2] = ["--layers", ",".join(layers), "--seeds", str(seeds)]
    return [*words, *(("--baseline", ",".join(baselines)) if baselines else ())]


def compare_layers(
    simulation: Simulation, layers: Sequence[str], seeds: int, jobs: int | None, out: str | Path, progress: bool = False,
    baselines: Sequence[str] = (),
) -> Comparison:  # fmt: skip
    """Runs every layer with each seed. A layer that the drive cannot carry has its reason under `status`. Raises InputError where
    nothing could run, SimulatorError where a run found a bug of the model."""
    if simulation.layer is not None:
        raise InputError("a comparison takes its layers from 'layers', not from 'layer'")
    words = [*_words(simulation, layers, seeds, baselines), *(("--jobs", str(jobs)) if jobs else ())]
    comparison = Comparison(out)
    try:
        comparison.printed = ask_simulator([*words, "--out", out], progress)
    except InputError as error:  # as well where a layer was refused and the others ran
        if not (Path(out) / "compare.json").exists() or 0 not in comparison.columns["runs"]["exit_status"]:
            raise
        comparison.printed = error.printed
    record = {**simulation.record(), "layers": list(layers), "seeds": seeds, "baselines": list(baselines)}
    write_inside(Path(out) / RECORD, json.dumps(record, indent=1) + "\n")
    return comparison
