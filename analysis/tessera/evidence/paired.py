"""Verdicts on a family of ratios, paired by seed, or by the blocks of a recording.

A family is all the ratios that one column shows: its false verdicts together stay below 5 %, however many layers it has (Holm 1979, "A simple
sequentially rejective multiple test procedure"). The best of a column is chosen by the same figures, so its family is every pair that might
have been chosen.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

from tessera.evidence.family import CONFIDENCE, holm, margin
from tessera.evidence.ratios import Ratio

BEST = "best"
BETTER, WORSE, EQUAL, NOT_SETTLED = "better", "worse", "equal", "not settled"
BySeed = Mapping[int, float | None]
"""The figure of one layer with each seed that ran well, or by block."""


def paired(figures: BySeed, baseline: BySeed, whole: float | None = None) -> Ratio | None:
    """None without a common seed, or where a figure of one is not above 0. `whole`: the ratio itself, where replicates only say how sure it is.

    >>> twice = paired({1: 2.0, 2: 20.0, 3: 200.0}, {1: 1.0, 2: 10.0, 3: 100.0})  # tenfold from seed to seed, and twice with each
    >>> round(twice.value, 9), twice.interval == (twice.value, twice.value), twice.count
    (2.0, True, 3)
    """
    pairs = [(figures[seed], baseline[seed]) for seed in figures if seed in baseline]
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if not known or any(one <= 0 or other <= 0 for one, other in known):
        return None
    found = Ratio.of(math.log(one / other) for one, other in known)
    return found if whole is None else replace(found, mean=math.log(whole))


def verdicts(
    figures: Mapping[str, BySeed], baseline: str, chosen: bool = False, wholes: Mapping[str, float] | None = None, more_is_better: bool = False
) -> dict[str, str]:  # fmt: skip
    """Of each layer but the baseline that has a ratio to it: better, worse, equal (within the margin), or not settled. `figures` are of the
    layers that rank; `chosen`: the baseline is the one of them whose figure is the best; `wholes`: the figures, where `figures` are by block."""
    pairs = combinations(figures, 2) if chosen else [(layer, baseline) for layer in figures if layer != baseline]
    whole = lambda one, other: None if wholes is None else wholes[one] / wholes[other]  # noqa: E731
    family = {pair: ratio for pair in pairs if (ratio := paired(figures[pair[0]], figures[pair[1]], whole(*pair))) is not None}
    differ, equal = holm([ratio.differs() for ratio in family.values()]), holm([ratio.within_margin() for ratio in family.values()])
    found = {}
    for (one, other), ratio, difference, equality in zip(family, family.values(), differ, equal):
        if baseline in (one, other):
            layer, seen = (one, ratio) if other == baseline else (other, ratio.inverse())
            found[layer] = _verdict(seen.inverse() if more_is_better else seen, difference <= 1 - CONFIDENCE, equality <= 1 - CONFIDENCE)
    return found


def _verdict(ratio: Ratio, differs: bool, equal: bool) -> str:
    if equal:
        return EQUAL
    if not differs or 1 / margin() <= ratio.value <= margin():
        return NOT_SETTLED
    return BETTER if ratio.mean < 0 else WORSE
