"""The picture of docs/data/dd-and-fio.csv: sequential reads and writes of drives of today, next to what passes under their heads."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from tessera.engine.output_file import whole
from tessera.figures.style import COLOURS, MUTED
from validation.drives.host_view import COLUMNS, KIB, USUAL_SIZE

OF_TODAY = ("common", "seagate-", "wd-", "imr-20tb", "dual-arm-", "cmr-24tb", "hamr-")  # beginnings of names


def bars_of(rows: Sequence[Sequence[str]]) -> dict[tuple[str, str], dict[str, float]]:
    """By drive of today and layer: MB/s of `reads` and `writes` of the usual size, one at a time, and of the `platters`."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row in (dict(zip(COLUMNS, each, strict=True)) for each in rows):
        usual = (row["access"], row["block_kib"], row["depth"]) == ("sequential", str(USUAL_SIZE // KIB), "1")
        if usual and row["drive"].startswith(OF_TODAY):
            bars = found.setdefault((row["drive"], row["layer"]), {"platters": float(row["platters_mb_per_s"])})
            bars[row["operation"]] = float(row["figure"])
    return found


def draw_host(rows: Sequence[Sequence[str]], file: Path) -> Path:
    """Writes the picture of rows of COLUMNS."""
    bars = bars_of(rows)
    places = np.arange(len(bars))
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tessera", "font.size": 10}):
        figure, panel = plt.subplots(figsize=(7.2, 0.8 + 0.42 * len(bars)), layout="constrained")
        for side, (operation, colour) in enumerate((("reads", COLOURS[0]), ("writes", COLOURS[1]))):
            panel.barh(places + 0.2 * (2 * side - 1), [each[operation] for each in bars.values()], 0.38, color=colour, label=operation)
        panel.plot([each["platters"] for each in bars.values()], places, "|", color="black", markersize=16, linestyle="none", label="outermost tracks")
        panel.set_yticks(places, [f"{drive}, {layer}" for drive, layer in bars])
        panel.invert_yaxis()
        panel.set_xlabel("MB/s, 64 KiB in order, one request at a time")
        panel.grid(axis="x", color=MUTED, alpha=0.3)
        panel.set_axisbelow(True)
        figure.legend(loc="outside upper right", ncols=3)
        try:
            return whole(file, lambda aside: figure.savefig(aside, dpi=110, format=file.suffix[1:], metadata={"Date": None} if file.suffix == ".svg" else None))
        finally:
            plt.close(figure)
