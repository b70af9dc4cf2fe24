"""A calibration from its runs to its files."""

from pathlib import Path

from rich.console import Console

from tessera.calibration.consequences import consequences
from tessera.calibration.fit import Fit, fit
from tessera.calibration.measurement import DRIVE, Effort, Measurement, costs_of, image_of, measure_all, shipped_costs
from tessera.calibration.report import compiled, costs_page, layers_page, verdict, write_costs, write_record
from tessera.progress import watched
from tessera.results.run_folder import Run


def calibration(console: Console, layers: tuple[str, ...], effort: Effort, images: Path, out: Path, consequent: bool = False) -> str:
    """Measures, prints, and writes calibration.json and costs.toml to `out`; with `consequent` also runs with the costs found. The text
    of the page. Raises InputError where an image is missing or its content wrong."""
    measurements = _measured(layers, effort, images, out)
    count = len(measurements)
    before = costs_of(Run(next(out.glob("*/*/linked"))))
    found = fit(measurements, before)
    compiler = compiled(image_of(layers[0], images))
    write_record(out / "calibration.json", measurements, before, found)
    write_costs(out / "costs.toml", found, DRIVE, compiler, count)
    pages = [layers_page(measurements, found), costs_page(before, found)]
    if consequent:
        pages += consequences(layers, out / "costs.toml", out / "consequences", images)
    for page in pages:
        page.show(console)
    said = verdict(measurements, found)
    console.print(said, highlight=False)
    opening = _opening(effort, compiler, "tessera calibrate --page")
    return "\n".join((opening, *(page.markdown() for page in pages[:2]), said + "\n", *(page.markdown() for page in pages[2:])))


def judgement(console: Console, layers: tuple[str, ...], effort: Effort, images: Path, out: Path) -> str:
    """Measures, prints how far the costs that ship are from the images, and writes calibration.json to `out`. The text of the page. Raises
    InputError as `calibration` does."""
    measurements = _measured(layers, effort, images, out)
    costs = shipped_costs()
    shipped = Fit(costs, never=(), together=())
    write_record(out / "calibration.json", measurements, costs, shipped)
    page, said = layers_page(measurements, shipped, of="of the costs that ship"), verdict(measurements, shipped)
    page.show(console)
    console.print(said, highlight=False)
    return "\n".join((_opening(effort, compiled(image_of(layers[0], images)), "tessera calibrate --judge --page"), page.markdown(), said + "\n"))


def _opening(effort: Effort, compiler: str, command: str) -> str:
    """What the figures of a page are of."""
    return (
        f"{effort.requests:,} requests of each of {', '.join(f'`{name}`' for name in effort.workloads)} on `{DRIVE}`, one at a time and eight,\n"
        f"after a warm-up; images by {compiler}. Made by `{command}`.\n"
    )


def _measured(layers: tuple[str, ...], effort: Effort, images: Path, out: Path) -> list[Measurement]:
    for layer in layers:
        image_of(layer, images)
    count = len(layers) * len(effort.workloads) * len(effort.depths)
    return list(watched(measure_all(layers, effort, out, images), "measurements", count))
