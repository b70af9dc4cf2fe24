"""Our own layer and its rivals with caches that are full (tessera).

**The rule.** The recorded traces of the league are too short to fill its caches. Here they fill them: the same drive `bare`, the same 12 MiB of write buffer in dumped DRAM that acknowledges parts of sectors, read
cache and positioning order, addresses folded at one capacity, but 256 MiB of flash, and 256 MiB for whatever else a layer sets aside of the platters as a cache: the log of `media-cache` and of `tessera`, the buffers of
`fluid`, `fluid-loop` and `amphisbaena`, the tracks of `vguard`. Each of the eight shorter traces is repeated until it has written 1 GiB of distinct sectors, each pass 1 GiB
further up than the one before it, so that a cache is a quarter of what is written; volumes lie one behind the other, and `hp_c2247` arrives as it was recorded. The passes
that write the first 256 MiB are not measured. The rivals are those that are among the first five for any of these traces in the league, with `sblock`, `amphisbaena` and `fluid-loop`.

Of `tessera`, that a cleaning takes one band, and that a band with less than the mean stays in the log, was chosen on seven of these traces, `cello2003` not among them.

Only layers that cleaned at least 20 times in what is measured are ranked, and those that have nothing to fill (`cmr`, `shingled-in-place-r4123`): figures of the others have a star.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tessera.results.families import ordered
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from tessera.traces.edit import merge, repeat, write_trace
from tessera.traces.table import WRITE, blocks_of, read_trace
from validation.papers.contest import block_table, contest, intervals_in, lines_of, logged
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.league import DRIVE, FIGURES, LONGEST, OURS, OVER_BLOCKS, PRICES, TRACES, against, best_rivals, compared, equipped, folded, on_one_space, resources
from validation.papers.league import best as best_of
from validation.papers.measures import CLEANINGS, Figure, figure_tables, latency, metric, total_amplification

TITLE = "The league under pressure: caches that are full (tessera)"

CACHE_MIB = 256
FOOTPRINT_MIB = 4 * CACHE_MIB
TRACK_MIB = 2  # of `bare`
DRIFT = 1 << 30
BLOCK = 4096
SHORTER = tuple(name for name in TRACES if name not in LONGEST)
ENOUGH = 20  # cleanings that a ranking takes
IN_PLACE = ("cmr", "shingled-in-place-r4123")  # have nothing that fills
RIVALS = (
    *IN_PLACE, "vguard", "sblock", "skylight-flash", "pore", "mu-rmw", "fluid", "fluid-loop", "amphisbaena", "media-cache",
)  # fmt: skip

# Flash of that size, and what saves the 16 MiB of dumped DRAM beside it.
FLASH = {"nand__blocks": 2048, "nand__dump_blocks": 128}
CACHES: Mapping[str, Mapping[str, object]] = {
    "vguard": {"cache_tracks": CACHE_MIB // TRACK_MIB},
    "sblock": {"flash": f"{CACHE_MIB - 32} MiB"},  # what the journals leave
    "fluid": {"buffer": f"{CACHE_MIB} MiB"},
    "fluid-loop": {"buffer": f"{CACHE_MIB} MiB"},
    "amphisbaena": {"buffer": f"{CACHE_MIB} MiB"},
    "media-cache": {"cache": f"{CACHE_MIB} MiB"},
    OURS: {"log": f"{CACHE_MIB} MiB"},
}

ABLATIONS: Mapping[str, Mapping[str, object]] = {
    "all": {},
    "all merged": {"stay_mark": 0},
    "nothing ahead": {"clean_mark": 100},
    "neither": {"stay_mark": 0, "clean_mark": 100},
    "merged in place": {"merge_to": "place"},
    "always to a spare band": {"merge_to": "spare"},
    "merges keep the disk": {"merge_tracks": 16},
    "no flash": {"flash": "off"},
}


def scarce(variant: Variant) -> Variant:
    """The same layer with caches of the chapter's size."""
    return Variant(variant.layer, {**variant.settings, **FLASH, **of_layer(variant.layer, **CACHES.get(variant.layer, {}))})


def equipped_scarcely(layer: str) -> Variant:
    """The layer on the drive of the chapter."""
    return scarce(equipped(layer))


