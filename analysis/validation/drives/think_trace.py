"""Requests one after another with pauses between them, given to a drive as a trace."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tessera.engine.simulator import run_simulator
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run
from validation.drives.shingled_runs import Lab

SECTOR = 512  # bytes of a block in the trace


class Request(NamedTuple):
    write: bool
    byte: int
    size: int
    pause_s: float = 0.0  # from its completion to the next request


def think_responses(lab: Lab, name: str, drive: str, requests: Iterable[Request], *options: object) -> np.ndarray:
    """ms of each request, in order; caches on the platters are empty at first."""
    folder = lab.out / name
    folder.mkdir(parents=True, exist_ok=True)
    trace = folder / "requests.trace"
    with trace.open("w") as lines:
        for write, byte, size, pause_s in requests:
            lines.write(f"{'W' if write else 'R'} 0 {byte // SECTOR} {size // SECTOR} 0 {1e6 * pause_s:.0f}\n")
    command = ["run", drive, "--trace", trace, "--format", "hpval", "--replay", "think", "--caches", "empty", "--requests", *options]
    run_simulator([*command, "--out", folder / "run"], quiet=True)
    return latency_ms(np.sort(np.asarray(Run(folder / "run").requests), order="number"))
