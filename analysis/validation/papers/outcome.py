"""The words of all verdicts, in one place.

A line of the record counts cases: inputs on which a claim holds, on which the contrary comes out, and on which neither does, as the figures are
equal in practice or an interval holds the bound. What the cases of a row say is its outcome; what the rows of one published statement say
together is how the statement stands."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """Of a row: its word where the claim is a direction, and where it is a figure or a bound."""

    HOLDS = ("holds", "figure met")
    SOME = ("on some inputs", "on some inputs")
    NOT = ("opposite", "figure missed")
    OPEN = ("not settled", "not settled")
    QUESTION = ("our question", "our question")
    UNTESTED = ("not tested", "not tested")

    def word(self, kind: str) -> str:
        return self.value[kind == "figure"]


class Standing(Enum):
    """Of a published statement, over all rows that test it with the paper's parameters."""

    RIGHT = "direction and size"
    DIRECTION = "direction only"
    NOT = "not"
    OPEN = "not settled"
    UNTESTED = "not tested"
    GIVEN = "fitted or identity"


PREDICTION = "prediction"
BASES = {
    PREDICTION: "nothing that the figure depends on was chosen by it",
    "fitted": "a parameter was chosen so that this paper's figures come out",
    "identity": "it follows from the description of the drive, the layer or the input, whatever is simulated",
}

_TALLY = re.compile(r"holds on (\d+) of (\d+)(?:, (\d+) open)?")
_BOUND = re.compile(r"; bound met on (\d+) of (\d+)$")


@dataclass(frozen=True)
class Tally:
    """How many cases hold, fail, and are open; and in how many the bound that the claim names is met."""

    held: int
    failed: int
    open: int = 0
    bound: tuple[int, int] | None = None

    @classmethod
    def of(cls, cases: Iterable[bool | None]) -> "Tally":
        found = list(cases)
        return cls(found.count(True), found.count(False), found.count(None))

    @classmethod
    def sum(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Of several tests of a claim; the bound is that of the first which has one."""
        found = list(tallies)
        return cls(*(sum(getattr(each, which) for each in found) for which in ("held", "failed", "open")), next((each.bound for each in found if each.bound), None))

    @classmethod
    def read(cls, text: str) -> "Tally | None":
        """Of a line's verdict; None where that counts nothing.

        >>> Tally.read("holds on 2 of 8, 1 open"), Tally.read("open: the interval holds a bound")
        (Tally(held=2, failed=5, open=1, bound=None), Tally(held=0, failed=0, open=1, bound=None))
        """
        found = _BOUND.search(text)
        bound = (int(found[1]), int(found[2])) if found else None
        if counted := _TALLY.match(text):
            held, count, open_ = int(counted[1]), int(counted[2]), int(counted[3] or 0)
            return cls(held, count - held - open_, open_, bound)
        plain = {"holds": (1, 0, 0), "does not hold": (0, 1, 0), "open": (0, 0, 1)}
        return next((cls(*counts, bound) for word, counts in plain.items() if text.startswith(word)), None)

    @property
    def text(self) -> str:
        """
        >>> Tally.of([True, False, None]).text, Tally.of([False]).text, Tally.of([]).text
        ('holds on 1 of 3, 1 open', 'does not hold', 'not tried')
        """
        count = self.held + self.failed + self.open
        bound = f"; bound met on {self.bound[0]} of {self.bound[1]}" if self.bound else ""
        if count == 0:
            return "not tried"
        for number, word in ((self.held, "holds"), (self.failed, "does not hold"), (self.open, "open")):
            if number == count:
                return word + bound
        return f"holds on {self.held} of {count}" + (f", {self.open} open" if self.open else "") + bound

    @property
    def outcome(self) -> Outcome:
        if self.failed:
            return Outcome.SOME if self.held else Outcome.NOT
        return Outcome.OPEN if self.open or not self.held else Outcome.HOLDS


NEAR, FAR = 1.25, 2.0
SIZES = (f"within {NEAR:g}", f"within {FAR:g}", f"beyond {FAR:g}")


def size_of(here: float, published: float) -> str:
    """On the size: how many times a ratio of two responses (or amplifications, or counts) is the published one.

    >>> size_of(3.15, 3.27), size_of(77, 3.27), size_of(0.9, 1.7)
    ('within 1.25', 'beyond 2', 'within 2')
    """
    times = max(here / published, published / here) if here > 0 and published > 0 else math.inf
    return SIZES[(times > NEAR) + (times > FAR)]


def standing(rows: Iterable[tuple[Outcome, bool, str]]) -> Standing:
    """What rows say together: of each its outcome, whether the paper prints a size and it is met, and the basis. Predictions alone count
    where there are any. Rows that disagree differ in what the paper leaves open, so that it is not settled."""
    found = [row for row in rows if row[0] is not Outcome.UNTESTED]
    chosen = [row for row in found if row[2] == PREDICTION] or found
    outcomes = {outcome for outcome, _, _ in chosen}
    if not outcomes:
        return Standing.UNTESTED
    if outcomes == {Outcome.HOLDS}:
        if any(basis != PREDICTION for _, _, basis in chosen):
            return Standing.GIVEN
        return Standing.RIGHT if all(sized for _, sized, _ in chosen) else Standing.DIRECTION
    return Standing.OPEN if Outcome.HOLDS in outcomes or outcomes == {Outcome.OPEN} else Standing.NOT
