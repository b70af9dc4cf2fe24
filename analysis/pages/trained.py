"""What a program that counts runs (cmake/profile.cmake), and whether the one that is built by its counts gives the same figures."""

import os
import shutil
from pathlib import Path

from rich.console import Console

from pages.bench import DEPTH_32, FIRST_COME, RANDOM, SMALL_FLASH
from tessera.engine.simulator import layer_names, run_simulator
from tessera.results.run_folder import Run
from tessera.results.sameness import differences

WITH_CACHES = 6_000  # requests: hot paths are warm after hundreds
WITHOUT = 20_000


def runs() -> dict[str, tuple[str, ...]]:
    """Name -> arguments: each layer with a modern drive's caches under a web server's load and without under Zipf writes, and mechanics alone."""
    found: dict[str, tuple[str, ...]] = {}
    for layer in layer_names():
        found[f"{layer}-common"] = ("common", "--layer", layer, "--workload", "web-server", "--fold", "--limit", str(WITH_CACHES))
        found[f"{layer}-bare"] = ("bare", "--layer", layer, "--workload", "zipf-writes", *DEPTH_32, "--fold", "--limit", str(WITH_CACHES))
    for name, settings in (("first-come", FIRST_COME), ("positioning", ())):
        found[name] = ("bare", "--layer", "cmr", *RANDOM, *settings, "--limit", str(WITHOUT))
    found["mu-rmw"] = ("bare", "--layer", "mu-rmw", "--workload", "zipf-writes", *DEPTH_32, *SMALL_FLASH, "--limit", str(WITHOUT))
    found["segments"] = ("cheetah-9lp", "--workload", "random-4k", "--fold", *DEPTH_32, "--limit", str(WITHOUT))
    return found


def train(program: Path, out: Path, console: Console) -> None:
    """Runs them with `program` into folders of `out`. Raises SimulatorError."""
    shutil.rmtree(out, ignore_errors=True)
    os.environ["TESSERA_SIM"] = str(program.resolve())
    for name, arguments in runs().items():
        run_simulator(["run", *arguments, "--caches", "empty", "--requests", "--out", out / name], quiet=True)
    console.print(f"{len(runs())} runs in {out}", highlight=False)


def untrue(first: Path, second: Path) -> list[str]:
    """What differs between the runs in two folders that train() filled, a line each."""
    found = [f"{name}: {line}" for name in runs() for line in differences(Run(first / name), Run(second / name), figures_only=True)]
    return found + [
        f"{name}: requests.npy" for name in runs() if (first / name / "requests.npy").read_bytes() != (second / name / "requests.npy").read_bytes()
    ]


def speed(out: Path) -> float:
    """Requests per CPU-second of all runs in `out` together."""
    folders = [Run(out / name) for name in runs()]
    return sum(run.metric("host.served") for run in folders) / sum(run.metric("run.cpu_seconds") for run in folders)
