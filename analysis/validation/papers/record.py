"""What came out of the experiments, kept as data: a line a claim, and a line a comparison over seeds."""

import csv
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tessera.engine.output_file import whole
from tessera.engine.simulator import simulator_digest
from tessera.errors import InputError
from validation.papers.catalogue import Claim
from validation.papers.check import Cells, Comparison, Seeds, find_all

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


def program() -> str:
    """What a line of now was measured with."""
    return f"tessera-sim {simulator_digest()[:12]}"


_OVER_SEEDS = re.compile(r"^\| \d+ seeds \|.*\n\|-.*\n((?:\|.*\n?)+)", re.MULTILINE)


def measured_in(claims: Iterable[Claim], compared: Iterable[Comparison], where: tuple[str, str], text: str, program: str) -> list[Measured]:
    """The lines of the comparisons over seeds and of the claims of an experiment (`where`: the paper and its name), by the tables of its section,
    whether it was written now or before. Raises InputError where a table lacks a figure that a test names."""
    rows = {cells[0]: cells for table in _OVER_SEEDS.finditer(text) for line in table[1].splitlines() if (cells := line.strip("|").strip().split(" | "))}
    lines, seeds = [], {}
    for each in compared:
        if each.what not in rows:
            continue
        spread, mean = rows[each.what][2:4]
        found = re.fullmatch(r"([\d.,-]+) ± ([\d.,]+)", mean)
        centre, width = (float(part.replace(",", "")) for part in found.groups()) if found else (math.nan, math.nan)
        verdict = each.verdict(centre - width, centre + width) if found else "undefined"
        seeds[each.what] = Seeds(each.input, verdict, centre)
        lines.append(Measured(*where, SEEDS, each.what, each.claim, f"{spread}; mean {mean}", verdict, program=program))
    cells = Cells(text)
    for each in claims:
        try:
            out = find_all(each.test, cells, [seeds[name] for name in each.seeds if name in seeds])
        except InputError as error:
            raise InputError(f"{each.name}: {error}") from None
        lines.append(Measured(*where, CLAIM, each.claim, each.published, out.here, out.tally.text, out.ratio if each.ratio else None, program=program))
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
