"""A grid of positions that is run beforehand: one file with the same sliders, which needs no simulator."""

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write
from tessera.errors import InputError
from tessera.explore.keys import key_of
from tessera.explore.place import places
from tessera.view.knobs.kept import Kept
from tessera.view.knobs.knob import LAYER, Knob
from tessera.view.knobs.measured import measure
from tessera.view.knobs.page import render
from tessera.view.knobs.runs import Answer
from tessera.view.knobs.server import known
from tessera.view.knobs.subject import Subject

FEW = 3  # stops that a slider keeps until others have as few
Progress = Callable[[int, int], None]
"""Runs that have ended, and those that there are."""


def write_offline(
    subject: Subject, file: Path, budget: int, jobs: int | None = None, progress: Progress = lambda done, of: None, kept: Kept | None = None
) -> Path:
    """Runs every position of a grid of at most `budget` requests in all, and writes the page. Raises InputError if the budget is too small."""
    thinned = dataclasses.replace(subject, knobs=within(subject.knobs, budget // subject.most))
    positions = list(itertools.product(*(range(len(knob.stops)) for knob in thinned.knobs)))
    answers = _answers(thinned, positions, jobs, progress, kept or Kept(None))
    fact = f"run beforehand: {len(positions):,} positions of up to {subject.most:,} requests each"
    return write(file, render(thinned, {place: known(answer) for place, answer in answers.items()}, (fact, *_left_out(subject.knobs, thinned.knobs))))


def within(knobs: Sequence[Knob], most: int) -> tuple[Knob, ...]:
    """The same sliders with fewer stops, so that there are at most so many positions: first each down to three, the longest first; then the last
    ones down to their own value. Layers go last.

    >>> within((Knob("a", "A", ("1", "2", "3", "4"), 1), Knob("b", "B", ("x", "y"), 0)), 4)[0].stops
    ('1', '2', '4')
    """
    if most < 1:
        raise InputError("--budget: expected enough for one run at least: a larger budget, or fewer requests with --limit")
    found = list(knobs)
    while math.prod(len(knob.stops) for knob in found) > most:
        free = [place for place, knob in enumerate(found) if len(knob.stops) > 1]
        choice = [place for place in free if found[place].name != LAYER] or free
        out = max(choice, key=lambda place: (max(FEW, len(found[place].stops)), place))
        found[out] = _without_one(found[out])
    return tuple(found)


def _without_one(knob: Knob) -> Knob:
    """Without the stop between its ends that is nearest to its own value; without an end once nothing else is left."""
    last = len(knob.stops) - 1
    out = min((place for place in range(last + 1) if place != knob.own), key=lambda place: (place in (0, last), abs(place - knob.own)))
    return dataclasses.replace(knob, stops=knob.stops[:out] + knob.stops[out + 1 :], own=knob.own - (out < knob.own))


def _left_out(whole: Iterable[Knob], thinned: Iterable[Knob]) -> list[str]:
    fewer = [f"{knob.title} ({len(left.stops)} of {len(knob.stops)})" for knob, left in zip(whole, thinned) if len(left.stops) < len(knob.stops)]
    return [f"values left out to stay within the budget: {', '.join(fewer)}"] if fewer else []


def _answers(subject: Subject, positions: Sequence[tuple[int, ...]], jobs: int | None, progress: Progress, kept: Kept) -> dict[str, Answer]:
    """By the places of the stops, as the page names them."""
    answers = {
        ",".join(map(str, at)): Answer({knob.name: knob.stops[stop] for knob, stop in zip(subject.knobs, at)}, version=1)
        for at in positions
    }
    for name, planned in _each(jobs, subject.plan, {name: answer.position for name, answer in answers.items()}):
        if isinstance(planned, InputError):
            answers[name].message, answers[name].done = str(planned), True
        else:
            answers[name].planned = _good(planned)
    runs: dict[str, list[Answer]] = {}
    for answer in answers.values():
        if answer.planned is not None:
            runs.setdefault(key_of(answer.planned.simulation), []).append(answer)
    before = {key: result for key in runs if (result := kept.get(key, subject.until)) is not None}
    simulations = {key: (key, those[0].planned.simulation) for key, those in runs.items() if key not in before}
    made = _each(jobs, lambda run: measure(*run, subject.until), simulations)
    for done, (key, result) in enumerate(itertools.chain(before.items(), made), start=1):
        progress(done, len(runs))
        if key not in before:
            kept.put(key, subject.until, _good(result))
        for answer in runs[key]:
            answer.add(_good(result))
            answer.done = True
    return answers


def _each(jobs: int | None, work: Callable[[Any], Any], items: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What each item comes to, or the exception that it ended with, as they come."""
    with places(jobs) as place:
        for name, item in items.items():
            place.submit(name, work, item)
        for _ in items:
            yield place.next()


def _good(result: Any) -> Any:
    if isinstance(result, BaseException):
        raise result
    return result
