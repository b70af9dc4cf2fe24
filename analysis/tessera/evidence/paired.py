"""Verdicts on a family of ratios, paired by seed, or by the blocks of a recording.

A family is all the ratios that one column shows: its false verdicts together stay below 5 %, however many layers it has (Holm 1979, "A simple
sequentially rejective multiple test procedure"). The best of a column is chosen by the same figures, so its family is every pair that might
have been chosen.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TypeVar

from tessera.evidence.family import CONFIDENCE, holm, margin
from tessera.evidence.ratios import Ratio

BEST = "best"
BETTER, WORSE, EQUAL, NOT_SETTLED = "better", "worse", "equal", "not settled"
Name = TypeVar("Name")
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
    chosen_from = combinations(figures, 2) if chosen else [(layer, baseline) for layer in figures if layer != baseline]
    pairs = [(other, one) if one == baseline else (one, other) for one, other in chosen_from]
    whole = lambda one, other: None if wholes is None else wholes[one] / wholes[other]  # noqa: E731
    family = {pair: ratio for pair in pairs if (ratio := paired(figures[pair[0]], figures[pair[1]], whole(*pair))) is not None}
    return {layer: verdict for (layer, other), verdict in judged(family, more_is_better).items() if other == baseline}


def judged(family: Mapping[Name, Ratio], more_is_better: bool = False) -> dict[Name, str]:
    """Of each ratio of a family, whether its first figure is better, worse, equal or not settled.

    >>> judged({"a": Ratio.of([-0.20, -0.21, -0.19]), "b": Ratio.of([0.001, 0.0, 0.002]), "c": Ratio.of([0.9, 0.1, -0.2])})
    {'a': 'better', 'b': 'equal', 'c': 'not settled'}
    """
    differ, equal = holm([ratio.differs() for ratio in family.values()]), holm([ratio.within_margin() for ratio in family.values()])
    return {
        name: _verdict(ratio.inverse() if more_is_better else ratio, difference <= 1 - CONFIDENCE, equality <= 1 - CONFIDENCE)
        for (name, ratio), difference, equality in zip(family.items(), differ, equal)
    }  # fmt: skip


def _verdict(ratio: Ratio, differs: bool, equal: bool) -> str:
    if equal:
        return EQUAL
    if not differs or 1 / margin() <= ratio.value <= margin():
        return NOT_SETTLED
    return BETTER if ratio.mean < 0 else WORSE
