"""How long boots take on the drive on which layers compare."""

import pytest
from simulate import run

# Each request is a write; the power fails when most of them were served and the page of each lies in a band's open block.
FLASH_FILLED = ("--workload", "random-4k", "--fold", "--replay", "closed:32", "--limit", "150000", "--cut-at", "850 s")


@pytest.mark.parametrize("layer", ("mu-rmw", "skylight-flash", "pore"))
def test_a_boot_of_a_large_flash_cache_takes_less_than_five_seconds(tmp_path, layer):
    result = run(tmp_path, "bare", "--layer", layer, *FLASH_FILLED)
    assert result.metric("recovery.count") == 1
    assert result.metric("nand.programs") > 70_000
    assert result.metric("recovery.flash_oob_reads") >= 16_384  # the first page of each block at least
    assert 3_000 < result.metric("recovery.time") < 5_000
    assert result.metric("checkpoint.sectors") < 0.1 * result.metric("nand.programs")
