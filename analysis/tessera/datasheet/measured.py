"""What runs of a description say of the figures of its data sheet."""

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.datasheet.description import LEAST_DRAM, SERPENT, Design
from tessera.datasheet.figures import TOLERANCE, rate
from tessera.engine.parameters import drive_value
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import ask_simulator
from tessera.engine.temporary import work_folder
from tessera.explore.axes import amount
from tessera.results.human import time
from tessera.results.run_folder import Run

READS = 6000      # random ones of a run: a rate is sure to a hundredth
WRITES = 6000
FILLING = 2       # times the write cache that is written before writes are counted
STREAM = 512 << 20
PIECES = 16       # of a stream on interlaced tracks: bottoms are numbered for gigabytes, then their tops, which hold less
PIECE = 128 << 20
RUN = 256         # bottom tracks of each surface before their tops, as on `imr-20tb`
TOP = 0.9         # of a bottom's sectors
STREAM_SHARE = 40  # of the capacity at most
STEP = 1 << 20
SINGLE = 2000
HIT = 1 << 20     # bytes of a read from the cache
HITS = 2000
SECOND_ARM = re.compile(r"arm 1: .*, blocks (\d+) to (\d+)")
COLUMNS = "columns:time=1:us,op=2:r=r,w=w,offset=3:512,size=4:512"
RANDOM = """summary = "random {op}s of {size} B"
law = "uniform"
requests = {requests}
write_share = {share}
alignment = "{size} B"
{op}_sizes = [[{size}, 1]]
"""
NO_CACHES = {"firmware.read_cache.segments": 0, "firmware.write_cache.capacity": "0 B"}


@dataclass(frozen=True)
class Figure:
    """A figure of the sheet, and what the drive of the description has."""

    name: str
    printed: float
    reached: float
    unit: str

    @property
    def off(self) -> float:
        return self.reached / self.printed - 1

    @property
    def met(self) -> bool:
        return abs(self.off) <= TOLERANCE

    def line(self) -> str:
        shown = {
            "B": lambda value: f"{value / 1e9:,.6g} GB", "bytes": _bytes, "s": time, "B/s": rate, "": lambda value: f"{value:,.6g}",
        }.get(self.unit, lambda value: f"{value:,.4g}{self.unit}")  # fmt: skip
        return f"{self.name:<28}{shown(self.printed):>14}{shown(self.reached):>14}{100 * self.off:>+8.1f} %  {'met' if self.met else 'not met'}"


def _bytes(value: float) -> str:
    """As data sheets print them: in the unit that has no fraction.

    >>> _bytes(512e6), _bytes(512 << 20)
    ('512 MB', '512 MiB')
    """
    return f"{value / (1 << 20):g} MiB" if value % (1 << 20) == 0 else f"{value / 1e6:g} MB"


HEADER = f"{'figure':<28}{'asked':>14}{'got':>14}{'':>10}  verdict"


