"""What dd and fio see of the drives: docs/data/dd-and-fio.csv, its picture, and the table of the page of drives."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from tessera.engine.output_file import whole
from tessera.engine.simulator import REPOSITORY
from tessera.results.marked_section import write_marked_section
from validation.drives.host_picture import draw_host
from validation.drives.host_view import COLUMNS, COMMAND, host_rows, host_view, measure
from validation.drives.used_view import DRIVES as USED, used_view
from validation.papers.lab import Lab

DOCS = REPOSITORY / "docs"
PAGE, DATA, PICTURE = DOCS / "guide" / "drives.md", DOCS / "data" / "dd-and-fio.csv", DOCS / "data" / "dd-and-fio.svg"


def write_host_page(console: Console, lab: Lab, drives: Mapping[str, Sequence[str]], pages: bool) -> None:
    """Prints the tables; with `pages` writes DATA, PICTURE and the part of PAGE on used drives. Raises SimulatorError."""
    measured = measure(lab, drives)
    used = {drive: layers for drive, layers in USED.items() if drive in drives}
    after_writes = used_view(lab, used) if used else ""
    console.print(host_view(measured) + "\n" + after_writes, soft_wrap=True, markup=False, highlight=False)
    if pages:
        rows = host_rows(measured)
        write_rows(rows, DATA)
        draw_host(rows, PICTURE)
        write_marked_section(PAGE, COMMAND, after_writes)
        console.print("\n".join(f"{file}: written" for file in (DATA, PICTURE, PAGE)))


def write_rows(rows: Sequence[Sequence[str]], file: Path) -> None:
    def write(aside: Path) -> None:
        with aside.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])

    whole(file, write)
