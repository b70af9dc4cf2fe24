"""Ratios of two figures, paired by seed, and verdicts on a family of them.

Both sides ran the same random streams, so what the seed did to both cancels, which it does not in a quotient of two means. A family is all
the ratios that one column shows: its false verdicts together stay below 5 %, however many layers it has (Holm 1979, "A simple sequentially
rejective multiple test procedure"). The best of a column is chosen by the same figures, so its family is every pair that might have been
chosen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from tessera.evidence.family import CONFIDENCE, MARGIN, holm
from tessera.evidence.intervals import beyond_rounding, share_within, student_t_975

BEST = "best"
BETTER, WORSE, EQUAL, NOT_SETTLED = "better", "worse", "equal", "not settled"
BySeed = Mapping[int, float | None]
"""The figure of one layer with each seed that ran well; less is better."""


@dataclass(frozen=True)
class Ratio:
    """How many times one figure is another: of the logarithms, mean and standard error over the seeds that both have."""

    mean: float
    error: float | None
    """None of one seed."""
    seeds: int

    @property
    def value(self) -> float:
        """The geometric mean: the ratio of A to B is one over that of B to A."""
        return math.exp(self.mean)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % (Student's t over the logarithms), of this ratio alone; None of one seed."""
        if self.error is None:
            return None
        half = min(700.0, student_t_975(self.seeds - 1) * self.error)
        return math.exp(self.mean - half), math.exp(self.mean + half)

    def differs(self) -> float:
        """How likely so large a difference is between equals (t test, two-sided)."""
        return self._beyond(abs(self.mean)) if self.mean else 1.0

    def within_margin(self) -> float:
        """How likely so small a difference is at the margin (two one-sided t tests)."""
        return self._beyond(math.log(MARGIN) - abs(self.mean)) / 2

    def _beyond(self, distance: float) -> float:
        """The two-sided tail of Student's t beyond a distance; 1 where it is none, or one seed knows no spread."""
        if self.error is None or distance <= 0:
            return 1.0
        return 1 - share_within(self.seeds - 1, distance / self.error) if self.error else 0.0

    def inverse(self) -> "Ratio":
        return Ratio(-self.mean, self.error, self.seeds)


def paired(figures: BySeed, baseline: BySeed) -> Ratio | None:
    """None without a common seed, or where a figure of one is not above 0.

    >>> twice = paired({1: 2.0, 2: 20.0, 3: 200.0}, {1: 1.0, 2: 10.0, 3: 100.0})  # tenfold from seed to seed, and twice with each
    >>> round(twice.value, 9), twice.interval == (twice.value, twice.value), twice.seeds
    (2.0, True, 3)
    """
    pairs = [(figures[seed], baseline[seed]) for seed in figures if seed in baseline]
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if not known or any(one <= 0 or other <= 0 for one, other in known):
        return None
    logs = [math.log(one / other) for one, other in known]
    mean = math.fsum(logs) / len(logs)
    if len(logs) == 1:
        return Ratio(mean, None, 1)
    deviation = math.sqrt(math.fsum((log - mean) ** 2 for log in logs) / (len(logs) - 1))
    return Ratio(mean, beyond_rounding(deviation / math.sqrt(len(logs)), max(1.0, max(map(abs, logs)))), len(logs))


def verdicts(figures: Mapping[str, BySeed], baseline: str, chosen: bool = False) -> dict[str, str]:
    """Of each layer but the baseline that has a ratio to it: better, worse, equal (within the margin), or not settled. `figures` are of the
    layers that rank; `chosen`: the baseline is the one of them whose figure is the smallest."""
    pairs = combinations(figures, 2) if chosen else [(layer, baseline) for layer in figures if layer != baseline]
    family = {pair: ratio for pair in pairs if (ratio := paired(figures[pair[0]], figures[pair[1]])) is not None}
    differ, equal = holm([ratio.differs() for ratio in family.values()]), holm([ratio.within_margin() for ratio in family.values()])
    found = {}
    for (one, other), ratio, difference, equality in zip(family, family.values(), differ, equal):
        if baseline in (one, other):
            layer, seen = (one, ratio) if other == baseline else (other, ratio.inverse())
            found[layer] = _verdict(seen, difference <= 1 - CONFIDENCE, equality <= 1 - CONFIDENCE)
    return found


def _verdict(ratio: Ratio, differs: bool, equal: bool) -> str:
    if equal:
        return EQUAL
    if not differs or 1 / MARGIN <= ratio.value <= MARGIN:
        return NOT_SETTLED
    return BETTER if ratio.mean < 0 else WORSE
