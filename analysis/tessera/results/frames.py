"""The files of a run folder as polars frames."""

from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl

from tessera.errors import damaged
from tessera.results.request_log import OPERATIONS, life_causes, life_phases
from tessera.results.shown import Card, Shown

PS_PER_MS = 1e9
COUNTS = pl.Int64  # of tables; none is below 0
TRACKS = {name: COUNTS for name in ("radius", "surface", "reads", "writes", "sectors_read", "sectors_written")} | {"region": pl.String}
BLOCKS = {name: COUNTS for name in ("block", "channel", "die", "erases", "programmed", "bad")}
BANDS = {"time_s": pl.Float64} | {name: COUNTS for name in ("band", "sectors", "held", "cached")}
EVENTS = {"time_ps": pl.UInt64, "kind": pl.String, "edge": pl.String, "subject": pl.UInt64, "amount": pl.UInt64}
INTERVALS = {"start_s": pl.Float64, "end_s": pl.Float64}


FILES = {"requests": "requests.npy", **{name: f"{name}.csv" for name in ("intervals", "events", "tracks", "blocks", "bands")}, "metrics": "summary.json"}


class Files(Protocol):
    """What is read of a Run."""

    folder: Path

    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def requests(self) -> np.ndarray: ...
    def file(self, name: str) -> Path: ...


class Frames(Shown):
    """The tables of one run; each is read when it is first asked for."""

    def __init__(self, run: Files):
        self._run = run

    def _card(self) -> Card:
        there = [name for name, file in FILES.items() if (self._run.folder / file).exists()]
        return Card("Frames", str(self._run.folder), rows=[("tables", ", ".join(there) or "none")])

    def _table(self, name: str, schema: dict, further: bool = False) -> pl.DataFrame:
        """A table with these columns; with `further`, others of numbers follow. Raises InputError where the file holds none such."""
        file = self._run.file(name)
        try:
            others = pl.read_csv(file, n_rows=0).columns if further else ()
            frame = pl.read_csv(file, schema_overrides=dict.fromkeys(others, pl.Float64) | schema, infer_schema_length=1)
        except (pl.exceptions.PolarsError, OverflowError):
            raise damaged(file) from None
        rest = [name for name in frame.columns if name not in schema]
        columns = [*(name for name in schema if name in frame.columns), *rest]
        held = [frame[name] for name in columns if frame.schema[name].is_numeric()]
        sound = all(not column.is_infinite().any() and not column.is_nan().any() and (column.min() or 0) >= 0 for column in held)
        if len(columns) != len(schema) + len(rest) or (rest and not further) or not sound:
            raise damaged(file)
        return frame

    @cached_property
    def requests(self) -> pl.DataFrame:
        """A row a request, in order of completion: number, lba and blocks (512 B), op, status, arrival, issue and completion in
        picoseconds, latency_ms, the parts of its life in ms under their names, cause (whose work most of the time was) and the time for
        each cause in ms (cause_host, ...). Needs a run with `requests=True`."""
        log = self._run.requests
        columns: dict[str, np.ndarray | pl.Series] = {
            name: np.ascontiguousarray(log[name]) for name in ("number", "lba", "blocks", "status", "arrival", "issue", "completion")
        }
        causes = life_causes(log)
        if len(log) and (log["op"].max() >= len(OPERATIONS) or (causes and log["cause"].max() >= len(causes))):
            raise damaged(self._run.file("requests.npy"))
        columns["op"] = pl.Series(np.asarray(OPERATIONS)[log["op"]], dtype=pl.Enum(OPERATIONS))
        columns["latency_ms"] = (log["completion"] - log["arrival"]) / PS_PER_MS
        columns |= {phase: log[phase] / PS_PER_MS for phase in life_phases(log)}
        if causes:
            columns["cause"] = pl.Series(np.asarray(list(causes))[log["cause"]], dtype=pl.Enum(list(causes)))
            columns |= {field: log[field] / PS_PER_MS for field in causes.values()}
        return pl.DataFrame(columns)

    @cached_property
    def intervals(self) -> pl.DataFrame:
        """A row an interval, as intervals.csv holds it. Needs a run with `intervals="10 s"` or the like."""
        return self._table("intervals.csv", INTERVALS, further=True)

    @cached_property
    def events(self) -> pl.DataFrame:
        """A row an event: time_ps, kind, edge, subject, amount. Needs a run with `events=True`."""
        return self._table("events.csv", EVENTS)

    @cached_property
    def tracks(self) -> pl.DataFrame:
        """A row a track that was used: radius, surface, region, reads, writes, sectors_read, sectors_written. Needs a run with `places=True`."""
        return self._table("tracks.csv", TRACKS)

    @cached_property
    def blocks(self) -> pl.DataFrame:
        """A row a block of the flash: block, channel, die, erases, programmed (pages), bad. Needs a run with `places=True`."""
        return self._table("blocks.csv", BLOCKS)

    @cached_property
    def bands(self) -> pl.DataFrame:
        """A row for each band whose level changed since the interval before: time_s, band, sectors, held, cached. Needs a run with
        `places=True` and `intervals="10 s"` or the like, of a layer with bands and a cache in front of them."""
        return self._table("bands.csv", BANDS)

    @cached_property
    def metrics(self) -> pl.DataFrame:
        """A row a metric: name, value (null where undefined), unit, description."""
        rows = [(name, entry["value"], entry["unit"], entry["description"]) for name, entry in self._run.summary["metrics"].items()]
        schema = {"name": pl.String, "value": pl.Float64, "unit": pl.String, "description": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")
