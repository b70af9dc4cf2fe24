"""Charts drawn by matplotlib: PNG, SVG, PDF and PGF."""

import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from tessera.engine.output_file import make_way, whole
from tessera.errors import InputError, path_of
from tessera.figures.chart import MARK, Axis, Chart, Drawn, Facets, Field, Groups, Heat, Lanes, Line, Lines, Stack, heading, total_text
from tessera.figures.pgf import write_pgf
from tessera.figures.style import FEW_SHADES, FONTS, HATCHES, MUTED, PAGE, Sheet, curve_looks, look, part_colours

ENDINGS = (".png", ".svg", ".pdf", ".pgf")
FEW_POINTS = 24  # up to so many a curve shows its points, and their intervals as bars
BAND, FEW_BANDS = 0.2, 4  # how dense the intervals along a curve are, and up to how many curves
MOST_LABELS = 12  # below a heat map
MARKS_APART = 0.18  # of the diagonal of a picture: markers of a long curve on paper
WRAP = 10  # characters of a vertical label per inch of its picture
BESIDE_NAMES = 0.8  # of a picture's width: from where a heat map begins, to the right of its rows' names
PANEL, PANEL_HEIGHT = 2.2, 0.75  # inches that one of several panels side by side takes at least; its height next to that of a picture by itself
CHARACTERS_AN_INCH = 11  # below an axis
NARROW = 5  # inches, below which a heat map has no room for more than the figures in its cells
TEXT_ON_DARK = 0.45  # relative place on the scale from which a heat map's text is black


