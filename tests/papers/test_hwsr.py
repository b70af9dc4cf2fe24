"""HWSR against S-blocks and a conventional disk: the formulas, and what becomes of the paper's claims."""

import pytest

from validation.papers import hwsr_runs as hwsr
from validation.papers.lab import Lab
from validation.papers.measures import amplification, latency, read_latency


def test_the_papers_utilisation_ratio_is_that_of_its_formula():
    assert hwsr.utilisation_ratio(10, 0.3) == pytest.approx(2.653, abs=0.001)  # "2.65"
    assert hwsr.utilisation_ratio(20, 0.1) == pytest.approx(1.667, abs=0.001)


def test_user_capacities_stand_to_each_other_as_the_formula_says(lab):
    for (tracks, spare), ratio in hwsr.utilisation(lab).items():
        assert ratio == pytest.approx(hwsr.utilisation_ratio(tracks, spare), rel=0.03)


def test_the_financial_workloads_fill_the_buffer_when_the_paper_says():
    for name, requests in hwsr.FILLED_AFTER.items():
        assert hwsr.blocks_written(hwsr.FINANCIAL[name], requests) == pytest.approx(hwsr.BUFFER_BLOCKS, rel=0.05)


def test_a_sequential_read_pays_a_turn_a_block_in_the_physical_layout(lab):
    row = hwsr.sequential_reads(lab)
    blocks = 2**20 / 32768
    assert latency(row["hwsr physical"]) == pytest.approx(blocks * hwsr.TURN_MS, rel=0.03)
    assert latency(row["hwsr linear"]) < 0.5 * latency(row["hwsr physical"])
    assert latency(row["cmr"]) < 0.1 * latency(row["hwsr physical"])


def test_one_whose_segments_are_read_together_pays_a_turn_a_track(lab):
    row = hwsr.sequential_reads(lab)
    assert latency(row["hwsr physical by track"]) == pytest.approx(20 * hwsr.TURN_MS, rel=0.05)  # a segment has a block on each of 20 tracks
    assert latency(row["hwsr linear by track"]) < latency(row["hwsr linear"])


@pytest.fixture(scope="module")
def whole(lab):
    """The page's length: before, the write buffer is not full."""
    return Lab(lab.out, lab.traces, scale=1)


@pytest.fixture(scope="module")
def financial(whole):
    grid = hwsr.financial(whole)
    assert all(hwsr.ranked(row) for row in grid.values())
    return grid


def test_no_shingled_layout_reaches_the_conventional_disk_once_its_buffer_is_full(financial):
    row = financial["Financial1"]
    assert latency(row["hwsr linear"]) > 3 * latency(row["cmr"])
    assert latency(row["sblock"]) > 3 * latency(row["cmr"])
    assert latency(row["hwsr physical"]) > 1.3 * latency(row["hwsr linear"])


def test_s_blocks_write_several_times_as_much_as_hwsr_yet_wait_less(financial):
    row = financial["Financial1"]
    assert amplification(row["sblock"]) > 4 * amplification(row["hwsr linear"])
    assert latency(row["sblock"]) < 0.95 * latency(row["hwsr linear"])


def test_reads_of_hwsr_are_little_slower_than_those_of_s_blocks_in_the_linear_layout(financial):
    for row in financial.values():
        assert 0 < read_latency(row["hwsr linear"]) - read_latency(row["sblock"]) < 0.1


def test_the_flash_cache_brings_hwsr_to_the_conventional_disk_where_most_requests_read(financial):
    row = financial["Financial2"]
    assert read_latency(row["hwsr linear"]) < 0.9 * read_latency(row["cmr"])
    assert latency(row["hwsr linear"]) < 1.1 * latency(row["cmr"])


def test_the_papers_replacement_rule_lies_between_the_two_that_it_argues_against(whole):
    row = hwsr.swept(whole, "replacement", ("Financial1",))["Financial1"]
    block, segment, least = (row[rule] for rule in hwsr.RULES)
    assert 1.1 * latency(segment) < latency(least) < 0.9 * latency(block)
    assert 1.1 * amplification(segment) < amplification(least) < 0.9 * amplification(block)


def test_on_tracks_as_fast_as_the_papers_disk_hwsr_is_ahead_of_s_blocks(whole):
    row = hwsr.slower_tracks(whole)["Financial1"]
    assert latency(row["sblock"]) > 1.3 * latency(row["hwsr linear"])
