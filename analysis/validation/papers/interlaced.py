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

from collections.abc import Mapping

from validation.papers import interlaced_causes, interlaced_costs, interlaced_counting, interlaced_heat, interlaced_load, interlaced_slowed, interlaced_w106
from validation.papers.experiment import Experiment, sections_of
from validation.papers.interlaced_runs import (
    ELIMINATED,
    HELPED_LITTLE,
    IMPROVED,
    INTERVAL,
    INTERVALS,
    TURN_MS,
    WORKLOADS,
    bare,
    cache_rules,
    moves_done,
    own_amplification,
    own_with_backups,
    ranked,
    row_at_hand,
    uniform_writes,
    without_cache,
    workloads,
)
from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from tessera.traces.published_workload import hot_shares
from validation.papers.lab import Grid, Lab
from validation.papers.measures import amplification, latency, longest, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, figures_by_row, findings, span, starred, verdict
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

TITLE = "Track-based translation layers for interlaced recording"

WORKLOAD_FIGURES = (
    Figure("write amplification", amplification),
    Figure("of host writes alone", own_amplification),
    Figure("in all, backups and logs included", total_amplification),
    Figure("moves", moves_done, 0),
    Figure("mean ms", latency, of_response=True),
    Figure("p99.9 ms", lambda run: run.metric("host.latency.p999"), 1, of_response=True),
)


def _hot(lab: Lab, name: str) -> list[str]:
    """The shares of the writes on the hottest hundred tracks and on the hottest five, in percent, that the input has."""
    row = row_at_hand(lab, name)
    shares = hot_shares(row, WORKLOADS[name].shape()) if row else ()
    return [f"{100 * share:.0f}" for share in shares] or ["-", "-"]


def _workload_parts(lab: Lab, grid: Grid) -> list[str]:
    rows = starred(grid, ranked)
    facts = [
        [title, WORKLOADS[name].published or "-", *_hot(lab, name), number(row["imr-rmw"].metric("host.writes") / INTERVAL, 1)]
        for name, (title, row) in zip(grid, rows.items(), strict=True)
    ]
    return [
        table(["workload", "the paper says", "% on the hottest 100 here", "on 5", "intervals"], facts),
        f"\\* fewer than {INTERVALS} intervals of the track counters: not ranked.\n",
        *figure_tables(rows, WORKLOAD_FIGURES),
    ]


RULE_FIGURES = (
    Figure("WA", amplification),
    Figure("of host writes", own_amplification),
    Figure("promotions", lambda run: run.find("cache.promote"), 0),
    Figure("mean ms", latency, of_response=True),
)


def _workload_findings(grid: Grid) -> list[Finding]:
    rows = {name: row for name, row in grid.items() if ranked(row)}
    gains = {name: own_amplification(row["imr-rmw"]) / own_amplification(row["imr-dtm"]) for name, row in rows.items()}
    little = [gains[name] for name in HELPED_LITTLE if name in gains]
    much = [gains[name] for name in ELIMINATED if name in gains]
    tails = [longest(row["imr-rmw"]) / longest(row["cmr"]) for row in grid.values()]
    return [
        Finding(
            "w09 and w87 are helped less than w39, w56 and w106",
            "modest",
            f"factors {span(little)} against {span(much)}",
            verdict([max(little) < min(much)] if little and much else []),
        ),
        Finding(
            "tails of read-modify-write above 4 times the conventional one",
            "the majority",
            f"worst case {span(tails)} times",
            verdict([sum(x > 4 for x in tails) * 2 > len(tails)]),
            "where the write cache takes a burst in whole, the layer is not seen",
        ),
    ]


CACHE_FIGURES = (Figure("mean ms", latency, of_response=True), Figure("WA", amplification))


