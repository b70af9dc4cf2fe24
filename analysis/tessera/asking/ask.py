"""Runs a question: as long as its figure needs, with as many seeds as its answer needs."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tessera.asking.answer import GROWING, LONGEST, Answer
from tessera.asking.dependants import values_at
from tessera.asking.plan_file import FILE, PLACE, plan_table, write_plan
from tessera.asking.question import Question
from tessera.asking.templates import uses_flash
from tessera.engine.temporary import temporary_folder
from tessera.errors import InputError
from tessera.evidence.blocks import BLOCKS, PAST, Bursts, pseudo_values
from tessera.evidence.marks import cleaned_too_little, clocks, marks_of, told
from tessera.evidence.ratios import MOST_SEEDS, Measured, NARROW
from tessera.evidence.verdict import Verdict, best_of, least_that_is_enough
from tessera.evidence.warmup import words
from tessera.explore import Sweep, read_plan, run_sweep
from tessera.explore.effort import SHORTEST, run_until
from tessera.explore.plan import plan_of, simulation_at
from tessera.explore.sweep import Count, keyed
from tessera.results.steadiness import METRICS, Until

PROBE, FIRST_SEEDS, USUAL_SEEDS = 1, 4, 8
GROWTH = 8  # times as long, where no cleaning came that would say how long is enough

Progress = Callable[[str, Count], None]


def ask(question: Question, out: Path, command: str, *, settle: bool = False, jobs: int | None = None, progress: Progress | None = None) -> Answer:
    """Seeds are added until the answer is settled, up to USUAL_SEEDS, or MOST_SEEDS with `settle`. The last sweep's file is in `out`."""

    def sweep_of(table: Mapping[str, Any], what: str) -> Sweep:
        return run_sweep(read_plan(write_plan(out, table, command)), out, jobs=jobs, progress=(lambda count: progress(what, count)) if progress else None)

    if question.asked.source.recorded:
        return _ask_recording(question, sweep_of)
    limit = _length(question)
    seeds = PROBE  # each design once, until the slowest clock of all has come far enough
    while True:
        sweep = sweep_of(plan_table(question, limit, seeds), f"{seeds} seeds")
        answer = _answer(question, sweep, seeds, looks(settle))
        longer = _more_requests(answer, limit, settle)
        more = FIRST_SEEDS if seeds == PROBE else _more_seeds(answer.verdict, seeds, settle)
        if longer is None and more is None:
            return answer
        limit, seeds = (longer, seeds) if longer is not None else (limit, more or seeds)


def _ask_recording(question: Question, sweep_of: Callable[[Mapping[str, Any], str], Sweep]) -> Answer:
    """One run of each design on what follows the recording's past, which fills the caches; replicates are blocks of its requests, or, of figures
    that no log of requests has, runs of its parts."""
    asked = question.asked
    there = asked.source.requests(asked.most + 1, asked.format)
    requests = min(there, asked.most)
    past = requests // PAST
    return _answer(question, sweep_of(plan_table(question, requests - past, 1, past), "recording"), 1, 1, past, there > requests)


def _more_seeds(verdict: Verdict, seeds: int, settle: bool) -> int | None:
    """How many seeds to go on with, always twice as many; None where more would not help, or nobody asked for so many."""
    following = min(2 * seeds, MOST_SEEDS if settle else USUAL_SEEDS)
    return following if verdict.doubts and following > seeds else None


def looks(settle: bool) -> int:
    """How often the seeds may be looked at: each look could end the run by chance, so they share the confidence."""
    return 1 + int(math.log2((MOST_SEEDS if settle else USUAL_SEEDS) / FIRST_SEEDS))


def _more_requests(answer: Answer, limit: int | None, settle: bool) -> int | None:
    """How long the runs have to be for the slowest clock of any design; None where they are, or where the input is recorded. Without `settle`
    nothing is spent on what would take more than the question's own bound: the answer says how much it is."""
    asked = answer.question.asked
    if asked.source.workload is None:
        return None
    left_out = [name for name, why in answer.verdict.left_out.items() if any(mark in why for mark in GROWING)]
    wanted = max((answer.requests_needed(name) or GROWTH * answer.requests for name in left_out), default=0)
    if settle:
        wanted = min(wanted, LONGEST, GROWTH * answer.requests)
    return wanted if (limit or 0) < wanted and (settle or wanted <= asked.most) else None


def _length(question: Question) -> int | None:
    """Requests of every run of a generated input: until the figure of the first design is narrow, and its clocks have come far enough."""
    asked = question.asked
    table = plan_table(question, asked.most, 1)
    if asked.metric.name not in METRICS or asked.most <= SHORTEST:
        return asked.most
    plan = plan_of(table)
    design = question.designs[0]
    folder = temporary_folder()
    simulation = simulation_at(plan.run, {**design.point(), "seed": 1}, Path())
    run, effort = run_until(simulation, Until(asked.metric.name, NARROW), folder, asked.most)
    return asked.most if cleaned_too_little(run, [asked.metric.name]) else effort.limit


