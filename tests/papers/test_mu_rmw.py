"""Flash caches: what becomes of the MU-RMW paper's claims on volumes as its Table I implies them."""

import pytest

from tessera.papers import mu_rmw
from tessera.papers.lab import Lab


@pytest.fixture(scope="module")
def implied(lab):
    """Long enough for several cleanings of each cache."""
    return {each.name: each for each in mu_rmw.paper_implied(Lab(lab.out, lab.traces, scale=0.25))}


def test_mu_rmw_responds_faster_than_either_cache(implied):
    for each in implied.values():
        assert each.reduction("host.latency.mean", "pore") < -0.05
        assert each.reduction("host.latency.mean", "skylight-flash") < -0.3


def test_write_amplification_stands_as_the_paper_prints_it_where_no_merge_happens(implied):
    free = [each for each in implied.values() if each.figure("mu-rmw", "rmw.count") == 0]
    assert {each.name for each in free} >= mu_rmw.RMW_FREE
    for each in free:
        assert each.figure("mu-rmw", "write_amplification.total") == pytest.approx(1, abs=0.01)
        assert 15 < each.ratio("write_amplification.total", "pore") < 60
        assert 50 < each.ratio("write_amplification.total", "skylight-flash") < 160


def test_many_live_sectors_turn_the_order_round(lab):
    cliff = {each.name: each for each in mu_rmw.live_sector_cliff(Lab(lab.out, lab.traces, scale=0.25))}
    assert cliff["0.05"].figure("mu-rmw", "rmw.count") == 0
    assert cliff["0.05"].reduction("host.latency.mean", "pore") < 0
    assert cliff["1"].figure("mu-rmw", "rmw.count") > 100
    assert cliff["1"].reduction("host.latency.mean", "pore") > 0
