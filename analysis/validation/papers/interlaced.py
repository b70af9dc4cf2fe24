"""Hajkazemi et al.: four translation layers for interlaced recording, and a conventional disk.

The paper replays 17 CloudPhysics traces of a week each. The traces are not public (the order of w106's accesses is,
and has a section of its own), but a table of their statistics is: counts, bytes,
address range, distinct pages, percentiles of sizes, of gaps and of the popularity of pages; its counts and write shares agree with the
paper's Table 1. The inputs here have these statistics. The gaps follow their percentiles, their tail is fitted to the longest gap and to
the mean over a week; a twentieth of the pages, the hottest, is fitted to the hottest page and to the sum. Which pages lie side by side
is not in the table: the writes on the hottest 100 tracks are those on the hottest pages if these fill whole tracks, where the paper's
text does not print the share (it does for w106, w09 and w87, and for a handful of tracks of w39). The hot tracks lie in runs of eight,
but alone in w17 and in tens in w87 as the paper says; they stay where they are; reads go anywhere in the range. These three are
assumptions, changed one at a time below. Tracks hold data everywhere at the start. Write amplification leaves the backup region and the
map's log out, but counts the tracks that a flip, a promotion or a swap writes; beside it stands what is written in all. Without the
table the inputs have what the paper prints alone: half of the requests on 100 hot tracks, exponential gaps.
"""

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from tessera.results.markdown import number, table
from tessera.results.request_log import OPERATIONS, latency_ms
from tessera.results.run_folder import Run
from tessera.traces.published_workload import hot_shares
from validation.papers.experiment import Experiment, Ranking, Replicates
from validation.papers.interlaced_runs import (
    CAUSES, DRIVE, IMPROVED, IN_PARTS, INTERLACED, INTERVAL, INTERVALS, LAYERS, MOVES, NO_WRITE_CACHE, TURN_MS, WORKLOADS, dilated, disparity, input_of, loads, moves_done,
    one_cause_at_a_time, own_amplification, own_with_backups, plain, ranked, row_at_hand, single_sectors, swept, workloads,
)  # fmt: skip
from validation.papers.interlaced_tracks import (
    ACCESSES, HOT, LONG_RUN, NEIGHBOURS_OF, ON_THE_HOTTEST, OVER_TIME, RECORDED, WINDOW, HotTrack, accesses, by_threshold, four_over_time, hottest, on_recorded_order,
    runs_of_hot_tracks, share_on_hottest, with_backup, writes_of, written_tracks,
)  # fmt: skip
from validation.papers.lab import Grid, Lab, Variant, setting_words
from validation.papers.measures import MEAN, Figure, amplification, figure_tables, latency, longest, metric, starred, total_amplification

TITLE = "Track-based translation layers for interlaced recording"

WRITTEN = Figure("write amplification", amplification)
OWN = Figure("of host writes alone", own_amplification)
MOVES_DONE = Figure("moves", moves_done, 0)
DILATION = Figure("dilation", dilated)
WORKLOAD_FIGURES = (
    WRITTEN, OWN, Figure("in all, backups and logs included", total_amplification), MOVES_DONE, MEAN,
    Figure("p99.9 ms", metric("host.latency.p999"), 1, of_response=True),
)  # fmt: skip
RULE_FIGURES = (Figure("WA", amplification), Figure("of host writes", own_amplification), Figure("promotions", lambda run: run.find("cache.promote"), 0), MEAN)
SEED_FIGURES = (
    WRITTEN, MEAN, OWN, Figure("backups counted", own_with_backups), Figure("beyond the host's own write", lambda run: own_amplification(run) - 1),
    Figure("mean s", lambda run: latency(run) / 1000),
)  # fmt: skip
COUNTED_INTERVALS = Ranking(ranked, f"fewer than {INTERVALS} intervals of the track counters")


