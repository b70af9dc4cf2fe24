"""How results look at a prompt and in a notebook: a few lines, or a small table; whatever is wrong with them is said, and never raised."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

MOST_LINES = 10
MOST_ROWS = 40  # of a table in a notebook
LONGEST = 110  # characters of a line


@dataclass(frozen=True)
class Card:
    kind: str
    title: str
    """Of what: a drive with its layer and input, a folder."""
    warnings: Sequence[str] = ()
    """What a reader must know before any figure."""
    rows: Sequence[tuple[str, str]] = ()
    table: Sequence[Sequence[str]] = field(default_factory=list)
    """The names of columns, then rows."""
    rest: str = ""
    """Where the rows are that a short text has no room for."""

    def text(self) -> str:
        """At most ten lines."""
        width = max((len(name) for name, _ in self.rows), default=0)
        lines = [f"{self.kind}: {self.title}" if self.title else self.kind]
        lines += [f"  ! {warning}" for warning in self.warnings] + [f"  {name:{width}}  {value}" for name, value in self.rows]
        room = MOST_LINES - len(lines)
        shown = list(self.table) if len(self.table) <= room else [*self.table[: max(0, room - 1)]]
        widths = [max(map(len, column)) for column in zip(*shown)]
        lines += ["  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths)).rstrip() for row in shown]
        if left_out := len(self.table) - len(shown):
            lines.append(f"  ... {left_out} more{self.rest and f' in {self.rest}'}")
        return "\n".join(line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..." for line in lines[:MOST_LINES])

    def html(self) -> str:
        columns = max(2, *(len(row) for row in self.table)) if self.table else 2
        shown = self.table[: MOST_ROWS + 1]
        title = f"{self.kind}: {self.title}" if self.title else self.kind
        text = f'<table><caption style="text-align:left"><b>{escape(title)}</b></caption>'
        text += "".join(f'<tr><td colspan="{columns}" style="text-align:left"><b>{escape(warning)}</b></td></tr>' for warning in self.warnings)
        left = 'style="text-align:left"'
        text += "".join(f'<tr><th {left}>{escape(name)}</th><td colspan="{columns - 1}" {left}>{escape(value)}</td></tr>' for name, value in self.rows)
        for number, row in enumerate(shown):
            kind = "td" if number else "th"
            text += "<tr>" + "".join(f"<{kind} {left}>{escape(cell)}</{kind}>" for cell in row) + "</tr>"
        if left_out := len(self.table) - len(shown):
            text += f'<tr><td colspan="{columns}" {left}>{left_out} more{self.rest and f" in {escape(self.rest)}"}</td></tr>'
        return text + "</table>"


class Shown:
    """Has a text and a table for whoever looks at it."""

    picture_of: "Callable[[Shown], str]" = staticmethod(lambda result: "")
    """An image for a notebook, as HTML, where there is one; drawn by tessera.figures.notebook, which this room knows nothing of."""

    def _card(self) -> Card:
        raise NotImplementedError

    def _safe_card(self) -> Card:
        try:
            return self._card()
        except Exception as error:  # a folder that was removed, cut off or written over: looking at it must not fail
            said = " ".join(str(error).split()) or type(error).__name__
            return Card(type(self).__name__, str(getattr(self, "folder", "")), [said])

    def __repr__(self) -> str:
        return self._safe_card().text()

    def _repr_html_(self) -> str:
        return self._safe_card().html() + Shown.picture_of(self)
