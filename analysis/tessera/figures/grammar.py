"""Pictures by a small grammar over any table of results: a kind, and which columns are x, y, by and facet.

    line      y over x, a curve for each value of `by`            bar   y for each x, side by side for each value of `by`
    cdf       share of rows with an x as small                    tail  share of rows with an x as large, both axes logarithmic
    box       the spread of y over the rows of each x             timeline   stretches from one column of x to the other, a lane for each y

Rows that share a place are replicates, and a point is their mean with its 95 % interval: over seeds where the table has some, over rows otherwise. Where
they differ in another axis of a sweep, the point is a mean over that axis, which somebody chose and which is no sample: the note says so, and there is no interval."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
import polars as pl

from tessera.errors import InputError, unknown_name
from tessera.evidence.marks import UNRANKED, of_run_marks, with_marks
from tessera.explore.comparison import Comparison
from tessera.explore.dataset import AMOUNT, AXIS, Sweep
from tessera.figures.chart import MARK, Axis, Facets, Groups, Lanes, Line, Lines, Slice
from tessera.figures.pictures import CLEANINGS, SHORTEST_MS, distinct, in_order, is_ordered, mean_of, mean_over, noted, seeds_note, slower_over, text
from tessera.results.run_folder import Run

Kind = Literal["line", "bar", "cdf", "tail", "box", "timeline"]
KINDS: tuple[str, ...] = get_args(Kind)
NEED = {"line": "x and y", "bar": "x and y", "cdf": "x", "tail": "x", "box": "x and y", "timeline": "x (two columns) and y"}
SEEDS, MARKS = ("axis.seed", "seed"), "marks"
BOX = (0.01, 0.25, 0.5, 0.75, 0.99)  # of a box: whiskers, quartiles and median; latencies have tails that 1.5 interquartile ranges cut off
MOST_FACETS, MOST_SERIES, MOST_GROUPS, MOST_LANES = 12, 24, 60, 40
POINTS = 400  # values of x up to which rows are gathered by them; more are a curve of time, a row a point
WIDE = 100  # times the least value of x: from there a line's x is logarithmic
Drawn = Lines | Groups | Lanes | Facets


@dataclass(frozen=True)
class Columns:
    """What a picture takes of a table, by the names that the table has."""

    kind: str
    x: tuple[str, ...]
    y: str | None
    by: str | None
    facet: str | None
    units: Mapping[str, str] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """
        >>> Columns("bar", (), None, None, None, {"p99": "ms", "ratio": "1"}).label("p99")
        'p99 (ms)'
        """
        unit = self.units.get(name, "1")
        return name.removeprefix(AXIS) + (f" ({unit})" if unit != "1" else "")

    @property
    def used(self) -> tuple[str, ...]:
        return tuple(name for name in (*self.x, self.y, self.by, self.facet) if name)


def frame_of(results: Run | Comparison | Sweep, name: str | None = None) -> pl.DataFrame:
    """A table of results: `runs` of a comparison or a sweep (after the warm-up, of runs that ended well), or a table that runs write (requests, intervals,
    events, tracks, blocks, bands, metrics), of a comparison with columns for layer and seed. `work`: the stretches between the events' begins and ends."""
    if isinstance(results, Sweep):
        if name not in (None, "runs"):
            raise InputError(f"{results.folder}: a sweep has one table, runs; found --frame {name}")
        return results.compared()[0].filter(pl.col("exit_status") == 0)
    if isinstance(results, Run):
        return _of_run(results, name or "requests")
    good = results.runs.filter(pl.col("exit_status") == 0)
    made = [(layer, seed, results.run(layer, seed)) for layer, seed in good.select("layer", "seed").rows()]
    if name in (None, "runs"):
        return good.with_columns(pl.Series(MARKS, ["; ".join(of_run_marks(run)) for *_, run in made], dtype=pl.String))
    tables = [_of_run(run, name).with_columns(pl.lit(layer).alias("layer"), pl.lit(seed).alias("seed")) for layer, seed, run in made]
    return pl.concat(tables, how="diagonal_relaxed") if tables else pl.DataFrame()


