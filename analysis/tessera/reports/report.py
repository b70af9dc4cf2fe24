"""Writes the report of whatever lies in a folder of results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write, write_inside
from tessera.errors import fitting
from tessera.explore.comparison import Comparison
from tessera.explore.dataset import Sweep
from tessera.explore.results_folder import open_results
from tessera.figures.page import Page, render
from tessera.reports.comparison_page import comparison_page
from tessera.reports.run_page import run_page
from tessera.reports.sweep_page import sweep_page
from tessera.results.run_folder import Run

_PAGES: dict[type, Callable[[Any, str], Page]] = {Run: run_page, Comparison: comparison_page, Sweep: sweep_page}


def write_report(results: str | Path, file: str | Path | None = None, question: str = "") -> Path:
    """Writes the report of a folder of results, RESULTS/report.html where no file is named. Raises InputError where it holds none."""
    opened = open_results(results)
    with fitting(results):
        text = render(_PAGES[type(opened)](opened, question))
    return write(file, text) if file else write_inside(Path(results) / "report.html", text)


def write_page(page: Page, file: Path) -> Path:
    return write(file, render(page))
