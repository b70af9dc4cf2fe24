"""Flash caches: what becomes of the MU-RMW paper's claims on volumes as its Table I implies them."""

import pytest

from tessera.papers import mu_rmw
from tessera.papers.lab import Lab


@pytest.fixture(scope="module")
def implied(lab):
    """Long enough for several cleanings of each cache."""
    return {each.name: each for each in mu_rmw.paper_implied(Lab(lab.out, lab.traces, scale=0.25))}


@pytest.fixture(scope="module")
def one_by_one(lab):
    return {each.name: each for each in mu_rmw.paper_implied(Lab(lab.out, lab.traces, scale=0.25), "closed:1")}


def test_mu_rmw_responds_faster_than_either_cache(implied, one_by_one):
    for each in (*implied.values(), *one_by_one.values()):
        assert each.reduction("host.latency.mean", "pore") < 0
        assert each.reduction("host.latency.mean", "skylight-flash") < -0.2


def test_requests_that_queue_behind_a_cleaning_gain_more_than_the_paper_says(implied):
    for each in implied.values():
        assert each.reduction("host.latency.mean", "pore") < -0.8  # at best -50 % in the paper
        assert each.reduction("host.latency.mean", "skylight-flash") < -0.9  # at best -76 %


def test_write_amplification_stands_as_the_paper_prints_it_where_no_merge_happens(implied):
    free = {each.name: each for each in implied.values() if each.figure("mu-rmw", "rmw.count") == 0}
    assert len(mu_rmw.RMW_FREE & free.keys()) >= 4  # of five
    for each in free.values():
        assert each.figure("mu-rmw", "write_amplification.total") == pytest.approx(1, abs=0.01)
        assert 15 < each.ratio("write_amplification.total", "pore") < 60
        assert 50 < each.ratio("write_amplification.total", "skylight-flash") < 160


def test_the_longest_list_merges_more_often_than_pore_once_half_the_cache_is_live(lab):
    cliff = {each.name: each for each in mu_rmw.live_sector_cliff(Lab(lab.out, lab.traces, scale=0.25))}
    assert cliff["0.05"].figure("mu-rmw", "rmw.count") == 0
    assert cliff["0.05"].figure("pore", "rmw.count") > 200
    assert cliff["0.5"].figure("mu-rmw", "rmw.count") > 1.2 * cliff["0.5"].figure("pore", "rmw.count")
