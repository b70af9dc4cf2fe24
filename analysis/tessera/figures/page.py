"""The HTML of a report: one file that needs nothing else."""

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources

from tessera.figures.chart import Chart, heading
from tessera.figures.screen import figure


@dataclass(frozen=True)
class Column:
    title: str
    numeric: bool = True
    about: str = ""
    long: bool = False
    """Whole sentences or commands, which take several lines."""

    @property
    def kind(self) -> str:
        return "number" if self.numeric else "long word" if self.long else "word"


@dataclass(frozen=True)
class Cell:
    """What is shown, and what is sorted by and copied: every digit."""

    text: str
    value: float | str | None = None
    note: str = ""
    """Why the figure must not be ranked."""


@dataclass(frozen=True)
class Table:
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    folded: bool = False


@dataclass
class Page:
    title: str
    question: str
    answer: str = ""
    """One sentence: the answer to the question, or that the runs do not settle it."""
    facts: list[str] = field(default_factory=list)
    """What was run: drive, input, simulator."""
    warnings: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the input and the drive say of their limits."""
    commands: list[str] = field(default_factory=list)


def asset(name: str) -> str:
    return (resources.files("tessera.figures") / "assets" / name).read_text(encoding="utf-8")


def plotly_script() -> str:
    """plotly.js as the package `plotly` brings it."""
    return (resources.files("plotly") / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


# In JSON these stand for themselves; in a page they could end its script, begin a comment, or be a line's end in old browsers.
_ESCAPED = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def embedded(data: object) -> str:
    r"""JSON that may stand inside a <script> of a page, whatever names it holds.

    >>> embedded({"name": "<!--<script>"})
    '{"name": "\\u003c!--\\u003cscript\\u003e"}'
    """
    return json.dumps(data).translate(str.maketrans(_ESCAPED))


def _digests(texts: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in texts)


def policy(scripts: Sequence[str], styles: Sequence[str] = (), served: bool = False) -> str:
    """The content security policy of a page: its own scripts by their digests, nothing else, and nothing from elsewhere but, of a page that is
    `served`, answers of its server. Without `styles`, any: Plotly sets styles and makes pictures of its own."""
    style = _digests(styles) or "'unsafe-inline'"
    connect = "connect-src 'self'; " if served else ""
    return f"default-src 'none'; {connect}script-src {_digests(scripts)}; style-src {style}; img-src data: blob:; base-uri 'none'; form-action 'none'"


def _items(items: Sequence[str]) -> str:
    return "".join(f"<li>{html.escape(item)}</li>" for item in items)


def _table(table: Table) -> str:
    head = "".join(
        f'<th scope="col" class="{column.kind}" title="{html.escape(column.about)}">'
        f'<button type="button">{html.escape(column.title)}</button></th>'
        for column in table.columns
    )
    rows = "".join("<tr>" + "".join(_cell(cell, column) for cell, column in zip(row, table.columns)) + "</tr>" for row in table.rows)
    name = html.escape(table.title)
    return (
        f'<details class="table"{"" if table.folded else " open"}><summary><h2>{name}</h2></summary>'
        f'<div class="tools"><button type="button" class="copy-csv">Copy as CSV</button></div>'
        f'<div class="scroll"><table><caption class="hidden">{name}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>'
    )


def _cell(cell: Cell, column: Column) -> str:
    value = "" if cell.value is None else cell.value
    note = f' title="{html.escape(cell.note)}"' if cell.note else ""
    mark = '<sup class="unranked">*</sup>' if cell.note else ""
    return f'<td class="{column.kind}" data-value="{html.escape(str(value))}"{note}>{_foldable(cell.text) if column.numeric else html.escape(cell.text)}{mark}</td>'


def _foldable(text: str) -> str:
    """A figure whose interval goes to a second line where the table would be wider than the page."""
    at = next((place for sign in (" ± ", " [") if (place := text.find(sign)) > 0), None)
    if at is None:
        return html.escape(text)
    return f'<span class="whole">{html.escape(text[:at])}</span> <span class="whole">{html.escape(text[at + 1 :])}</span>'


def _chart(chart: Chart, number: int) -> str:
    data = embedded(figure(chart))
    return (
        f'<figure><figcaption><h2>{html.escape(heading(chart))}</h2><span class="tools"><button type="button" class="copy-svg" '
        f'data-name="{html.escape(chart.name)}">Save as SVG</button></span></figcaption>'
        f'<div class="plot" id="plot-{number}" role="img" aria-label="{html.escape(heading(chart))}"></div>'
        f'<script type="application/json" class="figure" data-for="plot-{number}">{data}</script></figure>'
    )


def opening(title: str, style: str, content_policy: str) -> str:
    """A file of its own up to where its body begins: it loads nothing, and does what the policy allows."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(content_policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body>
"""


def render(page: Page) -> str:
    """The whole file."""
    answer = f'<p class="answer">{html.escape(page.answer)}</p>' if page.answer else ""
    warnings = f'<section class="warnings"><h2>Read this first</h2><ul>{_items(page.warnings)}</ul></section>' if page.warnings else ""
    findings = f'<section class="findings"><h2>Findings</h2><ul>{_items(page.findings)}</ul></section>' if page.findings else ""
    commands = "\n".join(page.commands)
    notes = f'<section class="notes"><h2>Notes</h2><ul>{_items(page.notes)}</ul></section>' if page.notes else ""
    repeat = f'<section><h2>Reproduce</h2><pre>{html.escape(commands)}</pre></section>' if commands else ""
    scripts = (plotly_script(), asset("report.js"))
    return f"""{opening(page.title, asset("report.css"), policy(scripts))}<header><h1>{html.escape(page.title)}</h1><button type="button" id="theme">Dark or light</button>
<p class="question">{html.escape(page.question)}</p>{answer}<ul class="facts">{_items(page.facts)}</ul></header>
<main>
{warnings}
{findings}
<section class="charts">{"".join(_chart(chart, number) for number, chart in enumerate(page.charts))}</section>
{"".join(_table(table) for table in page.tables)}
{notes}
{repeat}
</main>
<p id="said" role="status" aria-live="polite"></p>
<script>{"</script><script>".join(scripts)}</script>
</body>
</html>
"""
