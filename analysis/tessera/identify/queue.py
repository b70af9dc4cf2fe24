"""The command queue: what no latency of a single read shows is tried, on the drive that the other jobs gave.

Parameters in turn take each of their values, and the one is kept that answers the first half of the jobs with several requests under way best: by
their rate, and by their sorted latencies, which a queue's order and its longest wait shape. What ends a read-ahead decides which order looks best, so
each of its values is a beginning of its own. The second half holds the rates against the drive's.
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tessera.identify.description import description
from tessera.identify.findings import Choice, Findings
from tessera.identify.intervals import UNLIMITED, Interval
from tessera.identify.logs import Log
from tessera.identify.simulated import simulate_queued

TAIL = (10, 25, 50, 75, 90, 95, 99, 100)  # percentiles of latency
ROUNDS = 3
PARTS = 4        # of a job's first half: what differs from part to part is chance, as of any order of a queue
ERRORS = 2       # standard errors of a difference between two candidates: no farther apart they are alike
NEAR = 0.05      # rates at depth: the found drive is the drive
TRIED = (
    ("controller", "scheduling", ('"first_come"', '"c_look"', '"shortest_seek"', '"shortest_positioning"')),
    ("host", "tags", ("1", "2", "4", "8", "16", "32", "64")),
    ("controller", "age_limit", ('"100 ms"', '"200 ms"', '"500 ms"', '"1 s"', '"2 s"', '"5 s"')),
    ("controller", "age_pause", ('"0 s"', '"100 ms"', '"200 ms"', '"400 ms"', '"800 ms"')),
    ("firmware.read_cache", "read_ahead_until", ('"next_command"', '"limit"')),
)
START = {"scheduling": '"shortest_positioning"', "tags": "32", "age_limit": '"500 ms"', "age_pause": '"0 s"', "read_ahead_until": '"next_command"'}


@dataclass(frozen=True)
class Depth:
    """Requests per second of the held-out half."""

    job: str
    true: float
    found: float

    @property
    def off(self) -> float:
        return self.found / self.true - 1

    def text(self) -> str:
        return f"{self.job} {self.found:.1f} for {self.true:.1f}/s ({100 * self.off:+.1f} %)"


def queued_logs(logs: Mapping[str, Log]) -> list[Log]:
    return [log for log in logs.values() if log.job.depth > 1]


def with_queue(found: Findings) -> Findings:
    """The same with the queue's parameters that answer best; as it is where no job had a queue."""
    logs = queued_logs(found.logs)
    if not logs:
        return found
    values = START | {choice.key: choice.value for choice in found.queue}
    mixed = values["read_ahead_until"]
    known: dict[tuple[str, ...], np.ndarray] = {}
    tried = [one for one in TRIED if one[1] != "read_ahead_until" or found.reads.ahead is not None]

    def off(chosen: Mapping[str, str]) -> np.ndarray:
        key = tuple(chosen[name] for _, name, _ in tried)
        if key not in known:
            queue = tuple(Choice(section, name, chosen[name], ()) for section, name, _ in tried)
            known[key] = np.concatenate([_off(replace(found, queue=queue), log) for log in logs])
        return known[key]

    def settled(first: Mapping[str, str]) -> dict[str, str]:
        """From these values on, parameter by parameter, until none gets better."""
        now = dict(first)
        for _ in range(ROUNDS):
            before = dict(now)
            for _, name, choices in tried:
                means = {value: (float(off(now | {name: value}).mean()), value != now[name]) for value in choices}
                now[name] = min(choices, key=means.__getitem__)
            if now == before:
                break
        return now

    ends = next((choices for _, name, choices in tried if name == "read_ahead_until"), (START["read_ahead_until"],))
    values = min((settled(START | {"read_ahead_until": end}) for end in ends), key=lambda one: float(off(one).mean()))
    values["age_limit"] = max(_equal(off, values, "age_limit"), key=_amount)  # no read has waited for as long
    best = off(values)

    def alike(name: str, value: str) -> bool:
        more = off(values | {name: value}) - best
        return float(more.mean()) <= ERRORS * float(more.std(ddof=1)) / len(more) ** 0.5

    as_good = {name: tuple(value for value in choices if alike(name, value)) for _, name, choices in tried}
    if mixed in as_good.get("read_ahead_until", ()):  # the mixed job has seen it, too
        values["read_ahead_until"] = mixed
    return replace(found, queue=tuple(Choice(section, name, values[name], as_good[name]) for section, name, _ in tried))


def _off(found: Findings, log: Log) -> np.ndarray:
    """Of each part of the first half: how far rate and sorted latencies are off, as parts of themselves."""
    count = len(log.requests) // 2
    latency, completion = _answers(found, log, count)
    off = []
    for part in np.array_split(np.arange(count), PARTS):
        rates = np.log(_rate(completion[part], 0) / _rate(log.completion[part], 0))
        tails = np.log(np.percentile(latency[part], TAIL) / np.percentile(log.latency[part], TAIL))
        off.append(float(abs(rates) + np.abs(tails).mean()))
    return np.array(off)


def _equal(off: Callable[[Mapping[str, str]], np.ndarray], values: Mapping[str, str], name: str) -> list[str]:
    """What that parameter may be without any answer being another one."""
    choices = next(choices for _, other, choices in TRIED if other == name)
    best = off(values)
    return [value for value in choices if value == values[name] or np.array_equal(off({**values, name: value}), best)]


def interval_of(choice: Choice) -> Interval:
    """Of a number or a time in ms, between the nearest values that answer worse."""
    tried = [_amount(value) for value in next(values for _, name, values in TRIED if name == choice.key)]
    alike = [_amount(value) for value in (*choice.alike, choice.value)]
    below, above = [value for value in tried if value < min(alike)], [value for value in tried if value > max(alike)]
    return Interval(max(below, default=0.0), min(above, default=UNLIMITED))


def _amount(value: str) -> float:
    number, _, unit = value.strip('"').partition(" ")
    return float(number) * (1e3 if unit == "s" else 1)


def depths(found: Findings) -> list[Depth]:
    """Of the second half, after the first one."""
    held = []
    for log in queued_logs(found.logs):
        begin = len(log.requests) // 2
        _, completion = _answers(found, log, len(log.requests))
        held.append(Depth(log.job.name, _rate(log.completion, begin), _rate(completion, begin)))
    return held


def depths_said(held: list[Depth]) -> str:
    return "Held at depth, second halves: " + ", ".join(one.text() for one in held)


def depth_failure(held: list[Depth]) -> str | None:
    """One sentence where a rate is not the drive's."""
    far = [one for one in held if abs(one.off) > NEAR]
    if not far:
        return None
    tried = ", ".join(name for _, name, _ in TRIED)
    return f"NOT the drive at depth: {'; '.join(one.text() for one in far)}, and a description that holds is within {100 * NEAR:.0f} %; of {tried} no value tried does better"


def _answers(found: Findings, log: Log, count: int) -> tuple[np.ndarray, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        drive = Path(folder) / "drive.toml"
        drive.write_text(description(found, "trial"), encoding="utf-8")
        return simulate_queued(str(drive), log.requests[:count], log.job.depth)


def _rate(completion: np.ndarray, begin: int) -> float:
    """Requests per second from the one that ended as number `begin` on."""
    ended = np.sort(completion)
    return (len(ended) - 1 - begin) / float(ended[-1] - ended[begin])
