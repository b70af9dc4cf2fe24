"""The first sentence of a report of a search: the design that the question asks for, or the ends of the front."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from tessera.asking.metric import unit_of
from tessera.evidence.marks import UNRANKED
from tessera.explore.dataset import AXIS
from tessera.explore.search_notes import reached
from tessera.explore.search_plan import COST, COST_PER_TB
from tessera.figures.pictures import text
from tessera.reports.answer import metric_named
from tessera.results.human import counted

_OF_COST = re.compile(r"cost|cheap|price|dollar|\$|expensive")
_OF_LATENCY = "host.latency."


def of_search(trials: pl.DataFrame, objectives: Mapping[str, str], question: str) -> str:
    """The answer of a search to a question, of objectives ("minimise" or "maximise"); without one, the ends of its front."""
    wanted = _objective_in(question, list(objectives))
    if question and not wanted:
        return f"Not understood: {_not_understood(question, objectives)}."
    ends = [wanted] if wanted else sorted(objectives, key=lambda name: name not in (COST, COST_PER_TB))
    kept = trials.filter("keeps") if "keeps" in trials.columns else trials
    best = trials.filter("front")
    shown = [_best(best, name, objectives[name]) for name in ends]
    of_whom = f"of {counted(kept.height, 'design')}" + (" that keep the constraints" if kept.height < trials.height else "")
    said = "; ".join(dict.fromkeys(f"{_superlative(name, objectives[name])} {design_text(row)} ({reached_text(row, objectives)})" for name, row in zip(ends, shown)))
    why = _why_not(kept, shown, ends, objectives)
    said = f"{of_whom}, {said}"
    return f"Not settled: {'; '.join(why)}. As far as it goes: {said}." if why else f"{said[0].upper()}{said[1:]}."


def design_text(row: Mapping[str, Any]) -> str:
    """The values of a design on the axes of the search."""
    return ", ".join(f"{name.removeprefix(AXIS)} {text(value)}" for name, value in row.items() if name.startswith(AXIS) and value is not None)


def reached_text(row: Mapping[str, Any], objectives: Mapping[str, str]) -> str:
    """What a design reaches, with intervals where the search had seeds."""
    return ", ".join(f"{name} {reached(row, name, unit_of(name))}" for name in objectives)


def _objective_in(question: str, objectives: Sequence[str]) -> str | None:
    """The objective that a question names."""
    asked = question.lower()
    named = metric_named(question)
    latencies = [name for name in objectives if name.startswith(_OF_LATENCY)]
    candidates = [name for name in objectives if name in asked]
    candidates += [name for name in objectives if name == named]
    candidates += latencies if "latency" in asked and named in (None, _OF_LATENCY + "mean") else []
    candidates += [name for name in objectives if name in (COST, COST_PER_TB)] if _OF_COST.search(asked) else []
    return candidates[0] if candidates else None


def _not_understood(question: str, objectives: Mapping[str, str]) -> str:
    named = metric_named(question)
    listed = ", ".join(objectives)
    return f"the question is about {named}, which is no objective of this search ({listed})" if named else f"the question names no objective of this search ({listed})"


def _best(designs: pl.DataFrame, name: str, direction: str) -> dict[str, Any]:
    return designs.sort(name, descending=direction == "maximise", nulls_last=True).row(0, named=True)


def _superlative(name: str, direction: str) -> str:
    return "the cheapest is" if name == COST else f"the {'highest' if direction == 'maximise' else 'lowest'} {name} has"


def _why_not(kept: pl.DataFrame, shown: Sequence[Mapping[str, Any]], ends: Sequence[str], objectives: Mapping[str, str]) -> list[str]:
    """What keeps the answer from being one."""
    why = []
    if marks := sorted({mark for row in shown for mark in UNRANKED if mark in (row.get("marks") or "")}):
        why.append(f"a design of the answer must not be ranked ({', '.join(marks)})")
    measured = [name for name in objectives if name not in (COST, COST_PER_TB)]
    if measured and not any(f"{name}.half_width" in kept.columns and kept[f"{name}.half_width"].drop_nulls().len() for name in measured):
        return [*why, "one seed has no interval"]
    return why + [reason for row, name in zip(shown, ends) if (reason := _unsettled(kept, row, name))]


def _unsettled(kept: pl.DataFrame, row: Mapping[str, Any], name: str) -> str:
    """Why the best figure of an objective is not known to be the best: "" where it is."""
    width = f"{name}.half_width"
    if name in (COST, COST_PER_TB):  # known without a run
        return ""
    if row.get(width) is None:
        return f"the best {name} is of one run, which has no interval"
    if row.get("settled") is False:
        return f"whether the design with the best {name} is on the front"
    others = kept.filter(pl.col("key") != row["key"])
    if "settled" in kept.columns:  # what is beaten for sure is no rival, nor is what is equal
        others = others.filter((pl.col("front") | ~pl.col("settled").fill_null(True)) & (pl.col("point").fill_null("") != row["key"]))
    room = (pl.col(width).fill_null(float("inf")) ** 2 + (row[width] or 0.0) ** 2).sqrt()
    near = others.filter((pl.col(name) - row[name]).abs() <= room).height
    return f"{counted(near, 'more design')} {'lies' if near == 1 else 'lie'} within the interval of the best {name}" if near else ""
