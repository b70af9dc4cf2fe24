"""Ratios paired by seed and their verdicts, on figures whose truth is known."""

import math
import random
import statistics

import pytest

from tessera.evidence.family import MARGIN, holm
from tessera.evidence.paired import BETTER, EQUAL, NOT_SETTLED, WORSE, paired, verdicts

DRAWN = 1000  # comparisons of each kind
FALSE = 0.05 + 3 * math.sqrt(0.05 * 0.95 / DRAWN)  # of a family, with three deviations of the draw
SEEDS = 10


def figures(*values):
    """Seeds count up from 1."""
    return dict(enumerate(values, 1))


def test_ratios_are_paired_by_seed_and_no_quotient_of_means():
    # 4, 1 and 1/4 times: 1 in the geometric mean, where the quotient of the means, 6 over 9, says 0.67.
    even = paired(figures(4, 1, 1), figures(1, 1, 4))
    assert even.value == pytest.approx(1) and even.count == 3
    # The logarithms ln 4, 0, -ln 4 have the deviation ln 4; Student's t for two degrees of freedom is 4.3027.
    half = 4.30265 * math.log(4) / math.sqrt(3)
    assert even.interval == (pytest.approx(math.exp(-half), rel=1e-3), pytest.approx(math.exp(half), rel=1e-3))


def test_the_ratio_of_a_to_b_is_one_over_that_of_b_to_a_and_its_interval_as_well():
    there, back = paired(figures(3, 5, 4), figures(1, 2, 3)), paired(figures(1, 2, 3), figures(3, 5, 4))
    assert there.value * back.value == pytest.approx(1)
    assert there.interval[0] * back.interval[1] == pytest.approx(1)
    assert there.inverse().value == pytest.approx(back.value)


def test_only_seeds_that_both_have_count_and_one_of_them_makes_no_interval():
    ratio = paired({1: 6.0, 2: 8.0, 4: None}, {2: 4.0, 3: 1.0, 4: 1.0, 5: 1.0})
    assert (ratio.count, ratio.value, ratio.interval) == (1, pytest.approx(2), None)
    assert paired(figures(1.0), {}) is None
    assert verdicts({"a": figures(6.0), "b": figures(1.0)}, "b") == {"a": NOT_SETTLED}


def test_a_figure_of_0_has_no_ratio_and_the_smallest_above_it_has_one():
    assert paired(figures(0, 1), figures(1, 1)) is None
    assert paired(figures(1, 1), figures(1, 0)) is None
    assert paired(figures(1e-9, 1), figures(1, 1)) is not None


def test_figures_that_no_seed_moves_are_settled():
    assert verdicts({"base": figures(2, 2, 2), "same": figures(2, 2, 2), "twice": figures(4, 4, 4), "nearly": figures(2.02, 2.02, 2.02)}, "base") == {
        "same": EQUAL, "twice": WORSE, "nearly": EQUAL,
    }  # fmt: skip


def test_corrected_chances_never_fall_and_never_pass_1():
    assert holm([0.2, 0.001, 0.4, 0.3]) == pytest.approx([0.6, 0.004, 0.6, 0.6])
    assert holm([]) == []


def drawn(draw: random.Random, truth: list[float]):
    """Figures of designs over seeds: what the seed does to all of them, and what is each one's own."""
    shared = [draw.gauss(0, 0.5) for _ in range(SEEDS)]
    return {f"design {at}": figures(*(factor * math.exp(common + draw.gauss(0, 0.1)) for common in shared)) for at, factor in enumerate(truth)}


def verdicts_on(found, baseline):
    if baseline == "first":
        return verdicts(found, "design 0")
    best = min(found, key=lambda name: statistics.mean(found[name].values()))
    return verdicts(found, best, chosen=True)


@pytest.mark.parametrize("baseline", ["first", "best"])
@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_of_equal_designs_a_difference_is_seldom_seen(count, baseline):
    draw = random.Random(count)
    false = sum(not {BETTER, WORSE}.isdisjoint(verdicts_on(drawn(draw, [1.0] * count), baseline).values()) for _ in range(DRAWN))
    assert false / DRAWN <= FALSE


@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_of_designs_at_the_margin_none_is_often_called_equal(count):
    draw = random.Random(count)
    false = sum(EQUAL in verdicts_on(drawn(draw, [1.0, *[MARGIN] * (count - 1)]), "first").values() for _ in range(DRAWN))
    assert false / DRAWN <= FALSE


@pytest.mark.parametrize("baseline", ["first", "best"])
@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_a_true_difference_of_a_fifth_is_found(count, baseline):
    draw = random.Random(count)
    truth = [1.0] * (count - 1) + [1.2]
    quiet = lambda found: {name: {seed: value ** 0.3 for seed, value in each.items()} for name, each in found.items()}  # noqa: E731  # a deviation of 3 %
    seen = [verdicts_on(quiet(drawn(draw, [factor ** (1 / 0.3) for factor in truth])), baseline).get(f"design {count - 1}") for _ in range(DRAWN // 10)]
    assert seen.count(WORSE) >= 0.9 * len(seen)