FRAMES = ("requests", "intervals", "events", "work", "tracks", "blocks", "bands", "metrics")


def _of_run(run: Run, name: str) -> pl.DataFrame:
    if name not in FRAMES:
        raise unknown_name("table of a run", name, FRAMES)
    return stretches(run.frames.events) if name == "work" else getattr(run.frames, name)


def stretches(events: pl.DataFrame) -> pl.DataFrame:
    """A row for each piece of work that events begin and end: kind, subject, start_s, end_s, cleaning (whether it makes space)."""
    begun: dict[tuple[str, int], list[int]] = {}
    rows = []
    for time, kind, edge, subject in events.select("time_ps", "kind", "edge", "subject").sort("time_ps", maintain_order=True).iter_rows():
        if edge == "begin":
            begun.setdefault((kind, subject), []).append(time)
        elif edge == "end" and begun.get((kind, subject)):
            rows.append((kind, subject, begun[kind, subject].pop() / 1e12, time / 1e12, kind in CLEANINGS))
    schema = {"kind": pl.String, "subject": pl.UInt64, "start_s": pl.Float64, "end_s": pl.Float64, "cleaning": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def chart_of(
    results: Run | Comparison | Sweep | pl.DataFrame, kind: str, *, x: str, y: str | None = None, by: str | None = None, facet: str | None = None, frame: str | None = None, log: str = "",
    layers: Sequence[str] = (), labels: Mapping[str, str] = MappingProxyType({}), title: str = "",
) -> Drawn:  # fmt: skip
    """A picture of results, or of any table. Axes of sweeps go without "axis.". `log`: "x", "y" or "xy". `layers`: which, in this order; `labels`:
    what values of `by`, `facet` and x are called. Raises InputError, with the nearest name, for a column that the table does not have.

    >>> table = pl.DataFrame({"layer": ["a", "a", "b", "b"], "seed": [1, 2, 1, 2], "mean": [1.0, 3.0, 2.0, 2.0]})
    >>> chart_of(table, "bar", x="layer", y="mean").series["mean"]
    [(2.0, 12.706...), (2.0, 0.0)]
    """
    rows = results if isinstance(results, pl.DataFrame) else frame_of(results, frame)
    columns = replace(_columns(rows, kind, x, y, by, facet), units={} if isinstance(results, pl.DataFrame | Run) else results.units)
    if bad := set(log) - set("xy"):
        raise InputError(f"log: expected x, y or xy, found '{log}' ({', '.join(sorted(bad))})")
    rows = _of_layers(rows, layers).drop_nulls(columns.used)
    if rows.height == 0:
        raise InputError(f"nothing to draw: the table has no row with {' and '.join(columns.used)}")
    if MARKS not in rows.columns and isinstance(results, Sweep):
        rows = with_marks(rows, [columns.y or columns.x[0]])
    said = title or _title(columns)
    if facet is None:
        return _one(rows, columns, log, labels, said)
    values = in_order(rows[columns.facet])
    if len(values) > MOST_FACETS:
        raise InputError(f"facet: {columns.facet} has {len(values)} values; a picture has room for {MOST_FACETS} panels")
    panels = [_one(rows.filter(pl.col(columns.facet) == value), columns, log, labels, _named(value, labels)) for value in values]
    notes = list(dict.fromkeys(panel.note for panel in panels if panel.note))
    return Facets(panels[0].name, said, [replace(panel, note="") for panel in panels], "; ".join(notes))


def _columns(rows: pl.DataFrame, kind: str, x: str, y: str | None, by: str | None, facet: str | None) -> Columns:
    if kind not in KINDS:
        raise unknown_name("kind of picture", kind, KINDS)
    if (y is None) != (kind in ("cdf", "tail")):
        raise InputError(f"a {kind} takes {NEED[kind]}; found {'no y' if y is None else f'y = {y}'}")
    across = tuple(word.strip() for word in x.split(",")) if kind == "timeline" else (x,)
    if kind == "timeline" and len(across) != 2:
        raise InputError(f"the x of a timeline: expected two columns, begin and end, such as start_s,end_s; found '{x}'")
    found = Columns(kind, tuple(_column(rows, "x", name) for name in across), *(name and _column(rows, what, name) for what, name in (("y", y), ("by", by), ("facet", facet))))
    for what, name in (("x", found.x[0] if kind in ("cdf", "tail") else None), ("y", found.y if kind in ("line", "bar", "box") else None), *(("x", name) for name in found.x if kind == "timeline")):
        if name and not rows.schema[name].is_numeric():
            raise InputError(f"{what} = {name.removeprefix(AXIS)}: a {kind} takes numbers there, and this column has words")
    return found


def _column(rows: pl.DataFrame, what: str, name: str) -> str:
    for found in (name, AXIS + name):
        if found in rows.columns:
            return found
    raise unknown_name(f"column for {what}", name, [column.removeprefix(AXIS) for column in rows.columns if not column.startswith(AMOUNT)])


def _of_layers(rows: pl.DataFrame, layers: Sequence[str]) -> pl.DataFrame:
    if not layers:
        return rows
    column = _column(rows, "layers", "layer")
    known = rows[column].drop_nulls().unique(maintain_order=True).to_list()
    for layer in layers:
        if layer not in known:
            raise unknown_name("layer of these results", layer, known)
    return pl.concat([rows.filter(pl.col(column) == layer) for layer in layers])


def _title(columns: Columns) -> str:
    """
    >>> _title(Columns("line", ("axis.limit",), "host.latency.mean", "axis.layer", None)), _title(Columns("tail", ("latency_ms",), None, None, None))
    ('host.latency.mean over limit by layer', 'Share of rows with a larger latency_ms')
    """
    bare = [name.removeprefix(AXIS) for name in columns.x]
    share = {"cdf": f"Share of rows with a smaller {bare[0]}", "tail": f"Share of rows with a larger {bare[0]}"}
    said = share.get(columns.kind) or (f"{columns.y} over time" if columns.kind == "timeline" else f"{columns.y} over {bare[0]}")
    return said + "".join(f" {word} {name.removeprefix(AXIS)}" for word, name in (("by", columns.by), ("in panels of", columns.facet)) if name)


def _named(value: object, labels: Mapping[str, str]) -> str:
    return labels.get(str(value), text(value))


def _one(rows: pl.DataFrame, columns: Columns, log: str, labels: Mapping[str, str], title: str) -> Lines | Groups | Lanes:
    """One panel."""
    make = {"line": _line, "bar": _groups, "box": _groups, "cdf": _shares, "tail": _shares, "timeline": _timeline}[columns.kind]
    return make(rows, columns, log, labels, title)


def _series(rows: pl.DataFrame, columns: Columns, labels: Mapping[str, str], most: int = MOST_SERIES) -> Iterable[tuple[str, str, pl.DataFrame]]:
    """For each value of `by`: what it is called (with a mark where a row must not be ranked), what it is, and its rows."""
    values = in_order(rows[columns.by]) if columns.by else [None]
    if len(values) > most:
        raise InputError(f"by: {columns.by} has {len(values)} values; a picture has room for {most}")
    for value in values:
        part = rows if value is None else rows.filter(pl.col(columns.by) == value)
        name = (columns.y or columns.x[0]).removeprefix(AXIS) if value is None else _named(value, labels)
        yield name + (MARK if _marked(part) else ""), str(name if value is None else value), part


def _marked(rows: pl.DataFrame) -> bool:
    return MARKS in rows.columns and rows[MARKS].str.contains_any(UNRANKED).any() is True


def _replicates(rows: pl.DataFrame, columns: Columns) -> tuple[float, float | None]:
    """Mean of y over the rows of one place, and half its interval where they are replicates."""
    others = _others(rows, columns)
    differing = [name for name in others if rows[name].n_unique() > 1]
    if differing:
        return float(rows.group_by(differing).agg(pl.col(columns.y).mean())[columns.y].mean()), None
    return mean_of(rows[columns.y].to_list())


def _others(rows: pl.DataFrame, columns: Columns) -> list[str]:
    return [name for name in rows.columns if (name.startswith(AXIS) or name == "layer") and name not in (*columns.used, *SEEDS)]


def _note(rows: pl.DataFrame, columns: Columns, counts: Sequence[int]) -> str:
    means = mean_over(rows.rename({"layer": "axis.layer"}) if "layer" in rows.columns else rows, [name.removeprefix(AXIS) for name in _others(rows, columns)])
    seeds = seeds_note(counts)
    if seeds and not any(name in rows.columns for name in SEEDS):
        seeds = seeds.replace("seeds", "rows")
    return noted(seeds, f"mean over {means}" if means else "", f"{MARK} not to be ranked" if _marked(rows) else "")


def _x_axis(rows: pl.DataFrame, columns: Columns, log: str) -> tuple[Axis, dict[object, float], list]:
    """The axis of x, the place of each value on it, and the values in order: numbers and quantities lie where they are, words side by side."""
    column = columns.x[0]
    values, name = in_order(rows[column]), column.removeprefix(AXIS)
    amounts = AMOUNT + name
    if rows.schema[column].is_numeric():
        places = {value: float(value) for value in values}
    elif amounts in rows.columns and is_ordered(rows[column]):
        places = dict(rows.select(column, amounts).drop_nulls().unique().rows())
    else:
        return Axis(name, ticks=tuple((float(place), shown) for place, shown in enumerate(distinct(values)))), {value: float(place) for place, value in enumerate(values)}, values
    least, most = min(places.values()), max(places.values())
    wide = "x" in log or (not log and least > 0 and most >= WIDE * least and len(places) <= MOST_SERIES)
    if "x" in log and least <= 0:
        raise InputError(f"log = x: {name} has values of 0 or below")
    few = len(values) <= 8 and not rows.schema[column].is_numeric()
    return Axis(columns.label(name), log=wide, ticks=tuple((places[value], text(value)) for value in values) if few else ()), places, values


def _line(rows: pl.DataFrame, columns: Columns, log: str, labels: Mapping[str, str], title: str) -> Lines:
    x, places, order = _x_axis(rows, columns, log)
    lines, counts = [], []
    for name, key, part in _series(rows, columns, labels):
        groups = {value: part.filter(pl.col(columns.x[0]) == value) for value in order} if len(order) <= POINTS else {}
        if groups:
            points = [(places[value], *_replicates(group, columns), group.height) for value, group in groups.items() if group.height]
        else:
            points = [(places[at], float(value), None, 1) for at, value in part.select(columns.x[0], columns.y).sort(columns.x[0]).rows()]
        halves = [half for _, _, half, _ in points]
        several = any(half is not None for half in halves)
        counts += [count for *_, half, count in points if half is not None]
        lines.append(Line(name, [at for at, *_ in points], [value for _, value, *_ in points], half_widths=[half or 0.0 for half in halves] if several else None, key=key))
    return Lines("line", title, x, Axis(columns.label(columns.y), log="y" in log), lines, note=_note(rows, columns, counts))


def _groups(rows: pl.DataFrame, columns: Columns, log: str, labels: Mapping[str, str], title: str) -> Groups:
    order = in_order(rows[columns.x[0]])
    if len(order) > MOST_GROUPS:
        raise InputError(f"x: {columns.x[0]} has {len(order)} values; a {columns.kind} has room for {MOST_GROUPS}")
    series, keys, counts = {}, {}, []
    for name, key, part in _series(rows, columns, labels):
        keys[name], cells = key, []
        for value in order:
            cell = part.filter(pl.col(columns.x[0]) == value)
            if cell.height == 0:
                cells.append(None)
            elif columns.kind == "box":
                cells.append(tuple(float(found) for found in np.quantile(cell[columns.y].to_numpy(), BOX)))
            else:
                cells.append(_replicates(cell, columns))
                counts += [cell.height] if cells[-1][1] is not None else []
        series[name] = cells
    marked = {value for value in order if not columns.by and _marked(rows.filter(pl.col(columns.x[0]) == value))}
    names = [(_named(value, labels) if str(value) in labels else shown) + (MARK if value in marked else "") for value, shown in zip(order, distinct(order))]
    if columns.kind == "box":
        note = noted("box: quartiles and median; whiskers: 1st and 99th percentile of the rows", f"{MARK} not to be ranked" if _marked(rows) else "")
    else:
        note = _note(rows, columns, counts)
    if not columns.by:  # what is marked is the bar
        series, keys = {columns.y: next(iter(series.values()))}, {}
    return Groups(columns.kind, title, Axis(columns.x[0].removeprefix(AXIS)), Axis(columns.label(columns.y), log="y" in log), names, series, keys, note)


def _shares(rows: pl.DataFrame, columns: Columns, log: str, labels: Mapping[str, str], title: str) -> Lines:
    """Share of rows as large, or as small; of several seeds the mean of the values at each share."""
    column, tail = columns.x[0], columns.kind == "tail"
    seed = next((name for name in SEEDS if name in rows.columns), None)
    lines, counts = [], []
    wide = tail or "x" in log
    for name, key, part in _series(rows, columns, labels):
        logs = [group[column].to_numpy().astype(float) for group in (part.partition_by(seed) if seed else [part])]
        counts.append(len(logs))
        values, halves, shares = slower_over(logs) if tail else smaller_over(logs)
        values = np.maximum(values, SHORTEST_MS) if wide else values
        lines.append(Line(name, values.tolist(), shares.tolist(), x_half_widths=halves, key=key))
    least = min(min(line.x) for line in lines)
    label = "latency (ms)" if column == "latency_ms" else columns.label(column)
    x, y = Axis(label, log=wide and least > 0), Axis("share of rows", log=tail or "y" in log)
    return Lines(columns.kind, title, x, y, lines, steps=True, note=noted(seeds_note(counts) if seed else "", f"{MARK} not to be ranked" if _marked(rows) else ""))


def smaller_over(logs: Sequence[np.ndarray]) -> tuple[np.ndarray, list[float] | None, np.ndarray]:
    """Of several seeds the mean value below which each share lies, and half its interval.

    >>> smaller_over([np.array([3.0, 1.0, 2.0, 4.0])])
    (array([1., 2., 3., 4.]), None, array([0.25, 0.5 , 0.75, 1.  ]))
    """
    count = min(min(map(len, logs)), POINTS)
    shares = np.arange(1, count + 1) / count
    rows = [np.sort(log)[np.maximum(1, np.ceil(shares * len(log)).astype(int)) - 1] for log in logs]
    if len(logs) == 1:
        return rows[0], None, shares
    estimates = [mean_of(column.tolist()) for column in np.array(rows).T]
    return np.array([value for value, _ in estimates]), [half or 0.0 for _, half in estimates], shares


def _timeline(rows: pl.DataFrame, columns: Columns, log: str, labels: Mapping[str, str], title: str) -> Lanes:
    begin, end = columns.x
    lanes: dict[str, list[Slice]] = {}
    order = in_order(rows[columns.y])
    if len(order) > MOST_LANES:
        raise InputError(f"y: {columns.y} has {len(order)} values; a timeline has room for {MOST_LANES} lanes")
    for value in order:
        part = rows.filter(pl.col(columns.y) == value).select(begin, end, columns.by or columns.y).sort(begin)
        lanes[_named(value, labels)] = [Slice(float(first), float(last), _named(what, labels)) for first, last, what in part.rows()]
    unit = "simulated time (s)" if begin.endswith("_s") else f"{begin} to {end}"
    return Lanes("timeline", title, Axis(unit), Axis(columns.y.removeprefix(AXIS)), None, lanes)
