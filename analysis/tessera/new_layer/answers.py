"""The questions that a new layer begins with."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tessera.errors import InputError, nearest
from tessera.explore.axes import amount
from tessera.results.human import size

TRACKS = ("shingled", "interlaced")
DURABILITIES = ("none", "volatile", "plp")
MOST_UNIT = 13  # tracks: with two records a chain of 16 steps
LEAST_BUFFER, MOST_BUFFER = 4096, 1 << 30


@dataclass(frozen=True)
class Answers:
    tracks: str = "shingled"
    durability: str = "none"
    unit: int = 7
    buffer: int = 256 << 10
    summary: str = "units of tracks, copied to a spare place at each rewrite"


def one_of(names: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text in names:
            return text
        close = nearest(text, names)
        raise InputError(f"expected {', '.join(names[:-1])} or {names[-1]}, found '{text}'" + (f"; did you mean '{close}'?" if close else ""))

    return read


def unit_of(text: str) -> int:
    """
    >>> unit_of("7")
    7
    """
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= MOST_UNIT):
        raise InputError(f"expected 1 to {MOST_UNIT} tracks, found '{text}'")
    return int(text)


def buffer_of(text: str) -> int:
    """
    >>> buffer_of("64 KiB"), buffer_of("1MiB")
    (65536, 1048576)
    """
    value, unit = amount(text)
    if unit != "B" or value != int(value) or not LEAST_BUFFER <= value <= MOST_BUFFER:
        raise InputError(f"expected a size from 4 KiB to 1 GiB such as \"64 KiB\", found '{text}'")
    return int(value)


def summary_of(text: str) -> str:
    if not text.strip() or not text.isprintable() or len(text) > 100:
        raise InputError(f"expected one line of up to 100 characters, found {len(text)}" if text.isprintable() else "expected one line of plain text")
    if {'"', "\\", "*", "/"} & set(text):  # it goes into a comment and a string of the source
        raise InputError(f"expected no quotation mark, backslash, asterisk or slash, found '{text}'")
    return text.strip()


@dataclass(frozen=True)
class Question:
    name: str
    """Of the option, and of the field of Answers."""
    words: str
    read: Callable[[str], Any]
    shown: Callable[[Any], str] = str
    asked: Callable[[Answers], bool] = lambda _: True


QUESTIONS = (
    Question("tracks", "How do tracks overlap: shingled or interlaced?", one_of(TRACKS)),
    Question("durability", "When is a write acknowledged: on the platters (none), in memory (volatile), in memory that is dumped at a power loss (plp)?", one_of(DURABILITIES)),
    Question("unit", f"How many tracks are rewritten together (1 to {MOST_UNIT}; odd where interlaced)?", unit_of),
    Question("buffer", "How large is the write buffer?", buffer_of, size, lambda so_far: so_far.durability != "none"),
    Question("summary", "What does the layer do, in one line?", summary_of),
)


def collect(given: dict[str, str | None], ask: Callable[[str, str], str] | None, without: tuple[str, ...] = ()) -> tuple[Answers, list[str]]:
    """The answers, from options, else from `ask(question, default)`, again where an answer is none, else by default; and what was taken by
    default, in words. Questions `without` are left out. Raises InputError for an option that is none, or that does not go with another."""
    answers, defaults = Answers(), []
    for question in QUESTIONS:
        if question.name in without:
            continue
        text = given.get(question.name)
        if not question.asked(answers):
            if text is not None:
                raise InputError(f"--{question.name} is of use with --durability volatile or plp; with none a write goes to the platters at once")
            continue
        default = question.shown(getattr(answers, question.name))
        if text is not None:
            answers = _with(answers, question, text)
        elif ask is not None:
            answers = _asked(answers, question, default, ask)
        else:
            defaults.append(f"--{question.name} {default!r}" if " " in default else f"--{question.name} {default}")
    return answers, defaults


def _with(answers: Answers, question: Question, text: str) -> Answers:
    try:
        answers = replace(answers, **{question.name: question.read(text)})
    except InputError as error:
        raise InputError(f"--{question.name}: {error}") from None
    if answers.tracks == "interlaced" and answers.unit % 2 == 0:
        raise InputError(f"--unit: interlaced units begin and end with a bottom track, so their number is odd; found {answers.unit}, {answers.unit + 1} would do")
    return answers


def _asked(answers: Answers, question: Question, default: str, ask: Callable[[str, str], str]) -> Answers:
    words = question.words
    while True:
        try:
            return _with(answers, question, ask(words, default))
        except InputError as error:
            words = f"{error}\n{question.words}"
