"""What a report of a sweep says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tessera.charts import gallery
from tessera.charts.pictures import in_order, text
from tessera.human import counted, figure, number
from tessera.reports.page import Cell, Column, Page, Table
from tessera.reports.run_page import FEW_CLEANINGS
from tessera.sweeps.dataset import AXIS, Sweep

OPEN_ROWS = 40  # of a table that is not folded
MOST_ROWS = 2000  # of a table that a browser sorts at once
MOST_DESIGNS = 12  # of a front that stand among the findings
LEAST_RATIO = 1.02  # of the largest to the smallest figure along an axis that is a finding
SWEPT = {"host.latency.mean": "ms", "host.latency.p99": "ms", "write_amplification.total": "1", "cleaning.count": "1", "energy.total": "J"}


def sweep_page(sweep: Sweep) -> Page:
    facts, good, failed = sweep.facts, sweep.good, sweep.failed
    metrics = [name for name in SWEPT if name in good.columns]
    warnings = []
    if failed.height:
        warnings.append(f"{failed.height:,} of {good.height + failed.height:,} runs failed; the last table says why.")
    if good.height and (unstable := good["unstable"].sum()):
        warnings.append(f"{counted(unstable, 'run')} unstable: the backlog grew, so latencies measure the length of the run.")
    if "host.steady.reached" in good.columns and (unsteady := (good["host.steady.reached"] == 0).sum()):
        warnings.append(f"{counted(unsteady, 'run')} not steady: the warm-up reaches to the half of the run.")
    if "cleaning.count" in good.columns and good.height:
        few = good.filter(pl.col("cleans") & (pl.col("cleaning.count") < FEW_CLEANINGS)).height
        if few:
            warnings.append(f"{counted(few, 'run')} with fewer than {FEW_CLEANINGS} cleanings, which must not be ranked by latency or write amplification.")
    tables = [_results_table(sweep, good, metrics)]
    if failed.height:
        rows = [[Cell(command or "", command), Cell(message or "", message)] for command, message in failed.select("command", "message").head(MOST_ROWS).rows()]
        tables.append(Table("Runs that failed", (Column("command", False, long=True), Column("message", False, long=True)), rows))
    options = ", ".join(name if value is True else f"{name} {value}" for name, value in facts.get("run", {}).items() if name != "settings")
    axes = ", ".join(facts["axes"])
    question = f"Which designs does no other beat in {' and '.join(facts['objectives'])}?" if "objectives" in facts else f"What do {axes} do?"
    return Page(
        title=facts.get("title") or f"Sweep over {axes}", question=question,
        facts=[counted(good.height + failed.height, "run"), options, *([good["tool"][0]] if good.height else [])], warnings=warnings,
        findings=_sweep_findings(sweep, good, metrics), charts=gallery.of_sweep(sweep), tables=tables,
        commands=[command for command in good["command"].head(3).to_list() if command] + (["# ... and so on: the table has each"] if good.height > 3 else []),
    )  # fmt: skip


def _results_table(sweep: Sweep, good: pl.DataFrame, metrics: list[str]) -> Table:
    axes = [name for name in sweep.axes if AXIS + name in good.columns]
    columns = [*(Column(name, False) for name in axes), *(Column(name) for name in metrics), Column("command", False, long=True)]
    rows = []
    for row in _in_order_of(good, axes).head(MOST_ROWS).iter_rows(named=True):
        cells = [Cell("" if row[AXIS + name] is None else text(row[AXIS + name]), row[AXIS + name]) for name in axes]
        cells += [Cell(figure(row[name], SWEPT[name]), row[name]) for name in metrics]
        rows.append([*cells, Cell(row["command"], row["command"])])
    title = "The runs" if good.height <= MOST_ROWS else f"The first {MOST_ROWS:,} of {good.height:,} runs; the dataset has all"
    return Table(title, columns, rows, folded=len(rows) > OPEN_ROWS)


def _in_order_of(good: pl.DataFrame, axes: Sequence[str]) -> pl.DataFrame:
    """By the first axis, then by the next; runs end in another order."""
    places = {name: {value: place for place, value in enumerate(in_order(good[AXIS + name]))} for name in axes}
    keys = [pl.Series(name, [places[name].get(value, -1) for value in good[AXIS + name]], dtype=pl.Int64) for name in axes]
    return good[pl.DataFrame(keys).select(pl.arg_sort_by(axes)).to_series()] if axes and good.height else good


def _sweep_findings(sweep: Sweep, good: pl.DataFrame, metrics: list[str]) -> list[str]:
    found = _front_findings(sweep)
    for metric in metrics[:2]:
        for axis in sweep.axes:
            if axis != "seed" and (effect := effect_of(good.drop_nulls(metric), sweep.axes, axis, metric)):
                found.append(f"{metric} over {axis}: {effect.sentence(SWEPT[metric])}")
    return found


@dataclass(frozen=True)
class Effect:
    """What an axis does to a figure, over runs that are alike in all else. Figures are geometric means, so that none outweighs the others."""

    low: tuple[Any, float]
    """The value with the smallest figure, and the figure."""
    high: tuple[Any, float]
    least: float
    """The factor between the two, where it is smallest and where it is largest."""
    most: float

    def sentence(self, unit: str) -> str:
        factor = self.high[1] / self.low[1]
        if max(factor, self.most) < LEAST_RATIO:
            return f"hardly anything, a factor of {self.most:.3f} at the most."
        between = f"; {number(self.least)} to {number(self.most)} by what else differs" if self.most > LEAST_RATIO * self.least else ""
        ends = " to ".join(f"{figure(value, unit)} ({text(at)})" for at, value in (self.low, self.high))
        return f"from {ends}, a factor of {number(factor)}, all else alike{between}."


def effect_of(good: pl.DataFrame, axes: Sequence[str], axis: str, metric: str) -> Effect | None:
    """Over those combinations of the other axes that were run with every value of this one: else the figures would be those of other layers
    or seeds. None where there is no such combination, or a figure that is not positive."""
    column = AXIS + axis
    if column not in good.columns:
        return None
    known = good.drop_nulls(column)
    values = in_order(known[column])
    others = [AXIS + name for name in axes if name != axis and AXIS + name in known.columns]
    alike = known.filter(pl.col(column).n_unique().over(others) == len(values)) if others else known
    if len(values) < 2 or alike.height == 0 or alike[metric].min() <= 0:
        return None
    logs = {value: alike.filter(pl.col(column) == value).sort(others)[metric].log().to_numpy() for value in values}
    means = {value: float(np.exp(found.mean())) for value, found in logs.items()}
    low, high = min(means, key=means.get), max(means, key=means.get)
    factors = np.exp(logs[high] - logs[low]) if len(logs[high]) == len(logs[low]) else np.array([means[high] / means[low]])
    return Effect((low, means[low]), (high, means[high]), float(factors.min()), float(factors.max()))


def _front_findings(sweep: Sweep) -> list[str]:
    """Of a search: the designs that nothing beats."""
    if "objectives" not in sweep.facts or not (sweep.folder / "trials.parquet").exists():
        return []
    trials, objectives = pl.read_parquet(sweep.folder / "trials.parquet"), sweep.facts["objectives"]
    best = trials.filter("front")
    found = [f"{best.height:,} of {trials.height:,} designs are beaten by no other in {' and '.join(objectives)}."]
    for row in best.head(MOST_DESIGNS).iter_rows(named=True):
        design = ", ".join(f"{name.removeprefix(AXIS)} {text(value)}" for name, value in row.items() if name.startswith(AXIS) and value is not None)
        found.append(f"{design}: " + ", ".join(f"{name} {figure(row[name], SWEPT.get(name, '1'))}" for name in objectives) + ".")
    return found