def picture_file(file: str | Path) -> Path:
    """The name of one picture, whose ending says as what it is drawn. Raises InputError for any other name, before anything is computed."""
    file = path_of("file", file)
    if file.suffix.lower() not in ENDINGS or file.is_dir():
        raise InputError(f"{file}: expected the name of a picture that ends with {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
    return file


def draw(chart: Drawn, file: str | Path, sheet: Sheet = PAGE) -> Path:
    """Writes the chart; the name's ending says as what. Raises InputError as picture_file() does."""
    file = picture_file(file)
    look_of_all = {
        "svg.fonttype": "path" if sheet.paper else "none", "svg.hashsalt": "tessera", "pdf.fonttype": 42, "ps.fonttype": 42, "font.size": sheet.text, "font.family": sheet.family,
        "font.serif": FONTS["serif"], "font.sans-serif": FONTS["sans-serif"], "mathtext.fontset": "stix" if sheet.family == "serif" else "dejavusans", "hatch.linewidth": 0.6,
    }  # fmt: skip
    if sheet.paper:
        look_of_all |= {"axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6, "legend.handlelength": 2.4, "legend.columnspacing": 1.2}
    with plt.rc_context(look_of_all):
        figure = _facets(chart, sheet) if isinstance(chart, Facets) else _single(chart, sheet)
        file.parent.mkdir(parents=True, exist_ok=True)
        ending = file.suffix.lower()
        if ending == ".pgf":
            write_pgf(figure, file)
        else:
            undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(ending)
            whole(file, lambda aside: figure.savefig(aside, dpi=sheet.dpi, metadata=undated, format=ending[1:]))
        plt.close(figure)
    return file


def _single(chart: Chart | Groups | Lanes, sheet: Sheet) -> Figure:
    curve = isinstance(chart, Lanes) and chart.curve is not None
    lanes = sheet.row * len(chart.lanes) if isinstance(chart, Lanes) else 0
    ratios = [_height(chart, sheet) - lanes, lanes] if curve else [1]
    figure, panels = plt.subplots(len(ratios), figsize=(sheet.width, _height(chart, sheet)), layout="constrained", sharex=True, squeeze=False, height_ratios=ratios)
    panel = panels[0, 0]
    if curve:
        _curve(panel, chart)
    _content(panels[-1, 0], chart, sheet)
    if not sheet.paper:
        room = int(sheet.characters * (BESIDE_NAMES if isinstance(chart, Heat) else 1))
        panel.set_title(textwrap.fill(heading(chart), room, break_on_hyphens=False), fontsize="medium", loc="left")
    else:  # the caption has the title
        _noted(figure, chart.note, sheet)
        panel.set_ylabel(textwrap.fill(panel.get_ylabel(), int(figure.get_figheight() * WRAP)))  # what is longer than its axis would be cut
        if isinstance(chart, Stack):
            panel.set_xlabel(panel.get_xlabel(), loc="right")
    panel.spines[["top", "right"]].set_visible(False)
    _legend(panels[-1, 0], chart, sheet)
    return figure


def _noted(figure: Figure, note: str, sheet: Sheet) -> None:
    if note:
        figure.suptitle(textwrap.fill(note, int(sheet.characters * sheet.text / sheet.small), break_on_hyphens=False), fontsize=sheet.small, x=0.01, ha="left")


def _facets(chart: Facets, sheet: Sheet) -> Figure:
    """Panels in rows as wide as the sheet; they share their axes, and a name has one look in all of them."""
    across = max(1, min(len(chart.panels), int(sheet.width / PANEL)))
    down = -(-len(chart.panels) // across)
    height = max(_height(panel, sheet) for panel in chart.panels) * (PANEL_HEIGHT if across > 1 else 1)
    alike = not isinstance(chart.panels[0], Lanes)
    figure, panels = plt.subplots(down, across, figsize=(sheet.width, down * height + 0.3), layout="constrained", sharex=alike, sharey=alike, squeeze=False)
    names = list(dict.fromkeys(name for panel in chart.panels for name in _names(panel)))
    for place, axes in enumerate(panels.flat):
        if place >= len(chart.panels):
            axes.set_visible(False)
            continue
        _content(axes, chart.panels[place], sheet, names)
        axes.set_title(chart.panels[place].title, fontsize="medium" if not sheet.paper else sheet.text)
        axes.set_ylabel(textwrap.fill(axes.get_ylabel(), int(height * WRAP)) if place % across == 0 else "")
        below = place + across < len(chart.panels)
        axes.set_xlabel("" if below else textwrap.fill(axes.get_xlabel(), int(sheet.characters / across)))
        axes.tick_params(labelbottom=not below or not alike)
        axes.spines[["top", "right"]].set_visible(False)
    found = {label: handle for axes in panels.flat for handle, label in zip(*axes.get_legend_handles_labels())}
    if len(found) > 1:
        figure.legend(found.values(), found.keys(), loc="outside lower center", frameon=False, fontsize=sheet.text if sheet.paper else "small", ncols=_columns(found, sheet))
    if sheet.paper:
        _noted(figure, chart.note, sheet)
    else:
        figure.suptitle(textwrap.fill(heading(chart), sheet.characters, break_on_hyphens=False), fontsize="medium", x=0.01, ha="left")
    return figure


def _names(panel: Lines | Groups | Lanes) -> Iterable[str]:
    match panel:
        case Lines():
            return (line.key or line.name for line in panel.lines if not line.muted)
        case Groups():
            return (panel.keys.get(name, name) for name in panel.series)
        case Lanes():
            return panel.kinds()


def _content(panel: Axes, chart: Chart | Groups | Lanes, sheet: Sheet, names: Sequence[str] = ()) -> None:
    """`names`: of all panels of a picture, so that each has one look."""
    match chart:
        case Lines():
            _lines(panel, chart, sheet, names)
        case Groups():
            _groups(panel, chart, sheet, names)
        case Stack():
            _stack(panel, chart, sheet)
        case Heat():
            _heat(panel, chart, sheet)
        case Field():
            _field(panel, chart)
        case Lanes():
            _lanes(panel, chart, names)


def _legend(panel: Axes, chart: Chart | Groups | Lanes, sheet: Sheet) -> None:
    """Below the picture; on a page the curves have theirs among them."""
    handles, labels = panel.get_legend_handles_labels()
    needed = {Lines: len(labels) > 1, Stack: not sheet.paper or len(labels) > 1, Groups: len(labels) > 1, Lanes: bool(labels)}.get(type(chart), False)
    if needed and isinstance(chart, Lines) and not sheet.paper:
        panel.legend(frameon=False, fontsize="small", ncols=2 if len(chart.lines) > 8 else 1)
    elif needed:
        most = 6 if isinstance(chart, Lanes) else 4
        panel.figure.legend(handles, labels, loc="outside lower center", frameon=False, fontsize=sheet.text if sheet.paper else "small", ncols=_columns(labels, sheet, most))


def _height(chart: Chart | Groups | Lanes, sheet: Sheet) -> float:
    fixed = 1.1 if sheet.paper else 1.7
    match chart:
        case Stack():
            return fixed + sheet.row * len(chart.categories) + (0.16 if sheet.paper else 0.2) * (len(chart.parts) // _columns(chart.parts, sheet))
        case Heat():
            return fixed + 0.1 + sheet.row * len(chart.ys)
        case Lanes():
            return (fixed if chart.curve is None else 2.2 if sheet.paper else 3.2) + sheet.row * len(chart.lanes)
        case Groups() if sheet.paper:
            return sheet.height + 0.16 * -(-len(chart.series) // _columns(chart.series, sheet))
        case Lines() if sheet.paper:
            return sheet.height + 0.16 * -(-len(chart.lines) // _columns([line.name for line in chart.lines], sheet))
    return sheet.height


def _columns(names: Collection[str], sheet: Sheet, most: int = 4) -> int:
    """Of a legend below the picture."""
    if not sheet.paper:
        return most
    longest = max(map(len, names), default=1) + 7  # with its line, or its patch, and the gap
    return max(1, min(most, len(names), sheet.characters // longest))


def draw_all(charts: Iterable[Drawn], folder: Path, sheet: Sheet = PAGE) -> list[Path]:
    """Each chart in the formats of the sheet, under its name. What the folder holds under such a name gives way, and is not written through."""
    files = [(chart, folder / f"{chart.name}.{ending}") for chart in charts for ending in sheet.endings]
    for _, file in files:
        make_way(file)
    return [draw(chart, file, sheet) for chart, file in files]


def _scales(panel: Axes, x: Axis, y: Axis) -> None:
    panel.set_xlabel(x.label)
    panel.set_ylabel(y.label)
    if x.log:
        panel.set_xscale("log")
    if y.log:
        panel.set_yscale("log")
    if x.ticks:
        _name_ticks(panel, x)
    panel.grid(True, which="major", color="0.88", linewidth=0.7)
    panel.set_axisbelow(True)


def _name_ticks(panel: Axes, x: Axis) -> None:
    """Aslant where the names have no room side by side."""
    places, names = zip(*x.ticks)
    aslant = sum(map(len, names)) + 2 * len(names) > CHARACTERS_AN_INCH * panel.figure.get_figwidth() / panel.get_subplotspec().get_gridspec().ncols
    panel.set_xticks(places, names, rotation=30 if aslant else 0, ha="right" if aslant else "center", rotation_mode="anchor")
    panel.minorticks_off()


def _intervals(panel: Axes, line: Line, colour: str, x: np.ndarray, y: np.ndarray, alpha: float) -> None:
    """Bars at few points, a band along many."""
    halves = [None if found is None else np.array(found, dtype=float) for found in (line.x_half_widths, line.half_widths)]
    if all(found is None for found in halves):
        return
    across, along = halves
    if len(x) > FEW_POINTS:
        if across is not None:  # of latencies, which are above 0 on a logarithmic axis
            panel.fill_betweenx(y, np.maximum(x - across, x.min()), x + across, color=colour, alpha=alpha, linewidth=0)
        if along is not None:
            panel.fill_between(x, y - along, y + along, color=colour, alpha=alpha, linewidth=0)
        return
    left = None if across is None else np.array([np.minimum(across, 0.999 * x) if panel.get_xscale() == "log" else across, across])
    panel.errorbar(x, y, xerr=left, yerr=along, color=colour, fmt="none", capsize=2, linewidth=1)


def _lines(panel: Axes, chart: Lines, sheet: Sheet, names: Sequence[str] = ()) -> None:
    _scales(panel, chart.x, chart.y)
    looks = curve_looks(names or _names(chart))
    for number, line in enumerate(chart.lines):
        colour, dash, marker = (MUTED, "solid", "o") if line.muted else looks[line.key or line.name]
        x, y = np.array(line.x, dtype=float), np.array(line.y, dtype=float)
        _intervals(panel, line, colour, x, y, BAND if len(chart.lines) <= FEW_BANDS else BAND / 2)
        if line.points_only:
            panel.plot(x, y, marker, color=colour, label=line.name, markersize=5 if not line.muted else 3.5)
        else:
            few = len(x) <= FEW_POINTS and not chart.steps
            apart = (number * MARKS_APART / max(1, len(chart.lines)), MARKS_APART) if sheet.paper and chart.steps else None  # for print in grey
            panel.plot(
                x, y, color=colour, linestyle=dash, marker=marker if (few or apart) and not (line.muted and sheet.paper) else "", markersize=3 if sheet.paper else 4, markevery=apart, label=line.name,
                linewidth=(0.9 if line.muted else 1.2) if sheet.paper else 1.2 if line.muted else 1.7, drawstyle="steps-post" if chart.steps else "default",
            )  # fmt: skip
        for label, at_x, at_y in zip(line.labels or (), x, y):
            written = panel.annotate(label, (at_x, at_y), xytext=(4, 4), textcoords="offset points", fontsize=7, color="0.25")
            written.set_path_effects([withStroke(linewidth=2.5, foreground="white")])  # readable over points and grid
    edge = 1 if len(chart.shades) <= FEW_SHADES else 0
    for number, (begin, end) in enumerate(chart.shades):
        panel.axvspan(begin, end, color="0.5", alpha=0.25, linewidth=edge, label=chart.shade_label if number == 0 else None)


def _groups(panel: Axes, chart: Groups, sheet: Sheet, names: Sequence[str] = ()) -> None:
    places = [(float(place), name) for place, name in enumerate(chart.categories)]
    _scales(panel, replace(chart.x, ticks=places), chart.y)
    panel.grid(False, axis="x")
    looks = curve_looks(names or _names(chart))
    width = 0.8 / len(chart.series)
    for number, (name, cells) in enumerate(chart.series.items()):
        colour = looks[chart.keys.get(name, name)][0]
        hatch = HATCHES[number % len(HATCHES)] if sheet.paper and len(chart.series) > 1 else None
        shown = [(place + (number - (len(chart.series) - 1) / 2) * width, cell) for (place, _), cell in zip(places, cells) if cell is not None]
        if any(len(cell) > 2 for _, cell in shown):
            boxes = [{"whislo": low, "q1": first, "med": middle, "q3": third, "whishi": high, "fliers": ()} for _, (low, first, middle, third, high) in shown]
            drawn = panel.bxp(boxes, [at for at, _ in shown], widths=0.8 * width, patch_artist=True, manage_ticks=False, showfliers=False, boxprops={"facecolor": colour, "alpha": 0.75, "hatch": hatch, "linewidth": 0.8}, medianprops={"color": "black"})
            drawn["boxes"][0].set_label(name)
            continue
        panel.bar([at for at, _ in shown], [value for _, (value, _) in shown], 0.92 * width, color=colour, label=name, edgecolor="white", linewidth=0.4, hatch=hatch)
        if known := [(at, value, half) for at, (value, half) in shown if half is not None]:
            at, value, half = map(np.array, zip(*known))
            panel.errorbar(at, value, yerr=[np.minimum(half, 0.999 * value) if chart.y.log else half, half], fmt="none", color="0.15", capsize=2, linewidth=1)
    panel.set_xlim(-0.6, len(places) - 0.4)


def _stack(panel: Axes, chart: Stack, sheet: Sheet) -> None:
    _scales(panel, chart.value, Axis(""))
    panel.grid(False, axis="y")
    places = np.arange(len(chart.categories))
    left = np.zeros(len(places))
    colours = part_colours(chart.parts)
    for number, (name, values) in enumerate(chart.parts.items()):
        widths = np.nan_to_num(np.array(values, dtype=float))
        hatch = HATCHES[number % len(HATCHES)] if sheet.paper and len(chart.parts) > 1 else None
        panel.barh(places, widths, left=left, height=0.7, color=colours[name], label=name, edgecolor="white", linewidth=0.4, hatch=hatch)
        left += widths
    halves = np.array([half or 0.0 for half in chart.half_widths or [0.0] * len(places)])
    if halves.any():
        known = np.array([half is not None for half in chart.half_widths or ()])  # a cap on the end of a bar would say that it is exact
        panel.errorbar(left[known], np.array(places)[known], xerr=np.array([np.minimum(halves, left), halves])[:, known], fmt="none", color="0.15", capsize=2, linewidth=1)
    if chart.totals:
        for place, total, half in zip(places, left, halves):
            panel.annotate(total_text(total), (total + half, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=sheet.small)
        panel.margins(x=0.09 if sheet.width > NARROW else 0.16)
    panel.set_yticks(places, chart.categories)
    panel.invert_yaxis()


def _curve(panel: Axes, chart: Lanes) -> None:
    _scales(panel, Axis(""), chart.y)
    panel.plot(chart.curve.x, chart.curve.y, color=look(0)[0], linewidth=1.2)


def _lanes(panel: Axes, chart: Lanes, names: Sequence[str] = ()) -> None:
    _scales(panel, chart.x, Axis("") if chart.curve else chart.y)
    panel.grid(False, axis="y")
    colours = part_colours(names or chart.kinds())
    for kind in chart.kinds():
        colour, named = colours[kind], kind
        for place, slices in enumerate(chart.lanes.values()):
            spans = [(part.begin, part.end - part.begin) for part in slices if part.what == kind]
            if spans:  # an edge of its own colour, so that the shortest is seen as well
                panel.broken_barh(spans, (place - 0.38, 0.76), facecolor=colour, edgecolor=colour, linewidth=0.5, label=named)
                named = "_shown"
    panel.set_yticks(range(len(chart.lanes)), list(chart.lanes))
    panel.set_ylim(len(chart.lanes) - 0.5, -0.5)
    panel.spines[["top", "right"]].set_visible(False)


def _field(panel: Axes, chart: Field) -> None:
    _scales(panel, chart.x, chart.y)
    panel.grid(False)
    values = np.array([[np.nan if value is None else value for value in row] for row in chart.values], dtype=float)
    image = panel.pcolormesh(chart.xs, chart.ys, values, cmap="cividis", vmin=0, rasterized=True)
    panel.figure.colorbar(image, ax=panel, label=chart.value_label)


def _heat(panel: Axes, chart: Heat, sheet: Sheet) -> None:
    values = np.array([[np.nan if value is None else value for value in row] for row in chart.values], dtype=float)
    scale = LogNorm() if chart.wide else Normalize(*(chart.ends or ()))
    image = panel.imshow(values, cmap="cividis", aspect="auto", norm=scale)
    every = -(-len(chart.xs) // MOST_LABELS)
    shown = chart.xs[::every]
    panel.set_xticks(range(0, len(chart.xs), every), shown, rotation=30 if sum(map(len, shown)) > 60 * sheet.width / PAGE.width else 0)
    panel.set_yticks(range(len(chart.ys)), chart.ys)
    panel.set_xlabel(chart.x.label)
    panel.set_ylabel(chart.y.label)
    for row, texts in enumerate(chart.texts):
        for column, text in enumerate(texts):
            dark = float(scale(values[row, column])) < TEXT_ON_DARK
            said = text if sheet.width > NARROW else text.partition(" ")[0] + (MARK if text.endswith(MARK) and " " in text else "")
            panel.text(column, row, said, ha="center", va="center", fontsize=sheet.small, color="white" if dark else "black")
    panel.figure.colorbar(image, ax=panel, label=chart.value_label)
