"""Where a question's requests come from: a built-in workload, the built-in trace, a file, or a recorded trace by its short name."""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tessera.engine.simulator import REPOSITORY, ask_simulator
from tessera.errors import InputError, nearest
from tessera.explore.plan import SAMPLE
from tessera.results.stem import ENDINGS, stem

CLOSED = "closed:8"  # for workloads without arrival times: a host that keeps so many requests under way


@dataclass(frozen=True)
class Source:
    name: str
    """As the answer calls it."""
    trace: str | None = None
    workload: str | None = None
    replay: str | None = None
    mean_bytes: float | None = None
    """Of a request, where a workload's file says it."""

    @property
    def recorded(self) -> bool:
        """One sample of what it was recorded from, as long as it is: seeds move the spindle only."""
        return self.trace is not None

    def requests(self, most: int, format: str | None) -> int:
        """Of a recorded trace, up to `most`."""
        words = ["describe", self.trace, "--limit", str(most), "--json", *(("--format", format) if format else ())]
        return int(json.loads(ask_simulator(words))["requests"])

    def options(self) -> dict[str, str]:
        """As options of a run."""
        found = {"trace": self.trace, "workload": self.workload, "replay": self.replay}
        return {name: value for name, value in found.items() if value is not None}


@cache
def workloads() -> dict[str, str]:
    """The workloads that the simulator knows, with the file of each."""
    return {entry["name"]: entry.get("file", "") for entry in json.loads(ask_simulator(["list", "workloads", "--json"]))}


def default_traces() -> Path:
    """Where recorded traces and histograms lie: TESSERA_TRACES, or next to the repository."""
    return Path(os.environ.get("TESSERA_TRACES") or REPOSITORY.parent / "shared" / "traces")


def recorded() -> dict[str, Path]:
    """Recorded traces by their short names, from TESSERA_TRACES or the folder next to the repository."""
    folder = default_traces()
    files = (file for file in sorted(folder.rglob("*.xz")) if "histograms" not in file.parent.name and "stats" not in file.name) if folder.is_dir() else ()
    return {stem(file.name): file for file in files}


def source_of(word: str) -> Source:
    """What a word names. Raises InputError with what it may have meant."""
    if word == SAMPLE:
        return Source(SAMPLE, trace=SAMPLE)
    if Path(word).is_file():
        path = str(Path(word).resolve())
        return _workload(stem(word), path, path) if word.endswith(".toml") else Source(stem(word), trace=path)
    for name in (word, f"papers/{word}"):  # those of published tables have a short name as well
        if name in workloads():
            return _workload(stem(name), name, workloads()[name])
    traces = recorded()
    if word in traces:
        return Source(word, trace=str(traces[word].resolve()))
    begin_so = [name for name in traces if name.startswith(word)]
    if len(begin_so) == 1:
        return Source(begin_so[0], trace=str(traces[begin_so[0]].resolve()))
    if begin_so:
        raise InputError(f"'{word}' may be any of {len(begin_so)} recorded traces: {', '.join(begin_so)}; name one of them")
    if "/" in word or word.endswith((*ENDINGS, ".txt")):
        raise InputError(f"{word}: no such file; give a trace, a workload's .toml file, '{SAMPLE}' or a name of 'tessera list workloads'")
    close = nearest(word, [*workloads(), *traces, SAMPLE])
    hint = f"did you mean '{close}'?" if close else f"'{SAMPLE}' is built in, 'tessera list workloads' names others, and a trace is named by its file"
    where = f"none of that name in {folder}" if (folder := default_traces()).is_dir() else "TESSERA_TRACES names their folder"
    raise InputError(f"unknown workload or trace '{word}'; {hint}; recorded traces: {where}")


def _workload(name: str, workload: str, file: str) -> Source:
    """One whose file says how large its requests are; one without arrival times is replayed in a closed loop."""
    if not file or not Path(file).is_file():
        return Source(name, workload=workload)
    try:
        described = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{file}: not a workload: {error}") from None
    arrives = described.get("arrivals", {}).get("law", "none") != "none"
    return Source(name, workload=workload, replay=None if arrives else CLOSED, mean_bytes=_mean_bytes(described))


def _mean_bytes(described: Mapping[str, Any]) -> float:
    """Of a request, by the tables of sizes; 4 KiB where there are none.

    >>> _mean_bytes({"write_share": 0.5, "write_sizes": [[4096, 1], [12288, 1]]})
    6144.0
    """
    share = float(described.get("write_share", 1.0))
    means = []
    for name in ("write_sizes", "read_sizes"):
        rows = described.get(name) or [[4096, 1]]
        means.append(sum(size * weight for size, weight in rows) / sum(weight for _, weight in rows))
    return share * means[0] + (1 - share) * means[1]
