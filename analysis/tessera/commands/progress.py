"""The bar that shows how far many runs have come, on a terminal's standard error."""

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


def progress(hidden: bool = False, elapsed: bool = False, transient: bool = False) -> Progress:
    """Hidden, too, where standard error is no terminal; `elapsed`: with the time so far; `transient`: it goes when it ends."""
    so_far = (TimeElapsedColumn(),) if elapsed else ()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), *so_far, TextColumn("left"), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=hidden or not sys.stderr.isatty(), transient=transient)