def repeated(lab: Lab, names: Sequence[str] = SHORTER) -> dict[str, tuple[object, ...]]:
    """The options that replay each trace at hand until it has written FOOTPRINT_MIB; what fills the caches is not measured."""
    options = {}
    for name in names:
        path, _ = TRACES[name]
        if trace := lab.trace(*path):
            records = merge([read_trace(trace)])
            written = len(np.unique(blocks_of(records[records["op"] == WRITE], BLOCK)[0])) * BLOCK
            filling, whole = (-(-(mib << 20) // written) for mib in (CACHE_MIB, FOOTPRINT_MIB))
            times = max(filling + 1, round(whole * lab.scale))
            file = lab.out / "traces" / f"{name}-{times}-times.csv"
            if not file.exists():
                write_trace(repeat(records, times, DRIFT), file)
            options[name] = ("--trace", file, "--fold", "--prefill", 100, "--caches", "empty", "--warmup", filling * len(records))
    return options


def passes(options: Sequence[object]) -> int:
    """How often an input of the chapter repeats its trace."""
    return int(str(options[1]).rsplit("-", 2)[1])


def ranked(run: Run, layer: str) -> bool:
    """Whether it cleaned often enough that its figures are those of a cache that is full; or has none."""
    return layer in IN_PLACE or cleanings(run) >= ENOUGH


def cleanings(run: Run) -> float:
    return run.metric("cleaning.count")


def entrants() -> dict[str, Variant]:
    return {layer: equipped_scarcely(layer) for layer in (*RIVALS, OURS)}


LIFE = Figure("flash life, years to the worst block's end", metric("nand.lifetime.years.worst_block"))


def _ranked(grid: Grid) -> Grid:
    """Without what cleaned too seldom."""
    return {name: {layer: run for layer, run in row.items() if ranked(run, layer)} for name, row in grid.items()}


def _cached(grid: Grid) -> Grid:
    """Those that have something to fill."""
    return {name: {layer: run for layer, run in row.items() if layer not in IN_PLACE} for name, row in grid.items()}


def _league(grid: Grid, figure: Figure) -> str:
    """A line a layer, a column an input; a star where a layer is not ranked."""

    def cell(run: Run, layer: str) -> str:
        return figure.text(run) + ("" if ranked(run, layer) else "*")

    layers = ordered(next(iter(grid.values())))
    return table([figure.title, *grid], [[f"`{layer}`", *(cell(row[layer], layer) for row in grid.values())] for layer in layers])


def _writing(grid: Grid) -> str:
    """What ours writes beside the one that writes least."""
    rows = []
    for name, row in grid.items():
        least = best_of(row, total_amplification)
        ratio = total_amplification(row[OURS]) / total_amplification(row[least])
        rows.append([
            name, f"{number(total_amplification(row[least]))} `{least}`", number(total_amplification(row[OURS])), number(ratio, 3),
            number(latency(row[least])), number(latency(row[OURS])),
        ])  # fmt: skip
    return table(["input", "least WA", "ours", "ratio", "its mean, ms", "ours"], rows)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    without = {name: scarce(equipped(OURS, **switches)) for name, switches in ABLATIONS.items()}
    inputs, fold = on_one_space(repeated(lab), entrants())
    if not inputs:
        return []
    grid = lab.grid(DRIVE, inputs, entrants(), "under pressure")
    entitled = _ranked(grid)
    filled = _cached(entitled)
    logs = against(lab, logged(inputs), best_rivals(entitled), made=equipped_scarcely)
    blocks = block_table(logs, compared(entitled), OURS, {name: passes(options) for name, options in inputs.items()})
    return [
        *folded(fold),
        "Among all that are ranked, the conventional disk with them:\n", contest(lines_of(entitled, OURS), intervals_in(blocks), OURS),
        "Among those that have a cache to fill:\n", contest(lines_of(filled, OURS), intervals_in(blocks), OURS),
        "Beside the one of these that writes least:\n", _writing(filled),
        "### All layers under pressure\n", *(_league(grid, figure) for figure in (*FIGURES, *PRICES, LIFE, CLEANINGS)),
        "\\* fewer than 20 cleanings: not ranked.\n", resources(grid),
        "### Under pressure, over ten blocks\n", f"{OVER_BLOCKS} A block is the same tenth of every pass.\n", blocks,
        "### What each idea is worth under pressure\n", *figure_tables(lab.grid(DRIVE, inputs, without, "what each idea is worth"), (*FIGURES, CLEANINGS)),
    ]  # fmt: skip
