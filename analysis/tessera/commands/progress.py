"""The bar that shows how far many runs have come, on a terminal's standard error."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from tessera.explore.sweep import Count


def progress(hidden: bool = False, elapsed: bool = False, transient: bool = False) -> Progress:
    """Hidden, too, where standard error is no terminal; `elapsed`: with the time so far; `transient`: it goes when it ends."""
    so_far = (TimeElapsedColumn(),) if elapsed else ()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *so_far, TextColumn("left"), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=hidden or not sys.stderr.isatty(), transient=transient)


def counting(bar: Progress) -> "Callable[[Count], None]":
    """A line of the bar for runs, and what moves it."""
    line = bar.add_task("runs", total=None)

    def tell(now: "Count") -> None:
        bar.update(line, total=now.runs, completed=now.kept + now.done, description=f"runs ({now.failed} failed)" if now.failed else "runs")

    return tell
