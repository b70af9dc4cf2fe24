"""tessera calibrate."""

from pathlib import Path
from typing import Annotated

import typer

from tessera.engine.simulator import REPOSITORY, layer_names
from tessera.errors import unknown_name
from tessera.results.marked_section import write_marked_section

PAGE = REPOSITORY / "docs" / "developers" / "calibration.md"
MEASURED_COSTS = REPOSITORY / "models" / "controller" / "measured_costs.def"

EXAMPLES = """Examples:

  ./dev firmware all && tessera calibrate            (every layer; some minutes)

  tessera calibrate cmr imr-rmw --requests 500 --out out/two

  tessera calibrate tessera-imr --judge  # how far the costs that ship are from its image

  tessera-sim run out/calibration/costs.toml --layer mu-rmw --workload web-server --out out/measured"""


def calibrate(
    layers: Annotated[list[str] | None, typer.Argument(help="Layers; all if none is named. Each needs its image: ./dev firmware LAYER.")] = None,
    requests: Annotated[int, typer.Option(min=1, help="Requests of each workload, behind 100 that warm up.")] = 2000,
    workloads: Annotated[str, typer.Option(metavar="A,B,...", help="Workloads, each one request at a time and eight.")] = "web-server,random-4k,zipf-writes,sequential",
    images: Annotated[Path, typer.Option(help="Folder of the images.")] = Path("build/firmware"),
    out: Annotated[Path, typer.Option(help="Folder for the runs, calibration.json and costs.toml.")] = Path("out/calibration"),
    judge: Annotated[bool, typer.Option("--judge", help="Fit nothing: say how far the costs that ship are from the images.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Measure too what the costs do to responses, and write docs/developers/calibration.md and the costs that linked firmware is priced by anew; with --judge only the judgement.")] = False,
) -> None:
    """Measure what the firmware's operations cost on its images, and write the costs as a drive description."""
    from rich.console import Console

    from tessera.calibration.measurement import Effort
    from tessera.calibration.report import write_measured_costs
    from tessera.calibration.run import calibration, judgement

    known = layer_names()
    for name in layers or ():
        if name not in known:
            raise unknown_name("layer", name, known)
    console = Console()
    chosen, effort = tuple(dict.fromkeys(layers or known)), Effort(requests, tuple(workloads.split(",")))
    if judge:
        text = judgement(console, chosen, effort, images, out)
        if page:
            write_marked_section(PAGE, "tessera calibrate --judge --page", text)
            console.print(f"{PAGE}: written", highlight=False, soft_wrap=True)
        return
    text = calibration(console, chosen, effort, images, out, consequent=page)
    console.print(f"{out / 'calibration.json'}, {out / 'costs.toml'}: written", highlight=False, soft_wrap=True)
    if page:
        write_marked_section(PAGE, "tessera calibrate --page", text)
        write_measured_costs(MEASURED_COSTS, out / "calibration.json")
        console.print(f"{PAGE}, {MEASURED_COSTS}: written", highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    app.command("calibrate", epilog=EXAMPLES)(calibrate)
