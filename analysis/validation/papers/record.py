"""What came out of the experiments, kept as data: a line a claim, and a line a comparison over seeds."""

import csv
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tessera.engine.output_file import whole
from tessera.errors import InputError
from validation.papers.catalogue import Claim
from validation.papers.cells import Cells
from validation.papers.check import Seeds
from validation.papers.page import Findings
from validation.papers.seeds import SeedTable

FILE = Path(__file__).parent / "claims" / "measured.csv"
COLUMNS = ("paper", "experiment", "of", "claim", "published", "here", "verdict", "ratio", "why", "program")
CLAIM, SEEDS = "claim", "seeds"


@dataclass(frozen=True)
class Measured:
    """`of`: a claim, or a comparison over seeds, whose bounds stand as `published`. The ratio has the digits that the record keeps, so that
    a page says the same whether it is written after the runs or from the record."""

    paper: str
    experiment: str
    of: str
    claim: str
    published: str
    here: str
    verdict: str
    ratio: float | None = None
    why: str = ""
    program: str = ""

    def __post_init__(self) -> None:
        if self.ratio is not None:
            object.__setattr__(self, "ratio", float(f"{self.ratio:.4g}"))

    def cells(self) -> list[str]:
        ratio = "" if self.ratio is None else f"{self.ratio:.4g}"
        return [self.paper, self.experiment, self.of, self.claim, self.published, self.here, self.verdict, ratio, self.why, self.program]


def tested_in(claims: Iterable[Claim], text: str, lines: Iterable[Measured], program: str) -> list[Measured]:
    """The lines of those claims whose test is data, by the tables of their section and its lines over seeds. Raises InputError where a table
    lacks a figure that a test names."""
    cells = Cells(text)
    intervals = {line.claim: Seeds(line.claim.split(": ")[0], line.verdict, _mean(line.here)) for line in lines if line.of == SEEDS}
    found = []
    for each in claims:
        if each.test is None:
            continue
        try:
            out = each.test.find(cells, [intervals[name] for name in each.seeds if name in intervals])
        except InputError as error:
            raise InputError(f"{each.name}: {error}") from None
        ratio = out.ratio if each.ratio else None
        found.append(Measured(each.paper, each.experiment, CLAIM, each.claim, each.published, out.here, out.tally.text, ratio, program=program))
    return found


def _mean(here: str) -> float:
    """Of a line over seeds; a ratio that some seed does not have has none.

    >>> _mean("1,495.151 to 1,544.098; mean 1,511.716 ± 69.677"), _mean("-; mean -")
    (1511.716, nan)
    """
    found = re.search(r"mean ([\d.,-]*\d)", here)
    return float(found[1].replace(",", "")) if found else math.nan


def measured_in(paper: str, experiment: str, parts: Iterable[str], program: str) -> list[Measured]:
    """The lines of a section's tables of claims and of seeds."""
    lines = []
    for part in parts:
        if isinstance(part, Findings):
            for item in part.items:
                lines.append(
                    Measured(paper, experiment, CLAIM, item.claim, item.published, item.here, item.verdict, item.ratio, item.why, program)
                )
        elif isinstance(part, SeedTable):
            lines += [
                Measured(paper, experiment, SEEDS, what, claim, f"{spread}; mean {mean}", verdict, program=program)
                for what, claim, spread, mean, verdict in part.lines
            ]
    return lines


def write(file: Path, lines: Iterable[Measured]) -> None:
    def make(aside: Path) -> None:
        with open(aside, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(each.cells() for each in lines)

    whole(file, make)


def read(file: Path = FILE) -> list[Measured]:
    """Raises InputError where the file is not as write() leaves it."""
    with open(file, newline="", encoding="utf-8") as lines:
        reader = csv.reader(lines)
        if tuple(next(reader, ())) != COLUMNS:
            raise InputError(f"{file}: expected the columns {','.join(COLUMNS)} in the first line; 'tessera papers page' writes it")
        found = []
        for number, row in enumerate(reader, 2):
            try:
                *front, ratio, why, program = row
                paper, experiment, of, claim, published, here, verdict = front
                found.append(Measured(paper, experiment, of, claim, published, here, verdict, float(ratio) if ratio else None, why, program))
            except ValueError:
                raise InputError(f"{file}, line {number}: expected {len(COLUMNS)} cells and a number or nothing as 'ratio'") from None
    return found
