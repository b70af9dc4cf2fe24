"""Our own layer on interlaced tracks against the four of Hajkazemi et al. (tessera-imr).

**The rule** is that of [`tessera`](league.md): the drive `bare`, 12 MiB of write buffer in dumped DRAM that acknowledges parts of sectors, read cache and positioning order for everyone,
every drive full of data at the start, addresses folded at one capacity. `tessera-imr` alone uses the flash, and alone pays for it in the tables' price of a user TB: *no flash* among the ablations is what it does with the others' hardware. The layers that move or cache tracks
look for hot ones every 5,000 writes, as on `bare` everywhere. `cmr` and the shingled `tessera` stand beside them as yardsticks and take no part. Of `tessera-imr` the longest destage was chosen
among five settings on `web_3`, `rsrch_1`, `web_0`, `src1_0` and `cello2003`, and on the same ones that it moves no tracks and destages by age; the other inputs took no part in that.

The w-workloads are those of the interlaced chapter, by the public statistics of the paper's traces, with hot tracks of this drive and a range that is folded into it.
"""

from collections.abc import Mapping, Sequence

from validation.papers.interlaced_runs import INTERLACED, WORKLOADS, row_at_hand
from validation.papers.lab import Grid, Lab, Variant
from validation.papers.contest import block_table, contest, intervals_in, lines_of, logged
from validation.papers.league import (
    DRIVE, FIGURES, LONGEST, OVER_BLOCKS, PRICES, TRACES, against, best_rivals, compared, equipped, folded, on_one_space, recorded, resources,
)  # fmt: skip
from validation.papers.measures import figure_tables

TITLE = "A layer of our own on interlaced tracks (tessera-imr)"

OURS = "tessera-imr"
YARDSTICKS = ("cmr", "tessera")
TRACK_BYTES = 512 * 4096  # of `bare`
DERIVED = ("w106", "w39", "w24", "w87", "w17")
REQUESTS = 60_000
SHORTER = tuple(name for name in TRACES if name not in LONGEST)

ABLATIONS: Mapping[str, Mapping[str, object]] = {
    "all": {},
    "tops not spared": {"spare_tops": False},
    "bottoms first": {"bottoms_first": True},
    "short destages": {"destage_run": "256 KiB", "destage_depth": 64},
    "edges first": {"edges": "before"},
    "no flash": {"flash": "off"},
    "no flash, tops not spared": {"flash": "off", "spare_tops": False},
    "no flash, bottoms first": {"flash": "off", "bottoms_first": True},
    "moves: flip": {"moves": "flip"},
    "moves: cache": {"moves": "cache"},
    "moves: dtm": {"moves": "dtm"},
}


def derived(lab: Lab, names: Sequence[str] = DERIVED) -> dict[str, tuple[object, ...]]:
    """The options that run the paper's workloads with hot tracks of this drive."""
    inputs = {}
    for name in names:
        text = WORKLOADS[name].text(row_at_hand(lab, name), TRACK_BYTES)
        inputs[name] = lab.generated(f"{DRIVE}-{name}", text, REQUESTS, "--fold", "--prefill", 100, "--caches", "empty")
    return inputs


def entrants() -> dict[str, Variant]:
    return {layer: equipped(layer) for layer in (*INTERLACED, OURS, *YARDSTICKS)}


def rivals(grid: Grid) -> Grid:
    """Without the yardsticks."""
    return {name: {layer: run for layer, run in row.items() if layer not in YARDSTICKS} for name, row in grid.items()}


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    without = {name: equipped(OURS, **switches) for name, switches in ABLATIONS.items()}
    inputs, fold = on_one_space({**recorded(lab, SHORTER), **derived(lab)}, entrants())
    traces = {name: options for name, options in inputs.items() if name in TRACES}
    grid = lab.grid(DRIVE, inputs, entrants(), "interlaced league")
    contestants = rivals(grid)
    of_traces = {name: row for name, row in contestants.items() if name in traces}
    blocks = block_table(against(lab, logged(traces), best_rivals(of_traces, OURS), OURS), compared(of_traces, OURS), OURS)
    parts = [
        *folded(fold), contest(lines_of(contestants, OURS), intervals_in(blocks), OURS),
        "### Interlaced layers and yardsticks\n", *figure_tables(grid, (*FIGURES, *PRICES)), resources(grid),
    ]  # fmt: skip
    if traces:
        parts += ["### Interlaced, over ten blocks\n", f"{OVER_BLOCKS}\n", blocks]
    return [*parts, "### What each idea is worth on interlaced tracks\n", *figure_tables(lab.grid(DRIVE, inputs, without, "what each idea is worth"), FIGURES)]
