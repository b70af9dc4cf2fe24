"""Figures over replicates, and ratios of two designs, paired by replicate."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from tessera.evidence.family import CONFIDENCE, MARGIN
from tessera.evidence.intervals import Estimate, of_mean, student_t

NARROW = 0.10  # half the interval of a figure that stands alone, over the figure
MOST_SEEDS = 64


class Difference(Enum):
    """What a ratio says of two designs: nothing else decides whether they differ."""

    APART = "apart"
    """Its interval leaves 1 out, and it is at least the margin."""
    EQUAL = "equal"
    """Its interval lies within the margin."""
    NOT_SETTLED = "not settled"


@dataclass(frozen=True)
class Measured:
    """The figure of one design, a value a replicate: a seed, or a block of a recording."""

    by_seed: Mapping[int, float]
    """Replicate -> value."""
    marks: Sequence[str] = ()
    message: str = ""
    """Why the design could not run."""
    clocks: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """What cleans, learns or fills: how far it came in the run where it came least far, and how far it has to come."""
    cpu_busy: float = 0.0
    """Share of the time in which the processor worked."""
    whole: float | None = None
    """Of a recording the figure of all of it, whose replicates say how sure it is."""

    @property
    def mean(self) -> float | None:
        if self.whole is not None:
            return self.whole
        return float(np.mean(list(self.by_seed.values()))) if self.by_seed else None

    def estimate(self) -> Estimate | None:
        """With its 95 % interval over replicates; None of fewer than two."""
        values = np.array(list(self.by_seed.values()))
        if len(values) < 2:
            return None
        if self.whole is None:
            return of_mean(values)
        bounds = self.bounds()
        return Estimate(self.whole, bounds[1] - self.whole) if bounds else None

    def bounds(self) -> tuple[float, float] | None:
        """Of a recording the ends of its interval, which is of the logarithm; None where there is none."""
        values = np.array(list(self.by_seed.values()))
        if not self.whole or len(values) < 2 or values.min() <= 0:
            return None
        half = min(of_mean(np.log(values)).half_width, 700.0)
        return self.whole * math.exp(-half), self.whole * math.exp(half)


@dataclass(frozen=True)
class Ratio:
    """How many times the first figure is the second, as the geometric mean over the seeds that both have."""

    logs: np.ndarray
    comparisons: int
    """That share the confidence (Bonferroni)."""

    @property
    def value(self) -> float:
        return math.exp(float(self.logs.mean()))

    def half(self, seeds: int | None = None) -> float:
        """Half the interval of the logarithm, with as many seeds."""
        count = seeds or len(self.logs)
        if len(self.logs) < 2:
            return math.inf
        return student_t(count - 1, 1 - (1 - CONFIDENCE) / 2 / self.comparisons) * float(self.logs.std(ddof=1)) / math.sqrt(count)

    @property
    def low(self) -> float:
        return math.exp(float(self.logs.mean()) - self.half())

    @property
    def high(self) -> float:
        return math.exp(min(float(self.logs.mean()) + self.half(), 700.0))

    @property
    def difference(self) -> Difference:
        if len(self.logs) < 2:
            return Difference.NOT_SETTLED
        if max(self.value, 1 / self.value) >= MARGIN and self.above(1) is not None:
            return Difference.APART
        return Difference.EQUAL if self.above(1 / MARGIN) and self.above(MARGIN) is False else Difference.NOT_SETTLED

    def above(self, bound: float) -> bool | None:
        """Whether the ratio lies above the bound; None where its interval holds the bound."""
        return True if self.low > bound else False if self.high < bound else None

    def inverse(self) -> "Ratio":
        """How many times the second figure is the first."""
        return Ratio(-self.logs, self.comparisons)

    def seeds_to_tell(self, bound: float) -> int | None:
        """Seeds with which the interval would leave the bound out, if spread and mean stayed; None where that takes more than MOST_SEEDS."""
        distance = abs(float(self.logs.mean()) - math.log(bound))
        return next((count for count in range(max(2, len(self.logs)), MOST_SEEDS + 1) if self.half(count) < distance), None)

    def seeds_to_settle(self) -> int | None:
        """The same for whether the two are apart or equal."""
        mean, margin = abs(float(self.logs.mean())), math.log(MARGIN)
        settles = lambda half: half < mean if mean >= margin else half < margin - mean  # noqa: E731
        return next((count for count in range(max(2, len(self.logs)), MOST_SEEDS + 1) if settles(self.half(count))), None)


def ratio(one: Measured, other: Measured, comparisons: int) -> Ratio | None:
    """None where the two have no two seeds in common, or a figure of one of them alone is 0: then nothing is known of the two."""
    common = [seed for seed in one.by_seed if seed in other.by_seed]
    pairs = [(one.by_seed[seed], other.by_seed[seed]) for seed in common]
    alike = [first == second for first, second in pairs]
    if len(pairs) < 2 or any((first <= 0 or second <= 0) and not same for (first, second), same in zip(pairs, alike)):
        return None
    logs = np.array([0.0 if same else math.log(first / second) for (first, second), same in zip(pairs, alike)])
    if one.whole and other.whole:  # replicates say how far the ratio may be off, and not where it is
        logs += math.log(one.whole / other.whole) - logs.mean()
    return Ratio(logs, comparisons)
