"""fio's latency logs, held against the requests of the job that they claim to be of."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.errors import InputError, regular
from tessera.identify.job_files import read_requests
from tessera.identify.jobs import Job
from tessera.identify.plan import Plan

STEP = 1e-3 / 12**0.5  # seconds: standard deviation of a clock that shows whole milliseconds
FIELDS = "time in ms, latency in ns, direction, size, offset"


@dataclass(frozen=True)
class Log:
    """A job's requests with what they took. Times in seconds."""

    job: Job
    requests: np.ndarray
    latency: np.ndarray
    completion: np.ndarray  # since about the first request was sent
    gap: float  # from a completion to the next request, the job's pause included; mean
    block: int

    @property
    def first(self) -> np.ndarray:
        """First block of each request."""
        return (self.requests["offset"] // self.block).astype(np.int64)


def log_file(folder: Path, job: Job) -> Path:
    return folder / job.folder / f"{job.name}_lat.log"


def read_log(folder: Path, job: Job, plan: Plan) -> Log | None:
    """None where the job was not run. Raises InputError with file and line where its log is of another job, cut, or too coarse."""
    file = log_file(folder, job)
    if not file.exists():
        return None
    requests = read_requests(folder, job)
    rows = []
    lines = regular(file).read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        fields = line.split(",")
        try:
            if len(fields) < 5:
                raise ValueError
            rows.append([int(field) for field in fields[:5]])
        except ValueError:
            raise InputError(f"{file}:{number}: expected {FIELDS} (fio's log_offset=1), found '{line.strip()[:60]}'") from None
        if number > len(requests):
            raise InputError(f"{file}:{number}: expected {len(requests):,} lines, one for each request of {job.name}.iolog; it is the log of another job, or of two runs")
        _, latency, direction, size, offset = rows[-1]
        wanted = requests[number - 1]
        if job.depth == 1 and (direction, size, offset) != (int(wanted["write"]), int(wanted["length"]), int(wanted["offset"])):
            raise InputError(
                f"{file}:{number}: expected {_said(int(wanted['write']), int(wanted['length']), int(wanted['offset']))} as in {job.name}.iolog, "
                f"found {_said(direction, size, offset)}; it is the log of another job"
            )
        if latency <= 0:
            raise InputError(f"{file}:{number}: a latency of {latency} ns; expected more than 0")
    if len(rows) < len(requests) - (job.depth - 1):  # fio ends with the last request's start, and leaves the others under way out
        raise InputError(f"{file}:{len(rows)}: the last line; expected {len(requests):,}, one for each request: the job was stopped, or the log cut. Run it again")
    table = np.array(rows, np.int64)
    _check_resolution(file, table, job)
    if job.depth > 1:
        sent, line = _matched(file, table, requests, job)
        requests, table = requests[sent], table[line]
        return Log(job, requests, table[:, 1] * 1e-9, table[:, 0] * 1e-3, 0.0, plan.block)
    latency = table[:, 1] * 1e-9
    completion, gap = clock(table[:, 0] * 1e-3, latency)
    return Log(job, requests, latency, completion, max(gap, job.think_us * 1e-6), plan.block)


def _matched(file: Path, table: np.ndarray, requests: np.ndarray, job: Job) -> tuple[np.ndarray, np.ndarray]:
    """Requests that have a line, and the line of each: with several under way, fio writes them as they end."""
    left: dict[tuple[int, int, int], list[int]] = {}
    for number in range(len(requests) - 1, -1, -1):
        one = requests[number]
        left.setdefault((int(one["write"]), int(one["length"]), int(one["offset"])), []).append(number)
    sent = []
    for number, (direction, size, offset) in enumerate(table[:, 2:].tolist(), 1):
        if not (waiting := left.get((direction, size, offset))):
            raise InputError(f"{file}:{number}: found {_said(direction, size, offset)}, which {job.name}.iolog does not have, or not so often; it is the log of another job")
        sent.append(waiting.pop())
    order = np.argsort(sent, kind="stable")
    return np.array(sent)[order], order


def _said(direction: int, size: int, offset: int) -> str:
    return f"{ {0: 'a read', 1: 'a write'}.get(direction, f'direction {direction}') } of {size} B at {offset}"


def _check_resolution(file: Path, table: np.ndarray, job: Job) -> None:
    latency = table[:, 1]
    for unit, name in ((1_000_000, "milliseconds"), (1000, "microseconds")):
        if (latency % unit == 0).all():
            raise InputError(f"{file}:1: latencies are whole {name}; expected nanoseconds, as fio 3 writes them")
    passed = (table[-1, 0] - table[0, 0]) * 1e6 - len(table) * job.think_us * 1e3
    if passed > 1e9 and latency.sum() < 0.01 * passed:
        raise InputError(f"{file}:1: latencies add up to {latency.sum() / 1e9:.3g} s if they are nanoseconds, and {passed / 1e9:.3g} s passed: they are of another unit; expected fio 3")


def clock(stamp: np.ndarray, latency: np.ndarray) -> tuple[np.ndarray, float]:
    """When each request ended, and the mean time from there to the next one. Latencies tell it but for the pauses, whose deviations add up. The
    log's own clock is coarse and does not drift: averaged over so many requests that its steps and the pauses' deviations weigh alike, it
    corrects the sum."""
    count = np.arange(len(stamp))
    paused = stamp - np.cumsum(latency)
    gap, origin = np.polyfit(count, paused, 1)
    left = paused - origin - gap * count
    apart = min(256, len(left) // 2)
    walked = max(0.0, float((left[apart:] - left[:-apart]).var()) - 2 * STEP**2) / apart
    width = int(np.clip(STEP * 3**0.5 / max(walked**0.5, 1e-9), 16, 512))
    window = np.ones(min(2 * (width // 2) + 1, 2 * (len(left) // 2) - 1))
    drift = np.convolve(left, window, "same") / np.convolve(np.ones(len(left)), window, "same")
    return np.cumsum(latency) + gap * count + drift, float(gap)
