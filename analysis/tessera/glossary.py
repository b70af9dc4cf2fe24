"""The glossary of metrics, from the summaries of real runs: name, unit and description as the simulator declares them."""

import re
from collections.abc import Iterable
from pathlib import Path

from tessera.run_folder import Run
from tessera.simulator import layer_names, run_simulator

HEAD = """# Metrics

Made by `tessera glossary > docs/guide/metrics.md` from a run of every layer and a few more; a test holds it against them.
Counts are of the measured part of a run: from the end of boot, or of the warm-up, to the end of the drain. Undefined is null, never 0.

| metric | unit | meaning |
|---|---|---|
"""


WRITE_CACHE = ("--set", "firmware.write_cache.capacity=1 MiB")
SPECIAL_RUNS = {  # what a plain run of a layer does not report
    "write-cache": ("common", "--layer", "cmr", *WRITE_CACHE, "--check"),
    "journal": ("common", "--layer", "cmr", *WRITE_CACHE, "--set", "firmware.write_cache.durability=journal", "--set", "layers.cmr.journal_tracks=16"),
    "data-cache": ("common", "--layer", "mu-rmw", "--set", "dram.cache.size=16 KiB"),
    "read-cache": ("hp_c3323a", "--fold"),
}


def glossary_runs(out: Path) -> list[Run]:
    """Short runs below `out` that report every metric there is. Raises SimulatorError."""
    runs = {layer: ("common", "--layer", layer, "--replay", "queue:64") for layer in layer_names()} | SPECIAL_RUNS
    for name, arguments in runs.items():
        run_simulator(["run", *arguments, "--workload", "web-server", "--limit", "200", "--out", out / name], quiet=True)
    return [Run(out / name) for name in runs]


def generic(name: str) -> str:
    """Dies and channels are numbered; one line serves them all."""
    return re.sub(r"\.\d+\.", ".N.", name)


def glossary(runs: Iterable[Run]) -> str:
    """A line a metric; where layers count something of their own under a common name, each meaning once. Raises ValueError where the
    units differ."""
    units, meanings = {}, {}
    for run in runs:
        for full_name, metric in run.summary["metrics"].items():
            name = generic(full_name)
            if units.setdefault(name, metric["unit"]) != metric["unit"]:
                raise ValueError(f"{name}: {run.folder} gives it in {metric['unit']}, a run before in {units[name]}")
            meanings.setdefault(name, {})[metric["description"]] = None  # a dict keeps the order of the runs
    return HEAD + "".join(f"| `{name}` | {units[name]} | {' / '.join(meanings[name])} |\n" for name in sorted(units))
