"""What of a run is shown at a prompt and in a notebook."""

from collections.abc import Callable, Sequence

from tessera.evidence.marks import MEANING, of_run_marks
from tessera.results.human import counted, figure
from tessera.results.run_folder import Run
from tessera.results.shown import Card

LATENCIES = {"mean": "host.latency.mean", "p50": "host.latency.p50", "p99": "host.latency.p99", "p99.9": "host.latency.p999", "max": "host.latency.max"}
WRITTEN = "write_amplification.total"


def of_run(run: Run) -> Card:
    """Warnings, then what it is a run of, its latency and write amplification."""
    facts = run.summary["run"]
    warnings = [f"{mark}: {MEANING[mark]}" for mark in of_run_marks(run)]
    if facts.get("partial"):
        warnings.insert(0, "ended before its input: these are the figures of a part")
    if failed := run.find("host.failed"):
        warnings.append(f"{counted(int(failed), 'request')} failed")
    of = [str(facts[name]) for name in ("drive", "input") if facts.get(name)]
    of[1:1] = [f"layer {facts['layer']}"] if facts.get("layer") else []
    rows = [("requests", figure(run.find("host.served"))), ("latency", latency(lambda name: run.find(name)))]
    rows.append(("writes", f"amplification {figure(run.find(WRITTEN))}"))
    rows += [("notes", f"{len(run.notes)} in .notes")] if run.notes else []
    return Card("Run", ", ".join([*of, *([f"seed {facts['seed']}"] if "seed" in facts else [])]), warnings, [*rows, *([] if run.temporary else [("folder", str(run.folder))])])


def latency(find: Callable[[str], float | None], of: Sequence[str] = tuple(LATENCIES)) -> str:
    return ", ".join(f"{name} {figure(find(LATENCIES[name]), 'ms')}" for name in of)
