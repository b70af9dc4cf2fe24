"""Whether two runs gave the same figures."""

from tessera.errors import fitting
from tessera.results.run_folder import Run

# Figures of the machine that ran the simulation, not of the drive.
MACHINE_METRICS = {"run.cpu_seconds", "run.requests_per_cpu_second", "run.peak_memory_bytes"}


def differences(first: Run, second: Run, figures_only: bool = False) -> list[str]:
    """What differs between the summaries of two runs, one line each. `figures_only` leaves out the description of the run, and
    metrics that one of them alone has, as for runs with other outputs switched on."""
    with fitting(f"{first.folder} and {second.folder}"):
        return _differences(first, second, figures_only)


def _differences(first: Run, second: Run, figures_only: bool) -> list[str]:
    found = []
    if not figures_only and first.summary["run"] != second.summary["run"]:
        keys = first.summary["run"].keys() | second.summary["run"].keys()
        found += [f"run.{key}" for key in sorted(keys) if first.summary["run"].get(key) != second.summary["run"].get(key)]
    ours, theirs = first.summary["metrics"], second.summary["metrics"]
    for name in sorted(ours.keys() | theirs.keys()):
        if name in MACHINE_METRICS or (name.startswith("scoreboard.") and figures_only):
            continue
        if name not in ours or name not in theirs:
            if not figures_only:
                found.append(f"{name}: only in one of the two")
        elif ours[name] != theirs[name]:
            found.append(f"{name}: {ours[name]['value']} and {theirs[name]['value']}")
    return found
