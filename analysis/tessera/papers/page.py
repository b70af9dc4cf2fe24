"""Pieces of a page of text: tables and findings."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tessera.run_folder import Run

Rows = Mapping[str, Mapping[str, Run]]  # runs by input and variant


def number(value: float | None, digits: int = 2) -> str:
    """A figure for a table; a dash where it is undefined."""
    return "-" if value is None else f"{value:,.{digits}f}"


def ratio(value: float | None) -> str:
    """Three digits behind the point; where these say little, two that count.

    >>> ratio(1.1682), ratio(0.0182), ratio(0.003995), ratio(0.000116), ratio(None)
    ('1.168', '0.018', '0.0040', '0.00012', '-')
    """
    small = value is not None and 0 < value < 0.01
    return number(value, 1 - math.floor(math.log10(value)) if small else 3)


def percent(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{100 * value:+.{digits}f} %"


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


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table whose first column is text and whose other columns are figures."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


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


HOLDS = "holds"


@dataclass(frozen=True)
class Finding:
    """A claim of a paper beside what came out here."""

    claim: str
    published: str
    here: str
    verdict: str  # of its direction: by verdict(), or words where there is nothing to count
    why: str = ""  # printed where the claim does not hold throughout
    size: str = ""  # by size(), where the paper prints a figure


def verdict(cases: Iterable[bool]) -> str:
    """What became of a claim that was tried on these cases."""
    outcomes = list(cases)
    held = sum(outcomes)
    if not outcomes:
        return "not tried"
    if held == len(outcomes):
        return HOLDS
    return f"holds on {held} of {len(outcomes)}" if held else "does not hold"


def size(here: Sequence[float], published: float, unit: str = "") -> str:
    """A second verdict, on the size: how the mean of these figures compares with what is printed."""
    if not here:
        return "-"
    mean = sum(here) / len(here)
    times = abs(mean / published)
    what = "as published" if 0.8 <= times <= 1.25 else "near (half to twice)" if 0.5 <= times <= 2 else "larger" if times > 2 else "smaller"
    return f"{what}: mean {number(mean, 1)}{unit} for {number(published, 1)}{unit}"


def findings(items: Iterable[Finding]) -> str:
    """A table; with a column on the size where a finding has one."""
    listed = list(items)
    sized = any(item.size for item in listed)
    header = ["claim", "published", "here", "verdict", *(["size"] if sized else []), "why"]
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    for item in listed:
        why = "" if item.verdict == HOLDS else item.why
        cells = [item.claim, item.published, item.here, item.verdict, *([item.size or "-"] if sized else []), why]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
