"""The check of the pages' words finds what it is there for, and lets pass what is allowed."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from words import found_in, main


@pytest.mark.parametrize(
    "text",
    [
        "The tables are built anew.",
        "Beside what a run writes",
        "1 ms where not given",
        "the designs that no\nother beats",
        "16 bytes a slot",
        "one row a run",
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
