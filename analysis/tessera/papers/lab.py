"""Runs the trials of an experiment side by side, each one once."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import Progress

from tessera.run_folder import Run
from tessera.simulator import REPOSITORY, run_simulator, simulator


@dataclass(frozen=True)
class Trial:
    """One simulation: a layer on a drive under an input. `options` are those of `tessera-sim run`."""

    drive: str
    layer: str
    options: tuple[str, ...]

    def arguments(self) -> list[str]:
        return ["run", self.drive, "--layer", self.layer, *self.options]


def trial(drive: str, layer: str, *options: object, **settings: object) -> Trial:
    """A trial; settings are parameters of the drive, with `__` for the dots: nand__dies=4."""
    words = [str(option) for option in options]
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else value
        words += ["--set", f"{name.replace('__', '.')}={text}"]
    return Trial(drive, layer, tuple(words))


@dataclass(frozen=True)
class Variant:
    """A column of a grid: a layer with parameters of the drive, named as for trial()."""

    layer: str
    settings: Mapping[str, object] = field(default_factory=dict)
    drive: str = ""  # where it is not the grid's


Grid = dict[str, dict[str, Run]]  # runs by input and variant


class Lab:
    """Where trials are run. `scale` shortens the generated workloads: 1 is what the page shows, less is for tests."""

    def __init__(self, out: Path, traces: Path | None = None, scale: float = 1.0, jobs: int | None = None):
        self.out = out
        self.traces = traces if traces is not None and traces.is_dir() else None
        self.scale = scale
        self.jobs = jobs or os.cpu_count() or 1
        program = simulator().stat()
        self._made_by = f"{program.st_size} {program.st_mtime_ns}"

    def requests(self, full: int) -> int:
        """The length of a generated input that has `full` requests on the page."""
        return max(1000, round(full * self.scale))

    def workload_file(self, name: str, text: str) -> Path:
        """A workload description written for an experiment."""
        path = self.out / "workloads" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, trials: Iterable[Trial], what: str) -> dict[Trial, Run]:
        """The runs of these trials; one that this simulator has made before is not made again. Raises SimulatorError."""
        folders = {each: self._folder(each) for each in dict.fromkeys(trials)}
        missing = [each for each, folder in folders.items() if not (folder / "summary.json").exists()]
        with Progress(transient=True) as progress, ThreadPoolExecutor(self.jobs) as pool:
            bar = progress.add_task(what, total=len(missing))
            for _ in pool.map(lambda each: run_simulator([*each.arguments(), "--out", folders[each]], quiet=True), missing):
                progress.advance(bar)
        return {each: Run(folder) for each, folder in folders.items()}

    def grid(self, drive: str, inputs: Mapping[str, Sequence[object]], variants: Mapping[str, Variant], what: str) -> Grid:
        """Each input (options of `tessera-sim run`) on each variant."""
        trials = {
            row: {name: trial(each.drive or drive, each.layer, *options, **each.settings) for name, each in variants.items()}
            for row, options in inputs.items()
        }
        runs = self.run((each for by_variant in trials.values() for each in by_variant.values()), what)
        return {row: {name: runs[each] for name, each in by_variant.items()} for row, by_variant in trials.items()}

    def trace(self, *names: str) -> Path | None:
        """A recorded trace, or None where it is not at hand."""
        file = self.traces.joinpath(*names) if self.traces else None
        return file if file and file.exists() else None

    def _folder(self, each: Trial) -> Path:
        words = [self._made_by, *each.arguments()]
        words += [Path(word).read_text() for word in each.options if word.endswith(".toml")]
        return self.out / "runs" / hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def default_traces() -> Path:
    """Where recorded traces and histograms lie: TESSERA_TRACES, or beside the repository."""
    return Path(os.environ.get("TESSERA_TRACES") or REPOSITORY.parent / "shared" / "traces")
