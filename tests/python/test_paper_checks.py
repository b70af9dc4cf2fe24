"""A claim's test as data, on made-up tables: what each key asks, and what leaves an input open."""

import pytest

from tessera.errors import InputError
from validation.papers.check import KEYS, Cells, Check, Seeds, comparisons, find_all
from validation.papers.measures import ENDLESS

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


def test_a_value_may_be_another_column_s_and_near_may_be_a_share():
    table = Cells("| usage | a paper | a here | b paper | b here |\n|---|---:|---:|---:|---:|\n| 25 | 4.00 | 4.10 | 1.00 | 0.98 |\n| 50 | 4.00 | 4.00 | 1.00 | 1.00 |\n")
    keys = {"figure": "", "of": ["a here", "b here"], "value": ["a paper", "b paper"]}
    found = Check.of({**keys, "tolerance": 0.03}).find(table)
    assert (found.tally.text, found.here, found.ratio) == ("holds", "at most 2.5 % off", pytest.approx(1.025))
    assert Check.of({**keys, "tolerance": 0.02}).find(table).tally.text == "holds on 3 of 4"
    assert Check.of({"figure": "", "of": "a here", "value": "a paper"}).find(table).tally.text == "holds"
    assert [find(value=1.01, tolerance=share, inputs=["a"]).tally.text for share in (0.01, 0.009)] == ["holds", "does not hold"]


def test_a_value_lies_between_its_bounds_and_both_ends_are_in():
    assert [find(at_least=low, at_most=high, inputs=["a"]).tally.text for low, high in ((1, 1), (1.01, 2), (0, 0.99))] == ["holds", "does not hold", "does not hold"]


def test_each_of_ours_against_each_rival_is_a_case():
    assert find(of=["ours", "third"], below=["other", "third"], each=True, inputs=["a"]).tally.text == "holds on 2 of 4, 1 open"  # third is no better than itself
    assert find(of=["ours", "third"], below="other", each=True, inputs=["a"]).here == "1.00 times (0.50 to 2.00); holds on ours against other"


def test_the_least_changes_only_where_no_variant_is_it_everywhere():
    names = ["ours", "other", "third"]
    assert find(of=names, changes=True, inputs=["a", "d"]).tally.text == "holds"  # ours, then the others
    assert find(of=names, changes=True, inputs=["a", "c"]).tally.text == "does not hold"
    assert find(of=["ours", "other"], changes=True, inputs=["c", "d"]).here == "c: ours, d: other"


def test_two_that_are_equal_within_the_margin_change_nothing():
    """On c ours and other are equal, so that other is the least on both."""
    assert find(of=["ours", "other"], changes=True, inputs=["c", "d"]).tally.text == "open"
    assert find(of=["ours", "other"], changes=True, inputs=["c", "d"]).here == "c: ours, d: other"


def test_an_input_that_may_not_be_ranked_is_no_extreme_and_leaves_the_claim_open():
    found = find(below="other", inputs=["a", "b", "e"], least_on=["a", "e"])
    assert (found.tally.text, found.here) == ("holds on 1 of 2, 1 open", "least on a (2.00)")


def test_values_are_told_with_the_digits_of_their_table_and_where_they_fail():
    assert find(figure="RMWs", of="S", at_most=8).here == "7 to 9; holds on S on a"
    assert find(at_most=2, inputs=["a", "d"]).here == "1.00 to 3.00; holds on ours on a"


def test_a_figure_falls_from_input_to_input_by_more_than_the_margin():
    falling = Cells("| ms | ours |\n|---|---:|\n| 1 | 3.00 |\n| 2 | 2.00 |\n| 3 | 1.98 |\n| 4 | 5.00 |\n")
    found = Check.of({"figure": "ms", "of": "ours", "falls": True}).find(falling)
    assert (found.tally.text, found.here) == ("holds on 1 of 3, 1 open", "1: 3.00, 2: 2.00, 3: 1.98, 4: 5.00")


def test_of_a_list_of_tests_each_has_to_come_out():
    tests = [Check.of({"figure": "ms", "of": "ours", "at_most": 1, "inputs": ["a"]}), Check.of({"figure": "ms", "of": "other", "at_most": 1, "inputs": ["a"]})]
    found = find_all(tests, Cells(TABLES))
    assert (found.tally.text, found.here, found.ratio) == ("holds on 1 of 2", "1.00; 2.00", 1)


