"""The command that tortures every layer and writes the table of what it found."""

import json

import pytest
from rich.console import Console

from tessera.results.marked_section import write_marked_section
from pages.torture import Effort, write_rows, write_torture

ROW = {"layer": "cmr", "durability": "none", "prefill": 50, "requests": 12, "operations": 30, "in_a_row": 7, "failures": 0, "told": [],
       "cuts": {"replay": 40, "start": 1, "recovery": 2, "verification": 4, "drain": 8}}
LOSS = ROW | {"failures": 1, "told": [{"again": "tessera-sim torture torture --cut-at 7ps"}]}


def simulator_that_says(rows: list[dict], status: int) -> str:
    return f"""
import json, sys
if sys.argv[1] == "list":
    print(json.dumps([{{"name": "cmr"}}, {{"name": "fluid"}}]))
else:
    print({json.dumps(rows)!r})
    sys.exit({status})
"""


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "page.md"
    file.write_text("before\n<!-- ./dev reliability: begin -->\nold\n<!-- ./dev reliability: end -->\nafter\n")
    return file


def test_the_table_has_a_row_for_each_run_and_the_sum_of_all_cuts(stand_in, page):
    stand_in(simulator_that_says([ROW], 0))
    data = page.parent / "torture.csv"
    assert write_torture(Console(record=True), Effort(30, 30, 1), page=page, data=data)
    text = page.read_text()
    assert text.startswith("before\n<!-- ./dev reliability: begin -->\n220 cuts, 0 failures.")
    assert "cmr,none,none,50,12,30,55,7,7,0\ncmr,none,torn,50,12,30,55,7,7,0\n" in data.read_text()
    assert "| none | none | 1 | 24 | 60 | 110 | 14 | 14 | 0 |" in text
    assert "| none | torn | 1 | 24 | 60 | 110 | 14 | 14 | 0 |" in text
    assert "old" not in text
    assert text.endswith("<!-- ./dev reliability: end -->\nafter\n")


def test_a_loss_is_told_with_the_command_that_shows_it_and_fails_the_command(stand_in, page):
    stand_in(simulator_that_says([LOSS], 1))
    console = Console(record=True, width=200)
    assert not write_torture(console, Effort(30, 30, 1), page=page, data=page.parent / "torture.csv")
    assert "tessera-sim torture torture --cut-at 7ps" in console.export_text()


def test_a_layer_that_is_named_takes_the_place_of_its_own_rows_alone(stand_in, page):
    data = page.parent / "torture.csv"
    other = ("fluid", "plp", "none", "0", "1", "2", "1000", "4", "5", "0")
    write_rows(data, [("cmr", "plp", "none", "0", "1", "2", "3", "4", "5", "0"), other, ("sold-no-more", *other[1:])])
    stand_in(simulator_that_says([ROW], 0))
    assert write_torture(Console(record=True), Effort(30, 30, 1), ("cmr",), page, data)
    rows = data.read_text().splitlines()
    assert ",".join(other) in rows and [row.split(",")[1] for row in rows if row.startswith("cmr,")] == ["none", "none"]
    assert "1,110 cuts, 0 failures." in page.read_text() and not any("sold-no-more" in row for row in rows)


def test_a_page_without_its_marks_is_refused(page):
    with pytest.raises(ValueError, match="./dev recovery: begin"):
        write_marked_section(page, "./dev recovery", "text")
