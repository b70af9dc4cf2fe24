"""The check of the pages' words finds what it is there for, and lets pass what is allowed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from words import MOST_PAGES, MOST_WORDS, found_in, main, reading_path, too_long, words_of


@pytest.mark.parametrize(
    "text",
    [
        "The tables are built anew.",
        "Beside what a run writes",
        "1 ms where not given",
        "the designs that no\nother beats",
        "16 bytes a slot",
        "one row a run",
        "data that lies in the DRAM",
        "a run that fails in its midst",
        "`requests` per run, 121,859 requests a CPU-second",
    ],
)
def test_a_phrase_is_found(text):
    assert found_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "```\nThe tables are built anew.\n```",
        "`beside`",
        "<!-- ./dev sizing: begin -->\nbeside\n<!-- ./dev sizing: end -->",
        "besides written blocks",
        "Vguard stands alone, and believes it",
        "16 bytes per slot",
        "how often in a row a page may move",
    ],
)
def test_what_is_allowed_passes(text):
    assert not found_in(text)


def test_the_line_is_that_of_the_phrase():
    assert found_in("One\ntwo beside\nthree") == [(2, "beside", '"next to" or "with"')]


def test_the_pages_are_free_of_them():
    assert main() == 0


def tree(folder, words):
    """A site of a home with so many words, a page of layers that links two, one of which is reference, and a page for developers."""
    for name, text in {
        "README.md": "# Home\n" + "word " * words + "\n```\nnot counted here\n```\n| 1.2 | - |\n",
        "layers/README.md": "[a](a.md#part) [b](b.md)\n",
        "layers/a.md": "# A\n",
        "layers/b.md": "# B\n",
        "developers/speed.md": "# Speed\n",
    }.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text(text)
    (folder / "site").mkdir()
    (folder / "site" / "mkdocs.yml").write_text(
        "site_name: a.md\nnav:\n  - Tessera: README.md\n  - Explanation:\n      - Layers: [layers/README.md]\n"
        "  - Reference:\n      - layers/b.md\n  - Developers:\n      - Speed: developers/speed.md\n"
    )
    return folder


def test_the_reading_path_is_what_is_neither_reference_nor_for_developers(tmp_path):
    docs = tree(tmp_path, 10) / "docs"
    assert [page.relative_to(docs).as_posix() for page in reading_path(tmp_path)] == ["README.md", "layers/README.md", "layers/a.md"]
    assert words_of(docs / "README.md") == 11
    assert too_long(tmp_path) == []


def test_a_reading_path_that_is_too_long_is_complained_of(tmp_path):
    (complaint,) = too_long(tree(tmp_path, MOST_WORDS))
    assert f"at most {MOST_WORDS:,}" in complaint
    assert len(reading_path(Path(__file__).resolve().parents[2])) <= MOST_PAGES
