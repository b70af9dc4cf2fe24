"""Tables of a page in Markdown, and the figures in them."""

from collections.abc import Iterable, Sequence


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
