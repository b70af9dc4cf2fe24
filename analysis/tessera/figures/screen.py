"""Charts as Plotly figures: plain dicts, which a report holds as JSON."""

import html
import math
from collections.abc import Iterable
from typing import Any

from tessera.figures.chart import Axis, Chart, Field, Heat, Line, Lines, Stack, total_text
from tessera.figures.style import FEW_SHADES, MUTED, Look, curve_looks, part_colours

_DASHES = {"solid": "solid", "dashed": "dash", "dashdot": "dashdot", "dotted": "dot"}
_MARKERS = {"o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down", "P": "cross", "X": "x", "*": "star"}
LEAST_HEIGHT, HEAT_ROW = 320, 34  # pixels: of a picture, and of a row of cells with two lines of text
FEW_POINTS = 24  # up to so many a curve shows its points


def figure(chart: Chart) -> dict[str, Any]:
    """`data` and `layout` for Plotly.newPlot; the page adds the colours of its theme."""
    match chart:
        case Lines():
            traces, layout = _lines(chart)
        case Stack():
            traces, layout = _stack(chart)
        case Heat():
            traces, layout = _heat(chart)
        case Field():
            traces, layout = _field(chart)
    layout |= {"margin": {"l": 64, "r": 16, "t": 12, "b": 56}, "hovermode": "closest"}
    return {"data": traces, "layout": layout}


def _plain(text: Any) -> Any:
    """A name as Plotly shows it: it takes tags in texts for markup."""
    return html.escape(text, quote=False) if isinstance(text, str) else text


LEGEND = {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "traceorder": "normal"}
ROOM_FOR_TOTALS = 1.18  # of the longest bar


def _axis(axis: Axis, values: Iterable[float | None] = ()) -> dict[str, Any]:
    made: dict[str, Any] = {"title": {"text": _plain(axis.label), "standoff": 8}, "automargin": True, "type": "log" if axis.log else "linear"}
    if not axis.log:
        return made | {"exponentformat": "none", "separatethousands": True}
    known = [value for value in values if value]
    decades = known and max(known) >= 100 * min(known)  # then whole powers of ten are enough
    return made | {"exponentformat": "power"} | ({"dtick": 1} if decades else {})


def _line(line: Line, own: Look | None, steps: bool, middle: float) -> dict[str, Any]:
    """`middle`: of the picture; labels are written from there inwards."""
    colour, dash, marker = own or (MUTED, "solid", "o")
    mode = "markers" if line.points_only else "lines+markers" if len(line.x) <= FEW_POINTS and not steps else "lines"
    trace: dict[str, Any] = {
        "type": "scatter", "name": _plain(line.name), "x": list(line.x), "y": list(line.y),
        "mode": mode + ("+text" if line.labels and len(line.x) <= FEW_POINTS else ""),
        "line": {"color": colour, "dash": _DASHES[dash], "width": 1.5 if line.muted else 2, "shape": "hv" if steps else "linear"},
        "marker": {"color": colour, "symbol": _MARKERS[marker], "size": 6 if line.muted else 8},
    }  # fmt: skip
    if line.labels:
        inwards = ["top right" if at < middle else "top left" for at in line.x]
        trace |= {"text": [_plain(label) for label in line.labels], "textposition": inwards, "textfont": {"size": 10}}
    if line.half_widths is not None:
        trace["error_y"] = {"type": "data", "array": list(line.half_widths), "thickness": 1, "width": 3}
    if line.x_half_widths is not None and len(line.x) <= FEW_POINTS:
        trace["error_x"] = {"type": "data", "array": list(line.x_half_widths), "thickness": 1, "width": 3}
    return trace


def _band(line: Line, colour: str) -> dict[str, Any]:
    """The intervals along a curve of many points."""
    known = [(x, half or 0.0, y) for x, half, y in zip(line.x, line.x_half_widths or (), line.y) if x is not None]
    least = min((x for x, _, _ in known), default=1.0)
    there, back = [max(x - half, least) for x, half, _ in known], [x + half for x, half, _ in reversed(known)]
    ys = [y for _, _, y in known]
    return {
        "type": "scatter", "mode": "lines", "x": there + back, "y": ys + ys[::-1], "fill": "toself", "fillcolor": colour, "opacity": 0.2, "line": {"width": 0, "color": colour},
        "showlegend": False, "hoverinfo": "skip",
    }  # fmt: skip


