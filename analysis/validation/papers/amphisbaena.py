"""Amphisbaena: a conventional buffer in front of shingled zones, against Skylight's, Fluid's and Fluid_loop's buffers.

The paper replays eight MSR volumes on an 18 TB drive with a buffer of 1 % of the range that a volume touches. The volumes cannot be had;
the workloads `zone-*` have the request counts, write and update shares, ranges and mean write sizes of its Table 3, shortened here,
and what they assume beside stands in their files: above all how soon an address is updated again, and that at most four start addresses
lie in a chunk of 64 KiB. They have no long update periods; two sections put these in. The layers run as published. The paper does not say whether the
zones were empty at the start: both are shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from validation.papers import amphisbaena_causes, amphisbaena_periods, amphisbaena_sets, memory
from validation.papers.amphisbaena_readings import offset_parts, reading_experiments
from validation.papers.amphisbaena_runs import (
    CLEANINGS,
    OTHERS,
    OURS,
    RULES,
    amplification_without_padding,
    beside_fluid_loop,
    change,
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
from tessera.results.markdown import number, percent
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment, sections_of
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, findings, from_reduction, listed, ranked_tables, span, verdict
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


def _mean(values: Iterable[float | None]) -> float | None:
    figures = [value for value in values if value is not None]
    return sum(figures) / len(figures) if figures else None


def _changes(rows: Mapping[str, Mapping[str, Run]], value: Callable[[Run], float], against: str) -> list[float]:
    return [x for row in rows.values() if (x := change(row, value, against)) is not None]


def _described(changes: Sequence[float]) -> str:
    return f"{percent(_mean(changes))} on average, {percent(min(changes))} to {percent(max(changes))}" if changes else "-"


def _times(changes: Sequence[float]) -> float | None:
    """How many times the other's figure is Amphisbaena's, of the mean change."""
    return from_reduction(100 * sum(changes) / len(changes)) if changes else None


def _none_there(rows: Mapping[str, Mapping[str, Run]]) -> str:
    names = [name for name, row in rows.items() if rmws(row["fluid-loop"]) == 0]
    return f"; Fluid_loop has none on {', '.join(names)}" if names else ""


def _padding_findings(grid: Grid) -> list[Finding]:
    """Of zones that are not full: a full one is never padded."""
    rows = {name: row for name, row in grid.items() if ranked(row)}
    bare = [x for other in OTHERS for x in _changes(rows, amplification_without_padding, other)]
    padded = {name: min(padding_gib(row[other]) for other in OTHERS) - padding_gib(row[OURS]) for name, row in rows.items()}
    return [
        Finding("lowest write amplification without padding", "(not said)", _described(bare), verdict(x < 0 for x in bare)),
        Finding(
            "least padding",
            "up to 552 GB less",
            f"{span(padded.values(), 1)} GiB less than the next",
            verdict(x > 0 for x in padded.values()),
        ),
    ]


def _headline_findings(grid: Grid) -> list[Finding]:
    rows = {name: row for name, row in grid.items() if ranked(row)}
    slower, fewer = _changes(rows, latency, "fluid-loop"), _changes(rows, rmws, "fluid-loop")
    smaller = [victim_size(row[OURS]) / victim_size(row["fluid-loop"]) for row in rows.values() if victim_size(row["fluid-loop"])]
    amplified = [x for other in OTHERS for x in _changes(rows, total_amplification, other)]
    return [
        Finding(
            "mean latency below Fluid_loop", "-29.9 % on average, -82.4 % to -4.8 %", _described(slower), verdict(x < 0 for x in slower),
            ratio=_times(slower),
        ),
        Finding(
            "read-modify-writes below Fluid_loop",
            "-37 % on average",
            _described(fewer) + _none_there(rows),
            verdict(rmws(row[OURS]) < rmws(row["fluid-loop"]) for row in rows.values()),
            f"a victim gives back {span(smaller)} of the sectors of one of Fluid_loop's: chunks take space for what they do not hold",
            _times(fewer),
        ),
        Finding(
            "highest write hit rate",
            "in all traces",
            "over the best other: " + span((hit_rate(row[OURS]) - max(hit_rate(row[o]) for o in OTHERS) for row in rows.values()), 3),
            verdict(hit_rate(row[OURS]) > max(hit_rate(row[o]) for o in OTHERS) for row in rows.values()),
        ),
        Finding(
            "Fluid_loop hits more than Fluid and Skylight",
            "in most traces",
            "over the better: "
            + span((hit_rate(r["fluid-loop"]) - max(hit_rate(r["fluid"]), hit_rate(r["skylight-disk"])) for r in rows.values()), 3),
            verdict(hit_rate(r["fluid-loop"]) >= max(hit_rate(r["fluid"]), hit_rate(r["skylight-disk"])) for r in rows.values()),
        ),
        Finding("lowest write amplification", "-98.5 % on average", _described(amplified), verdict(x < 0 for x in amplified), ratio=_times(amplified)),
        Finding(
            "largest victims",
            "all but ts_0 and src2_0",
            "over the largest other: " + span(victim_size(row[OURS]) / max(victim_size(row[o]) for o in OTHERS) for row in rows.values()),
            verdict(victim_size(row[OURS]) > max(victim_size(row[o]) for o in OTHERS) for row in rows.values()),
        ),
    ]


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


def _rule_findings(grid: Grid) -> list[Finding]:
    items = []
    for rule in RULES:
        changes = [x for row in grid.values() if (x := change(row, rmws, "fluid-loop", rule)) is not None]
        items.append(
            Finding(
                f"rule `{rule}`: fewer read-modify-writes than Fluid_loop",
                "-37 %",
                _described(changes) + _none_there(grid),
                verdict(rmws(row[rule]) < rmws(row["fluid-loop"]) for row in grid.values()),
                ratio=_times(changes),
            )
        )
    least = {name: min(RULES, key=lambda rule: rmws(row[rule])) for name, row in grid.items()}
    items.append(
        Finding(
            "the paper's rule needs the fewest read-modify-writes",
            "(by design)",
            listed(least),
            verdict(rmws(row["paper"]) == min(rmws(row[rule]) for rule in RULES) for row in grid.values()),
        )
    )
    return items


def grows(row: Mapping[str, Run], value: Callable[[Run], float]) -> bool:
    """Whether a figure is larger with the largest chunk than with the smallest."""
    columns = list(row)
    return value(row[columns[-1]]) > value(row[columns[0]])


def _growth(rows: Mapping[str, Mapping[str, Run]], value: Callable[[Run], float]) -> str:
    """How many times a figure is with the largest chunk what it is with the smallest."""
    ends = {name: [value(row[column]) for column in (list(row)[0], list(row)[-1])] for name, row in rows.items()}
    return listed({name: number(last / first) if first else "-" for name, (first, last) in ends.items()}) + " times"


def _padding_and_victims(grid: Grid) -> list[Finding]:
    padded = {name: padding_gib(next(iter(row.values()))) for name, row in grid.items()}
    sizes = {column: victim_size(run) for column, run in grid.get("src2_2", {}).items()}
    return [
        Finding(
            "padding by chunk size: most on hm_0, least on src2_2", "hm_0 most, src2_2 least",
            "GiB with 64 KiB: " + listed({name: number(value, 1) for name, value in padded.items()}),
            verdict([max(padded, key=padded.__getitem__) == "hm_0", min(padded, key=padded.__getitem__) == "src2_2"]),
        ),
        Finding(
            "src2_2: victims are largest at 128 KiB", "128 KiB", listed({column: number(value, 0) for column, value in sizes.items()}) + " sectors",
            verdict([max(sizes, key=sizes.__getitem__) == "128 KiB"] if sizes else []),
        ),
    ]  # fmt: skip


def _chunk_findings(grid: Grid) -> list[Finding]:
    others = {name: row for name, row in grid.items() if name != "src2_2"}
    best = {name: min(row, key=lambda column: latency(row[column])) for name, row in grid.items()}
    spread = [max(map(hit_rate, row.values())) - min(map(hit_rate, row.values())) for row in grid.values()]
    return [
        Finding(
            "latency grows with the chunk, but for src2_2",
            "64 KiB is best",
            listed(best),
            verdict(grows(row, latency) for row in others.values()),
        ),
        Finding(
            "src2_2 is best at 128 to 256 KiB",
            "128 to 256 KiB",
            best.get("src2_2", "-"),
            verdict(best[n] in ("128 KiB", "256 KiB") for n in best if n == "src2_2"),
        ),
        Finding(
            "read-modify-writes grow with the chunk", "but for src2_2", _growth(others, rmws), verdict(grows(row, rmws) for row in others.values()),
        ),
        Finding(
            "write amplification grows with the chunk, but for src2_2", "gradually", _growth(others, total_amplification),
            verdict(grows(row, total_amplification) for row in others.values()),
        ),
        *_padding_and_victims(grid),
        Finding(
            "the hit rate hardly depends on the chunk",
            "not sensitive (here: within 0.05)",
            span(spread, 3),
            verdict(x <= 0.05 for x in spread),
        ),
    ]


def _share_findings(grid: Grid) -> list[Finding]:
    hits = [max(map(hit_rate, row.values())) - min(map(hit_rate, row.values())) for row in grid.values()]
    times = [max(map(latency, row.values())) / min(map(latency, row.values())) - 1 for row in grid.values()]
    return [
        Finding(
            "the hit rate hardly depends on the filter share",
            "not sensitive (here: within 0.05)",
            span(hits, 3),
            verdict(x <= 0.05 for x in hits),
        ),
        Finding(
            "nor does the latency",
            "not sensitive (here: within 10 %)",
            " to ".join(percent(x) for x in (min(times), max(times))),
            verdict(x <= 0.1 for x in times),
        ),
    ]


def _empty(lab: Lab) -> list[str]:
    empty = headline(lab)
    return [
        *_tables(empty),
        findings([*_headline_findings(empty), *_padding_findings(empty)]),
        seed_table(over_seeds(lab, beside_fluid_loop, seeds=3), _seed_comparisons()),
    ]


def _full(lab: Lab) -> list[str]:
    full = headline(lab, prefill=100)
    return [*_tables(full, ON_FULL_ZONES), findings(_headline_findings(full))]


def _swept(of: Callable[[Lab], Grid], judged: Callable[[Grid], list[Finding]]) -> Callable[[Lab], list[str]]:
    """The chapter's tables of a grid, and the claims on it."""

    def parts(lab: Lab) -> list[str]:
        grid = of(lab)
        return [*_tables(grid), findings(judged(grid))]

    return parts


EXPERIMENTS = (
    Experiment("volumes", "Eight volumes, zones empty at the start", _empty),
    Experiment("full-zones", "Eight volumes, zones full at the start", _full),
    Experiment("victim-rules", "Which zone to clean", _swept(victim_rules, _rule_findings)),
    Experiment("chunk-locality", "Start addresses in a chunk", _swept(chunk_locality, _locality_findings)),
    *amphisbaena_periods.EXPERIMENTS,
    *amphisbaena_sets.EXPERIMENTS,
    Experiment("offsets", "Published write offsets", lambda lab: offset_parts(lab, lambda grid: figure_tables(grid, FIGURES))),
    Experiment("chunk-sizes", "Chunk size", _swept(chunk_sizes, _chunk_findings)),
    *reading_experiments(_tables),
    Experiment("filter-share", "Filter share", _swept(filter_shares, _share_findings)),
    *amphisbaena_causes.EXPERIMENTS,
    *memory.ZONES,
)


def sections(lab: Lab) -> list[str]:
    """Markdown of this chapter."""
    return sections_of(EXPERIMENTS, lab)
