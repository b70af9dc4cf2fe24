"""The same requests to the firmware that is linked to the simulator, which counts its operations, and to its image, whose cycles count."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tessera.engine.parameters import drive_parameters
from tessera.engine.simulator import ask_simulator
from tessera.errors import InputError
from tessera.results.run_folder import Run

DRIVE = "demo"  # has flash, and caches that are full early
# The layer's own code, without that of the drive's caches, and media that do the same whatever the processor takes.
LAYER_ALONE = ("--prefill", "0", "--set", "controller.scheduling=first_come", "--set", "firmware.read_cache.segments=0", "--set", "firmware.write_cache.capacity=0 B")
ARCHITECTURE = "rv64imac"

WORKLOADS = ("web-server", "random-4k", "zipf-writes", "sequential")
DEPTHS = (1, 8)  # requests at a time
ESTIMATES = ("--set", "controller.costs.source=estimated")  # so that what is found does not depend on what was found before
WARM_UP = 100    # requests: after them, tables and pools have what they need


@dataclass(frozen=True)
class Measurement:
    """One workload on one layer."""

    layer: str
    workload: str
    requests: int
    operations: Mapping[str, float]  # what the linked firmware did, by name
    table_cycles: float              # that by the estimates
    cycles: float                    # in which the image's processor worked
    instructions: float


@dataclass(frozen=True)
class Effort:
    requests: int = 2000
    workloads: tuple[str, ...] = WORKLOADS
    depths: tuple[int, ...] = DEPTHS


def image_of(layer: str, images: Path) -> Path:
    """The layer's image. Raises InputError where it was not built."""
    image = images / f"{layer}-{ARCHITECTURE}.elf"
    if not image.exists():
        raise InputError(f"there is no image {image}; './dev firmware {layer}' builds it")
    return image


def costs_of(run: Run) -> dict[str, int]:
    """The costs that a run had, in cycles by operation."""
    costs = tomllib.loads(run.file("drive.toml").read_text(encoding="utf-8"))["controller"]["costs"]
    return {name: cost for name, cost in costs.items() if name != "source"}


def shipped_costs() -> dict[str, int]:
    """The costs that linked firmware is priced by where no description says otherwise, in cycles by operation."""
    prefix = "controller.costs."
    costs = {path.removeprefix(prefix): value for path, value in drive_parameters(DRIVE).items() if path.startswith(prefix)}
    return {name: int(cost) for name, cost in costs.items() if name != "source"}


def operations_of(run: Run) -> dict[str, float]:
    return {name: run.metric(f"cpu.by_operation.{name}.count") or 0.0 for name in costs_of(run)}


def checked(run: Run, requests: int) -> Run:
    """Raises InputError where the content was wrong or a request is missing: figures of such a run say nothing."""
    served, wrong = run.metric("host.requests"), run.metric("scoreboard.errors")
    if served != requests or wrong:
        raise InputError(f"{run.folder}: {served:,.0f} of {requests:,} requests, {wrong:,.0f} blocks of wrong content: nothing to calibrate with")
    return run


def measure(layer: str, workload: str, depth: int, requests: int, image: Path, out: Path, drive: str = DRIVE) -> Measurement:
    """Runs both. Raises InputError where one of them went wrong, SimulatorError where it failed."""
    common = (
        "run", drive, "--layer", layer, "--workload", workload, "--fold", "--replay", f"closed:{depth}",
        "--limit", WARM_UP + requests, "--warmup", WARM_UP, "--check", *LAYER_ALONE,
    )  # fmt: skip
    ask_simulator([*common, *ESTIMATES, "--out", out / "linked"])
    ask_simulator([*common, "--elf", image, "--out", out / "image"])
    linked, on_image = checked(Run(out / "linked"), requests), checked(Run(out / "image"), requests)
    operations, costs = operations_of(linked), costs_of(linked)
    return Measurement(
        layer, f"{workload}, {depth} at a time", requests, operations, sum(costs[name] * times for name, times in operations.items()),
        on_image.metric("processor.cycles") or 0.0, on_image.metric("processor.instructions") or 0.0,
    )  # fmt: skip


def measure_all(layers: Iterable[str], effort: Effort, out: Path, images: Path) -> Iterable[Measurement]:
    """Every layer on every workload, as they come. Raises InputError before the first run where an image is missing."""
    found = {layer: image_of(layer, images) for layer in layers}
    for layer, image in found.items():
        for workload in effort.workloads:
            for depth in effort.depths:
                yield measure(layer, workload, depth, effort.requests, image, out / layer / f"{workload}-{depth}")
