"""The logs that a view needs and a run did not write: the run is made again for them, elsewhere, and only if the user says so."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tessera.errors import InputError
from tessera.human import time
from tessera.replay import repeatable
from tessera.run_folder import Run
from tessera.sameness import differences
from tessera.temporary import work_folder
from tessera.view.head import SIGNALS

WAVEFORM = "waves.vcd"
MOST = 1_000_000  # requests of a run that is made again: some ten seconds, and a waveform of some 200 MB
INTERVALS = 500  # of the levels over the whole run
RECORDING = 3.0  # a run with these logs takes some three times as long as one without
Ask = Callable[[str], bool]


def has_requests(run: Run) -> bool:
    return (run.folder / "requests.npy").exists()


def has_head(run: Run) -> bool:
    return (run.folder / WAVEFORM).exists()


@contextmanager
def with_logs(run: Run, ask: Ask, firmware: Path | None = None, progress: bool = False) -> Iterator[Run]:
    """The run with what a view needs: itself, or the same made again in a folder that goes with the context. A run whose head alone was not
    recorded is shown without it where `ask` says no. Raises InputError where the requests are missing and it says no, and where the run
    cannot be made again, or comes out as another."""
    if has_requests(run) and has_head(run):
        yield run
        return
    requests = int(run.find("host.requests") or 0)
    seconds = RECORDING * (run.find("run.cpu_seconds") or 0)
    missing = "the way of the head" if has_requests(run) else "its requests"
    bounded = requests <= MOST
    question = f"{run.folder} holds no record of {missing}: make the run again for it, elsewhere ({requests:,} requests, about {time(max(1.0, round(seconds)))})?"
    if not bounded or not ask(question):
        if has_requests(run):
            yield run
            return
        why = f"{requests:,} requests are too many to make again for a view (at most {MOST:,}): add --requests to the run, or --limit" if not bounded else (
            "add --requests to the run, or --yes to this command: it then makes the run again for them"
        )  # fmt: skip
        raise InputError(f"{run.folder} holds no record of its requests: {why}")
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        yield _made_again(run, requests, Path(folder), firmware, progress)


def _made_again(run: Run, requests: int, folder: Path, firmware: Path | None, progress: bool) -> Run:
    made_by = repeatable(run.folder, firmware)
    recording = ("--vcd", str(folder / WAVEFORM), "--signals", ",".join(SIGNALS))
    every = f"{max(1, requests // INTERVALS)} requests"
    again = made_by.but(requests=True, events=True, places=True, intervals=every, save_state=None, more=(*made_by.more, *recording))
    made = again.run(folder, progress)
    if found := differences(run, made, figures_only=True):
        raise InputError(f"{run.folder}: the run came out as another when it was made again ({found[0]}): this simulator is of another version; make it anew")
    return made
