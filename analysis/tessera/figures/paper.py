"""Charts drawn by matplotlib: PNG and SVG."""

import textwrap
from collections.abc import Iterable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patheffects import withStroke

from tessera.engine.output_file import make_way, whole
from tessera.errors import InputError
from tessera.figures.chart import Axis, Chart, Field, Heat, Lanes, Lines, Stack, total_text
from tessera.figures.style import FEW_SHADES, MUTED, curve_looks, look, part_colours

WIDTH, HEIGHT, DPI = 7.2, 4.4, 150  # inches; a column of a page
FORMATS = ("png", "svg")  # of a folder of pictures
ENDINGS = (".png", ".svg", ".pdf")
ROW = 0.42  # inches of a bar
TITLE = 80  # characters of a line
MOST_LABELS = 12  # below a heat map
TEXT_ON_DARK = 0.45  # relative place on the scale from which a heat map's text is black


def picture_file(file: Path) -> Path:
    """The name of one picture, whose ending says as what it is drawn. Raises InputError for any other name, before anything is computed."""
    if file.suffix.lower() not in ENDINGS or file.is_dir():
        raise InputError(f"{file}: expected the name of a picture that ends with {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    return file


def draw(chart: Chart | Lanes, file: Path) -> Path:
    """Writes the chart; the name's ending says as what. Raises InputError as picture_file() does."""
    picture_file(file)
    height, below = HEIGHT, 0
    if isinstance(chart, Stack):
        height = 1.7 + ROW * len(chart.categories) + 0.2 * (len(chart.parts) // 4)
    elif isinstance(chart, Heat):
        height = 1.8 + ROW * len(chart.ys)
    elif isinstance(chart, Lanes):
        height, below = 3.2 + ROW * len(chart.lanes), 1
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tessera", "font.size": 9}):
        ratios = [height - ROW * len(chart.lanes), ROW * len(chart.lanes)] if isinstance(chart, Lanes) else [1]
        figure, panels = plt.subplots(1 + below, figsize=(WIDTH, height), layout="constrained", sharex=True, squeeze=False, height_ratios=ratios)
        panel = panels[0, 0]
        match chart:
            case Lines():
                _lines(panel, chart)
            case Stack():
                _stack(panel, chart)
            case Heat():
                _heat(figure, panel, chart)
            case Field():
                _field(figure, panel, chart)
            case Lanes():
                _lanes(panel, panels[1, 0], chart)
        panel.set_title(textwrap.fill(chart.title, TITLE, break_on_hyphens=False), fontsize="medium", loc="left")
        panel.spines[["top", "right"]].set_visible(False)
        file.parent.mkdir(parents=True, exist_ok=True)
        undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(file.suffix.lower())
        whole(file, lambda aside: figure.savefig(aside, dpi=DPI, metadata=undated, format=file.suffix[1:].lower()))
        plt.close(figure)
    return file


def draw_all(charts: Iterable[Chart], folder: Path) -> list[Path]:
    """Each chart as PNG and SVG, under its name. What the folder holds under such a name gives way, and is not written through."""
    files = [(chart, folder / f"{chart.name}.{ending}") for chart in charts for ending in FORMATS]
    for _, file in files:
        make_way(file)
    return [draw(chart, file) for chart, file in files]


def _scales(panel: Axes, x: Axis, y: Axis) -> None:
    panel.set_xlabel(x.label)
    panel.set_ylabel(y.label)
    if x.log:
        panel.set_xscale("log")
    if y.log:
        panel.set_yscale("log")
    panel.grid(True, which="major", color="0.88", linewidth=0.7)
    panel.set_axisbelow(True)


def _lines(panel: Axes, chart: Lines) -> None:
    _scales(panel, chart.x, chart.y)
    looks = curve_looks(line.name for line in chart.lines if not line.muted)
    for line in chart.lines:
        colour, dash, marker = (MUTED, "solid", "o") if line.muted else looks[line.name]
        x, y = np.array(line.x, dtype=float), np.array(line.y, dtype=float)
        if line.half_widths is not None:
            panel.errorbar(x, y, np.array(line.half_widths, dtype=float), color=colour, fmt="none", capsize=2, linewidth=1)
        if line.points_only:
            panel.plot(x, y, marker, color=colour, label=line.name, markersize=5 if not line.muted else 3.5)
        else:
            few = marker if len(x) <= 24 and not chart.steps else ""
            panel.plot(
                x, y, color=colour, linestyle=dash, marker=few, markersize=4, linewidth=1.2 if line.muted else 1.7, label=line.name,
                drawstyle="steps-post" if chart.steps else "default",
            )
        for label, at_x, at_y in zip(line.labels or (), x, y):
            written = panel.annotate(label, (at_x, at_y), xytext=(4, 4), textcoords="offset points", fontsize=7, color="0.25")
            written.set_path_effects([withStroke(linewidth=2.5, foreground="white")])  # readable over points and grid
    edge = 1 if len(chart.shades) <= FEW_SHADES else 0
    for number, (begin, end) in enumerate(chart.shades):
        panel.axvspan(begin, end, color="0.5", alpha=0.25, linewidth=edge, label=chart.shade_label if number == 0 else None)
    if len(chart.lines) > 1 or chart.shades:
        panel.legend(frameon=False, fontsize="small", ncols=2 if len(chart.lines) > 8 else 1)


def _stack(panel: Axes, chart: Stack) -> None:
    _scales(panel, chart.value, Axis(""))
    panel.grid(False, axis="y")
    places = np.arange(len(chart.categories))
    left = np.zeros(len(places))
    colours = part_colours(chart.parts)
    for name, values in chart.parts.items():
        widths = np.nan_to_num(np.array(values, dtype=float))
        panel.barh(places, widths, left=left, height=0.7, color=colours[name], label=name, edgecolor="white", linewidth=0.4)
        left += widths
    if chart.totals:
        for place, total in zip(places, left):
            panel.annotate(total_text(total), (total, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7.5)
        panel.margins(x=0.09)
    panel.set_yticks(places, chart.categories)
    panel.invert_yaxis()
    panel.figure.legend(loc="outside lower center", frameon=False, fontsize="small", ncols=4)


def _lanes(panel: Axes, below: Axes, chart: Lanes) -> None:
    _scales(panel, Axis(""), chart.y)
    panel.plot(chart.curve.x, chart.curve.y, color=look(0)[0], linewidth=1.2)
    _scales(below, chart.x, Axis(""))
    below.grid(False, axis="y")
    colours = part_colours(chart.kinds())
    for kind in chart.kinds():
        colour, named = colours[kind], kind
        for place, slices in enumerate(chart.lanes.values()):
            spans = [(part.begin, part.end - part.begin) for part in slices if part.what == kind]
            if spans:  # an edge of its own colour, so that the shortest is seen as well
                below.broken_barh(spans, (place - 0.38, 0.76), facecolor=colour, edgecolor=colour, linewidth=0.5, label=named)
                named = "_shown"
    below.set_yticks(range(len(chart.lanes)), list(chart.lanes))
    below.set_ylim(len(chart.lanes) - 0.5, -0.5)
    below.spines[["top", "right"]].set_visible(False)
    below.figure.legend(loc="outside lower center", frameon=False, fontsize="small", ncols=6)


def _field(figure, panel: Axes, chart: Field) -> None:
    _scales(panel, chart.x, chart.y)
    panel.grid(False)
    values = np.array([[np.nan if value is None else value for value in row] for row in chart.values], dtype=float)
    image = panel.pcolormesh(chart.xs, chart.ys, values, cmap="cividis", vmin=0, rasterized=True)
    figure.colorbar(image, ax=panel, label=chart.value_label)


def _heat(figure, panel: Axes, chart: Heat) -> None:
    values = np.array([[np.nan if value is None else value for value in row] for row in chart.values], dtype=float)
    scale = LogNorm() if chart.wide else Normalize(*(chart.ends or ()))
    image = panel.imshow(values, cmap="cividis", aspect="auto", norm=scale)
    every = -(-len(chart.xs) // MOST_LABELS)
    shown = chart.xs[::every]
    panel.set_xticks(range(0, len(chart.xs), every), shown, rotation=30 if sum(map(len, shown)) > 60 else 0)
    panel.set_yticks(range(len(chart.ys)), chart.ys)
    panel.set_xlabel(chart.x.label)
    panel.set_ylabel(chart.y.label)
    for row, texts in enumerate(chart.texts):
        for column, text in enumerate(texts):
            dark = float(scale(values[row, column])) < TEXT_ON_DARK
            panel.text(column, row, text, ha="center", va="center", fontsize=7.5, color="white" if dark else "black")
    figure.colorbar(image, ax=panel, label=chart.value_label)
