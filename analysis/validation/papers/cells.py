"""The figures of a section's tables, read back: verdicts are judged by what the page shows, whether it was written now or before."""

from collections.abc import Mapping
from dataclasses import dataclass

from tessera.errors import unknown_name
from validation.papers.page import ENDLESS


@dataclass(frozen=True)
class Cell:
    """A figure, and whether it may be ranked: the run was long enough, and did not fall further and further behind."""

    value: float
    ranked: bool = True


Column = Mapping[str, Cell]
"""By input."""


def _cell(text: str, row: str) -> Cell | None:
    try:
        return Cell(float(text.rstrip(ENDLESS + "*").replace(",", "")), not text.endswith((ENDLESS, "*")) and not row.endswith("*"))
    except ValueError:
        return None


def _names(first: str, title: str) -> tuple[str, str]:
    return f"{first} {title}", title


class Cells:
    """Columns by figure and variant. A table has a figure above its inputs and a column for each variant, or the names of inputs there and
    a column for each figure of each variant."""

    def __init__(self, text: str) -> None:
        self._columns: dict[str, dict[str, Cell]] = {}
        header: list[str] = []
        fresh: set[str] = set()
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
            if not cells or not header:
                header = cells
                fresh = {name for title in header[1:] for name in _names(header[0], title)} - self._columns.keys()  # of two tables alike the first counts
                self._columns |= {name: {} for name in fresh}
            elif not line.startswith("|-"):
                for title, cell in zip(header[1:], cells[1:], strict=False):
                    if found := _cell(cell, cells[0]):
                        for name in fresh.intersection(_names(header[0], title)):
                            self._columns[name][cells[0].rstrip("*")] = found

    def column(self, figure: str, variant: str = "") -> Column:
        """Raises InputError where no table has it."""
        name = f"{figure} {variant}".strip()
        if name not in self._columns:
            raise unknown_name("figure of a variant", name, self._columns)
        return self._columns[name]