def _single(_: Lab, grid: Grid) -> list[str]:
    """Every second write meets a bottom; the others cost what they do on the conventional disk. In sequence the slowest tenth are of a bottom all."""
    anywhere, run = {layer: latency(run) for layer, run in grid["uniform"].items()}, grid["uniform"]["imr-rmw"]
    rows = [
        ["ms more than a write", number(2 * (anywhere["imr-rmw"] - anywhere["cmr"]))],
        ["ms in sequence", number(grid["sequential"]["imr-rmw"].metric("host.latency.p90"))],
        ["sectors written, backup included", number(total_amplification(run), 3)],
        ["sectors written, backup left out", number(amplification(run), 3)],
    ]
    return [table(["a read-modify-write", "here"], rows)]


def _hot(lab: Lab, name: str) -> list[str]:
    """The shares of the writes on the hottest hundred tracks and on the hottest five, in percent, that the input has."""
    row = row_at_hand(lab, name)
    shares = hot_shares(row, WORKLOADS[name].shape()) if row else ()
    return [f"{100 * share:.0f}" for share in shares] or ["-", "-"]


def _facts(lab: Lab, grid: Grid) -> list[str]:
    rows = starred(grid, ranked)
    facts = [
        [title, WORKLOADS[name].published or "-", *_hot(lab, name), number(row["imr-rmw"].metric("host.writes") / INTERVAL, 1)]
        for name, (title, row) in zip(grid, rows.items(), strict=True)
    ]
    return [table(["workload", "the paper says", "% on the hottest 100 here", "on 5", "intervals"], facts)]


def _longest(_: Lab, grid: Grid) -> list[str]:
    """Of the two that count no tracks, so that every workload ranks them."""
    return figure_tables({name: {layer: row[layer] for layer in ("cmr", "imr-rmw")} for name, row in grid.items()}, (Figure("longest ms", longest, 1),))


AS_IT_IS, BY_MEAN, _, DRIFTING = CAUSES
BURSTY = ("w08", "w24", "w43")  # the paper: "not affected"
LOCAL = ("w39", "w106")  # whose hot tracks take the most


def _causes(_: Lab, grid: Grid) -> list[str]:
    def slower(name: str, cause: str) -> float:
        row = grid[f"{name}, {cause}"]
        return latency(row["imr-rmw"]) / latency(row["cmr"])

    def gain(name: str, cause: str) -> float:
        row = grid[f"{name}, {cause}"]
        return own_amplification(row["imr-rmw"]) / min(own_amplification(row[layer]) for layer in IMPROVED)

    columns = ((slower, "response, imr-rmw over cmr", BURSTY, BY_MEAN), (gain, "host writes alone, imr-rmw over the best", LOCAL, DRIFTING))
    return [table([title, AS_IT_IS, cause], [[name, *(number(of(name, which)) for which in (AS_IT_IS, cause))] for name in names]) for of, title, names, cause in columns]


def _order(lab: Lab, _: Grid) -> list[str]:
    found = runs_of_hot_tracks(accesses(lab.trace(*RECORDED), lab.requests(ACCESSES)))
    rows = [[f"{length} side by side", number_] for length, number_ in sorted(found.items())]
    return [table([f"the hottest {HOT} tracks lie", "runs"], rows), "The drawn inputs have them in runs of eight.\n"]


def _dilation(_: Lab, grid: Grid) -> list[str]:
    parts = []
    for name, row in grid.items():
        late = {layer: disparity(row, layer) for layer in INTERLACED}
        star = "" if ranked(row) else "*"
        parts.append(table([f"{name}, of the requests", *INTERLACED], [[f"{10 * (i + 1)} %{star}", *(number(late[layer][i], 1) for layer in INTERLACED)] for i in range(10)]))
    return [*parts, f"\\* {COUNTED_INTERVALS.otherwise}: not ranked.\n"]


def write_latencies(run: Run) -> np.ndarray:
    """Of each write in ms, in order of arrival."""
    writes = run.requests[run.requests["op"] == OPERATIONS.index("write")]
    return latency_ms(writes[np.argsort(writes["number"])])


def slowed(row: Mapping[str, Run], layer: str) -> float:
    """The share of the writes that take at least a turn longer than the same write on the conventional disk."""
    return float(np.mean(write_latencies(row[layer]) - write_latencies(row["cmr"]) >= TURN_MS))


