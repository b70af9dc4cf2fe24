"""Pictures: an experiment's runs as bars, what the paper prints next to what came out, and a figure of a paper in its own kind."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import shorten

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from tessera.engine.output_file import whole
from tessera.figures.style import COLOURS, MUTED
from tessera.results.run_folder import Run
from validation.papers.catalogue import Claim
from validation.papers.figures import Fact, PaperFigure, Values
from validation.papers.lab import Made
from validation.papers.lookup import Chosen
from validation.papers.outcome import FAR
from validation.papers.record import CLAIM, Measured

PANELS = (("mean response (ms)", "host.latency.mean"), ("write amplification", "write_amplification.total"), ("longest response (ms)", "host.latency.max"))
MOST = 24  # inputs of a panel


def _bars(panel: plt.Axes, made: Made, metric: str, label: str) -> None:
    inputs = list(made.grid)[:MOST]
    variants = list(dict.fromkeys(name for row in inputs for name in made.grid[row]))
    width = 0.8 / max(1, len(variants))
    places = np.arange(len(inputs))
    for index, variant in enumerate(variants):
        heights = [_value(made.grid[row].get(variant), metric) for row in inputs]
        panel.bar(places + (index - (len(variants) - 1) / 2) * width, heights, width, label=variant, color=COLOURS[index % len(COLOURS)])
    panel.set_ylabel(label)
    panel.set_xticks(places, [row or "all" for row in inputs], rotation=30, ha="right", fontsize=7)
    shown = [height for bar in panel.patches if (height := bar.get_height()) > 0]
    if shown and max(shown) > 30 * min(shown):
        panel.set_yscale("log")
    panel.grid(axis="y", color=MUTED, alpha=0.3)
    panel.set_axisbelow(True)


def _value(run: Run | None, metric: str) -> float:
    return (run.find(metric) if run else None) or 0.0


def pairs_of(claims: Sequence[Claim], lines: Sequence[Measured]) -> list[tuple[str, float, float]]:
    """Of each claim with a printed ratio that was measured: its experiment and text, the paper's ratio and ours."""
    here = {(line.paper, line.experiment, line.claim): line.ratio for line in lines if line.of == CLAIM and line.ratio}
    return [
        (f"{claim.experiment}: {claim.claim}", claim.ratio, ratio)
        for claim in claims
        if claim.ratio and (ratio := here.get((claim.paper, claim.experiment, claim.claim)))
    ]


def _beside(panel: plt.Axes, pairs: Sequence[tuple[str, float, float]]) -> None:
    """The paper's ratios next to ours; a shade around each of the paper's is what counts as within 2."""
    places = np.arange(len(pairs))
    for place, (_, paper, ours) in enumerate(pairs):
        panel.fill_betweenx([place - 0.4, place + 0.4], paper / FAR, paper * FAR, color=COLOURS[4], alpha=0.25, linewidth=0)
        panel.plot([paper, ours], [place, place], color=MUTED, linewidth=1)
    panel.plot([paper for _, paper, _ in pairs], places, "D", color="black", label="paper, as printed", markersize=5, linestyle="none")
    panel.plot([ours for _, _, ours in pairs], places, "o", color=COLOURS[0], label="here", markersize=6, linestyle="none")
    panel.grid(axis="x", color=MUTED, alpha=0.3)
    panel.set_xscale("log")
    panel.axvline(1, color="black", linewidth=0.8)
    panel.set_yticks(places, [shorten(claim, 78) for claim, _, _ in pairs], fontsize=7)
    panel.invert_yaxis()
    panel.set_xlabel("ratio (shaded: within 2 of the paper's)")
    panel.legend(fontsize=7)


def draw_beside(title: str, pairs: Sequence[tuple[str, float, float]], file: Path) -> Path:
    """Writes the picture of printed ratios next to ours."""
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tessera", "font.size": 9}):
        figure, panel = plt.subplots(figsize=(9, 1.2 + 0.42 * len(pairs)), layout="constrained")
        _beside(panel, pairs)
        figure.suptitle(title)
        try:
            return whole(file, lambda aside: figure.savefig(aside, dpi=110, format=file.suffix[1:], metadata={"Date": None} if file.suffix == ".svg" else None))
        finally:
            plt.close(figure)


def draw(chosen: Chosen, grids: Sequence[Made], scale: float, file: Path) -> Path:
    """Writes the picture of the first seed's largest grid."""
    made = max((each for each in grids if each.seed == 1), key=lambda each: sum(map(len, each.grid.values())))
    with plt.rc_context({"font.size": 9}):
        figure, panels = plt.subplots(len(PANELS), figsize=(9, 9.5), layout="constrained", sharex=True)
        for panel, (label, metric) in zip(panels, PANELS, strict=True):
            _bars(panel, made, metric, label)
        scaled = f" (scaled to {scale:g}: not the page's figures)" if scale < 1 else ""
        figure.suptitle(f"{chosen.name}: {chosen.experiment.title}{scaled}")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=min(4, max(1, len(labels))), fontsize=7)
        try:
            return whole(file, lambda aside: figure.savefig(aside, dpi=130, format="png"))
        finally:
            plt.close(figure)


PRINTED = {"color": "black", "markersize": 6, "markeredgecolor": "white", "markeredgewidth": 0.6, "linestyle": "none", "capsize": 3, "elinewidth": 1, "zorder": 5}
MARKS = "DsPX^v"  # of the paper's series where a colour cannot tell them


def _series(figure: PaperFigure, values: Values) -> list[str]:
    """Ours, then those that only the paper has."""
    return list(dict.fromkeys([*values, *(fact.series for fact in figure.facts)]))


def _groups(panel: plt.Axes, figure: PaperFigure, values: Values) -> None:
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
        (_groups if figure.kind == "bars" else _lines)(panel, figure, values)
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
