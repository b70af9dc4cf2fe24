"""The results of a sweep on disk: one Parquet dataset, and a journal of what is not in it yet."""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tessera.engine.output_file import make_way, own_folder, write_inside
from tessera.errors import InputError, check_schema, count_in, damaged, fitting, read_json, read_text, regular
from tessera.evidence.warmup import bare, without_warm_up
from tessera.explore.axes import amount
from tessera.results.human import counted, figure
from tessera.results.long_form import as_xarray, long_form
from tessera.results.shown import Card, Shown

if TYPE_CHECKING:
    import xarray

SCHEMA = 1
ROWS_A_PART = 1000
AXIS = "axis."
MOST_AXES, MOST_VALUES = 3, 6  # that a text names
AMOUNT = "amount."  # an axis of quantities as numbers in base units, so that they sort and plot
FACTS = {
    "key": pl.String, "exit_status": pl.Int64, "message": pl.String, "command": pl.String, "seed": pl.Int64, "notes": pl.String,
    "simulator": pl.String, "tool": pl.String, "unstable": pl.Boolean, "cleans": pl.Boolean, "recorded": pl.Boolean, "wall_seconds": pl.Float64,
}  # fmt: skip
Row = Mapping[str, Any]
Kinds = Mapping[str, bool]
"""Axis -> whether it is of numbers, as what it names is declared. Of other axes (a folder of an older version) the values decide."""