def _cache_findings(grid: Grid) -> list[Finding]:
    w39 = {name: latency(run) for name, run in grid["w39"].items()}
    return [
        Finding(
            "w39 under read-modify-write and on the conventional disk",
            "2.4 s and 0.1 ms",
            f"{w39['imr-rmw off'] / 1000:.2f} s without a cache ({w39['imr-rmw on']:.2f} ms with it), {w39['cmr on']:.2f} ms with one",
            verdict([1000 < w39["imr-rmw off"] < 5000 and w39["cmr on"] < 1]),
            ratio=w39["imr-rmw off"] / 1000,
        ),
    ]


def _seed_comparisons() -> list[Comparison]:
    comparisons = [
        Comparison(f"{name}: {what} {layer} over imr-rmw", quotient(measure, name, layer, "imr-rmw"), below=1)
        for name in ("w106", "w39", "w87")
        for what, measure in (("WA", amplification), ("response", latency))
        for layer in IMPROVED
    ]
    for name in ("w106", "w39"):
        for what, measure in (("backups counted", own_with_backups), ("backups left out", own_amplification)):
            comparisons.append(Comparison(f"{name}: factor of imr-dtm, moves left out, {what}", quotient(measure, name, "imr-rmw", "imr-dtm"), above=2))
        beyond = quotient(lambda run: own_amplification(run) - 1, name, "imr-rmw", "imr-dtm")
        comparisons.append(Comparison(f"{name}: the same beyond the host's own write", beyond, above=2))
    return [*comparisons, Comparison("w39: response imr-rmw, s", lambda grid: latency(grid["w39"]["imr-rmw"]) / 1000, above=1)]


def _uniform_findings(row: Mapping[str, Run]) -> list[Finding]:
    extra = 2 * (latency(row["imr-rmw"]) - latency(row["cmr"]))  # every second write meets a bottom
    total, bare = total_amplification(row["imr-rmw"]), amplification(row["imr-rmw"])
    return [
        Finding(
            "a read-modify-write costs 5 turns more than a write",
            f"{5 * TURN_MS} ms",
            f"{extra:.1f} ms",
            verdict([abs(extra / (5 * TURN_MS) - 1) < 0.03]),
            ratio=extra,
        ),
        Finding("sectors written, backup included", "3.00", number(total, 3), verdict([abs(total / 3 - 1) < 0.02]), ratio=total),
        Finding("sectors written, backup left out", "2.00", number(bare, 3), verdict([abs(bare / 2 - 1) < 0.02]), ratio=bare),
    ]


def _workloads(lab: Lab) -> list[str]:
    grid = workloads(lab)
    return [*_workload_parts(lab, grid), findings(_workload_findings(grid))]


def _thresholds(lab: Lab) -> list[str]:
    return [figures_by_row(cache_rules(lab), "workload", RULE_FIGURES)]


def _write_cache(lab: Lab) -> list[str]:
    cached = without_cache(lab)
    return [figures_by_row(cached, "workload", CACHE_FIGURES), findings(_cache_findings(cached))]


def _seeds(lab: Lab) -> list[str]:
    return [
        seed_table(over_seeds(lab, bare), _seed_comparisons()),
        "What a seed draws is where the hot tracks lie, and with it which of the hottest are bottoms.\n",
    ]


EXPERIMENTS = (
    Experiment("uniform", "Uniform single-sector writes on a full disk", lambda lab: [findings(_uniform_findings(uniform_writes(lab)))]),
    Experiment("workloads", "The 17 workloads", _workloads),
    Experiment("cache-threshold", "Track caching with and without a threshold", _thresholds),
    *interlaced_causes.EXPERIMENTS,
    *interlaced_w106.EXPERIMENTS,
    *interlaced_load.EXPERIMENTS,
    *interlaced_slowed.EXPERIMENTS,
    *interlaced_heat.EXPERIMENTS,
    *interlaced_counting.EXPERIMENTS,
    *interlaced_costs.EXPERIMENTS,
    Experiment("write-cache", "The write cache on and off", _write_cache),
    Experiment("seeds", "Other seeds, without the write cache", _seeds),
)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return sections_of(EXPERIMENTS, lab)
