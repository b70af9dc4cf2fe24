"""The page of the planted bugs: a row for each that was ever planted, the newest run's in the place of older ones."""

import re
from pathlib import Path

from bugs import BadBug, Bug, Catcher

TITLE = """# Planted bugs

Each fault of `tests/planted/bugs/`, alone in a build, and the first test that noticed ([testing](../../docs/developers/testing.md)).
Made by `./dev planted --page tests/planted/caught.md`, which replaces the rows of the bugs that it plants.
"""
HEAD = "| planted bug | file | caught by |\n|---|---|---|"
ROW = re.compile(r"^\| (?P<what>.+) \| `(?P<file>[^`|]+)` \| .+ \|$")


def row(bug: Bug, catcher: Catcher | None) -> str:
    caught = "**nothing**" if catcher is None else f"`{catcher}`"
    return f"| {bug.what} | `{bug.file}` | {caught} |"


def rows_of(text: str) -> dict[tuple[str, str], str]:
    """The rows of a page, by what their bug is and its file."""
    found = {}
    for line in text.splitlines()[text.count("\n", 0, text.find(HEAD)) + 2 :] if HEAD in text else ():
        match = ROW.match(line)
        if not match:
            raise BadBug(f"a line of the page is no row: {line}")
        found[match["what"], match["file"]] = line
    return found


def page(old: str, planted: dict[str, str], bugs: dict[str, Bug]) -> str:
    """The page `old`, "" where there is none, with the rows `planted` by name, in the order of the bugs; rows of bugs that are gone are left out."""
    kept = rows_of(old)
    rows = {name: planted.get(name, kept.get((bug.what, bug.file))) for name, bug in bugs.items()}
    there = [line for line in rows.values() if line is not None]
    missing = [name for name, line in rows.items() if line is None]
    count = f"{len(there)} of {len(bugs)} bugs have a row, {len(planted)} of them from the last run."
    if missing:
        count += " Without one: " + ", ".join(f"`{name}`" for name in missing) + "."
    return "\n".join([TITLE, count, "", HEAD, *there]) + "\n"


def renew(file: Path, planted: dict[str, str], bugs: dict[str, Bug]) -> None:
    file.write_text(page(file.read_text() if file.exists() else "", planted, bugs))
