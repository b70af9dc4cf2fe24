"""The part of a page that a command writes: between two marks that name it."""

from pathlib import Path


def marked_section(page: Path, command: str) -> str:
    """What is between the marks of `command`. ValueError as write_marked_section()."""
    begin, end = _marks(command)
    whole = page.read_text(encoding="utf-8")
    _require_marks(page, whole, begin, end)
    return whole[whole.index(begin) + len(begin) : whole.index(end)]


def write_marked_section(page: Path, command: str, text: str) -> None:
    """Puts `text` between the marks of `command` (`<!-- COMMAND: begin -->`). ValueError where the page does not have each of them once."""
    begin, end = _marks(command)
    whole = page.read_text(encoding="utf-8")
    _require_marks(page, whole, begin, end)
    page.write_text(whole[: whole.index(begin) + len(begin)] + text + whole[whole.index(end) :])


def _marks(command: str) -> tuple[str, str]:
    return f"<!-- {command}: begin -->\n", f"<!-- {command}: end -->\n"


def _require_marks(page: Path, whole: str, begin: str, end: str) -> None:
    if whole.count(begin) != 1 or whole.count(end) != 1 or whole.index(begin) > whole.index(end):
        raise ValueError(f"{page}: expected one '{begin.strip()}' with '{end.strip()}' behind it")
