"""What a request of the host costs the simulator, in instructions counted by callgrind: the same on every machine."""

from pathlib import Path

from rich.console import Console

from pages.bench import cached_cases, request_cases
from pages.growth import counted_run

REQUESTS = (10_000, 30_000)  # of two runs, whose difference is measured: without boot, set-up and report
TARGETS = (10_000, 12_300, 27_000, 45_000, 38_000)  # of the cases, instructions at most


def measure_instructions(console: Console, out: Path, only: str) -> None:
    """A line for each case whose name holds `only`. Raises SimulatorError."""
    for case, target in zip([*request_cases(), *cached_cases()], TARGETS, strict=True):
        if only not in case.name:
            continue
        folder = out / case.name.replace(", ", "-").replace(" ", "-")
        short, long = (counted_run([*case.arguments, "--limit", str(requests)], folder / str(requests)) for requests in REQUESTS)
        cost = (long - short).of_request()
        met = "met" if cost <= target else "[bold red]missed[/bold red]"
        console.print(f"  {case.name:<30} {cost:>7,.0f} instructions a request; target at most {target:,}: {met}", highlight=False, soft_wrap=True)
