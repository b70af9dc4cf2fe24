"""PORE over the share of the bands that a cleaning opens: 0.3164 is fitted to the MU-RMW paper, and a firmware engineer would choose another."""

from collections.abc import Mapping, Sequence

from tessera.results.markdown import number, percent
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, findings, listed, verdict
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

VOLUMES = ("web_0", "rsrch_0", "src2_0")
FITTED = 0.3164  # layers.pore.open_frac, by the write amplifications that the MU-RMW paper prints
FRACTIONS = (0.004, 0.02, 0.05, 0.1, FITTED, 1.0)
WELL_SET = 0.004  # one band of 256
REQUESTS = 400_000
SEEDS = 3


def swept(lab: Lab, names: Sequence[str] = VOLUMES, fractions: Sequence[float] = FRACTIONS) -> Grid:
    """Three volumes, one request after the other: PORE by its open share, and MU-RMW."""
    limit = lab.requests(REQUESTS)
    inputs = {name: ("--workload", f"mu-{name}", "--limit", limit, "--fold", "--replay", "closed:1") for name in names}
    variants = {f"pore {share:g}": Variant("pore", of_layer("pore", open_frac=share)) for share in fractions}
    return lab.grid("mu-rmw-paper", inputs, {**variants, "mu-rmw": Variant("mu-rmw")}, "open share of PORE")


def longest(run: Run) -> float:
    return run.metric("host.latency.max")


def best(row: Mapping[str, Run]) -> str:
    """The open share with the shortest mean response."""
    return min((name for name in row if name.startswith("pore")), key=lambda name: latency(row[name]))


FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("longest s", lambda run: longest(run) / 1000, of_response=True),
    Figure("WA", total_amplification),
    Figure("RMWs", rmws, 0),
    Figure("cleanings", lambda run: run.metric("cleaning.count"), 0),
)


def _findings(grid: Grid) -> list[Finding]:
    chosen = {name: best(row) for name, row in grid.items()}
    means = [latency(row["mu-rmw"]) / latency(row[chosen[name]]) for name, row in grid.items()]
    waits = [longest(row[chosen[name]]) / longest(row["mu-rmw"]) for name, row in grid.items()]
    fitted = [latency(row["mu-rmw"]) / latency(row[f"pore {FITTED}"]) for row in grid.values()]
    return [
        Finding(
            "mean response below PORE, PORE with the best open share",
            "-38.58 % on average (its open share is not printed)",
            f"{', '.join(percent(mean - 1) for mean in means)} against {listed(chosen)}; against {FITTED}: {', '.join(percent(mean - 1) for mean in fitted)}",
            verdict(mean < 1 for mean in means),
            ratio=len(means) / sum(means),
        ),
        Finding(
            "worst case, PORE with the best open share over MU-RMW",
            "99.57 where any RMW occurs",
            ", ".join(number(wait, 1) for wait in waits),
            verdict(wait > 1 for wait in waits),
            ratio=sum(waits) / len(waits),
        ),
    ]


def _comparisons() -> list[Comparison]:
    well = f"pore {WELL_SET}"
    return [
        Comparison(f"{name}: {what} {well} over MU-RMW", quotient(measure, name, well, "mu-rmw"), above=1)
        for name in VOLUMES
        for what, measure in (("response", latency), ("worst case", longest))
    ]


INTRO = (
    "`layers.pore.open_frac` is the share of the bands whose data a cleaning evicts. No paper prints it; 0.3164 gives the write\n"
    "amplifications that the MU-RMW paper prints of PORE. Cleanings are as many with any share; a smaller one merges\n"
    "fewer bands in each.\n"
)


def _parts(lab: Lab) -> list[str]:
    grid = swept(lab)
    return [
        INTRO,
        *figure_tables(grid, FIGURES),
        findings(_findings(grid)),
        seed_table(over_seeds(lab, lambda each: swept(each, fractions=(WELL_SET,)), SEEDS), _comparisons()),
    ]


EXPERIMENTS = (Experiment("open-fraction", "PORE over its open share", _parts),)
