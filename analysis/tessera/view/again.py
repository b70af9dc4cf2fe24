"""The logs that a view needs and a run did not write: the run is repeated to record them, elsewhere, and only if the user agrees."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tessera.engine.replay import repeat, repeatable
from tessera.engine.saved_state import boot_of, facts_of, has_flash
from tessera.engine.simulation import Simulation
from tessera.engine.temporary import work_folder
from tessera.errors import InputError
from tessera.results.human import time
from tessera.results.run_folder import Run
from tessera.results.sameness import differences
from tessera.view.dies import DIE_STATES
from tessera.view.dram import BUS
from tessera.view.head import SIGNALS, WAVEFORM, Head
from tessera.view.side import recorded_head

MOST = 1_000_000  # requests of a run that is repeated: a minute or two, and a waveform of up to 1 GB
MOST_WITH_BUS = 2_000  # requests: the bus of the DRAM changes some 800 times per request where bands are rewritten, and each change is a line of the waveform
INTERVALS = 500  # of the levels over the whole run
RECORDING = 7.0  # measured on 100,000 requests: to write these logs and to read them takes about seven times as long as the run without
Ask = Callable[[str], bool]


@contextmanager
def with_logs(run: Run, ask: Ask, firmware: Path | None = None, progress: bool = False) -> Iterator[tuple[Run, Head | None]]:
    """The run with the logs of a view, and its head: itself, or its repetition in a folder that lasts as long as the context. If `ask` says no, a run with
    requests is shown without its head. Raises InputError if it then has no requests, or if it cannot be repeated, or not with the same results."""
    has_requests = (run.folder / "requests.npy").exists()
    head = recorded_head(run) if has_requests else None
    if head is not None:
        yield run, head
        return
    requests = int(run.find("host.requests") or 0)
    if requests <= MOST and ask(_question(run, requests, has_requests)):
        with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
            repeated = _repeated(run, requests, Path(folder), firmware, progress)
            yield repeated, recorded_head(repeated)
        return
    if not has_requests:
        raise InputError(f"{run.folder} has no requests.npy: {_way_out(requests)}")
    yield run, None


def _question(run: Run, requests: int, has_requests: bool) -> str:
    missing = "head positions" if has_requests else "log of requests"
    seconds = max(1.0, round(RECORDING * (run.find("run.cpu_seconds") or 0)))
    return f"{run.folder} has no {missing}. Repeat the run in a temporary folder to record them ({requests:,} requests, about {time(seconds)})?"


def _way_out(requests: int) -> str:
    if requests > MOST:
        return f"run it with --requests; a view repeats at most {MOST:,} requests, and this run has {requests:,}"
    return "run it with --requests, or add --yes to 'tessera view', which then repeats the run"


@contextmanager
def booted(state: Path, drive: str | None = None, firmware: Path | None = None, progress: bool = False) -> Iterator[tuple[Run, Head | None]]:
    """The boot of a saved state and one request, with the logs of a view. Raises InputError if it is no state, or of a drive that is not here."""
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        facts = facts_of(state)
        run = _recorded(boot_of(state, facts, drive, firmware), 1, Path(folder), has_flash(facts), progress)
        yield run, recorded_head(run)


def _repeated(run: Run, requests: int, folder: Path, firmware: Path | None, progress: bool) -> Run:
    made_by = repeatable(run.folder, firmware)
    repeated = _recorded(made_by, requests, folder, run.find("nand.reads") is not None, progress)
    if found := differences(run, repeated, figures_only=True):
        raise InputError(f"{run.folder}: repeating the run gives other results ({found[0]}), so this simulator is of another version: run it again with this one")
    return repeated


def _recorded(simulation: Simulation, requests: int, folder: Path, has_flash: bool, progress: bool) -> Run:
    signals = [*SIGNALS, *([BUS] if requests <= MOST_WITH_BUS else []), *([DIE_STATES] if has_flash else [])]
    every = f"{max(1, requests // INTERVALS)} requests"
    recording = ("--vcd", str(folder / WAVEFORM), "--signals", ",".join(signals))
    return repeat(simulation.but(requests=True, events=True, places=True, intervals=every, more=(*simulation.more, *recording)), folder, progress)
