"""What a report of one run says, and of several side by side."""

import re
from collections.abc import Iterable, Mapping

from tessera.engine.simulation import simulation_of
from tessera.errors import InputError
from tessera.evidence.blocks import THROUGHPUT
from tessera.evidence.marks import MEANING, NOT_STEADY, UNSTABLE, cleaned_too_little, of_run_marks
from tessera.figures import gallery
from tessera.figures.page import Cell, Column, Page, Table
from tessera.reports.answer import COMPARES, metric_in, no_figure
from tessera.results.bound_by import OF_HOSTS, cause_parts, shares_text, time_parts, utilisations
from tessera.results.families import YARDSTICK
from tessera.results.human import counted, figure, number
from tessera.results.percentiles import named_in
from tessera.results.run_folder import Run
from tessera.results.terms import terms

COMPARED = (
    ("mean", "host.latency.mean"), ("p99", "host.latency.p99"), ("p99.9", "host.latency.p999"), ("WA", "write_amplification.total"),
    ("cleanings", "cleaning.count"), ("metadata", "metadata.bytes"), ("capacity gain", "capacity.gain_vs_cmr"), ("$ per user TB", "cost.per_user_tb"),
)  # fmt: skip
RANKED = COMPARED[:4]
_SERVED = ("requests/s", THROUGHPUT)
_TAIL = 3  # of COMPARED: percentiles that the user named stand here


def compared(metrics: Iterable[str], overloaded: bool = False) -> list[tuple[str, str]]:
    """Title and metric of the columns, of these metrics: with the percentiles that the user named, and what overloaded layers serve."""
    return [*([_SERVED] if overloaded else []), *COMPARED[:_TAIL], *named_in(metrics), *COMPARED[_TAIL:]]


def _unranked(run: Run, metric: str) -> str:
    """Why a figure of a run must not be ranked; empty where it may."""
    latency = metric.startswith("host.latency.")
    by_work = cleaned_too_little(run, [metric]) if latency or metric in ("write_amplification.total", THROUGHPUT) else ""
    return "; ".join(filter(None, [by_work, *(MEANING[mark] for mark in of_run_marks(run) if latency and mark in (UNSTABLE, NOT_STEADY))]))


def run_warnings(run: Run) -> list[str]:
    """What is wrong with the figures of a run, the worst first."""
    facts = run.summary["run"]
    found = []
    if facts.get("partial"):
        found.append("The run was ended before its input: the figures are of a part.")
    if facts.get("power_cuts"):
        found.append(f"Power was cut {counted(facts['power_cuts'], 'time')}: latencies hold the outages, the recoveries and what was asked for again.")
    if facts.get("unstable"):
        found.append("Unstable: requests piled up to the end, so latencies measure the length of the run.")
    if why := cleaned_too_little(run):
        found.append(f"Not to be ranked: {why}, so the caches of this layer say little about it.")
    if run.find("host.steady.reached") == 0:
        found.append("Not steady: latencies still changed in the second half, so figures measure the length of the run.")
    if (errors := run.find("scoreboard.errors") or 0) > 0:
        found.append(f"{number(errors)} reads returned wrong data.")
    if (failed := run.find("host.failed") or 0) > 0:
        found.append(f"{counted(round(failed), 'request')} failed.")
    return found


def run_findings(run: Run) -> list[str]:
    """The figures of a run in sentences."""
    of = lambda name: figure(run.find(name), run.unit(name)) if run.find(name) is not None else None  # noqa: E731
    named = "".join(f", {short} {of(name)}" for short, name in named_in(run.summary["metrics"]) if of(name))
    if not run.find("host.served"):
        return ["No request was served."]
    found = [f"{counted(round(run.metric('host.served')), 'request')}: mean {of('host.latency.mean')}, p99 {of('host.latency.p99')}{named}, longest {of('host.latency.max')}."]
    found += [said] if (said := _warm_up(run)) else []
    busy = [f"{name} {100 * share:.1f} %" for name, share in utilisations(run).items() if share >= 0.001][:4]
    if busy:
        found.append(f"Busy: {', '.join(busy)} of the time.")
    found += [said for ops in ("read", "write") if (said := _where_time_goes(run, ops))]
    if run.find("write_amplification.total"):
        cleanings = f"; {counted(round(cleanings), 'cleaning')}" if (cleanings := run.find("cleaning.count")) else ""
        found.append(f"Write amplification {of('write_amplification.total')}{cleanings}.")
    if run.find("nand.lifetime.years.worst_block"):
        found.append(f"At this pace the worst flash block lasts {figure(run.metric('nand.lifetime.years.worst_block'), 'years')}.")
    return found


