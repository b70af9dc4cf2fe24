"""Runs the trials of an experiment side by side, each one once."""

import copy
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path


from tessera.engine.simulator import REPOSITORY, run_simulator, simulator
from tessera.progress import watched
from tessera.results.run_folder import Run


@dataclass(frozen=True)
class Trial:
    """One simulation: a layer on a drive under an input. `options` are those of `tessera-sim run`."""

    drive: str
    layer: str
    options: tuple[str, ...]

    def arguments(self) -> list[str]:
        return ["run", self.drive, "--layer", self.layer, *self.options]


def setting_words(**settings: object) -> tuple[str, ...]:
    """Options of `tessera-sim run` for parameters of the drive, with `__` for the dots: nand__dies=4."""
    words: list[str] = []
    for name, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else value
        words += ["--set", f"{name.replace('__', '.')}={text}"]
    return tuple(words)


def trial(drive: str, layer: str, *options: object, **settings: object) -> Trial:
    """A trial; settings as for setting_words()."""
    return Trial(drive, layer, (*map(str, options), *setting_words(**settings)))


@dataclass(frozen=True)
class Variant:
    """A column of a grid: a layer with parameters of the drive, named as for setting_words()."""

    layer: str
    settings: Mapping[str, object] = field(default_factory=dict)
    drive: str = ""  # where it is not the grid's


def of_layer(layer: str, **parameters: object) -> dict[str, object]:
    """The layer's own parameters as settings."""
    return {f"layers__{layer.replace('-', '_')}__{name}": value for name, value in parameters.items()}


Grid = dict[str, dict[str, Run]]  # runs by input and variant


@dataclass(frozen=True)
class Made:
    """A grid that an experiment made."""

    what: str
    seed: int
    grid: Grid

    def runs(self) -> Iterator[tuple[str, str, Run]]:
        """Input, variant and run."""
        for row, by_variant in self.grid.items():
            for variant, run in by_variant.items():
                yield row, variant, run


class Lab:
    """Where trials are run. `scale` shortens the generated workloads: 1 is what the page shows, less is for tests."""

    def __init__(self, out: Path, traces: Path | None = None, scale: float = 1.0, jobs: int | None = None):
        self.out = out
        self.traces = traces if traces is not None and traces.is_dir() else None
        self.scale = scale
        self.jobs = jobs or os.cpu_count() or 1
        self.seed = 1
        self.missing: set[str] = set()  # traces that were asked for and are not at hand
        self.made: list[Made] = []  # every grid, in order
        program = simulator().stat()
        self._made_by = [f"{program.st_size} {program.st_mtime_ns}", *(file.read_text(encoding="utf-8") for file in _descriptions())]

    def seeded(self, seed: int) -> "Lab":
        """The same lab whose grids run under another seed."""
        other = copy.copy(self)
        other.seed = seed
        return other

    def requests(self, full: int) -> int:
        """The length of a generated input that has `full` requests on the page."""
        return max(1000, round(full * self.scale))

    def workload_file(self, name: str, text: str) -> Path:
        """A workload description written for an experiment."""
        path = self.out / "workloads" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def generated(self, name: str, text: str, requests: int, *more: object) -> tuple[object, ...]:
        """The options that run a workload written for an experiment; `requests`: on the page."""
        return "--workload", self.workload_file(name, text), "--limit", self.requests(requests), *more

    def run(self, trials: Iterable[Trial], what: str) -> dict[Trial, Run]:
        """The runs of these trials; one that this simulator has made before is not made again. Raises SimulatorError."""
        folders = {each: self._folder(each) for each in dict.fromkeys(trials)}
        new = [each for each, folder in folders.items() if not folder.exists()]
        with ThreadPoolExecutor(self.jobs) as pool:
            for _ in watched(pool.map(lambda each: _make(each, folders[each]), new), what, len(new)):
                pass
        return {each: Run(folder) for each, folder in folders.items()}

    def grid(self, drive: str, inputs: Mapping[str, Sequence[object]], variants: Mapping[str, Variant], what: str) -> Grid:
        """Each input (options of `tessera-sim run`) on each variant."""
        seed = () if self.seed == 1 else ("--seed", self.seed)  # 1 where not given
        trials = {
            row: {name: trial(each.drive or drive, each.layer, *options, *seed, **each.settings) for name, each in variants.items()}
            for row, options in inputs.items()
        }
        runs = self.run((each for by_variant in trials.values() for each in by_variant.values()), what)
        grid = {row: {name: runs[each] for name, each in by_variant.items()} for row, by_variant in trials.items()}
        self.made.append(Made(what, self.seed, grid))
        return grid

    def trace(self, *names: str) -> Path | None:
        """A recorded trace, or None where it is not at hand."""
        file = self.traces.joinpath(*names) if self.traces else None
        if file and file.exists():
            return file
        self.missing.add("/".join(names))
        return None

    def _folder(self, each: Trial) -> Path:
        words = [*self._made_by, *each.arguments()]
        words += [Path(word).read_text(encoding="utf-8") for word in each.options if word.endswith(".toml")]
        return self.out / "runs" / hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def _make(each: Trial, folder: Path) -> None:
    """Runs a trial. A run that fails or is interrupted leaves no folder of this name, so it is never taken for a result."""
    unfinished = folder.with_suffix(".unfinished")
    run_simulator([*each.arguments(), "--out", unfinished], quiet=True)
    unfinished.rename(folder)


def _descriptions() -> list[Path]:
    """What a trial names and does not hold: drives and workloads of the project."""
    return sorted([*(REPOSITORY / "platforms" / "drives").rglob("*.toml"), *(REPOSITORY / "stimuli" / "workloads").rglob("*.toml")])
