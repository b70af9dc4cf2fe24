"""The files of a run folder as polars frames."""

from functools import cached_property

import numpy as np
import polars as pl

from tessera.run_folder import OPERATIONS, Run, life_causes, life_phases

PS_PER_MS = 1e9


class Frames:
    """The tables of one run; each is read when it is first asked for."""

    def __init__(self, run: Run):
        self._run = run

    @cached_property
    def requests(self) -> pl.DataFrame:
        """A row a request, in order of completion: number, lba and blocks (512 B), op, status, arrival, issue and completion in
        picoseconds, latency_ms, the parts of its life in ms under their names, cause (whose work most of the time was) and the time for
        each cause in ms (cause_host, ...). Needs a run with `requests=True`."""
        log = self._run.requests
        columns: dict[str, np.ndarray | pl.Series] = {
            name: np.ascontiguousarray(log[name]) for name in ("number", "lba", "blocks", "status", "arrival", "issue", "completion")
        }
        columns["op"] = pl.Series(np.asarray(OPERATIONS)[log["op"]], dtype=pl.Enum(OPERATIONS))
        columns["latency_ms"] = (log["completion"] - log["arrival"]) / PS_PER_MS
        columns |= {phase: log[phase] / PS_PER_MS for phase in life_phases(log)}
        if causes := life_causes(log):
            columns["cause"] = pl.Series(np.asarray(list(causes))[log["cause"]], dtype=pl.Enum(list(causes)))
            columns |= {field: log[field] / PS_PER_MS for field in causes.values()}
        return pl.DataFrame(columns)

    @cached_property
    def intervals(self) -> pl.DataFrame:
        """A row an interval, as intervals.csv holds it. Needs a run with `intervals="10 s"` or the like."""
        return pl.read_csv(self._run.file("intervals.csv"), infer_schema_length=None)

    @cached_property
    def events(self) -> pl.DataFrame:
        """A row an event: time_ps, kind, edge, subject, amount. Needs a run with `events=True`."""
        schema = {"time_ps": pl.UInt64, "kind": pl.String, "edge": pl.String, "subject": pl.UInt64, "amount": pl.UInt64}
        return pl.read_csv(self._run.file("events.csv"), schema_overrides=schema)

    @cached_property
    def tracks(self) -> pl.DataFrame:
        """A row a track that was used: radius, surface, region, reads, writes, sectors_read, sectors_written. Needs a run with `places=True`."""
        return pl.read_csv(self._run.file("tracks.csv"), schema_overrides={"region": pl.String})

    @cached_property
    def blocks(self) -> pl.DataFrame:
        """A row a block of the flash: block, channel, die, erases, programmed (pages), bad. Needs a run with `places=True`."""
        return pl.read_csv(self._run.file("blocks.csv"))

    @cached_property
    def bands(self) -> pl.DataFrame:
        """A row for each band whose level changed since the interval before: time_s, band, sectors, held, cached. Needs a run with
        `places=True` and `intervals="10 s"` or the like, of a layer with bands and a cache in front of them."""
        return pl.read_csv(self._run.file("bands.csv"), schema_overrides={"time_s": pl.Float64})

    @cached_property
    def metrics(self) -> pl.DataFrame:
        """A row a metric: name, value (null where undefined), unit, description."""
        rows = [(name, entry["value"], entry["unit"], entry["description"]) for name, entry in self._run.summary["metrics"].items()]
        schema = {"name": pl.String, "value": pl.Float64, "unit": pl.String, "description": pl.String}
        return pl.DataFrame(rows, schema=schema, orient="row")
