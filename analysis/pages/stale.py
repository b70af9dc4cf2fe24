"""Pages that are older than the program: docs/stale.toml names each with what moved its figures, and the page says it below its title.

An entry: `page` (below docs/, or README.md), `since` (the date of the change), `cause` (a sentence), `command` (what makes the page again).
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tessera.engine.simulator import REPOSITORY
from tessera.errors import InputError

LIST = REPOSITORY / "docs" / "stale.toml"
BEGIN, END = "<!-- ./dev stale: begin -->\n", "<!-- ./dev stale: end -->\n"
NOTE = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END) + "\n?", re.DOTALL)
FIELDS = {"page", "since", "cause", "command"}


@dataclass(frozen=True)
class Stale:
    page: str
    since: str
    cause: str
    command: str

    def note(self) -> str:
        return f"{BEGIN}> **Older than the program** since {self.since}: {self.cause} `{self.command}` writes the figures again.\n{END}\n"


def stale_pages(source: Path = LIST) -> list[Stale]:
    """The entries of the list; none where there is no list. Raises InputError."""
    if not source.exists():
        return []
    entries = tomllib.loads(source.read_text(encoding="utf-8")).get("stale", [])
    for number, entry in enumerate(entries, 1):
        if set(entry) != FIELDS:
            raise InputError(f"{source}: entry {number} has {', '.join(sorted(entry)) or 'nothing'}; expected {', '.join(sorted(FIELDS))}")
    return [Stale(**entry) for entry in entries]


def with_note(text: str, stale: Stale | None) -> str:
    """The page with the note of `stale` after its title, and no other."""
    plain = NOTE.sub("", text)
    if stale is None:
        return plain
    title, _, rest = plain.partition("\n")
    return f"{title}\n\n{stale.note()}{rest.lstrip(chr(10))}"


def pages_and_notes(root: Path = REPOSITORY) -> dict[Path, str]:
    """Each page whose note is not what the list says, as it should be. Raises InputError where the list names a page that is not there."""
    stale = {root / entry.page: entry for entry in stale_pages(root / LIST.relative_to(REPOSITORY))}
    for page in stale:
        if not page.is_file():
            raise InputError(f"{LIST.relative_to(REPOSITORY)}: there is no page {page.relative_to(root)}")
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    wanted = {page: with_note(text, stale.get(page)) for page in pages if (text := page.read_text(encoding="utf-8"))}
    return {page: text for page, text in wanted.items() if text != page.read_text(encoding="utf-8")}


def write_stale(root: Path = REPOSITORY) -> list[Path]:
    """Puts the notes into the pages, and takes away those of pages that are no longer listed. Returns what it changed."""
    changed = pages_and_notes(root)
    for page, text in changed.items():
        page.write_text(text, encoding="utf-8")
    return sorted(changed)
