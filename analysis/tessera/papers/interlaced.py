"""Hajkazemi et al.: four translation layers for interlaced recording, and a conventional disk.

The paper replays 17 CloudPhysics traces of a week each. Its Table 1 gives their lengths and write shares; of their locality the text
gives the share of the writes on the hottest 100 tracks of w106, w09 and w87, half of w39's on a handful of tracks, and that hot tracks
stand alone in w17 and side by side in w87. The inputs here have these figures and nothing else of the traces: where no locality is
published, 100 hot tracks take half of the requests, and sizes, range and drift are assumptions that are the same for all. The gaps are
exponential with the mean that the requests have over a week; bursts are not published, so the load is a parameter of its own below.
Tracks hold data everywhere at the start. Write amplification leaves the backup region and the map's log out, but counts the tracks that
a flip, a promotion or a swap writes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tessera.papers.interlaced_runs import (
    ELIMINATED,
    HELPED_LITTLE,
    IMPROVED,
    INTERLACED,
    INTERVAL,
    INTERVALS,
    LAYERS,
    MOVES,
    TURN_MS,
    UNAFFECTED,
    WORKLOADS,
    amplification,
    cache_rules,
    cold_neighbours,
    dilation,
    disparity,
    figure,
    hottest,
    latency,
    loads,
    numbering,
    own_amplification,
    published_half,
    ranked,
    uniform_writes,
    without_cache,
    workloads,
)
from tessera.papers.lab import Grid, Lab
from tessera.papers.page import Finding, findings, number, span, table, verdict
from tessera.run_folder import Run

TITLE = "Track-based translation layers for interlaced recording"


def _workload_table(grid: Grid) -> str:
    facts = [
        [name + ("" if ranked(row) else "*"), WORKLOADS[name].published or "-", number(row["imr-rmw"].metric("host.writes") / INTERVAL, 1)]
        for name, row in grid.items()
    ]
    parts = [
        table(["workload", "published", "intervals"], facts),
        f"\\* fewer than {INTERVALS} intervals of the track counters: not ranked.\n",
    ]
    for title, value, digits in (
        ("write amplification", amplification, 2),
        ("of host writes alone", own_amplification, 2),
        ("mean ms", latency, 2),
        ("p99.9 ms", lambda run: run.metric("host.latency.p999"), 1),
    ):
        rows = [
            [name + ("" if ranked(row) else "*"), *(number(value(row[layer]), digits) for layer in LAYERS)] for name, row in grid.items()
        ]
        parts.append(table([title, *LAYERS], rows))
    return "\n".join(parts)


def _promotions(rows: Mapping[str, Mapping[str, Run]]) -> str:
    """Tracks that an interval brings into the track cache."""
    return span((row["imr-cache"].metric("cache.promote") / row["imr-cache"].metric("intervals.count") for row in rows.values()), 0)


def _rule_table(grid: Grid) -> str:
    header = [
        "workload",
        *(
            f"{title} {name}"
            for title in ("WA", "of host writes", "promotions", "mean ms")
            for name in ("rmw", "as printed", "threshold 50")
        ),
    ]
    rows = []
    for name, row in grid.items():
        values = ((amplification, 2), (own_amplification, 2), (lambda run: figure(run, "cache.promote"), 0), (latency, 2))
        rows.append([name, *(number(value(run), digits) for value, digits in values for run in row.values())])
    return table(header, rows)


def _rule_findings(grid: Grid) -> list[Finding]:
    ratios = [amplification(row["threshold 50"]) / amplification(row["as printed"]) for row in grid.values()]
    return [
        Finding(
            "track caching needs a threshold, which Algorithm 2 does not have",
            "(not said)",
            f"with one it writes {span(ratios)} of what it writes as printed",
            verdict(ratio < 0.9 for ratio in ratios),
        )
    ]


def _workload_findings(grid: Grid) -> list[Finding]:
    rows = {name: row for name, row in grid.items() if ranked(row)}

    def below(layer: str, value: Callable[[Run], float] = amplification) -> list[float]:
        return [value(row[layer]) / value(row["imr-rmw"]) for row in rows.values()]

    def over_cmr(names: Iterable[str], layer: str) -> list[float]:
        return [latency(grid[name][layer]) / latency(grid[name]["cmr"]) for name in names if name in grid]

    best = Counter(min(IMPROVED, key=lambda layer: own_amplification(row[layer])) for row in rows.values())
    gains = {name: own_amplification(row["imr-rmw"]) / own_amplification(row["imr-dtm"]) for name, row in rows.items()}
    little = [gains[name] for name in HELPED_LITTLE if name in gains]
    much = [gains[name] for name in ELIMINATED if name in gains]
    near_one = {name: own_amplification(rows[name]["imr-dtm"]) for name in ELIMINATED if name in rows}
    tails = [row["imr-rmw"].metric("host.latency.max") / row["cmr"].metric("host.latency.max") for row in grid.values()]
    slow = {name: latency(grid[name]["imr-rmw"]) / 1000 for name in ("w39", "w56") if name in grid}
    return [
        Finding(
            "no improved layer writes more than read-modify-write",
            "in no case",
            "; ".join(f"{layer} {span(below(layer))}" for layer in IMPROVED) + " of it",
            verdict(x <= 1.0 for layer in IMPROVED for x in below(layer)),
            f"track caching as printed brings in {_promotions(rows)} of its 100 tracks an interval, whatever they gain",
        ),
        Finding(
            "the same of host writes alone",
            "(not said which)",
            "; ".join(f"{layer} {span(below(layer, own_amplification))}" for layer in IMPROVED) + " of it",
            verdict(x <= 1.0 for layer in IMPROVED for x in below(layer, own_amplification)),
        ),
        Finding(
            "a factor of 2 or more in over half of the workloads, moves left out",
            "over half (dtm)",
            f"{published_half(rows)} of {len(rows)}; factors {span(gains.values())}",
            verdict([published_half(rows) * 2 > len(rows)] if rows else []),
            "bounded by our assumption of half of the requests on hot tracks: what goes elsewhere meets a bottom every second time",
        ),
        Finding(
            "dynamic mapping writes least",
            "in most cases",
            ", ".join(f"{layer} on {n}" for layer, n in best.most_common()),
            verdict([best["imr-dtm"] * 2 > len(rows)] if rows else []),
        ),
        Finding(
            "write amplification nearly eliminated on w39, w56, w106",
            "nearly 1 (here: at most 1.2)",
            ", ".join(f"{name} {number(value)}" for name, value in near_one.items()),
            verdict(value <= 1.2 for value in near_one.values()),
            "the writes outside the hot tracks are spread evenly here; the locality of w56 is not published",
        ),
        Finding(
            "w09 and w87 are helped less than w39, w56 and w106",
            "modest",
            f"factors {span(little)} against {span(much)}",
            verdict([max(little) < min(much)] if little and much else []),
        ),
        Finding(
            "interlacing does not slow w08, w24, w31, w43",
            "not affected (here: at most 1.1)",
            f"rmw over cmr: {span(over_cmr(UNAFFECTED, 'imr-rmw'))}",
            verdict(x <= 1.1 for x in over_cmr(UNAFFECTED, "imr-rmw")),
            "reads find the head at work for the cache, which takes six turns for a bottom instead of one",
        ),
        Finding(
            "tails of read-modify-write above 4 times the conventional one",
            "the majority",
            f"worst case {span(tails)} times",
            verdict([sum(x > 4 for x in tails) * 2 > len(tails)]),
            "at the mean rate of the week; bursts fill the queue, see the loads below",
        ),
        Finding(
            "w39 and w56 saturate under read-modify-write",
            "2.4 s mean, 0.1 ms conventional",
            ", ".join(f"{name} {number(value, 4)} s" for name, value in slow.items()),
            verdict(value > 1 for value in slow.values()),
            "64 waiting requests at 37 ms make 2.4 s: a full queue; at the week's mean rate the cache absorbs it, see the loads below",
        ),
    ]


def _load_table(grid: Grid) -> str:
    columns = [("mean ms", latency), ("dilation", lambda run: run.metric("host.time_dilation"))]
    header = ["gaps", *(f"{title} {layer}" for title, _ in columns for layer in LAYERS)]
    return table(header, [[scale, *(number(value(row[layer])) for _, value in columns for layer in LAYERS)] for scale, row in grid.items()])


def _load_findings(grid: Grid) -> list[Finding]:
    behind = [row for row in grid.values() if row["imr-rmw"].metric("host.time_dilation") > 1.02]
    full = [latency(row["imr-rmw"]) / 1000 for row in behind]
    return [
        Finding(
            "a saturated queue makes seconds of latency",
            "about 2.4 s (w39, w56)",
            f"{span(full)} s where read-modify-write falls behind",
            verdict(value > 1 for value in full),
        ),
        Finding(
            "the improved layers keep up longer",
            "throughput significantly improved (w46)",
            "dilation over that of rmw: "
            + span(row[m].metric("host.time_dilation") / row["imr-rmw"].metric("host.time_dilation") for row in behind for m in IMPROVED),
            verdict(row[m].metric("host.time_dilation") <= row["imr-rmw"].metric("host.time_dilation") for row in behind for m in IMPROVED),
        ),
    ]


def _dilation_parts(grid: Grid) -> list[str]:
    parts = []
    for name, row in grid.items():
        late = {layer: disparity(row, layer) for layer in INTERLACED}
        rows = [[f"{10 * (i + 1)} %", *(number(late[layer][i], 1) for layer in INTERLACED)] for i in range(10)]
        parts += [f"{name}: seconds later than on the conventional disk\n", table(["of the requests", *INTERLACED], rows)]
        order = sorted(INTERLACED, key=lambda layer: late[layer][-1])
        parts.append(
            findings(
                [
                    Finding(
                        f"{name}: all three reduce the delay of read-modify-write",
                        "dynamic mapping most, the others less",
                        " < ".join(order),
                        verdict(late[layer][-1] < late["imr-rmw"][-1] for layer in IMPROVED)
                        if late["imr-rmw"][-1] > 1
                        else "no delay at this rate",
                    )
                ]
            )
        )
    return parts


def _hottest_parts(hot: Mapping[str, Sequence[tuple[int, int, int]]]) -> list[str]:
    parts = []
    for name, tracks in hot.items():
        rows = [[rank + 1, *writes] for rank, writes in enumerate(tracks)]
        parts += [f"{name}:\n", table(["rank", "writes", "track before", "track behind"], rows)]
    return parts


def _numbering_table(grid: Grid) -> str:
    names = list(next(iter(grid.values())))
    header = ["workload", *(f"WA {name}" for name in names), *(f"moves {name}" for name in names if name.split()[0] in MOVES)]
    rows = []
    for workload, row in grid.items():
        moves = [number(figure(run, MOVES[name.split()[0]]), 0) for name, run in row.items() if name.split()[0] in MOVES]
        rows.append([workload, *(number(amplification(run)) for run in row.values()), *moves])
    return table(header, rows)


def _numbering_findings(grid: Grid, hot: Mapping[str, Sequence[tuple[int, int, int]]]) -> list[Finding]:
    def gain(name: str, n: int) -> float:
        return amplification(grid[name][f"imr-rmw N={n}"]) / amplification(grid[name][f"imr-flip N={n}"])

    cold = {name: cold_neighbours(tracks) for name, tracks in hot.items()}
    return [
        Finding(
            "hot tracks stand alone in w17, side by side in w87",
            "Figures 4 and 11",
            ", ".join(f"{name}: {n} of {len(hot[name])} have a cold neighbour" for name, n in cold.items()),
            "put into the workload",
        ),
        Finding(
            "flipping helps where hot tracks stand alone",
            "w17 friendly, w87 not",
            f"N = 1: factor {gain('w17', 1):.2f} on w17, {gain('w87', 1):.2f} on w87",
            verdict([gain("w17", 1) > gain("w87", 1)]),
        ),
        Finding(
            "numbering 256 bottoms before their tops changes what is a neighbour",
            "(our question)",
            f"N = 256: factor {gain('w17', 256):.2f} on w17, {gain('w87', 256):.2f} on w87",
            "see the table",
        ),
    ]


def _cache_table(grid: Grid) -> str:
    header = ["workload", *(f"{what} {layer} {state}" for what in ("mean ms", "WA") for layer in LAYERS for state in ("on", "off"))]
    rows = []
    for name, row in grid.items():
        pairs = [(row[layer], row[f"{layer} off"]) for layer in LAYERS]
        rows.append([name, *(number(value(run)) for value in (latency, amplification) for pair in pairs for run in pair)])
    return table(header, rows)


def _cache_findings(grid: Grid) -> list[Finding]:
    slow, fast = latency(grid["w39"]["imr-rmw off"]), latency(grid["w39"]["cmr"])
    return [
        Finding(
            "w39 under read-modify-write and on the conventional disk",
            "2.4 s and 0.1 ms",
            f"{slow / 1000:.2f} s without a cache ({latency(grid['w39']['imr-rmw']):.2f} ms with it), {fast:.2f} ms with one",
            verdict([1 < slow / 1000 < 5 and fast < 1]),
        ),
        Finding(
            "w39 and w106: improved layers lower the latency without the cache",
            "(both improve)",
            "of rmw: "
            + span(
                latency(grid[name][f"{layer} off"]) / latency(grid[name]["imr-rmw off"]) for name in ("w39", "w106") for layer in IMPROVED
            ),
            verdict(
                latency(grid[name][f"{layer} off"]) < latency(grid[name]["imr-rmw off"]) for name in ("w39", "w106") for layer in IMPROVED
            ),
        ),
    ]


def _uniform_findings(row: Mapping[str, Run]) -> list[Finding]:
    extra = 2 * (latency(row["imr-rmw"]) - latency(row["cmr"]))  # every second write meets a bottom
    total, bare = row["imr-rmw"].metric("write_amplification.total"), amplification(row["imr-rmw"])
    return [
        Finding(
            "a read-modify-write costs 5 turns more than a write",
            f"{5 * TURN_MS} ms",
            f"{extra:.1f} ms",
            verdict([abs(extra / (5 * TURN_MS) - 1) < 0.03]),
        ),
        Finding("sectors written, backup included", "3.00", number(total, 3), verdict([abs(total / 3 - 1) < 0.02])),
        Finding("sectors written, backup left out", "2.00", number(bare, 3), verdict([abs(bare / 2 - 1) < 0.02])),
    ]


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    grid, load, by_number, hot, cached = workloads(lab), loads(lab), numbering(lab), hottest(lab), without_cache(lab)
    rules = cache_rules(lab)
    return [
        __doc__.split("\n\n", 1)[1],
        "### Uniform single-sector writes on a full disk\n",
        findings(_uniform_findings(uniform_writes(lab))),
        "### The 17 workloads at the mean rate of their week\n",
        _workload_table(grid),
        findings(_workload_findings(grid)),
        "### Track caching with and without a threshold\n",
        _rule_table(rules),
        findings(_rule_findings(rules)),
        "### w39 at higher rates\n",
        "Gaps of the input over those of the week's mean.\n",
        _load_table(load),
        findings(_load_findings(load)),
        "### Dilation over time\n",
        "At four times the week's mean rate.\n",
        *_dilation_parts(dilation(lab)),
        "### Hottest tracks and their neighbours\n",
        *_hottest_parts(hot),
        "### N = 1 and N = 256\n",
        _numbering_table(by_number),
        findings(_numbering_findings(by_number, hot)),
        "### The write cache on and off\n",
        _cache_table(cached),
        findings(_cache_findings(cached)),
    ]
