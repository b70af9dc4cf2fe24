"""The one progress of everything that takes longer than two seconds: how far it is, for how long it goes on, and how long it still takes.

On a terminal a bar on standard error; elsewhere a plain line after two seconds and then ever more rarely, once a minute in the end, so that a log of an hour
has some seventy lines and nobody takes a run for dead. A single run of the simulator tells how far it is itself, in the same rhythm (platforms/output/progress.hpp).

The time left is what the rest takes at the rate since the beginning. Results that were there before have taken no time and do not count for it; before the
first one of this call has come nobody knows, and nothing is said.
"""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

FIRST, RAREST = 2.0, 60.0  # seconds before the first line, and between two lines at most

Item = TypeVar("Item")


class Counted(Protocol):
    """What the time left is computed from."""

    elapsed: float | None
    completed: float
    total: float | None
    fields: dict[str, Any]


class RunCount(Protocol):
    """Of a plan's runs: all, those that were there before, those that were made, and those of them that failed."""

    runs: int
    kept: int
    done: int
    failed: int


def seconds_left(task: Counted) -> float | None:
    """None where nobody knows."""
    made = task.completed - task.fields.get("kept", 0)
    if task.total is None or task.elapsed is None or made <= 0:
        return None
    return task.elapsed * max(0, task.total - task.completed) / made


def clock(seconds: float) -> str:
    """
    >>> clock(65.4), clock(3725)
    ('1:05', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Left(ProgressColumn):
    def render(self, task: Task) -> Text:
        left = seconds_left(task)
        return Text("" if left is None or task.finished else f"{clock(left)} left")


def plain(description: str, task: Counted) -> str:
    """A task as a line: "runs: 12 of 40, 1:05 so far, 2:32 left"."""
    of = "" if task.total is None else f" of {task.total:,.0f}"
    left = seconds_left(task)
    return f"{description}: {task.completed:,.0f}{of}, {clock(task.elapsed or 0)} so far" + ("" if left is None else f", {clock(left)} left")


class Shown(Progress):
    """rich's, which where there is no terminal writes lines."""

    def __init__(self, hidden: bool, transient: bool):
        self._lines = not hidden and not sys.stderr.isatty()
        self._ended = threading.Event()
        self._teller = threading.Thread(target=self._tell, daemon=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), _Left())
        super().__init__(*columns, console=Console(stderr=True), disable=hidden or self._lines, transient=transient)

    def start(self) -> None:
        super().start()
        if self._lines:
            self._teller.start()

    def stop(self) -> None:
        self._ended.set()
        super().stop()

    def _tell(self) -> None:
        wait = FIRST
        while not self._ended.wait(wait):
            for task in self.tasks:
                if not task.finished:
                    print(f"tessera: {plain(task.description, task)}", file=sys.stderr, flush=True)
                    wait = min(RAREST, max(FIRST, (task.elapsed or 0) / 2))


def progress(hidden: bool = False, transient: bool = True) -> Shown:
    """`transient`: the bar goes when it ends."""
    return Shown(hidden, transient)


def counting(bar: Progress, what: str = "runs") -> Callable[[RunCount], None]:
    """A line of the bar for runs, and what moves it."""
    line = bar.add_task(what, total=None)

    def tell(now: RunCount) -> None:
        bar.update(line, total=now.runs, completed=now.kept + now.done, kept=now.kept, description=f"{what} ({now.failed} failed)" if now.failed else what)

    return tell


def watched(items: Iterable[Item], what: str, total: int | None = None) -> Iterator[Item]:
    """The same items, while a bar counts those that the caller is done with."""
    with progress() as bar:
        line = bar.add_task(what, total=len(items) if total is None else total)  # type: ignore[arg-type]
        for item in items:
            yield item
            bar.advance(line)