class Bench:
    """Runs of designs; a rate that was measured is not measured again. `progress` hears of each run before it begins."""

    def __init__(self, progress: Callable[[str], None] = lambda _: None) -> None:
        self._rates: dict[tuple[Design, str], float] = {}
        self._progress = progress

    def reads_per_second(self, design: Design) -> float:
        return self._rate(design, "read", READS, 0)

    def writes_per_second(self, design: Design) -> float:
        filling = FILLING * min(design.write_cache, design.sheet.cache // 4) // design.sheet.sector
        return self._rate(design, "write", WRITES, filling)

    def _rate(self, design: Design, op: str, requests: int, before: int) -> float:
        key = (design.but(found=()), op)
        if key not in self._rates:
            workload = RANDOM.format(op=op, size=4096, requests=requests + before, share=float(op == "write"))
            run = self._run(design, {"workload.toml": workload}, f"random {op}s, depth {design.sheet.depth}", workload="workload.toml", replay=f"closed:{design.sheet.depth}", warmup=before or None)
            self._rates[key] = run["rate"]
        return self._rates[key]

    def stream(self, design: Design, inside: bool) -> float:
        """Bytes per second of reads one after the other, from the first sectors or up to the last; of each arm's at once."""
        places = self._places(design, inside)
        begins = self._ends(design, places[-1] + STEP) if inside else self._begins(design)
        lines = "".join(f"0,r,{begin + at // 512},{STEP // 512}\n" for at in places for begin in begins)
        run = self._run(design, {"stream.csv": lines}, "a stream " + ("inside" if inside else "outside"), trace="stream.csv", format=COLUMNS, replay=f"closed:{4 * len(begins)}")
        return STEP * len(places) * len(begins) / run["seconds"]

    def _places(self, design: Design, inside: bool) -> list[int]:
        """Bytes after the beginning at which the reads of a stream begin."""
        sheet = design.sheet
        whole = sheet.sectors * sheet.sector
        numbered = int((1 + TOP) * RUN * sheet.surfaces * design.track_sectors[-1 if inside else 0]) * sheet.sector
        apart = max(PIECE, numbered // PIECES // STEP * STEP)
        if sheet.recording == "interlaced" and PIECES * apart < whole // 2:
            return [piece * apart + at for piece in range(PIECES) for at in range(0, PIECE, STEP)]
        return list(range(0, max(STEP, min(STREAM, whole // STREAM_SHARE) // STEP * STEP), STEP))

    def _begins(self, design: Design) -> list[int]:
        """Blocks at which the arms' shares begin."""
        return [0, int(self._second_arm(design)[1])] if design.sheet.arms > 1 else [0]

    def _ends(self, design: Design, length: int) -> list[int]:
        """The last blocks of the arms' shares that hold so many bytes."""
        sheet = design.sheet
        ends = [int(self._second_arm(design)[1])] if sheet.arms > 1 else []
        step = sheet.sector // 512
        return [(end - length // 512) // step * step for end in (*ends, sheet.sectors * step)]

    def _second_arm(self, design: Design) -> re.Match[str]:
        with described(design) as drive:
            found = SECOND_ARM.search(ask_simulator(["check", drive]))
        assert found is not None  # of a description with two
        return found

    def held(self, design: Design) -> float:
        """Bytes that the platters leave the host, however many addresses it gets."""
        free = {"zoned": ["--set", "layers.zoned.zones=0"], "media-cache": ["--set", "media.exported_sectors=0"]}.get(design.kind.layer, [])
        with described(design) as drive:
            return float(ask_simulator(["check", drive, "--capacity", *free]))

    def interface(self, design: Design) -> float:
        """Bytes per second of reads that find their data in the cache."""
        read = max(design.sheet.sector, min(HIT, design.sheet.cache // 8) // design.sheet.sector * design.sheet.sector)
        run = self._run(design, {"hits.csv": f"0,r,0,{read // 512}\n" * HITS}, "reads from the cache", trace="hits.csv", format=COLUMNS, replay="closed:4")
        return HITS * read / run["seconds"]

    def value(self, design: Design, path: str) -> float:
        """What the simulator makes of a line of the description."""
        with described(design) as drive:
            return float(amount(drive_value(str(drive), path))[0])

    def average_seek(self, design: Design, op: str) -> float:
        """Of random single requests; of writes with what the head takes to be still."""
        workload = RANDOM.format(op=op, size=4096, requests=SINGLE, share=float(op == "write"))
        return self._run(design, {"workload.toml": workload}, f"single {op}s", workload="workload.toml", replay="closed:1", requests=True, settings=NO_CACHES)["seek"]

    def track_to_track(self, design: Design) -> float:
        """Of single reads, each on the track next to the one before."""
        sector, track = design.sheet.sector // 512, design.track_sectors[0]
        lines = "".join(f"0,r,{(1 + place % 2) * track * sector},{sector}\n" for place in range(2 * SERPENT))
        return self._run(design, {"steps.csv": lines}, "steps", trace="steps.csv", format=COLUMNS, replay="closed:1", requests=True, settings=NO_CACHES)["step"]

    def capacity(self, design: Design) -> float:
        return self._run(design, {"one.csv": f"0,r,0,{design.sheet.sector // 512}\n"}, "the capacity", trace="one.csv", format=COLUMNS)["capacity"]

    def _run(self, design: Design, files: dict[str, str], what: str, **options: object) -> dict[str, float]:
        self._progress(what)
        with described(design) as drive:
            folder = drive.parent
            for file, text in files.items():
                (folder / file).write_text(text, encoding="utf-8")
            named = {key: str(folder / value) if key in ("trace", "workload") else value for key, value in options.items()}
            return _figures_of(Simulation.of({"drive": str(drive), "caches": "empty", **named}).run(folder / "out"))


@contextmanager
def described(design: Design) -> Iterator[Path]:
    """The description in a folder of its own, which goes afterwards."""
    with tempfile.TemporaryDirectory(dir=work_folder()) as name:
        drive = Path(name) / "drive.toml"
        drive.write_text(design.text(), encoding="utf-8")
        yield drive


def _figures_of(run: Run) -> dict[str, float]:
    found = {"rate": run.metric("host.throughput") or 0.0, "seconds": run.metric("run.simulated_seconds") or 0.0, "capacity": run.metric("capacity.user") or 0.0}
    if (run.folder / "requests.npy").exists():
        seeks = run.requests["seek"]
        found |= {"seek": float(seeks.mean()) / 1e12, "step": float(np.median(seeks)) / 1e12}
    return found


def figures_of(design: Design, bench: Bench) -> Iterable[Figure]:
    """Each figure of the sheet, as it is measured, or as the simulator reads it where the description states it."""
    sheet = design.sheet
    yield Figure("capacity", sheet.capacity, bench.capacity(design), "B")
    yield Figure("surfaces", sheet.surfaces, bench.value(design, "media.surfaces"), "")
    yield Figure("turns per minute", sheet.rpm, bench.value(design, "media.rpm"), "")
    yield Figure("sustained, outer", sheet.outer, bench.stream(design, inside=False), "B/s")
    if sheet.inner is not None:
        yield Figure("sustained, inner", sheet.inner, bench.stream(design, inside=True), "B/s")
    if sheet.seek_read is not None:
        yield Figure("average seek, read", sheet.seek_read, bench.average_seek(design, "read"), "s")
    if sheet.seek_write is not None and sheet.recording in ("conventional", "interlaced"):  # others write at the head of a log, or a zone
        yield Figure("average seek, write", sheet.seek_write, bench.average_seek(design, "write"), "s")
    if sheet.track_to_track is not None:
        yield Figure("track to track", sheet.track_to_track, bench.track_to_track(design), "s")
    if sheet.cache >= LEAST_DRAM:
        yield Figure("cache", sheet.cache, bench.value(design, "dram.capacity"), "bytes")
    if sheet.interface is not None:
        yield Figure("interface", sheet.interface, bench.interface(design), "B/s")
    if sheet.random_reads is not None:
        yield Figure(f"random reads, depth {sheet.depth}", sheet.random_reads, bench.reads_per_second(design), " per s")
    if sheet.random_writes is not None:
        yield Figure(f"random writes, depth {sheet.depth}", sheet.random_writes, bench.writes_per_second(design), " per s")
