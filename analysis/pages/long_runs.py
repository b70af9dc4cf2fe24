"""Whether the simulator's memory grows with the length of a run: its peak after 1, 2.5, 5 and 10 million requests on one layer of each kind,
on a working set that does not grow, every read checked."""

import tempfile
from pathlib import Path

from rich.console import Console

from tessera.engine.simulator import run_simulator
from tessera.results.run_folder import Run

LAYERS = ("cmr", "imr-rmw", "fluid", "mu-rmw", "hwsr", "shingled-in-place-r4123")
# Firmware's own sectors are kept as bytes: until its log has wrapped, memory grows by what was never written of it. The usual log, of four
# tracks a surface, takes tens of millions of requests to wrap; this is the shortest.
SHORT_LOGS = {"fluid": ("--set", "layers.fluid.log_radii=1"), "mu-rmw": ("--set", "layers.mu_rmw.log_radii=1")}
SHORT_LOG = 512 * 4096  # B, of `demo`
SHARES = (0.1, 0.25, 0.5, 1.0)  # of the requests
MOST_GROWTH = 0.05  # from the second length to the last: by then every sector of the working set has been written

# Written until all of it has been: 16,384 sectors, some ten times as many as 10 % of ten million requests need to reach each of them.
WORKLOAD = """summary = "uniform 4 KiB over 64 MiB, half reads"
law = "uniform"
requests = 1
write_share = 0.5
alignment = "4 KiB"
range = "64 MiB"
"""


def peak_memory(layer: str, requests: int, folder: Path) -> float:
    """Bytes, of a run in which every read is checked. Raises SimulatorError where one is wrong."""
    workload = folder / "workload.toml"
    workload.write_text(WORKLOAD)
    out = folder / "run"
    run_simulator(["run", "demo", "--layer", layer, "--caches", "empty", *SHORT_LOGS.get(layer, ()), "--workload", workload, "--replay", "closed:8", "--check",
                   "--limit", requests, "--out", out], quiet=True)
    result = Run(out)
    if result.metric("host.served") != requests:
        raise ValueError(f"{layer}: {requests} requests were asked for, {result.metric('host.served'):.0f} were served")
    return result.metric("run.peak_memory_bytes")


def long_runs(requests: int, layers: tuple[str, ...], console: Console) -> bool:
    """Prints a line a layer; whether none of them grew."""
    lengths = [round(requests * share) for share in SHARES]
    console.print("layer         " + "".join(f"{length:>14,}" for length in lengths) + "    MiB at its peak, by number of requests")
    flat = True
    for layer in layers:
        peaks = []
        with tempfile.TemporaryDirectory() as folder:
            for length in lengths:
                peaks.append(peak_memory(layer, length, Path(folder)))
        grew = peaks[-1] > (1 + MOST_GROWTH) * peaks[1] + (SHORT_LOG if layer in SHORT_LOGS else 0)
        flat = flat and not grew
        console.print(f"{layer:<14}" + "".join(f"{peak / (1 << 20):>14,.1f}" for peak in peaks) + ("    grows" if grew else ""))
    return flat
