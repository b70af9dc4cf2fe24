"""tessera plot."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tessera.errors import InputError, fitting, unknown_name
from tessera.evidence.family import judged_within
from tessera.figures.chart import heading

if TYPE_CHECKING:
    from tessera.figures.chart import Drawn

EXAMPLES = """Examples:

  tessera plot out/first  # every picture that the folder has the data for, as PNG and SVG

  tessera plot out/all --only latency-tail --out tail.svg

  tessera plot out/merge.json --out merge.png  # the timeline that a run with --timeline wrote

  tessera plot out/memory --x layers.fluid.map_cache --y layer --metric host.latency.p99

  tessera plot out/memory --kind line --x layers.fluid.map_cache --y host.latency.p99 --by layer --facet workload --out p99.pdf

  tessera plot out/first --kind timeline --frame work --x start_s,end_s --y kind --out work.pdf

  tessera plot out/all --only latency-tail --layers tessera,imr-rmw,cmr --labels tessera=Ours --style paper-1col --out tail.pdf --data tail.csv"""


STYLES = "paper-1col|paper-2col"
KINDS = "line|bar|cdf|tail|box|timeline"


def labels_of(text: str | None) -> dict[str, str]:
    """
    >>> labels_of('tessera=Ours, improved,cmr="Conventional"')
    {'tessera': 'Ours, improved', 'cmr': 'Conventional'}
    >>> labels_of("Ours")
    Traceback (most recent call last):
    tessera.errors.InputError: --labels: expected LAYER=TEXT,... such as tessera=Ours,cmr=Conventional, found 'Ours'
    """
    found = {}
    for word in re.split(r",(?=[\w:.-]+=)", text or ""):
        layer, equals, label = word.partition("=")
        if text is not None and not (layer and equals and label.strip('"')):
            raise InputError(f"--labels: expected LAYER=TEXT,... such as tessera=Ours,cmr=Conventional, found '{word}'")
        if layer:
            found[layer.strip()] = label.strip('"')
    return found


def plot(
    results: Annotated[Path, typer.Argument(help="Folder of a run, a comparison or a sweep, or the .json file of a timeline.")],
    only: Annotated[str | None, typer.Option(help="Only the picture of this name.")] = None,
    kind: Annotated[str | None, typer.Option(metavar=KINDS, help="Draw a picture of your own from columns of the results: --x, --y, --by, --facet.")] = None,
    x: Annotated[str | None, typer.Option(help="With --kind: the column across (of a timeline two: BEGIN,END). Without, with --y: axes of a sweep's heat map.")] = None,
    y: Annotated[str | None, typer.Option(help="With --kind: the column upwards. Without: the other axis.")] = None,
    by: Annotated[str | None, typer.Option(help="With --kind: the column that makes curves, bars or boxes side by side.")] = None,
    facet: Annotated[str | None, typer.Option(help="With --kind: the column that makes panels.")] = None,
    frame: Annotated[str | None, typer.Option(metavar="TABLE", help="With --kind: the table: runs (default of a comparison or sweep), requests (default of a run), intervals, events, work, tracks, blocks, bands, metrics.")] = None,
    log: Annotated[str | None, typer.Option(metavar="x|y|xy", help="With --kind: logarithmic axes.")] = None,
    metric: Annotated[str | None, typer.Option(help="What bars and heat maps of a sweep show (default: host.latency.mean; of a search its objectives).")] = None,
    layers: Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these layers, in this order.")] = None,
    labels: Annotated[str | None, typer.Option(metavar="A=TEXT,...", help="What layers are called: tessera=Ours,cmr=Conventional.")] = None,
    style: Annotated[str | None, typer.Option(metavar=STYLES, help="Draw for a column, or for both, of a paper: 3.4 or 7.0 inches, 8 pt, also readable in grey, without a title; the caption is printed.")] = None,
    serif: Annotated[bool, typer.Option("--serif", help="Letters with serifs.")] = False,
    data: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Also write what the picture shows as a table.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder, or the .png, .svg, .pdf or .pgf file of one picture (default: RESULTS/pictures).")] = None,
) -> None:
    """Draw the pictures of a run, a comparison or a sweep. Of several seeds, a picture shows means and their 95 % intervals."""
    from tessera.engine.output_file import apart, own_folder
    from tessera.figures.data import data_file, write_data
    from tessera.figures.paper import draw, draw_all, picture_file
    from tessera.figures.style import sheet_named

    one = out is not None and (bool(out.suffix) and not out.is_dir())
    if one:
        picture_file(out)
    if data is not None:
        data_file(data)
        apart(data, [out] if one and out.exists() else [])
    sheet = sheet_named(style)
    if serif:
        sheet = replace(sheet, family="serif")
    chosen, named = tuple(word.strip() for word in layers.split(",")) if layers is not None else (), labels_of(labels)
    if kind is not None:
        charts = [_own(results, {"--only": only, "--metric": metric}, kind, x, y, by, facet, frame, log or "", chosen, named)]
    elif given := [option for option, value in {"--by": by, "--facet": facet, "--frame": frame, "--log": log}.items() if value]:
        raise InputError(f"{given[0]} takes --kind {KINDS}")
    else:
        charts = _charts(results, only, x, y, metric, chosen, named)
    if (one or data is not None) and len(charts) > 1:
        raise InputError(f"{out if one else data}: one file holds one picture; --only takes one of {', '.join(chart.name for chart in charts)}")
    if out is None and results.suffix != ".json":
        own_folder(results / "pictures")
    with fitting(results):
        for file in [draw(charts[0], out, sheet)] if one else draw_all(charts, out or (results.parent if results.suffix == ".json" else results / "pictures"), sheet):
            print(file)
        if data is not None:
            print(write_data(charts[0], data))
        for chart in charts if sheet.paper else ():
            print(f"caption{f' of {chart.name}' if len(charts) > 1 else ''}: {heading(chart)}")


def _own(
    results: Path, others: Mapping[str, str | None], kind: str, x: str | None, y: str | None, by: str | None, facet: str | None, frame: str | None, log: str,
    layers: tuple[str, ...], labels: Mapping[str, str],
) -> "Drawn":  # fmt: skip
    """A picture by the grammar."""
    from tessera.explore.results_folder import open_results
    from tessera.figures.grammar import chart_of

    if given := [option for option, value in others.items() if value]:
        raise InputError(f"{given[0]} chooses among Tessera's own pictures; with --kind, --x and --y name the columns")
    if x is None:
        raise InputError(f"a {kind} takes --x COLUMN")
    opened = open_results(results)
    with fitting(results):
        return chart_of(opened, kind, x=x, y=y, by=by, facet=facet, frame=frame, log=log, layers=layers, labels=labels)


def _charts(results: Path, only: str | None, x: str | None, y: str | None, metric: str | None, layers: tuple[str, ...], labels: Mapping[str, str]) -> "list[Drawn]":
    from tessera.explore import Sweep
    from tessera.explore.results_folder import open_results
    from tessera.figures.gallery import LAYER, MAIN_METRIC, charts_of, labelled, rows_of
    from tessera.figures.pictures import heat
    from tessera.results.run_folder import Run

    if results.suffix == ".json":
        from tessera.figures.timeline import timeline

        if only or x or y or metric or layers or labels:
            raise InputError(f"{results}: a timeline is one picture; --only, --x, --y, --metric, --layers and --labels choose from the folder of results")
        with fitting(results):
            return [timeline(results)]
    opened = open_results(results)
    if bool(x) != bool(y):
        raise InputError("--x and --y go together: a heat map has two axes")
    with fitting(results), judged_within(None if isinstance(opened, Run) else opened.margin):
        if x and y:
            if not isinstance(opened, Sweep):
                raise InputError(f"{results}: --x and --y are axes of a sweep")
            rows = rows_of(opened, layers)
            known = rows[LAYER].drop_nulls().unique().to_list() if LAYER in rows.columns else []
            charts = [labelled(heat(rows, x, y, metric or MAIN_METRIC), labels, known)]
        else:
            charts = charts_of(opened, layers, labels, metric)
    if only:
        named = [chart for chart in charts if chart.name == only]
        if not named:
            raise unknown_name("picture", only, [chart.name for chart in charts])
        charts = named
    if not charts:
        raise InputError(f"{results}: no picture can be made of it; a run that writes --requests has some")
    return list(charts)


def register(app: typer.Typer) -> None:
    app.command("plot", epilog=EXAMPLES)(plot)
