"""One run, as the page shows it: its figures with their marks, and the curve of its tail."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tessera.engine.simulation import Simulation
from tessera.engine.simulator import simulator_digest
from tessera.engine.temporary import temporary_folder
from tessera.evidence.marks import marks_of, ranks_not
from tessera.evidence.steadiness import ABOVE_A_PERCENTILE, Steadiness
from tessera.explore.effort import steadiness
from tessera.explore.worker import Task, work
from tessera.figures.pictures import slower
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run
from tessera.results.steadiness import Until

# Metric -> the share of requests that are slower. The p99.9 of a short run is that of one or two requests.
PERCENTILES = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p999": 0.001}
DIGITS = 5  # of a coordinate of the curve: more are less than a dot

Result = dict[str, Any]


def measure(key: str, simulation: Simulation, until: Until) -> Result:
    """A run's result as JSON holds it. One that was refused or failed has a `message` and no figures. Raises Stopped where the run was ended."""
    folder = temporary_folder()
    try:
        row = work(Task(key, simulation.but(requests=True).record(), {}, simulator_digest(), keep=str(folder)))
        if row["exit_status"] != 0:
            return {"key": key, "last": True, "message": row["message"]}
        return _shown(key, row, Run(folder), simulation.limit or 0, until)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _shown(key: str, row: Mapping[str, Any], run: Run, limit: int, until: Until) -> Result:
    found = steadiness(run, until.metric)
    met = found.estimate is not None and found.estimate.relative <= until.relative and found.steady and found.independent
    marks = marks_of(row)
    settled = met and not ranks_not(marks)  # a drive that has not begun to clean is steady, and says nothing of what comes
    latencies, shares = slower(latency_ms(run.requests))
    count = len(run.requests)
    percentiles = {name: {"ms": row[f"host.latency.{name}"], "few": count * share < ABOVE_A_PERCENTILE} for name, share in PERCENTILES.items()}
    return {
        "key": key,
        "requests": count,
        "limit": limit,
        "message": "",
        "last": settled or count < limit,
        "settled": settled,
        "interval": _interval(found, met),
        "percentiles": percentiles,
        "throughput": row["host.throughput"],
        "write_amplification": row.get("write_amplification.total"),
        "failed": row.get("host.failed") or 0,
        "marks": marks,
        "notes": list(run.summary["run"]["notes"]),
        "curve": [[float(f"{latency:.{DIGITS}g}"), float(f"{share:.{DIGITS}g}")] for latency, share in zip(latencies, shares)],
    }  # fmt: skip


def _interval(found: Steadiness, met: bool) -> dict[str, float | bool] | None:
    """How well the figure is known of which the question is: its value in ms and half its 95 % interval over it. None where the run is too short."""
    return None if found.estimate is None else {"ms": found.estimate.value, "relative": found.estimate.relative, "met": met}
