"""Several comparisons that are read together are a family: its errors are bounded as a whole, and a difference that nobody would pay for is none.

What nobody would pay for is 5 %, or what the user says (`--margin`), for all that is judged within a `with judged_within(PERCENT)`."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

CONFIDENCE = 0.95  # of all comparisons of a family together
PERCENT = 5.0  # two figures within this of each other are equal in practice
MOST_PERCENT = 50.0
MARGIN = 1 + PERCENT / 100
EQUAL = f"{PERCENT:.0f} %"
_percent: ContextVar[float] = ContextVar("percent", default=PERCENT)


def percent() -> float:
    return _percent.get()


def margin() -> float:
    """The factor within which two figures are equal in practice."""
    return 1 + percent() / 100


def log_margin() -> float:
    return math.log(margin())


def equal() -> str:
    """
    >>> with judged_within(2.5):
    ...     equal(), margin()
    ('2.5 %', 1.025)
    """
    return f"{percent():g} %"


@contextmanager
def judged_within(wanted: float | None) -> Iterator[None]:
    """What is judged meanwhile takes figures for equal within so many percent; None: as before."""
    token = _percent.set(percent() if wanted is None else wanted)
    try:
        yield
    finally:
        _percent.reset(token)


def pairs(count: int) -> int:
    """Comparisons of so many designs with each other.

    >>> pairs(2), pairs(8)
    (1, 28)
    """
    return count * (count - 1) // 2


def holm(p_values: Sequence[float]) -> list[float]:
    """p values of a family, each corrected so that the chance of one false finding in all stays as it is (Holm 1979): the smallest times
    their number, the next times one less, none below the one before it.

    >>> holm([0.01, 0.04, 0.03]), holm([])
    ([0.03, 0.06, 0.06], [])
    """
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected
