"""What the pictures show: each function makes a chart of runs, a comparison or a sweep."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from tessera.errors import unknown_name
from tessera.evidence.front import front
from tessera.evidence.intervals import of_mean
from tessera.evidence.marks import rankable
from tessera.figures.chart import MARK, Axis, Heat, Line, Lines, Stack
from tessera.results.bound_by import CAUSES
from tessera.results.families import YARDSTICK
from tessera.results.human import frequency
from tessera.results.percentiles import percentiles_in
from tessera.results.request_log import latency_ms, life_causes, life_phases
from tessera.results.run_folder import Run
from tessera.results.stem import ENDINGS, stem

POINTS = 600  # of a curve: what an eye or a page can tell apart
LABEL_ROOM = 0.12  # of the width of a picture
SHORTEST_MS = 1e-3  # a logarithmic axis has no 0: anything below a microsecond stands at its edge
LIFE_GROUPS = ((0, 0.5, "faster half"), (0.5, 0.9, "50 to 90 %"), (0.9, 0.99, "90 to 99 %"), (0.99, 0.999, "99 to 99.9 %"), (0.999, 1, "slowest 0.1 %"))
CLEANINGS = ("clean", "merge", "collect")  # kinds of events
LATENCY = "latency, arrival to completion (ms)"
Runs = Mapping[str, Run | Sequence[Run]]
"""By name: a run, or one for each seed."""


def by_seed(runs: Runs) -> dict[str, tuple[Run, ...]]:
    return {name: (found,) if isinstance(found, Run) else tuple(found) for name, found in runs.items()}


def mean_of(values: Sequence[float]) -> tuple[float, float | None]:
    """A mean over seeds, and half its 95 % interval; None of one seed."""
    if len(values) < 2:
        return float(values[0]), None
    estimate = of_mean(np.asarray(values, dtype=float))
    return estimate.value, estimate.half_width


def seeds_note(counts: Iterable[int]) -> str:
    """What an interval is, for the caption; "" where no figure has several seeds.

    >>> seeds_note([3, 3]), seeds_note([2, 3]), seeds_note([1])
    ('mean and 95 % interval over 3 seeds', 'mean and 95 % interval over 2 to 3 seeds', '')
    """
    found = sorted(set(counts))
    if not found or found[-1] < 2:
        return ""
    return f"mean and 95 % interval over {found[0]} to {found[-1]} seeds" if len(found) > 1 else f"mean and 95 % interval over {found[0]} seeds"


def latency_tail(runs: Runs) -> Lines:
    """Share of requests slower than a latency, both axes logarithmic: the tail is as plain as the rest. Of several seeds, the mean latency at each share."""
    lines, counts = [], []
    for name, found in by_seed(runs).items():
        logs = [latency_ms(run.requests) for run in found if len(run.requests)]
        if not logs:
            continue
        latencies, half_widths, shares = slower_over(logs)
        counts.append(len(logs))
        lines.append(Line(name, np.maximum(latencies, SHORTEST_MS).tolist(), shares.tolist(), x_half_widths=half_widths, muted=name == YARDSTICK and len(runs) > 1))
    title = "Share of requests slower than a latency"
    return Lines("latency-tail", title, Axis(LATENCY, log=True), Axis("share of requests", log=True), lines, steps=True, note=seeds_note(counts))


def slower(latencies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Latencies, and the shares of requests that are as slow or slower, at points that are spread evenly over the logarithm of the share, so
    that the tail has as many as the rest."""
    found, _, shares = slower_over([latencies])
    return found, shares


def slower_over(logs: Sequence[np.ndarray]) -> tuple[np.ndarray, list[float] | None, np.ndarray]:
    """The same of several seeds: at each share the mean of their latencies, and half its interval."""
    count = min(map(len, logs))
    shares = np.unique(np.geomspace(1, count, POINTS).round().astype(np.int64))[::-1] / count
    rows = []
    for log in logs:
        ranks = np.maximum(1, (shares * len(log)).round().astype(np.int64))
        rows.append(np.sort(log)[len(log) - ranks])
    if len(logs) == 1:
        return rows[0], None, shares
    estimates = [of_mean(column) for column in np.array(rows).T]
    return np.array([each.value for each in estimates]), [each.half_width for each in estimates], shares


