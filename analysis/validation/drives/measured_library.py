"""The library of measured drives (platforms/drives/measured), each replayed on the trace of responses that the real drive had."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console

from tessera.engine.simulator import REPOSITORY, ask_simulator
from tessera.errors import InputError
from tessera.identify.against_measurement import model_responses
from tessera.identify.measured_trace import read_measured
from tessera.identify.response_errors import by_request, classes_in_detail, demerit, hits_by_place, hits_called_right
from tessera.progress import watched
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

FOLDER = REPOSITORY.parent / "shared" / "measured" / "disksim"
"""Where the traces are looked for: they are no part of the project."""
COMMAND = "tessera validate drives --measured"


@dataclass(frozen=True)
class MeasuredDrive:
    name: str
    what: str
    trace: str
    reference: float
    """RMS over sorted responses, in ms, that was published of the reference simulator on the same trace."""
    chosen: str
    """Parameters that the trace decided where the published files say nothing, or something else."""


DRIVES = (
    MeasuredDrive("quantum-atlas-10k", "Quantum Atlas 10K, 9 GB, 10,025 rpm", "atlas10k", 0.268, "none"),
    MeasuredDrive("quantum-atlas-iii", "Quantum Atlas III, 9 GB, 7,200 rpm", "atlas_III", 0.378, "read-ahead from the second sequential read on"),
    MeasuredDrive("seagate-cheetah-4lp", "Seagate Cheetah 4LP, 4.5 GB, 10,033 rpm", "cheetah4LP", 0.318, "which key gives up delivered sectors and ends segments"),
    MeasuredDrive("seagate-cheetah-9lp", "Seagate Cheetah 9LP, 9 GB, 10,045 rpm", "cheetah9LP", 0.108, "which key gives up delivered sectors and ends segments"),
    MeasuredDrive("hp-c2247a", "HP C2247A, 1 GB, 5,400 rpm", "hp_c2247a", 0.093, "reads take the bus again while their data comes in, and each write lets it go once more"),
    MeasuredDrive("hp-c3323a-measured", "HP C3323A, 1 GB, 5,396 rpm", "hp_c3323a", 0.288, "skews one sector shorter than published"),
    MeasuredDrive("dec-rz26", "DEC RZ26, 1 GB, 5,360 rpm", "dec_rz26", 0.341, "data of writes, read-ahead of half a track, hits that do not extend it, the end of reads, and writes that settle longer after seeks of 100 to 800 cylinders"),
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    drive: MeasuredDrive
    rms: float
    by_request: float
    within: float
    """Share of requests whose response is within 0.5 ms."""
    hits: float
    """Share of reads that both call a hit, or both a miss."""
    classes: dict[str, tuple[float, float] | None]
    """RMS of sorted responses, and mean of model less measured, by class."""
    hits_after_a_read: dict[str, tuple[float, float] | None] = field(default_factory=dict)
    """Share of hits, measured and of the model, by where a read begins next to the one before."""


def replay(drive: str, trace: Path, out: Path, settings: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray]:
    """The trace, and the model's responses in ms. Each request comes its think time after the completion before."""
    requests = read_measured(trace)
    words = [word for setting in settings for word in ("--set", setting)]
    ask_simulator(["run", drive, "--trace", trace, "--format", "hpval", "--replay", "think", "--requests", *words, "--out", out])
    return requests, model_responses(Run(out), len(requests))


def row_of(drive: MeasuredDrive, requests: np.ndarray, model: np.ndarray) -> Row:
    measured = requests["response_ms"]
    found = {}
    for name, chosen in classes_in_detail(requests).items():
        some = bool(chosen.any())
        found[name] = (demerit(measured[chosen], model[chosen]), float((model - measured)[chosen].mean())) if some else None
    return Row(
        drive, demerit(measured, model), by_request(measured, model), float((np.abs(model - measured) <= 0.5).mean()), hits_called_right(requests, model), found,
        hits_by_place(requests, model),
    )  # fmt: skip


def measured_rows(folder: Path, out: Path, drives: Sequence[MeasuredDrive] = DRIVES) -> list[Row]:
    """A row for each drive whose trace is in the folder. Raises InputError where none is."""
    traces = {drive: trace for drive in drives if (trace := folder / f"{drive.trace}.trace.xz").exists()}
    if not traces:
        raise InputError(f"{folder}: no trace of {', '.join(drive.trace for drive in drives)}; expected NAME.trace.xz of at least one")
    return [row_of(drive, *replay(drive.name, trace, out / drive.name)) for drive, trace in watched(traces.items(), "drives", len(traces))]


