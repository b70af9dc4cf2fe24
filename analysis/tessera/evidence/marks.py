"""What says that a figure must not be compared, or with care: short words that go with it into every table, finding and picture."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

import polars as pl

from tessera.evidence.blocks import THROUGHPUT

FEW_CLEANINGS = 20  # the margin below which caches that never filled say nothing of a layer
TOO_SHORT, NOT_YET, UNSTABLE, NOT_STEADY = "too short to compare", "not yet", "unstable", "not steady"
UNEVEN, ENDS_EARLY = "uneven recording", "recording ends early"  # what is not steady, or not yet, of a recorded trace, which is as long as it is
BEST_CASE = "best case"
_TRAINED = ("the same input, served once before", "the same input had filled them before")  # how a run's note begins to say what filled its caches
CLEANINGS = "cleanings"
CONCERNS = {"flash_wear": "nand.lifetime.years."}  # clocks that move some figures alone, by how the names of these begin: of others they stop nothing
LEARNS, FILLS = ("heat_intervals", "role_reviews"), ("read_cache", "flash_cache")
NEGLIGIBLE = 0.01  # of a figure: what cannot move it by more stops nothing
_LATENCIES = {"host.latency": ("read", "write"), "host.read.latency": ("read",), "host.write.latency": ("write",)}
_OF_REQUESTS = ("host", "requests")  # causes of latency that no work of the drive's own is
MEANING = {
    TOO_SHORT: f"fewer than {FEW_CLEANINGS} cleanings: the caches were hardly ever full",
    NOT_YET: "what the layer learns, a cache that fills or, for a lifetime, the flash's wear had not come far enough",
    UNSTABLE: "requests piled up to the end, so latencies measure the length of the run",
    NOT_STEADY: "latencies still changed in the second half, so figures measure the length of the run",
    UNEVEN: "latencies changed in its second half: another stretch of it would give other figures",
    BEST_CASE: "the very requests that are measured had filled the caches before (with --skip N the first N of the trace fill them)",
    ENDS_EARLY: "what the layer learns, or a cache that fills, had not come far enough: the figures are from this start",
}
UNRANKED = (TOO_SHORT, NOT_YET, UNSTABLE, NOT_STEADY)  # figures that are shown and never ranked


class Summed(Protocol):
    """A run's folder, as far as its marks are in it."""

    @property
    def summary(self) -> dict[str, Any]: ...

    def find(self, name: str) -> float | None: ...


def clocks(row: Mapping[str, Any], figures: Collection[str] = ()) -> dict[str, tuple[float, float]]:
    """What cleans, learns or fills in a run, as far as it can move one of the `figures`, or every figure: how far it came, and how far it has to
    come. Of a layer that learns, cleanings are moves of what it has learnt, and no clock.

    >>> clocks({"progress.heat_intervals.done": 4.0, "progress.heat_intervals.of": 20.0, "cleans": True})
    {'heat_intervals': (4.0, 20.0)}
    >>> row = {"progress.flash_wear.done": 1.0, "progress.flash_wear.of": 20.0}
    >>> clocks(row), clocks(row, ["nand.lifetime.years.worst_block"])
    ({}, {'flash_wear': (1.0, 20.0)})
    """
    names = [name.removeprefix("progress.").removesuffix(".of") for name, of in row.items() if name.startswith("progress.") and name.endswith(".of") and of is not None]
    found = {name: (row[f"progress.{name}.done"] or 0.0, row[f"progress.{name}.of"]) for name in names}
    if row.get("cleans") and not found.keys() - CONCERNS.keys():
        found[CLEANINGS] = (row.get("cleaning.count") or 0.0, float(FEW_CLEANINGS))
    idle = idle_clocks(row, figures)
    return {name: clock for name, clock in found.items() if name not in idle and (name not in CONCERNS or any(figure.startswith(CONCERNS[name]) for figure in figures))}


def idle_clocks(row: Mapping[str, Any], figures: Collection[str]) -> list[str]:
    """The clocks of a run whose mechanisms cannot move any of the figures by 1 %: a cache of reads by more than reads take, and what learns, once it has
    had a round, by more than the drive's own work takes. What cleans or fills with writes can: it has not yet begun to cost.

    >>> row = {"progress.heat_intervals.done": 2.0, "progress.heat_intervals.of": 20.0, "host.read.latency.mean": 4.0, "host.read.cause.host": 3.99, "host.read.cause.rmw": 0.01}
    >>> idle_clocks(row, ["host.read.latency.mean"]), idle_clocks({**row, "host.read.cause.rmw": 1.0}, ["host.read.latency.mean"]), idle_clocks(row, [])
    (['heat_intervals'], [], [])
    """
    running = [name for name in (*LEARNS, *FILLS) if row.get(f"progress.{name}.of") is not None and (name in FILLS or (row.get(f"progress.{name}.done") or 0) >= 1)]
    return [name for name in running if figures and all(_most(row, figure, name in FILLS) < NEGLIGIBLE for figure in figures)]


