"""Amphisbaena: a conventional buffer in front of shingled zones, against Skylight's, Fluid's and Fluid_loop's buffers.

The paper replays eight MSR volumes on an 18 TB drive with a buffer of 1 % of the range that a volume touches. The volumes cannot be had;
the workloads `zone-*` have the request counts, write and update shares, ranges and mean write sizes of its Table 3, shortened here,
and what they assume beside stands in their files: above all how soon an address is updated again, and that at most four start addresses
lie in a chunk of 64 KiB. They have no long update periods; two sections put these in. The layers run as published. The paper does not say whether the
zones were empty at the start: both are shown.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers import mu_rmw
from validation.papers.amphisbaena_inputs import (
    HOT_BLOCKS, HOT_SHARE, INPUTS, LONG, PERIODS_MIB, SCATTERED, SETS, THRICE, WRITES, ZONES, beyond, inputs_of_periods, long_periods,
    smaller_chunks, statistics, text_with_set, with_sets,
)  # fmt: skip
from validation.papers.amphisbaena_runs import (
    BUFFER_MIB, CHUNKS_KIB, CLEANINGS, DRIVE, IDEAS, LAYERS, OURS, SHARES, amplification_without_padding, chunk_locality, effect, headline,
    hit_rate, inputs_of, padding_gib, published, published_offsets, ranked, swept, victim_size, volume_text,
)  # fmt: skip
from validation.papers.experiment import Experiment, Ranking, Replicates
from validation.papers.lab import Grid, Lab
from validation.papers.measures import CLEANINGS as CLEANED, MEAN, RMWS, WA, Figure, figure_tables, latency, metric, rmws

TITLE = "Zone buffers on a shingled drive (Amphisbaena)"

HITS = Figure("write hit rate", hit_rate, 3)
FIGURES = (
    MEAN, HITS, RMWS, Figure("RMW-free", metric("rmw_free.count"), 0), WA, Figure("WA without padding", amplification_without_padding),
    Figure("padding GiB", padding_gib, 1), Figure("victim sectors", victim_size, 0), CLEANED,
)  # fmt: skip
SAY_NOTHING_ON_FULL_ZONES = ("RMW-free", "WA without padding", "padding GiB")
ON_FULL_ZONES = tuple(figure for figure in FIGURES if figure.title not in SAY_NOTHING_ON_FULL_ZONES)
CLEANED_OFTEN = Ranking(ranked, f"fewer than {CLEANINGS} cleanings under some layer")
BORROWED = tuple(Figure(f"chunks {which}", lambda run, which=which: run.metric(f"hfb.chunks_{which}"), 0) for which in ("taken", "returned"))


RUN_KIB = 256
LOADS = (1, 2, 4)
BUFFER_PARTS = (2, 8, 32)
SECTOR_KIB = 4


def sectors_a_cleaning(run: Run) -> float:
    chunks, sectors, cleanings = (run.metric(name) for name in ("victim.chunks", "victim.chunk_sectors_mean", "cleaning.count"))
    return chunks * sectors / cleanings if cleanings else 0.0


def in_runs(text: str, kib: int = RUN_KIB) -> str:
    """A volume whose large writes are so long, as many bytes in all, and begin where a run of that length does."""
    sizes = [[int(number) for number in pair.split(",")] for pair in re.findall(r"\[(\d+, \d+)\]", text)]
    small, mean = sizes[0][0], sum(size * share for size, share in sizes) / sum(share for _, share in sizes)
    large = round(1000 * (mean - small) / (kib * 1024 - small))
    text = re.sub(r"write_sizes = .*", f"write_sizes = [[{small}, {1000 - large}], [{kib * 1024}, {large}]]", text)
    return re.sub(r'(?m)^chunk = ".*"', f'chunk = "{kib} KiB"', text)


def long_runs(lab: Lab, name: str = "src2_2") -> Grid:
    """The sweep of chunks on the volume that the paper has an optimum of, its input as the chapter's and in runs."""
    text = volume_text(name)
    files = {"writes of 128 KiB": lab.workload_file(f"zone-{name}", text), f"runs of {RUN_KIB} KiB": lab.workload_file(f"zone-{name}-runs", in_runs(text))}
    options = inputs_of(lab, (name,))[name]
    inputs = {title: ("--workload", file, *options[2:]) for title, file in files.items()}
    return lab.grid(DRIVE, inputs, {f"{kib} KiB": published(OURS, chunk=f"{kib} KiB") for kib in CHUNKS_KIB}, "chunk sizes, long runs")


