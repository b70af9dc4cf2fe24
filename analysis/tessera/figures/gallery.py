"""The pictures that a folder of results has the data for."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import polars as pl

from tessera.errors import InputError, unknown_name
from tessera.evidence.family import equal
from tessera.evidence.marks import UNRANKED, of_run_marks, rankable
from tessera.explore.comparison import Comparison
from tessera.explore.dataset import Sweep, read_frame
from tessera.explore.designs import is_design, over_seeds, with_places, zipped_axes
from tessera.figures import pictures
from tessera.figures.bands import of_bands
from tessera.figures.chart import Chart, Heat, Lines, Stack
from tessera.figures.places import of_places
from tessera.results.families import YARDSTICK, grouped
from tessera.results.request_log import life_causes
from tessera.results.run_folder import Run

MOST_HEATS = 6  # of a sweep with more than two axes
MOST_COLUMNS = 10  # of a heat map whose cells have room for a figure
MOST_BARS = 30  # of one picture
MOST_CURVES = 8  # of one picture: more layers go by families
MAIN_METRIC = "host.latency.mean"
LAYER = "axis.layer"


def of_run(run: Run) -> list[Chart]:
    charts: list[Chart] = []
    name = run.summary["run"]["layer"]
    if (run.folder / "requests.npy").exists() and len(run.requests):
        charts += [pictures.latency_tail({name: run}), pictures.latency_over_time(run), pictures.life(run)]
        charts += [pictures.causes(run)] if life_causes(run.requests) else []
    said = ", ".join(of_run_marks(run))
    charts = [replace(chart, note=pictures.noted(chart.note, said)) for chart in charts]
    return charts + of_places(run) + of_bands(run) + [_marked(chart, {name: run}) for chart in _of_summaries({name: run})]


def of_runs(given: pictures.Runs, of_choice: bool = False) -> list[Chart]:
    """Several runs side by side, each for itself or with one for each seed; those that somebody chose are in one picture, however many."""
    runs = pictures.by_seed(given)
    charts: list[Chart] = []
    logs = {name: tuple(run for run in found if (run.folder / "requests.npy").exists() and len(run.requests)) for name, found in runs.items()}
    logged = {name: found for name, found in logs.items() if found}
    if len(logged) > MOST_CURVES and not of_choice:
        for family, members in grouped(logged).items():
            chosen = {name: logged[name] for name in (YARDSTICK, *members) if name in logged}
            chart = pictures.latency_tail(chosen)
            charts.append(replace(chart, name=f"{chart.name}-{family.replace(', ', '-').replace(' ', '-')}", title=f"{chart.title}: {family}"))
    elif logged:
        charts.append(pictures.latency_tail(logged))
    elif (chart := pictures.latency_percentiles(runs)).lines:
        charts.append(chart)
    return [_marked(chart, runs) for chart in charts + _of_summaries(runs)]


def _marked(chart: Chart, runs: pictures.Runs) -> Chart:
    """The same with a mark after each name of which a run must not be ranked, and its meaning in the note."""
    marks = {name: [mark for run in found for mark in of_run_marks(run) if mark in UNRANKED] for name, found in pictures.by_seed(runs).items()}
    marked = {name for name, found in marks.items() if found}
    if not marked:
        return chart
    named = lambda name: f"{name}{pictures.MARK}" if name in marked else name  # noqa: E731
    said = ", ".join(dict.fromkeys(mark for found in marks.values() for mark in found))
    note = pictures.noted(chart.note, f"{pictures.MARK} {said}")
    if isinstance(chart, pictures.Stack):
        return replace(chart, note=note, categories=[named(name) for name in chart.categories])
    if isinstance(chart, pictures.Lines):
        return replace(chart, note=note, lines=[replace(line, name=named(line.name)) for line in chart.lines])
    return chart


def _of_summaries(runs: pictures.Runs) -> list[Chart]:
    charts = [make(runs) for make in (pictures.write_amplification, pictures.energy, pictures.bus)]
    return [chart for chart in charts if chart.parts]


def of_comparison(comparison: Comparison, layers: Sequence[str] = ()) -> list[Chart]:
    """Each layer with all of its seeds."""
    listed, made = comparison.columns["layers"], comparison.columns["runs"]
    good = [layer for layer, status in zip(listed["layer"], listed["status"]) if status == "ok"]
    runs: dict[str, list[Run]] = {layer: [] for layer in _chosen(layers, good, "layer with results")}
    for layer, seed, status in zip(made["layer"], made["seed"], made["exit_status"]):
        if layer in runs and status == 0:
            runs[layer].append(comparison.run(layer, seed))
    charts = of_runs({layer: found for layer, found in runs.items() if found}, bool(layers))
    return [replace(chart, note=pictures.noted(chart.note, "whole runs")) for chart in charts] if comparison.columns["comparison"].get("warm_up") else charts


def _chosen(layers: Sequence[str], known: Sequence[str], kind: str) -> list[str]:
    """The layers to show, in the order in which they were asked for; all where none was."""
    for layer in layers:
        if layer not in known:
            raise unknown_name(kind, layer, known)
    return list(dict.fromkeys(layers or known))


def rows_of(sweep: Sweep, layers: Sequence[str] = ()) -> pl.DataFrame:
    """The results of a sweep's runs that ended well, after the warm-up of all, of these layers in this order."""
    return _with_layers(sweep.compared()[0].filter(pl.col("exit_status") == 0), layers)