def in_a_sentence(rows: Sequence[Row]) -> str:
    """What the section opens with.

    >>> in_a_sentence([Row(DRIVES[0], 0.2, 1, 1, 1, {}), Row(DRIVES[1], 0.4, 1, 1, 1, {})])
    '1 of 2 drives is at or below the RMS that was published of the reference simulator; 1 of the rows is a prediction throughout.\\n\\n'
    """
    reached, free = sum(row.rms <= row.drive.reference for row in rows), sum(row.drive.chosen == "none" for row in rows)

    def are(count: int) -> str:
        return "is" if count == 1 else "are"

    return (
        f"{reached} of {len(rows)} drives {are(reached)} at or below the RMS that was published of the reference simulator; {free} of the rows {are(free)} "
        f"{'a prediction' if free == 1 else 'predictions'} throughout.\n\n"
    )


def library_text(rows: Sequence[Row]) -> str:
    """The two tables: totals next to the reference simulator's, and errors by class."""
    totals = [
        (
            f"`{row.drive.name}`", row.drive.what, number(row.drive.reference, 3), number(row.rms, 3), "prediction" if row.drive.chosen == "none" else f"inferred: {row.drive.chosen}",
            number(row.by_request, 2), f"{100 * row.within:.0f} %", f"{100 * row.hits:.1f} %",
        )
        for row in rows
    ]  # fmt: skip
    header = ("drive", "what it is", "reference RMS ms", "RMS ms", "prediction, or what was inferred", "RMS by request ms", "within 0.5 ms", "hits and misses called right")
    names = list(rows[0].classes)
    cells = [(f"`{row.drive.name}`", *(_cell(row.classes[name]) for name in names)) for row in rows]
    return (
        table(header, totals)
        + "\nBy class, RMS of sorted responses and, in brackets, the model's mean less the measured one, in ms:\n\n"
        + table(("drive", *names), cells)
        + "\nShares of reads that hit, measured / model, by where a read begins next to the read before it:\n\n"
        + table(("drive", *rows[0].hits_after_a_read), [(f"`{row.drive.name}`", *map(_shares, row.hits_after_a_read.values())) for row in rows])
        + NOTES
    )


def _cell(error: tuple[float, float] | None) -> str:
    return "-" if error is None else f"{error[0]:.2f} ({error[1]:+.2f})"


def _shares(shares: tuple[float, float] | None) -> str:
    return "-" if shares is None else f"{shares[0]:.2f} / {shares[1]:.2f}"


TOLD = """Seven drives as their extractors published them with DiskSim, replayed on the responses that the real drives had. Geometry, seek curve, overheads and cache
sizes are **inputs**, each with its source in `platforms/drives/measured/`. Responses are **predictions**. Where the trace decided a parameter
that the files leave open or have otherwise, the row names it, and is a prediction but for that. A read counts as a hit below half of the mean response of reads. Made by `tessera validate drives --measured`.

"""


NOTES = """
Where rows fall short, and what shows why. A request's error is that of its own completion less that of the one before, as each comes its think time after that:

- **Quantum Atlas 10K.** Of reads that begin shortly before the last one 92 % hit, 47 % here, at any distance up to 64 blocks and wherever the head had landed: the drive has what lies
  before a read, whether it passed under the head before it or not. No parameter of DiskSim says so.
- **HP C2247A.** A write takes the bus again for its status: with `write_completion_overhead = "0 ms"` reads after writes are 0.13 ms too late, and writes after reads as much too early. Its
  water mark is rounded down: rounded up, reads of 2, 3 and 5 sectors are one sector too late, those of 4 and 8 are not. The published time in which a read takes the bus again would move reads after writes
  by 0.16 ms, away from what was measured. DiskSim has the extra disconnect only for a write after a write elsewhere, and in place of that write's overhead: then 11 % of sequential writes lose a turn in the
  drive alone. In front of each write's data and after its overhead it is 0.6 %, and 1.7 % in the model alone.
- **Seagate Cheetah 9LP.** The files have one overhead for a write after a write, 0.50 ms. Measured are 0.46 ms where it continues that write and 0.68 ms where it does not. A read that hits costs
  0.07 or 0.24 ms, mostly the latter after another hit; the files have 0.07. No parameter of DiskSim says either.
- **DEC RZ26.** As its files have it, RMS is 0.350 ms, by request 4.00. A write after a seek of 100 to 800 cylinders loses a turn in 14 to 48 % more cases than there, a read or a
  longer seek does not: such writes settle longer (`media.write_settles`, estimated on the first half of the trace; the second half alone goes from 3.89 to 3.73 by request). Reads end later after their last
  sector than their bus needs, by 0.3 ms for one sector and 0.9 ms from nine on: seven more sectors cross the bus at the end (`host.read_lag`), and the published overhead, which was measured at the host, has
  that time in front. The settles alone give 0.333 and 3.84, both 0.329 and 3.74. Of sequential writes 6 % more lose a turn than here; why, the files do not say.
"""


def write_library(console: Console, folder: Path, out: Path, page: Path | None) -> None:
    """Prints the tables, and puts them between their marks in the page where one is named."""
    rows = measured_rows(folder, out)
    text = library_text(rows)
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is not None:
        write_marked_section(page, COMMAND, in_a_sentence(rows) + TOLD + text)
        console.print(f"{page}: written")
