"""Runs in the background: for each page the position where its sliders are, short runs first; a run that no page waits for any more is ended."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tessera.engine.simulator import STOPPED, SimulatorError, end_simulators
from tessera.errors import InputError
from tessera.explore.keys import key_of
from tessera.explore.worker import Stopped
from tessera.view.knobs.kept import Kept
from tessera.view.knobs.measured import Result, measure
from tessera.view.knobs.subject import Planned, Position, Subject

MOST_PAGES = 16  # that are served at a time; the one that asked least recently is forgotten
PATIENCE_SECONDS = 30  # of a page that asks no more: it was closed
MOST_KEPT = 1_000  # positions, and results: some 50 kB each
ASK_AGAIN_SECONDS = 0.1  # a thread may be about to start a simulator, so that it is asked to end until none runs


@dataclass(eq=False)
class Answer:
    """What is known of a position."""

    position: Position
    planned: Planned | None = None
    results: list[Result] = field(default_factory=list)
    message: str = ""
    """Why the drive cannot be that way, or why no longer run was made."""
    done: bool = False
    under_way: int | None = None
    """Requests of the run that takes place."""
    version: int = 0
    """Grows with what is known."""

    def add(self, result: Result) -> None:
        """A run that failed leaves what shorter ones found as it is."""
        if result["message"]:
            self.message = result["message"]
        else:
            self.results.append(result)
        self.done = result["last"]


@dataclass
class _Page:
    answer: Answer
    asked: float


class Runs:
    """`jobs` threads, each of which waits for one simulator."""

    def __init__(self, subject: Subject, jobs: int, kept: Kept | None = None, clock: Callable[[], float] = time.monotonic):
        self._subject = subject
        self._kept = kept or Kept(None)
        self._clock = clock
        self._changed = threading.Condition()
        self.closed = False
        self._answers: dict[tuple[str, ...], Answer] = {}
        self._results: dict[str, Result] = {}
        self._pages: dict[str, _Page] = {}
        self._busy: dict[int, Answer] = {}  # by thread
        self._threads = [threading.Thread(target=self._work, name=f"tessera-knobs-{number}", daemon=True) for number in range(jobs)]
        self._ender = threading.Thread(target=self._end_unwanted, name="tessera-knobs-ender", daemon=True)
        for thread in (*self._threads, self._ender):
            thread.start()

    def want(self, page: str, position: Position) -> Answer:
        """The sliders of a page are at this position: what it wanted before is wanted no more."""
        with self._changed:
            answer = self._answers.setdefault(tuple(position.values()), Answer(dict(position)))
            self._pages[page] = _Page(answer, self._clock())
            self._forget_old()
            while len(self._pages) > MOST_PAGES:
                del self._pages[min(self._pages, key=lambda name: self._pages[name].asked)]
            self._changed.notify_all()
            return answer

    def wait(self, page: str, answer: Answer, seen: int, seconds: float) -> None:
        """Until more is known than version `seen`, or the page wants something else, or so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self.closed or answer.version != seen or not self._is_wanted_by(page, answer), seconds)

    def close(self) -> None:
        """Ends all runs; returns when no simulator is left."""
        with self._changed:
            self.closed = True
            self._pages.clear()
            self._changed.notify_all()
        for thread in (*self._threads, self._ender):
            thread.join()

    def _forget_old(self) -> None:
        if len(self._answers) > MOST_KEPT:
            wanted = self._wanted()
            self._answers = {place: answer for number, (place, answer) in enumerate(self._answers.items()) if number > MOST_KEPT // 2 or answer in wanted}

    def _is_wanted_by(self, page: str, answer: Answer) -> bool:
        return page in self._pages and self._pages[page].answer is answer

    def _wanted(self) -> list[Answer]:
        late = self._clock() - PATIENCE_SECONDS
        for name in [name for name, page in self._pages.items() if page.asked < late]:
            del self._pages[name]
        return [page.answer for page in self._pages.values()]

    def _is_wanted(self, answer: Answer) -> bool:
        return answer in self._wanted()

    def _next(self) -> Answer | None:
        """The one of which least is known."""
        waiting = [answer for answer in self._wanted() if not answer.done and answer not in self._busy.values()]
        return min(waiting, key=lambda answer: len(answer.results), default=None)

    def _work(self) -> None:
        own = threading.get_ident()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.closed or self._next() is not None)
                if self.closed:
                    return
                answer = self._next()
                assert answer is not None
                self._busy[own] = answer
                self._tell(answer, self._length(answer) if answer.planned else None)
            try:
                self._step(answer)
            finally:
                with self._changed:
                    del self._busy[own]
                    self._tell(answer, None)

    def _tell(self, answer: Answer, under_way: int | None) -> None:
        answer.under_way = under_way
        answer.version += 1
        self._changed.notify_all()

    def _step(self, answer: Answer) -> None:
        """Plans a position, or makes its next run; a step that was ended leaves nothing."""
        try:
            if answer.planned is None:
                answer.planned = self._subject.plan(answer.position)
            else:
                answer.add(self._run(answer))
                answer.done = answer.done or len(answer.results) == len(self._subject.lengths())
        except Stopped:
            return
        except InputError as error:
            self._refuse(answer, str(error))
        except SimulatorError as error:
            if error.status not in STOPPED:
                self._refuse(answer, error.message or str(error))
        except OSError as error:
            self._refuse(answer, f"{error.filename or 'output'}: {error.strerror or error}")

    def _run(self, answer: Answer) -> Result:
        assert answer.planned is not None
        simulation = answer.planned.simulation.but(limit=self._length(answer))
        key = key_of(simulation)
        if (known := self._results.get(key)) is not None:
            return known
        result = self._kept.get(key, self._subject.until)
        if result is None:
            result = measure(key, simulation, self._subject.until)
            self._kept.put(key, self._subject.until, result)
        with self._changed:
            if len(self._results) >= MOST_KEPT:
                del self._results[next(iter(self._results))]
            self._results[key] = result
        return result

    def _length(self, answer: Answer) -> int:
        lengths = self._subject.lengths()
        return lengths[min(len(answer.results), len(lengths) - 1)]

    def _refuse(self, answer: Answer, message: str) -> None:
        answer.message, answer.done = message, True

    def _end_unwanted(self) -> None:
        """As long as the runs go on, and then until the last has ended."""
        while True:
            with self._changed:
                unwanted = {thread for thread, answer in self._busy.items() if self.closed or not self._is_wanted(answer)}
                if not unwanted:
                    if self.closed and not self._busy:
                        return
                    self._changed.wait(PATIENCE_SECONDS)
                    continue
            end_simulators(unwanted)
            with self._changed:
                self._changed.wait_for(lambda: not unwanted & self._busy.keys(), ASK_AGAIN_SECONDS)
