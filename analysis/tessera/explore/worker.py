"""What a worker does: one run, from its description to a row of results."""

import hashlib
import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write_inside
from tessera.engine.simulation import RECORD, Simulation, simulation_of
from tessera.engine.simulator import BAD_INPUT, STOPPED, SimulatorError, ending, simulator, simulator_digest
from tessera.engine.temporary import temporary_folder
from tessera.errors import InputError
from tessera.evidence.marks import is_recording
from tessera.explore.effort import by_blocks, by_warm_ups, run_until
from tessera.results.run_folder import Run
from tessera.results.steadiness import Until

ATTEMPTS = 3  # of a run whose process was killed: the machine may have been short of memory


@dataclass(frozen=True)
class Task:
    key: str
    record: dict[str, Any]
    """The Simulation, as plain values."""
    point: dict[str, Any]
    simulator: str
    """Digest of the simulator that the sweep was planned with."""
    until: str | None = None
    keep: str | None = None
    """Folder that keeps the run; nothing is kept where there is none."""
    blocks: tuple[str, ...] = ()
    """The metrics whose figures without each block of the run are wanted."""
    firmware: str | None = None
    """SHA-256 of the library or image that the run loads."""
    compared: bool = False
    """With others: where nobody chose a warm-up, the row has its figures after several (tessera.evidence.warmup)."""
    units: bool = False
    """Whether the row has the units of its metrics, under `units`."""


class Stopped(Exception):
    """The run was ended by a signal that meant the sweep: it has no result."""


def work_all(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    return [work(task) for task in tasks]


def work(task: Task) -> dict[str, Any]:
    """The row of one run; a run that fails has its exit status and message instead of metrics."""
    begun = time.monotonic()
    simulation = Simulation.of(task.record)
    row: dict[str, Any] = {
        "key": task.key, "exit_status": 0, "message": "", "command": simulation.command(), "seed": simulation.seed, "simulator": task.simulator,
        **{f"axis.{name}": value for name, value in task.point.items()},
    }  # fmt: skip
    folder = Path(task.keep) if task.keep else temporary_folder()
    try:
        if simulator_digest() != task.simulator:
            raise InputError(f"the simulator of this worker, {simulator()}, is of another version than the one the sweep was planned with")
        _check_firmware(simulation, task)
        warm_ups = task.compared and finds_its_warm_up(simulation)
        logged = simulation.but(requests=True) if task.blocks or warm_ups else simulation
        run, notes = _simulate(logged, task.until, folder)
        row |= figures_of(run, notes)
        row |= {"units": {name: entry["unit"] for name, entry in run.summary["metrics"].items()}} if task.units else {}
        for metric in task.blocks:
            row |= by_blocks(run, metric)
        row |= by_warm_ups(run) if warm_ups else {}
        if task.keep and logged.requests and not simulation.requests:
            _forget_log(folder)
        if simulation.warmup == "auto" and (made := simulation_of(folder)):
            row["command"] = made.command()  # with the warm-up that was found
    except InputError as error:
        row |= {"exit_status": BAD_INPUT, "message": str(error)}
    except SimulatorError as error:
        row |= {"exit_status": error.status, "message": error.message or str(error)}
    except OSError as error:
        row |= {"exit_status": 1, "message": f"{error.filename or folder}: {error.strerror}"}
    finally:
        if not task.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return row | {"wall_seconds": time.monotonic() - begun}


def finds_its_warm_up(simulation: Simulation) -> bool:
    """Whether its figures leave out what is found to be warm-up: of a generated workload, where its user did not choose."""
    return simulation.trace is None and simulation.warmup is None


def _forget_log(folder: Path) -> None:
    """A folder that is kept is as the run would have left it without its log of requests."""
    (folder / "requests.npy").unlink(missing_ok=True)
    if (made := simulation_of(folder)) is not None:
        write_inside(folder / RECORD, json.dumps(made.but(requests=False).record(), indent=1) + "\n")
    for name, said in (("run.toml", "requests = true\n"), ("run.json", ',\n    "requests": true')):
        write_inside(folder / name, (folder / name).read_text(encoding="utf-8").replace(said, ""))


def _check_firmware(simulation: Simulation, task: Task) -> None:
    """Raises SimulatorError where the library was built again since the run was planned: its result would have the key of another."""
    for file in (*simulation.firmware, *((simulation.elf,) if simulation.elf else ())):
        if task.firmware is not None and hashlib.sha256(Path(file).read_bytes()).hexdigest() != task.firmware:
            raise SimulatorError([], 1, "", f"{file} is not what it was when the run was planned: the same command makes the run again")


def _simulate(simulation: Simulation, until: str | None, folder: Path) -> tuple[Run, list[str]]:
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if until is None:
                return simulation.run(folder), []
            run, effort = run_until(simulation, Until.parse(until), folder)
            return run, [effort.sentence()]
        except SimulatorError as error:
            if error.status in STOPPED:
                raise Stopped(error.message) from None
            killed = error.status > 128
            if killed and attempt == ATTEMPTS:
                error.message = f"the simulator {ending(error.status)}, {ATTEMPTS} times in a row"
            if not killed or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def figures_of(run: Run, notes: Sequence[str] = ()) -> dict[str, Any]:
    """What a row has of a run that ended well."""
    facts = run.summary["run"]
    metrics = {name: entry["value"] for name, entry in run.summary["metrics"].items()}
    return {
        "tool": facts["tool"], "unstable": facts["unstable"], "cleans": facts["cleans"], "recorded": is_recording(facts), "notes": "; ".join([*facts["notes"], *notes]), **metrics,
    }  # fmt: skip