def by_load(lab: Lab, name: str = "prn_0") -> Grid:
    """The volume whose latency depends on the filter share, with longer gaps."""
    text = volume_text(name)
    options = inputs_of(lab, (name,))[name]
    inputs = {}
    for times in LOADS:
        longer = re.sub(r'mean = "([\d.]+) ms"', lambda found, times=times: f'mean = "{float(found[1]) * times:.2f} ms"', text)
        inputs[f"gaps {times} times as long"] = ("--workload", lab.workload_file(f"zone-{name}-gaps-{times}", longer), *options[2:])
    return lab.grid(DRIVE, inputs, {f"{share}": published(OURS, filter_share=share) for share in SHARES}, "filter shares by load")


def skylight_zones(lab: Lab, names: Sequence[str] = ("hm_0", "src2_0")) -> Grid:
    """Skylight by the size of its buffer zones, next to Amphisbaena, with long update periods."""

    def variants(buffer_mib: int) -> dict:
        zones = {f"1/{part}": published("skylight-disk", buffer_zone=f"{buffer_mib * 1024 // part // SECTOR_KIB * SECTOR_KIB} KiB") for part in BUFFER_PARTS}
        return zones | {OURS: published(OURS)}

    rows = {}
    for name in names:
        file = lab.workload_file(f"zone-{name}-set", text_with_set(name))
        inputs = inputs_of(lab, (name,), 100, {name: file}, {name: SETS[name].requests})
        rows |= lab.grid(DRIVE, inputs, variants(BUFFER_MIB[name]), f"Skylight's buffer zones, {name}")
    periods = inputs_of_periods(lab, INPUTS[:1])
    return rows | lab.grid(DRIVE, periods, variants(BUFFER_MIB["hm_0"]), "Skylight's buffer zones, update periods")


def _buffers(_: Lab, grid: Grid) -> list[str]:
    """What Figures 13, 19 and 24 show of the two buffers."""
    columns = (
        ("hits", "high-frequency buffer", "low-frequency buffer", ("hit.write.hfb", "hit.write.lfb")),
        ("chunks", "to the high-frequency buffer", "to the low-frequency buffer", ("hfb.chunks_taken", "hfb.chunks_returned")),
    )
    return [table([what, *buffers], [[name, *(number(row[OURS].metric(each), 0) for each in metrics)] for name, row in grid.items()]) for what, *buffers, metrics in columns]


def _periods(lab: Lab, _: Grid) -> list[str]:
    shares = {each.title: beyond(*each.blocks(lab.requests(WRITES), lab.seed), PERIODS_MIB * 256) for each in INPUTS}
    header = ["input", "updated blocks with a period beyond the buffer, %", "of these updated more than twice, %"]
    return [table(header, [[name, *(number(100 * share, 0) for share in pair)] for name, pair in shares.items()])]


def _statistics(lab: Lab, _: Grid) -> list[str]:
    rows = []
    for name, standing in SETS.items():
        (long, often), (long_set, often_set) = statistics(name, lab.scale)
        met = "both" if long_set >= LONG and often_set >= THRICE - 0.02 else "the first" if long_set >= LONG else "the second" if often_set >= THRICE - 0.02 else "neither"
        rows.append([name, f"{standing.addresses:,}", number(100 * long, 0), number(100 * often, 0), number(100 * long_set, 0), number(100 * often_set, 0), met])
    header = ["volume", "set", "today's law: beyond the buffer, %", "updated more than twice, %", "with the set: beyond the buffer, %", "updated more than twice, %", "has of 85 and 70 %"]
    return [table(header, rows)]


def _ideas(_: Lab, grid: Grid) -> list[str]:
    rows = [[idea, *(number(effect(row, index, value)) for row in grid.values() for value in (latency, rmws))] for index, idea in enumerate(IDEAS)]
    header = ["idea: how many times as much with it", *(f"{name} {what}" for name in grid for what in ("response", "RMWs"))]
    best = {name: min((run for run in row if run != "fluid-loop"), key=lambda run, row=row: latency(row[run])) for name, row in grid.items()}
    fastest = [[name, best[name], number(latency(row[best[name]]) / latency(row["fluid-loop"]))] for name, row in grid.items()]
    return [table(header, rows), table(["fastest combination", "digits", "response over Fluid_loop's"], fastest)]


BUFFER_GIB = 1


def zone_buffers(lab: Lab) -> dict[str, Run]:
    """A short run of each with a buffer of 1 GiB, and of Amphisbaena without what it remembers of blocks that left."""
    buffer = f"{BUFFER_GIB} GiB"
    variants = {layer: published(layer, buffer=buffer) for layer in LAYERS}
    variants["amphisbaena, no ghosts or shadows (`history = 0`)"] = published(OURS, buffer=buffer, history=0)
    return lab.grid(DRIVE, {"": ("--workload", "zone-hm_0", "--limit", 1000)}, variants, "memory")[""]


