"""The pages' verdicts are those of the catalogue and the record."""

import shutil
from pathlib import Path

import pytest
from rich.console import Console

from tessera.errors import InputError
from validation.papers.lookup import PAPERS
from validation.papers.page_file import Places
from validation.papers.record import CLAIM, Measured, read
from validation.papers.report import retell, measured_again

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def copied(tmp_path):
    shutil.copytree(DOCS / "validation", tmp_path / "validation")
    return Places(tmp_path / "validation.md")


def test_the_pages_say_what_the_record_says(copied):
    retell(Console(quiet=True), PAPERS, read(), copied)
    for paper in PAPERS:
        for file in (Path(f"{paper}.md"), Path("tables") / f"{paper}.md"):
            assert (copied.folder / file).read_text() == (DOCS / "validation" / file).read_text(), "run 'tessera papers verdicts'"


def test_a_verdict_of_the_record_replaces_the_page_s_alone(copied):
    page = copied.chapter("hwsr")
    text = page.read_text()
    page.write_text(text.replace("| holds |", "| opposite |"))
    retell(Console(quiet=True), ["hwsr"], read(), copied)
    assert page.read_text() == text


def test_the_record_is_what_the_engine_says_of_the_tables_of_the_pages():
    """No line of it was judged elsewhere: the catalogue and the tables give it again, claims and comparisons over seeds alike."""
    again = measured_again(read(), Places(DOCS / "validation.md"))
    assert sorted(map(Measured.cells, again)) == sorted(map(Measured.cells, read())), "run 'tessera papers verdicts'"


def test_a_figure_of_a_page_that_changes_changes_its_verdict(copied):
    tables = copied.tables("mu-rmw")
    tables.write_text(tables.read_text().replace("| 7,200 rpm | 450 |", "| 7,200 rpm | 85 |"))
    page = copied.chapter("mu-rmw")
    page.write_text(page.read_text().replace("| 7,200 rpm | 450 |", "| 7,200 rpm | 85 |"))
    (merge,) = (line for line in measured_again(read(), copied) if line.experiment == "merge-times" and line.of == CLAIM)
    assert (merge.here, merge.verdict, merge.ratio) == ("85", "holds", 85)


def test_a_missing_page_is_a_sentence(copied):
    copied.chapter("mapping").unlink()
    with pytest.raises(InputError, match="there is no .*mapping.md; 'tessera papers page' writes all pages"):
        retell(Console(quiet=True), PAPERS, read(), copied)
