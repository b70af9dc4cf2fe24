"""The page of results as chapters and sections, so that one of them can be written again."""

import re
from collections.abc import Sequence


def _span(text: str, mark: str, title: str, start: int, end: int) -> tuple[int, int] | None:
    """From a heading to the next one of its rank or above."""
    found = re.compile(rf"^{mark} {re.escape(title)}\n", re.MULTILINE).search(text, start, end)
    if not found:
        return None
    following = re.compile(rf"^#{{1,{len(mark)}}} |^<!-- \./dev papers", re.MULTILINE).search(text, found.end(), end)
    return found.start(), following.start() if following else end


def with_section(text: str, chapter: str, titles: Sequence[str], title: str, section: str) -> str:
    """The page with `section` in the place of the one of this title, or after those that `titles` has before it. ValueError where the page
    has no such chapter."""
    span = _span(text, "##", chapter, 0, len(text))
    if span is None:
        raise ValueError(f"expected the chapter '## {chapter}'")
    start, end = span
    own = _span(text, "###", title, start, end)
    if own is None:
        place = end
        for before in titles[: titles.index(title)]:
            if found := _span(text, "###", before, start, end):
                place = found[1]
        own = (place, place)
    return text[: own[0]] + section + text[own[1] :]


def with_chapter(text: str, title: str, chapter: str) -> str:
    """The page with another chapter of this title."""
    span = _span(text, "##", title, 0, len(text))
    if span is None:
        raise ValueError(f"expected the chapter '## {title}'")
    return text[: span[0]] + chapter + text[span[1] :]


def with_tables(text: str, titles: Sequence[str], title: str, section: str) -> str:
    """The same on a page of tables, whose sections are of the second rank; an empty one takes the old one away."""
    own = _span(text, "##", title, 0, len(text))
    if own is None:
        place = len(text)
        for after in titles[titles.index(title) + 1 :]:
            if found := _span(text, "##", after, 0, len(text)):
                place = found[0]
                break
        own = (place, place)
    return text[: own[0]] + section + text[own[1] :]