def _most(row: Mapping[str, Any], figure: str, reads: bool) -> float:
    """The share of a mean, or of a p99, that the drive's own work makes, or that reads make of a mean; 1 where it is not known."""
    family, _, statistic = figure.rpartition(".")
    whole = row.get(figure)
    if family not in _LATENCIES or not whole or statistic not in (("mean",) if reads else ("mean", "p99")):
        return 1.0
    if reads:
        return (row.get("host.reads") or 0.0) * (row.get("host.read.latency.mean") or 0.0) / ((row.get("host.served") or 0.0) * whole or 1.0) if family == "host.latency" else 1.0
    kind = "cause" if statistic == "mean" else "slowest_cause"
    shares, weights = [], []
    for operation in _LATENCIES[family]:
        causes = {name.rpartition(".")[2]: value or 0.0 for name, value in row.items() if name.startswith(f"host.{operation}.{kind}.")}
        if total := sum(causes.values()):
            shares.append(sum(value for name, value in causes.items() if name not in _OF_REQUESTS) / total)
            weights.append((row.get(f"host.{operation}s") or 1.0) * total)
    if not shares:
        return 1.0
    return max(shares) if statistic == "p99" else sum(share * weight for share, weight in zip(shares, weights)) / sum(weights)


def told(row: Mapping[str, Any], figures: Collection[str]) -> list[str]:
    """What is said of the clocks that have not come far enough, and stop nothing.

    >>> told({"progress.heat_intervals.done": 2.0, "progress.heat_intervals.of": 20.0, "host.latency.p99": 4.0, "host.read.slowest_cause.host": 3.0}, ["host.latency.p99"])
    ['heat intervals 2 of 20, which can move host.latency.p99 by less than 1 %']
    """
    late = [(name, row[f"progress.{name}.done"] or 0.0, row[f"progress.{name}.of"]) for name in idle_clocks(row, figures)]
    return [f"{words_of(name)} {done:,.0f} of {of:,.0f}, which can move {' and '.join(figures)} by less than {100 * NEGLIGIBLE:.0f} %" for name, done, of in late if done < of]


def behind(row: Mapping[str, Any], figures: Collection[str] = ()) -> dict[str, tuple[float, float]]:
    """The clocks that have not come far enough."""
    return {name: (done, of) for name, (done, of) in clocks(row, figures).items() if done < of}


def marks_of(row: Mapping[str, Any], figures: Collection[str] = ()) -> list[str]:
    """The marks of a run, by its row in the dataset of a sweep; with those that concern some of the `figures` alone. What such a clock counts is
    whole rounds: too few of them are too few in a recording, too. How fast an overloaded drive serves is known, however long its requests wait."""
    late = behind(row, figures)
    found = [TOO_SHORT] if CLEANINGS in late else []
    if late.keys() - {CLEANINGS}:
        found.append(ENDS_EARLY if row.get("recorded") and not late.keys() & CONCERNS.keys() else NOT_YET)
    of_load = set(figures) == {THROUGHPUT}
    if row.get("unstable") and not of_load:
        found.append(UNSTABLE)
    if row.get("host.steady.reached") == 0 and not of_load:
        found.append(UNEVEN if row.get("recorded") else NOT_STEADY)
    if row.get("recorded") and any(said in str(row.get("notes")) for said in _TRAINED):
        found.append(BEST_CASE)
    return found


def is_recording(facts: Mapping[str, Any]) -> bool:
    """Whether a run served a recorded trace, by its facts: requests of a law could go on."""
    return "input_hash" in facts


def of_run_marks(run: Summed, figures: Collection[str] = ()) -> list[str]:
    """The same of a run's folder."""
    facts = run.summary["run"]
    return marks_of({**row_of(run), "recorded": is_recording(facts), "host.steady.reached": run.find("host.steady.reached")}, figures)


def row_of(run: Summed) -> dict[str, Any]:
    """What the clocks of a run are in."""
    return {**run.summary["run"], "cleaning.count": None, **{name: entry["value"] for name, entry in run.summary.get("metrics", {}).items()}}


def with_marks(rows: pl.DataFrame, figures: Collection[str] = ()) -> pl.DataFrame:
    """The rows of a sweep with a column `marks`: "; "-separated, "" where a run has none."""
    return rows.with_columns(pl.Series("marks", ["; ".join(marks_of(row, figures)) for row in rows.iter_rows(named=True)], dtype=pl.String))


def rankable(rows: pl.DataFrame, figures: Collection[str] = ()) -> pl.DataFrame:
    """The rows that may be ranked, by these figures."""
    return rows.filter(pl.Series([not ranks_not(marks_of(row, figures)) for row in rows.iter_rows(named=True)], dtype=pl.Boolean))


def overloaded(rows: pl.DataFrame) -> bool:
    """Whether some of the rows are of overloaded drives, which are compared by what they serve."""
    return "unstable" in rows.columns and bool(rows["unstable"].any())


def ranks_not(marks: Iterable[str]) -> bool:
    return any(mark in UNRANKED for mark in marks)


def cleaned_too_little(run: Summed, figures: Collection[str] = ()) -> str:
    """Why the figures of a run must not be ranked; empty where they may: what cleans, learns or fills in it hardly did."""
    late = behind(row_of(run), figures)
    if not late:
        return ""
    name, (done, of) = min(late.items(), key=lambda each: each[1][0] / each[1][1])
    if name == CLEANINGS:
        return "no cleaning came" if done == 0 else f"{done:,.0f} cleanings, fewer than {of:,.0f}"
    return f"{words_of(name)}: {done:,.0f} of {of:,.0f}"


def words_of(clock: str) -> str:
    """
    >>> words_of("heat_intervals")
    'heat intervals'
    """
    return clock.replace("_", " ")
