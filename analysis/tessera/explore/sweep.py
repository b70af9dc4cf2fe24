"""Runs the plan of a sweep: what is there already stays, the rest is placed, each result is kept as it comes."""

import hashlib
import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tessera.engine.folder_lock import owned
from tessera.engine.output_file import make_way, own_folder
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import SimulatorError, simulator_digest
from tessera.engine.temporary import remove_abandoned
from tessera.errors import InputError
from tessera.explore.dataset import Sweep
from tessera.explore.fold import Fold, folded, smallest_fold
from tessera.explore.keys import digest_of_firmware, key_of, read_again
from tessera.explore.place import Place, places
from tessera.explore.plan import MANY_RUNS, Plan, PlannedRun, kinds_of
from tessera.explore.warm import is_good, state_file
from tessera.explore.worker import Task, work_all

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
    warmed: int = 0
    """States of warm drives that were made now; those that were there already are taken."""
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


def shared_fold(plan: Plan) -> Fold | None:
    """Where the runs of a plan that fold, and the runs that warm their drives, all fold."""
    return smallest_fold(each for run in plan.runs() for each in (run.simulation, run.warm) if each is not None)


def runs_of(plan: Plan) -> Iterator[PlannedRun]:
    """The runs of a plan as they are made: all that fold at their drive's end fold at the end of the smallest."""
    fold = shared_fold(plan)
    for run in plan.runs():
        yield PlannedRun(run.point, folded(run.simulation, fold), folded(run.warm, fold) if run.warm else None)


def keyed(plan: Plan) -> dict[str, PlannedRun]:
    """The runs of a plan by their keys. Two points that are the same run (two names of one drive) are a row each: the key of the later one
    names its point too."""
    read_again()
    runs: dict[str, PlannedRun] = {}
    for run in runs_of(plan):
        key = key_of(run.simulation, plan.until, run.warm, _blocks(plan))
        if key in runs:
            if runs[key].point == run.point:
                continue
            key = hashlib.sha256(json.dumps([key, run.point], sort_keys=True).encode()).hexdigest()
        runs[key] = run
    return runs


def _blocks(plan: Plan) -> tuple[str, ...]:
    return (plan.blocks,) if plan.blocks else ()


def commands_of(plan: Plan, folder: str | Path) -> Iterator[str]:
    """The command of every run of a sweep in `folder`, each warm-up in front of the first run that begins with its state."""
    warmed = set()
    for run in runs_of(plan):
        if run.warm is None:
            yield run.simulation.command()
            continue
        file = state_file(folder, run.warm)
        if file not in warmed:
            yield run.warm.but(save_state=file).command()
        warmed.add(file)
        yield run.simulation.but(load_state=file).command()


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
    progress: Progress | None = None,
) -> Sweep:
    """Makes what is missing of a sweep and returns it. Raises InputError before any run where the plan is empty, names what there is
    not, or has more than a hundred thousand runs without `yes`. KeyboardInterrupt passes through; all that was done is kept."""
    if not yes and plan.has_more_than(MANY_RUNS):
        raise InputError(f"this sweep has up to {plan.size():,} runs: more than {MANY_RUNS:,} are made with --yes only")
    remove_abandoned()
    with owned(out):
        return _run(plan, Sweep(out), jobs, scheduler, progress)


def _run(plan: Plan, sweep: Sweep, jobs: int | None, scheduler: str | None, progress: Progress | None) -> Sweep:
    there = finished(sweep)
    runs = keyed(plan)
    missing = {key: run for key, run in runs.items() if key not in there}
    digest = simulator_digest()
    count = Count(runs=len(runs), kept=len(runs) - len(missing), other_simulator=sum(made_by != digest for made_by in there.values()))
    if plan.keep:
        make_way(sweep.folder / "folders")
    fold = shared_fold(plan)
    facts = {"title": plan.title, "axes": plan.axis_names(), "run": _plain(plan.run), "simulator": digest, "kinds": kinds_of(plan.axis_names(), plan.libraries()), "margin": plan.margin}
    facts |= {"units": sweep.units} if there else {}
    sweep.begin(facts | ({"fold": fold.text()} if fold else {}), runs)
    tell = progress or (lambda _: None)
    tell(count)
    if not missing:
        return sweep
    known_units, units = sweep.units, dict[str, str]()
    try:
        with places(jobs, scheduler, plan.cluster) as place:
            begun = time.monotonic()
            cold = _warm_up(place, missing.values(), sweep, digest, count)
            for key, run in missing.items():
                if run.warm is not None and (failure := cold.get(state_file(sweep.folder, run.warm))):
                    sweep.add(_not_begun(_task(key, run, plan, sweep, digest), failure))
                    count.done, count.failed = count.done + 1, count.failed + 1
            begins = {key: run for key, run in missing.items() if run.warm is None or state_file(sweep.folder, run.warm) not in cold}
            tasks = (_task(key, run, plan, sweep, digest) for key, run in begins.items())
            for row in placed(place, tasks, count):
                units |= row.pop("units", {})
                sweep.add(row)
                count.done += 1
                count.failed += row["exit_status"] != 0
                count.work_seconds += row["wall_seconds"]
                count.elapsed_seconds = time.monotonic() - begun
                tell(count)
    finally:
        sweep.save()
        sweep.add_facts({"units": {**known_units, **units}})
    if lost := set(runs) - set(sweep.results["key"]):
        raise SimulatorError([], 1, "", f"{len(lost):,} of {len(runs):,} planned runs came back without a result: the same command makes them again")
    return sweep