def _with_layers(rows: pl.DataFrame, layers: Sequence[str]) -> pl.DataFrame:
    if not layers:
        return rows
    if LAYER not in rows.columns:
        raise InputError("--layers: this sweep has no axis 'layer'")
    places = {layer: place for place, layer in enumerate(_chosen(layers, rows[LAYER].drop_nulls().unique(maintain_order=True).to_list(), "layer of this sweep"))}
    order = pl.Series("place", [places.get(layer) for layer in rows[LAYER]], dtype=pl.Int64)
    return rows.with_columns(order).drop_nulls("place").sort("place", maintain_order=True).drop("place")


def of_sweep(sweep: Sweep, metric: str | None = None, layers: Sequence[str] = ()) -> list[Chart]:
    """The Pareto front, then a heat map over two axes that were crossed, or a picture of each axis: of the metric that is asked for, of the
    objectives of a search, else of the mean latency."""
    good = rows_of(sweep, layers)
    if good.height == 0:
        return []
    axes = [name for name in sweep.axes if name != "seed" and f"axis.{name}" in good.columns]
    if metric is not None:
        pictures.known_metric(good, metric)
    wanted = [metric] if metric else list(sweep.facts.get("objectives", ())) or [MAIN_METRIC]
    charts = _all_fronts(sweep, good, axes, layers)
    for number, name in enumerate(name for name in wanted if name in good.columns):
        found = [chart for chart in [*_by_design(good, axes, name), *_over_axes(good, axes, name)] if _compares(chart)]
        charts += [replace(chart, name=f"{chart.name}-{name}") if number else chart for chart in found]
    _, part = sweep.compared()
    return [replace(chart, note=pictures.noted(chart.note, f"the first 1/{part} of each run left out")) for chart in charts] if part else charts


def _over_axes(good: pl.DataFrame, axes: list[str], metric: str) -> list[Chart]:
    zipped = [group[0] for group in zipped_axes(good, axes)]
    if pair := _crossed(good, zipped):
        return _heats(good.drop_nulls([f"axis.{name}" for name in pair]), pair, axes, metric)
    return [_curve(good.drop_nulls(f"axis.{name}"), name, metric) for name in zipped]


