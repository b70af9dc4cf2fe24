"""A page of results as sections, so that one of them can be written again."""

import re
from collections.abc import Sequence


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
