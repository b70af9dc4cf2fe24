"""Pieces of a page of text: tables and findings."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.outcome import Tally

Rows = Mapping[str, Mapping[str, Run]]  # runs by input and variant


def ratio(value: float | None) -> str:
    """Three digits behind the point; where these say little, two that count.

    >>> ratio(1.1682), ratio(0.0182), ratio(0.003995), ratio(0.000116), ratio(None)
    ('1.168', '0.018', '0.0040', '0.00012', '-')
    """
    small = value is not None and 0 < value < 0.01
    return number(value, 1 - math.floor(math.log10(value)) if small else 3)


def span(values: Iterable[float], digits: int = 2) -> str:
    """The least and the largest of some figures."""
    figures = sorted(values)
    if not figures:
        return "-"
    low, high = number(figures[0], digits), number(figures[-1], digits)
    return low if low == high else f"{low} to {high}"


def listed(items: Mapping[str, object]) -> str:
    """What belongs to each name, in a line."""
    return ", ".join(f"{name}: {item}" for name, item in items.items())


ENDLESS = "°"  # behind a response that measures the length of the run, as the backlog grew all along


@dataclass(frozen=True)
class Figure:
    """What a table shows of each run."""

    title: str
    of: Callable[[Run], float | None]
    digits: int = 2
    of_response: bool = False

    def text(self, run: Run) -> str:
        endless = self.of_response and run.metric("host.backlog.unstable")
        return number(self.of(run), self.digits) + (ENDLESS if endless else "")


def figure_tables(rows: Rows, figures: Iterable[Figure]) -> list[str]:
    """A table a figure: rows are inputs, columns variants."""
    columns = list(next(iter(rows.values())))
    return [
        table([figure.title, *columns], [[name, *(figure.text(row[column]) for column in columns)] for name, row in rows.items()])
        for figure in figures
    ]


def figures_by_row(rows: Rows, first: str, figures: Sequence[Figure]) -> str:
    """One table: rows are inputs, columns each figure of each variant."""
    columns = list(next(iter(rows.values())))
    header = [first, *(f"{figure.title} {column}" for figure in figures for column in columns)]
    return table(header, [[name, *(figure.text(row[column]) for figure in figures for column in columns)] for name, row in rows.items()])


def starred(rows: Rows, ranked: Callable[[Mapping[str, Run]], bool]) -> Rows:
    """The same with a star behind each input whose runs do not make a ranking."""
    return {name if ranked(row) else f"{name}*": row for name, row in rows.items()}


def ranked_tables(rows: Rows, figures: Iterable[Figure], ranked: Callable[[Mapping[str, Run]], bool], otherwise: str) -> list[str]:
    """The tables with stars, and below them what a star says."""
    tables = figure_tables(starred(rows, ranked), figures)
    return tables if all(map(ranked, rows.values())) else [*tables, f"\\* {otherwise}: not ranked.\n"]


@dataclass(frozen=True)
class Finding:
    """A claim of a paper beside what came out here."""

    claim: str
    published: str
    here: str
    verdict: str  # of its direction: by verdict(), or words where there is nothing to count
    why: str = ""  # printed where the claim does not hold throughout
    ratio: float | None = None  # where the paper prints a ratio: the same one here


def verdict(cases: Iterable[bool]) -> str:
    """What became of a claim that was tried on these cases."""
    return Tally.of(cases).text


def from_reduction(percent_below: float) -> float:
    """How many times as much the other takes, of a reduction in percent.

    >>> round(from_reduction(-69.4), 2), round(from_reduction(-98.7), 1)
    (3.27, 76.9)
    """
    return 100 / (100 + percent_below)


class Findings(str):
    """The table of findings as text, which still has them one by one."""

    items: tuple[Finding, ...] = ()


def findings(items: Iterable[Finding]) -> Findings:
    """The plain table: what the paper says, what came out, and why not."""
    listed = tuple(items)
    lines = ["| claim | published | here | verdict | why |", "|---|---|---|---|---|"]
    for item in listed:
        cells = [item.claim, item.published, item.here, item.verdict, item.why]
        lines.append("| " + " | ".join(cells) + " |")
    text = Findings("\n".join(lines) + "\n")
    text.items = listed
    return text
