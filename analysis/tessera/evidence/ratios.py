"""Figures over replicates, and ratios of two designs, paired by replicate."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np

from tessera.evidence.blocks import Bursts
from tessera.evidence.family import CONFIDENCE, log_margin, margin
from tessera.evidence.intervals import Estimate, beyond_rounding, of_mean, share_within, student_t, student_t_975

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
    of_parts: bool = False
    """Replicates are runs of parts of the recording, each of which begins and ends for itself."""
    halves: tuple[float, ...] = ()
    """Of a recording, the figure of its first and of its second half."""
    bursts: Bursts | None = None
    """Of a recording, the few that make the figure."""
    told: Sequence[str] = ()
    """What of it has not come far enough, and cannot move the figure."""

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
    """How many times one figure is another: of the logarithms, mean and standard error over the replicates that both have. Both sides ran the
    same random streams, or the same requests, so what these did to both cancels, which it does not in a quotient of two means."""

    mean: float
    error: float | None
    """None of one replicate."""
    count: int
    comparisons: int = 1
    """That share the confidence of `low` and `high` (Bonferroni)."""

    @classmethod
    def of(cls, logs: Iterable[float], comparisons: int = 1) -> "Ratio":
        found = list(map(float, logs))
        mean = math.fsum(found) / len(found)
        if len(found) == 1:
            return cls(mean, None, 1, comparisons)
        deviation = math.sqrt(math.fsum((log - mean) ** 2 for log in found) / (len(found) - 1))
        return cls(mean, beyond_rounding(deviation / math.sqrt(len(found)), max(1.0, max(map(abs, found)))), len(found), comparisons)

    @property
    def value(self) -> float:
        """The geometric mean: the ratio of A to B is one over that of B to A."""
        return math.exp(self.mean)

    def half(self, count: int | None = None) -> float:
        """Half the interval of the logarithm, with as many replicates."""
        if self.error is None:
            return math.inf
        degrees = (count or self.count) - 1
        quantile = student_t_975(degrees) if self.comparisons == 1 else student_t(degrees, 1 - (1 - CONFIDENCE) / 2 / self.comparisons)
        return quantile * self.error * math.sqrt(self.count / (count or self.count))

    @property
    def low(self) -> float:
        return math.exp(self.mean - self.half())

    @property
    def high(self) -> float:
        return math.exp(min(self.mean + self.half(), 700.0))

    @property
    def interval(self) -> tuple[float, float] | None:
        """None of one replicate."""
        return None if self.error is None else (self.low, self.high)

    @property
    def difference(self) -> Difference:
        if self.error is None:
            return Difference.NOT_SETTLED
        if abs(self.mean) >= log_margin() and self.above(1) is not None:
            return Difference.APART
        return Difference.EQUAL if self.above(1 / margin()) and self.above(margin()) is False else Difference.NOT_SETTLED

    def above(self, bound: float) -> bool | None:
        """Whether the ratio lies above the bound; None where its interval holds the bound."""
        return True if self.low > bound else False if self.high < bound else None

    def differs(self) -> float:
        """How likely so large a difference is between equals (t test, two-sided)."""
        return self._beyond(abs(self.mean)) if self.mean else 1.0

    def within_margin(self) -> float:
        """How likely so small a difference is at the margin (two one-sided t tests)."""
        return self._beyond(log_margin() - abs(self.mean)) / 2

    def _beyond(self, distance: float) -> float:
        """The two-sided tail of Student's t beyond a distance; 1 where it is none, or one replicate knows no spread."""
        if self.error is None or distance <= 0:
            return 1.0
        return 1 - share_within(self.count - 1, distance / self.error) if self.error else 0.0

    def inverse(self) -> "Ratio":
        """How many times the second figure is the first."""
        return replace(self, mean=-self.mean)

    def seeds_to_tell(self, bound: float) -> int | None:
        """Seeds with which the interval would leave the bound out, if spread and mean stayed; None where that takes more than MOST_SEEDS."""
        distance = abs(self.mean - math.log(bound))
        return self._first(lambda half: half < distance)

    def seeds_to_settle(self) -> int | None:
        """The same for whether the two are apart or equal."""
        mean, least = abs(self.mean), log_margin()
        return self._first(lambda half: half < mean if mean >= least else half < least - mean)

    def _first(self, settles: Callable[[float], bool]) -> int | None:
        return next((count for count in range(max(2, self.count), MOST_SEEDS + 1) if settles(self.half(count))), None)


def ratio(one: Measured, other: Measured, comparisons: int) -> Ratio | None:
    """None where the two have no two replicates in common, or a figure of one of them alone is 0: then nothing is known of the two."""
    pairs = [(one.by_seed[seed], other.by_seed[seed]) for seed in one.by_seed if seed in other.by_seed]
    alike = [first == second for first, second in pairs]
    if len(pairs) < 2 or any((first <= 0 or second <= 0) and not same for (first, second), same in zip(pairs, alike)):
        return None
    found = Ratio.of((0.0 if same else math.log(first / second) for (first, second), same in zip(pairs, alike)), comparisons)
    if not one.whole or not other.whole:
        return found
    mean = math.log(one.whole / other.whole)  # replicates say how far the ratio may be off, and not where it is
    # Where all parts have another ratio than the whole, what they begin and end with makes it, and how sure the whole is they do not know.
    error = max(found.error or 0.0, abs(found.mean - mean)) if one.of_parts else found.error
    return replace(found, mean=mean, error=error)