def _by_design(good: pl.DataFrame, axes: list[str], metric: str) -> list[Chart]:
    """A bar for each design, where some have an axis that others lack: a layer at each value of its parameter, next to other layers."""
    columns = {f"axis.{name}": "" if name == "layer" else f"{name.rpartition('.')[2]} " for name in axes if is_design(name)}
    varied = [name for name in axes if not is_design(name) and good[f"axis.{name}"].n_unique() > 1]
    rows = over_seeds(good.drop_nulls(metric), axes, [metric])
    if varied or rows.height > MOST_BARS or not any(good[column].null_count() for column in columns):
        return []
    marked = rows["marks"].str.contains_any(UNRANKED).to_list()
    names = [
        ", ".join(word + pictures.text(row[column]) for column, word in columns.items() if row[column] is not None) + (pictures.MARK if mark else "")
        for row, mark in zip(rows.iter_rows(named=True), marked)
    ]  # fmt: skip
    halves = [half if seeds > 1 else None for half, seeds in rows.select(f"{metric}.half_width", "seeds").rows()]
    seeds = pictures.seeds_note(rows["seeds"])
    note = pictures.noted(seeds, f"{pictures.MARK} not to be ranked" if any(marked) else "")
    bars = {metric: rows[metric].to_list()}
    return [Stack("designs", f"{metric} by design", pictures.Axis(pictures.with_unit(metric)), names, bars, half_widths=halves if seeds else None, note=note)]


def _compares(chart: Chart) -> bool:
    """Whether a picture has two figures at least: one bar says nothing."""
    if isinstance(chart, pictures.Stack):
        return len(chart.categories) > 1
    return not isinstance(chart, pictures.Heat) or len(chart.xs) * len(chart.ys) > 1


def _all_fronts(sweep: Sweep, good: pl.DataFrame, axes: list[str], layers: Sequence[str]) -> list[Chart]:
    if (sweep.folder / "trials.parquet").exists():
        return [_front_of_search(sweep, layers)]
    objectives = [name for name in ("host.latency.p99", "energy.total") if name in good.columns]
    if len(objectives) < 2 or not any(is_design(name) for name in axes):
        return []
    return _fronts(good.drop_nulls(objectives), axes, objectives)


def _fronts(good: pl.DataFrame, axes: list[str], objectives: list[str]) -> list[Chart]:
    """A front over designs for each input: traces, workloads and replays are no designs, and seeds make intervals. Runs that must not be ranked are left out."""
    ranks = rankable(good, objectives)
    inputs = [f"axis.{name}" for name in axes if not is_design(name) and ranks[f"axis.{name}"].n_unique() > 1] if ranks.height else []
    parts = ranks.partition_by(inputs, maintain_order=True)[:MOST_HEATS] if inputs else [ranks]
    charts: list[Chart] = []
    for number, part in enumerate(parts, 1):
        if part.height == 0:
            continue
        designs, notes = _with_ties(with_places(part, axes, objectives).with_columns(_label([name for name in axes if is_design(name)])))
        chart = pictures.pareto(designs, objectives)
        if designs["seeds"].max() > 1:
            chart = replace(chart, note=pictures.noted(pictures.seeds_note(designs["seeds"]), *notes))
        if inputs:
            said = ", ".join(_said(name, part[name][0]) for name in inputs)
            chart = replace(chart, name=f"{chart.name}-{number}", title=f"{chart.title}: {said}")
        if left_out := good.height - ranks.height:
            chart = replace(chart, note=pictures.noted(chart.note, f"{left_out} runs not to be ranked left out"))
        charts.append(chart)
    return charts


def _label(axes: list[str]) -> pl.Expr:
    """The values of a design, those that it has; a clock in a unit one thinks in, since a search draws it to the hertz."""
    values = [pl.col(f"axis.{name}").cast(pl.String).map_elements(pictures.text, pl.String).str.replace(r"^(\d+)\.0$", "$1") for name in axes]
    return pl.concat_str(values, separator=", ", ignore_nulls=True).alias("label")


