"""What a picture shows, as a table: each point, bar, cell or stretch that is drawn."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from tessera.engine.output_file import write
from tessera.errors import InputError, path_of
from tessera.figures.chart import Drawn, Facets, Field, Groups, Heat, Lanes, Lines, Stack

Cell = str | float | None
BOX = ("p1", "p25", "median", "p75", "p99")  # of the boxes of a Groups


def data_file(file: str | Path) -> Path:
    """Raises InputError for a name that is none of a table."""
    file = path_of("file", file)
    if file.suffix.lower() != ".csv" or file.is_dir():
        raise InputError(f"{file}: expected the name of a table that ends with .csv")
    return file


def write_data(chart: Drawn, file: str | Path) -> Path:
    """CSV: the names of columns, then rows; undefined values are empty. Numbers have every digit."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(table_of(chart))
    return write(data_file(file), text.getvalue())


def table_of(chart: Drawn) -> list[Sequence[Cell]]:
    match chart:
        case Lines():
            return list(_lines(chart))
        case Stack():
            return list(_stack(chart))
        case Heat():
            cells = [(x, y, value) for y, row in zip(chart.ys, chart.values) for x, value in zip(chart.xs, row)]
            texts = [text for row in chart.texts for text in row] or [""] * len(cells)
            halves = [half for row in chart.half_widths for half in row] or [None] * len(cells)
            return [(chart.x.label, chart.y.label, chart.value_label, "half_width_95", "text"), *((*cell, half, text) for cell, half, text in zip(cells, halves, texts))]
        case Field():
            head = (f"{chart.x.label} from", f"{chart.x.label} to", f"{chart.y.label} from", f"{chart.y.label} to", chart.value_label)
            columns, rows = list(zip(chart.xs, chart.xs[1:])), list(zip(chart.ys, chart.ys[1:]))
            return [head, *((*column, *row, value) for row, values in zip(rows, chart.values) for column, value in zip(columns, values) if value is not None)]
        case Lanes():
            curve = [(chart.curve.name, "", x, x, y) for x, y in zip(chart.curve.x, chart.curve.y)] if chart.curve else []
            slices = [(lane, part.what, part.begin, part.end, None) for lane, parts in chart.lanes.items() for part in parts]
            return [("lane", "what", f"{chart.x.label} from", f"{chart.x.label} to", chart.y.label), *curve, *slices]
        case Groups():
            found = [(name, category, cell) for name, cells in chart.series.items() for category, cell in zip(chart.categories, cells) if cell is not None]
            kinds = BOX if any(len(cell) == len(BOX) for *_, cell in found) else (chart.y.label, "half_width_95")
            return [("series", chart.x.label, *kinds), *((name, category, *cell) for name, category, cell in found)]
        case Facets():
            tables = [(panel.title, table_of(panel)) for panel in chart.panels]
            names = list(dict.fromkeys(name for _, (head, *_) in tables for name in head))
            return [("panel", *names), *((title, *(dict(zip(head, row)).get(name) for name in names)) for title, (head, *rows) in tables for row in rows)]


def _lines(chart: Lines) -> Iterator[Sequence[Cell]]:
    """A row a point; with columns for intervals and texts where a curve has some, and for the ends of stretches that are shaded."""
    halves = {"y half_width_95": "half_widths", "x half_width_95": "x_half_widths", "label": "labels"}
    used = {title: name for title, name in halves.items() if any(getattr(line, name) is not None for line in chart.lines)}
    yield ("series", chart.x.label, chart.y.label, *used, *(["until"] if chart.shades else []))
    for line in chart.lines:
        extra = [getattr(line, name) or [None] * len(line.x) for name in used.values()]
        yield from ((line.name, *point, *([None] if chart.shades else [])) for point in zip(line.x, line.y, *extra))
    yield from ((chart.shade_label, begin, None, *([None] * len(used)), end) for begin, end in chart.shades)


def _stack(chart: Stack) -> Iterator[Sequence[Cell]]:
    """A row a bar, a column a part."""
    parts = [chart.value.label] if len(chart.parts) == 1 else [f"{part}: {chart.value.label}" for part in chart.parts]
    yield ("name", *parts, *(["half_width_95"] if chart.half_widths else []))
    for place, name in enumerate(chart.categories):
        yield (name, *(values[place] for values in chart.parts.values()), *([chart.half_widths[place]] if chart.half_widths else []))
