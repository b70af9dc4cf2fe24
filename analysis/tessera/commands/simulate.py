"""tessera run, and what goes to the simulator as it is."""

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tessera.commands import compare
from tessera.commands.help import TwoTier
from tessera.commands.options import PASS_ON, Json, Limit, OutOrNext, Seed, Settings, Trace, Workload, results_folder, simulation
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import SimulatorError, ask_simulator, become, run_simulator
from tessera.engine.temporary import work_folder
from tessera.errors import InputError

RUN_EXAMPLES = """Examples:

  tessera run common --layer imr-rmw --workload web-server --limit 20000 --out out/first

  tessera run common --layer mu-rmw --trace week.csv.xz --fold --check --out out/week

  tessera run common --layer cmr --workload random-4k --until host.latency.p99:5% --out out/sure"""


DriveOrDocument = Annotated[str, typer.Argument(metavar="DRIVE", help="Drive: a name of 'tessera list drives' or a .toml file; or a run document, such as the run.toml of a run's folder.")]


SHOW_ONLY = ("--list-inputs", "--document")  # of `run`, which then runs nothing


def run(
    context: typer.Context,
    drive: DriveOrDocument,
    out: OutOrNext = None,
    layer: Annotated[str | None, typer.Option(metavar="NAME", help="Translation layer (default: the drive's own).")] = None,
    trace: Trace = None,
    workload: Workload = None,
    limit: Limit = None,
    seed: Seed = 1,
    settings: Settings = None,
    warmup: Annotated[str | None, typer.Option(metavar="N", help="Leave the first N requests out of the figures; auto: as many as a first run finds to be warm-up.")] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="METRIC:PERCENT", help="Run on until half the metric's 95 % interval is at most so many percent of it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Replay a trace or workload on a drive and write the results."""
    if is_document(drive):
        wanted = Simulation.of_document(drive, *(word for word in said(context) if word not in SHOW_ONLY))
    else:
        wanted = simulation(drive, trace, workload, limit, seed, settings, context.args).but(layer=layer, warmup=warmup)
    if shown := [word for word in context.args if word in SHOW_ONLY]:
        print(ask_simulator([*wanted.but(more=tuple(word for word in wanted.more if word not in SHOW_ONLY)).words(), *shown]), end="")
        return
    with results_folder(out, "run") as folder:
        if until is None:
            result, sure = wanted.run(folder, progress=True), ""
        else:
            from tessera.explore.effort import run_until  # with numpy
            from tessera.results.steadiness import Until  # with numpy

            result, effort = run_until(wanted, Until.parse(until), folder, progress=True)
            sure = effort.sentence()
    if as_json:
        print(json.dumps(result.summary | ({"until": sure} if sure else {}), indent=1))
        return
    print(result.printed, end="")
    if sure:
        print(f"  {sure}")


def is_document(drive: str) -> bool:
    """Whether a drive's name is the file of a run document; what is in it, the simulator says."""
    file = Path(drive)
    return file.is_file() and any(re.match(r"\s*\[\s*run\s*[].]", line) for line in file.read_text(errors="replace").splitlines())


def said(context: typer.Context) -> list[str]:
    """The options of the simulator that are on the command line, as words."""
    words = []
    for parameter in context.command.params:
        name, given = parameter.opts[0], context.get_parameter_source(parameter.name or "")
        if given is not None and given.name == "COMMANDLINE" and name.startswith("--") and name not in ("--out", "--until", "--json"):
            value = context.params[parameter.name or ""]
            words += [word for each in (value if isinstance(value, list | tuple) else [value]) for word in (name, str(each))]
    return [*words, *context.args]


def wants_help(words: list[str]) -> bool:
    return not {"-h", "--help"}.isdisjoint(words)


def show_help(name: str) -> None:
    """The simulator's own help of a command."""
    print(run_simulator([name, "--help"], as_tessera=True), end="")


def pass_on(name: str, doc: str):
    """A command of the simulator under the same name."""

    def command(context: typer.Context) -> None:
        if wants_help(context.args):
            show_help(name)
            return
        try:
            print(run_simulator([name, *context.args], as_tessera=True), end="")
        except SimulatorError as error:  # it has said why itself
            sys.stdout.write(error.output)
            raise typer.Exit(error.status) from None

    command.__doc__ = doc
    return command


def hand_over(name: str, doc: str):
    """The same of a command that runs long: what it prints and the signals that end it are its own."""

    def command(context: typer.Context) -> None:
        if wants_help(context.args):
            show_help(name)
            return
        become([name, *context.args])

    command.__doc__ = doc
    return command


NO_RESULTS = ("--plan", "--parameters", "--list-inputs")  # of `array`, which then runs nothing


def array_in_parts(words: list[str], out: Path | None, workers: int | None, scheduler: str | None) -> None:
    from tessera.explore.array_parts import run_parts

    with results_folder(out, "array") as folder:
        summary = run_parts(words, folder, workers, scheduler)
    found = {name: metric["value"] for name, metric in summary["metrics"].items()}
    if failure := summary["run"].get("failure"):
        print(f"  ! {failure}")
    print(f"  served      {found['host.served']:,} requests, {found['host.failed']:,} failed, mean {found['host.latency.mean'] or 0:.3g} ms, p99 {found['host.latency.p99'] or 0:.3g} ms")
    print(f"  workers     {found['workers.count']}, busy {found['workers.busy']:.1%} of their time; {found['run.commands_per_cpu_second'] or 0:,.0f} commands per CPU-second")
    print(f"  results: {folder}")
    if summary["run"]["status"] != 0:
        raise typer.Exit(summary["run"]["status"])


def array(
    context: typer.Context,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Folder for the results, DIR/drive-N for those of drive N (default: the next free out/array-N).")] = None,
    workers: Annotated[int | None, typer.Option(min=1, metavar="N", help="Simulate each drive of a jbod in a process of its own, N at a time (docs/arrays.md).")] = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="The same at the workers of a Dask scheduler, tcp://HOST:PORT.")] = None,
) -> None:
    """Run several drives under one host: mirrors, RAID 5 and 6, failures and rebuilds."""
    if workers is not None or scheduler is not None:
        array_in_parts(list(context.args), out, workers, scheduler)
        return
    if out is None and not set(context.args).isdisjoint(NO_RESULTS):
        print(ask_simulator(["array", *context.args], progress=True), end="")
        return
    with results_folder(out, "array") as folder:
        print(ask_simulator(["array", *context.args, "--out", folder], progress=True), end="")


