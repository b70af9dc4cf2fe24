"""The tails of several runs in one picture: the share of requests slower than a latency, both axes logarithmic."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from tessera.engine.output_file import whole
from tessera.evidence.marks import cleaned_too_little, TOO_SHORT
from tessera.figures.pictures import MARK, slower
from tessera.figures.style import curve_looks
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run


def distribution(latencies: np.ndarray, points: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """The empirical distribution, thinned to at most `points` of its steps: latencies and shares of requests at or below."""
    ordered = np.sort(latencies)
    ranks = np.unique(np.linspace(1, len(ordered), min(points, len(ordered))).round().astype(np.int64))
    return ordered[ranks - 1], ranks / len(ordered)


def draw(panel, runs: Mapping[str, Run], operation: str, yardstick: str | None) -> None:
    """One curve a run; the yardstick's is grey."""
    floor = 1e-3  # a logarithmic axis has no 0: anything below a microsecond stands at its edge
    looks = curve_looks(name for name in runs if name != yardstick)
    for name, run in runs.items():
        chosen = run.requests[run.requests["op"] == OPERATIONS.index(operation)]
        if len(chosen) == 0:
            continue
        look = {"color": "0.6", "linestyle": "-", "linewidth": 1.2}
        if name != yardstick:
            colour, dash, _ = looks[name]
            look = {"color": colour, "linestyle": dash, "linewidth": 1.8}
        latencies, shares = slower(latency_ms(chosen))
        panel.step(np.maximum(latencies, floor), 100 * shares, where="post", label=name + (MARK if cleaned_too_little(run) else ""), **look)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.grid(True, which="major", color="0.85", linewidth=0.7)
    panel.spines[["top", "right"]].set_visible(False)
    if panel.get_legend_handles_labels()[0]:
        panel.legend(loc="upper right", frameon=False, fontsize="small")
    else:
        panel.text(0.5, 0.5, f"no {operation}s", transform=panel.transAxes, ha="center", color="0.4")


def plot_latency(groups: Mapping[str, Mapping[str, Run]], path: Path, title: str, yardstick: str | None = None) -> None:
    """Writes a PNG with a column a group and a panel each for reads and writes, on equal axes; `yardstick`: the run drawn in grey."""
    figure, panels = plt.subplots(
        2, len(groups), figsize=(2 + 3.6 * len(groups), 7.2), sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for row, operation in zip(panels, ("read", "write")):
        for panel, (group, runs) in zip(row, groups.items()):
            draw(panel, runs, operation, yardstick)
            panel.set_title(f"{group}: {operation}s", fontsize="medium")
        row[0].set_ylabel("share of requests that are slower (%)")
    for panel in panels[-1]:
        panel.set_xlabel("latency, arrival to completion (ms)")
    marked = any(cleaned_too_little(run) for runs in groups.values() for run in runs.values())
    figure.suptitle(title + (f" ({MARK} {TOO_SHORT})" if marked else ""))
    whole(path, lambda aside: figure.savefig(aside, dpi=120))
    plt.close(figure)