def _memory(lab: Lab, _: Grid) -> list[str]:
    """The zones' tables are states and bitmaps of their padding, which every zone buffer keeps, however large its buffer."""
    rows = []
    for layer, run in zone_buffers(lab).items():
        zones = run.metric("meta.ram_bytes_zones") / mu_rmw.MB
        buffer = mu_rmw.tables_mb(run) - zones
        a_block = buffer * mu_rmw.MB / (BUFFER_GIB * 2**30 / 4096)
        rows.append([layer, number(zones, 1), number(buffer, 1), number(a_block, 0), number(mu_rmw.merge_mb(run), 0), number(mu_rmw.total_mb(run), 0)])
    return [table(["layer", "tables of the zones, MB", "tables of the buffer, MB", "bytes a block of the buffer", "merge buffer, MB", "all reserved, MB"], rows)]


def _ranked(name: str, title: str, grid: Callable[[Lab], Grid], figures: Sequence[Figure] = FIGURES, **more: object) -> Experiment:
    return Experiment(name, title, grid, figures, **{"ranking": CLEANED_OFTEN, **more})


def _swept(name: str, title: str, figures: Sequence[Figure] = FIGURES, **more: object) -> Experiment:
    return _ranked(name, title, partial(swept, sweep=name), figures, **more)


TIMES = (MEAN, RMWS, CLEANED)
EXPERIMENTS = (
    _ranked("volumes", "Eight volumes, zones empty at the start", headline, replicates=Replicates(partial(headline, names=("hm_0", "src2_0"), layers=("fluid-loop", OURS)), FIGURES, 3)),
    _ranked("full-zones", "Eight volumes, zones full at the start", partial(headline, prefill=100), ON_FULL_ZONES),
    _swept("victim-rules", "Which zone to clean"),
    _ranked("chunk-locality", "Start addresses in a chunk", chunk_locality),
    Experiment(
        "update-periods", "Blocks with long update periods", long_periods, (MEAN, RMWS, WA, HITS, CLEANED), before=_periods,
        intro="Figure 2: over 85 % of one volume's updated blocks have a period longer than the buffer, and 70 % of these are updated more than twice. The\n"
        f"chapter's inputs have 0 to 15 %: they forget an address after 65,536 writes. Here {HOT_SHARE:.0%} of the writes update one of {HOT_BLOCKS:,} blocks at random,\n"
        f"the others are cold: 64 KiB each, once. {ZONES} zones are full, the buffer has {PERIODS_MIB} MiB, writes come one at a time. Where the paper's blocks lie\n"
        "is not printed.\n",
        replicates=Replicates(partial(long_periods, layers=("fluid-loop", OURS), drawn=SCATTERED), (MEAN, RMWS), 3),
    ),
    _ranked(
        "standing-sets", "Eight volumes with long update periods", with_sets, (MEAN, HITS, RMWS, WA, CLEANED), before=_statistics,
        after=lambda lab, _: figure_tables(smaller_chunks(lab), (MEAN, HITS, RMWS)),
        intro="Every update goes to any of a set of addresses (`updates.set`), about 1.1 for each block of the buffer, on full zones.\n",
    ),
    Experiment(
        "offsets", "Published write offsets", published_offsets, FIGURES,
        intro="The write offsets of six volumes are public, their order is not: drawn at random, with the sizes, shares and gaps of the paper's table.\n",
    ),
    _swept("chunk-sizes", "Chunk size"),
    _swept("scopes", "Which writes end a collection"),
    _swept("segments", "What leaves the log of Fluid at once", (MEAN, RMWS, WA), ranking=None),
    _swept("given-back", "Which chunks the high-frequency buffer gives back", (MEAN, RMWS, *BORROWED), ranking=None),
    Experiment(
        "ideas", "Which idea earns the gain", partial(swept, sweep="ideas", names=("hm_0", "src2_0")), after=_ideas,
        intro="Every combination is run, named by a digit an idea, 0 as in the paper: below 1, the idea helps.\n",
    ),
    _swept("filter-share", "Filter share"),
    Experiment("buffers", "Which buffer makes the hits", partial(headline, layers=(OURS,)), after=_buffers),
    Experiment("long-runs", "src2_2 in longer runs", long_runs, (MEAN, HITS, RMWS, Figure("sectors a cleaning", sectors_a_cleaning, 0))),
    Experiment("filter-load", "Filter share by load", by_load, TIMES),
    Experiment("skylight-zones", "Skylight's buffer zones, as parts of the buffer", skylight_zones, TIMES),
    Experiment("memory", "Memory of the buffers' tables", after=_memory, intro=f"DRAM with a buffer of {BUFFER_GIB} GiB. A block has 4 KiB.\n"),
)  # fmt: skip