def _warm_up(run: Run) -> str:
    """What is suggested to be left out, with both means; empty where nothing is, or the run is not steady."""
    cut = int(run.find("host.steady.from") or 0)
    if not cut or run.find("host.steady.reached") == 0:
        return ""
    means = [figure(run.metric(name), "ms") for name in ("host.latency.mean", "host.steady.mean")]
    return f"Suggested warm-up: the first {cut:,} requests: mean {means[0]} with them, as here, {means[1]} without."


def _where_time_goes(run: Run, ops: str) -> str:
    """In a sentence; empty where no such request was served."""
    mean, slow = time_parts(run, ops), time_parts(run, ops, slowest=True)
    if not mean:
        return ""
    said = f"A {ops} takes {_parts_text(mean)}; one of the slowest 1 % takes {_parts_text(slow)}."
    causes = cause_parts(run, ops, slowest=True)
    return f"{said} Of those, {shares_text(causes)}." if set(causes) - OF_HOSTS else said


def _parts_text(parts: Mapping[str, float]) -> str:
    whole = sum(parts.values())
    return f"{figure(whole, 'ms')} on average ({shares_text(parts)})"


def _facts(run: Run) -> list[str]:
    facts = run.summary["run"]
    missing = [name for name in ("drive", "layer", "input", "seed", "tool") if name not in facts]
    if missing:
        raise InputError(f"{run.folder / 'summary.json'}: the run does not say its {', '.join(missing)}; the file was not written by a run")
    return [f"drive {facts['drive']}", f"layer {facts['layer']}", facts["input"], f"seed {facts['seed']}", facts["tool"]]


def _metrics_table(run: Run) -> Table:
    rows = [
        [Cell(name, name), Cell(figure(entry["value"], entry["unit"]), entry["value"]), Cell(entry["unit"], entry["unit"]), Cell(entry["description"], entry["description"])]
        for name, entry in run.summary["metrics"].items()
    ]
    return Table("Every figure", (Column("metric", False), Column("value"), Column("unit", False), Column("meaning", False, long=True)), rows, folded=True)


def _answer(run: Run, question: str) -> str:
    """One run has the figure that is asked for; it compares nothing."""
    if why_not := no_figure(question):
        return why_not
    if re.search(COMPARES, question.lower()):
        return "Not understood: the question compares, and this is one run; `tessera compare` and `tessera sweep` make several."
    metric = metric_in(question)
    if run.find(metric.name) is None:
        return f"Not settled: this run has no {metric.name}."
    marks = of_run_marks(run)
    figure_ = f"{metric.short} is {metric.text(run.find(metric.name))} for {run.summary['run']['layer']} on {run.summary['run']['input']}"
    return f"Not settled: {', '.join(marks)}. As far as it goes: {figure_}." if marks else f"{figure_[0].upper()}{figure_[1:]}; one seed, no interval."


def _not_repeated(run: Run) -> str:
    served = run.summary["run"]["input"].startswith("clients at ")
    why = "clients chose the requests: such a session cannot be repeated" if served else "made by tessera-sim itself"
    return f"# {why}{';' if served else ':'} {run.folder / 'drive.toml'} is the drive as it was"