def _lines(chart: Lines) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    traces = []
    looks = curve_looks(line.key or line.name for line in chart.lines if not line.muted)
    xs = [value for line in chart.lines for value in line.x if value is not None]
    middle = (min(xs) + max(xs)) / 2 if xs else 0.0
    for line in chart.lines:
        own = None if line.muted else looks[line.key or line.name]
        traces.append(_line(line, own, chart.steps, middle))
        if line.x_half_widths is not None and len(line.x) > FEW_POINTS:
            traces.append(_band(line, own[0] if own else MUTED))
    edge = {"width": 1 if len(chart.shades) <= FEW_SHADES else 0, "color": MUTED}
    shapes = [
        {"type": "rect", "yref": "paper", "y0": 0, "y1": 1, "x0": begin, "x1": end, "fillcolor": MUTED, "opacity": 0.25, "line": edge}
        for begin, end in chart.shades
    ]
    if shapes:  # shapes have no entry in the legend: this stands for them
        patch = {"color": MUTED, "opacity": 0.5, "symbol": "square", "size": 12}
        traces.append({"type": "scatter", "mode": "markers", "name": _plain(chart.shade_label), "x": [None], "y": [None], "marker": patch})
    x = _axis(chart.x, xs)
    y = _axis(chart.y, (value for line in chart.lines for value in line.y))
    shown = sum(trace.get("showlegend", True) for trace in traces)
    legend_rows = shown // 2 if shown > 1 else 0
    layout = {"xaxis": x, "yaxis": y, "shapes": shapes, "showlegend": shown > 1, "legend": LEGEND, "height": 320 + 22 * legend_rows}
    return traces, layout


def _stack(chart: Stack) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    colours = part_colours(chart.parts)
    traces = [
        {
            "type": "bar", "orientation": "h", "name": _plain(name), "x": list(values), "y": [_plain(name) for name in chart.categories],
            "marker": {"color": colours[name]},
        }
        for name, values in chart.parts.items()
    ]  # fmt: skip
    halves = [half or 0.0 for half in chart.half_widths or [0.0] * len(chart.categories)]
    if any(halves):
        traces.append({
            "type": "scatter", "mode": "none", "x": chart.sums(), "y": [_plain(name) for name in chart.categories], "showlegend": False, "hoverinfo": "skip",
            "error_x": {"type": "data", "array": list(chart.half_widths or ()), "thickness": 1, "width": 3},
        })  # fmt: skip
    if chart.totals:
        traces.append({
            "type": "scatter", "mode": "text", "x": [total + half for total, half in zip(chart.sums(), halves)], "y": [_plain(name) for name in chart.categories], "text": [f"\u2002{total_text(value)}" for value in chart.sums()],
            "textposition": "middle right", "showlegend": False, "hoverinfo": "skip", "cliponaxis": False,
        })  # fmt: skip
    height = 160 + 28 * len(chart.categories) + 22 * (len(chart.parts) // 4)
    axis = _axis(chart.value)
    if chart.totals:
        axis["range"] = [0, ROOM_FOR_TOTALS * max(total + half for total, half in zip(chart.sums(), halves))]
    layout = {
        "barmode": "stack", "xaxis": axis, "height": max(300, height), "legend": LEGEND,
        "yaxis": {"autorange": "reversed", "automargin": True, "type": "category"}, "showlegend": len(chart.parts) > 1,
    }  # fmt: skip
    return traces, layout


def _field(chart: Field) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    trace = {
        "type": "heatmap", "x": list(chart.xs), "y": list(chart.ys), "z": [list(row) for row in chart.values], "colorscale": "Cividis", "zmin": 0,
        "hovertemplate": f"{_plain(chart.x.label)}: %{{x}}<br>{_plain(chart.y.label)}: %{{y}}<br>{_plain(chart.value_label)}: %{{z:.3g}}<extra></extra>",
        "colorbar": {"title": {"text": _plain(chart.value_label), "side": "right"}, "thickness": 12},
    }  # fmt: skip
    return [trace], {"xaxis": _axis(chart.x), "yaxis": _axis(chart.y), "height": 420}


def _heat(chart: Heat) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    # Plotly has no logarithmic colours: the logarithm is drawn, the values are written in the cells.
    drawn = [[None if value is None else math.log10(value) if chart.wide else value for value in row] for row in chart.values]
    trace = {
        "type": "heatmap", "x": [_plain(x) for x in chart.xs], "y": [_plain(y) for y in chart.ys], "z": drawn, "colorscale": "Cividis", "showscale": not chart.wide,
        "customdata": [list(row) for row in chart.values], "hovertemplate": "%{x}, %{y}: %{customdata}<extra></extra>",
        "text": [[_plain(text).replace(" ± ", "<br>± ") for text in row] for row in chart.texts], "texttemplate": "%{text}" if chart.texts else "", "xgap": 2, "ygap": 2,
        "colorbar": {"title": {"text": _plain(chart.value_label), "side": "right"}, "thickness": 12},
    }  # fmt: skip
    if not chart.wide and chart.ends:
        trace |= dict(zip(("zmin", "zmax"), chart.ends))
    category = {"type": "category", "automargin": True}
    y = {**category, "title": {"text": _plain(chart.y.label)}, "autorange": "reversed"}
    height = max(LEAST_HEIGHT, 160 + HEAT_ROW * len(chart.ys))
    return [trace], {"xaxis": {**category, "title": {"text": _plain(chart.x.label)}}, "yaxis": y, "height": height}


