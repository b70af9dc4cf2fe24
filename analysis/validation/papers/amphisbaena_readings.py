"""What the Amphisbaena paper leaves open, or says in two ways: each reading is run, and the page shows which of its claims hang on it."""

from collections.abc import Callable

from validation.papers.amphisbaena_runs import (
    GIVEN_BACK,
    IDEAS,
    SEGMENTS,
    abort_scopes,
    chunks_given_back,
    combinations,
    effect,
    evicted_segments,
    published_offsets,
)
from tessera.results.markdown import number, table
from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, Finding, figure_tables, findings, listed, span, verdict

Tables = Callable[[Grid], list[str]]  # of a grid, with the chapter's figures


def offset_parts(lab: Lab, tables: Tables) -> list[str]:
    """The volumes whose write offsets are published, where they are at hand."""
    grid = published_offsets(lab)
    if not grid:
        return []
    intro = "The write offsets of six volumes are public, their order is not: drawn at random, with the sizes, shares and gaps of the paper's table.\n"
    return [intro, *tables(grid)]


SEGMENT_FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("RMWs", rmws, 0),
    Figure("WA", total_amplification),
)


def _segment_findings(grid: Grid) -> list[Finding]:
    def over_whole(layer: str) -> list[float]:
        return [latency(row[f"{layer}, {size}"]) / latency(row[f"{layer}, {SEGMENTS[0]}"]) for row in grid.values() for size in SEGMENTS[1:]]

    return [
        Finding(
            "what first in, first out evicts",
            "not stated: a zone or a segment",
            f"response over that with whole zones: fluid {span(over_whole('fluid'))}, fluid-loop {span(over_whole('fluid-loop'))}",
            "a reading that matters" if max(over_whole("fluid-loop")) > 1.1 else "a reading that hardly matters",
        ),
    ]


GIVEN_BACK_FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("RMWs", rmws, 0),
    Figure("chunks taken", lambda run: run.metric("hfb.chunks_taken"), 0),
    Figure("chunks returned", lambda run: run.metric("hfb.chunks_returned"), 0),
)


def _given_back_findings(grid: Grid) -> list[Finding]:
    returned = {rule: sum(row[rule].metric("hfb.chunks_returned") for row in grid.values()) for rule in GIVEN_BACK}
    best = {name: min(GIVEN_BACK, key=lambda rule: latency(row[rule])) for name, row in grid.items()}
    stays = [rule for rule in GIVEN_BACK if returned[rule] == 0]
    periods, short = (sum(row["any"].metric(name) for row in grid.values()) for name in ("hfb.periods", "hfb.periods_short"))
    return [
        Finding(
            "a borrowed chunk goes back if any block of it is not updated, and the high-frequency buffer is not reduced",
            "section 5.2.3, and with figure 19",
            f"chunks returned: {listed({rule: number(count, 0) for rule, count in returned.items()})}; fastest: {listed(best)}",
            "not reduced whatever the rule" if "any" in stays else f"not both: the buffer stays with {', '.join(stays)}",
            f"{number(short, 0)} of {number(periods, 0)} periods of 10,000 writes ask for more chunks instead",
        ),
    ]


def _idea_parts(grid: Grid) -> list[str]:
    rows = []
    for index, idea in enumerate(IDEAS):
        cells = [effect(row, index, value) for row in grid.values() for value in (latency, rmws)]
        rows.append([idea, *map(number, cells)])
    header = ["idea: how many times as much with it", *(f"{name} {what}" for name in grid for what in ("response", "RMWs"))]
    best = {name: min((run for run in row if run != "fluid-loop"), key=lambda run: latency(row[run])) for name, row in grid.items()}
    below = {name: latency(row[best[name]]) / latency(row["fluid-loop"]) for name, row in grid.items()}
    finding = Finding(
        "some combination of its ideas responds faster than Fluid_loop",
        "-29.9 % on average",
        "; ".join(f"{name}: {best[name]} at {number(ratio)} of Fluid_loop's response" for name, ratio in below.items()),
        verdict(ratio < 1 for ratio in below.values()),
    )
    return [table(header, rows), findings([finding])]


def _segments(lab: Lab) -> list[str]:
    segments = evicted_segments(lab)
    return [*figure_tables(segments, SEGMENT_FIGURES), findings(_segment_findings(segments))]


def _given_back(lab: Lab) -> list[str]:
    given_back = chunks_given_back(lab)
    return [*figure_tables(given_back, GIVEN_BACK_FIGURES), findings(_given_back_findings(given_back))]


def _ideas(lab: Lab) -> list[str]:
    intro = "Every combination is run, named by a digit an idea, 0 as in the paper: below 1, the idea helps.\n"
    return [intro, *_idea_parts(combinations(lab))]


def reading_experiments(tables: Tables) -> tuple[Experiment, ...]:
    """Which writes end a collection, what leaves Fluid's log at once, which chunks go back, and which idea earns the gain."""
    return (
        Experiment("scopes", "Which writes end a collection", lambda lab: tables(abort_scopes(lab))),
        Experiment("segments", "What leaves the log of Fluid at once", _segments),
        Experiment("given-back", "Which chunks the high-frequency buffer gives back", _given_back),
        Experiment("ideas", "Which idea earns the gain", _ideas),
    )
