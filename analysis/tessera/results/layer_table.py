"""The table of layers that `compare` and `demo` print, and the columns behind it: one declaration for terminal, file and report."""

import csv
import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tessera.evidence.blocks import THROUGHPUT
from tessera.evidence.intervals import Estimate, of_mean
from tessera.results.markdown import table as markdown_table
from tessera.evidence.marks import MEANING, NOT_YET, TOO_SHORT, UNRANKED, of_run_marks
from tessera.results.percentiles import LATENCY, fraction_of, title_of
from tessera.results.run_folder import Run

WIDTH = 80  # columns of a terminal
ENOUGH_ABOVE = 100  # requests above a percentile from which on it is compared: 10,000 requests for the 99th
ROUNDED = 0.05  # of a figure: more than this is not rounded away
TAIL = 0.9  # from this percentile on
FEW_ABOVE = f"fewer than {ENOUGH_ABOVE} requests lie above it"
ENDED_BADLY = "a run did not end well"
STAR = "*"


@dataclass(frozen=True)
class Column:
    title: str
    metric: str
    text: str
    """Format of a number."""
    scale: float = 1.0
    about: str = ""
    """What the title stands for, if that is not plain."""
    marks: tuple[str, ...] = ()
    """Of a run: that keep its figure from being ranked."""
    divides: bool = False
    """One of two is better, and a ratio says something."""
    more_is_better: bool = False


def _latency(title: str, name: str, text: str = ",.0f", about: str = "") -> Column:
    return Column(title, LATENCY + name, text, about=about, marks=UNRANKED, divides=True)


_CLEANED = (TOO_SHORT, NOT_YET)
_MEAN = _latency("mean ms", "mean", ",.1f")
SERVED = Column("req/s", THROUGHPUT, ",.1f", about="requests served per second, by which overloaded layers are compared", marks=_CLEANED, divides=True, more_is_better=True)
USUAL = ("p99", "p999")  # percentiles of the table, where its user named none
_AFTER = (
    _latency("max", "max", about="longest, in ms"),
    Column("WA", "write_amplification.total", ",.1f", about="sectors written to platters and flash per sector of the host", marks=_CLEANED, divides=True),
    Column("capacity", "capacity.gain_vs_cmr", ".2f", about="user capacity, 1 is the same platters recorded conventionally"),
    Column("$/TB", "cost.per_user_tb", ".1f"),
    Column("cleanings", "cleaning.count", ",.0f", marks=_CLEANED),
    Column("KiB", "metadata.bytes", ",.0f", 1 / 1024, "tables in DRAM"),
    Column("k/s", "run.requests_per_cpu_second", ",.0f", 1e-3, "thousand requests simulated per CPU-second"),
    _latency("p50", "p50", ",.3f", "median, in ms"),
    Column("WA media", "write_amplification.media", ",.2f", marks=_CLEANED, divides=True),
    Column("WA flash", "write_amplification.flash", ",.2f", marks=_CLEANED, divides=True),
    Column("RMWs", "rmw.count", ",.0f", about="read-modify-writes", marks=_CLEANED),
    Column("cleaning", "cleaning.mean", ",.1f", about="mean, in ms", marks=_CLEANED),
    Column("longest", "cleaning.max", ",.1f", about="cleaning, in ms", marks=_CLEANED),
    Column("DRAM", "dram.reserved.total", ",.1f", 2**-20, "reserved, in MiB"),
    Column("errors", "scoreboard.errors", ",.0f", about="wrong reads"),
)


def _percentile(name: str) -> Column:
    if name == "p999":
        return _latency("p99.9", name, about="like p99, in ms")
    return _latency(f"{title_of(name)} ms", name, ",.0f" if name == "p99" else ",.1f")


def columns_with(percentiles: Sequence[str] = USUAL, overloaded: bool = False) -> list[Column]:
    """The columns in the order of the table, with these percentiles ("p99_99"). `overloaded`: a layer is, so that what they serve compares them."""
    named = [_percentile(name) for name in percentiles]
    return [*([SERVED] if overloaded else []), _MEAN, *named, *(column for column in _AFTER if column.metric not in {each.metric for each in named})]


COLUMNS = columns_with()


@dataclass(frozen=True)
class Seed:
    """A run of a layer, as far as it left figures."""

    run: Run
    good: bool = True
    """It ended well."""
    after_warm_up: Mapping[str, float] = field(default_factory=dict)
    """Figures that leave out the warm-up of all layers."""
    left_out: float = 0.0
    """The share of its requests that is."""

    def find(self, metric: str) -> float | None:
        return self.after_warm_up.get(metric, self.run.find(metric))


def layer_columns(layers: Mapping[str, Sequence[Seed]], columns: Iterable[Column]) -> dict[str, list]:
    """For each column METRIC, the mean over seeds, METRIC.half_width_95 and METRIC.unranked (why it must not be ranked, or None); all with an
    entry a layer. A figure that a run lacks is None."""
    found: dict[str, list] = {"layer": list(layers)}
    for column in columns:
        figures = [_mean([seed.find(column.metric) for seed in seeds]) for seeds in layers.values()]
        found[column.metric] = [each and each.value for each in figures]
        found[f"{column.metric}.half_width_95"] = [each.half_width if each and len(seeds) > 1 else None for each, seeds in zip(figures, layers.values())]
        found[f"{column.metric}.unranked"] = ["; ".join(_reasons(column, seeds)) or None if each else None for each, seeds in zip(figures, layers.values())]
    return found


def _mean(values: Sequence[float | None]) -> Estimate | None:
    import numpy as np  # which few commands need

    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return of_mean(np.array(known)) if len(known) > 1 else Estimate(known[0], 0.0)


