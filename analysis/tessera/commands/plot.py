"""tessera plot."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.errors import InputError, fitting, unknown_name

EXAMPLES = """Examples:

  tessera plot out/first  # every picture that the folder has the data for, as PNG and SVG

  tessera plot out/all --only latency-tail --out tail.svg

  tessera plot out/merge.json --out merge.png  # the timeline that a run with --timeline wrote

  tessera plot out/memory --x layers.fluid.map_cache --y layer --metric host.latency.p99"""


def plot(
    results: Annotated[Path, typer.Argument(help="Folder of a run, a comparison or a sweep, or the .json file of a timeline.")],
    only: Annotated[str | None, typer.Option(help="Only the picture of this name.")] = None,
    x: Annotated[str | None, typer.Option(help="With --y: axes of a sweep's heat map.")] = None,
    y: Annotated[str | None, typer.Option(help="The other axis.")] = None,
    metric: Annotated[str, typer.Option(help="What a sweep's heat map shows.")] = "host.latency.mean",
    out: Annotated[Path | None, typer.Option("--out", help="Folder, or the .png, .svg or .pdf file of one picture (default: RESULTS/pictures).")] = None,
) -> None:
    """Draw the pictures of a run, a comparison or a sweep."""
    from tessera.engine.output_file import own_folder
    from tessera.explore import Sweep
    from tessera.explore.results_folder import open_results
    from tessera.figures.gallery import charts_of
    from tessera.figures.paper import draw, draw_all, picture_file
    from tessera.figures.pictures import heat

    one = out is not None and (bool(out.suffix) and not out.is_dir())
    if one:
        picture_file(out)
    if results.suffix == ".json":
        from tessera.figures.timeline import timeline

        if only or x or y:
            raise InputError(f"{results}: a timeline is one picture; --only, --x and --y choose from the folder of results")
        with fitting(results):
            chart = timeline(results)
        for file in [draw(chart, out)] if one else draw_all([chart], out or results.parent):
            print(file)
        return
    opened = open_results(results)
    if bool(x) != bool(y):
        raise InputError("--x and --y go together: a heat map has two axes")
    with fitting(results):
        if x and y:
            if not isinstance(opened, Sweep):
                raise InputError(f"{results}: --x and --y are axes of a sweep")
            charts = [heat(opened.good, x, y, metric)]
        else:
            charts = charts_of(opened)
    if only:
        named = [chart for chart in charts if chart.name == only]
        if not named:
            raise unknown_name("picture", only, [chart.name for chart in charts])
        charts = named
    if not charts:
        raise InputError(f"{results}: no picture can be made of it; a run that writes --requests has some")
    if one:
        if len(charts) > 1:
            raise InputError(f"{out}: one file holds one picture; --only takes one of {', '.join(chart.name for chart in charts)}")
        with fitting(results):
            print(draw(charts[0], out))
        return
    if out is None:
        own_folder(results / "pictures")
    with fitting(results):
        for file in draw_all(charts, out or results / "pictures"):
            print(file)


def register(app: typer.Typer) -> None:
    app.command("plot", epilog=EXAMPLES)(plot)
