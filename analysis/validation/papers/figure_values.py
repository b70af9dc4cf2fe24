"""Ours of the papers' figures: from the runs of the experiment that each belongs to, and their pictures, in a folder of results or next to the pages."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np
from rich.console import Console

from tessera.errors import InputError
from tessera.results.run_folder import Run
from validation.papers import amphisbaena_inputs, hwsr_runs, interlaced_tracks, mapping, mu_rmw
from validation.papers.amphisbaena_runs import change
from validation.papers.experiment import short_runs
from validation.papers.picture import draw_figure
from validation.papers.figures import PaperFigure, Values, figures, read_values, record
from validation.papers.lab import Grid, Lab
from validation.papers.page_file import Places
from validation.papers.record import program
from validation.papers.measures import latency, rmws, total_amplification, write_latency

POINTS = 60  # of a curve


def _over_mu_rmw(lab: Lab, value: Callable[[Run], float], summary: Callable[[Mapping[str, float], Grid], Mapping[str, float]]) -> Values:
    grid = mu_rmw.paper_implied(lab, "closed:1")
    found = {}
    for layer in ("pore", "skylight-flash"):
        ratios = {name: value(row[layer]) / value(row["mu-rmw"]) for name, row in grid.items()}
        found[layer] = {**ratios, **summary(ratios, grid)}
    return found


def _mean(ratios: Iterable[float]) -> float:
    """As ratios are averaged: by the geometric mean."""
    return float(np.exp(np.mean(np.log(list(ratios)))))


def _extremes(ratios: Mapping[str, float]) -> dict[str, float]:
    return {"least": min(ratios.values()), "largest": max(ratios.values())}


def _where_it_merges(ratios: Mapping[str, float], grid: Grid) -> dict[str, float]:
    merging = [ratio for name, ratio in ratios.items() if rmws(grid[name]["mu-rmw"])]
    return {"mean where MU-RMW merges": _mean(merging)} if merging else {}


def _usage(lab: Lab) -> Values:
    grid = mapping.uniform_updates(lab)
    return {name.removeprefix("shingled-in-place-"): {usage: mapping.war(row[name]) for usage, row in grid.items()} for name in mapping.MAPPINGS}


def _utilisation(lab: Lab) -> Values:
    ratios = hwsr_runs.utilisation(lab)
    return {f"beta {spare}": {str(tracks): ratios[tracks, spare] for tracks in hwsr_runs.REGION_TRACKS} for spare in hwsr_runs.SPARES}


def _curve(values: Iterable[float]) -> dict[str, float]:
    """A distribution by some of its points."""
    ordered = np.sort(np.array(list(values)))
    places = np.unique(np.linspace(0, len(ordered) - 1, POINTS).astype(int))
    return {f"{ordered[place]:.4g}": (place + 1) / len(ordered) for place in places}


def _sums(lab: Lab) -> Values:
    row = hwsr_runs.financial(lab)["Financial1"]
    return {name: _curve(hwsr_runs.windows(row[name])) for name in ("cmr", "hwsr linear", "sblock")}


def _block_sizes(lab: Lab) -> Values:
    row = hwsr_runs.swept(lab, "block-size")["Financial1"]
    return {layer: {str(sectors): latency(row[f"{layer} {sectors}"]) for sectors in hwsr_runs.BLOCK_SECTORS} for layer in ("hwsr", "sblock")}


def _writes(lab: Lab) -> Values:
    grid = hwsr_runs.apart(lab)
    names = (hwsr_runs.APART, hwsr_runs.TOGETHER, hwsr_runs.LESS_SKEW)
    return {name: {volume: write_latency(row["sblock"]) / write_latency(row[name]) for volume, row in grid.items()} for name in names}


def _hottest(lab: Lab) -> Values:
    tracks = interlaced_tracks.written_tracks(lab, tuple(interlaced_tracks.ON_THE_HOTTEST), interlaced_tracks.writes_of(lab))
    found = {}
    for name, each in tracks.items():
        shares = np.sort(np.bincount(each))[::-1].cumsum() / len(each)
        counts = np.unique(np.geomspace(1, min(3000, len(shares)), POINTS).astype(int))
        found[name] = {str(count): float(shares[count - 1]) for count in counts}
    return found


def _periods(lab: Lab) -> Values:
    found = {name: amphisbaena_inputs.statistics(name, lab.scale)[1] for name in amphisbaena_inputs.SETS}
    titles = ("period beyond the buffer", "of these updated more than twice")
    return {title: {name: 100 * pair[index] for name, pair in found.items()} for index, title in enumerate(titles)}


def _steady(row: Mapping[str, Run]) -> bool:
    """Whether the two layers that are compared kept up: else a response measures the length of the run."""
    return not any(row[layer].metric("host.backlog.unstable") for layer in ("fluid-loop", "amphisbaena"))


def _over_fluid_loop(lab: Lab, value: Callable[[Run], float]) -> Values:
    grid = amphisbaena_inputs.with_sets(lab)
    rows = {name: row for name, row in grid.items() if value is not latency or _steady(row)}
    ratios = {name: 1 + x for name, row in rows.items() if (x := change(row, value, "fluid-loop")) is not None}
    return {"long update periods": {**ratios, **_extremes(ratios), "mean": _mean(ratios.values())}} if ratios else {}


OURS: Mapping[str, Callable[[Lab], Values]] = {
    "mu-rmw/figure-6": lambda lab: _over_mu_rmw(lab, latency, lambda ratios, _: {"mean": _mean(ratios.values())}),
    "mu-rmw/figure-7": lambda lab: _over_mu_rmw(lab, total_amplification, lambda ratios, _: _extremes(ratios)),
    "mu-rmw/figure-9": lambda lab: _over_mu_rmw(lab, lambda run: run.metric("host.latency.max"), _where_it_merges),
    "mapping/figure-2": _usage,
    "hwsr/figure-8": _utilisation,
    "hwsr/figure-9c": _sums,
    "hwsr/figure-11a": _block_sizes,
    "hwsr/figure-13": _writes,
    "interlaced/figure-10": _hottest,
    "amphisbaena/figure-2": _periods,
    "amphisbaena/figure-12": lambda lab: _over_fluid_loop(lab, latency),
    "amphisbaena/figure-15": lambda lab: _over_fluid_loop(lab, rmws),
}


def _values(lab: Lab, figure: PaperFigure) -> tuple[Values, list[str]]:
    """Ours, and what of the runs is too short. Raises InputError where an input is not at hand, SimulatorError."""
    lab.made.clear()
    try:
        values = OURS[figure.name](lab)
    except (TypeError, ValueError, ZeroDivisionError):  # a mean of nothing, a ratio to nothing
        short = short_runs(lab.made)
        if lab.scale == 1 or not short:
            raise
        raise InputError(f"{figure.name} at scale {lab.scale:g}: {short[0]}; use a larger --scale") from None
    if not any(values.values()):
        raise InputError(f"{figure.name} needs {', '.join(sorted(lab.missing)) or 'longer runs'}: name the traces' folder with --traces, or use a larger --scale")
    return values, short_runs(lab.made) if lab.scale < 1 else []


def _notes(lab: Lab, short: list[str]) -> list[str]:
    notes = [f"scaled to {lab.scale:g}: not the page's figures"] if lab.scale < 1 else []
    return [*notes, *([f"too short: {short[0]}"] if short else [])]


def draw_alone(console: Console, lab: Lab, figure: PaperFigure, out: Path) -> Path:
    """Draws a figure into the folder of its experiment."""
    values, short = _values(lab, figure)
    notes = _notes(lab, short)
    file = draw_figure(figure, values, out / figure.paper / figure.experiment / f"{figure.id}.png", "".join(f"\n({note})" for note in notes))
    console.print(f"{figure.name}: {figure.title} -> {file}", highlight=False, soft_wrap=True)
    for note in notes:
        console.print(f"  {note}", highlight=False, soft_wrap=True)
    return file


def draw_at_page(console: Console, lab: Lab, figure: PaperFigure, places: Places) -> None:
    """Draws a figure next to the pages; at full length its values go on record."""
    values, short = _values(lab, figure)
    if lab.scale == 1:
        record(figure, values, program())
    file = draw_figure(figure, values, places.figure(figure), "".join(f"\n({note})" for note in _notes(lab, short)))
    console.print(f"{file}: {figure.name}", highlight=False, soft_wrap=True)


def draw_recorded(places: Places) -> None:
    """Draws every figure on record next to the pages again; nothing is run."""
    values = read_values()
    for figure in figures():
        if figure.name in values:
            draw_figure(figure, values[figure.name], places.figure(figure))