ENTRY = {"what": "{input}: {figure} of {of}", "inputs": ["a", "b"], "figures": {"response": "ms"}, "of": {"OURS": "ours"}, "over": "other", "below": 1}


def test_an_entry_of_seeds_is_a_line_for_each_input_figure_and_variant():
    first, second = comparisons(ENTRY)
    assert (first.what, first.input, first.figure, first.of, first.claim) == ("a: response of OURS", "a", "ms", "ours", "below 1")
    assert second.input == "b"
    assert first.value({"ours": 1.0, "other": 4.0}.get) == 0.25 and first.value({"ours": 1.0, "other": 0.0}.get) is None
    (less,) = comparisons({"what": "d", "inputs": "a", "figures": "ms", "of": "ours", "less": "other", "above": 0, "below": 0.2})
    assert (less.value({"ours": 1.0, "other": 4.0}.get), less.claim) == (-3.0, "above 0 and below 0.2")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({**ENTRY, "belwo": 1}, "unknown key of 'seeds' 'belwo'; did you mean 'below'"),
        ({**ENTRY, "below": "1"}, "'seeds.below' is '1'; expected a number"),
        ({key: value for key, value in ENTRY.items() if key != "below"}, "neither 'above' nor 'below'"),
        ({key: value for key, value in ENTRY.items() if key != "of"}, "'seeds' has no 'of'"),
    ],
)
def test_a_wrong_entry_of_seeds_is_refused(entry, words):
    with pytest.raises(InputError, match=words):
        comparisons(entry)


def test_an_interval_holds_a_claim_refuses_it_or_leaves_it_open():
    above, near = (comparisons({**ENTRY, "inputs": "a", "above": low, "below": high})[0] for low, high in ((1, float("inf")), (0.8, 1.25)))
    assert (above.claim, near.claim) == ("above 1", "above 0.8 and below 1.25")
    assert [above.verdict(*ends) for ends in ((1.1, 1.2), (0.8, 0.9))] == ["holds", "does not hold"]
    assert above.verdict(0.9, 1.1).startswith("open")
    assert [near.verdict(*ends) for ends in ((0.9, 1.1), (1.3, 1.4), (0.6, 0.7))] == ["holds", "does not hold", "does not hold"]
    assert near.verdict(1.2, 1.3).startswith("open")


def test_a_figure_that_no_table_has_gets_the_nearest():
    with pytest.raises(InputError, match="unknown figure of a variant 'ms ourz'; did you mean 'ms ours'"):
        find(of="ourz", below="other")


def test_a_column_of_runs_that_were_too_short_for_a_figure_tries_nothing():
    short = Cells("| ms | ours | other |\n|---|---:|---:|\n| a | - | - |\n")
    for keys in ({"below": "other"}, {"most_on": "a"}, {"value": 3}, {"of": ["ours", "other"], "factor": 2}, {"of": ["ours", "other"], "least_at": ["ours"]},
        {"changes": True}, {"falls": True}, {"at_least": 1}, {"below": ["other"], "each": True}):
        assert Check.of({"figure": "ms", "of": "ours", **keys}).find(short).tally.held == 0


@pytest.mark.parametrize(
    "keys",
    [
        {"below": "other"}, {"of": ["ours", "other"], "spread": 9}, {"of": ["ours", "other"], "factor": 9}, {"value": 1}, {"at_most": 1}, {"at_least": 1},
        {"zero_on": ["e", "f"]}, {"of": ["ours", "other"], "changes": True}, {"falls": True}, {"least_on": "e"}, {"below": ["other"], "most_on": "f"},
    ],
)  # fmt: skip
def test_what_may_not_be_ranked_decides_nothing_whatever_is_asked(keys):
    """Of e, which fell behind, and f, which was too short."""
    tally = find(**keys, inputs=["e", "f"]).tally
    assert (tally.held, tally.failed) == (0, 0) and tally.open > 0


def test_every_key_has_its_line_in_the_essay():
    from validation.papers import check

    assert all(f"`{key}`" in check.__doc__ or key in ("figure", "of") for key in KEYS)
