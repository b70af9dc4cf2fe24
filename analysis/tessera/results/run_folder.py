"""The files of one run folder as Python values."""

import csv
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tessera.errors import InputError, check_schema, damaged, is_figure, nearest, path_of, read_json, regular, whole_numpy
from tessera.results.request_log import REQUEST_FIELDS
from tessera.results.shown import Card, Shown

if TYPE_CHECKING:
    import numpy as np

    from tessera.results.frames import Frames
    from tessera.results.steadiness import Effort

SUMMARY_SCHEMA = 1
_WRITTEN_BY = {
    "requests.npy": "a run writes it with --requests",
    "intervals.csv": "a run writes it with --intervals",
    "events.csv": "a run writes it with --events",
    "tracks.csv": "a run writes it with --places",
    "blocks.csv": "a run of a drive with flash writes it with --places",
    "bands.csv": "a run of a layer with bands and a cache in front of them writes it with --places and --intervals",
}


def unended(folder: Path) -> str | None:
    """Why a folder of a run has no results; None if it is no such folder, or has some."""
    begun = not (folder / "summary.json").exists() and (folder / "drive.toml").exists()
    return "its run did not end, or goes on: results are written at its end" if begun else None


class UnknownMetric(InputError, KeyError):
    """A run has no such metric."""

    __str__ = InputError.__str__


class Run(Shown):
    """A run folder; each file is read when it is first asked for."""

    printed = ""
    """What the simulator printed, where this package ran it."""
    effort: "Effort | None" = None
    """Of a run that was lengthened until a figure was sure enough."""
    temporary: TemporaryDirectory | None = None
    """The folder goes with this object, where nobody named one."""

    def __init__(self, folder: str | Path):
        self.folder = path_of("folder", folder)

    def _card(self) -> Card:
        from tessera.results.cards import of_run  # marks are a matter of frames

        return of_run(self)

    def file(self, name: str) -> Path:
        """A file of the run. Raises InputError where the run did not write it."""
        if not (self.folder / name).exists():
            raise InputError(f"{self.folder} has no {name}: {unended(self.folder) or _WRITTEN_BY.get(name, 'it is no folder of a run')}")
        return regular(self.folder / name)

    @cached_property
    def frames(self) -> "Frames":
        """The run's tables as polars frames: requests, intervals, events, tracks, blocks, bands, metrics."""
        from tessera.results.frames import Frames  # polars is loaded by those who ask for frames

        return Frames(self)

    @cached_property
    def summary(self) -> dict:
        """summary.json as it stands. Raises InputError on a schema that this package does not know."""
        file = self.file("summary.json")
        summary = read_json(file)
        if not isinstance(summary, dict):
            raise damaged(file)
        check_schema(file, summary.get("schema"), SUMMARY_SCHEMA)
        check_summary(file, summary)
        return summary

    @property
    def notes(self) -> list[str]:
        """What a reader of the figures must know."""
        return self.summary["run"].get("notes", [])

    def metric(self, name: str) -> float | None:
        """Value of a metric; None where it is undefined. Raises UnknownMetric, which is an InputError and a KeyError, where there is none."""
        return self._metric(name)["value"]

    def find(self, name: str) -> float | None:
        """The same for a metric that not every layer has; None where there is none."""
        return self.metric(name) if name in self.summary["metrics"] else None

    def unit(self, name: str) -> str:
        return self._metric(name)["unit"]

    def _metric(self, name: str) -> dict:
        try:
            return self.summary["metrics"][name]
        except (KeyError, TypeError):
            close = nearest(name, self.summary["metrics"]) if isinstance(name, str) else None
            raise UnknownMetric(f"{self.folder}: the run has no metric {name!r}" + (f"; did you mean '{close}'?" if close else "")) from None

    @cached_property
    def requests(self) -> "np.ndarray":
        """requests.npy as a structured array mapped into memory, in order of completion; times in ps."""
        import numpy as np  # which few commands need

        file = self.file("requests.npy")
        with whole_numpy(file):
            log = np.load(file, mmap_mode="r", allow_pickle=False)
        names = log.dtype.names or () if isinstance(log, np.ndarray) and log.ndim == 1 else ()
        if names[: len(REQUEST_FIELDS)] != REQUEST_FIELDS or len(names) == len(REQUEST_FIELDS) or any(log.dtype[name].kind != "u" for name in names):
            raise InputError(f"{file} is not a request log of this version: run it again with --requests")
        return log

    @cached_property
    def intervals(self) -> list[dict[str, float | None]]:
        """intervals.csv, one dict a line; an undefined figure is None."""
        file = self.file("intervals.csv")
        try:
            with open(file, newline="", encoding="utf-8") as lines:
                return [{key: _figure(value) if value else None for key, value in row.items()} for row in csv.DictReader(lines)]
        except _NO_TABLE:
            raise damaged(file) from None

    @cached_property
    def events(self) -> list[dict[str, int | str]]:
        """events.csv, one dict a line; times in ps."""
        file = self.file("events.csv")
        try:
            with open(file, newline="", encoding="utf-8") as lines:
                return [
                    {**row, "time_ps": int(row["time_ps"]), "subject": int(row["subject"]), "amount": int(row["amount"])}
                    for row in csv.DictReader(lines)
                ]
        except _NO_TABLE:
            raise damaged(file) from None


_TEXTS = ("drive", "layer", "input", "tool")
_NO_TABLE = (ValueError, TypeError, KeyError, csv.Error)


def _figure(text: str) -> float:
    value = float(text)
    if not is_figure(value):
        raise ValueError(text)
    return value


def check_summary(file: Path, summary: dict) -> None:
    """Raises InputError where a summary is not of the shape that runs write: facts by name, and metrics with a value and its unit."""
    run, metrics = summary.get("run"), summary.get("metrics")
    whole = isinstance(run, dict) and isinstance(metrics, dict)
    whole = whole and all(isinstance(run.get(name, ""), str) for name in _TEXTS)
    whole = whole and isinstance(run.get("notes", []), list) and all(isinstance(note, str) for note in run.get("notes", []))
    if not whole:
        raise InputError(f"{file}: expected the summary of a run (facts in 'run', figures in 'metrics'); the file was not written by a run")
    for name, entry in metrics.items():
        value = entry.get("value", "") if isinstance(entry, dict) else ""
        if not (value is None or is_figure(value)) or not isinstance(entry.get("unit"), str) or not isinstance(entry.get("description"), str):
            raise InputError(f"{file}: metric '{name}': expected a value with its unit; the file was not written by a run")
