"""The files of one run folder as Python values."""

import csv
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from tessera.errors import InputError, check_schema, damaged, read_json

if TYPE_CHECKING:
    from tessera.effort import Effort
    from tessera.frames import Frames

SUMMARY_SCHEMA = 1
OPERATIONS = ("read", "write", "flush", "trim", "zone_report", "zone_open", "zone_close", "zone_finish", "zone_reset")  # `op` of requests.npy
_FIELDS_BEFORE_PHASES = 8  # number, lba, blocks, op, status, arrival, issue, completion
_CAUSE = "cause_"
_WRITTEN_BY = {
    "summary.json": "it is no folder of a run, or of one that did not end",
    "requests.npy": "a run writes it with --requests",
    "intervals.csv": "a run writes it with --intervals",
    "events.csv": "a run writes it with --events",
    "tracks.csv": "a run writes it with --places",
    "blocks.csv": "a run of a drive with flash writes it with --places",
    "bands.csv": "a run of a layer with bands and a cache in front of them writes it with --places and --intervals",
}


class Run:
    """A run folder; each file is read when it is first asked for."""

    printed = ""
    """What the simulator printed, where this package ran it."""
    effort: "Effort | None" = None
    """Of a run that was lengthened until a figure was sure enough."""
    temporary: TemporaryDirectory | None = None
    """The folder goes with this object, where nobody named one."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)

    def file(self, name: str) -> Path:
        """A file of the run. Raises InputError where the run did not write it."""
        if not (self.folder / name).exists():
            raise InputError(f"{self.folder} has no {name}: {_WRITTEN_BY.get(name, 'it is no folder of a run')}")
        return self.folder / name

    @cached_property
    def frames(self) -> "Frames":
        """The run's tables as polars frames: requests, intervals, events, tracks, blocks, bands, metrics."""
        from tessera.frames import Frames  # polars is loaded by those who ask for frames

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
        """Value of a metric; None where it is undefined. Raises KeyError with the metric's name where there is none."""
        return self.summary["metrics"][name]["value"]

    def find(self, name: str) -> float | None:
        """The same for a metric that not every layer has; None where there is none."""
        return self.metric(name) if name in self.summary["metrics"] else None

    def unit(self, name: str) -> str:
        return self.summary["metrics"][name]["unit"]

    @cached_property
    def requests(self) -> np.ndarray:
        """requests.npy as a structured array mapped into memory, in order of completion; times in ps."""
        file = self.file("requests.npy")
        try:
            return np.load(file, mmap_mode="r")
        except (ValueError, EOFError):
            raise damaged(file) from None

    @cached_property
    def intervals(self) -> list[dict[str, float | None]]:
        """intervals.csv, one dict a line; an undefined figure is None."""
        with open(self.file("intervals.csv"), newline="", encoding="utf-8") as file:
            return [{key: float(value) if value else None for key, value in row.items()} for row in csv.DictReader(file)]

    @cached_property
    def events(self) -> list[dict[str, int | str]]:
        """events.csv, one dict a line; times in ps."""
        with open(self.file("events.csv"), newline="", encoding="utf-8") as file:
            return [
                {**row, "time_ps": int(row["time_ps"]), "subject": int(row["subject"]), "amount": int(row["amount"])}
                for row in csv.DictReader(file)
            ]


_TEXTS = ("drive", "layer", "input", "tool")


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
        if isinstance(value, bool | str | list | dict) or not isinstance(entry.get("unit", ""), str) or not isinstance(entry.get("description", ""), str):
            raise InputError(f"{file}: metric '{name}': expected a value with its unit; the file was not written by a run")


def latency_ms(requests: np.ndarray) -> np.ndarray:
    """Completion minus arrival of each request, in ms."""
    return (requests["completion"] - requests["arrival"]) / 1e9


def life_phases(requests: np.ndarray) -> tuple[str, ...]:
    """Names of the parts of a request's life; their sum is the latency."""
    names = requests.dtype.names
    return names[_FIELDS_BEFORE_PHASES : names.index("cause") if "cause" in names else None]


def life_causes(requests: np.ndarray) -> dict[str, str]:
    """Cause -> the field with the time that a request took for it, in the order of the numbers in the field `cause`; the times sum to the
    latency. None in logs of older versions, which do not know causes."""
    return {name.removeprefix(_CAUSE): name for name in requests.dtype.names if name.startswith(_CAUSE)}
