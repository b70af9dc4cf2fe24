"""What a report of a sweep says."""

from collections import Counter
from collections.abc import Sequence

import polars as pl

from tessera.asking.metric import unit_of
from tessera.engine.parameters import drive_parameters
from tessera.engine.simulator import SimulatorError
from tessera.errors import InputError
from tessera.evidence.blocks import THROUGHPUT
from tessera.evidence.marks import MEANING, UNRANKED, marks_of, overloaded, told
from tessera.evidence.warmup import words
from tessera.explore.dataset import AXIS, Sweep, read_frame
from tessera.explore.search_notes import notes_of, of_design
from tessera.figures import gallery
from tessera.figures.page import Cell, Column, Page, Table
from tessera.figures.pictures import in_order, text
from tessera.reports.answer import metric_named, of_sweep
from tessera.reports.effects import effects
from tessera.reports.search_answer import design_text, of_search, reached_text
from tessera.results.human import counted, figure
from tessera.results.percentiles import fraction_of, named_in
from tessera.results.terms import terms_of_sweep

OPEN_ROWS = 40  # of a table that is not folded
MOST_ROWS = 2000  # of a table that a browser sorts at once
MOST_TOLD = 3  # lines of what stops nothing
MOST_DESIGNS = 12  # of a front that stand among the findings
RANKED = ("host.latency.mean", "host.latency.p99", "write_amplification.total")
SWEPT = {"host.latency.mean": "ms", "host.latency.p99": "ms", "write_amplification.total": "1", "cleaning.count": "1", "energy.total": "J"}


def _terms(sweep: Sweep) -> list[str]:
    """What the layers of a sweep share, if it compares any on one drive."""
    run, layers = sweep.facts.get("run", {}), f"{AXIS}layer"
    if layers not in sweep.good.columns or "drive" in sweep.facts["axes"] or "drive" not in run:
        return []
    found = sweep.good[layers].unique(maintain_order=True).to_list()
    try:
        parameters = drive_parameters(str(run["drive"]))
    except (InputError, SimulatorError):  # a description of that day, which is not here any more
        return []
    return [terms_of_sweep(parameters, found, run.get("settings", {}), sweep.facts["axes"])] if len(found) > 1 else []


def sweep_page(sweep: Sweep, question: str = "") -> Page:
    rows, part = sweep.compared()
    facts, good, failed = sweep.facts, rows.filter(pl.col("exit_status") == 0), sweep.failed
    served = [THROUGHPUT] if overloaded(good) else []
    metrics = [name for name in [*SWEPT, *served, *(name for _, name in named_in(good.columns))] if name in good.columns]
    warnings = []
    if failed.height:
        warnings.append(f"{failed.height:,} of {good.height + failed.height:,} runs failed; the last table says why.")
    marks = [marks_of(row) for row in good.iter_rows(named=True)]
    for mark, meaning in MEANING.items():
        if count := sum(mark in found for found in marks):
            ranked = ", which must not be ranked" if mark in UNRANKED else ""
            warnings.append(f"{counted(count, 'run')} {mark}{ranked}: {meaning}.")
    for line, count in Counter(line for row in good.iter_rows(named=True) for metric in metrics[:2] for line in told(row, [metric])).most_common(MOST_TOLD):
        warnings.append(f"{counted(count, 'run')}: {line}.")
    if cut := good.filter(pl.col("command").str.contains(" --cut-at", literal=True)).height if good.height else 0:
        warnings.append(f"Power was cut in {counted(cut, 'run')}: latencies hold the outages.")
    tables = [_results_table(sweep, good, metrics)]
    if failed.height:
        rows = [[Cell(command or "", command), Cell(message or "", message)] for command, message in failed.select("command", "message").head(MOST_ROWS).rows()]
        tables.append(Table("Runs that failed", (Column("command", False, long=True), Column("message", False, long=True)), rows))
    options = ", ".join(name if value is True else f"{name} {value}" for name, value in facts.get("run", {}).items() if name != "settings")
    axes = ", ".join(facts["axes"])
    asked = f"Which designs does no other beat in {' and '.join(facts['objectives'])}?" if "objectives" in facts else f"What do {axes} do?"
    title = facts.get("title") or ""
    if "objectives" not in facts and title.endswith("?"):
        question = question or title  # what is answered is what is shown as asked
    return Page(
        title=title or f"Sweep over {axes}", question=question or asked,
        answer=_answer(sweep, good, question),
        facts=[_runs_text(sweep), options, *([good["tool"][0]] if good.height else []), *([facts["fold"]] if "fold" in facts else []), *_terms(sweep)],
        warnings=warnings,
        findings=_sweep_findings(sweep, good, metrics), charts=gallery.of_sweep(sweep, metric_named(question)), tables=tables,
        notes=[f"{said[0].upper()}{said[1:]}." for said in (words(part),) if said],
        commands=[command for command in good["command"].head(3).to_list() if command] + (["# ... and so on: the table has each"] if good.height > 3 else []),
    )  # fmt: skip


