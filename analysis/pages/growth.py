"""Whether the simulator's own cost of a request grows with the capacity of the drive or the size of its caches: instructions, counted by
callgrind, so that the figure is the same on every machine.

The instructions of a run with a warm-up alone are taken off those of the same run with more requests behind it, so that boot, tables that
are set up, and caches that fill are left out. The distinct addresses grow with the drive, so that its tables are as full at each size. The
flash takes all the writes, so that its layers do not merge here: merges are commands, and what those cost is in `./dev bench layers`. Where
cleanings (of the drive's write cache: destages) fall into the measured part all the same, more or less often as sizes change, the cost is
that of an operation: a host request, or a media or flash command that the layer gave for it or for a cleaning."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from pages.bench import BUFFERED, commands
from tessera.engine.simulator import SimulatorError, exit_status, layer_names, simulator
from tessera.errors import InputError
from tessera.results.run_folder import Run

FACTORS = (1, 4, 16)
TRACKS = 2048  # at factor 1: 4 GiB of `bare`, which is factor 16
FLASH_BLOCKS = 512  # at factor 1: 64 MiB
ADDRESSES = 150  # at factor 1
WARM_UP_ROUNDS = 3  # writes for each address before the measured part: 95 % of them are there then
MEASURED = 2000  # requests
MOST_GROWTH = 0.10
# Of media-cache a checkpoint writes every extent of a map that grows with the addresses; of tessera-imr it is open why.
KNOWN_GROWTH = {"media-cache": 0.40, "tessera-imr": 0.15}
MOVING = ("imr-flip", "imr-cache", "imr-dtm")


# What callgrind simulates in addition to instructions. The sizes of the caches are those of a usual core, so that the machine's own do not matter.
BRANCHES = ("--branch-sim=yes",)
CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")
MISPREDICTIONS = ("Bcm", "Bim")  # of conditional and indirect branches
CACHE_MISSES = ("I1mr", "D1mr", "D1mw")  # in the first level, of code and data


@dataclass(frozen=True)
class Cost:
    instructions: float
    requests: float
    commands: float
    cleanings: float
    mispredictions: float = 0  # with BRANCHES
    cache_misses: float = 0  # with CACHES

    def of_operation(self) -> float:
        return self.instructions / (self.requests + self.commands)

    def of_request(self) -> float:
        return self.instructions / self.requests

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(
            self.instructions - other.instructions, self.requests - other.requests, self.commands - other.commands,
            self.cleanings - other.cleanings, self.mispredictions - other.mispredictions, self.cache_misses - other.cache_misses,
        )


@dataclass(frozen=True)
class Subject:
    name: str
    layer: str
    settings: tuple[str, ...] = ()  # {factor} stands for the factor, {eightfold} for eight times it


def subjects() -> list[Subject]:
    cache = ("--set", "firmware.write_cache.capacity={factor} MiB", "--set", "firmware.write_cache.durability=volatile")
    return [Subject(layer, layer, layer_settings(layer)) for layer in layer_names()] + [Subject("cmr, write cache", "cmr", cache)]


def layer_settings(layer: str) -> tuple[str, ...]:
    """What keeps merges and moves out of the measured part: a write buffer that holds every address, as the flash caches do, beside a read
    cache that leaves room for the journals; intervals longer than the run for layers that move tracks."""
    name = layer.replace("-", "_")
    if layer == "tessera":  # whose buffer, nearly full at the largest size alone, would go past the flash
        return "--set", "layers.tessera.flash_backlog=1000000"
    if layer in MOVING:
        return "--set", f"layers.{name}.update_frequency=1000000"
    if layer in BUFFERED:
        sizes = ("memory={eightfold} MiB", "flash={factor} MiB", "durability=volatile")
        return tuple(word for size in sizes for word in ("--set", f"layers.{name}.{size}"))
    return ()


def counted_events(profile: str) -> dict[str, int]:
    """What a profile of callgrind has summed up, by the names of its events."""
    names = re.search(r"^events: (.+)$", profile, re.MULTILINE)
    sums = re.search(r"^(?:summary|totals): (.+)$", profile, re.MULTILINE)
    return dict(zip(names[1].split(), map(int, sums[1].split()), strict=True))


def counted_run(arguments: list[str], out: Path, kind: str = "run", simulated: tuple[str, ...] = ()) -> Cost:
    """A run, or an array of drives, under callgrind, which simulates BRANCHES or CACHES besides. Raises SimulatorError."""
    out.mkdir(parents=True, exist_ok=True)
    profile = out / "callgrind.out"
    if kind == "run" and "--load-state" not in arguments:
        arguments = [*arguments, "--caches", "empty"]
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *simulated, str(simulator()), kind, *arguments, "--out", str(out)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        said = [line for line in result.stderr.splitlines() if not line.startswith("==")]
        raise SimulatorError(command, exit_status(result.returncode), said[-1] if said else "")
    events = counted_events(profile.read_text(encoding="utf-8"))
    run = Run(out)
    cleanings = (run.find("cleaning.count") or 0) + (run.find("cache.destages") or 0)
    mispredictions, cache_misses = (sum(events.get(name, 0) for name in names) for names in (MISPREDICTIONS, CACHE_MISSES))
    return Cost(events["Ir"], run.metric("host.served"), commands(run), cleanings, mispredictions, cache_misses)


def cost_at(subject: Subject, factor: int, out: Path) -> Cost:
    """The measured part alone."""
    folder = out / subject.name.replace(", ", "-").replace(" ", "-") / str(factor)
    folder.mkdir(parents=True, exist_ok=True)
    workload = folder / "uniform-writes.toml"
    workload.write_text(
        f'law = "zipf"\nrequests = 1000000\nwrite_share = 1.0\nalignment = "4 KiB"\n[zipf]\nitems = {ADDRESSES * factor}\nexponent = 0.1\n'
    )
    warm_up = WARM_UP_ROUNDS * ADDRESSES * factor
    arguments = [
        "bare", "--layer", subject.layer, "--workload", str(workload), "--replay", "closed:8",
        *("--set", f"media.tracks={TRACKS * factor}", "--set", f"nand.blocks={FLASH_BLOCKS * factor}"),
        *(word.format(factor=factor, eightfold=8 * factor) for word in subject.settings),
    ]
    short = counted_run([*arguments, "--limit", str(warm_up)], folder / "warm-up")
    return counted_run([*arguments, "--limit", str(warm_up + MEASURED)], folder / "whole") - short


def growth(costs: list[Cost]) -> tuple[str, list[float]]:
    """What is compared, a request or an operation, and its instructions at each factor."""
    if any(cost.cleanings > 0 for cost in costs):
        return "operation", [cost.of_operation() for cost in costs]
    return "request", [cost.of_request() for cost in costs]


def grown(costs: list[Cost]) -> float:
    """From the smallest drive to the size at which it costs most."""
    values = growth(costs)[1]
    return max(values) / values[0] - 1


def held_growth(subject: Subject) -> float:
    return KNOWN_GROWTH.get(subject.name, MOST_GROWTH)


def hold_growth(console: Console, out: Path, only: str, jobs: int) -> None:
    """Fails where a subject whose name holds `only` grows further than it is known to. Raises SimulatorError, InputError."""
    for subject in [subject for subject in subjects() if only in subject.name]:
        with ThreadPoolExecutor(jobs) as pool:
            costs = list(pool.map(lambda factor: cost_at(subject, factor, out), FACTORS))
        if grown(costs) > held_growth(subject):
            figures = ", ".join(f"{value:,.0f}" for value in growth(costs)[1])
            raise InputError(
                f"{subject.name}: {figures} instructions per {growth(costs)[0]} at {', '.join(map(str, FACTORS))} times the capacity, "
                f"{grown(costs):+.1%}; expected at most {held_growth(subject):+.0%}. Index what it scans, and charge the scan to the modelled CPU."
            )
        console.print(f"{subject.name}: {grown(costs):+.1%} at {FACTORS[-1]} times the capacity, at most {held_growth(subject):+.0%}", highlight=False)


def measure_growth(console: Console, out: Path, only: str, jobs: int) -> None:
    """A line for each subject whose name holds `only`. Raises SimulatorError where one could not be measured, after the others."""
    console.print(
        f"\ninstructions at {', '.join(map(str, FACTORS))} times the capacity and cache size; target: within {MOST_GROWTH:.0%}",
        highlight=False, soft_wrap=True,
    )
    failed = None
    with ThreadPoolExecutor(jobs) as pool:
        measured = [(subject, [pool.submit(cost_at, subject, factor, out) for factor in FACTORS]) for subject in subjects() if only in subject.name]
        for subject, futures in measured:
            try:
                costs = [future.result() for future in futures]
            except SimulatorError as error:
                console.print(f"  {subject.name:<16} [bold red]{error.output or error}[/bold red]", highlight=False, soft_wrap=True)
                failed = error
                continue
            unit, values = growth(costs)
            met = "met" if grown(costs) <= MOST_GROWTH else "[bold red]missed[/bold red]"
            figures = " ".join(f"{value:>8,.0f}" for value in values)
            cleanings = " ".join(f"{cost.cleanings:,.0f}" for cost in costs)
            console.print(
                f"  {subject.name:<16} {figures} instructions a {unit}, {grown(costs):+.1%}: {met} (cleanings: {cleanings})",
                highlight=False, soft_wrap=True,
            )
    if failed:
        raise failed
