"""The part of a page that a command writes: between two marks that name it."""

from pathlib import Path


def write_marked_section(page: Path, command: str, text: str) -> None:
    """Puts `text` between the marks of `command` (`<!-- COMMAND: begin -->`). ValueError where the page does not have each of them once."""
    begin, end = f"<!-- {command}: begin -->\n", f"<!-- {command}: end -->\n"
    whole = page.read_text()
    if whole.count(begin) != 1 or whole.count(end) != 1 or whole.index(begin) > whole.index(end):
        raise ValueError(f"{page}: expected one '{begin.strip()}' with '{end.strip()}' behind it")
    page.write_text(whole[: whole.index(begin) + len(begin)] + text + whole[whole.index(end) :])
