"""The notebook of the tutorial: its cells run, one after the other as in Jupyter, and it is kept without outputs."""

import json
import os
import subprocess
import sys

from samples import REPOSITORY
from simulate import SIMULATOR

NOTEBOOK = REPOSITORY / "docs" / "tutorial" / "notebook.ipynb"
CELLS = json.loads(NOTEBOOK.read_text())["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]


def test_the_cells_run_in_order(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR), "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, "-c", "\n".join(CODE)], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "imr-rmw is " in done.stdout
    assert list(tmp_path.iterdir()) == []  # results without a folder of their own go with the notebook's values


def test_it_is_kept_without_outputs():
    assert len(CODE) > 5
    assert [cell["outputs"] for cell in CELLS if cell["cell_type"] == "code"] == [[]] * len(CODE)
    assert all(cell["execution_count"] is None for cell in CELLS if cell["cell_type"] == "code")
