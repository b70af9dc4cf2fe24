"""What less bandwidth between platters, flash and DRAM costs, smaller buffers, and tables in TCM or DRAM: docs/studies/bandwidth.csv and placement.csv.

`./dev sizing` writes both; docs/studies/README.md says what is in them.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.calibration.flash_hits import HIT_READS, HITS, write_hits
from tessera.engine.simulator import REPOSITORY, run_simulator
from tessera.results.run_folder import Run

FOLDER = REPOSITORY / "docs" / "studies"
REQUESTS = 10_000  # of each workload, on `bare`
BANDWIDTH = ("curve", "setting", "mean_ms", "p99_ms", "dram_used_percent", "bus_used_percent", "row_conflicts", "missed_turns", "dram_mj")
PLACEMENT = ("clock_mhz", "placement", "mean_us", "cpu_used_percent", "table_accesses_per_read", "of_them_in_tcm", "dram_mj")

SEQUENTIAL = ("cmr", "--workload", "sequential", "--replay", "closed:4")
FLASH = ("mu-rmw", "--workload", "zipf-writes", "--replay", "closed:32")


def _set(**settings: object) -> tuple[str, ...]:
    return tuple(word for name, value in settings.items() for word in ("--set", f"{name.replace('__', '.')}={value}"))


CLOCKS = (3200, 1600, 800, 400)  # MHz: with a slower one it is the code that hits wait for, wherever tables lie
TABLES = (
    ("rings and tables in the DRAM", _set(firmware__placement__descriptors="dram")),
    ("rings in the TCM (default)", ()),
    ("the same, data cache of 32 KiB", _set(controller__data_cache__size="\"32 KiB\"")),
    ("rings and tables in the TCM", _set(firmware__placement__metadata="tcm", controller__tcm__size="\"2 MiB\"")),
)


@dataclass(frozen=True)
class Curve:
    title: str
    run: tuple[str, ...]
    points: tuple[tuple[str, tuple[str, ...]], ...]


def _points(name: str, values: tuple[object, ...], *others: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((f"{name} = {value}", ("--set", f"{name}={value}", *others)) for value in values)


NARROW = _set(bus__width=1, bus__clock="\"200 MHz\"")

CURVES = (
    Curve(
        "Bandwidth of the DRAM, sequential requests to the platters (cmr, sequential, 4 at a time)",
        SEQUENTIAL, _points("dram.transfer_rate", tuple(f'"{rate} MHz"' for rate in (1600, 800, 400, 200, 100))),
    ),
    Curve(
        "Width of a bus of 200 MHz, the same",
        SEQUENTIAL, _points("bus.width", (8, 4, 2, 1), *_set(bus__clock="\"200 MHz\"")),
    ),
    Curve(
        "FIFO of the disk channel, the same on a bus of one byte in 5 ns",
        SEQUENTIAL, _points("controller.disk_fifo", tuple(f'"{size} KiB"' for size in (4, 16, 64, 256, 1024)), *NARROW),
    ),
    Curve(
        "Bandwidth of the DRAM under a flash cache (mu-rmw, zipf-writes, 32 at a time)",
        FLASH, _points("dram.transfer_rate", tuple(f'"{rate} MHz"' for rate in (1600, 800, 400, 200, 100))),
    ),
)  # fmt: skip


def _figure(run: Run, name: str, digits: int, factor: float = 1) -> str:
    return f"{factor * (run.metric(name) or 0):.{digits}f}"


def bandwidth(out: Path, requests: int = REQUESTS) -> Iterator[tuple[str, ...]]:
    """The rows of bandwidth.csv. Raises SimulatorError."""
    for index, curve in enumerate(CURVES):
        for point, (setting, settings) in enumerate(curve.points):
            folder = out / f"{index}-{point}"
            layer, *rest = curve.run
            run_simulator(["run", "bare", "--layer", layer, *rest, "--limit", requests, *settings, "--out", folder], quiet=True)
            run = Run(folder)
            yield (
                curve.title, setting, _figure(run, "host.latency.mean", 3), _figure(run, "host.latency.p99", 2), _figure(run, "dram.utilisation", 1, 100),
                _figure(run, "bus.utilisation", 1, 100), _figure(run, "dram.row_conflicts", 0), _figure(run, "disk_channel.missed_turns", 0), _figure(run, "dram.energy", 1),
            )  # fmt: skip


def placement(out: Path, clocks: Sequence[int] = CLOCKS) -> Iterator[tuple[str, ...]]:
    """The rows of placement.csv: flash hits of `mu-rmw`, 32 at a time, pages read in 2 us over 4 channels, a link of 4 GB/s. Raises SimulatorError."""
    out.mkdir(parents=True, exist_ok=True)
    trace = out / "hits.trace"
    write_hits(trace)
    for clock in clocks:
        for place, (where, settings) in enumerate(TABLES):
            folder = out / f"hits-{clock}-{place}"
            at_clock = ("--set", f"controller.clock={clock} MHz")
            run_simulator(["run", "bare", "--layer", "mu-rmw", "--trace", trace, *HITS, *at_clock, *settings, "--out", folder], quiet=True)
            run = Run(folder)
            in_tcm = run.metric("tcm.accesses.metadata") or 0
            cached = any("data_cache" in setting for setting in settings)
            to_tables = ("cpu.data_cache.hits", "cpu.data_cache.misses") if cached else ("dram.accesses",)
            accesses = sum(run.metric(name) or 0 for name in to_tables)
            yield (
                str(clock), where, _figure(run, "host.latency.mean", 1, 1000), _figure(run, "cpu.utilisation", 1, 100),
                f"{(accesses + in_tcm) / HIT_READS:.2f}", f"{in_tcm / HIT_READS:.2f}", _figure(run, "dram.energy", 2),
            )  # fmt: skip


def write_sizing(console: Console, out: Path, folder: Path = FOLDER) -> None:
    """Writes both files again. Raises SimulatorError."""
    for name, header, rows in (("bandwidth.csv", BANDWIDTH, bandwidth(out)), ("placement.csv", PLACEMENT, placement(out / "placement"))):
        lines = [header, *rows]
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
        console.print(f"{folder / name}: written")
