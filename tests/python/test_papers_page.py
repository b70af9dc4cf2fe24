"""The page of results: what stays on it, what goes to a page of tables, and one section written again."""

from pathlib import Path

import pytest

from tessera.papers.page_file import with_chapter, with_section, with_tables
from tessera.papers.report import KEPT
from tessera.papers.split import on_page, split

PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation.md"
SMALL = "| a | b |\n|---|---:|\n| 1 | 2 |"
LARGE = "| a | b | c |\n|---|---:|---:|\n" + "\n".join(["| 1 | 2 | 3 |"] * 30)
CLAIMS = LARGE.replace("| a |", "| claim |")
BOOK = "# Title\n\n## One\n\n### A\n\na\n\n### C\n\nc\n\n## Two\n\n### A\n\nother\n"


def test_small_tables_and_claims_stay_and_large_tables_go_with_their_lines():
    assert split(["Text.", SMALL]) == (["Text.", SMALL], [])
    assert split(["Text.", "w17:", LARGE, "\\* few", CLAIMS]) == (["Text.", CLAIMS], ["w17:", LARGE, "\\* few"])


def test_a_section_links_its_tables():
    stays, goes = on_page("hwsr", "Block size", f"Text.\n\n{LARGE}\n\n{CLAIMS}\n", "validation")
    assert stays == f"### Block size\n\nText.\n\nAll figures: [tables](validation/hwsr.md#block-size).\n\n{CLAIMS}\n\n"
    assert goes == f"## Block size\n\n{LARGE}\n\n"


def test_a_section_takes_the_place_of_the_old_one_or_its_own():
    assert with_section(BOOK, "One", ["A", "B", "C"], "A", "### A\n\nnew\n\n") == BOOK.replace("### A\n\na\n", "### A\n\nnew\n")
    assert "### A\n\na\n\n### B\n\nb\n\n### C\n" in with_section(BOOK, "One", ["A", "B", "C"], "B", "### B\n\nb\n\n")
    assert with_section(BOOK, "One", ["A", "C", "D"], "D", "### D\n\nd\n\n").index("### D") < BOOK.index("## Two") + 1
    assert with_chapter(BOOK, "Two", "## Two\n\nnew\n").endswith("c\n\n## Two\n\nnew\n")
    with pytest.raises(ValueError, match="## Three"):
        with_section(BOOK, "Three", ["A"], "A", "")


def test_tables_come_in_the_order_of_the_experiments_and_go_when_they_are_none():
    tables = with_tables("# T\n\n## A\n\na\n\n## C\n\nc\n", ["A", "B", "C"], "B", "## B\n\nb\n\n")
    assert [line for line in tables.splitlines() if line.startswith("## ")] == ["## A", "## B", "## C"]
    assert "## B" not in with_tables(tables, ["A", "B", "C"], "B", "")


def test_the_page_has_the_mark_from_which_on_it_belongs_to_others():
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(KEPT) == 1
    assert text.index(KEPT) < text.index("## Measured drives")
