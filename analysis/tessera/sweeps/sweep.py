"""Runs the plan of a sweep: what is there already stays, the rest is placed, each result is kept as it comes."""

import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tessera.errors import InputError
from tessera.simulator import simulator_digest
from tessera.sweeps.dataset import Sweep
from tessera.sweeps.keys import key_of
from tessera.sweeps.place import dask_client
from tessera.sweeps.plan import MANY_RUNS, Plan, PlannedRun
from tessera.sweeps.worker import Task, work_all

# Repeated with the sweep: what the machine did to a run, not what the run is.
FINAL = (0, 2, 3)
AHEAD = 3  # groups of runs at the scheduler for each place at the workers, so that none waits for the client
SECONDS_A_HANDFUL, LARGEST_HANDFUL = 0.5, 64  # of short runs that go to a worker together

Progress = Callable[["Count"], None]


@dataclass
class Count:
    """How far a sweep is."""

    runs: int
    kept: int
    """Results that were there already."""
    done: int = 0
    failed: int = 0
    places: int = 0
    other_simulator: int = 0
    """Results in the folder that another simulator made: they stay there and are not taken."""
    work_seconds: float = 0.0
    """Of all runs together, as long as each took at its worker."""
    elapsed_seconds: float = 0.0
    """Since the first run was placed."""

    @property
    def busy(self) -> float | None:
        """Share of the time in which the places made runs."""
        whole = self.elapsed_seconds * self.places
        return self.work_seconds / whole if whole else None

    @property
    def left(self) -> int:
        return self.runs - self.kept - self.done


def keyed(plan: Plan) -> dict[str, PlannedRun]:
    """The runs of a plan by their keys; two points that are one run are one."""
    return {key_of(run.simulation, plan.until): run for run in plan.runs()}


def finished(sweep: Sweep) -> dict[str, str]:
    """Keys of the results that need not be made again, with the simulator that made each."""
    if not (sweep.folder / "sweep.json").exists():
        return {}
    _ = sweep.facts
    frame = sweep.everything()
    good = frame.filter(frame["exit_status"].is_in(FINAL))
    return dict(zip(good["key"], good["simulator"]))


def run_sweep(
    plan: Plan,
    out: str | Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    yes: bool = False,
    processes: bool = False,
    progress: Progress | None = None,
) -> Sweep:
    """Makes what is missing of a sweep and returns it. Raises InputError before any run where the plan is empty, names what there is
    not, or has more than a hundred thousand runs without `yes`. KeyboardInterrupt passes through; all that was done is kept."""
    if plan.size() > MANY_RUNS and not yes:
        raise InputError(f"this sweep has up to {plan.size():,} runs: more than {MANY_RUNS:,} are made with --yes only")
    sweep = Sweep(out)
    there = finished(sweep)
    runs = keyed(plan)
    missing = {key: run for key, run in runs.items() if key not in there}
    digest = simulator_digest()
    count = Count(runs=len(runs), kept=len(runs) - len(missing), other_simulator=sum(made_by != digest for made_by in there.values()))
    sweep.begin({"title": plan.title, "axes": plan.axis_names(), "run": _plain(plan.run), "simulator": digest}, runs)
    tell = progress or (lambda _: None)
    tell(count)
    if not missing:
        return sweep
    tasks = (_task(key, run, plan, sweep, digest) for key, run in missing.items())
    try:
        with dask_client(jobs, scheduler, plan.cluster, processes) as client:
            begun = time.monotonic()
            for row in placed(client, tasks, count):
                sweep.add(row)
                count.done += 1
                count.failed += row["exit_status"] != 0
                count.work_seconds += row["wall_seconds"]
                count.elapsed_seconds = time.monotonic() - begun
                tell(count)
    finally:
        sweep.save()
    return sweep


def _task(key: str, run: PlannedRun, plan: Plan, sweep: Sweep, digest: str) -> Task:
    keep = str((sweep.folder / "folders" / key[:16]).resolve()) if plan.keep else None
    return Task(key, run.simulation.record(), dict(run.point), digest, plan.until, keep)


def placed(client: Any, tasks: Iterable[Task], count: Count | None = None) -> Iterator[dict[str, Any]]:
    """The rows of the tasks as they come. Short runs go to the workers by the handful, so that placing them costs little beside
    making them; and only so many are at the scheduler that no place waits, so that the client's memory does not grow with the sweep."""
    from distributed import as_completed

    waiting = iter(tasks)
    places = max(1, sum(client.nthreads().values()))
    if count is not None:
        count.places = places
    futures = as_completed(with_results=True, raise_errors=False)
    under_way: dict[str, list[Task]] = {}
    handful = 1

    def submit() -> None:
        if group := list(itertools.islice(waiting, handful)):
            future = client.submit(work_all, group, key=f"tessera-{group[0].key[:32]}", pure=False, retries=2)
            under_way[future.key] = group
            futures.add(future)

    for _ in range(AHEAD * places):
        submit()
    while under_way:
        future, result = next(futures)
        group = under_way.pop(future.key)
        rows = result if future.status == "finished" else [_lost(task, result) for task in group]
        mean = sum(row["wall_seconds"] for row in rows) / len(rows)
        handful = min(LARGEST_HANDFUL, max(1, round(SECONDS_A_HANDFUL / mean))) if mean > 0 else handful
        submit()
        yield from rows


def _lost(task: Task, cause: Any) -> dict[str, Any]:
    """The row of a run whose worker did not come back with one."""
    error = cause[1] if isinstance(cause, tuple) else cause
    return {
        "key": task.key, "exit_status": 1, "message": f"the worker failed: {error}", "command": "", "simulator": task.simulator,
        **{f"axis.{name}": value for name, value in task.point.items()}, "wall_seconds": 0.0,
    }  # fmt: skip


def _plain(table: Any) -> Any:
    return {name: str(value) if isinstance(value, Path) else value for name, value in table.items()}


def summary_of(count: Count) -> dict[str, Any]:
    """For programs."""
    return asdict(count) | {"left": count.left, "busy": count.busy}
