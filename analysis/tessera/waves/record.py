"""Runs that are made for their waveforms."""

import dataclasses
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tessera.engine.replay import repeatable
from tessera.engine.simulation import Simulation
from tessera.engine.temporary import work_folder
from tessera.errors import InputError

FORMATS = {".vcd": "--vcd", ".fst": "--fst", ".json": "--timeline"}


@dataclass(frozen=True)
class Record:
    """What is recorded, and when; the fields are options of `tessera-sim run`."""

    files: tuple[Path, ...]
    signals: str | None = None
    windows: Sequence[str] = ()
    trigger: str | None = None
    before: str | None = None
    after: str | None = None

    def words(self) -> list[str]:
        words: list[str] = []
        for file in self.files:
            if file.suffix not in FORMATS:
                raise InputError(f"{file}: expected a name that ends with .vcd, .fst or, for a timeline, .json")
            words += [FORMATS[file.suffix], str(file)]
        for window in self.windows:
            words += ["--record-window", window]
        given = {"--signals": self.signals, "--record-trigger": self.trigger, "--record-before": self.before, "--record-after": self.after}
        return words + [word for option, value in given.items() if value is not None for word in (option, value)]


def run_again(folder: Path, firmware: Path | None = None) -> Simulation:
    """What made a run folder, without what it wrote and without waveforms. Raises InputError where it is not known, or not to be made again."""
    plain = {item.name: item.default for item in dataclasses.fields(Simulation) if item.name in ("requests", "events", "places", "intervals", "save_state", "warmup")}
    return repeatable(folder, firmware).but(**plain)


def record(simulation: Simulation, wanted: Record, progress: bool = False) -> list[str]:
    """Makes the run for its waveforms alone, and gives its notes. Raises InputError and SimulatorError as Simulation.run() does."""
    for file in wanted.files:
        file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        run = simulation.but(more=(*simulation.more, *wanted.words())).run(folder, progress)
        return run.summary["run"]["notes"]
