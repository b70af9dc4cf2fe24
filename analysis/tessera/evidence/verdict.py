"""From the evidence to an answer: the least that is enough, the best of several, or what is not settled."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from tessera.evidence.family import log_margin, margin, pairs
from tessera.evidence.intervals import Estimate, student_t_975
from tessera.evidence.marks import ranks_not
from tessera.evidence.ratios import MOST_SEEDS, NARROW, Difference, Measured, Ratio, ratio

NO_FIGURE = "no figure"  # why a design is left out whose runs do not have what is asked for


@dataclass(frozen=True)
class Doubt:
    """A comparison that the runs do not decide."""

    one: str
    other: str
    found: Ratio | None
    """None where no ratio can be formed."""
    bound: float | None
    """Whether the ratio lies above it is not known; None where it is not known whether the two are apart or equal."""

    @property
    def seeds(self) -> int | None:
        if self.found is None:
            return None
        return self.found.seeds_to_settle() if self.bound is None else self.found.seeds_to_tell(self.bound)


@dataclass(frozen=True)
class Wide:
    """A figure that stands alone, with an interval that is too wide to be an answer, or without one."""

    name: str
    found: Estimate | None
    count: int

    @property
    def seeds(self) -> int | None:
        if self.found is None:
            return None
        spread = self.found.half_width * math.sqrt(self.count) / student_t_975(self.count - 1)
        enough = lambda count: student_t_975(count - 1) * spread / math.sqrt(count) <= NARROW * abs(self.found.value)  # noqa: E731
        return next((count for count in range(self.count, MOST_SEEDS + 1) if enough(count)), None)


@dataclass(frozen=True)
class Verdict:
    best: str | None
    """The design that is the answer; None where nothing may be ranked."""
    doubts: Sequence[Doubt | Wide] = ()
    second: str | None = None
    """The design that the answer is held against."""
    against: Ratio | None = None
    """How many times the figure of `second` is that of `best`."""
    alike: Sequence[str] = ()
    """Designs that are equal to the best in practice, for sure; of designs from little to much, those that are no better."""
    worse: Mapping[str, Ratio] = field(default_factory=dict)
    """Of designs from little to much, larger ones that are worse than the answer, for sure, and how many times."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Designs that are not ranked, and why."""

    @property
    def settled(self) -> bool:
        return self.best is not None and not self.doubts and not self.left_out

    @property
    def seeds(self) -> int | None:
        """Seeds that would decide all doubts; None where none is known."""
        wanted = [doubt.seeds for doubt in self.doubts]
        return max((count for count in wanted if count), default=None)


def ranked(found: Mapping[str, Measured]) -> tuple[dict[str, Measured], dict[str, str]]:
    """Those that may be ranked, and why the others may not."""
    left_out = {name: each.message or "; ".join(each.marks) or NO_FIGURE for name, each in found.items() if each.mean is None or ranks_not(each.marks)}
    return {name: each for name, each in found.items() if name not in left_out}, left_out


def worse(one: Measured, other: Measured, comparisons: int, more_is_better: bool) -> Ratio | None:
    """How many times worse the first is than the second."""
    return ratio(other, one, comparisons) if more_is_better else ratio(one, other, comparisons)


def best_of(found: Mapping[str, Measured], more_is_better: bool, looks: int = 1) -> Verdict:
    """The best design, held against each other one; `looks`: how often the evidence may be looked at while it grows. The best is chosen by the
    same figures, so every pair that might have been chosen shares the confidence."""
    chosen, left_out = ranked(found)
    if not chosen:
        return Verdict(None, left_out=left_out)
    order = sorted(chosen, key=lambda name: (chosen[name].mean or 0.0) * (-1 if more_is_better else 1))
    best, rest = order[0], order[1:]
    doubts: list[Doubt | Wide] = []
    alike: list[str] = []
    alone = chosen[best].estimate() if len(found) == 1 else None
    if len(found) == 1 and (alone is None or alone.relative > NARROW):
        doubts.append(Wide(best, alone, len(chosen[best].by_seed)))
    against: dict[str, Ratio | None] = {name: worse(chosen[name], chosen[best], looks * pairs(len(chosen)), more_is_better) for name in rest}
    for name, factor in against.items():
        difference = factor.difference if factor else Difference.NOT_SETTLED
        if difference is Difference.EQUAL:
            alike.append(name)
        elif difference is Difference.NOT_SETTLED:
            doubts.append(Doubt(name, best, factor, None))
    return Verdict(best, doubts, rest[0] if rest else None, against[rest[0]] if rest else None, alike, left_out=left_out)


def least_that_is_enough(found: Mapping[str, Measured], more_is_better: bool, looks: int = 1) -> Verdict:
    """Of designs from little to much, the first that no larger one beats by more than the margin."""
    chosen, left_out = ranked(found)
    names = list(chosen)
    if not names:
        return Verdict(None, left_out=left_out)
    comparisons = looks * max(1, pairs(len(names)))
    factors = {(small, large): worse(chosen[small], chosen[large], comparisons, more_is_better) for small, large in combinations(names, 2)}
    larger = lambda small: [(large, factors[small, large]) for large in names[names.index(small) + 1 :]]  # noqa: E731
    enough = next(small for small in names if all(factor is None or factor.value <= margin() for _, factor in larger(small)))
    # That no larger one beats it by more than the margin has to be sure; and that the one below it is beaten by some.
    doubts: list[Doubt | Wide] = [Doubt(enough, large, factor, margin()) for large, factor in larger(enough) if factor is None or factor.above(margin()) is None]
    place = names.index(enough)
    second, against = None, None
    if place:
        second = names[place - 1]
        over = [(large, factor) for large, factor in larger(second) if factor and factor.value > margin()]
        against = factors[second, enough]
        if over and not any(factor.above(1) for _, factor in over):
            large, factor = max(over, key=lambda each: each[1].low)
            doubts.append(Doubt(second, large, factor, 1.0))
    back = {large: factor.inverse() for large, factor in larger(enough) if factor and factor.difference is Difference.APART and factor.value < 1}
    return Verdict(enough, doubts, second, against, [large for large, factor in larger(enough) if factor], back, left_out)


def by_half(found: Mapping[str, Measured], more_is_better: bool, ordered: bool) -> tuple[str, str] | None:
    """The designs that the first and the second half of a recording would choose, where they disagree by more than the margin: `ordered`, the
    least that no larger one beats. None where they agree, or halves are not known."""
    chosen = ranked(found)[0]
    if len(chosen) < 2 or any(len(each.halves) < 2 or min(each.halves) <= 0 for each in chosen.values()):
        return None
    names = list(chosen)
    logs = [{name: math.log(each.halves[half]) * (-1 if more_is_better else 1) for name, each in chosen.items()} for half in range(2)]
    least = log_margin()
    enough = lambda half: next(small for place, small in enumerate(names) if all(half[small] - half[large] <= least for large in names[place + 1 :]))  # noqa: E731
    picks = [enough(half) if ordered else min(half, key=half.__getitem__) for half in logs]
    differ = picks[0] != picks[1] and (ordered or max(logs[0][picks[1]] - logs[0][picks[0]], logs[1][picks[0]] - logs[1][picks[1]]) > least)
    return (picks[0], picks[1]) if differ else None
