"""A picture as data: drawn by matplotlib for paper, by Plotly for a report.

Each has a title, and a note without which it would mislead: what its intervals are, what its marks mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Numbers = Sequence[float | None]
MARK = "*"  # after a figure that must not be ranked


@dataclass(frozen=True)
class Axis:
    label: str
    """What it shows, with the unit in brackets."""
    log: bool = False
    ticks: Sequence[tuple[float, str]] = ()
    """Places that have a name, of an axis of words."""


@dataclass(frozen=True)
class Line:
    name: str
    x: Numbers
    y: Numbers
    half_widths: Numbers | None = None
    """Half the 95 % interval of each y."""
    labels: Sequence[str] | None = None
    """Text beside each point."""
    points_only: bool = False
    muted: bool = False
    """Drawn in grey: a yardstick, or what is not the point."""
    key: str = ""
    """What it is, where the name is another: a layer has one look whatever it is called."""
    x_half_widths: Numbers | None = None
    """Half the 95 % interval of each x."""


@dataclass(frozen=True)
class Lines:
    """Curves, or clouds of points."""

    name: str
    title: str
    x: Axis
    y: Axis
    lines: Sequence[Line]
    steps: bool = False
    shades: Sequence[tuple[float, float]] = ()
    """Stretches of x that are shaded."""
    shade_label: str = ""
    note: str = ""


@dataclass(frozen=True)
class Stack:
    """Horizontal bars, each the sum of parts."""

    name: str
    title: str
    value: Axis
    categories: Sequence[str]
    parts: Mapping[str, Numbers]
    """Name of a part -> its value in each category."""
    totals: bool = True
    """Whether the sum stands behind each bar."""
    half_widths: Numbers | None = None
    """Half the 95 % interval of each sum."""
    note: str = ""

    def sums(self) -> list[float]:
        return [sum(values[place] or 0.0 for values in self.parts.values()) for place in range(len(self.categories))]


LEAST_CONTRAST = 0.05  # from end to end of a heat map's colours, of its largest value


@dataclass(frozen=True)
class Heat:
    """A value for each pair of two axes."""

    name: str
    title: str
    x: Axis
    y: Axis
    xs: Sequence[str]
    ys: Sequence[str]
    values: Sequence[Numbers]
    """A row a y."""
    texts: Sequence[Sequence[str]] = field(default_factory=list)
    value_label: str = ""
    note: str = ""
    half_widths: Sequence[Numbers] = ()
    """Half the 95 % interval of each value over seeds; empty where none has one."""

    @property
    def wide(self) -> bool:
        """Whether the values span more than a decade, so that colours go by ratio."""
        found = [value for row in self.values for value in row if value is not None]
        return bool(found) and min(found) > 0 and max(found) > 10 * min(found)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Values at the ends of the colours: so far apart at least that figures which read alike look alike."""
        found = [value for row in self.values for value in row if value is not None]
        if not found:
            return None
        middle, half = (min(found) + max(found)) / 2, max(max(found) - min(found), LEAST_CONTRAST * max(map(abs, found))) / 2
        return middle - half, middle + half


@dataclass(frozen=True)
class Groups:
    """Bars or boxes side by side at each category."""

    name: str
    title: str
    x: Axis
    y: Axis
    categories: Sequence[str]
    series: Mapping[str, Sequence[Sequence[float | None] | None]]
    """Name -> in each category a mean and half its 95 % interval, or the five figures of a box; None where there is nothing."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """What a series is, where its name is another."""
    note: str = ""


@dataclass(frozen=True)
class Field:
    """A value over a plane, cell by cell."""

    name: str
    title: str
    x: Axis
    y: Axis
    xs: Sequence[float]
    """Bounds of the columns: one more than there are."""
    ys: Sequence[float]
    """Bounds of the rows."""
    values: Sequence[Numbers]
    """A row of cells for each of the plane's; None: nothing is there."""
    value_label: str
    note: str = ""


@dataclass(frozen=True)
class Slice:
    """A stretch of x in which something is the case."""

    begin: float
    end: float
    what: str


@dataclass(frozen=True)
class Lanes:
    """What several parts do at the same time, below a curve if there is one."""

    name: str
    title: str
    x: Axis
    y: Axis
    curve: Line | None
    lanes: Mapping[str, Sequence[Slice]]
    note: str = ""

    def kinds(self) -> list[str]:
        """What there is, in the order in which lanes first show it."""
        return list(dict.fromkeys(part.what for slices in self.lanes.values() for part in slices))


def total_text(value: float) -> str:
    """
    >>> total_text(0.10234), total_text(1572.2)
    ('0.102', '1,572')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def heading(chart: "Drawn") -> str:
    """
    >>> heading(Stack("bus", "Share of time", Axis("%"), [], {}, note="mean over 3 seeds"))
    'Share of time (mean over 3 seeds)'
    """
    return f"{chart.title} ({chart.note})" if chart.note else chart.title


Chart = Lines | Stack | Heat | Field
"""What reports show, too."""


@dataclass(frozen=True)
class Facets:
    """Panels of one kind side by side, with one legend."""

    name: str
    title: str
    panels: "Sequence[Lines | Groups | Lanes]"
    note: str = ""


Drawn = Chart | Groups | Lanes | Facets
