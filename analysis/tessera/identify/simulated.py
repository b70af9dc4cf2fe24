"""The same logs of a drive of ours: the jobs' requests through the simulator, its responses in fio's form."""

import tempfile
from pathlib import Path

import numpy as np

from tessera.engine.output_file import write
from tessera.engine.parameters import drive_value
from tessera.engine.simulator import ask_simulator
from tessera.explore.axes import amount
from tessera.identify.against_measurement import model_responses
from tessera.identify.job_files import write_jobs
from tessera.identify.jobs import BY_NAME, Job
from tessera.identify.logs import log_file
from tessera.identify.plan import Plan, plan
from tessera.results.run_folder import Run

HOST_GAP = 8e-6        # seconds from a completion to the next request: what fio's psync takes
HOST_JITTER = 1e-6
TRACE_BLOCK = 512      # bytes; of DiskSim's validation format


def host_gaps(job: Job, count: int) -> np.ndarray:
    """From each completion to the next request, with the job's pause; in seconds."""
    return job.think_us * 1e-6 + np.random.default_rng(count).normal(HOST_GAP, HOST_JITTER, count).clip(1e-6)


def simulate(drive: str, requests: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Latency of each request in seconds, one at a time, each its gap after the completion before."""
    return _run(drive, requests, gaps, "think")[0]


def simulate_queued(drive: str, requests: np.ndarray, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Latency and completion of each request in seconds, so many always under way."""
    return _run(drive, requests, np.zeros(len(requests)), f"closed:{depth}")


def _run(drive: str, requests: np.ndarray, gaps: np.ndarray, replay: str) -> tuple[np.ndarray, np.ndarray]:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "requests.hpval"
        rows = zip(requests["write"], requests["offset"] // TRACE_BLOCK, requests["length"] // TRACE_BLOCK, gaps * 1e6, strict=True)
        trace.write_text("".join(f"{'W' if write else 'R'} S {block} {blocks} 1 {think:.3f}\n" for write, block, blocks, think in rows))
        ask_simulator(["run", drive, "--trace", trace, "--format", "hpval", "--replay", replay, "--caches", "empty", "--requests", "--out", Path(folder) / "run"])
        run = Run(Path(folder) / "run")
        return model_responses(run, len(requests)) * 1e-3, np.sort(np.asarray(run.requests), order="number")["completion"] * 1e-12


def capacity_of(drive: str) -> tuple[int, int]:
    """Bytes that a drive of ours exports, and its sector size."""
    return int(ask_simulator(["check", drive, "--capacity"])), int(amount(drive_value(drive, "media.sector_size"))[0])


def write_logs(drive: str, out: Path, chosen: Plan) -> None:
    """The folder of a measurement of `drive`, logs and all."""
    for name, requests in write_jobs(out, f"/simulated/{Path(drive).stem}", chosen, destructive=True).items():
        job = BY_NAME[name]
        gaps = host_gaps(job, len(requests))
        if job.depth > 1:
            latency, completion = simulate_queued(drive, requests, job.depth)
        else:
            latency = simulate(drive, requests, gaps)
            completion = np.cumsum(latency) + np.concatenate([[0.0], np.cumsum(gaps)[:-1]])
        rows = zip(np.floor(1e3 * completion), np.round(latency * 1e9), requests["write"], requests["length"], requests["offset"], strict=True)
        lines = [f"{int(stamp)}, {int(ns)}, {int(write_)}, {length}, {offset}, 0\n" for stamp, ns, write_, length, offset in rows]
        write(log_file(out, job), "".join(lines[index] for index in np.argsort(completion, kind="stable")))


def plan_of(drive: str, track: int | None, seed: int) -> Plan:
    return plan(*capacity_of(drive), track, seed)
