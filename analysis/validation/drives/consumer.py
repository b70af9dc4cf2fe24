"""Shingled disks that people own, next to what is published of them. Most of that is words: of their firmware no measurement was found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rich.console import Console

from tessera.progress import watched
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run
from validation.drives.shingled_runs import INTERVAL, MIB, Cliff, Lab, absorbed, cliff_of, intervals, sequential_rate, small_writes
from validation.drives.think_trace import Request, think_responses

COMMAND = "tessera validate drives --consumer"
BARRACUDA, RED = "seagate-st8000dm004", "wd-wd40efax"
GIGABYTES = {BARRACUDA: 8001, RED: 4000}
LAST = 8      # gigabytes from the end of a drive at which the innermost rate is measured
READS = 512   # of 1 MiB
PLACES = 4    # equal parts of a drive, whose rates at their ends make up a sweep
SWEEPS = 7.983  # of badblocks: four patterns, each written and read, 98.3 % of the last reading done
SWEPT = 65 + 8 / 60 + 33 / 3600  # hours


def place(drive: str, part: int) -> int:
    """Gigabytes at which such a part of the drive begins."""
    return min(GIGABYTES[drive] * part // PLACES, GIGABYTES[drive] - LAST)


@cache
def written(lab: Lab, drive: str, part: int) -> float:
    """MB/s of 1 MiB writes in order."""
    return sequential_rate(lab, drive, place(drive, part))


@cache
def read(lab: Lab, drive: str, part: int) -> float:
    """MB/s of 1 MiB reads in order, one at a time, of a drive that is full."""
    first = place(drive, part) * 10**9 // MIB * MIB
    times = think_responses(lab, f"consumer-read-{part}-{drive}", drive, (Request(False, first + each * MIB, MIB) for each in range(READS)), "--prefill", 100)
    return float((READS - 1) * MIB / 1e6 / (times[1:].sum() / 1e3))


def sweep_hours(lab: Lab, drive: str) -> float:
    """To write or read the whole drive in order, on average: Simpson's rule over the seconds per byte at its parts."""
    seconds = [(1 / written(lab, drive, part) + 1 / read(lab, drive, part)) / 2 for part in range(PLACES + 1)]
    weights = [1, *(4 if part % 2 else 2 for part in range(1, PLACES)), 1]
    return GIGABYTES[drive] * 1000 * sum(w * s for w, s in zip(weights, seconds, strict=True)) / (3 * PLACES) / 3600


@cache
def small(lab: Lab, drive: str) -> tuple[Cliff, Run]:
    run = lab.run(f"consumer-small-{drive}", drive, small_writes(500_000), "--intervals", f"{INTERVAL} requests", full=True)
    return cliff_of(*intervals(run)), run


@dataclass(frozen=True)
class Row:
    workload: str
    quantity: str
    drive: str
    model: Callable[[Lab], float | None]
    published: float | None = None
    given: bool = False
    """A parameter of the drive follows from it, so that it says nothing of the model."""
    digits: int = 0

    ALLOWED = 0.07

    def within(self, value: float | None) -> bool:
        return self.published is None or (value is not None and abs(value / self.published - 1) <= self.ALLOWED)

    def cells(self, value: float | None) -> tuple[str, ...]:
        verdict = ""
        if self.published is not None:
            verdict = ("input" if self.given else "prediction") + ("" if self.within(value) else ", does not hold" if value is None else f", does not hold, {100 * (value / self.published - 1):+.0f} %")
        return (self.workload, self.quantity, f"`{self.drive}`", "" if self.published is None else number(self.published, self.digits), number(value, self.digits), verdict)


SEQUENTIAL = "1 MiB in order"
LARGE = "1 MiB writes anywhere, depth 64, a new drive"
SMALL = "4 KiB writes over 8 GiB, one at a time, a full drive"


def _rows(drive: str, outer: float, inner: float | None, hours: float | None) -> Sequence[Row]:
    return (
        Row(SEQUENTIAL, "reads outside, MB/s", drive, lambda lab: read(lab, drive, 0), outer, given=True),
        Row(SEQUENTIAL, "reads inside, MB/s", drive, lambda lab: read(lab, drive, PLACES), inner, given=True),
        Row(SEQUENTIAL, "writes outside, MB/s", drive, lambda lab: written(lab, drive, 0), outer),
        Row(SEQUENTIAL, "writes inside, MB/s", drive, lambda lab: written(lab, drive, PLACES), inner),
        Row(SEQUENTIAL, "hours for the whole drive", drive, lambda lab: sweep_hours(lab, drive), hours, digits=2),
        Row(LARGE, "GiB until slow", drive, lambda lab: absorbed(lab, drive).gib, digits=1),
        Row(LARGE, "MiB/s before", drive, lambda lab: absorbed(lab, drive).before),
        Row(LARGE, "MiB/s after", drive, lambda lab: absorbed(lab, drive).behind, digits=1),
        Row(SMALL, "writes until fewer than 1,000/s", drive, lambda lab: small(lab, drive)[0].writes),
        Row(SMALL, "writes/s after", drive, lambda lab: small(lab, drive)[0].rate_behind),
        Row(SMALL, "longest write, ms", drive, lambda lab: small(lab, drive)[1].metric("host.latency.max")),
    )


ROWS = (*_rows(BARRACUDA, 190, None, None), *_rows(RED, 180, 80, SWEPT / SWEEPS))

TOLD = """Rates of the BarraCuda: Tom's Hardware, 30 June 2023 ("up to"); of the Red: badblocks over the whole disk, openzfs/zfs issue 10214, April 2020. What else is published is in words: a Red
that stops answering while an array is rebuilt (the same issue), nine days where others take sixteen hours (ServeTheHome, by Ars Technica, 5 June 2020), stalls of a minute on the
maker's blue sister (veracrypt/VeraCrypt issue 791). Nobody published the size of the cache on their platters, its map or the cleaning: these are the Archive family's, chosen. An
**input** decided a parameter; rows without a published figure show what the chosen firmware does. Made by `tessera validate drives --consumer`.

"""


def write_consumer(console: Console, out: Path, page: Path | None) -> None:
    """Prints the table, and puts it between its marks where a page is named."""
    lab = Lab(out)
    text = TOLD + table(("workload", "quantity", "drive", "published", "model", ""), [row.cells(row.model(lab)) for row in watched(ROWS, "figures")])
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is not None:
        write_marked_section(page, COMMAND, text)
        console.print(f"{page}: written")
