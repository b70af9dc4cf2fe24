"""The runs behind the checks of shingled drives, each made once, and what is read off them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tessera.engine.simulator import run_simulator
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run

MIB, GIB = 1 << 20, 1 << 30
STALL_MS = 100.0  # between the longest write that is none and the shortest checkpoint
CLIFF_RATE = 1000.0  # writes a second
INTERVAL = 2000  # writes: the rate is that of so many, as a checkpoint stops fewer for most of a second
STOPPED = 50.0  # MiB/s, far from the rates before and behind the cliff

WORKLOAD = """summary = "{summary}"
law = "{law}"
requests = {requests}
write_share = 1.0
first = "{first} B"
range = "{range} B"
alignment = "{size} B"
write_sizes = [[{size}, 1]]
{more}[arrivals]
law = "none"
"""


@dataclass(frozen=True)
class Load:
    """Writes of one size from a closed loop."""

    law: str
    requests: int
    size: int
    depth: int = 1
    first: int = 0
    range: int = 0
    exponent: float | None = None  # of Zipf's law

    def text(self) -> str:
        return WORKLOAD.format(
            summary=f"{self.size} B writes, {self.law}", law=self.law, requests=self.requests, first=self.first, range=self.range, size=self.size,
            more="" if self.exponent is None else f"[zipf]\nexponent = {self.exponent}\n",
        )  # fmt: skip


class Lab:
    """Runs drives into folders below `out`."""

    def __init__(self, out: Path):
        self.out = out

    def run(self, name: str, drive: str, load: Load, *options: str, full: bool = False) -> Run:
        folder = self.out / name
        folder.mkdir(parents=True, exist_ok=True)
        workload = folder / "workload.toml"
        workload.write_text(load.text())
        command = ["run", drive, "--workload", workload, "--replay", f"closed:{load.depth}", "--prefill", 100 if full else 0, "--caches", "empty", *options]
        run_simulator([*command, "--out", folder / "run"], quiet=True)
        return Run(folder / "run")


def intervals(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Requests and seconds of each whole interval."""
    rows = [(float(row["requests"]), float(row["end_s"]) - float(row["start_s"])) for row in run.intervals if float(row["requests"])]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