def frame_of(rows: Iterable[Row], kinds: Kinds = {}) -> pl.DataFrame:  # noqa: B006
    """Rows with different columns as one frame, whose types do not depend on the values: facts have fixed types, metrics are floats, axes as
    `kinds` says. An axis of quantities has a column of numbers next to it."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = []
    for name in names:
        found = [row.get(name) for row in rows]
        if name in FACTS:
            columns.append(pl.Series(name, found, dtype=FACTS[name]))
        elif name.startswith(AXIS):
            columns.append(axis_column(name, found, kinds))
            amounts = [_amount(value) for value in found]
            if any(amount is not None for amount in amounts):
                columns.append(pl.Series(AMOUNT + name.removeprefix(AXIS), amounts, dtype=pl.Float64))
        else:
            columns.append(pl.Series(name, found, dtype=pl.Float64, strict=False))
    return pl.DataFrame(columns)


def _amount(value: object) -> float | None:
    """A quantity as a number in base units (B, ps, Hz, ...); None of anything else, and of a number, which its axis holds as it is.

    >>> _amount("4 MiB"), _amount("cmr"), _amount(3)
    (4194304.0, None, None)
    """
    if not isinstance(value, str):
        return None
    try:
        found, unit = amount(value)
    except InputError:
        return None
    return float(found) if unit else None


def axis_column(name: str, found: list, kinds: Kinds = {}) -> pl.Series:  # noqa: B006
    """
    >>> axis_column("axis.limit", [100, "20k"], {"limit": True}).to_list(), axis_column("axis.x", [100, "20k"]).to_list()
    ([100.0, 20000.0], ['100', '20k'])
    """
    plain = all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in found)
    if kinds.get(name.removeprefix(AXIS), plain):
        numbers = found if plain else [_number(value) for value in found]
        return pl.Series(name, numbers, dtype=pl.Float64, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in found], dtype=pl.String)


def _number(value: object) -> float | None:
    """None where a text is none: its run was refused, and says so."""
    if (count := count_in(value)) is not None:
        return float(count)
    try:
        return float(value) if isinstance(value, str | float) else None
    except ValueError:
        return None


class Sweep(Shown):
    """The folder of a sweep: what is in it stays, whatever ends the program that fills it."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self._journal = self.folder / "unsaved.jsonl"
        self._unsaved: list[Row] = []

    def _card(self) -> Card:
        from tessera.evidence.marks import with_marks

        facts, results = self.facts, self.results
        good = results.filter(pl.col("exit_status") == 0)
        missing = results["exit_status"].null_count()
        warnings = [f"{counted(results.height - good.height - missing, 'run')} failed (.failed says why)"] if results.height > good.height + missing else []
        warnings += [f"{counted(missing, 'run')} not made yet"] if missing else []
        marks = with_marks(good)["marks"] if good.height else pl.Series(dtype=pl.String)
        counts = marks.filter(marks != "").value_counts(sort=True).rows()
        warnings += [f"{counted(count, 'run')} {mark}" for mark, count in counts[:3]]
        rows = [("runs", f"{results.height:,}")]
        for name in facts.get("axes", ())[:MOST_AXES]:
            values = results[AXIS + name].drop_nulls().unique(maintain_order=True).to_list() if AXIS + name in results.columns else []
            said = ", ".join(figure(value) if isinstance(value, float) else str(value) for value in values[:MOST_VALUES])
            rows.append((name, said + (f", ... ({len(values)} values)" if len(values) > MOST_VALUES else "")))
        for name, metric in (("mean latency", "host.latency.mean"), ("p99 latency", "host.latency.p99")):
            if metric in good.columns and good[metric].drop_nulls().len():
                rows.append((name, f"{figure(good[metric].min(), 'ms')} to {figure(good[metric].max(), 'ms')}"))
        return Card("Sweep", ", ".join(filter(None, (facts.get("title"), str(self.folder)))), warnings, rows)

    @property
    def kinds(self) -> Kinds:
        found = self.facts.get("kinds", {})
        if not isinstance(found, dict) or not all(isinstance(kind, bool) for kind in found.values()):
            raise damaged(self.folder / "sweep.json")
        return found

    @property
    def facts(self) -> dict[str, Any]:
        """Title, axes and file of the sweep. Raises InputError where the folder is none of a sweep, or of another schema."""
        file = self.folder / "sweep.json"
        if not file.exists():
            raise InputError(f"{self.folder} is no folder of a sweep")
        facts = read_json(file)
        if not isinstance(facts, dict):
            raise damaged(file)
        check_schema(file, facts.get("schema"), SCHEMA)
        return facts

    def begin(self, facts: Mapping[str, Any], keys: Iterable[str]) -> None:
        """Makes the folder, or goes on in it: what an interrupted sweep had not put into the dataset goes there now. `keys`: the results
        that the plan of now is made of."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if (self.folder / "sweep.json").exists() and (known := self.kinds):
            facts = {**facts, "kinds": {**known, **facts.get("kinds", {})}}  # of earlier plans too
        write_inside(self.folder / "plan.keys", "".join(f"{key}\n" for key in keys))
        write_inside(self.folder / "sweep.json", json.dumps({"schema": SCHEMA, **facts}, indent=1) + "\n")
        own_folder(self.folder / "runs")
        make_way(self._journal)
        if self._journal.exists():
            self._unsaved = list(_whole_lines(self._journal))
            self.save()

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """More of what the folder is of, next to what it began with."""
        write_inside(self.folder / "sweep.json", json.dumps({**self.facts, **facts}, indent=1) + "\n")

    def add(self, row: Row) -> None:
        """Keeps a result: in the journal at once, in the dataset with the next part."""
        with open(self._journal, "a", encoding="utf-8") as journal:
            journal.write(json.dumps(row) + "\n")
        self._unsaved.append(row)
        if len(self._unsaved) >= ROWS_A_PART:
            self.save()

    def save(self) -> None:
        """Puts what the journal holds into the dataset."""
        if self._unsaved:
            number = 1 + max((int(part.stem.split("-")[1]) for part in (self.folder / "runs").glob("part-[0-9]*.parquet")), default=0)
            part = self.folder / "runs" / f"part-{number:06}.parquet"
            write_frame(part, frame_of(self._unsaved, self.kinds))
            self._unsaved = []
        self._journal.unlink(missing_ok=True)

    @property
    def results(self) -> pl.DataFrame:
        """Every result of the last plan, in its order whichever ended first: `key`, `exit_status`, `message`, `command`, the axes as
        `axis.NAME`, and every metric under its name (null where a run has none). A run that was made again shows its last result."""
        return bare(self._planned())

    def _planned(self) -> pl.DataFrame:
        """With the columns that leave a warm-up out."""
        _ = self.facts
        keys = read_text(self.folder / "plan.keys").split()
        planned = pl.DataFrame({"key": keys}, schema={"key": pl.String}).unique(maintain_order=True)
        return planned.join(self.everything(), on="key", maintain_order="left")

    def everything(self) -> pl.DataFrame:
        """The same for all that the folder holds, of earlier plans and simulators too."""
        with fitting(self.folder):
            return self._everything()

    def _everything(self) -> pl.DataFrame:
        kinds = self.kinds if (self.folder / "sweep.json").exists() else {}
        parts = sorted((self.folder / "runs").glob("part-*.parquet"))
        frames = [_read(part) for part in parts]
        if self._journal.exists():
            frames.append(frame_of(_whole_lines(self._journal), kinds))
        frames = [frame for frame in frames if frame.height]
        if not frames:
            return pl.DataFrame(schema=FACTS)
        mixed = {name for frame in frames for name, kind in frame.schema.items() if name.startswith(AXIS) and kind == pl.String}
        mixed = {name for name in mixed if not kinds.get(name.removeprefix(AXIS), False)} | {AXIS + name for name, number in kinds.items() if not number}
        alike = [frame.with_columns(_as_declared(frame[name], name in mixed) for name in frame.columns if name.startswith(AXIS)) for frame in frames]
        return pl.concat([pl.DataFrame(schema=FACTS), *alike], how="diagonal_relaxed").unique("key", keep="last", maintain_order=True)

    @property
    def good(self) -> pl.DataFrame:
        """The results of the runs that ended well."""
        return self.results.filter(pl.col("exit_status") == 0)

    def compared(self) -> tuple[pl.DataFrame, int | None]:
        """The results, with latencies and throughput after the warm-up of all, as reports, pictures and answers compare them; and how much that is, as
        one request in so many (None: nothing)."""
        return without_warm_up(self._planned(), self.facts.get("warm_up"))

    @property
    def units(self) -> dict[str, str]:
        """The unit of each metric; "1" of numbers and shares."""
        found = self.facts.get("units", {})
        if not isinstance(found, dict) or not all(isinstance(unit, str) for unit in found.values()):
            raise damaged(self.folder / "sweep.json")
        return found

    def long(self, *metrics: str) -> pl.DataFrame:
        """A row for each run that ended well and each metric: the axes under their names, `metric`, `value`, `unit`. `metrics`: which (default: all)."""
        return long_form(*self._by_axes(), metrics)

    def xarray(self, *metrics: str) -> "xarray.Dataset":
        """The metrics of the runs that ended well as arrays over the axes, with their units. Takes the package xarray."""
        return as_xarray(*self._by_axes(), metrics)

    def _by_axes(self) -> tuple[pl.DataFrame, list[str], dict[str, str]]:
        axes = [name for name in self.axes if AXIS + name in self.good.columns]
        if not self.units:
            raise InputError(f"{self.folder} was made by a version that kept no units: the same command with another --out makes it again")
        rows = self.good.select(pl.col(name).alias(name.removeprefix(AXIS)) for name in self.good.columns if name in self.units or name.removeprefix(AXIS) in axes and name.startswith(AXIS))
        return rows, axes, self.units

    @property
    def failed(self) -> pl.DataFrame:
        """The results of the others, each with its message."""
        return self.results.filter(pl.col("exit_status") != 0)

    @property
    def margin(self) -> float | None:
        """Within how many percent its reports take figures for equal; None of an older version."""
        return self.facts.get("margin")

    @cached_property
    def axes(self) -> list[str]:
        """Names of the axes."""
        return self.facts["axes"]


def _as_declared(column: pl.Series, text: bool) -> pl.Series:
    """An axis of a part that an older version wrote, or that was read before another with words."""
    if text or column.dtype == pl.Float64:
        return column.cast(pl.String) if text else column
    return pl.Series(column.name, [_number(value) for value in column], dtype=pl.Float64)


def _read(part: Path) -> pl.DataFrame:
    frame = read_frame(part)
    if not {"key", "exit_status"} <= set(frame.columns):
        raise damaged(part)
    return frame


def read_frame(file: Path) -> pl.DataFrame:
    """A Parquet file. Raises InputError where it is damaged."""
    try:
        return pl.read_parquet(regular(file), hive_partitioning=False)
    except pl.exceptions.PolarsError:
        raise damaged(file) from None


def write_frame(file: Path, frame: pl.DataFrame) -> None:
    """A Parquet file, all of it or nothing. Raises OSError where it has no room: polars itself has errors of its own for that."""
    made = BytesIO()
    frame.write_parquet(made)
    write_inside(file, made.getvalue())


def _whole_lines(journal: Path) -> Iterable[Row]:
    """The rows of a journal; a last line that was cut off is left out."""
    for line in read_text(journal).splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            return
        if not isinstance(row, dict):
            raise damaged(journal)
        yield row
