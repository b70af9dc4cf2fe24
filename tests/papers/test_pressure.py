"""tessera and its rivals with caches that are full."""

import pytest

from validation.papers.league import OURS, equipped
from validation.papers.measures import latency, total_amplification
from validation.papers.pressure import DRIVE, equipped_scarcely, repeated, scarce


@pytest.fixture(scope="module")
def web_3(lab):
    inputs = repeated(lab, ["web_3"])
    if not inputs:
        pytest.skip("web_3 is not at hand")
    variants = {layer: equipped_scarcely(layer) for layer in ("mu-rmw", "media-cache", OURS)}
    variants["all merged"] = scarce(equipped(OURS, stay_mark=0, clean_mark=100))
    return lab.grid(DRIVE, inputs, variants, "under pressure")["web_3"]


def test_with_a_full_flash_and_log_tessera_is_ahead_of_mu_rmw_and_level_with_media_cache_for_a_tenth_of_its_writes(web_3):
    assert web_3[OURS].metric("cleaning.count") > 0
    assert latency(web_3[OURS]) < 0.9 * latency(web_3["mu-rmw"])
    assert latency(web_3[OURS]) < 1.1 * latency(web_3["media-cache"])
    assert total_amplification(web_3[OURS]) < 0.1 * total_amplification(web_3["media-cache"])


def test_what_stays_in_the_log_need_not_be_merged(web_3):
    assert web_3[OURS].metric("packet.moved") > 0
    assert total_amplification(web_3[OURS]) < total_amplification(web_3["all merged"])