@cache
def sequential_rate(lab: Lab, drive: str, gigabytes: int) -> float:
    """MB/s of 1 MiB writes from there on, once the write cache is full."""
    load = Load("sequential", 6000, MIB, first=gigabytes * 10**9 // MIB * MIB)
    requests, seconds = intervals(lab.run(f"sequential-{gigabytes}-{drive}", drive, load, "--intervals", "1 s"))
    middle = slice(len(requests) // 4, -2)
    return float(requests[middle].sum() * MIB / seconds[middle].sum() / 1e6)


@dataclass(frozen=True)
class Cliff:
    ms_before: float
    writes: int | None
    rate_behind: float


def small_writes(requests: int) -> Load:
    return Load("uniform", requests, 4096, range=8 * GIB)


def ms_a_write(requests: np.ndarray, seconds: np.ndarray, until: int) -> float:
    before = np.cumsum(requests) <= until
    return float(1000 * seconds[before].sum() / requests[before].sum())


@cache
def cliff(lab: Lab, drive: str) -> Cliff:
    requests, seconds = intervals(lab.run("cliff", drive, small_writes(500_000), "--intervals", f"{INTERVAL} requests", full=True))
    return cliff_of(requests, seconds)


def cliff_of(requests: np.ndarray, seconds: np.ndarray) -> Cliff:
    ends = np.cumsum(requests)
    slow = np.flatnonzero(requests / seconds < CLIFF_RATE)
    writes = int(ends[slow[0]] - requests[slow[0]]) if len(slow) else None
    behind = (ends > 250_000) & (ends <= 500_000)
    return Cliff(ms_a_write(requests, seconds, writes or int(ends[-1])), writes, float(requests[behind].sum() / seconds[behind].sum()))


def cheap_checkpoints(lab: Lab, drive: str) -> float:
    """ms a write with checkpoints that take whole tracks."""
    options = ("--set", "layers.media_cache.checkpoint_piece=0 B", "--intervals", f"{INTERVAL} requests")
    return ms_a_write(*intervals(lab.run("cheap-checkpoints", drive, small_writes(150_000), *options, full=True)), until=150_000)


@dataclass(frozen=True)
class Stalls:
    period: float
    seconds: float
    ms_between: float


UNCACHED = ("--set", "firmware.write_cache.capacity=0 B", "--requests")


@cache
def stalls(lab: Lab, drive: str) -> Stalls:
    """Of writes that go to the log one by one."""
    return stalls_of(responses(lab.run(f"uncached-{drive}", drive, small_writes(2500), *UNCACHED, full=True)))


def responses(run: Run) -> np.ndarray:
    return latency_ms(np.sort(np.asarray(run.requests), order="number"))


def stalls_of(times: np.ndarray) -> Stalls:
    stalled = np.flatnonzero(times > STALL_MS)
    between = float(np.median(times[times <= STALL_MS]))
    return Stalls(float(np.diff(stalled).mean()), float((times[stalled].mean() - between) / 1000), between)


def verified(lab: Lab, drive: str) -> float:
    options = (*UNCACHED, "--set", "layers.media_cache.verify_packets=true")
    return stalls_of(responses(lab.run("verified", drive, small_writes(750), *options, full=True))).ms_between


PRICED_CODE = ("--set", "controller.costs.source=measured")


def checkpoint_with_code(lab: Lab, drive: str) -> float:
    """s that one takes."""
    return stalls_of(responses(lab.run("priced-code-checkpoint", drive, small_writes(750), *UNCACHED, *PRICED_CODE, full=True))).seconds


@dataclass(frozen=True)
class Absorbed:
    gib: float | None
    before: float
    behind: float
    seconds: float


@cache
def absorbed(lab: Lab, drive: str, full: bool = False) -> Absorbed:
    """35 GiB of large random writes; of a full drive as many as show what is behind the cliff."""
    load = Load("uniform", 31 * 1024 if full else 35 * 1024, MIB, depth=64)
    return absorbed_of(*intervals(lab.run(f"large-{drive}{'-full' if full else ''}", drive, load, "--intervals", "128 requests", full=full)))


def absorbed_with_code(lab: Lab, drive: str) -> float:
    """MiB/s of large random writes before the cliff."""
    load = Load("uniform", 24 * 1024, MIB, depth=64)
    requests, seconds = intervals(lab.run("priced-code-large", drive, load, "--intervals", "128 requests", *PRICED_CODE))
    return float(requests.sum() / seconds.sum())


def absorbed_of(requests: np.ndarray, seconds: np.ndarray) -> Absorbed:
    slow = np.flatnonzero(requests * MIB / seconds / MIB < STOPPED)
    at = int(slow[0]) if len(slow) else len(requests)
    gib = float(requests[:at].sum() * MIB / GIB) if len(slow) else None
    behind = slice(at + 1, None)
    return Absorbed(
        gib, float(requests[:at].sum() / seconds[:at].sum()), float(requests[behind].sum() / seconds[behind].sum()), float(seconds.sum())
    )


@cache
def zipf_absorbed(lab: Lab, drive: str, exponent: float, stay_mark: int = 0) -> Absorbed:
    """Large writes by Zipf's law, with dead data of the log reclaimed up to `stay_mark`."""
    load = Load("zipf", 31 * 1024, MIB, depth=64, exponent=exponent)
    options = ("--intervals", "128 requests", "--set", f"layers.media_cache.stay_mark={stay_mark}")
    return absorbed_of(*intervals(lab.run(f"zipf-{exponent}-{stay_mark}", drive, load, *options)))


@dataclass(frozen=True)
class Synced:
    gib: float | None
    before: float
    behind: float


WITHOUT_CACHE = ("--set", "firmware.write_cache.capacity=0 B")
BROKEN_DOWN = 0.6  # of the rate at first


@cache
def synced(lab: Lab, drive: str, mib: int, law: str = "uniform") -> Synced:
    """Chunks of a new drive, each on the platters before the next comes."""
    chunks = 36 * 1024 // (mib + 1)
    load = Load(law, chunks, mib * MIB, range=0 if law == "uniform" else 35 * GIB)
    return synced_of(*intervals(lab.run(f"synced-{law}-{mib}", drive, load, *WITHOUT_CACHE, "--intervals", "60 requests")), mib)


def synced_of(requests: np.ndarray, seconds: np.ndarray, mib: int) -> Synced:
    rates = requests * mib / seconds
    slow = np.flatnonzero(rates < BROKEN_DOWN * np.median(rates[: len(rates) // 4]))
    at = int(slow[0]) if len(slow) else len(rates)
    behind = slice(min(at + 1, len(rates) - 1), None)
    return Synced(
        float(requests[:at].sum() * mib / 1024) if len(slow) else None,
        float(requests[:at].sum() * mib / seconds[:at].sum()),
        float(requests[behind].sum() * mib / seconds[behind].sum()),
    )