def run_page(run: Run, question: str = "") -> Page:
    made_by, said = simulation_of(run.folder), _facts(run)
    return Page(
        title=f"{run.summary['run']['layer']} on {run.summary['run']['drive']}",
        question=question or f"How does {run.summary['run']['layer']} serve {run.summary['run']['input']}?", answer=_answer(run, question), facts=said,
        warnings=run_warnings(run), findings=run_findings(run), charts=gallery.of_run(run), tables=[_metrics_table(run)], notes=run.notes,
        commands=[made_by.command(run.folder) if made_by else _not_repeated(run)],
    )  # fmt: skip


def ranking(figures: Mapping[str, list[tuple[str, float | None, bool]]], units: Mapping[str, str]) -> list[str]:
    """Who has the smallest of each figure, and the largest: of each metric (layer, value, whether it may be ranked)."""
    found = []
    for title, metric in RANKED:
        yardstick = next((value for layer, value, _ in figures[metric] if layer == YARDSTICK), None)
        ranked = [(value, layer) for layer, value, may in figures[metric] if value is not None and may and layer != YARDSTICK]
        if not ranked or max(ranked)[0] == 0:  # nothing of it happened
            continue
        (best, first), (worst, last) = min(ranked), max(ranked)
        times = f" ({number(best / yardstick)}x {YARDSTICK})" if yardstick else ""
        if len(ranked) == 1:  # it would be the best of one
            others = [layer for layer, value, _ in figures[metric] if value is not None and layer not in (first, YARDSTICK)]
            found.append(f"{title}: {'only ' if others else ''}{first}{' may be ranked' if others else ''}, {figure(best, units.get(metric, '1'))}{times}.")
        else:
            found.append(f"Lowest {title}{f' but for {YARDSTICK}' if yardstick else ''}: {first}, {figure(best, units.get(metric, '1'))}{times}; highest: {last}, {figure(worst, units.get(metric, '1'))}.")
    if served := [(value, layer) for layer, value, may in figures.get(THROUGHPUT, []) if value is not None and may]:
        (least, last), (most, first) = min(served), max(served)
        found.append(f"Overloaded layers are compared by what they serve: {first} serves {figure(most, '1/s')}, the most; {last} {figure(least, '1/s')}, the least.")
    return found or ["No figure can be ranked."]


def runs_page(runs: Mapping[str, Run], title: str, question: str, commands: list[str], after: Mapping[str, Mapping[str, float]], warm_up: str) -> Page:
    """Several runs that somebody else put side by side. `after`: of each, the figures that leave its warm-up out, and what is said of it."""
    rows, unranked = [], []
    figure_of = lambda name, metric: after[name].get(metric, runs[name].find(metric))  # noqa: E731
    shown = compared(next(iter(runs.values())).summary["metrics"], any(UNSTABLE in of_run_marks(run) for run in runs.values()))
    for name, run in runs.items():
        why = {metric: _unranked(run, metric) for _, metric in shown}
        for reason in dict.fromkeys(filter(None, why.values())):
            unranked.append(f"{name} must not be ranked by the figures with an asterisk: {reason}.")
        cells = []
        for _, metric in shown:
            value, unit = figure_of(name, metric), run.summary["metrics"].get(metric, {"unit": "1"})["unit"]
            cells.append(Cell(figure(value, unit), value, why[metric]))
        rows.append([Cell(name, name), *cells])
    columns = [Column("layer", False), *(Column(short, True, metric) for short, metric in shown)]
    first = next(iter(runs.values()))
    figures = {
        metric: [(name, figure_of(name, metric), not _unranked(run, metric)) for name, run in runs.items()]
        for _, metric in shown
    }
    units = {metric: first.unit(metric) for _, metric in shown if metric in first.summary["metrics"]}
    return Page(
        title=title, question=question, facts=[first.summary["run"].get("tool", ""), *([shared] if (shared := terms(runs)) else [])], warnings=unranked, findings=ranking(figures, units), charts=gallery.of_runs(dict(runs)),
        tables=[Table("The layers", columns, rows)], notes=[*([warm_up] if warm_up else []), *first.notes], commands=commands,
    )  # fmt: skip
