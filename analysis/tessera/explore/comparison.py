"""Many layers on one input: the folder that a comparison leaves."""

import shlex
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tessera.engine.simulation import RECORD, Simulation
from tessera.engine.simulator import BAD_INPUT
from tessera.errors import InputError, check_schema, damaged, read_json, unknown_name
from tessera.results.bound_by import time_lines
from tessera.results.human import counted, number
from tessera.evidence.intervals import Estimate, of_mean
from tessera.results.layer_table import WIDTH, aligned, as_csv, columns_in, layer_text, marks_of, room_for, rows_of, star, wrapped
from tessera.evidence.family import PERCENT, equal, judged_within
from tessera.evidence.paired import BEST, NOT_SETTLED
from tessera.results.run_folder import Run
from tessera.results.shown import Card, Shown

if TYPE_CHECKING:
    import polars as pl
    import xarray


SCHEMA = 1
WORDS, COUNTS = ("layer", "status", "message", "unranked", "verdict"), ("seed", "seeds", "exit_status")  # by the last part of a column's name; the others are figures
CARD = 6  # columns of a notebook's table
UNSURE = "?"  # in a narrow table: not settled


class Comparison(Shown):
    """The folder of a comparison."""

    temporary: TemporaryDirectory | None = None
    """The folder goes with this object, where nobody named one."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def _card(self) -> Card:
        facts, layers = self.columns["comparison"], self.columns["layers"]
        warnings = [f"did not end well: {', '.join(self.refused)} (`status` in .layers says why)"] if self.refused else []
        if facts.get("partial"):
            warnings.insert(0, "ended before its input: these are the figures of a part")
        columns = columns_in(layers)[:CARD]
        warnings += facts.get("warnings", [])
        warnings += marks_of(layers, columns)
        of = [facts.get("drive"), facts.get("input"), counted(len(layers["layer"]), "layer"), counted(facts.get("seeds", 1), "seed"), None if self.temporary else str(self.folder)]
        return Card("Comparison", ", ".join(str(part) for part in of if part), warnings, table=rows_of(layers, columns), rest=".layers")

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

    @property
    def units(self) -> dict[str, str]:
        """The unit of each metric; "1" of numbers and shares."""
        return self.columns["units"]

    def long(self, *metrics: str) -> "pl.DataFrame":
        """A row for each run that ended well and each metric: layer, seed, metric, value, unit. `metrics`: which (default: all)."""
        from tessera.results.long_form import long_form

        return long_form(self._good_rows(), ["layer", "seed"], self.units, metrics)

    def xarray(self, *metrics: str) -> "xarray.Dataset":
        """The metrics of the runs that ended well as arrays over layer and seed, with their units. Takes the package xarray."""
        from tessera.results.long_form import as_xarray

        return as_xarray(self._good_rows(), ["layer", "seed"], self.units, metrics)

    def _good_rows(self) -> "pl.DataFrame":
        return self.runs.filter(self.runs["exit_status"] == 0)

    def ratios(self, baseline: str) -> "pl.DataFrame":
        """A row a layer: how many times each latency and write amplification is the baseline's, as the geometric mean over common seeds, with
        its own 95 % interval (METRIC.ratio, .ratio.low_95, .ratio.high_95, .ratio.seeds, .ratio.unranked), and METRIC.verdict, in which all
        layers share 95 %: "better", "worse", "equal" (within the margin, 5 % unless you say so), "not settled", or None where a figure must not be ranked. Raises
        InputError where the comparison was made without that baseline."""
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
    def status(self) -> int:
        """0 where all runs ended well; else 3 where one found a bug of the model or a wrong read, 1 where one ended badly otherwise, 2 where
        a layer was refused."""
        ended = {status for status in self.columns["runs"]["exit_status"] if status}
        return 3 if 3 in ended else 1 if ended - {BAD_INPUT} else BAD_INPUT if ended else 0

    def text(self, width: int | None = WIDTH) -> str:
        """As `tessera compare` prints it, in 80 columns; None: with every column, every interval and where the time of each layer goes."""
        facts, layers = self.columns["comparison"], self.columns["layers"]
        alike, *unlike = facts.get("terms", "").split(" NOT equal: ")
        warnings = ["interrupted: the figures are of a part"] if facts.get("partial") else []
        warnings += [f"{layer}: {status}" for layer, status in zip(layers["layer"], layers["status"]) if status != "ok"]
        warnings += facts.get("warnings", [])
        title = f"{facts['input']} on {facts['drive']}: {counted(len(layers['layer']), 'layer')}, {counted(facts['seeds'], 'seed')}"
        lines = layer_text(layers, title, [*warnings, *(f"NOT equal: {part}" for part in unlike)], [*self.notes, *([alike] if alike else [])], width)
        for baseline in self.baselines:
            rows = self.ratio_rows(baseline, width is None)
            lines += ["", *aligned([row[: room_for(rows, width)] for row in rows])]
        lines += ["", *wrapped(self._legend())] if self.baselines else []
        return "\n".join([*lines, *(time_lines(self.good_runs()) if width is None else ())]) + "\n"

    def csv(self) -> str:
        """A row a layer, as `layers` has them."""
        return as_csv(self.columns["layers"])

    def good_runs(self) -> dict[str, list[Run]]:
        """Of each layer, the runs that left figures."""
        runs = self.columns["runs"]
        found: dict[str, list[Run]] = {layer: [] for layer in self.columns["layers"]["layer"]}
        for layer, seed, served in zip(runs["layer"], runs["seed"], runs.get("host.served", [])):
            if served is not None:
                found[layer].append(self.run(layer, seed))
        return found

    def ratio_rows(self, baseline: str, wide: bool = False) -> list[list[str]]:
        """The titles of the columns, then for each layer how many times the baseline's its figures are; `wide`: with intervals and verdicts."""
        ratios = self._baseline(baseline)
        columns = [column for column in columns_in(self.columns["layers"]) if f"{column.metric}.ratio" in ratios]
        rows = [[f"times {baseline}", *(column.title.removesuffix(" ms") for column in columns)]]
        for place, layer in enumerate(ratios["layer"]):
            of = [{kind: ratios.get(f"{column.metric}.{kind}", [None] * (place + 1))[place] for kind in RATIO} | {"best": ratios[f"{column.metric}.against"] == layer} for column in columns]
            if any(each["ratio"] is not None for each in of):
                rows.append([layer, *(_ratio_cell(each, wide, baseline) for each in of)])
        return rows

    @property
    def margin(self) -> float | None:
        """Within how many percent figures are equal in practice; None of an older version."""
        return self.columns["comparison"].get("margin")

    def _legend(self) -> str:
        with judged_within(self.margin):
            return f"better, worse: than the baseline; equal: within {equal()}; {UNSURE}: not settled. The layers of a column share 95 % (Holm)."

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
        good = self._good_rows()
        if metric not in good.columns:
            raise unknown_name("metric", metric, good.columns)
        sides = [good.filter(good["layer"] == name).select("seed", metric).drop_nulls() for name in (layer, baseline)]
        both = sides[0].join(sides[1], on="seed", suffix=".baseline")
        if both.height < 2:
            raise InputError(f"{layer} and {baseline} have {both.height} seeds in common: a paired interval takes two or more")
        return of_mean((both[metric] - both[f"{metric}.baseline"]).to_numpy())


