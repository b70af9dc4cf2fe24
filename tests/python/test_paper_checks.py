"""A claim's test as data, on made-up tables: what each key asks, and what leaves an input open."""

import pytest

from tessera.errors import InputError
from validation.papers.cells import Cells
from validation.papers.check import KEYS, Check, Seeds
from validation.papers.page import ENDLESS

TABLES = f"""
| ms | ours | other | third |
|---|---:|---:|---:|
| a | 1.00 | 2.00 | 4.00 |
| b | 1,000.00 | 4,000.00 | 500.00 |
| c | 1.00 | 1.04 | 4.00 |
| d | 3.00 | 1.00 | 1.00 |
| e | 1.00{ENDLESS} | 2.00 | 4.00 |
| f* | 1.00 | 2.00 | 4.00 |

| volume | RMWs S | RMWs M |
|---|---:|---:|
| a | 7 | 0 |
| b | 9 | 3 |

| claim | published | here | direction |
|---|---|---|---|
| ms | 1 | 2 | holds |
"""


def find(*seeds: Seeds, **keys):
    return Check.of({"figure": "ms", "of": "ours", **keys}).find(Cells(TABLES), seeds)


def test_an_input_holds_fails_or_is_equal_and_what_is_not_ranked_is_open():
    found = find(below="other")
    assert found.tally.text == "holds on 2 of 6, 3 open"  # a and b; c is equal, e fell behind, f was too short
    assert found.ratio == pytest.approx((2 * 4 * 1.04 / 3) ** 0.25)  # the geometric mean of those that are ranked
    assert found.here.endswith("; fails on d")
    assert find(below="other", inputs=["a", "b"]).tally.text == "holds"
    assert find(above="other", inputs=["a"]).tally.text == "does not hold"


def test_of_several_rivals_each_has_to_be_beaten_and_of_several_of_ours_one():
    assert find(below=["other", "third"], inputs=["a", "b"]).tally.text == "holds on 1 of 2"
    assert find(of=["ours", "third"], below="other", inputs=["b", "d"]).tally.text == "holds on 1 of 2, 1 open"


def test_an_exception_that_a_claim_names_is_tested():
    assert find(below="other", inputs=["a", "d"], but=["d"]).tally.text == "holds"
    assert find(below="other", inputs=["a", "b"], but=["b"]).tally.text == "holds on 1 of 2"
    assert find(below="other", inputs=["a", "b"], but=["b"]).ratio == pytest.approx(2)  # the exception is no part of the mean


def test_a_named_bound_is_counted_next_to_the_direction():
    assert find(below="other", inputs=["a", "b"], within=[1.7, 2.0]).tally.text == "holds; bound met on 1 of 2"
    assert find(below="other", inputs=["a", "b"], bound=3).tally.text == "holds on 1 of 2"
    assert find(above="other", inputs=["d"], by=2.5).tally.text == "does not hold"


def test_most_needs_more_than_half():
    assert find(below="third", inputs=["a", "b", "c"], most=True).tally.text == "holds"
    assert find(below="other", inputs=["a", "c"], most=True).tally.text == "open"
    assert find(below="other", inputs=["a", "d"], most=True).tally.text == "does not hold"


def test_an_interval_over_seeds_that_says_otherwise_leaves_its_input_open():
    assert find(Seeds("a", "holds", 2.0), below="other", inputs=["a"]).tally.text == "holds"
    assert find(Seeds("a", "open: the interval holds a bound", 1.1), below="other", inputs=["a", "b"]).tally.text == "holds on 1 of 2, 1 open"
    assert find(Seeds("a", "does not hold", 0.9), below="other", inputs=["a"]).tally.text == "open"


def test_extremes_by_input_and_by_variant():
    assert find(below="other", inputs=["a", "b"], most_on="b").tally.text == "holds"
    assert find(below="other", inputs=["a", "b"], most_on="a").here == "most on b (4.00), not a (2.00)"
    assert find(inputs=["a", "b", "d"], least_on=["a", "b"]).tally.text == "holds on 1 of 2"
    assert find(inputs=["a", "b"], most_on="b", least_on="a").tally.text == "holds"
    assert find(of=["ours", "other", "third"], inputs=["a", "b", "c"], least_at=["other"]).tally.text == "holds on 0 of 3, 1 open"
    assert find(of=["ours", "other", "third"], inputs=["a"], most_at=["third"]).tally.text == "holds"


def test_spreads_values_and_zeros():
    assert find(of=["ours", "other"], inputs=["a", "c"], spread=0.05).tally.text == "holds on 1 of 2"
    assert find(of=["ours", "other"], inputs=["a", "c"], factor=2).tally.text == "holds"
    assert find(value=1.2, inputs=["a", "d"]).tally.text == "holds on 1 of 2"
    assert find(at_most=2, inputs=["a", "d"]).tally.text == "holds on 1 of 2"
    assert Check.of({"value": 0.1}).find(Cells(""), [Seeds("a", "holds", 0.007)]).tally.text == "does not hold"
    assert find(figure="RMWs", of="M", zero_on=["a"]).tally.text == "holds"
    assert find(figure="RMWs", of="M", zero_on=["a", "b"]).tally.text == "holds on 1 of 2"


def test_a_figure_that_no_table_has_gets_the_nearest():
    with pytest.raises(InputError, match="unknown figure of a variant 'ms ourz'; did you mean 'ms ours'"):
        find(of="ourz", below="other")


def test_a_column_of_runs_that_were_too_short_for_a_figure_tries_nothing():
    short = Cells("| ms | ours | other |\n|---|---:|---:|\n| a | - | - |\n")
    for keys in ({"below": "other"}, {"most_on": "a"}, {"value": 3}, {"of": ["ours", "other"], "factor": 2}, {"of": ["ours", "other"], "least_at": ["ours"]}):
        assert Check.of({"figure": "ms", "of": "ours", **keys}).find(short).tally.held == 0


def test_every_key_has_its_line_in_the_essay():
    from validation.papers import check

    assert all(f"`{key}`" in check.__doc__ or key in ("figure", "of") for key in KEYS)