def _warm_up(place: Place, runs: Iterable[PlannedRun], sweep: Sweep, digest: str, count: "Count") -> dict[Path, dict[str, Any]]:
    """Makes the states that the runs begin with and that are not there, or not whole. Gives the rows of those that failed."""
    warm_ups = {state_file(sweep.folder, run.warm): run.warm for run in runs if run.warm is not None}
    wanted = {file: warm for file, warm in warm_ups.items() if not is_good(file, warm)}
    if not wanted:
        return {}
    own_folder(sweep.folder / "warm")
    for file in wanted:
        make_way(file)
    tasks = (Task(file.stem, warm.but(save_state=file).record(), {}, digest, firmware=digest_of_firmware(warm)) for file, warm in wanted.items())
    failed = {row["key"]: row for row in placed(place, tasks) if row["exit_status"] != 0}
    count.warmed = len(wanted) - len(failed)
    return {file: failed[file.stem] for file in wanted if file.stem in failed}


def _task(key: str, run: PlannedRun, plan: Plan, sweep: Sweep, digest: str) -> Task:
    keep = None
    if plan.keep:
        make_way(folder := sweep.folder / "folders" / key[:16])
        keep = str(folder.resolve())
    simulation = run.simulation if run.warm is None else run.simulation.but(load_state=state_file(sweep.folder, run.warm))
    return Task(key, simulation.record(), dict(run.point), digest, plan.until, keep, _blocks(plan), digest_of_firmware(run.simulation), compared=True, units=True)


def placed(place: Place, tasks: Iterable[Task], count: Count | None = None, largest: int = LARGEST_HANDFUL) -> Iterator[dict[str, Any]]:
    """The rows of the tasks as they come. Short runs go to the workers by the handful, so that placing them costs little next to
    making them (`largest`: runs of a handful); and only so many are placed that no worker waits, so that this process's memory does not grow with the sweep."""
    waiting = iter(tasks)
    if count is not None:
        count.places = place.count
    under_way: dict[str, list[Task]] = {}
    handful = 1

    def submit() -> None:
        if group := list(itertools.islice(waiting, handful)):
            name = f"tessera-{_digest_of(group)}"
            under_way[name] = group
            place.submit(name, work_all, group)

    for _ in range(AHEAD * place.count):
        submit()
    while under_way:
        name, result = place.next()
        group = under_way.pop(name)
        if isinstance(result, BaseException):
            rows = [_lost(task, result) for task in group]
        elif [row["key"] for row in result] != [task.key for task in group]:
            rows = [_lost(task, "it returned the results of other runs") for task in group]
        else:
            rows = result
        mean = sum(row["wall_seconds"] for row in rows) / len(rows)
        handful = min(largest, max(1, round(SECONDS_A_HANDFUL / mean))) if mean > 0 else handful
        submit()
        yield from rows


def _digest_of(group: list[Task]) -> str:
    """A scheduler gives two clients that ask for one name one result: so the name is all that the result depends on."""
    return hashlib.sha256(json.dumps([asdict(task) for task in group], sort_keys=True, default=str).encode()).hexdigest()


def _not_begun(task: Task, failure: dict[str, Any]) -> dict[str, Any]:
    """The row of a run whose warm-up failed."""
    return _row(task, failure["exit_status"], f"its warm-up failed: {failure['message']}")


def _lost(task: Task, cause: object) -> dict[str, Any]:
    """The row of a run whose worker did not come back with one."""
    return _row(task, 1, f"the worker failed: {cause}")


def _row(task: Task, status: int, message: str) -> dict[str, Any]:
    return {
        "key": task.key, "exit_status": status, "message": message, "command": Simulation.of(task.record).command(), "simulator": task.simulator,
        **{f"axis.{name}": value for name, value in task.point.items()}, "wall_seconds": 0.0,
    }  # fmt: skip


def _plain(table: Any) -> Any:
    return {name: str(value) if isinstance(value, Path) else value for name, value in table.items()}


def summary_of(count: Count) -> dict[str, Any]:
    """For programs."""
    return asdict(count) | {"left": count.left, "busy": count.busy}
