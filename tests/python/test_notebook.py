"""The notebook of the tutorial: its cells run, one after the other as in Jupyter, and show what it is kept with."""

import matplotlib.pyplot as plt
import pytest
from pages.notebook import cells_of, run_cells, texts_of
from samples import REPOSITORY

pytestmark = pytest.mark.usefixtures("the_built_simulator")
CELLS = cells_of(REPOSITORY / "docs" / "tutorial" / "notebook.ipynb")
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]


def test_the_cells_show_what_the_notebook_is_kept_with(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = list(run_cells(CELLS))
    for cell, (number, outputs) in zip(CODE, found, strict=True):
        assert texts_of(outputs) == texts_of(cell["outputs"]), "./dev notebook writes what the cells show now:\n" + "".join(cell["source"])
        assert cell["execution_count"] == number
    assert "imr-rmw is " in "".join(text for _, outputs in found for text in texts_of(outputs))
    assert list(tmp_path.iterdir()) == []  # results without a folder of their own go with the notebook's values


def test_a_picture_that_was_open_before_is_not_the_notebooks():
    plt.figure()
    assert list(run_cells([{"cell_type": "code", "source": ["import matplotlib.pyplot as plt"]}])) == [(1, [])]


def test_it_is_kept_with_a_card_a_chart_a_table_and_a_picture():
    kinds = [kind for cell in CODE for output in cell["outputs"] for kind in output.get("data", {})]
    html = "".join("".join(output.get("data", {}).get("text/html", ())) for cell in CODE for output in cell["outputs"])
    assert "image/png" in kinds and "data:image/svg+xml" in html and "<table" in html


def test_a_value_with_a_semicolon_is_not_shown_and_what_is_printed_comes_first():
    cells = [{"cell_type": "code", "source": ["print(1)\n", "2"]}, {"cell_type": "markdown", "source": ["x"]}, {"cell_type": "code", "source": ["3;"]}]
    assert [(number, texts_of(outputs)) for number, outputs in run_cells(cells)] == [(1, ["1\n", "2"]), (2, [])]
