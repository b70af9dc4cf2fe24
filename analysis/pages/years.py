"""How many years of a drive's life two cores simulate in a day, under a load that leaves it idle most of the time and under one of 100 requests
per second. In CPU time: an hour that nothing happens in should cost nothing."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import layer_names, run_for
from tessera.results.run_folder import Run

CORES = 2
DAYS_A_YEAR = 365.25
REQUESTS = 100_000
LONGEST = 30  # s, of one run
DRIVES = ("bare", "common")
CONVENTIONAL_GOAL, GOAL = 100, 25  # drive-years per day of the busy load: `cmr`, each other layer
# Of the time between arrivals, that of a drive that keeps up with its load.
KEEPS_UP = 1.05
BUSY = f'''law = "uniform"
requests = {REQUESTS}
write_share = 0.5
alignment = "4 KiB"
[arrivals]
law = "exponential"
mean = "10 ms"
'''


@dataclass(frozen=True)
class Load:
    name: str
    workload: str
    rate: float  # requests per second
    held: bool = False  # whether there is a goal for it

    def goal(self, layer: str) -> int | None:
        if not self.held:
            return None
        return CONVENTIONAL_GOAL if layer == "cmr" else GOAL

    def seconds(self, requests: float) -> float:
        """In which so many requests arrive."""
        return requests / self.rate


def loads(busy: Path) -> tuple[Load, ...]:
    return Load("web-server", "web-server", 1 / 0.29794), Load("100 requests/s", str(busy), 100, held=True)


def drive_years_a_day(seconds: float, cpu_seconds: float) -> float:
    """Of simulating `seconds` in `cpu_seconds`, on all the cores."""
    return CORES * seconds / cpu_seconds / DAYS_A_YEAR


def described(load: Load, layer: str, run: Run) -> str:
    served = run.metric("host.served")
    arrived = load.seconds(served)
    years = drive_years_a_day(arrived, run.metric("run.cpu_seconds"))
    goal = load.goal(layer)
    verdict = "" if goal is None else f" (at least {goal}: {'met' if years >= goal else '[bold red]missed[/bold red]'})"
    late = run.metric("run.measured_seconds") / arrived
    overload = "" if late <= KEEPS_UP else f", the drive needs {late:.1f} times as long"
    return f"{load.name} {years:,.1f}{verdict}{overload}"


def measure_years(console: Console, out: Path, only: str) -> None:
    """A line for each drive and layer whose name holds `only`. Raises SimulatorError."""
    out.mkdir(parents=True, exist_ok=True)
    busy = out / "busy.toml"
    busy.write_text(BUSY)
    console.print(f"drive-years per day on {CORES} cores, after the first day of a run; {REQUESTS:,} requests each", highlight=False)
    for drive in DRIVES:
        for layer in layer_names():
            if only not in f"{drive} {layer}":
                continue
            parts = []
            for number, load in enumerate(loads(busy)):
                folder = out / drive / layer / str(number)
                run_for(LONGEST, ["run", drive, "--layer", layer, "--workload", load.workload, "--fold", "--limit", str(REQUESTS),
                                  "--caches", "empty", "--set", "simulation.rest_after=0 s", "--out", folder])
                parts.append(described(load, layer, Run(folder)))
            console.print(f"  {f'{drive} {layer}':<30} {'; '.join(parts)}", highlight=False, soft_wrap=True)
