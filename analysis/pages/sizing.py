"""What less bandwidth between platters, flash and DRAM costs, smaller buffers, and tables in TCM or DRAM: the curves of docs/guide/sizing.md."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.calibration.flash_hits import HIT_DEPTH, HIT_READS, HITS, write_hits
from tessera.engine.simulator import REPOSITORY, run_simulator
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from tessera.results.run_folder import Run

PAGE = REPOSITORY / "docs" / "guide" / "sizing.md"
REQUESTS = 10_000

SEQUENTIAL = ("cmr", "--workload", "sequential", "--replay", "closed:4")
FLASH = ("mu-rmw", "--workload", "zipf-writes", "--replay", "closed:32")


def _set(**settings: object) -> tuple[str, ...]:
    return tuple(word for name, value in settings.items() for word in ("--set", f"{name.replace('__', '.')}={value}"))


CLOCKS = (3200, 1600, 800, 400)  # MHz: with a slower one it is the code that hits wait for, wherever tables lie
TABLES = (
    ("rings and tables in the DRAM", _set(firmware__placement__descriptors="dram")),
    ("rings in the TCM (as it comes)", ()),
    ("the same, data cache of 32 KiB", _set(controller__data_cache__size="\"32 KiB\"")),
    ("rings and tables in the TCM", _set(firmware__placement__metadata="tcm", controller__tcm__size="\"2 MiB\"")),
)


@dataclass(frozen=True)
class Curve:
    title: str
    run: tuple[str, ...]
    points: tuple[tuple[str, tuple[str, ...]], ...]


def _points(name: str, values: tuple[object, ...], *others: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((f"`{name} = {value}`", ("--set", f"{name}={value}", *others)) for value in values)


NARROW = _set(bus__width=1, bus__clock="\"200 MHz\"")

CURVES = (
    Curve(
        "Bandwidth of the DRAM, sequential requests to the platters (`cmr`, `sequential`, 4 at a time)",
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
        "Bandwidth of the DRAM under a flash cache (`mu-rmw`, `zipf-writes`, 32 at a time)",
        FLASH, _points("dram.transfer_rate", tuple(f'"{rate} MHz"' for rate in (1600, 800, 400, 200, 100))),
    ),
)  # fmt: skip


def _share(run: Run, name: str) -> str:
    return f"{100 * (run.metric(name) or 0):.1f} %"


def _row(what: str, run: Run) -> tuple[str, ...]:
    return (
        what, number(run.metric("host.latency.mean"), 3), number(run.metric("host.latency.p99"), 2), _share(run, "dram.utilisation"),
        _share(run, "bus.utilisation"), number(run.metric("dram.row_conflicts"), 0), number(run.metric("disk_channel.missed_turns"), 0),
        number(run.metric("dram.energy"), 1),
    )  # fmt: skip


def _placement_section(out: Path) -> str:
    """Tables in TCM or DRAM, at some clocks of the CPU."""
    out.mkdir(parents=True, exist_ok=True)
    trace = out / "hits.trace"
    write_hits(trace)
    header = ("clock", "placement", "mean us", "CPU used", "table accesses a read", "of them in the TCM", "DRAM mJ")
    rows = []
    for clock in CLOCKS:
        for place, (where, settings) in enumerate(TABLES):
            folder = out / f"hits-{clock}-{place}"
            at_clock = ("--set", f"controller.clock={clock} MHz")
            run_simulator(["run", "bare", "--layer", "mu-rmw", "--trace", trace, *HITS, *at_clock, *settings, "--out", folder], quiet=True)
            run = Run(folder)
            in_tcm = run.metric("tcm.accesses.metadata") or 0
            cached = any("data_cache" in setting for setting in settings)
            to_tables = ("cpu.data_cache.hits", "cpu.data_cache.misses") if cached else ("dram.accesses",)
            accesses = sum(run.metric(name) or 0 for name in to_tables)
            rows.append((
                f"{clock} MHz", where, number(1000 * (run.metric("host.latency.mean") or 0), 1), _share(run, "cpu.utilisation"),
                number((accesses + in_tcm) / HIT_READS, 2), number(in_tcm / HIT_READS, 2),
                number(run.metric("dram.energy"), 2),
            ))  # fmt: skip
    title = f"Tables in TCM or DRAM under flash hits (`mu-rmw`, {HIT_DEPTH} at a time, pages read in 2 us, 4 channels and a link of 4 GB/s)"
    return f"\n**{title}**\n\n" + table(header, rows)


def section(out: Path, requests: int) -> str:
    header = ("setting", "mean ms", "p99 ms", "DRAM used", "bus used", "row conflicts", "missed turns", "DRAM mJ")
    parts = [f"{requests:,} requests of each workload on `bare`; made by `./dev sizing`.\n"]
    for index, curve in enumerate(CURVES):
        rows = []
        for point, (what, settings) in enumerate(curve.points):
            folder = out / f"{index}-{point}"
            layer, *rest = curve.run
            run_simulator(["run", "bare", "--layer", layer, *rest, "--limit", requests, *settings, "--out", folder], quiet=True)
            rows.append(_row(what, Run(folder)))
        parts.append(f"\n**{curve.title}**\n\n" + table(header, rows))
    parts.append(_placement_section(out / "placement"))
    return "".join(parts)


def write_sizing(console: Console, out: Path, requests: int = REQUESTS, page: Path = PAGE) -> None:
    """Puts the curves between their marks in the page."""
    write_marked_section(page, "./dev sizing", section(out, requests))
    console.print(f"{page}: written")
