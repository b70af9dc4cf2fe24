"""What a report of a sweep says."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from tessera.charts import gallery
from tessera.charts.pictures import in_order, text
from tessera.human import figure
from tessera.reports.page import Cell, Column, Page, Table
from tessera.reports.run_page import FEW_CLEANINGS
from tessera.sweeps.dataset import AXIS, Sweep

MOST_ROWS = 2000  # of a table that a browser sorts at once
MOST_DESIGNS = 12  # of a front that stand among the findings
LEAST_RATIO = 1.02  # of the largest to the smallest mean along an axis that is a finding
SWEPT = {"host.latency.mean": "ms", "host.latency.p99": "ms", "write_amplification.total": "1", "cleaning.count": "1", "energy.total": "J"}


def sweep_page(sweep: Sweep) -> Page:
    facts, good, failed = sweep.facts, sweep.good, sweep.failed
    metrics = [name for name in SWEPT if name in good.columns]
    warnings = []
    if failed.height:
        warnings.append(f"{failed.height:,} of {good.height + failed.height:,} runs failed; the last table says why.")
    if good.height and (unstable := good["unstable"].sum()):
        warnings.append(f"{unstable:,} runs were unstable: their latencies measure the length of the run.")
    if "host.steady.reached" in good.columns and (unsteady := (good["host.steady.reached"] == 0).sum()):
        warnings.append(f"{unsteady:,} runs were not steady: the warm-up that they found reaches to their half.")
    if "cleaning.count" in good.columns and good.height:
        few = good.filter(pl.col("cleans") & (pl.col("cleaning.count") < FEW_CLEANINGS)).height
        if few:
            warnings.append(f"{few:,} runs had fewer than {FEW_CLEANINGS} cleanings and must not be ranked by latency or write amplification.")
    tables = [_results_table(sweep, good, metrics)]
    if failed.height:
        rows = [[Cell(command or "", command), Cell(message or "", message)] for command, message in failed.select("command", "message").head(MOST_ROWS).rows()]
        tables.append(Table("Runs that failed", (Column("command", False, long=True), Column("message", False, long=True)), rows))
    options = ", ".join(f"{name} {value}" for name, value in facts.get("run", {}).items() if name != "settings")
    axes = ", ".join(facts["axes"])
    question = f"Which designs does no other beat in {' and '.join(facts['objectives'])}?" if "objectives" in facts else f"What do {axes} do?"
    return Page(
        title=facts.get("title") or f"Sweep over {axes}", question=question,
        facts=[f"{good.height + failed.height:,} runs", options, *([good["tool"][0]] if good.height else [])], warnings=warnings,
        findings=_sweep_findings(sweep, good, metrics), charts=gallery.of_sweep(sweep), tables=tables,
        commands=[command for command in good["command"].head(3).to_list() if command] + (["# ... and so on: the table has each"] if good.height > 3 else []),
    )  # fmt: skip


def _results_table(sweep: Sweep, good: pl.DataFrame, metrics: list[str]) -> Table:
    axes = [name for name in sweep.axes if AXIS + name in good.columns]
    columns = [*(Column(name, False) for name in axes), *(Column(name) for name in metrics), Column("command", False, long=True)]
    rows = []
    for row in good.head(MOST_ROWS).iter_rows(named=True):
        cells = [Cell("" if row[AXIS + name] is None else text(row[AXIS + name]), row[AXIS + name]) for name in axes]
        cells += [Cell(figure(row[name], SWEPT[name]), row[name]) for name in metrics]
        rows.append([*cells, Cell(row["command"], row["command"])])
    title = "The runs" if good.height <= MOST_ROWS else f"The first {MOST_ROWS:,} of {good.height:,} runs; the dataset has all"
    return Table(title, columns, rows)


def _sweep_findings(sweep: Sweep, good: pl.DataFrame, metrics: list[str]) -> list[str]:
    found = _front_findings(sweep)
    for metric in metrics[:2]:
        for axis in sweep.axes:
            means = matched_means(good.drop_nulls(metric), sweep.axes, axis, metric) if axis != "seed" else {}
            if len(means) < 2:
                continue
            low, high = min(means, key=means.get), max(means, key=means.get)
            ratio = means[high] / means[low] if means[low] else float("inf")
            if ratio < LEAST_RATIO:
                found.append(f"{metric} hardly depends on {axis}: by a factor of {ratio:.3f}, {figure(means[low], SWEPT[metric])} at the least.")
                continue
            found.append(
                f"{metric} over {axis}: from {figure(means[low], SWEPT[metric])} ({text(low)}) to {figure(means[high], SWEPT[metric])} ({text(high)}), "
                f"a factor of {ratio:.2f}, all else alike."
            )
    return found


def matched_means(good: pl.DataFrame, axes: Sequence[str], axis: str, metric: str) -> dict[Any, float]:
    """Mean of a metric at each value of an axis, over those combinations of the other axes that were run with every value of it: else
    the mean would be that of other layers or seeds. Empty where there is no such combination."""
    column = AXIS + axis
    if column not in good.columns:
        return {}
    known = good.drop_nulls(column)
    others = [AXIS + name for name in axes if name != axis and AXIS + name in known.columns]
    count = known[column].n_unique()
    alike = known.filter(pl.col(column).n_unique().over(others) == count) if others else known
    return {value: alike.filter(pl.col(column) == value)[metric].mean() for value in in_order(alike[column])}


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
