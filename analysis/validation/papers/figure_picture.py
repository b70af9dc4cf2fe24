"""A figure of a paper in its own kind: the values that it prints, with the error of reading, and ours."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from tessera.engine.output_file import whole
from tessera.figures.style import COLOURS, MUTED
from validation.papers.figures import Fact, PaperFigure, Values

PRINTED = {"color": "black", "markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.6, "linestyle": "none", "capsize": 3, "elinewidth": 1, "zorder": 5}
MARKS = "DsPX^v"  # of the paper's series where a colour cannot tell them


def _series(figure: PaperFigure, values: Values) -> list[str]:
    """Ours, then those that only the paper has."""
    return list(dict.fromkeys([*values, *(fact.series for fact in figure.facts)]))


def _bars(panel: plt.Axes, figure: PaperFigure, values: Values) -> None:
    places = list(dict.fromkeys([*(at for series in values.values() for at in series), *(fact.at for fact in figure.facts)]))
    names = _series(figure, values)
    width = 0.8 / len(names)
    for index, name in enumerate(names):
        offset = (index - (len(names) - 1) / 2) * width
        ours = values.get(name, {})
        shown = [place for place, at in enumerate(places) if at in ours]
        panel.bar([place + offset for place in shown], [ours[places[place]] for place in shown], width, color=COLOURS[index % len(COLOURS)], label=f"{name}, here")
        facts = [fact for fact in figure.facts if fact.series == name]
        _facts(panel, facts, [places.index(fact.at) + offset for fact in facts], name, MARKS[index % len(MARKS)])
    panel.set_xticks(range(len(places)), places, rotation=30 if max(map(len, places)) > 4 else 0, ha="right" if max(map(len, places)) > 4 else "center", fontsize=8)


def _facts(panel: plt.Axes, facts: list[Fact], places: list[float], name: str, mark: str) -> None:
    if not facts:
        return
    panel.errorbar(
        places, [fact.value for fact in facts], yerr=[fact.error for fact in facts], xerr=[fact.spread for fact in facts], marker=mark, label=f"{name}, as printed", **PRINTED
    )


def _lines(panel: plt.Axes, figure: PaperFigure, values: Values) -> None:
    for index, name in enumerate(_series(figure, values)):
        line = sorted((float(at), value) for at, value in values.get(name, {}).items())
        if line:
            across, up = np.array(line).T
            steps = {"drawstyle": "steps-post"} if figure.kind == "cdf" else {"marker": "o", "markersize": 4}
            panel.plot(across, up, color=COLOURS[index % len(COLOURS)], label=f"{name}, here", linewidth=1.5, **steps)
        facts = [fact for fact in figure.facts if fact.series == name]
        _facts(panel, facts, [float(fact.at) for fact in facts], name, MARKS[index % len(MARKS)])
    if figure.kind == "cdf":
        panel.set_ylim(0, 1.02)


def draw_figure(figure: PaperFigure, values: Values, file: Path, note: str = "") -> Path:
    """Writes the picture, as the file's name ends."""
    settings: Mapping[str, object] = {"svg.fonttype": "none", "svg.hashsalt": "tessera", "font.size": 9}
    with plt.rc_context(dict(settings)):
        canvas, panel = plt.subplots(figsize=(8, 4.2), layout="constrained")
        (_bars if figure.kind == "bars" else _lines)(panel, figure, values)
        if figure.log:
            panel.set_xscale("log") if figure.kind == "cdf" else panel.set_yscale("log")
        panel.set_xlabel(figure.x)
        panel.set_ylabel(figure.y)
        panel.set_title(f"{figure.figure}. {figure.title}{note}", fontsize=10)
        panel.grid(axis="y", color=MUTED, alpha=0.3)
        panel.set_axisbelow(True)
        canvas.legend(*panel.get_legend_handles_labels(), loc="outside right upper", fontsize=7)
        try:
            return whole(file, lambda aside: canvas.savefig(aside, dpi=110, format=file.suffix[1:], metadata={"Date": None} if file.suffix == ".svg" else None))
        finally:
            plt.close(canvas)
