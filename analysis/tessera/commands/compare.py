"""tessera compare."""

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tessera.commands.group import interrupted
from tessera.commands.help import TwoTier
from tessera.commands.options import PASS_ON, Drive, Jobs, Json, Limit, Margin, OutOrNext, Seed, Settings, Trace, Workload, results_folder, simulation
from tessera.engine.simulator import BAD_INPUT
from tessera.errors import InputError

if TYPE_CHECKING:
    from tessera.explore.sweep import Count

EXAMPLES = """Examples:

  tessera compare common --layers all --workload web-server --limit 20000 --out out/all

  tessera compare common --layers imr-rmw,mu-rmw --trace week.csv.xz --fold --seeds 10 --baseline best --out out/two"""


def compare(
    context: typer.Context,
    drive: Drive,
    out: OutOrNext = None,
    layers: Annotated[str, typer.Option(metavar="A,B,...", help="Translation layers; all: each that takes writes anywhere; zoned:log, zoned:dmz, zoned:lsm: with a host.")] = "all",
    trace: Trace = None,
    workload: Workload = None,
    limit: Limit = None,
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Runs of each layer, with seeds that count up from --seed.")] = 1,
    baseline: Annotated[str, typer.Option(metavar="A,best,...", help="Also print ratios to this layer (or to the best), paired by seed, with a verdict on each.")] = "",
    margin: Margin = None,
    seed: Seed = 1,
    jobs: Jobs = None,
    settings: Settings = None,
    wide: Annotated[bool, typer.Option("--wide", help="Print every column and interval, and where the time of each layer goes.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the columns as CSV, a line per layer, every digit.")] = False,
    as_json: Json = False,
) -> None:
    """Run many layers on the same input and show one table."""
    from tessera.evidence.family import PERCENT
    from tessera.explore.comparing import compare_layers, list_inputs  # with polars
    from tessera.progress import counting, progress
    from tessera.results.layer_table import WIDTH

    if wide + as_csv + as_json > 1:
        raise InputError("--wide, --csv and --json exclude each other")
    wanted, chosen = simulation(drive, trace, workload, limit, seed, settings, context.args), layers.split(",")
    if "--list-inputs" in context.args:
        print(list_inputs(wanted, chosen, seeds))
        return
    with results_folder(out, "compare") as folder, progress() as bar:
        try:
            result = compare_layers(wanted, chosen, seeds, jobs, folder, counting(bar), baseline.split(",") if baseline else (), PERCENT if margin is None else margin)
        except KeyboardInterrupt as error:  # the simulators ended in order and wrote what they had
            bar.stop()
            kept = f"the runs so far are in {folder / 'compare.json'}, marked as partial" if (folder / "compare.json").exists() else "nothing was measured yet"
            raise interrupted(error, kept) from None
    if as_json or as_csv:
        print(json.dumps(result.columns) if as_json else result.csv(), end="\n" if as_json else "")
    else:
        print(f"{result.text(None if wide else WIDTH)}\nResults: {folder / 'compare.json'}")
    if result.status:
        what = "refused" if result.status == BAD_INPUT else "did not end well"
        print(f"tessera: {what}: {', '.join(result.refused)}; the table says why", file=sys.stderr)
        raise typer.Exit(result.status)


def register(app: typer.Typer) -> None:
    app.command("compare", cls=TwoTier, context_settings=PASS_ON, epilog=EXAMPLES)(compare)
