"""In words: how sure the front of a search is, what it cost to know, and what would settle the rest."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from tessera.evidence.family import equal
from tessera.evidence.warmup import words
from tessera.explore.confirming import USUAL
from tessera.results.human import counted, figure, with_interval


def notes_of(trials: pl.DataFrame, facts: Mapping[str, Any]) -> list[str]:
    """What holds of the whole front; [] of a folder of an older version. `facts`: of the search's folder."""
    if "settled" not in trials.columns:
        return []
    confirmed = facts.get("confirmed", {})
    runs, wanted = confirmed.get("runs", 0), confirmed.get("wanted", 0)
    again = trials.filter(pl.col("runs") > 1).height
    notes = [said] if (said := words(facts.get("warm_up"), facts.get("objectives", ()))) else []
    if confirmed.get("recorded"):
        notes.append("intervals: blocks of this recording, from this start" + (f"; {counted(runs, 'design')} ran again in parts" if runs else ""))
    elif runs:
        notes.append(f"{counted(again, 'design')} that may be on the front ran again with seeds that the choice had not seen: {counted(runs, 'run')} of at most {confirmed['budget']}")
    open_ = trials.filter(~pl.col("settled"))
    once = trials.filter(pl.col("settled").is_null() & pl.col("keeps")).height
    notes += [f"{counted(once, 'design')} ran once: more than three deviations from the front"] if once else []
    if not open_.height:
        return [*notes, f"{'every other' if once else 'every'} place is settled at 95 %, for all comparisons together"]
    on, off = open_.filter("front").height, open_.filter(~pl.col("front")).height
    said = [f"{counted(on, 'design')} of the front" if on else "", f"{counted(off, 'design')} that may be on it, or equal to one" if off else ""]
    return [*notes, f"not settled: {' and '.join(filter(None, said))}; {_settles(confirmed)}"]


def reached(row: Mapping[str, Any], name: str, unit: str) -> str:
    """A figure of a design with its interval; on a recording with both ends, since it is of the logarithm."""
    low, high = row.get(f"{name}.low_95"), row.get(f"{name}.high_95")
    if low is not None and low != high:
        return f"{figure(row[name], unit)} ({figure(low, unit)} to {figure(high, unit)})"
    return with_interval(row[name], row.get(f"{name}.half_width"), unit)


def of_design(row: Mapping[str, Any]) -> str:
    """What is to be said of a design of the front: "" of one whose place is settled and its own."""
    said = [f"{counted(row['ties'], 'more design')} like it within {equal()}" if row.get("ties") else "", "not settled" if row.get("settled") is False else ""]
    return "; ".join(filter(None, said))


def _settles(confirmed: Mapping[str, Any]) -> str:
    """What would settle the rest."""
    runs, wanted = confirmed.get("runs", 0), confirmed.get("wanted", 0)
    if wanted > runs:
        return f"the budget of {counted(confirmed.get('budget', 0), 'run')} ended first: [search] confirm = {wanted} goes on"
    if confirmed.get("recorded"):
        return "a longer recording would settle it, or another"
    if confirmed.get("seeds", 1) > 1:
        return f"more seeds would settle it: [search] seeds is {confirmed['seeds']}"
    return f"a longer limit would settle it: the intervals of {USUAL} seeds are too wide"