def _heats(good: pl.DataFrame, pair: tuple[str, str], axes: list[str], metric: str) -> list[Chart]:
    """A heat map for each combination of the axes beside the two, so that none is a mean over designs; bars where one of the two has one value there."""
    zipped = [group[0] for group in zipped_axes(good, axes)]
    others = [f"axis.{name}" for name in zipped if name not in pair]
    if not others:
        return [pictures.heat(good, *pair, metric)]
    charts: list[Chart] = []
    for part in good.partition_by(others, maintain_order=True):
        varied = [name for name in pair if part[f"axis.{name}"].n_unique() > 1] or [pair[0]]
        chart = pictures.heat(part, *pair, metric) if len(varied) == 2 else _curve(part, varied[0], metric)
        held = [f"axis.{name}" for name in pair if name not in varied] + others
        said = ", ".join(_said(name, part[name][0]) for name in held if part[name][0] is not None)
        if _compares(chart) and len(charts) < MOST_HEATS:
            charts.append(replace(chart, name=f"heat-{len(charts) + 1}", title=f"{chart.title}: {said}"))
    return charts


def _said(column: str, value: object) -> str:
    """A value of an axis; of a parameter with its name.

    >>> _said("axis.layer", "cmr"), _said("axis.nand.blocks", 256.0)
    ('cmr', 'nand.blocks 256')
    """
    name = column.removeprefix("axis.")
    return f"{name} {pictures.text(value)}" if "." in name else pictures.text(value)


def _crossed(good: pl.DataFrame, axes: list[str]) -> tuple[str, str] | None:
    """The two axes of which most combinations were run; None where no two were crossed, as with axes of branches."""
    best, most = None, 0
    for x, y in itertools.combinations(axes, 2):
        both = good.select(f"axis.{x}", f"axis.{y}").drop_nulls()
        if min((both[name].n_unique() for name in both.columns), default=0) < 2:
            continue
        if (count := both.unique().height) > most:
            best, most = (x, y), count
    if best and good[f"axis.{best[0]}"].n_unique() > MOST_COLUMNS:
        return best[1], best[0]
    return best


_UNRANKED = pl.any_horizontal(pl.col("marks").str.contains(mark, literal=True) for mark in UNRANKED)


def _front_of_search(sweep: Sweep, layers: Sequence[str] = ()) -> Chart:
    """What the search was told to make small, of the designs that it tried."""
    trials, objectives = _with_layers(read_frame(sweep.folder / "trials.parquet"), layers), list(sweep.facts["objectives"])
    axes = [name.removeprefix("axis.") for name in trials.columns if name.startswith("axis.")]
    kept = trials.filter("keeps") if "keeps" in trials.columns else trials
    labelled = kept.with_columns(_label(axes))
    notes = []
    if "marks" in kept.columns and kept.filter(_UNRANKED).height:
        labelled = labelled.with_columns(pl.when(_UNRANKED).then(pl.col("label") + pictures.MARK).otherwise(pl.col("label")).alias("label"))
        notes.append(f"{pictures.MARK} not to be ranked")
    if left_out := trials.height - kept.height:
        notes.append(f"{left_out} designs that break a constraint left out")
    if "settled" in kept.columns:
        labelled, more = _with_ties(labelled)
        notes += more
    chart = pictures.pareto(labelled, (objectives * 2)[:2])
    axes_ = [replace(axis, label=f"{axis.label}, more is better" if sweep.facts["objectives"].get(name) == "maximise" else axis.label) for axis, name in zip((chart.x, chart.y), (objectives * 2)[:2])]
    over = "blocks of the recording" if sweep.facts.get("confirmed", {}).get("recorded") else "seeds"
    widths = [f"95 % intervals over the {over}"] if any(line.half_widths or line.x_half_widths for line in chart.lines) else []
    return replace(chart, note=pictures.noted(*widths, *notes), x=axes_[0], y=axes_[1])


