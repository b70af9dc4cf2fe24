"""Random requests on drives as sold, by depth: rates next to what is published of the same product, tails next to a disk whose latencies were measured.

A published rate that decided a parameter of the drive is an input: that it comes out says nothing of the model. The drive's file says so (C)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import ask_simulator
from tessera.progress import watched
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

COMMAND = "tessera validate drives --rates"
DEPTHS = (1, 4, 16, 32)
SHARES = {"reads": 0.0, "7 reads to 3 writes": 0.3, "writes": 1.0}
"""Kinds of requests: the share of writes among them."""
REQUESTS = {"reads": 5_000, "7 reads to 3 writes": 10_000, "writes": 40_000}
WARMUP = {"reads": 0, "7 reads to 3 writes": 4_000, "writes": 12_000}
"""Requests at the beginning that do not count: an empty write cache takes thousands before its rate shows."""
RATE = 0.05
TAIL = 0.25
"""How far from what is published or measured a figure may be."""


@dataclass(frozen=True)
class SoldDrive:
    name: str
    layer: str
    published: dict[tuple[str, int], float]
    """Requests per second, by kind and depth."""
    source: str
    inputs: tuple[str, ...] = ("writes",)
    """Kinds whose published rate decided a parameter: of writes `destage_depth`, of reads `seek_full_stroke`."""


DRIVES = (
    SoldDrive("cmr-24tb", "cmr", {("reads", 16): 168, ("writes", 16): 550}, "Exos X24, data sheet DS2080"),
    SoldDrive("hamr-32tb-cmr", "cmr", {("reads", 16): 170, ("writes", 16): 350}, "Exos M, data sheet DS2045"),
    SoldDrive("dual-arm-14tb", "cmr", {("reads", 16): 304, ("writes", 16): 384}, "Exos 2X14, Tom's Hardware, May 2021", ("reads", "writes")),
    SoldDrive("dual-arm-18tb", "cmr", {("reads", 16): 304, ("writes", 16): 560}, "Exos 2X18, data sheet DS2093", ("reads", "writes")),
    SoldDrive("common", "cmr", {}, ""),
)

MEASURED_TAILS = {1: (1.66, 2.10), 4: (3.47, 5.48), 16: (3.98, 6.02), 32: (3.80, 5.34)}
"""By depth: 99 and 99.9 % of random 4 KiB reads next to their mean, of a SATA disk of 500 GB (fio-plot, test-data500gb: 60 s a point)."""


@dataclass(frozen=True)
class Cell:
    drive: SoldDrive
    kind: str
    depth: int
    rate: float
    quantiles: tuple[float, float, float, float]
    """50, 90, 99 and 99.9 %, ms."""
    mean: float
    longest: float

    @property
    def published(self) -> float | None:
        return self.drive.published.get((self.kind, self.depth))

    @property
    def given(self) -> bool:
        return self.kind in self.drive.inputs

    def holds(self) -> bool | None:
        """None: nothing is published."""
        return None if self.published is None else abs(self.rate / self.published - 1) <= RATE

    def row(self) -> tuple[str, ...]:
        held = self.holds()
        published, verdict = "", ""
        if self.published is not None:
            published = number(self.published, 0)
            verdict = ("input" if self.given else "prediction") + ("" if held else f", *not met* ({100 * (self.rate / self.published - 1):+.0f} %)")
        return (
            f"`{self.drive.name}`", self.kind, str(self.depth), number(self.rate, 1), published, verdict, number(self.mean, 1), *(number(each, 1) for each in self.quantiles),
            number(self.longest, 0),
        )  # fmt: skip

    def tails(self) -> tuple[float, float]:
        """99 and 99.9 % next to the mean."""
        return self.quantiles[2] / self.mean, self.quantiles[3] / self.mean


def workload(path: Path, kind: str) -> Path:
    """Requests of 4 KiB anywhere on the drive."""
    path.mkdir(parents=True, exist_ok=True)
    file = path / f"{kind.replace(' ', '-')}.toml"
    file.write_text(
        f'summary = "4 KiB anywhere: {kind}"\nlaw = "uniform"\nrequests = {REQUESTS[kind]}\nwrite_share = {SHARES[kind]}\nalignment = "4 KiB"\n'
        "write_sizes = [[4096, 1]]\nread_sizes = [[4096, 1]]\n"
    )
    return file


def measure(drive: SoldDrive, kind: str, depth: int, out: Path) -> Cell:
    """Raises SimulatorError."""
    folder = out / f"{drive.name}-{kind.replace(' ', '-')}-{depth}"
    ask_simulator(["run", drive.name, "--layer", drive.layer, "--workload", workload(out, kind), "--replay", f"closed:{depth}", "--warmup", str(WARMUP[kind]), "--caches", "empty", "--out", folder])
    run = Run(folder)
    quantiles = tuple(run.metric(f"host.latency.{each}") for each in ("p50", "p90", "p99", "p999"))
    return Cell(drive, kind, depth, run.metric("host.throughput"), quantiles, run.metric("host.latency.mean"), run.metric("host.latency.max"))


def rates_table(cells: Sequence[Cell]) -> str:
    header = ("drive", "requests", "depth", "per s", "published", "", "mean ms", "50 %", "90 %", "99 %", "99.9 %", "longest")
    return table(header, [cell.row() for cell in cells])


def tails_table(cells: Sequence[Cell]) -> str:
    """Of reads: how far the tail is from the mean, next to the measured disk."""
    rows = []
    for cell in cells:
        if cell.kind != "reads":
            continue
        row = [f"`{cell.drive.name}`", str(cell.depth)]
        for here, there in zip(cell.tails(), MEASURED_TAILS[cell.depth], strict=True):
            off = here / there - 1
            row += [number(here), number(there), "holds" if abs(off) <= TAIL else f"does not hold, {100 * off:+.0f} %"]
        rows.append(tuple(row))
    return table(("drive", "depth", "99 % / mean", "measured", "", "99.9 % / mean", "measured", ""), rows)


def write_rates(console: Console, out: Path, page: Path | None) -> None:
    """Prints both tables, and puts them between their marks in the page where one is named."""
    wanted = list(product(DRIVES, SHARES, DEPTHS))
    cells = [measure(drive, kind, depth, out) for drive, kind, depth in watched(wanted, "runs")]
    published = [cell for cell in cells if cell.published is not None]
    judged = [cell.holds() for cell in published if not cell.given]
    restated = [cell.holds() for cell in published if cell.given]
    sources = "; ".join(f"`{drive.name}`: {drive.source}" for drive in DRIVES if drive.published)
    text = (
        f"{sum(judged)} of {len(judged)} predictions hold within {100 * RATE:.0f} %; {sum(restated)} of {len(restated)} rates that decided a parameter come out. Requests of 4 KiB anywhere, on\n"
        f"caches that the first {WARMUP['writes']:,} writes fill and do not count; published figures are of the same product ({sources}). Where writes are faster than any\n"
        "order of the queue, the write cache has hundreds of destages under way, of which the queue chooses by position (`firmware.write_cache.destage_depth`):\n"
        "how many is chosen so that the published rate comes out. Made by `tessera validate drives --rates`.\n\n"
        + rates_table(cells)
        + "\nTails of the reads next to those of a SATA disk of 500 GB at the same depth (fio-plot, raw latencies; model not named), as multiples of the mean:\n\n"
        + tails_table(cells)
    )  # fmt: skip
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is not None:
        write_marked_section(page, COMMAND, text)
        console.print(f"{page}: written")
