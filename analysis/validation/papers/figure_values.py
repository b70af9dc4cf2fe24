"""Ours of the papers' figures: from the runs of the experiment that each belongs to."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from tessera.results.run_folder import Run
from validation.papers import amphisbaena_sets, hwsr_runs, hwsr_tracks, interlaced_heat, mapping_runs, mu_rmw
from validation.papers.amphisbaena_runs import change
from validation.papers.figures import PaperFigure, Values
from validation.papers.lab import Grid, Lab
from validation.papers.mapping_formulas import MAPPINGS
from validation.papers.measures import latency, rmws, total_amplification, write_latency

POINTS = 60  # of a curve


def _over_mu_rmw(lab: Lab, value: Callable[[Run], float], summary: Callable[[Mapping[str, float], Grid], Mapping[str, float]]) -> Values:
    grid = mu_rmw.paper_implied(lab, "closed:1")
    found = {}
    for layer in ("pore", "skylight-flash"):
        ratios = {name: value(row[layer]) / value(row["mu-rmw"]) for name, row in grid.items()}
        found[layer] = {**ratios, **summary(ratios, grid)}
    return found


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _extremes(ratios: Mapping[str, float]) -> dict[str, float]:
    return {"least": min(ratios.values()), "largest": max(ratios.values())}


def _where_it_merges(ratios: Mapping[str, float], grid: Grid) -> dict[str, float]:
    merging = [ratio for name, ratio in ratios.items() if rmws(grid[name]["mu-rmw"])]
    return {"mean where MU-RMW merges": _mean(merging)} if merging else {}


def _usage(lab: Lab) -> Values:
    grid = mapping_runs.uniform_updates(lab)
    return {name.removeprefix("shingled-in-place-"): {usage: mapping_runs.war(row[name]) for usage, row in grid.items()} for name in MAPPINGS}


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
    row = hwsr_runs.block_sizes(lab)["Financial1"]
    return {layer: {str(sectors): latency(row[f"{layer} {sectors}"]) for sectors in hwsr_runs.BLOCK_SECTORS} for layer in ("hwsr", "sblock")}


def _writes(lab: Lab) -> Values:
    grid = hwsr_tracks.apart(lab)
    names = (hwsr_tracks.APART, hwsr_tracks.TOGETHER, hwsr_tracks.LESS_SKEW)
    return {name: {volume: write_latency(row["sblock"]) / write_latency(row[name]) for volume, row in grid.items()} for name in names}


def _hottest(lab: Lab) -> Values:
    tracks = interlaced_heat.written_tracks(lab, tuple(interlaced_heat.ON_THE_HOTTEST), interlaced_heat.writes_of(lab))
    found = {}
    for name, each in tracks.items():
        shares = np.sort(np.bincount(each))[::-1].cumsum() / len(each)
        counts = np.unique(np.geomspace(1, min(3000, len(shares)), POINTS).astype(int))
        found[name] = {str(count): float(shares[count - 1]) for count in counts}
    return found


def _periods(lab: Lab) -> Values:
    found = {name: amphisbaena_sets.statistics(name, lab.scale)[1] for name in amphisbaena_sets.SETS}
    titles = ("period beyond the buffer", "of these updated more than twice")
    return {title: {name: 100 * pair[index] for name, pair in found.items()} for index, title in enumerate(titles)}


def _steady(row: Mapping[str, Run]) -> bool:
    """Whether the two layers that are compared kept up: else a response measures the length of the run."""
    return not any(row[layer].metric("host.backlog.unstable") for layer in ("fluid-loop", "amphisbaena"))


def _over_fluid_loop(lab: Lab, value: Callable[[Run], float]) -> Values:
    grid = amphisbaena_sets.with_sets(lab)
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


def ours(lab: Lab, figure: PaperFigure) -> Values:
    """Raises SimulatorError."""
    return OURS[figure.name](lab)
