"""A page of results as text: its sections, which can be written again one by one; what of a section stays on the page of its chapter, and which
tables go to the chapter's page of tables; and where the pages lie."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from validation.papers.figures import PaperFigure


@dataclass(frozen=True)
class Places:
    """An overview, and in the folder of its name a page a chapter and its tables."""

    overview: Path

    @property
    def folder(self) -> Path:
        return self.overview.parent / self.overview.stem

    def chapter(self, name: str) -> Path:
        return self.folder / f"{name}.md"

    def tables(self, name: str) -> Path:
        return self.folder / "tables" / f"{name}.md"

    def figure(self, figure: PaperFigure) -> Path:
        return self.folder / f"{figure.paper}-{figure.id}.svg"

    def picture(self, name: str) -> Path:
        return self.folder / f"{name}.svg"


def _span(text: str, title: str) -> tuple[int, int] | None:
    """From a heading to the next one."""
    found = re.compile(rf"^## {re.escape(title)}\n", re.MULTILINE).search(text)
    if not found:
        return None
    following = re.compile(r"^## ", re.MULTILINE).search(text, found.end())
    return found.start(), following.start() if following else len(text)


def section_of(text: str, title: str) -> str:
    """What stands below a heading; nothing where there is no such heading."""
    span = _span(text, title)
    return text[span[0] : span[1]].split("\n", 1)[1] if span else ""


def with_section(text: str, titles: Sequence[str], title: str, section: str) -> str:
    """The page with `section` in the place of the one of this title, or before those that `titles` has after it; an empty one takes the
    old one away."""
    own = _span(text, title)
    if own is None:
        place = len(text)
        for after in titles[titles.index(title) + 1 :]:
            if found := _span(text, after):
                place = found[0]
                break
        own = (place, place)
    return text[: own[0]] + section + text[own[1] :]


def sections_in(parts: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """Text whose sections begin with '### Title': what is before the first of them, then each with its title."""
    pieces = re.split(r"^### (.*)\n", "\n".join(parts), flags=re.MULTILINE)
    return pieces[0], list(zip(pieces[1::2], pieces[2::2], strict=True))


MOST_CELLS = 18  # of the tables of a section on the page itself
LINK = "All figures: [tables]"
LABEL = 100  # letters: a line above a table that names it


def counts_nothing(block: str) -> bool:
    """Whether no row of a table of claims counts: questions of ours, on which there is no verdict, and rows apart."""
    first, _, *rows = block.splitlines() if block.startswith("| claim |") else ("", "")
    return bool(rows) and all("| our question |" in row or "| our question (" in row or "apart: " in row for row in rows)


def cells_of(block: str) -> int:
    """Of a table of figures; 0 of anything else, and of tables of claims, which stay."""
    lines = block.splitlines()
    if len(lines) < 3 or not lines[0].startswith("| ") or lines[0].startswith("| claim |"):
        return 0
    return (len(lines) - 2) * (lines[0].count("|") - 1)


def blocks_of(text: str) -> list[str]:
    """Paragraphs and tables."""
    return [block.strip("\n") for block in re.split(r"\n\s*\n", text) if block.strip()]


def split(blocks: Sequence[str]) -> tuple[list[str], list[str]]:
    """What stays, and what goes: the tables of figures where these are many, with the line that names one and the notes below it; and
    rows that do not count."""
    if sum(map(cells_of, blocks)) <= MOST_CELLS:
        return [block for block in blocks if not counts_nothing(block)], [block for block in blocks if counts_nothing(block)]
    stays: list[str] = []
    goes: list[str] = []
    for index, block in enumerate(blocks):
        names_one = index + 1 < len(blocks) and cells_of(blocks[index + 1]) > 0 and len(block) < LABEL and not block.endswith(".") and block[0] not in "|*"
        is_note = block.startswith("\\*") and index > 0 and cells_of(blocks[index - 1]) > 0
        (goes if cells_of(block) or names_one or is_note or counts_nothing(block) else stays).append(block)
    return stays, goes


def joined(blocks: Iterable[str]) -> str:
    return "".join(f"{block}\n\n" for block in blocks)


def anchor(title: str) -> str:
    """Of a heading, as sites and GitHub make it.

    >>> anchor("The same, one request after the other")
    'the-same-one-request-after-the-other'
    """
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def on_page(chapter: str, title: str, text: str) -> tuple[str, str]:
    """A section for the page of a chapter, with a link to its tables, and its part of the page of tables (empty where it has none)."""
    stays, goes = split(blocks_of(text))
    if not goes:
        return f"## {title}\n\n{joined(stays)}", ""
    first = next((place for place, block in enumerate(stays) if block.startswith("|")), len(stays))
    link = f"{LINK}(tables/{chapter}.md#{anchor(title)})."
    return f"## {title}\n\n{joined([*stays[:first], link, *stays[first:]])}", f"## {title}\n\n{joined(goes)}"