def explain(
    results: Annotated[Path, typer.Argument(help="Folder of a run.")],
    number: Annotated[int, typer.Argument(min=0, help="Number of the request, from 0.")],
    firmware: Annotated[
        Path | None, typer.Option(help="Shared library or image that the run used, where it is made again; taken only if its digest is that of the run.")
    ] = None,
) -> None:
    """Explain the life of one request, step by step. A run without a log of its requests is made again elsewhere, from the same files."""
    if (results / "compare.json").exists():
        raise InputError(f"{results} is the folder of a comparison: name a run in it, as {results}/LAYER")
    if (results / "requests.npy").exists():
        print(ask_simulator(["explain", results, str(number)]), end="")
        return
    from tessera.engine.replay import repeat, repeatable
    from tessera.results.run_folder import Run

    Run(results).file("summary.json")
    made_by = repeatable(results, firmware)
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        repeat(made_by.but(requests=True, events=True), folder, progress=True)
        try:
            print(ask_simulator(["explain", folder, str(number)]), end="")
        except InputError as error:
            raise InputError(str(error).replace(f"{folder}/requests.npy", str(results))) from None


def register(app: typer.Typer) -> None:
    app.command("run", cls=TwoTier, context_settings=PASS_ON, epilog=RUN_EXAMPLES)(run)
    compare.register(app)
    app.command("explain")(explain)
    for name, doc in (
        ("list", "List drives, layers, workloads, arrays, formats or parameters."),
        ("check", "Validate the description of a drive or an array."),
        ("convert", "Write a block trace as a NumPy file."),
    ):
        app.command(name, context_settings={**PASS_ON, "help_option_names": []})(pass_on(name, doc))
    app.command("array", cls=TwoTier, context_settings=PASS_ON)(array)
    app.command("torture", cls=TwoTier, context_settings=PASS_ON)(hand_over("torture", "Cut the power thousands of times and check that nothing is lost."))
    app.command("serve", context_settings={**PASS_ON, "help_option_names": []})(hand_over("serve", "Let any NBD client use the drive, until Ctrl-C."))