def _rows_by_design(question: Question, sweep: Sweep) -> tuple[dict[str, pl.DataFrame], int | None]:
    """The rows of each design, by the points of the plan, and the warm-up that they leave out."""
    points = [design.point() for design in question.designs]
    of = {key: points.index({name: value for name, value in run.point.items() if name not in PLACE}) for key, run in keyed(read_plan(sweep.folder / FILE)).items()}
    results, part = sweep.compared()
    places = pl.Series([of[key] for key in results["key"]], dtype=pl.Int64)
    return {design.name: results.filter(places == place) for place, design in enumerate(question.designs)}, part


def measured_of(rows: pl.DataFrame, metric: str) -> Measured:
    """The figure of a design by replicate, with the marks that any of its runs has; of a recording those of the run of all of it."""
    rows = rows.sort(*(name for name in ("axis.limit", "axis.skip", "axis.seed") if name in rows.columns))
    bad = rows.filter(pl.col("exit_status") != 0)
    good = rows.filter(pl.col("exit_status") == 0)
    runs = list(good.iter_rows(named=True))
    message = str(bad["message"][0]) if bad.height else ""
    recorded = any(row.get("recorded") for row in runs)
    of_all = [row for row in runs if row.get("axis.limit") == runs[-1].get("axis.limit")] if recorded else runs  # the longest comes last
    marks = tuple(dict.fromkeys(mark for row in of_all for mark in marks_of(row, [metric])))
    slowest: dict[str, tuple[float, float]] = {}
    for row in of_all:
        for name, clock in clocks(row, [metric]).items():
            slowest[name] = min(slowest.get(name, clock), clock)
    said = tuple(dict.fromkeys(line for row in of_all for line in told(row, [metric])))
    busy = min((row.get("cpu.utilisation") or 0.0 for row in of_all), default=0.0)
    if message or not recorded:
        found = {int(row["axis.seed"]): float(row[metric]) for row in runs if row.get(metric) is not None}
        return Measured({} if message else found, marks, message, slowest, busy, told=said)
    (whole,) = of_all
    by_blocks = whole.get(f"{metric}.of_all") is not None
    if by_blocks:
        found = pseudo_values(whole[f"{metric}.of_all"], [whole[f"{metric}.without.{block}"] for block in range(1, BLOCKS + 1)])
    else:
        parts = [row[metric] for row in runs if row is not whole]
        found = {} if None in parts else dict(enumerate(parts, 1))
    return Measured(found, marks, message, slowest, busy, whole.get(metric), not by_blocks, _halves(whole, metric), _bursts(whole, metric), said)


def _halves(row: Mapping[str, Any], metric: str) -> tuple[float, ...]:
    return tuple(row[name] for name in (f"{metric}.half.1", f"{metric}.half.2") if row.get(name) is not None)


def _bursts(row: Mapping[str, Any], metric: str) -> Bursts | None:
    count = row.get(f"{metric}.bursts")
    return None if count is None else Bursts(int(count), row[f"{metric}.bursts.share"], row[f"{metric}.outside_bursts"])


def _answer(question: Question, sweep: Sweep, seeds: int, times: int, past: int = 0, goes_on: bool = False) -> Answer:
    asked, (rows, part) = question.asked, _rows_by_design(question, sweep)
    measured = {name: measured_of(frame, asked.metric.name) for name, frame in rows.items()}
    if all(found.message for found in measured.values()):
        raise InputError(next(iter(measured.values())).message)
    costs = _costs(question, rows) if asked.kind == "cost" else {}
    judged = {name: found for name, found in measured.items() if asked.at_most is None or costs.get(name, 0) <= asked.at_most}
    if not judged:
        raise InputError(f"no design costs {asked.at_most:g} per user TB or less; the cheapest is {min(costs, key=costs.__getitem__)} at {min(costs.values()):.3g}")
    verdict = (least_that_is_enough if question.ordered else best_of)(judged, asked.metric.more_is_better, times)
    requests = max((int(count) for frame in rows.values() if "host.requests" in frame.columns for count in frame["host.requests"].drop_nulls()), default=0)
    notes = "; ".join(str(note) for frame in rows.values() if "notes" in frame.columns for note in frame["notes"].drop_nulls())
    return Answer(question, measured, verdict, requests, seeds, costs, past, "requests before filled them in part" in notes, sweep.facts.get("fold", ""), goes_on, words(part, [asked.metric.name]))


def _costs(question: Question, rows: Mapping[str, pl.DataFrame]) -> dict[str, float]:
    asked = question.asked
    found = {}
    for design in question.designs:
        block = values_at(asked.drive, asked.settings, "nand.pages_per_block") * values_at(asked.drive, asked.settings, "nand.page_size")
        flash = float(block * values_at(asked.drive, {**asked.settings, **design.settings}, "nand.blocks")) if uses_flash(asked, design.layer, design.settings) else 0.0
        good = rows[design.name].filter(pl.col("exit_status") == 0)
        if good.height and (cost := asked.prices.per_user_tb(good.row(0, named=True), flash)) is not None:
            found[design.name] = cost
    return found
