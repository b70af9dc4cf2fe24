"""Our own layer and its rivals with caches that are full (tessera).

**The rule.** The recorded traces of the league are too short to fill its caches. Here they fill them: the same drive `bare`, the same 12 MiB of write buffer in dumped DRAM that acknowledges parts of sectors, read
cache and positioning order, addresses folded at one capacity, but 256 MiB of flash, and 256 MiB for whatever else a layer sets aside of the platters as a cache: the log of `media-cache` and of `tessera`, the buffers of
`fluid`, `fluid-loop` and `amphisbaena`, the tracks of `vguard`. Each of the eight shorter traces is repeated until it has written 1 GiB of distinct sectors, each pass 1 GiB
further up than the one before it, so that a cache is a quarter of what is written; volumes lie one behind the other, and `hp_c2247` arrives as it was recorded. The passes
that write the first 256 MiB are not measured. The rivals are those that are among the first five for any of these traces in the league, with `sblock`, `amphisbaena` and `fluid-loop`.

Of `tessera`, that a cleaning takes one band, and that a band with less than the mean stays in the log, was chosen on seven of these traces, `cello2003` not among them.

Only layers that cleaned at least 20 times in what is measured are ranked, and those that have nothing to fill (`cmr`, `shingled-in-place-r4123`): figures of the others have a star.
"""

from tessera.results.families import ordered
from validation.papers.lab import Grid, Lab
from validation.papers.blocks import block_table, logged
from validation.papers.contest import contest, intervals_in, lines_of
from validation.papers.league import FIGURES, OURS, OVER_BLOCKS, PRICES, against, best_rivals, compared, folded, on_one_space, resources
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.league import best as best_of
from validation.papers.measures import latency, total_amplification
from validation.papers.page import Figure, figure_tables
from validation.papers.pressure_runs import IN_PLACE, ablations, cleanings, entrants, equipped_scarcely, league, passes, ranked, repeated

TITLE = "The league under pressure: caches that are full (tessera)"

CLEANINGS = Figure("cleanings", cleanings, 0)
LIFE = Figure("flash life, years to the worst block's end", lambda run: run.metric("nand.lifetime.years.worst_block"))


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
    inputs, fold = on_one_space(repeated(lab), entrants())
    if not inputs:
        return []
    grid = league(lab, inputs)
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
        "### What each idea is worth under pressure\n", *figure_tables(ablations(lab, inputs), (*FIGURES, CLEANINGS)),
    ]  # fmt: skip
