"""Arrays whose drives do not depend on each other: one process per drive, in threads of this one or placed by Dask. What the processes write is
what one process with all drives would have written."""

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tessera.engine.output_file import make_way
from tessera.engine.simulator import SimulatorError, run_simulator
from tessera.errors import InputError
from tessera.explore.place import places
from tessera.progress import watched

SCHEMA = {"number": pl.UInt64, "arrival_ps": pl.UInt64, "completion_ps": pl.UInt64, "status": pl.String}
OF_A_SHARE = dict.fromkeys(("number", "arrival_ps", "spans", "op", "offset", "size", "fua"), pl.UInt64)
"""Of DriveShare."""
FRACTIONS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
PS_PER_MS = 1e9
SPAN_PS = 100 * 86_400 * 10**12
"""Of TraceRecord::span."""
OF_A_DRIVE = ("--set", "--replay", "--seed", "--prefill", "--content", "--percentiles")
NOT_ALONE = ("--check", "--warmup")
"""Options that want all drives in one process."""


@dataclass(frozen=True)
class Part:
    """What simulating one drive took, in seconds of the clock on the wall, of its worker."""

    drive: int
    status: int
    begin: float
    end: float


def run_part(words: Sequence[str], drive: int, folder: str) -> Part:
    """Simulates one drive of an array."""
    begin = time.time()
    try:
        run_simulator(["array", *words, "--out", folder], quiet=True)
        status = 0
    except SimulatorError as error:
        if error.status != 1:  # failed requests are results
            raise
        status = 1
    return Part(drive, status, begin, time.time())


def occupancy(parts: Sequence[Part], workers: int) -> float:
    """Share of the workers' time, from the first begin to the last end, in which they simulated.

    >>> occupancy([Part(0, 0, 0.0, 2.0), Part(1, 0, 0.0, 1.0)], 2)
    0.75
    """
    span = max(part.end for part in parts) - min(part.begin for part in parts)
    return sum(part.end - part.begin for part in parts) / (workers * span) if span > 0 else 1.0


def merged(lists: Sequence[pl.DataFrame], asked: pl.DataFrame) -> pl.DataFrame:
    """A row per request of the array that all its drives (`lists`, in their order) have done, as one process writes them: in order of completion.
    A request that goes over the end of a drive is done with its last part, and fails with the first that does."""
    failed = pl.col("status").filter(pl.col("status") != "ok").first().fill_null("ok").alias("status")
    done = pl.concat(lists).group_by("number").agg(pl.col("arrival_ps").min(), pl.col("completion_ps").max(), failed, pl.len().alias("done"))
    return done.join(asked, on="number").filter(pl.col("done") == pl.col("parts")).select(list(SCHEMA)).sort("completion_ps", "number")


def asked_of(shares: Sequence[Path]) -> pl.DataFrame:
    """Each request that the drives were sent: its number, its arrival, and how many drives have part of it."""
    lists = [pl.DataFrame(schema=OF_A_SHARE)]
    for share in shares:
        if share.stat().st_size > 0:
            lists.append(pl.read_csv(share, has_header=False, schema=OF_A_SHARE))
    arrival = pl.col("arrival_ps").first() + pl.col("spans").first() * SPAN_PS
    return pl.concat(lists).group_by("number").agg(arrival, pl.len().alias("parts"))


def most_at_once(requests: pl.DataFrame, left: pl.DataFrame) -> int:
    """The most requests that were at the array, those `left` at the end among them; one that comes as another ends finds its place free."""
    came = pl.concat([requests.select("arrival_ps"), left.select("arrival_ps")]).select(pl.col("arrival_ps").alias("at"), pl.lit(1).alias("by"))
    went = requests.select(pl.col("completion_ps").alias("at"), pl.lit(-1).alias("by"))
    return int(pl.concat([came, went]).sort("at", "by")["by"].cum_sum().max() or 0)


def figures(requests: pl.DataFrame) -> dict[str, Any]:
    """The host's figures; percentiles by nearest rank."""
    served = requests.filter(pl.col("status") == "ok")
    latency = (served["completion_ps"] - served["arrival_ps"]) / PS_PER_MS

    def metric(value: float | None, unit: str, description: str) -> dict[str, Any]:
        return {"value": value, "unit": unit, "description": description}

    found = {
        "host.served": metric(len(served), "1", "requests completed well"),
        "host.failed": metric(len(requests) - len(served), "1", "requests completed with another status"),
        "host.latency.mean": metric(latency.mean(), "ms", "mean time from arrival to completion, all served requests"),
        "host.latency.max": metric(latency.max(), "ms", "longest time from arrival to completion, all served requests"),
    }
    for name, fraction in FRACTIONS.items():
        found[f"host.latency.{name}"] = metric(latency.quantile(fraction, "higher"), "ms", "percentile of time from arrival to completion, all served requests")
    return found


