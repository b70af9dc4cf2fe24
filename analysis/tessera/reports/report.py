"""Writes the report of whatever lies in a folder of results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write, write_inside
from tessera.errors import InputError, fitting
from tessera.evidence.family import PERCENT, judged_within
from tessera.explore.comparison import Comparison
from tessera.explore.dataset import Sweep
from tessera.explore.margin import percent_of
from tessera.explore.results_folder import open_results
from tessera.figures.page import Page, render
from tessera.reports.comparison_page import comparison_page
from tessera.reports.run_page import run_page
from tessera.reports.sweep_page import sweep_page
from tessera.results.run_folder import Run

_PAGES: dict[type, Callable[[Any, str], Page]] = {Run: run_page, Comparison: comparison_page, Sweep: sweep_page}


def write_report(results: str | Path, file: str | Path | None = None, question: str = "", margin: float | None = None) -> Path:
    """Writes the report of a folder of results, RESULTS/report.html where no file is named. `margin`: figures within so many percent are equal; by
    default as the results were made. Raises InputError where it holds none, or was judged by another margin."""
    opened = open_results(results)
    with fitting(results), judged_within(_margin_of(opened, margin)):
        text = render(_PAGES[type(opened)](opened, question))
    return write(file, text) if file else write_inside(Path(results) / "report.html", text)


def _margin_of(opened: Run | Comparison | Sweep, given: float | None) -> float | None:
    if given is None or (isinstance(opened, Sweep) and "objectives" not in opened.facts):
        if given is not None:
            return percent_of(given)
        return None if isinstance(opened, Run) else opened.margin
    if isinstance(opened, Run):
        raise InputError("--margin: a report of one run compares nothing")
    if (made := opened.margin if opened.margin is not None else PERCENT) != given:
        command = "compare" if isinstance(opened, Comparison) else "search"
        raise InputError(f"--margin: these results were judged within {made:g} %; 'tessera {command}' takes another")
    return given


def write_page(page: Page, file: Path) -> Path:
    return write(file, render(page))
