"""What slows the writes of w46, one change at a time: the reasons behind Figures 12 and 13 of the interlaced paper."""

from collections.abc import Iterable, Mapping

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment
from validation.papers.interlaced_load import slowed
from validation.papers.interlaced_runs import DRIVE, IMPROVED, INTERLACED, LAYERS, NO_WRITE_CACHE, disparity, input_of, plain
from validation.papers.lab import Grid, Lab, setting_words
from validation.papers.page import Finding, findings, verdict

NAME, BURSTY = "w46", "w56"
REQUESTS = 100_000
THRESHOLD = 10  # writes, instead of 50
CAUSES: Mapping[str, tuple[Mapping[str, object], Mapping[str, object]]] = {  # what changes of the input, and of the drive
    "as it is": ({}, {}),
    "gaps by their mean alone": ({"exponential": True}, {}),
    "80 % of the writes on the hottest 100": ({"hot_share": 0.8}, {}),
    f"a threshold of {THRESHOLD} writes": (
        {}, {"layers__imr_flip__flip_threshold": THRESHOLD, "layers__imr_dtm__swap_threshold": THRESHOLD, "layers__imr_cache__paper": False},
    ),
    "no write cache": ({}, NO_WRITE_CACHE),
}  # fmt: skip


def one_change(lab: Lab, name: str = NAME, causes: Iterable[str] = tuple(CAUSES)) -> Grid:
    """The start of the chapter's run, in ten parts, with the life of each request."""
    parts = ("--intervals", f"{lab.requests(REQUESTS) // 10} requests", "--requests")
    inputs = {}
    for cause in causes:
        changes, settings = CAUSES[cause]
        inputs[cause] = (*input_of(lab, name, **changes, requests_of_page=REQUESTS), *parts, *setting_words(**settings))
    return lab.grid(DRIVE, inputs, plain(LAYERS), f"what slows {name}")


def _slowed(grid: Grid) -> dict[str, dict[str, float]]:
    return {cause: {layer: slowed(row, layer) for layer in INTERLACED} for cause, row in grid.items()}


def _late(row: Mapping[str, Run]) -> dict[str, float]:
    """Seconds that the end of the run comes later than on the conventional disk."""
    return {layer: disparity(row, layer)[-1] for layer in INTERLACED}


def _bursty_finding(shares: Mapping[str, Mapping[str, float]]) -> Finding:
    bare = shares["no write cache"]
    return Finding(
        "w56 without a write cache: the share of the writes that read-modify-write slows, and the improved layers", "roughly 10 % and 0 (Figure 12)",
        f"{100 * bare['imr-rmw']:.0f} % and {100 * min(bare[layer] for layer in IMPROVED):.0f} % (with it {100 * shares['as it is']['imr-rmw']:.0f} %)",
        verdict([0.05 <= bare["imr-rmw"] <= 0.2]),
    )  # fmt: skip


def _parts(lab: Lab) -> list[str]:
    grid, bursty = one_change(lab), one_change(lab, BURSTY, ("as it is", "no write cache"))
    shares = _slowed(grid)
    late = {cause: _late(row) for cause, row in grid.items()}
    rows = [[cause, *(number(100 * shares[cause][layer], 1) for layer in INTERLACED), *(number(late[cause][layer], 1) for layer in INTERLACED)] for cause in grid]
    header = ["change", *(f"{layer} slows, %" for layer in INTERLACED), *(f"{layer} later, s" for layer in INTERLACED)]
    intro = f"One change at a time, over {REQUESTS:,} requests.\n"
    return [intro, table(header, rows), findings([_bursty_finding(_slowed(bursty))])]


EXPERIMENTS = (Experiment("slowed", "What slows the writes of w46", _parts),)
