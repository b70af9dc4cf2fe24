"""The pictures that a folder of results has the data for."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import polars as pl

from tessera.explore.comparison import Comparison
from tessera.explore.dataset import Sweep, read_frame
from tessera.explore.designs import is_design, over_seeds, zipped_axes
from tessera.figures import pictures
from tessera.figures.bands import of_bands
from tessera.figures.chart import Chart
from tessera.figures.places import of_places
from tessera.results.families import YARDSTICK, grouped
from tessera.results.marks import UNRANKED, of_run_marks, rankable
from tessera.results.request_log import life_causes
from tessera.results.run_folder import Run

MOST_HEATS = 6  # of a sweep with more than two axes
MOST_COLUMNS = 10  # of a heat map whose cells have room for a figure
MOST_CURVES = 8  # of one picture: more layers go by families
MAIN_METRIC = "host.latency.mean"


def of_run(run: Run) -> list[Chart]:
    charts: list[Chart] = []
    name = run.summary["run"]["layer"]
    if (run.folder / "requests.npy").exists() and len(run.requests):
        charts += [pictures.latency_tail({name: run}), pictures.latency_over_time(run), pictures.life(run)]
        charts += [pictures.causes(run)] if life_causes(run.requests) else []
    said = ", ".join(of_run_marks(run))
    charts = [replace(chart, title=f"{chart.title} ({said})") if said else chart for chart in charts]
    return charts + of_places(run) + of_bands(run) + [_marked(chart, {name: run}) for chart in _of_summaries({name: run})]


def of_runs(runs: dict[str, Run]) -> list[Chart]:
    """Several runs side by side."""
    charts: list[Chart] = []
    logged = {name: run for name, run in runs.items() if (run.folder / "requests.npy").exists() and len(run.requests)}
    if len(logged) > MOST_CURVES:
        for family, members in grouped(logged).items():
            chosen = {name: logged[name] for name in (YARDSTICK, *members) if name in logged}
            chart = pictures.latency_tail(chosen)
            charts.append(replace(chart, name=f"{chart.name}-{family.replace(', ', '-').replace(' ', '-')}", title=f"{chart.title}: {family}"))
    elif logged:
        charts.append(pictures.latency_tail(logged))
    elif (chart := pictures.latency_percentiles(runs)).lines:
        charts.append(chart)
    return [_marked(chart, runs) for chart in charts + _of_summaries(runs)]


def _marked(chart: Chart, runs: dict[str, Run]) -> Chart:
    """The same with a mark after the name of each run that must not be ranked, and its meaning in the title."""
    marks = {name: [mark for mark in of_run_marks(run) if mark in UNRANKED] for name, run in runs.items()}
    marked = {name for name, found in marks.items() if found}
    if not marked:
        return chart
    named = lambda name: f"{name}{pictures.MARK}" if name in marked else name  # noqa: E731
    said = ", ".join(dict.fromkeys(mark for found in marks.values() for mark in found))
    title = f"{chart.title} ({pictures.MARK} {said})"
    if isinstance(chart, pictures.Stack):
        return replace(chart, title=title, categories=[named(name) for name in chart.categories])
    if isinstance(chart, pictures.Lines):
        return replace(chart, title=title, lines=[replace(line, name=named(line.name)) for line in chart.lines])
    return chart


def _of_summaries(runs: dict[str, Run]) -> list[Chart]:
    charts = [make(runs) for make in (pictures.write_amplification, pictures.energy, pictures.bus)]
    return [chart for chart in charts if chart.parts]


def of_comparison(comparison: Comparison) -> list[Chart]:
    layers = comparison.columns["layers"]
    good = [layer for layer, status in zip(layers["layer"], layers["status"]) if status == "ok"]
    return of_runs({layer: comparison.run(layer) for layer in good})


def of_sweep(sweep: Sweep, metric: str | None = None) -> list[Chart]:
    """The Pareto front, then a heat map over two axes that were crossed, or a picture of each axis: of the metric that is asked for, of the
    objectives of a search, else of the mean latency."""
    good = sweep.good
    if good.height == 0:
        return []
    axes = [name for name in sweep.axes if name != "seed" and f"axis.{name}" in good.columns]
    wanted = [metric] if metric else list(sweep.facts.get("objectives", ())) or [MAIN_METRIC]
    charts = _all_fronts(sweep, axes)
    for number, name in enumerate(name for name in wanted if name in good.columns):
        found = [chart for chart in _over_axes(good, axes, name) if _compares(chart)]
        charts += [replace(chart, name=f"{chart.name}-{name}") if number else chart for chart in found]
    return charts


def _over_axes(good: pl.DataFrame, axes: list[str], metric: str) -> list[Chart]:
    zipped = [group[0] for group in zipped_axes(good, axes)]
    if pair := _crossed(good, zipped):
        return _heats(good.drop_nulls([f"axis.{name}" for name in pair]), pair, axes, metric)
    return [_curve(good.drop_nulls(f"axis.{name}"), name, metric) for name in zipped]


def _compares(chart: Chart) -> bool:
    """Whether a picture has two figures at least: one bar says nothing."""
    if isinstance(chart, pictures.Stack):
        return len(chart.categories) > 1
    return not isinstance(chart, pictures.Heat) or len(chart.xs) * len(chart.ys) > 1


def _all_fronts(sweep: Sweep, axes: list[str]) -> list[Chart]:
    if (sweep.folder / "trials.parquet").exists():
        return [_front_of_search(sweep)]
    objectives = [name for name in ("host.latency.p99", "energy.total") if name in sweep.good.columns]
    if len(objectives) < 2 or not any(is_design(name) for name in axes):
        return []
    return _fronts(sweep.good.drop_nulls(objectives), axes, objectives)


def _fronts(good: pl.DataFrame, axes: list[str], objectives: list[str]) -> list[Chart]:
    """A front over designs for each input: traces, workloads and replays are no designs, and seeds make intervals. Runs that must not be ranked are left out."""
    ranks = rankable(good)
    inputs = [f"axis.{name}" for name in axes if not is_design(name) and ranks[f"axis.{name}"].n_unique() > 1] if ranks.height else []
    parts = ranks.partition_by(inputs, maintain_order=True)[:MOST_HEATS] if inputs else [ranks]
    charts: list[Chart] = []
    for number, part in enumerate(parts, 1):
        if part.height == 0:
            continue
        designs = over_seeds(part, axes, objectives).with_columns(_label([name for name in axes if is_design(name)]))
        chart = pictures.pareto(designs, objectives)
        if designs["seeds"].max() > 1:
            chart = replace(chart, title=f"{chart.title}: designs closer than their intervals over {designs['seeds'].max()} seeds are one")
        if inputs:
            said = ", ".join(_said(name, part[name][0]) for name in inputs)
            chart = replace(chart, name=f"{chart.name}-{number}", title=f"{chart.title}: {said}")
        if left_out := good.height - ranks.height:
            chart = replace(chart, title=f"{chart.title} ({left_out} runs not to be ranked left out)")
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


def _front_of_search(sweep: Sweep) -> Chart:
    """What the search was told to make small, of the designs that it tried."""
    trials, objectives = read_frame(sweep.folder / "trials.parquet"), list(sweep.facts["objectives"])
    axes = [name.removeprefix("axis.") for name in trials.columns if name.startswith("axis.")]
    kept = trials.filter("keeps") if "keeps" in trials.columns else trials
    labelled = kept.with_columns(_label(axes))
    title = "Pareto front"
    if "marks" in kept.columns and kept.filter(_UNRANKED).height:
        labelled = labelled.with_columns(pl.when(_UNRANKED).then(pl.col("label") + pictures.MARK).otherwise(pl.col("label")).alias("label"))
        title += f" ({pictures.MARK} not to be ranked)"
    if left_out := trials.height - kept.height:
        title += f", {left_out} designs that break a constraint left out"
    chart = pictures.pareto(labelled, (objectives * 2)[:2])
    axes_ = [replace(axis, label=f"{axis.label}, more is better" if sweep.facts["objectives"].get(name) == "maximise" else axis.label) for axis, name in zip((chart.x, chart.y), (objectives * 2)[:2])]
    return replace(chart, title=title, x=axes_[0], y=axes_[1])


def _curve(good: pl.DataFrame, axis: str, metric: str) -> Chart:
    column = f"axis.{axis}"
    others = [name.removeprefix("axis.") for name in good.columns if name.startswith("axis.") and name not in (column, "axis.seed")]
    with_it = next((group for group in zipped_axes(good, [axis, *others]) if axis in group), (axis,))
    others = [name for name in others if name not in with_it]
    known = good.drop_nulls(metric)
    cells = [(value, pictures.cell(known.filter(pl.col(column) == value), others, metric)) for value in pictures.in_order(good[column])]
    means = pictures.mean_over(known, others)
    marked = any(said.endswith(pictures.MARK) for _, (_, said) in cells)
    title = f"{metric} over {' with '.join(with_it)}" + (f", mean over {means}" if means else "") + (f" ({pictures.MARK} not to be ranked)" if marked else "")
    names = [pictures.text(value) + (pictures.MARK if said.endswith(pictures.MARK) else "") for value, (_, said) in cells]
    return pictures.Stack(f"curve-{axis}", title, pictures.Axis(pictures.with_unit(metric)), names, {metric: [mean for _, (mean, _) in cells]})


CHARTS: dict[type, Callable[..., list[Chart]]] = {Run: of_run, Comparison: of_comparison, Sweep: of_sweep}


def charts_of(results: Run | Comparison | Sweep) -> list[Chart]:
    return CHARTS[type(results)](results)
