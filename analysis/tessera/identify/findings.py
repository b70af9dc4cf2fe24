"""All that the logs tell of a drive."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.errors import InputError
from tessera.identify.boundaries import move_boundaries
from tessera.identify.job_files import read_plan
from tessera.identify.jobs import window_bases
from tessera.identify.logs import STEP, Log, log_file, read_log
from tessera.identify.plan import Plan
from tessera.identify.read_cache import HIT, ReadCache, read_cache
from tessera.identify.rotation import Rotation, rotation
from tessera.identify.seeks import SAME_TRACK, Seeks, seeks
from tessera.identify.tracks import windows
from tessera.identify.write_cache import WriteCache, write_cache
from tessera.identify.zones import Geometry, geometry


@dataclass(frozen=True)
class Choice:
    """A parameter's value that answers best of all that were tried, and those that answer as well."""

    section: str
    key: str
    value: str
    alike: tuple[str, ...]


@dataclass(frozen=True)
class Findings:
    plan: Plan
    logs: Mapping[str, Log]
    rotation: Rotation
    geometry: Geometry
    windows_seen: int
    seeks: Seeks
    reads: ReadCache
    writes: WriteCache | None
    queue: tuple[Choice, ...]  # empty where no job had several requests under way, or none was tried
    step: int | None  # blocks of a read-ahead's step, where runs of the description have told
    rates: np.ndarray | None  # bytes a second, sequential, at each window


def find(folder: Path) -> Findings:
    """Raises InputError where a log is missing, of another job, cut or too coarse, or shows nothing."""
    plan, jobs = read_plan(folder)
    logs = {job.name: log for job in jobs if (log := read_log(folder, job, plan)) is not None}
    for needed in ("angles", "seeks"):
        if needed not in logs:
            job = next(job for job in jobs if job.name == needed)
            raise InputError(f"there is no {log_file(folder, job)}: run '(cd {folder / job.folder} && fio --readonly {needed}.fio)'; nothing is identified without it")
    angles = logs["angles"]
    turn = rotation(angles.first, angles.completion, STEP)
    phase, length = turn.phase(angles.completion), plan.window_tracks * plan.track_blocks
    shown = windows(window_bases(plan), length, angles.first, phase, plan.track_blocks)
    found = geometry(shown, plan.blocks, length, angles.first, phase)
    upto = {name: half(logs[name]) if name == "mixed" else None for name in ("angles", "seeks", "mixed") if name in logs}
    move_boundaries(found, [(logs[name].first[:count], logs[name].completion[:count]) for name, count in upto.items()], turn)
    reads = read_cache(logs, plan, turn.period)
    curve = seeks(*_positioned(logs, found, reads, turn.period), turn.period, sum(found.cylinders()), reads.hit)
    return Findings(plan, logs, turn, found, sum(one is not None for one in shown), curve, reads, write_cache(logs), (), None, _rates(logs.get("sequential"), plan))


def half(log: Log) -> int:
    """Requests of the mixed job that may be fitted to; the others are for the score."""
    return len(log.latency) // 2


def _positioned(logs: Mapping[str, Log], found: Geometry, reads: ReadCache, period: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cylinders from the request before, SAME_TRACK on its own track, whether the surface is another, and latency less the transfer, of every read
    that went to the platters. Where a cache reads ahead only those that come after its pause: others wait for it."""
    distances, others, latencies = [], [], []
    begins = reads.ahead is not None and reads.first is not None and reads.first >= HIT
    ahead = [round(reads.ahead[0] + off) for off in (-reads.ahead[1], 0, reads.ahead[1] + 1)] if begins else [0, 0, 0]
    for name in ("seeks",) if reads.ahead is not None else ("seeks", "angles", "mixed"):
        if name in logs:
            log = logs[name]
            upto = half(log) if name == "mixed" else len(log.latency)
            block, latency = log.first[:upto], log.latency[:upto]
            nearest, stays, farthest = (np.minimum(block + part, found.blocks - 1)[:-1] for part in ahead)  # where the arm is after the pause
            distance = np.abs(found.cylinder(block[1:]) - found.cylinder(stays))
            distance[found.track(block[1:]) == found.track(stays)] = SAME_TRACK
            platter = ~reads.served(latency)[1:] & (found.track(nearest) == found.track(farthest))
            if reads.hit is not None:  # what is read ahead may have come that far
                platter &= (distance > 0) | (np.diff(block) < 0)
            distances.append(distance[platter])
            others.append((found.surface(block[1:]) != found.surface(stays))[platter])
            latencies.append((latency - period / found.sectors(block))[1:][platter])
    return np.concatenate(distances), np.concatenate(others), np.concatenate(latencies)


def _rates(log: Log | None, plan: Plan) -> np.ndarray | None:
    """Of each window, the first quarter of its reads left out: what a read-ahead gains comes later."""
    if log is None:
        return None
    took = (log.latency + log.gap).reshape(plan.windows, -1)
    length = int(log.requests["length"][0])
    chosen = took[:, took.shape[1] // 4 :]
    return length * chosen.shape[1] / chosen.sum(axis=1)
