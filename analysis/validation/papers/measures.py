"""What is measured of a run, and the tables that show it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run

Rows = Mapping[str, Mapping[str, Run]]  # runs by input and variant


def ratio(value: float | None) -> str:
    """Three digits behind the point; where these say little, two that count.

    >>> ratio(1.1682), ratio(0.0182), ratio(0.003995), ratio(0.000116), ratio(None)
    ('1.168', '0.018', '0.0040', '0.00012', '-')
    """
    small = value is not None and 0 < value < 0.01
    return number(value, 1 - math.floor(math.log10(value)) if small else 3)


def three_digits(value: float) -> str:
    """
    >>> three_digits(2400), three_digits(1.2049), three_digits(0.069), three_digits(60.54)
    ('2,400', '1.2', '0.069', '60.5')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def span(values: Iterable[float], digits: int = 2) -> str:
    """The least and the largest of some figures."""
    figures = sorted(values)
    if not figures:
        return "-"
    low, high = number(figures[0], digits), number(figures[-1], digits)
    return low if low == high else f"{low} to {high}"


def listed(items: Mapping[str, object]) -> str:
    """What belongs to each name, in a line."""
    return ", ".join(f"{name}: {item}" for name, item in items.items())


ENDLESS = "°"  # behind a response that measures the length of the run, as the backlog grew all along


@dataclass(frozen=True)
class Figure:
    """What a table shows of each run."""

    title: str
    of: Callable[[Run], float | None]
    digits: int = 2
    of_response: bool = False

    def text(self, run: Run) -> str:
        endless = self.of_response and run.metric("host.backlog.unstable")
        return number(self.of(run), self.digits) + (ENDLESS if endless else "")


def figure_tables(rows: Rows, figures: Iterable[Figure]) -> list[str]:
    """A table a figure: rows are inputs, columns variants."""
    columns = list(next(iter(rows.values())))
    return [
        table([figure.title, *columns], [[name, *(figure.text(row[column]) for column in columns)] for name, row in rows.items()])
        for figure in figures
    ]


def figures_by_row(rows: Rows, first: str, figures: Sequence[Figure]) -> str:
    """One table: rows are inputs, columns each figure of each variant."""
    columns = list(next(iter(rows.values())))
    header = [first, *(f"{figure.title} {column}".strip() for figure in figures for column in columns)]
    return table(header, [[name, *(figure.text(row[column]) for figure in figures for column in columns)] for name, row in rows.items()])


def starred(rows: Rows, ranked: Callable[[Mapping[str, Run]], bool]) -> Rows:
    """The same with a star behind each input whose runs do not make a ranking."""
    return {name if ranked(row) else f"{name}*": row for name, row in rows.items()}


def by_variant(row: Mapping[str, Run]) -> Rows:
    """One input's runs with the variants as rows."""
    return {variant: {"": run} for variant, run in row.items()}


def metric(name: str) -> Callable[[Run], float | None]:
    return lambda run: run.metric(name)


latency, p99, p999, longest = (metric(f"host.latency.{which}") for which in ("mean", "p99", "p999", "max"))  # ms
read_latency, write_latency = (metric(f"host.{operation}.latency.mean") for operation in ("read", "write"))  # ms
amplification = metric("write_amplification.no_backup")  # as most papers define it: scratch space and logs left out
total_amplification = metric("write_amplification.total")  # of all that is written
rmws = metric("rmw.count")


MEAN = Figure("mean ms", latency, of_response=True)
LONGEST = Figure("longest s", lambda run: longest(run) / 1000, of_response=True)
WA = Figure("WA", total_amplification)
RMWS = Figure("RMWs", rmws, 0)
CLEANINGS = Figure("cleanings", metric("cleaning.count"), 0)
