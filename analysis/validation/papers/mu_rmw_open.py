"""PORE over the share of the bands that a cleaning opens: 0.3164 is fitted to the MU-RMW paper, and a firmware engineer would choose another."""

from collections.abc import Sequence

from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.measures import latency, longest, rmws, total_amplification
from validation.papers.page import Figure, figure_tables
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


FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("longest s", lambda run: longest(run) / 1000, of_response=True),
    Figure("WA", total_amplification),
    Figure("RMWs", rmws, 0),
    Figure("cleanings", lambda run: run.metric("cleaning.count"), 0),
)


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
        seed_table(over_seeds(lab, lambda each: swept(each, fractions=(WELL_SET,)), SEEDS), _comparisons()),
    ]


EXPERIMENTS = (Experiment("open-fraction", "PORE over its open share", _parts),)
