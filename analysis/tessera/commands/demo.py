"""The demonstration: every translation layer on one drive, one table, one picture, one waveform."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from tessera.engine.output_file import make_way, write_inside
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import run_simulator, layer_names
from tessera.evidence.marks import UNSTABLE, of_run_marks
from tessera.evidence.warmup import after, part_of, words
from tessera.explore.effort import by_warm_ups
from tessera.explore.fold import smallest_fold
from tessera.explore.worker import figures_of
from tessera.figures.latency_plot import plot_latency
from tessera.progress import watched
from tessera.reports.report import write_page
from tessera.reports.run_page import runs_page
from tessera.results.families import YARDSTICK, grouped, ordered
from tessera.results.layer_table import WIDTH, Seed, columns_with, layer_columns, layer_text, markdown
from tessera.results.run_folder import Run
from tessera.results.terms import terms

DRIVE = "demo"
WORKLOAD = "web-server"
WAVEFORM_LAYER = "imr-rmw"  # the layer whose plain writes cause read-modify-writes


def simulate(layer: str, source: list[str], out: Path) -> Run:
    """Runs one layer. Raises SimulatorError."""
    folder = out / layer
    make_way(folder)
    arguments = ["run", DRIVE, "--layer", layer, *source, "--prefill", "100", "--requests", "--out", folder]
    if layer == WAVEFORM_LAYER:
        for name in ("first_rmw.vcd", "first_rmw.gtkw"):
            make_way(out / name)
        arguments += ["--vcd", out / "first_rmw.vcd", "--record-trigger", "rmw", "--record-after", "100 ms"]
    run_simulator(arguments, quiet=True)
    return Run(folder)


def demonstrate(console: Console, trace: Path | None, limit: int, out: Path) -> None:
    """Runs the layers on `trace`, or on `limit` requests of the built-in workload, and shows what came of it."""
    out.mkdir(parents=True, exist_ok=True)
    layers = ordered(layer_names())
    fold = smallest_fold(Simulation(drive=DRIVE, layer=layer, workload=WORKLOAD, fold=True) for layer in layers)  # of drives, whatever the input
    source = [*(("--trace", str(trace)) if trace else ("--workload", WORKLOAD, "--limit", str(limit))), "--fold", *(("--fold-at", f"{fold.at} B") if fold else ())]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = dict(zip(layers, list(watched(pool.map(lambda layer: simulate(layer, source, out), layers), "translation layers", len(layers)))))
    requests = runs[YARDSTICK].metric("host.requests")
    title = f"{trace.name if trace else WORKLOAD + ' workload'}, {requests:,.0f} requests, drive '{DRIVE}'"
    rows = {layer: {"exit_status": 0, **figures_of(run), **({} if trace else by_warm_ups(run))} for layer, run in runs.items()}
    part = part_of(rows.values())
    shared = [said for said in (words(part), terms(runs), fold.text() if fold else "") if said]
    rest = {layer: after(row, part) for layer, row in rows.items()}
    table = layer_columns({layer: [Seed(run, True, rest[layer], 1 / part if part else 0.0)] for layer, run in runs.items()}, columns_with(overloaded=any(UNSTABLE in of_run_marks(run) for run in runs.values())))
    for line in ["", *layer_text(table, title, notes=shared, width=min(console.width, WIDTH))]:
        console.print(line, highlight=False, soft_wrap=True, markup=False)
    write_inside(out / "table.md", (f"{' '.join(shared)}\n\n" if shared else "") + markdown(table))
    columns = {family: {layer: runs[layer] for layer in (YARDSTICK, *members)} for family, members in grouped(layers).items()}
    plot_latency(columns, out / "latency.png", title, YARDSTICK)
    question = "What does each translation layer cost, and what does it give, on the same platters and the same requests?"
    command = " ".join(["tessera demo", *([str(trace)] if trace else []), "--limit", str(limit), "--out", str(out)])
    report = write_page(runs_page(runs, title, question, [command], rest, words(part)), out / "report.html")
    lines = [
        ("the table with every column", f"less {out / 'table.md'}"),
        ("latency distributions", f"xdg-open {out / 'latency.png'}"),
        ("waveform of the first read-modify-write", f"gtkwave {out / 'first_rmw.gtkw'}"),
        ("life of the first request", f"tessera explain {out / WAVEFORM_LAYER} 0"),
        ("every figure of a run", f"less {out / WAVEFORM_LAYER / 'summary.json'}"),
    ]
    console.print("\nTo look closer:")
    for what, command in lines:
        console.print(f"  {what}:\n    {command}", highlight=False, soft_wrap=True)
    console.print(f"\nThe whole as a report, for any browser:\n    {report.resolve()}", highlight=False, soft_wrap=True)
    console.print(f"\nThe disk at work, for any browser:\n    tessera view {out / WAVEFORM_LAYER} --yes", highlight=False, soft_wrap=True)
