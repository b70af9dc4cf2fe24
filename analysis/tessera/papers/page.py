"""Pieces of a page of text: tables and findings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


def number(value: float | None, digits: int = 2) -> str:
    """A figure for a table; a dash where it is undefined."""
    return "-" if value is None else f"{value:,.{digits}f}"


def percent(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{100 * value:+.{digits}f} %"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table whose first column is text and whose other columns are figures."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


HOLDS = "holds"


@dataclass(frozen=True)
class Finding:
    """A claim of a paper beside what came out here."""

    claim: str
    published: str
    here: str
    verdict: str  # by verdict(), or words where there is nothing to count
    why: str = ""  # printed where the claim does not hold throughout


def verdict(cases: Iterable[bool]) -> str:
    """What became of a claim that was tried on these cases."""
    outcomes = list(cases)
    held = sum(outcomes)
    if not outcomes:
        return "not tried"
    if held == len(outcomes):
        return HOLDS
    return f"holds on {held} of {len(outcomes)}" if held else "does not hold"


def span(values: Iterable[float], digits: int = 2) -> str:
    """The least and the largest of some figures."""
    figures = sorted(values)
    if not figures:
        return "-"
    low, high = number(figures[0], digits), number(figures[-1], digits)
    return low if low == high else f"{low} to {high}"


def findings(items: Iterable[Finding]) -> str:
    lines = ["| claim | published | here | verdict | why |", "|---|---|---|---|---|"]
    for item in items:
        why = "" if item.verdict == HOLDS else item.why
        lines.append(f"| {item.claim} | {item.published} | {item.here} | {item.verdict} | {why} |")
    return "\n".join(lines) + "\n"
