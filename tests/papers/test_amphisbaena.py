"""Zone buffers: what becomes of the Amphisbaena paper's claims on volumes with its published characteristics."""

import pytest

from validation.papers import amphisbaena_runs as amphisbaena
from validation.papers.amphisbaena_runs import OTHERS, OURS, RULES, amplification_without_padding, hit_rate, padding_gib, ranked
from validation.papers.lab import Lab
from validation.papers.measures import latency, rmws, total_amplification

NAMES = ("prn_0", "src2_0")


@pytest.fixture(scope="module")
def longer(lab):
    """The page's length: at a tenth of it no buffer would be full."""
    return Lab(lab.out, lab.traces, scale=1)


@pytest.fixture(scope="module")
def empty(longer):
    return amphisbaena.headline(longer, NAMES)


@pytest.fixture(scope="module")
def full(longer):
    return amphisbaena.headline(longer, NAMES, prefill=100)


def test_every_layer_cleans(empty, full):
    assert all(ranked(row) for grid in (empty, full) for row in grid.values())


def test_full_zones_know_neither_padding_nor_write_backs_without_a_read_modify_write(full):
    for row in full.values():
        for run in row.values():
            assert run.metric("pad.sectors") == run.metric("rmw_free.count") == 0
            assert amplification_without_padding(run) == pytest.approx(total_amplification(run), rel=0.01)


def test_on_empty_zones_write_amplification_is_mostly_padding(empty):
    for row in empty.values():
        for run in row.values():
            assert padding_gib(run) > 1
            assert total_amplification(run) > 10 * amplification_without_padding(run)


def test_skylight_hits_least_and_needs_more_read_modify_writes_than_fluid(empty, full):
    for grid in (empty, full):
        for row in grid.values():
            assert hit_rate(row["skylight-disk"]) < 0.95 * min(hit_rate(row[other]) for other in (*OTHERS[1:], OURS))
            assert rmws(row["skylight-disk"]) > 1.5 * rmws(row["fluid"])


def test_fluid_loop_hits_more_than_fluid(empty):
    for row in empty.values():
        assert hit_rate(row["fluid-loop"]) > hit_rate(row["fluid"])


def test_amphisbaena_responds_faster_than_fluid_loop_on_prn_0_but_not_on_src2_0(empty, full):
    for grid in (empty, full):
        assert latency(grid["prn_0"][OURS]) < 0.5 * latency(grid["prn_0"]["fluid-loop"])
        assert latency(grid["src2_0"][OURS]) > 1.1 * latency(grid["src2_0"]["fluid-loop"])


def test_the_papers_victim_rule_needs_more_read_modify_writes_than_fluid_loop(longer):
    for row in amphisbaena.swept(longer, "victim-rules", NAMES).values():
        assert rmws(row["paper"]) > 1.5 * rmws(row["fluid-loop"])
        assert min(rmws(row[rule]) for rule in RULES if rule != "paper") < 0.97 * rmws(row["paper"])


def test_the_hit_rate_hardly_depends_on_the_filter_share(longer):
    for row in amphisbaena.swept(longer, "filter-share", ("src2_0",)).values():
        rates = [hit_rate(run) for run in row.values()]
        assert max(rates) - min(rates) < 0.05