PERCENTILES = tuple(
    Figure(f"writes, {title} ms", lambda run, name=name: run.metric(f"host.write.latency.{name}"), of_response=True)
    for title, name in (("median", "p50"), ("90 %", "p90"), ("99 %", "p99"), ("99.9 %", "p999"))
)
SLOWED = "A write is slowed that takes at least a turn longer than the same write on the conventional disk.\n"


def _slowed(row: Mapping[str, Run]) -> list[str]:
    return [number(100 * slowed(row, layer), 1) for layer in INTERLACED]


def _distributions(_: Lab, grid: Grid) -> list[str]:
    return [table(["writes slowed, %", *INTERLACED], [[name, *_slowed(row)] for name, row in starred(grid, ranked).items()])]


CHANGED = 100_000  # requests
LOW_THRESHOLD = 10  # writes, instead of 50
CHANGES: Mapping[str, tuple[Mapping[str, object], Mapping[str, object]]] = {  # what changes of the input, and of the drive
    "as it is": ({}, {}),
    "gaps by their mean alone": ({"exponential": True}, {}),
    "80 % of the writes on the hottest 100": ({"hot_share": 0.8}, {}),
    f"a threshold of {LOW_THRESHOLD} writes": (
        {}, {"layers__imr_flip__flip_threshold": LOW_THRESHOLD, "layers__imr_dtm__swap_threshold": LOW_THRESHOLD, "layers__imr_cache__paper": False},
    ),
    "no write cache": ({}, NO_WRITE_CACHE),
}  # fmt: skip


def one_change(lab: Lab, name: str = "w46", changes: Iterable[str] = tuple(CHANGES)) -> Grid:
    """What slows a workload: the start of the chapter's run, in ten parts, with the life of each request."""
    parts = ("--intervals", f"{lab.requests(CHANGED) // 10} requests", "--requests")
    inputs = {}
    for each in changes:
        of_input, of_drive = CHANGES[each]
        inputs[each] = (*input_of(lab, name, **of_input, requests_of_page=CHANGED), *parts, *setting_words(**of_drive))
    return lab.grid(DRIVE, inputs, plain(LAYERS), f"what slows {name}")


def _changes(lab: Lab, grid: Grid) -> list[str]:
    late = {change: [number(disparity(row, layer)[-1], 1) for layer in INTERLACED] for change, row in grid.items()}
    header = ["change", *(f"{layer} slows, %" for layer in INTERLACED), *(f"{layer} later, s" for layer in INTERLACED)]
    bursty = one_change(lab, "w56", ("as it is", "no write cache"))
    return [
        table(header, [[change, *_slowed(row), *late[change]] for change, row in grid.items()]),
        table(["w56, writes slowed, %", *INTERLACED], [[change, *_slowed(row)] for change, row in bursty.items()]),
    ]


def _neighbours(lab: Lab, _: Grid) -> list[str]:
    hot = {name: hottest(tracks) for name, tracks in written_tracks(lab, NEIGHBOURS_OF, INTERVAL).items()}
    parts = []
    for name, tracks in hot.items():
        parts += [f"{name}:\n", table(["rank", "writes", "track before", "track behind"], [[rank, each.writes, each.before, each.behind] for rank, each in enumerate(tracks, 1)])]
    hot[f"w87 in runs of {LONG_RUN}"] = hottest(written_tracks(lab, ("w87",), INTERVAL, run_length=LONG_RUN)["w87"])

    def with_hot(tracks: list[HotTrack], neighbours: int) -> int:
        return sum(each.hot_neighbours() == neighbours for each in tracks)

    rows = [[name, with_hot(tracks, 1), with_hot(tracks, 2), with_hot(tracks[:3], 0)] for name, tracks in hot.items()]
    return [*parts, table(["of the 20 hottest", "with one hot neighbour", "with two", "alone, of the first 3"], rows)]