def run_parts(words: Sequence[str], out: Path, workers: int | None = None, scheduler: str | None = None) -> dict[str, Any]:
    """Simulates each drive of an array (`words`: its file and options) and writes `out`: summary.json, completions.csv, drive-N. Returns the
    summary. Raises InputError where the file has no window, or requests of one drive would have waited for those of another."""
    for name in NOT_ALONE:
        if any(word.partition("=")[0] == name for word in words):
            raise InputError(f"{name}: drives are simulated one by one; expected it without --workers and --scheduler, and without [window]")
    alone = of_a_drive(words)
    values = {row["path"]: row["value"] for row in json.loads(run_simulator(["array", *alone, "--parameters", "--json"], quiet=True))}
    require_window(values)
    out.mkdir(parents=True, exist_ok=True)
    for name in ("shares", "parts", "completions.csv", "summary.json"):
        make_way(out / name)
    shares = out.absolute() / "shares"
    plan = json.loads(run_simulator(["array", *words, *_set("shares", shares), "--plan", "--json"], quiet=True))
    drives = plan["drives"]
    parts: list[Part] = []
    with places(jobs=workers, scheduler=scheduler) as place:
        for drive in range(len(drives)):
            mine = [*alone, *_set("shares", shares), *_set("drive", drive)]
            place.submit(f"{out}: drive {drive}", _Work(mine, drive, str(out.absolute() / "parts" / str(drive))), None)
        for _ in watched(drives, "drives"):
            _, ended = place.next()
            if isinstance(ended, BaseException):
                raise ended
            parts.append(ended)
        count = place.count
    asked = asked_of([shares / f"{drive}.csv" for drive in range(len(drives))])
    shutil.rmtree(shares)
    return _put_together(out, sorted(parts, key=lambda part: part.drive), asked, plan, int(values["array.requests"]), count)


def _set(name: str, value: Any) -> tuple[str, str]:
    return "--set", f'window.{name}="{value}"'


def of_a_drive(words: Sequence[str]) -> list[str]:
    """The words that count for a drive alone, which finds its part of the input in a file of its own.

    >>> of_a_drive(["row.toml", "--trace", "week.csv", "--fold", "--seed", "7", "--set", "array.requests=9", "--prefill=0"])
    ['row.toml', '--seed', '7', '--set', 'array.requests=9', '--prefill=0', '--replay', 'timed']
    """
    kept = [words[0]]
    for at, word in enumerate(words[1:], 1):
        name, equals, _ = word.partition("=")
        if name in OF_A_DRIVE:
            kept += [word] if equals else list(words[at : at + 2])
    return kept if any(word.startswith("--replay") for word in kept) else [*kept, "--replay", "timed"]


def require_window(values: Mapping[str, str]) -> None:
    if values["window.length"].strip('"').startswith("0 "):
        raise InputError("drives are simulated one by one in a window whose ends do not depend on them: give --set 'window.begin=1 s' --set 'window.length=60 s'")


@dataclass(frozen=True)
class _Work:
    words: Sequence[str]
    drive: int
    folder: str

    def __call__(self, _: Any) -> Part:
        return run_part(self.words, self.drive, self.folder)


def _put_together(out: Path, parts: Sequence[Part], asked: pl.DataFrame, plan: Mapping[str, Any], most: int, workers: int) -> dict[str, Any]:
    folders = {part.drive: out / "parts" / str(part.drive) for part in parts}
    requests = merged([pl.read_csv(folder / "completions.csv", schema=SCHEMA) for folder in folders.values()], asked)
    summaries = [json.loads((folder / "summary.json").read_text()) for folder in folders.values()]
    window_ps = summaries[0]["metrics"]["run.measured_seconds"]["value"] * 1e12
    left = asked.join(requests, on="number", how="anti").filter(pl.col("arrival_ps") < window_ps)
    if (held := most_at_once(requests, left)) > most:
        raise InputError(f"the array had {held:,} requests at once and array.requests is {most:,}: some would have waited for those of other drives; expected a larger array.requests")
    cpu = sum(summary["metrics"]["run.cpu_seconds"]["value"] for summary in summaries)
    commands = sum(summary["metrics"]["array.commands"]["value"] for summary in summaries)
    found = figures(requests)
    found["workers.count"] = {"value": workers, "unit": "1", "description": "processes that simulated at once"}
    found["workers.busy"] = {"value": occupancy(parts, workers), "unit": "1", "description": "share of the workers' time in which they simulated"}
    found["run.cpu_seconds"] = {"value": cpu, "unit": "s", "description": "CPU time of all processes"}
    found["run.commands_per_cpu_second"] = {"value": commands / cpu if cpu else None, "unit": "1/s", "description": "commands to drives simulated per CPU-second"}
    for drive, folder in folders.items():
        make_way(out / f"drive-{drive}")
        shutil.rmtree(out / f"drive-{drive}", ignore_errors=True)
        shutil.move(folder / f"drive-{drive}", out / f"drive-{drive}")
    shutil.rmtree(out / "parts")
    requests.write_csv(out / "completions.csv")
    failures = [summary["run"]["failure"] for summary in summaries if "failure" in summary["run"]]
    facts = {**summaries[0]["run"], "drives": len(parts), "input": plan["input"], "notes": plan["notes"], **({"failure": failures[0]} if failures else {})}
    summary = {"run": {**facts, "status": max(part.status for part in parts)}, "metrics": found}
    (out / "summary.json").write_text(json.dumps(summary, indent=1) + "\n")
    return summary