RATIO = ("ratio", "ratio.low_95", "ratio.high_95", "ratio.unranked", "verdict")


def _ratio_cell(of: dict, wide: bool, baseline: str) -> str:
    if of["ratio"] is None:
        return "-"
    if of["best"]:
        return BEST if baseline == BEST else "1" + star(of["ratio.unranked"])
    low, high = of["ratio.low_95"], of["ratio.high_95"]
    interval = f" [{number(low)}, {number(high)}]" if wide and low is not None and low != high else ""
    verdict = UNSURE if of["verdict"] == NOT_SETTLED and not wide else of["verdict"]
    return number(of["ratio"]) + interval + (f" {verdict}" if verdict else "") + star(of["ratio.unranked"])


def _frame(columns: dict) -> "pl.DataFrame":
    import polars as pl  # loaded by those who ask for frames

    def kind(name: str) -> type[pl.DataType]:
        last = name.rpartition(".")[2]
        return pl.String if last in WORDS else pl.Int64 if last in COUNTS else pl.Float64

    return pl.DataFrame([pl.Series(name, values, dtype=kind(name), strict=False) for name, values in columns.items()])


def command_of(folder: Path) -> str | None:
    """The line that repeats a comparison; None where it was not made by this package."""
    record = folder / RECORD
    if not record.exists():
        return None
    fields = read_json(record)
    layers, seeds, baselines, percent = fields.pop("layers"), fields.pop("seeds"), fields.pop("baselines", []), fields.pop("margin", PERCENT)
    judged = [*(("--baseline", ",".join(baselines)) if baselines else ()), *(("--margin", f"{percent:g}") if percent != PERCENT else ())]
    words = ["tessera", "compare", *Simulation.of(fields).words()[1:], *judged, "--out", str(folder)]
    words[3:3] = ["--layers", ",".join(layers), "--seeds", str(seeds)]
    return " ".join(shlex.quote(word) for word in words)
