"""README says of our own layers what the record over seeds says."""

import polars as pl

from pages.own_input import COMMAND, OURS, PAGE, RECORD, RIVALS, text_of
from tessera.results.marked_section import marked_section

FIGURES = ("mean", "p99", "p99.9", "longest")


def test_the_page_says_what_the_record_says():
    assert marked_section(PAGE, COMMAND) == text_of(pl.read_csv(RECORD))


def test_a_figure_is_won_tied_lost_or_not_settled():
    factors = {"mean": (0.5, 0.5), "p99": (1.0, 1.01), "p99.9": (2.0, 2.1), "longest": (0.5, 2.0)}
    rows = [{"layer": layer, "seed": seed, **dict.fromkeys(FIGURES, 1.0 + place)} for place, layer in enumerate(RIVALS) for seed in range(10)]
    rows += [{"layer": layer, "seed": seed, **{figure: factors[figure][seed % 2] for figure in FIGURES}} for layer in OURS for seed in range(10)]
    text = text_of(pl.DataFrame(rows))
    assert "`tessera`: mean win (0.50 [0.50 to 0.50] times `cmr`), p99 tie (1.00 " in text
    assert "p99.9 loss (2.05 " in text and "longest not settled (1.00 " in text
