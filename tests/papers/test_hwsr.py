"""HWSR against S-blocks and a conventional disk: the formulas, and what becomes of the paper's claims."""

import pytest

from tessera.papers import hwsr
from tessera.papers.hwsr import amplification, latency, read_latency


def test_the_papers_utilisation_ratio_is_that_of_its_formula():
    assert hwsr.utilisation_ratio(10, 0.3) == pytest.approx(2.653, abs=0.001)  # "2.65"
    assert hwsr.utilisation_ratio(20, 0.1) == pytest.approx(1.667, abs=0.001)


def test_user_capacities_stand_to_each_other_as_the_formula_says(lab):
    for (tracks, spare), ratio in hwsr.utilisation(lab).items():
        assert ratio == pytest.approx(hwsr.utilisation_ratio(tracks, spare), rel=0.03)


def test_the_financial_workloads_fill_the_buffer_when_the_paper_says():
    for name, requests in hwsr.FILLED_AFTER.items():
        assert hwsr.blocks_written(hwsr.FINANCIAL[name], requests) == pytest.approx(hwsr.BUFFER_BLOCKS, rel=0.03)


def test_a_sequential_read_pays_a_turn_a_block_in_the_physical_layout(lab):
    row = hwsr.sequential_reads(lab)
    blocks = 2**20 / 32768
    assert latency(row["hwsr physical"]) == pytest.approx(blocks * hwsr.TURN_MS, rel=0.03)
    assert latency(row["hwsr linear"]) < 0.5 * latency(row["hwsr physical"])
    assert latency(row["cmr"]) < 0.1 * latency(row["hwsr physical"])
