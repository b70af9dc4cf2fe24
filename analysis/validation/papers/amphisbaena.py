"""Amphisbaena: a conventional buffer in front of shingled zones, against Skylight's, Fluid's and Fluid_loop's buffers.

The paper replays eight MSR volumes on an 18 TB drive with a buffer of 1 % of the range that a volume touches. The volumes cannot be had;
the workloads `zone-*` have the request counts, write and update shares, ranges and mean write sizes of its Table 3, shortened here,
and what they assume beside stands in their files: above all how soon an address is updated again, and that at most four start addresses
lie in a chunk of 64 KiB. They have no long update periods; two sections put these in. The layers run as published. The paper does not say whether the
zones were empty at the start: both are shown.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from validation.papers import amphisbaena_causes, amphisbaena_periods, amphisbaena_sets, memory
from validation.papers.amphisbaena_readings import offset_parts, reading_experiments
from validation.papers.amphisbaena_runs import (
    CLEANINGS,
    OURS,
    amplification_without_padding,
    beside_fluid_loop,
    both_buffers,
    chunk_locality,
    chunk_sizes,
    filter_shares,
    headline,
    hit_rate,
    padding_gib,
    ranked,
    victim_rules,
    victim_size,
)
from tessera.results.markdown import number, table
from validation.papers.experiment import Experiment, sections_of
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, findings, ranked_tables, verdict
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

TITLE = "Zone buffers on a shingled drive (Amphisbaena)"

FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("write hit rate", hit_rate, 3),
    Figure("RMWs", rmws, 0),
    Figure("RMW-free", lambda run: run.metric("rmw_free.count"), 0),
    Figure("WA", total_amplification),
    Figure("WA without padding", amplification_without_padding),
    Figure("padding GiB", padding_gib, 1),
    Figure("victim sectors", victim_size, 0),
    Figure("cleanings", lambda run: run.metric("cleaning.count"), 0),
)
SAY_NOTHING_ON_FULL_ZONES = ("RMW-free", "WA without padding", "padding GiB")
ON_FULL_ZONES = tuple(figure for figure in FIGURES if figure.title not in SAY_NOTHING_ON_FULL_ZONES)


def _tables(grid: Grid, figures: Sequence[Figure] = FIGURES) -> list[str]:
    return ranked_tables(grid, figures, ranked, f"fewer than {CLEANINGS} cleanings under some layer")


def _seed_comparisons() -> list[Comparison]:
    def hits_more(name: str) -> Callable[[Grid], float]:
        return lambda grid: hit_rate(grid[name][OURS]) - hit_rate(grid[name]["fluid-loop"])

    items = []
    for name in ("hm_0", "src2_0"):
        for what, value in (("response", latency), ("RMWs", rmws), ("WA", total_amplification)):
            items.append(Comparison(f"{name}: {what} over Fluid_loop", quotient(value, name, OURS, "fluid-loop"), below=1))
        items.append(Comparison(f"{name}: write hit rate above Fluid_loop's", hits_more(name), above=0))
    return items


def _locality_findings(grid: Grid) -> list[Finding]:
    ratios = {name: rmws(row[OURS]) / rmws(row["fluid-loop"]) if rmws(row["fluid-loop"]) else None for name, row in grid.items()}
    waits = [latency(row[OURS]) / latency(row["fluid-loop"]) for row in grid.values()]
    return [
        Finding(
            "the fuller the chunks, the fewer read-modify-writes",
            "(chunks are for spatial locality)",
            "read-modify-writes over Fluid_loop's: "
            + ", ".join(f"{name} {number(ratio)}" for name, ratio in ratios.items())
            + "; response "
            + ", ".join(number(wait) for wait in waits),
            verdict(rmws(after[OURS]) < rmws(before[OURS]) for before, after in pairwise(grid.values())),
        )
    ]


def _empty(lab: Lab) -> list[str]:
    return [*_tables(headline(lab)), seed_table(over_seeds(lab, beside_fluid_loop, seeds=3), _seed_comparisons())]


def _full(lab: Lab) -> list[str]:
    return _tables(headline(lab, prefill=100), ON_FULL_ZONES)


def _locality(lab: Lab) -> list[str]:
    grid = chunk_locality(lab)
    return [*_tables(grid), findings(_locality_findings(grid))]


def _buffers(lab: Lab) -> list[str]:
    """What Figures 13, 19 and 24 show of the two buffers."""
    runs = {name: row[OURS] for name, row in both_buffers(lab).items()}
    columns = (
        ("hits", "high-frequency buffer", "low-frequency buffer", ("hit.write.hfb", "hit.write.lfb")),
        ("chunks", "to the high-frequency buffer", "to the low-frequency buffer", ("hfb.chunks_taken", "hfb.chunks_returned")),
    )
    return [table([what, one, other], [[name, *(number(run.metric(each), 0) for each in metrics)] for name, run in runs.items()]) for what, one, other, metrics in columns]


EXPERIMENTS = (
    Experiment("volumes", "Eight volumes, zones empty at the start", _empty),
    Experiment("full-zones", "Eight volumes, zones full at the start", _full),
    Experiment("victim-rules", "Which zone to clean", lambda lab: _tables(victim_rules(lab))),
    Experiment("chunk-locality", "Start addresses in a chunk", _locality),
    *amphisbaena_periods.EXPERIMENTS,
    *amphisbaena_sets.EXPERIMENTS,
    Experiment("offsets", "Published write offsets", lambda lab: offset_parts(lab, lambda grid: figure_tables(grid, FIGURES))),
    Experiment("chunk-sizes", "Chunk size", lambda lab: _tables(chunk_sizes(lab))),
    *reading_experiments(_tables),
    Experiment("filter-share", "Filter share", lambda lab: _tables(filter_shares(lab))),
    Experiment("buffers", "Which buffer makes the hits", _buffers),
    *amphisbaena_causes.EXPERIMENTS,
    *memory.ZONES,
)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return sections_of(EXPERIMENTS, lab)
