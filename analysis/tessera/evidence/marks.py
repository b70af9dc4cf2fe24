"""What says that a figure must not be compared, or with care: short words that go with it into every table, finding and picture."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import polars as pl

FEW_CLEANINGS = 20  # the margin below which caches that never filled say nothing of a layer
TOO_SHORT, UNSTABLE, NOT_STEADY = "too short to compare", "unstable", "not steady"
UNEVEN = "uneven recording"  # what is not steady of a recorded trace, which is as long as it is
MEANING = {
    TOO_SHORT: f"fewer than {FEW_CLEANINGS} cleanings: the caches were hardly ever full",
    UNSTABLE: "requests piled up to the end, so latencies measure the length of the run",
    NOT_STEADY: "latencies still changed in the second half, so figures measure the length of the run",
    UNEVEN: "latencies changed in its second half: another stretch of it would give other figures",
}
UNRANKED = (TOO_SHORT, UNSTABLE, NOT_STEADY)  # figures that are shown and never ranked


class Summed(Protocol):
    """A run's folder, as far as its marks are in it."""

    @property
    def summary(self) -> dict[str, Any]: ...

    def find(self, name: str) -> float | None: ...


def marks_of(row: Mapping[str, Any]) -> list[str]:
    """The marks of a run, by its row in the dataset of a sweep."""
    found = []
    if row.get("cleans") and (row.get("cleaning.count") or 0) < FEW_CLEANINGS:
        found.append(TOO_SHORT)
    if row.get("unstable"):
        found.append(UNSTABLE)
    if row.get("host.steady.reached") == 0:
        found.append(UNEVEN if row.get("recorded") else NOT_STEADY)
    return found


def is_recording(facts: Mapping[str, Any]) -> bool:
    """Whether a run served a recorded trace, by its facts: requests of a law could go on."""
    return "input_hash" in facts


def of_run_marks(run: Summed) -> list[str]:
    """The same of a run's folder."""
    facts = run.summary["run"]
    return marks_of({**facts, "recorded": is_recording(facts), "cleaning.count": run.find("cleaning.count"), "host.steady.reached": run.find("host.steady.reached")})


def with_marks(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of a sweep with a column `marks`: "; "-separated, "" where a run has none."""
    return rows.with_columns(pl.Series("marks", ["; ".join(marks_of(row)) for row in rows.iter_rows(named=True)], dtype=pl.String))


def rankable(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that may be ranked."""
    return rows.filter(pl.Series([not ranks_not(marks_of(row)) for row in rows.iter_rows(named=True)], dtype=pl.Boolean))


def ranks_not(marks: Iterable[str]) -> bool:
    return any(mark in UNRANKED for mark in marks)


def cleaned_too_little(run: Summed) -> str:
    """Why the figures of a run must not be ranked; empty where they may: its layer cleans, and hardly did."""
    cleanings = run.find("cleaning.count") or 0
    if not run.summary["run"].get("cleans") or cleanings >= FEW_CLEANINGS:
        return ""
    return "no cleaning came" if cleanings == 0 else f"{cleanings:,.0f} cleanings, fewer than {FEW_CLEANINGS}"