def latency_percentiles(runs: Runs) -> Lines:
    """The same from the percentiles of the summaries, where no run wrote its requests."""
    lines, counts = [], []
    for name, found in by_seed(runs).items():
        points = []
        for percentile, fraction in percentiles_in(found[0].summary["metrics"]).items():
            known = [latency for run in found if (latency := run.find(f"host.latency.{percentile}")) is not None]
            if known:
                points.append((*mean_of(known), 1 - fraction))
                counts.append(len(known))
        if points:
            half_widths = [half or 0.0 for _, half, _ in points] if any(half is not None for _, half, _ in points) else None
            latencies, shares = [max(latency, SHORTEST_MS) for latency, _, _ in points], [share for _, _, share in points]
            lines.append(Line(name, latencies, shares, x_half_widths=half_widths, muted=name == YARDSTICK and len(runs) > 1))
    title = "Share of requests slower than a latency, from percentiles"
    return Lines("latency-percentiles", title, Axis(LATENCY, log=True), Axis("share of requests", log=True), lines, note=seeds_note(counts))


def latency_over_time(run: Run) -> Lines:
    """Median, 99th percentile and longest latency by the time of arrival, cleanings shaded."""
    log = run.requests
    order = np.argsort(log["arrival"], kind="stable")
    seconds, latencies = log["arrival"][order] / 1e12, latency_ms(log)[order]
    bounds = np.unique(np.linspace(0, len(order), min(POINTS // 3, len(order)) + 1).astype(int))
    bins = [latencies[begin:end] for begin, end in zip(bounds, bounds[1:])]
    at = [float(seconds[begin]) for begin in bounds[:-1]]
    lines = [
        Line("longest", at, [max(float(part.max()), SHORTEST_MS) for part in bins], muted=True),
        Line("99th percentile", at, [max(float(np.quantile(part, 0.99)), SHORTEST_MS) for part in bins]),
        Line("median", at, [max(float(np.median(part)), SHORTEST_MS) for part in bins]),
    ]
    return Lines(
        "latency-over-time", "Latency over time", Axis("arrival (s of simulated time)"), Axis(LATENCY, log=True), lines,
        shades=cleanings(run, float(seconds[-1]) / 1000 if len(seconds) else 0), shade_label="cleaning",
    )  # fmt: skip


def cleanings(run: Run, shortest: float) -> list[tuple[float, float]]:
    """When firmware cleaned, in seconds, from events.csv; stretches closer than `shortest` are one. None where there is no such file."""
    if not (run.folder / "events.csv").exists():
        return []
    events = run.frames.events.filter(pl.col("kind").is_in(CLEANINGS))
    depth, begun, found = 0, 0.0, []
    for time, edge in events.select("time_ps", "edge").sort("time_ps", maintain_order=True).rows():
        if edge == "begin":
            begun = time / 1e12 if depth == 0 else begun
            depth += 1
        elif edge == "end" and depth:
            depth -= 1
            if depth == 0:
                if found and begun - found[-1][1] < shortest:
                    found[-1] = (found[-1][0], time / 1e12)
                else:
                    found.append((begun, time / 1e12))
    return found


def life(run: Run) -> Stack:
    """Where the time of requests goes, from the fast ones to the slowest."""
    fields = {phase.replace("_", " "): phase for phase in life_phases(run.requests)}
    return _by_latency(run, "life", "Where a request's time goes, by its latency", fields)


def causes(run: Run) -> Stack:
    """Whose work requests wait for, from the fast ones to the slowest."""
    fields = {CAUSES[cause]: field for cause, field in life_causes(run.requests).items()}
    return _by_latency(run, "causes", "Whose work a request's time is, by its latency", fields)


def _by_latency(run: Run, name: str, title: str, fields: Mapping[str, str]) -> Stack:
    """The parts of the latency, by the names of `fields`, of the fast requests to the slowest."""
    log = run.requests
    order = np.argsort(latency_ms(log), kind="stable")
    categories, rows = [], []
    for begin, end, group in LIFE_GROUPS:
        chosen = log[order[int(begin * len(order)) : int(end * len(order))]]
        if len(chosen) == 0:
            continue
        means = np.array([float(np.mean(chosen[field])) / 1e9 for field in fields.values()])
        categories.append(f"{group} (mean {_short(means.sum())} ms)")
        rows.append(100 * means / means.sum() if means.sum() > 0 else means)
    shares = np.array(rows).reshape(-1, len(fields))
    parts = {part: shares[:, index].tolist() for index, part in enumerate(fields) if len(shares) and shares[:, index].max() >= 0.1}
    return Stack(name, title, Axis("share of the latency (%)"), categories, parts, totals=False)


def _short(value: float) -> str:
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def _two_digits(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"


def _stack(name: str, title: str, axis: Axis, runs: Runs, parts_of: Callable[[Run], Mapping[str, float]]) -> Stack:
    """A bar a name: each part's mean over the seeds, and the interval of their sum."""
    found = {each: [parts_of(run) for run in group] for each, group in by_seed(runs).items()}
    names = dict.fromkeys(part for group in found.values() for parts in group for part in parts)
    parts = {part: [float(np.mean([each.get(part, 0.0) for each in group])) for group in found.values()] for part in names}
    used = {part: values for part, values in parts.items() if max(values) > 0}
    halves = [mean_of([sum(each.values()) for each in group])[1] for group in found.values()]
    several = any(half is not None for half in halves)
    return Stack(name, title, axis, list(runs), used, half_widths=halves if several else None, note=seeds_note(map(len, found.values())))


def write_amplification(runs: Runs) -> Stack:
    """What was written to platters, region by region, and to flash, over what the host wrote."""

    def parts_of(run: Run) -> dict[str, float]:
        parts: dict[str, float] = {}
        total, media = run.find("media.sectors_written.total") or 0, run.find("write_amplification.media") or 0
        for name in run.summary["metrics"]:
            if (match := re.fullmatch(r"media\.sectors_written\.(?!total)(.*?)(_\d+|_inner|_outer)?", name)) and total:
                part = f"platters: {match.group(1)}"
                parts[part] = parts.get(part, 0.0) + media * (run.find(name) or 0) / total
        return parts | {"flash": run.find("write_amplification.flash") or 0.0}

    return _stack("write-amplification", "Write amplification by destination", Axis("sectors written over the host's sectors"), runs, parts_of)


def _values(run: Run, names: Mapping[str, tuple[str, float]]) -> dict[str, float]:
    """Name of a part -> its value; of each metric, what it is multiplied by."""
    return {part: (run.find(metric) or 0) * factor for part, (metric, factor) in names.items()}


def energy(runs: Runs) -> Stack:
    """Energy by part of the drive."""
    of_media = {f"disk: {part}": (f"media.energy.{part}", 1e3) for part in ("idle", "idle_a", "idle_b", "idle_c", "standby", "recovery", "seek", "read", "write", "laser")}
    of_flash = {f"flash: {part}": (f"nand.energy.{part}", 1.0) for part in ("read", "program", "erase")}
    names = {**of_media, **of_flash, "DRAM": ("dram.energy", 1.0)}

    def parts_of(run: Run) -> dict[str, float]:
        count = max(1.0, run.find("host.requests") or 1.0)
        return {part: value / count for part, value in _values(run, names).items()}

    return _stack("energy", "Energy per request by component", Axis("energy (mJ per request)"), runs, parts_of)


def bus(runs: Runs) -> Stack:
    """Who moves data over the bus."""
    names = {name: (f"bus.{name}.utilisation", 100.0) for name in ("host", "disk", "flash", "cpu", "copy", "descriptors", "registers")}
    title = "Share of time in which the bus moves data, by initiator"
    return _stack("bus", title, Axis("share of the measured time (%)"), runs, lambda run: _values(run, names))


def pareto(points: pl.DataFrame, objectives: Sequence[str], label: str = "label") -> Lines:
    """Designs by two figures that are both to be small; those that no other beats in both are the front. OBJECTIVE.half_width, where there are
    such columns, are half the intervals. Columns `front` and `settled` say which they are, and of which it is sure, where that is known."""
    first, second = objectives[:2]
    known = points.drop_nulls([first, second])
    widths = [f"{name}.half_width" for name in (first, second)]
    if "front" in known.columns:
        best = known["front"].to_numpy()
    else:
        best = front(known.select(first, second).to_numpy())
    sure = known["settled"].fill_null(True).to_numpy() if "settled" in known.columns else np.ones(known.height, dtype=bool)
    chosen, open_, others = known.filter(pl.Series(best)).sort(first), known.filter(pl.Series(~best & ~sure)), known.filter(pl.Series(~best & sure))
    axes = [Axis(with_unit(name)) for name in (first, second)]

    def halves(rows: pl.DataFrame, name: str) -> list[float] | None:
        found = rows[name].to_list() if name in rows.columns else []
        return found if any(found) else None

    def line(name: str, rows: pl.DataFrame, **more: Any) -> Line:
        return Line(name, rows[first].to_list(), rows[second].to_list(), half_widths=halves(rows, widths[1]), x_half_widths=halves(rows, widths[0]), **more)

    lines = [line("beaten", others, points_only=True, muted=True)] if others.height else []
    lines += [line("not settled", open_, points_only=True)] if open_.height else []
    room = LABEL_ROOM * (known[first].max() - known[first].min()) if known.height else 0.0
    labels = _apart(chosen[first].to_list(), chosen[label].to_list(), room) if label in chosen.columns else None
    lines.append(line("front", chosen, labels=labels, points_only=True))
    return Lines("pareto", "Pareto front", *axes, lines)


def _apart(at: Sequence[float], labels: Sequence[str], room: float) -> list[str]:
    """The labels of points that have room for one."""
    shown: list[str] = []
    last = float("-inf")
    for place, label in zip(at, labels):
        shown.append(label if place - last >= room else "")
        last = place if shown[-1] else last
    return shown


def heat(results: pl.DataFrame, x: str, y: str, metric: str) -> Heat:
    """Mean of a metric over two axes of a sweep; where several runs share a place, with half the 95 % interval."""
    axes = [name.removeprefix("axis.") for name in results.columns if name.startswith("axis.")]
    for name in (x, y):
        if name not in axes:
            raise unknown_name("axis of this sweep", name, axes)
    known_metric(results, metric)
    xs, ys = (in_order(results[f"axis.{name}"]) for name in (x, y))
    others = [name for name in axes if name not in (x, y, "seed")]
    values, texts, halves, marked = [], [], [], False
    for at_y in ys:
        rows = [results.filter((pl.col(f"axis.{x}") == at_x) & (pl.col(f"axis.{y}") == at_y)).drop_nulls(metric) for at_x in xs]
        cells = [cell(found, others, metric) for found in rows]
        values.append([each[0] for each in cells])
        texts.append([each[1] for each in cells])
        halves.append([seeds_half(found, others, metric) for found in rows])
        marked = marked or any(each[1].endswith(MARK) for each in cells)
    means = mean_over(results, others)
    seeds = "± half the 95 % interval over the seeds" if any("±" in each for row in texts for each in row) else ""
    note = noted(f"mean over {means}" if means else "", seeds, f"{MARK} not to be ranked" if marked else "")
    return Heat("heat", f"{metric} over {x} and {y}", Axis(x), Axis(y), distinct(xs), distinct(ys), values, texts, with_unit(metric), note, halves if seeds else ())


def known_metric(results: pl.DataFrame, metric: str) -> None:
    """Raises InputError, with the nearest name, where the rows have no such figure."""
    if metric not in results.columns:
        raise unknown_name("metric", metric, [name for name in results.columns if not name.startswith("axis.")])


def noted(*parts: str) -> str:
    """The parts of a note that there are."""
    return "; ".join(filter(None, parts))


def mean_over(results: pl.DataFrame, others: Sequence[str]) -> str:
    """What a figure is a mean over, seeds left out: those have an interval."""
    counts = {name: results[f"axis.{name}"].drop_nulls().n_unique() for name in others}  # null: a design without that axis
    return " and ".join(f"{count} values of {name}" for name, count in counts.items() if count > 1)


def with_unit(metric: str) -> str:
    """The dataset of a sweep has no units; those of the figures that are compared most.

    >>> with_unit("host.latency.p99"), with_unit("energy.total"), with_unit("write_amplification.total")
    ('host.latency.p99 (ms)', 'energy.total (J)', 'write_amplification.total')
    """
    unit = "ms" if metric.startswith("host.latency.") else "J" if metric == "energy.total" else ""
    return f"{metric} ({unit})" if unit else metric


def seeds_half(rows: pl.DataFrame, others: Sequence[str], metric: str) -> float | None:
    """Half the interval of a figure's mean, where its runs differ by their seeds alone."""
    if rows.height < 2 or any(rows[f"axis.{name}"].n_unique() > 1 for name in others):
        return None
    return mean_of(rows[metric].to_list())[1]


def cell(rows: pl.DataFrame, others: Sequence[str], metric: str) -> tuple[float | None, str]:
    """Mean of a figure, and how it reads: with half its interval where the runs differ by their seeds alone, with the range where they differ
    in another axis, since levels that somebody chose are no sample; with a mark where a run must not be ranked."""
    if rows.height == 0:
        return None, ""
    mark = MARK if rankable(rows, [metric]).height < rows.height else ""
    differing = [f"axis.{name}" for name in others if rows[f"axis.{name}"].n_unique() > 1]
    if differing:
        means = rows.group_by(differing).agg(pl.col(metric).mean())[metric]
        mean, least, most = (float(value) for value in (means.mean(), means.min(), means.max()))
        return mean, f"{_short(mean)} ({_short(least)} to {_short(most)}){mark}"
    found = rows[metric].to_numpy()
    if len(found) == 1:
        return float(found[0]), _short(float(found[0])) + mark
    estimate = of_mean(found)
    width = f" ± {_two_digits(estimate.half_width)}" if estimate.half_width else ""
    return estimate.value, f"{_short(estimate.value)}{width}{mark}"


def in_order(column: pl.Series) -> list:
    """The values of an axis: quantities by their size, words as they come."""
    from tessera.errors import InputError
    from tessera.explore.axes import amount

    found = column.drop_nulls().unique(maintain_order=True).to_list()
    try:
        return sorted(found, key=amount)
    except InputError:
        return found


def is_ordered(column: pl.Series) -> bool:
    """Whether the values of an axis are amounts, which go from little to much."""
    from tessera.errors import InputError
    from tessera.explore.axes import amount

    try:
        return all(amount(value) is not None for value in column.drop_nulls().unique().to_list())
    except InputError:
        return False


def distinct(values: Sequence[object]) -> list[str]:
    """How the values of an axis read; in full where two would read alike.

    >>> distinct(["118104335 Hz", "118404335 Hz", "400 MHz"])
    ['118104335 Hz', '118404335 Hz', '400 MHz']
    """
    shown = [text(value) for value in values]
    return [str(value) if shown.count(read) > 1 else read for value, read in zip(values, shown)]


def text(value: object) -> str:
    """A value on an axis; a frequency that was drawn to the hertz in a unit one thinks in, a trace without folder and endings.

    >>> text(4096.0), text("299705357 Hz"), text("400 MHz"), text("../traces/msr/web_3.csv.xz")
    ('4096', '300 MHz', '400 MHz', 'web_3')
    """
    if isinstance(value, str) and ("/" in value or value.endswith(ENDINGS)):
        return stem(value)
    if isinstance(value, str) and (hertz := re.fullmatch(r"(\d+) Hz", value)):
        return frequency(float(hertz.group(1)))
    return f"{value:g}" if isinstance(value, float) else str(value)
