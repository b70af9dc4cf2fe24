"""Runs of arrays for the tables of a study, as many at a time as there are processors."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from tessera.engine.simulator import run_simulator
from tessera.progress import watched
from tessera.results.run_folder import Run

Words = Sequence[str | Path]
"""An array's file and the options of a run of it, without --out."""


class ArrayRun(Run):
    """The folder of a run of an array: the host's figures are its own, each drive's those of `drives`."""

    @cached_property
    def drives(self) -> list[Run]:
        """In the order of their numbers; spares come last."""
        return [Run(folder) for folder in sorted(self.folder.glob("drive-*"), key=lambda folder: int(folder.name.split("-")[1]))]


def array_runs(runs: Mapping[str, Words], out: Path) -> dict[str, ArrayRun]:
    """Each run by its name, in this order; its folder is `out`/NAME. Raises SimulatorError where a run fails, since a table without one of its
    rows looks whole."""

    def run(name: str) -> ArrayRun:
        folder = out / name
        run_simulator(["array", *runs[name], "--out", folder], quiet=True)
        return ArrayRun(folder)

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return dict(zip(runs, list(watched(pool.map(run, runs), "arrays", len(runs)))))
