"""tessera view."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.knobs import serve_knobs, subject_of, write_knobs
from tessera.commands.options import count_of
from tessera.engine.output_file import apart
from tessera.errors import InputError

SURE = "host.latency.p99:10%"  # of the figure that most questions are about

EXAMPLES = """Examples:

  tessera view out/first

  tessera view out/all --layers cmr,media-cache --out two.html  # two layers of a comparison, on one clock

  tessera view out/warm.state  # how the drive boots from it, and how full its bands are

  tessera view out/first --yes  # repeats a run without --requests, to record them

  tessera view out/long --live  # a run with --requests that is under way

  tessera view demo --knobs --workload web-server  # sliders: the tail is redrawn as they move

  tessera view drive.toml --knobs --layer mu-rmw,imr-rmw --workload week.csv.xz --knob "media.rpm=5400 rpm,10000 rpm"

  tessera view demo --knobs --offline knobs.html  # the same as one file, its runs made beforehand"""


def view(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="Folder of a run or a comparison, or a saved state; with --knobs, a drive or its .toml file.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="File to write (default: RESULTS/view.html; of a saved state, STATE.html).")] = None,
    layers: Annotated[str | None, typer.Option(metavar="A,B", help="Of a comparison: the two layers to show (default: lowest and highest mean latency).")] = None,
    drive: Annotated[str | None, typer.Option(metavar="DRIVE", help="Of a saved state: its drive or .toml file (default: the name that the state has).")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Repeat a run without asking if it has no log of requests or head positions.")] = False,
    firmware: Annotated[
        Path | None, typer.Option(help="Shared library or image that the run used, if it is repeated; used only if its digest is the same.")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="Serve a run that is under way to this machine's browser; the page follows it until it ends.")] = False,
    knobs: Annotated[bool, typer.Option("--knobs", help="Serve sliders over a drive to this machine's browser: each position is run, and its tail drawn.")] = False,
    on: Annotated[str | None, typer.Option("--workload", "--trace", "--on", help="Knobs: workload, trace file, recorded trace or 'sample' (default: web-server).")] = None,
    layer: Annotated[str | None, typer.Option("--layer", metavar="A,B,...", help="Knobs: layers to choose among, the first at the start (default: the drive's own and one of each family).")] = None,
    knob: Annotated[list[str] | None, typer.Option("--knob", metavar="PATH=A,B,C", help="Knobs: a slider of one more parameter; may be repeated.")] = None,
    settings: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Knobs: hold a parameter of the drive fixed; may be repeated.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", parser=count_of, metavar="N", help="Knobs: requests of the longest run (default: 100,000, or 4 GiB of a generated workload; 20,000 with --offline).")] = None,
    until: Annotated[str | None, typer.Option(metavar="METRIC:PERCENT", help=f"Knobs: run longer until half the metric's 95 % interval is at most so many percent of it (default: {SURE}).")] = None,
    replay: Annotated[str | None, typer.Option(help="Knobs: timed, queue:N or closed:N, as in tessera run.")] = None,
    format_: Annotated[str | None, typer.Option("--format", help="Knobs: format of the trace (default: recognised from its content).")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Knobs: seed of all random streams (default: 1).")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", min=1, help="Knobs: runs at a time (default: 2; with --offline, as many as there are CPUs).")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Knobs and --live: port of the loopback interface (default: any that is free).")] = None,
    offline: Annotated[Path | None, typer.Option(metavar="OUT.html", help="Knobs: run a grid of positions beforehand and write one file that needs no server.")] = None,
    budget: Annotated[int | None, typer.Option(parser=count_of, metavar="N", help="Knobs, with --offline: requests of all runs together (default: 2M).")] = None,
) -> None:
    """Write the disk at work as one HTML file: platter and head, every request on a time line, the life of each in words.

    With --knobs, serve sliders for write cache, layer, load, clock and more; the latency's tail is redrawn as they move.
    """
    of_knobs = {
        "--workload": on, "--layer": layer, "--knob": knob, "--set": settings, "--limit": limit, "--until": until, "--replay": replay, "--format": format_, "--seed": seed,
        "--jobs": jobs, "--port": port, "--offline": offline, "--budget": budget,
    }  # fmt: skip
    of_results = {"--out": out, "--layers": layers, "--firmware": firmware, "--yes": yes or None, "--drive": drive}
    if live:
        if knobs:
            raise InputError("--live follows a run under way, --knobs makes runs of its own: choose one")
        _only({**of_results, **of_knobs, "--port": None}, "a view without --live")
        _follow(results, port or 0)
        return
    _only(of_results if knobs else of_knobs, "a folder of results, without --knobs" if knobs else "--knobs")
    if knobs:
        if budget is not None and offline is None:
            raise InputError("--budget bounds what --offline runs; a server runs what its page asks for")
        if port is not None and offline is not None:
            raise InputError("--port belongs to a server; --offline writes a file")
        names = [name.strip() for name in (layer or "").split(",") if name.strip()]
        subject = subject_of(str(results), on, names, knob or (), settings or (), limit, 1 if seed is None else seed, until or SURE, replay, format_, offline is not None)
        if offline is None:
            serve_knobs(subject, jobs, port or 0)
        else:
            write_knobs(subject, offline, budget, jobs)
        return
    _write_view(results, out, tuple(layers.split(",")) if layers else (), yes, firmware, drive)


def _write_view(results: Path, out: Path | None, layers: tuple[str, ...], yes: bool, firmware: Path | None, drive: str | None) -> None:
    from tessera.view import write_view

    unasked = []

    def ask(question: str) -> bool:
        if yes or sys.stdin.isatty():
            return yes or typer.confirm(question, default=True, err=True)
        unasked.append(question)
        return False

    if out is not None:
        apart(out, [results] if results.is_file() else (file for file in results.glob("*") if file.suffix != ".html"))
    print(write_view(results, out, layers, ask, firmware, progress=True, drive=drive))
    if unasked:
        print("  note: the page shows no head positions; --yes repeats the run to record them", file=sys.stderr)


def _follow(folder: Path, port: int) -> None:
    """Until Ctrl-C."""
    from tessera.view.live import following

    try:
        with following(folder, port) as server:
            print(server.address, flush=True)
            print("  open this address in a browser of this machine; Ctrl-C ends the server, not the run", file=sys.stderr)
            server.serve_forever()
    except KeyboardInterrupt as error:
        raise interrupted(error) from None


def _only(given: dict[str, object], what: str) -> None:
    """Raises InputError for an option that has no effect here."""
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} belongs to {what}")


def register(app: typer.Typer) -> None:
    app.command("view", epilog=EXAMPLES)(view)
