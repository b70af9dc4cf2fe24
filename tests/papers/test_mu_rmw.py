"""Flash caches: what becomes of the MU-RMW paper's claims on volumes as its Table I implies them."""

import pytest

from validation.papers import mu_rmw
from validation.papers.lab import Lab
from validation.papers.measures import rmws, total_amplification
from validation.papers.mu_rmw import ratio, reduction


@pytest.fixture(scope="module")
def longer(lab):
    """Long enough for several cleanings of each cache."""
    return Lab(lab.out, lab.traces, scale=0.25)


@pytest.fixture(scope="module")
def implied(longer):
    return mu_rmw.paper_implied(longer)


@pytest.fixture(scope="module")
def one_by_one(longer):
    return mu_rmw.paper_implied(longer, "closed:1")


def test_mu_rmw_responds_faster_than_either_cache(implied, one_by_one):
    for row in (*implied.values(), *one_by_one.values()):
        assert reduction(row, "pore") < 0
        assert reduction(row, "skylight-flash") < -0.2


def test_requests_that_queue_behind_a_cleaning_gain_more_than_the_paper_says(implied):
    for row in implied.values():
        assert reduction(row, "pore") < -0.8  # at best -50 % in the paper
        assert reduction(row, "skylight-flash") < -0.9  # at best -76 %


def test_write_amplification_stands_as_the_paper_prints_it_where_no_merge_happens(implied):
    free = [name for name, row in implied.items() if rmws(row["mu-rmw"]) == 0]
    assert len({"rsrch_0", "src2_0", "src2_2", "stg_0", "stg_1"}.intersection(free)) >= 4  # of five (section IV-B)
    for row in (implied[name] for name in free):
        assert total_amplification(row["mu-rmw"]) == pytest.approx(1, abs=0.01)
        assert 15 < ratio(row, total_amplification, "pore") < 60
        assert 50 < ratio(row, total_amplification, "skylight-flash") < 160


def test_the_longest_list_merges_more_often_than_pore_once_half_the_cache_is_live(longer):
    cliff = mu_rmw.live_sector_cliff(longer)
    assert rmws(cliff["0.05"]["mu-rmw"]) == 0
    assert rmws(cliff["0.05"]["pore"]) > 200
    assert rmws(cliff["0.5"]["mu-rmw"]) > 1.2 * rmws(cliff["0.5"]["pore"])