def _over_time(lab: Lab, _: Grid) -> list[str]:
    first, counts = four_over_time(written_tracks(lab, (OVER_TIME,), writes_of(lab), drift=0.1)[OVER_TIME], WINDOW)
    leaders = {int(line.argmax()) for line in counts if line.max() >= 10}
    return [
        table(["writes up to", *(f"track {first + offset}" for offset in range(4))], [[f"{(index + 1) * WINDOW:,}", *line] for index, line in enumerate(counts.tolist())]),
        table(["of the busy tracks", "least", "most"], [[first + offset, column.min(), column.max()] for offset, column in enumerate(counts.T) if column.max() >= 10]),
        table(["of the four", "tracks"], [["ever the hottest", len(leaders)]]),
    ]


def _shares(lab: Lab, _: Grid) -> list[str]:
    tracks, rows = written_tracks(lab, tuple(ON_THE_HOTTEST), writes_of(lab)), []
    for name, (count, published) in ON_THE_HOTTEST.items():
        shares = (published, share_on_hottest(tracks[name][:INTERVAL], count), share_on_hottest(tracks[name], count))
        rows.append([f"{name}, {count} tracks", *(number(100 * share, 0) for share in shares)])
    return [table(["% of the writes on the hottest", "published", f"{INTERVAL:,} writes", "all writes"], rows)]


def _numbering(_: Lab, grid: Grid) -> list[str]:
    names = list(next(iter(grid.values())))
    moving = [name for name in names if name.split()[0] in MOVES]
    rows = [[workload, *(number(amplification(run)) for run in row.values()), *(number(moves_done(row[name]), 0) for name in moving)] for workload, row in grid.items()]
    return [table(["workload", *(f"WA {name}" for name in names), *(f"moves {name}" for name in moving)], rows)]


def _lost(run: Run) -> float | None:
    """In percent of the writes of tracks that arrived."""
    share = run.find("heat.lost_in_cache")
    return None if share is None else 100 * share


TRACKS = 750_000  # of the drive
IDLE_WRITES = 120_000  # six counts of the tracks
HOT_BOTTOMS = (
    'summary = "few hot bottoms, on an idle drive"\nlaw = "uniform"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
    'extents = 40\nextent = "8 KiB"\nrange = "1000 GB"\n[arrivals]\nlaw = "exponential"\nmean = "20 s"\n'
)
SMALL_CACHE = "imr-cache, 10 tracks"  # fewer than are hot: it evicts as well


def idle_moves(lab: Lab) -> Mapping[str, Run]:
    """Requests so seldom that no move is interrupted."""
    words = lab.generated("interlaced-idle", HOT_BOTTOMS, IDLE_WRITES, "--prefill", 100, "--caches", "empty")
    variants = plain(IMPROVED, **NO_WRITE_CACHE) | {SMALL_CACHE: Variant("imr-cache", {**NO_WRITE_CACHE, "layers__imr_cache__cache_tracks": 10})}
    return lab.grid(DRIVE, {"": words}, variants, "moves on an idle drive")[""]


def _moves(lab: Lab, _: Grid) -> list[str]:
    """An eviction takes what a small cache spends in addition to its promotions."""
    runs = idle_moves(lab)
    flip, promotion, swap = (runs[layer].metric("cleaning.mean") for layer in IMPROVED)
    promotions, evictions = (runs[SMALL_CACHE].metric(f"cache.{which}") for which in ("promote", "evict"))
    eviction = (runs[SMALL_CACHE].metric("cleaning.mean") * (promotions + evictions) - promotion * promotions) / evictions
    return [table(["ms a move", "flip", "promotion", "eviction", "swap"], [["40 hot tracks", *(number(cost, 1) for cost in (flip, promotion, eviction, swap))]])]


