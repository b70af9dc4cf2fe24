"""Latency distributions of several runs in one picture."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from tessera.run_folder import OPERATIONS, Run, latency_ms

# Okabe and Ito's palette stays apart for every common kind of colour blindness; line styles tell the curves apart in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", ":")


def distribution(latencies: np.ndarray, points: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """The empirical distribution, thinned to at most `points` of its steps: latencies and shares of requests at or below."""
    ordered = np.sort(latencies)
    ranks = np.unique(np.linspace(1, len(ordered), min(points, len(ordered))).round().astype(np.int64))
    return ordered[ranks - 1], ranks / len(ordered)


def plot_latency(runs: Mapping[str, Run], path: Path, title: str) -> None:
    """Writes a PNG with one panel for reads and one for writes, one curve a run."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.8), sharey=True, layout="constrained")
    for panel, operation in zip(panels, ("read", "write")):
        for index, (name, run) in enumerate(runs.items()):
            chosen = run.requests[run.requests["op"] == OPERATIONS.index(operation)]
            if len(chosen) == 0:
                continue
            latencies, shares = distribution(latency_ms(chosen))
            floor = 1e-3  # a logarithmic axis has no 0: anything below a microsecond stands at its edge
            panel.step(
                np.maximum(latencies, floor),
                100 * shares,
                where="post",
                label=name,
                color=COLOURS[index % len(COLOURS)],
                linestyle=STYLES[index % len(STYLES)],
                linewidth=1.8,
            )
        panel.set_xscale("log")
        panel.set_xlabel("latency, arrival to completion (ms)")
        panel.set_title(f"{operation}s")
        panel.grid(True, which="major", color="0.85", linewidth=0.7)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_ylim(0, 100.5)
        if panel.get_legend_handles_labels()[0]:
            panel.legend(loc="lower right", frameon=False)
        else:
            panel.text(0.5, 0.5, f"no {operation}s", transform=panel.transAxes, ha="center", color="0.4")
    panels[0].set_ylabel("requests served within (%)")
    figure.suptitle(title)
    figure.savefig(path, dpi=150)
    plt.close(figure)
