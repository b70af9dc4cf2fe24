"""What bound a run: which resource was busy, and where the time of reads and writes went."""

import re
from collections.abc import Callable, Mapping, Sequence

from tessera.results.human import figure
from tessera.results.run_folder import Run

# Of what there is one; dies and channels of the flash are counted, and the busiest one counts.
RESOURCES = (
    ("media", r"disk_channel\.utilisation"),
    ("CPU", r"cpu\.utilisation"),
    ("flash die", r"nand\.die\.\d+\.utilisation"),
    ("flash channel", r"nand\.channel\.\d+\.utilisation"),
    ("bus", r"bus\.utilisation"),
    ("DRAM", r"dram\.utilisation"),
    ("link", r"link\.utilisation"),
)


def utilisations(run: Run) -> dict[str, float]:
    """Resource -> share of the measured time in which it was busy."""
    metrics = run.summary["metrics"]
    found = {}
    for name, pattern in RESOURCES:
        values = [entry["value"] for metric, entry in metrics.items() if re.fullmatch(pattern, metric) and entry["value"] is not None]
        if values:
            found[name] = max(values)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


# The phases of a request's life in the groups that the simulator's summary shows.
GROUPS = {
    "host queue": ("host_queue",), "link": ("link",), "CPU": ("cpu_wait", "cpu", "dram"), "lock": ("lock",), "backup slot": ("backup",),
    "media queue": ("media_queue",), "background work": ("background_wait",), "media": ("seek", "rotation", "transfer"),
    "flash queue": ("flash_queue",), "flash": ("flash",), "wait for space": ("cleaning",), "error recovery": ("error_recovery",), "outage": ("outage",),
}  # fmt: skip


# Causes in the words of the simulator's summary.
CAUSES = {
    "host": "own work", "requests": "other requests", "cleaning": "cleaning", "rmw": "read-modify-write", "checkpoint": "checkpoint",
    "move": "moves of tracks", "destage": "destage", "read_ahead": "read-ahead", "recovery": "recovery", "background": "background work",
    "tags": "waits for tags", "flash": "waits at the flash",
}  # fmt: skip


# Of these, what hosts' requests do to one another: alone they are no news.
OF_HOSTS = {CAUSES[cause] for cause in ("host", "requests", "tags", "flash")}


def cause_parts(run: Run, ops: str, slowest: bool = False) -> dict[str, float]:
    """Whose work -> ms of the mean read or write, or of the slowest 1 % of them; the longest first."""
    prefix = f"host.{ops}.{'slowest_cause' if slowest else 'cause'}."
    times = {words: run.find(prefix + cause) or 0.0 for cause, words in CAUSES.items()}
    return dict(sorted(((words, ms) for words, ms in times.items() if ms > 0), key=lambda item: -item[1]))


def time_parts(run: Run, ops: str, slowest: bool = False) -> dict[str, float]:
    """Group of phases -> ms of the mean read or write (`ops`: "read", "write"), or of the slowest 1 % of them; the longest first."""
    prefix = f"host.{ops}.{'slowest' if slowest else 'time'}."
    times = {group: sum(run.find(prefix + phase) or 0.0 for phase in phases) for group, phases in GROUPS.items()}
    return dict(sorted(((group, ms) for group, ms in times.items() if ms > 0), key=lambda item: -item[1]))


MOST_PARTS, WORTH_A_WORD = 3, 0.01  # of a sentence; share of the whole


def shares_text(parts: Mapping[str, float]) -> str:
    """
    >>> shares_text({"media": 9.0, "link": 0.99, "CPU": 0.01})
    'media 90 %, link 10 %'
    """
    whole = sum(parts.values())
    return ", ".join(f"{part} {100 * ms / whole:.0f} %" for part, ms in list(parts.items())[:MOST_PARTS] if ms >= WORTH_A_WORD * whole)


def time_lines(layers: Mapping[str, Sequence[Run]]) -> list[str]:
    """Where the time of the reads and writes of each layer goes, and whose work that is where it is not the hosts' own: a line each, as means
    over the seeds."""
    width = max(map(len, layers), default=0)
    found = {"Where the time goes:": [], "Whose work it is:": []}
    for layer, runs in layers.items():
        for ops in ("read", "write"):
            head = f"{layer:{width}}  {ops + 's':6}  "
            mean, slowest = (_over_seeds(runs, time_parts, ops, each) for each in (False, True))
            if mean:
                times = [f"{figure(sum(parts.values()), 'ms')}: {shares_text(parts)}" for parts in (mean, slowest)]
                found["Where the time goes:"].append(f"{head}mean {times[0]}; slowest 1 % {times[1]}")
            mean, slowest = (_over_seeds(runs, cause_parts, ops, each) for each in (False, True))
            if _others(mean) or _others(slowest):
                found["Whose work it is:"].append(f"{head}mean: {shares_text(mean)}; slowest 1 %: {shares_text(slowest)}")
    return [line for heading, lines in found.items() if lines for line in ("", heading, *lines)]


def _over_seeds(runs: Sequence[Run], parts_of: Callable[[Run, str, bool], dict[str, float]], ops: str, slowest: bool) -> dict[str, float]:
    """A part that a run does not report took no time in it."""
    found: dict[str, float] = {}
    for run in runs:
        for part, ms in parts_of(run, ops, slowest).items():
            found[part] = found.get(part, 0.0) + ms / len(runs)
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _others(parts: Mapping[str, float]) -> bool:
    """Whether work other than the hosts' is worth a word."""
    return sum(ms for part, ms in parts.items() if part not in OF_HOSTS) >= WORTH_A_WORD * sum(parts.values()) > 0
