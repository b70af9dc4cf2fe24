"""The tables of the page *What dd and fio see*."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import REPOSITORY
from tessera.results.marked_section import write_marked_section
from validation.drives.host_view import COMMAND, host_view
from validation.drives.used_view import DRIVES as USED, used_view
from validation.papers.lab import Lab

PAGE = REPOSITORY / "docs" / "guide" / "dd-and-fio.md"


def write_host_page(console: Console, lab: Lab, drives: Mapping[str, Sequence[str]], page: Path | None) -> None:
    """Prints the tables, and puts them between their marks in the page where one is named. Raises SimulatorError."""
    used = {drive: layers for drive, layers in USED.items() if drive in drives}
    text = host_view(lab, drives) + ("\n" + used_view(lab, used) if used else "")
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is not None:
        write_marked_section(page, COMMAND, text)
        console.print(f"{page}: written")
