"""Speed and memory of the simulator as a whole, each figure beside its target."""

import platform
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import REPOSITORY, layer_names, run_for, run_simulator
from tessera.results.run_folder import Run

MIB = 1 << 20


def requests_per_cpu_second(run: Run) -> float:
    return run.metric("run.requests_per_cpu_second")


def commands(run: Run) -> float:
    """Media and flash commands."""
    names = ("media.commands", "nand.reads", "nand.oob_reads", "nand.programs", "nand.erases")
    return sum(run.find(name) or 0 for name in names)


def commands_per_cpu_second(run: Run) -> float:
    return commands(run) / run.metric("run.cpu_seconds")


def peak_memory_mib(run: Run) -> float:
    return run.metric("run.peak_memory_bytes") / MIB


@dataclass(frozen=True)
class Figure:
    what: str
    of: Callable[[Run], float]
    target: float
    at_least: bool = True

    def met(self, value: float) -> bool:
        return value >= self.target if self.at_least else value <= self.target


@dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple[str, ...]
    figures: tuple[Figure, ...]


def speed(target: float) -> Figure:
    return Figure("host requests per CPU-second", requests_per_cpu_second, target)


COMMANDS = Figure("media and flash commands per CPU-second", commands_per_cpu_second, 250_000)


def memory(target: float) -> Figure:
    """`target` in bytes."""
    return Figure("peak memory (MiB)", peak_memory_mib, target / MIB, at_least=False)


DEPTH_32 = ("--replay", "closed:32")
FIRST_COME = ("--set", "controller.scheduling=first_come")
SHORTEST_POSITIONING = ("--set", "controller.scheduling=shortest_positioning")
RANDOM = ("--workload", "random-4k", *DEPTH_32)


def request_cases() -> list[Case]:
    """Those that are measured by the request."""
    return [
        Case("cmr, first-come", ("bare", "--layer", "cmr", *RANDOM, *FIRST_COME), (speed(500_000), COMMANDS)),
        Case("cmr, shortest positioning first", ("bare", "--layer", "cmr", *RANDOM, *SHORTEST_POSITIONING), (speed(250_000), COMMANDS)),
        Case("mu-rmw, Zipf writes", ("bare", "--layer", "mu-rmw", "--workload", "zipf-writes", *DEPTH_32), (speed(200_000),)),
    ]


def cached_cases() -> list[Case]:
    """Conventional drives with look-ahead and write cache, as sold."""
    return [
        Case("cmr with caches, web-server", ("demo", "--layer", "cmr", "--workload", "web-server", "--fold"), ()),
        Case("cmr with caches, random", ("common", "--layer", "cmr", *RANDOM), ()),
    ]


def cases(large_drive: str, long_workload: Path) -> list[Case]:
    """`large_drive`: a 20 TB description; `long_workload`: ten million random requests."""
    return [
        *request_cases(),
        Case("imr-rmw, random", ("bare", "--layer", "imr-rmw", *RANDOM), (COMMANDS,)),
        Case("mu-rmw, random", ("bare", "--layer", "mu-rmw", *RANDOM, "--limit", "200000"), (COMMANDS,)),
        Case("mu-rmw, merging", ("mu-rmw-paper", "--layer", "mu-rmw", "--workload", "quarter-updates", "--replay", "closed:8", "--fold"), (COMMANDS,)),
        Case("cmr, 10 million requests, 20 TB", (large_drive, "--layer", "cmr", "--workload", str(long_workload), *DEPTH_32), (memory(50e6),)),
        Case("imr-rmw, 10 million requests, 20 TB", (large_drive, "--layer", "imr-rmw", "--workload", str(long_workload), *DEPTH_32), (memory(300e6),)),
        *[
            Case(f"{layer}, 10 million requests, common", ("common", "--layer", layer, "--workload", str(long_workload), *DEPTH_32), (memory(100e6),))
            for layer in ("mu-rmw", "tessera")
        ],
    ]


def machine() -> str:
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith("model name")), "")
    return f"{model or platform.machine()}, {platform.system()} {platform.release()}"


def commit() -> str:
    result = subprocess.run(["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return result.stdout.strip() or "unknown"


LAYER_SECONDS = 15  # a layer that merges all the time would need minutes for all requests
LAYER_REQUESTS = 1_000_000
# Zipf over a 16th of the drive. 256 MiB of flash, an eighth of what `bare` has: flash caches fill, and merging is part of the figure.
ZIPF_WRITES = f'''law = "zipf"
requests = {LAYER_REQUESTS}
write_share = 1.0
alignment = "4 KiB"

[zipf]
items = 1000000
exponent = 0.9
'''
SMALL_FLASH = ("--set", "nand.blocks=2048")  # 256 MiB, so that caches in it fill
BUFFERED = ("sblock", "hwsr")  # their flash holds a read cache and journals, which have to fit


def flash_settings(layer: str) -> tuple[str, ...]:
    return (*SMALL_FLASH, "--set", f"layers.{layer}.flash=128 MiB") if layer in BUFFERED else SMALL_FLASH


def measure_layers(console: Console, out: Path) -> None:
    """Every layer of the list on `bare`, random 4 KiB Zipf writes: a line each. Raises SimulatorError."""
    workload = out / "zipf-writes.toml"
    workload.write_text(ZIPF_WRITES)
    console.print(
        f"\nevery layer, random 4 KiB Zipf writes, at most {LAYER_SECONDS} s each; target {COMMANDS.target:,.0f} commands per CPU-second",
        highlight=False, soft_wrap=True,
    )
    for layer in layer_names():
        folder = out / "layers" / layer
        run_for(LAYER_SECONDS, ["run", "bare", "--layer", layer, "--workload", workload, *DEPTH_32, *flash_settings(layer), "--out", folder])
        run = Run(folder)
        rate = commands_per_cpu_second(run)
        met = "met" if COMMANDS.met(rate) else "[bold red]missed[/bold red]"
        console.print(
            f"  {layer:<16} {run.metric('host.served'):>9,.0f} requests, {run.metric('cleaning.count'):>8,.0f} cleanings: "
            f"{requests_per_cpu_second(run):>9,.0f} requests and {rate:>9,.0f} commands per CPU-second: {met}",
            highlight=False,
            soft_wrap=True,
        )


def measure(console: Console, out: Path, large_drive: str, only: str) -> None:
    """Runs the cases whose name holds `only`, of which `layers` is one, and prints a line a figure. Raises SimulatorError."""
    out.mkdir(parents=True, exist_ok=True)
    long_workload = out / "random-10-million.toml"
    long_workload.write_text('law = "uniform"\nrequests = 10000000\nwrite_share = 0.5\nalignment = "4 KiB"\n')
    console.print(f"machine: {machine()}\ncommit: {commit()}\n", highlight=False)
    for number, case in enumerate(cases(large_drive, long_workload)):
        if only not in case.name:
            continue
        arguments = ["run", *case.arguments, "--caches", "empty", "--out", str(out / str(number))]
        console.print(f"[dim]tessera-sim {' '.join(arguments)}[/dim]", highlight=False, soft_wrap=True)
        run_simulator(arguments)
        for figure in case.figures:
            value = figure.of(Run(out / str(number)))
            met = figure.met(value)
            bound = "at least" if figure.at_least else "at most"
            console.print(
                f"  {case.name}: {figure.what} {value:,.0f} ({bound} {figure.target:,.0f}: {'met' if met else '[bold red]missed[/bold red]'})",
                highlight=False,
                soft_wrap=True,
            )
    if only in "layers":
        measure_layers(console, out)