def _memory(lab: Lab, _: Grid) -> list[str]:
    """What a track more takes: the lists that a drive of any size has are the same in both runs."""
    words = lab.generated("interlaced-idle", HOT_BOTTOMS, 1000, "--fold")
    small, large = (lab.grid(DRIVE, {"": words}, plain(INTERLACED, media__tracks=tracks), f"tables of {tracks} tracks")[""] for tracks in (TRACKS // 2, TRACKS))
    bits = {layer: 8 * (large[layer].metric("metadata.bytes") - small[layer].metric("metadata.bytes")) / (TRACKS - TRACKS // 2) for layer in INTERLACED}
    return [table(["bits a track, beyond imr-rmw's", *IMPROVED], [["tables", *(number(bits[layer] - bits["imr-rmw"]) for layer in IMPROVED)]])]


EXPERIMENTS = (
    Experiment("uniform", "Single-sector writes on a full disk", single_sectors, after=_single),
    Experiment("workloads", "The 17 workloads", workloads, WORKLOAD_FIGURES, ranking=COUNTED_INTERVALS, before=_facts, after=_longest),
    Experiment("cache-threshold", "Track caching with and without a threshold", partial(swept, sweep="cache-threshold"), RULE_FIGURES, by="workload"),
    Experiment("causes", "One cause at a time", one_cause_at_a_time, (WRITTEN, MEAN, DILATION), after=_causes),
    Experiment(
        "w106", "w106 in its recorded order", on_recorded_order, (WRITTEN, OWN, MOVES_DONE, MEAN), before=_order,
        intro="The order of w106's accesses is public (as a cache trace, in blocks of 16 KiB; that it is w106 follows from its range and working set). Sizes, times and\n"
        "direction are not: every access is one block, a write with the published share of 82 %, at exponential gaps of the published mean of 189 ms. A seed draws these.\n",
        replicates=Replicates(partial(on_recorded_order, layers=("imr-rmw", "imr-dtm"), cached=False), (OWN, MEAN), 3),
    ),
    Experiment("w106-threshold", "w106 by the threshold of swaps", by_threshold, (OWN, Figure("backup included", with_backup), MEAN)),
    Experiment("load", "w09, slower and faster", loads, (MEAN, DILATION), by="gaps", intro="Gaps of the input over the published ones.\n"),
    Experiment(
        "dilation", "Dilation over time", lambda lab: {name: row for name, row in workloads(lab, IN_PARTS).items() if name != "w56"},
        after=_dilation, intro="Seconds later than on the conventional disk.\n",
    ),
    Experiment(
        "distributions", "Latency distributions of w46, w28 and w56", partial(workloads, names=IN_PARTS), PERCENTILES, SLOWED,
        ranking=COUNTED_INTERVALS, after=_distributions,
    ),
    Experiment("slowed", "What slows the writes of w46", one_change, intro=f"One change at a time, over {CHANGED:,} requests.\n", after=_changes),
    Experiment("neighbours", "Hottest tracks and their neighbours", after=_neighbours),
    Experiment(
        "four-tracks", "Four tracks of w106 over time", after=_over_time,
        intro=f"The four consecutive tracks with the most writes; of each {WINDOW:,} writes, those to a track. The drift, a tenth of the\n"
        "hot tracks an interval, is put in here.\n",
    ),
    Experiment("hottest-share", "How much of the writes the hottest tracks get", after=_shares),
    Experiment("numbering", "N of 1 and of 256", partial(swept, sweep="numbering"), after=_numbering),
    Experiment(
        "heat-counted", "Where heat is counted", partial(swept, sweep="heat-counted"), (Figure("% of the heat lost in the cache", _lost, 1), MOVES_DONE, WRITTEN, OWN, MEAN),
        intro="Algorithms 1 to 3 count a write when the drive receives it; a write cache makes one of those that meet in it. `layers.*.heat`: `media`, the\n"
        "default and what the tables above have, counts what reaches the tracks, `host` as the paper prints.\n",
    ),
    Experiment("move-costs", "What a move costs on an idle drive", after=_moves),
    Experiment("memory", "Memory of the maps of tracks", after=_memory),
    Experiment("write-cache", "The write cache on and off", partial(swept, sweep="write-cache"), (MEAN, Figure("WA", amplification)), by="workload"),
    Experiment(
        "seeds", "Other seeds, without the write cache", replicates=Replicates(partial(swept, sweep="seeds"), SEED_FIGURES),
        intro="What a seed draws is where the hot tracks lie, and with it which of the hottest are bottoms.\n",
    ),
)  # fmt: skip