def _answer(sweep: Sweep, good: pl.DataFrame, question: str) -> str:
    trials = _trials(sweep)
    if trials is not None:
        return of_search(trials, sweep.facts["objectives"], question)
    if not question:
        return ""
    return of_sweep(good, sweep.axes, question) if good.height else "Not settled: no run ended well."


def _results_table(sweep: Sweep, good: pl.DataFrame, metrics: list[str]) -> Table:
    axes = [name for name in sweep.axes if AXIS + name in good.columns]
    columns = [*(Column(name, False) for name in axes), *(Column(name) for name in metrics), Column("command", False, long=True)]
    rows = []
    for row in _in_order_of(good, axes).head(MOST_ROWS).iter_rows(named=True):
        cells = [Cell("" if row[AXIS + name] is None else text(row[AXIS + name]), row[AXIS + name]) for name in axes]
        note = "; ".join(marks_of(row))
        cells += [Cell(figure(row[name], unit_of(name)), row[name], note if name in RANKED or fraction_of(name.rsplit(".", 1)[1]) else "") for name in metrics]
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
    for metric in [name for name in sweep.facts.get("objectives", _found_in(good, metrics)) if name in good.columns]:
        found += effects(good.drop_nulls(metric), sweep.axes, metric, unit_of(metric))
    return found


def _found_in(good: pl.DataFrame, metrics: list[str]) -> list[str]:
    """What findings are about."""
    return [*([THROUGHPUT] if overloaded(good) else []), *metrics[:2]]


def _trials(sweep: Sweep) -> pl.DataFrame | None:
    """The designs of a search."""
    file = sweep.folder / "trials.parquet"
    return read_frame(file) if "objectives" in sweep.facts and file.exists() else None


def _runs_text(sweep: Sweep) -> str:
    """How many there are; of a search, what has to do with its designs."""
    good, trials = sweep.good, _trials(sweep)
    said = counted(good.height + sweep.failed.height, "run")
    if trials is None:
        return said
    of_seeds = any(name.endswith(".half_width") for name in trials.columns)
    axes = [name for name in trials.columns if name.startswith(AXIS) and name in good.columns]
    own = good.join(trials, on=axes if of_seeds else "key", how="semi", nulls_equal=True).height
    parts = [f"{own:,} of the {counted(trials.height, 'design')} that the search tried"]
    parts += [f"{good.height - own:,} of earlier searches in this folder"] if good.height > own else []
    parts += [f"{sweep.failed.height:,} failed"] if sweep.failed.height else []
    return f"{said}: {', '.join(parts)}"


def _front_findings(sweep: Sweep) -> list[str]:
    """Of a search: the designs that nothing beats."""
    trials = _trials(sweep)
    if trials is None:
        return []
    objectives = sweep.facts["objectives"]
    best = trials.filter("front")
    found = [f"{best.height:,} of {trials.height:,} designs are beaten by no other in {' and '.join(objectives)}."]
    found += [f"{note[0].upper()}{note[1:]}." for note in notes_of(trials, sweep.facts)]
    for row in best.head(MOST_DESIGNS).iter_rows(named=True):
        said = f"; {more}" if (more := of_design(row)) else ""
        found.append(f"{design_text(row)}: {reached_text(row, objectives)}" + (f" ({row['marks']})" if row.get("marks") else "") + f"{said}.")
    return found