def _reasons(column: Column, seeds: Sequence[Seed]) -> list[str]:
    found = [ENDED_BADLY] if not all(seed.good for seed in seeds) else []
    marks = {mark for seed in seeds for mark in of_run_marks(seed.run, [column.metric])} if column.marks else set()
    found += [MEANING[mark] for mark in column.marks if mark in marks]
    fraction = fraction_of(column.metric.removeprefix(LATENCY)) if column.metric.startswith(LATENCY) else None
    if fraction and fraction >= TAIL and any((seed.run.find("host.served") or 0) * (1 - seed.left_out) * (1 - fraction) < ENOUGH_ABOVE for seed in seeds):
        found.append(FEW_ABOVE)
    return found


def cell(table: Mapping[str, Sequence], column: Column, number: int) -> str:
    """A figure as the table shows it, with half its interval in percent of it; with an asterisk where its layer must not be ranked by it."""
    value = table[column.metric][number]
    if value is None:
        return "-"
    half = table[f"{column.metric}.half_width_95"][number]
    share = f" ±{100 * half / value:.2g} %" if value and half else ""
    return _number(value * column.scale, column.text) + share + star(table[f"{column.metric}.unranked"][number])


def _number(value: float, text: str) -> str:
    """With two digits at least: small figures have more after the point than their column.

    >>> _number(1234.5, ",.0f"), _number(0.0257, ",.1f"), _number(0.997, ".1f"), _number(0, ".1f")
    ('1,234', '0.026', '1.0', '0.0')
    """
    shown = format(value, text)
    return shown if abs(float(shown.replace(",", "")) - value) <= ROUNDED * abs(value) else f"{value:.2g}"


def star(why: str | None) -> str:
    """Few requests above a percentile are a matter of its column, not of the layer."""
    return STAR if why and set(why.split("; ")) != {FEW_ABOVE} else ""


def columns_in(table: Mapping[str, Sequence]) -> list[Column]:
    """Those that a file of a comparison has, in its order."""
    known = {column.metric: column for column in (SERVED, *COLUMNS)}
    named = lambda metric: metric.startswith(LATENCY) and fraction_of(metric.removeprefix(LATENCY)) is not None  # noqa: E731
    return [known.get(metric) or _percentile(metric.removeprefix(LATENCY)) for metric in table if metric in known or named(metric)]


def marks_of(table: Mapping[str, Sequence], columns: Sequence[Column]) -> list[str]:
    """Why figures must not be ranked, a line a reason: of which layers, or of which column."""
    layers: dict[str, list[str]] = {}
    titles: list[str] = []
    for column in columns:
        for layer, value, why in zip(table["layer"], table[column.metric], table[f"{column.metric}.unranked"]):
            for reason in (why or "").split("; ") if value is not None else ():
                if reason == FEW_ABOVE:
                    titles.append(column.title.removesuffix(" ms"))
                elif reason:
                    layers.setdefault(reason, []).append(layer)
    found = [", ".join(f"{layer}{STAR}" for layer in dict.fromkeys(named)) + f": {reason}" for reason, named in layers.items()]
    return [*found, *([f"{', '.join(dict.fromkeys(titles))}: {FEW_ABOVE}"] if titles else [])]


def rows_of(table: Mapping[str, Sequence], columns: Sequence[Column]) -> list[list[str]]:
    """The head, and a row for each layer that has figures."""
    shown = [number for number in range(len(table["layer"])) if any(table[column.metric][number] is not None for column in columns)]
    return [["layer", *(column.title for column in columns)], *([table["layer"][number], *(cell(table, column, number) for column in columns)] for number in shown)]


def room_for(rows: Sequence[Sequence[str]], width: int | None) -> int:
    """Of a table, how many whole columns a width has room for, two at least; None: all."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return next((count for count in range(len(widths), 2, -1) if width is None or sum(widths[:count]) + 2 * (count - 1) <= width), min(2, len(widths)))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table whose first column is text and whose others are figures."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ["  ".join([row[0].ljust(widths[0]), *(text.rjust(size) for text, size in zip(row[1:], widths[1:]))]).rstrip() for row in rows]
    return [lines[0], "-" * max(map(len, lines)), *lines[1:]]


def wrapped(line: str) -> list[str]:
    """A sentence on as many lines as it takes; what goes on begins further in."""
    return textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def sentences(found: Iterable[str]) -> list[str]:
    return [part for line in found for part in wrapped(line)]


def layer_text(table: Mapping[str, Sequence], title: str, warnings: Iterable[str] = (), notes: Iterable[str] = (), width: int | None = WIDTH) -> list[str]:
    """Marks first, then the table with as many columns as the width has room for (None: all), what these mean, and what holds of all."""
    columns = columns_in(table)
    columns = columns[: room_for(rows_of(table, columns), width) - 1]
    lines = aligned(rows_of(table, columns))
    about = [f"{column.title}: {column.about}." for column in columns if column.about]
    if any("±" in line for line in lines):
        about.insert(0, "±: half the 95 % interval of the mean over seeds.")
    return [
        *wrapped(title), *sentences(f"  ! {line}" for line in (*warnings, *marks_of(table, columns))), "", *lines, "", *wrapped(" ".join(about)),
        *sentences(f"note: {note}" for note in notes),
    ]  # fmt: skip


def markdown(table: Mapping[str, Sequence]) -> str:
    """Every column, for a page of text."""
    head, *rows = rows_of(table, columns_in(table))
    return markdown_table(head, [[f"`{name}`", *cells] for name, *cells in rows])


def as_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    """Plain columns as CSV, every digit; an empty field where there is none."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))
    return text.getvalue()
