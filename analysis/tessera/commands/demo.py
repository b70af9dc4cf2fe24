"""The demonstration: every translation layer on one drive, one table, one picture, one waveform."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from tessera.engine.output_file import make_way, write_inside
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import run_simulator, layer_names
from tessera.explore.fold import smallest_fold
from tessera.figures.latency_plot import plot_latency
from tessera.reports.report import write_page
from tessera.reports.run_page import RANKED_BY_CLEANING, runs_page
from tessera.results.families import YARDSTICK, grouped, ordered
from tessera.results.marks import FEW_CLEANINGS, cleaned_too_little
from tessera.results.run_folder import Run
from tessera.results.terms import terms

DRIVE = "demo"
WORKLOAD = "web-server"
WAVEFORM_LAYER = "imr-rmw"  # the layer whose plain writes cause read-modify-writes


@dataclass(frozen=True)
class Column:
    title: str
    metric: str
    text: str  # format of a number
    scale: float = 1.0
    about: str = ""
    """What the title stands for, if that is not plain."""


COLUMNS = (
    Column("mean ms", "host.latency.mean", ",.1f"),
    Column("p99 ms", "host.latency.p99", ",.0f"),
    Column("p99.9", "host.latency.p999", ",.0f", about="like p99, in ms"),
    Column("max", "host.latency.max", ",.0f", about="longest, in ms"),
    Column("WA", "write_amplification.total", ".1f", about="sectors written to platters and flash per sector of the host"),
    Column("capacity", "capacity.gain_vs_cmr", ".2f", about="user capacity, 1 is the same platters recorded conventionally"),
    Column("$/TB", "cost.per_user_tb", ".1f"),
    Column("cleanings", "cleaning.count", ",.0f"),
    Column("KiB", "metadata.bytes", ",.0f", 1 / 1024, "tables in DRAM"),
    Column("k/s", "run.requests_per_cpu_second", ",.0f", 1e-3, "thousand requests simulated per CPU-second"),
)


def cell(run: Run, column: Column) -> str:
    """A figure as the table shows it; with an asterisk where it must not be ranked."""
    value = run.metric(column.metric)
    mark = "*" if column.metric in RANKED_BY_CLEANING and cleaned_too_little(run) else ""
    return "-" if value is None else format(value * column.scale, column.text) + mark


def markdown_table(runs: Mapping[str, Run]) -> str:
    """The table for a page of text."""
    lines = ["| layer | " + " | ".join(column.title for column in COLUMNS) + " |"]
    lines.append("|---|" + "---:|" * len(COLUMNS))
    lines += [f"| `{name}` | " + " | ".join(cell(run, column) for column in COLUMNS) + " |" for name, run in runs.items()]
    return "\n".join(lines) + "\n"


def print_table(console: Console, runs: Mapping[str, Run], title: str) -> None:
    """With as many columns as the terminal has room for, and what these mean."""
    counts = range(len(COLUMNS), 0, -1)
    roomy = console.options.update(max_width=10_000)
    shown = next((count for count in counts if Measurement.get(console, roomy, table_of(runs, title, count)).maximum <= console.width), 1)
    console.print(table_of(runs, title, shown))
    if any(cleaned_too_little(run) for run in runs.values()):
        console.print(f"* fewer than {FEW_CLEANINGS} cleanings: too few to compare, as the caches of this layer were hardly ever full", highlight=False)
    legend = " ".join(f"{column.title}: {column.about}." for column in COLUMNS[:shown] if column.about)
    console.print(legend, highlight=False, soft_wrap=True)


def table_of(runs: Mapping[str, Run], title: str, shown: int) -> Table:
    """The table with its first columns."""
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("layer", min_width=max(map(len, runs)))
    for column in COLUMNS[:shown]:
        table.add_column(column.title, justify="right")
    for name, run in runs.items():
        table.add_row(name, *(cell(run, column) for column in COLUMNS[:shown]))
    return table


def simulate(layer: str, source: list[str], out: Path) -> Run:
    """Runs one layer. Raises SimulatorError."""
    folder = out / layer
    make_way(folder)
    arguments = ["run", DRIVE, "--layer", layer, *source, "--prefill", "100", "--requests", "--out", folder]
    if layer == WAVEFORM_LAYER:
        for name in ("first_rmw.vcd", "first_rmw.gtkw"):
            make_way(out / name)
        arguments += ["--vcd", out / "first_rmw.vcd", "--record-trigger", "rmw", "--record-after", "100 ms"]
    run_simulator(arguments)
    return Run(folder)


def demonstrate(console: Console, trace: Path | None, limit: int, out: Path) -> None:
    """Runs the layers on `trace`, or on `limit` requests of the built-in workload, and shows what came of it."""
    out.mkdir(parents=True, exist_ok=True)
    layers = ordered(layer_names())
    fold = smallest_fold(Simulation(drive=DRIVE, layer=layer, workload=WORKLOAD, fold=True) for layer in layers)  # of drives, whatever the input
    source = [*(("--trace", str(trace)) if trace else ("--workload", WORKLOAD, "--limit", str(limit))), "--fold", *(("--fold-at", f"{fold.at} B") if fold else ())]
    console.print(f"[dim]simulating {len(layers)} translation layers ...[/dim]")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = dict(zip(layers, pool.map(lambda layer: simulate(layer, source, out), layers)))
    requests = runs[YARDSTICK].metric("host.requests")
    title = f"{trace.name if trace else WORKLOAD + ' workload'}, {requests:,.0f} requests, drive '{DRIVE}'"
    console.print()
    shared = " ".join(filter(None, (terms(runs), fold and fold.text())))
    if shared:
        console.print(shared, highlight=False, soft_wrap=True)
    print_table(console, runs, title)
    write_inside(out / "table.md", (f"{shared}\n\n" if shared else "") + markdown_table(runs))
    columns = {family: {layer: runs[layer] for layer in (YARDSTICK, *members)} for family, members in grouped(layers).items()}
    plot_latency(columns, out / "latency.png", title, YARDSTICK)
    question = "What does each translation layer cost, and what does it give, on the same platters and the same requests?"
    command = " ".join(["tessera demo", *([str(trace)] if trace else []), "--limit", str(limit), "--out", str(out)])
    report = write_page(runs_page(runs, title, question, [command]), out / "report.html")
    lines = [
        ("the table with every column", f"less {out / 'table.md'}"),
        ("latency distributions", f"xdg-open {out / 'latency.png'}"),
        ("waveform of the first read-modify-write", f"gtkwave {out / 'first_rmw.vcd'}"),
        ("life of the first request", f"tessera explain {out / WAVEFORM_LAYER} 0"),
        ("every figure of a run", f"less {out / WAVEFORM_LAYER / 'summary.json'}"),
    ]
    console.print("\nTo look closer:")
    for what, command in lines:
        console.print(f"  {what}:\n    {command}", highlight=False, soft_wrap=True)
    console.print(f"\nThe whole as a report, for any browser:\n    {report.resolve()}", highlight=False, soft_wrap=True)
    console.print(f"\nThe disk at work, for any browser:\n    tessera view {out / WAVEFORM_LAYER} --yes", highlight=False, soft_wrap=True)