def _with_ties(designs: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Without those that a point of the front stands for, whose label says how many they are; and notes."""
    ties = pl.col("ties") > 0
    points = designs.filter(pl.col("front") | pl.col("point").is_null() | ~pl.col("settled").fill_null(True))
    labels = pl.when(ties).then(pl.format("{} (+{})", "label", "ties")).otherwise(pl.col("label"))
    return points.with_columns(labels.alias("label")), [f"(+N): so many more within {equal()}"] if designs.filter(ties).height else []


def _curve(good: pl.DataFrame, axis: str, metric: str) -> Chart:
    column = f"axis.{axis}"
    others = [name.removeprefix("axis.") for name in good.columns if name.startswith("axis.") and name not in (column, "axis.seed")]
    with_it = next((group for group in zipped_axes(good, [axis, *others]) if axis in group), (axis,))
    others = [name for name in others if name not in with_it]
    known = good.drop_nulls(metric)
    parts = [(value, known.filter(pl.col(column) == value)) for value in pictures.in_order(good[column])]
    cells = [(value, pictures.cell(part, others, metric)) for value, part in parts]
    halves = [pictures.seeds_half(part, others, metric) for _, part in parts]
    means = pictures.mean_over(known, others)
    marked = any(said.endswith(pictures.MARK) for _, (_, said) in cells)
    seeds = pictures.seeds_note(part.height for (_, part), half in zip(parts, halves) if half is not None)
    note = pictures.noted(seeds, f"mean over {means}" if means else "", f"{pictures.MARK} not to be ranked" if marked else "")
    names = [pictures.text(value) + (pictures.MARK if said.endswith(pictures.MARK) else "") for value, (_, said) in cells]
    bars = {metric: [mean for _, (mean, _) in cells]}
    return pictures.Stack(
        f"curve-{axis}", f"{metric} over {' with '.join(with_it)}", pictures.Axis(pictures.with_unit(metric)), names, bars, half_widths=halves if seeds else None, note=note
    )  # fmt: skip


def charts_of(results: Run | Comparison | Sweep, layers: Sequence[str] = (), labels: Mapping[str, str] = MappingProxyType({}), metric: str | None = None) -> list[Chart]:
    """Every picture of a folder of results. `layers`: which, and in which order; `labels`: what they are called; `metric`: what bars and heat maps
    of a sweep show. Raises InputError for a layer or a metric that the results do not have."""
    if metric is not None and not isinstance(results, Sweep):
        raise InputError("--metric: the figure of a sweep's bars and heat maps; these results are of no sweep")
    if isinstance(results, Run):
        charts, known = of_run(results), [str(results.summary["run"]["layer"])]
        _chosen(layers, known, "layer of this run")
    elif isinstance(results, Comparison):
        charts, known = of_comparison(results, layers), list(results.columns["layers"]["layer"])
    else:
        charts, rows = of_sweep(results, metric, layers), results.good
        known = rows[LAYER].drop_nulls().unique(maintain_order=True).to_list() if LAYER in rows.columns else []
    return [labelled(chart, labels, known) for chart in charts]


def labelled(chart: Chart, labels: Mapping[str, str], known: Sequence[str]) -> Chart:
    """The same with other names of layers; the look of a layer stays."""
    for layer in labels:
        if layer not in known:
            raise unknown_name("layer of --labels", layer, known)

    def named(text: str) -> str:
        words = [(word.rstrip(pictures.MARK), word) for word in text.split(", ")]
        return ", ".join(labels[bare] + word[len(bare) :] if bare in labels else word for bare, word in words)

    head, colon, said = chart.title.rpartition(": ")
    chart = replace(chart, title=f"{head}{colon}{named(said)}" if colon else chart.title)
    if isinstance(chart, Lines):
        lines = [replace(line, name=named(line.name), key=line.name, labels=line.labels and [named(label) for label in line.labels]) for line in chart.lines]
        return replace(chart, lines=lines)
    if isinstance(chart, Stack):
        return replace(chart, categories=[named(name) for name in chart.categories])
    if isinstance(chart, Heat):
        return replace(chart, xs=[named(name) for name in chart.xs], ys=[named(name) for name in chart.ys])
    return chart
