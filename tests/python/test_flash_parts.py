"""Every layer with flash on the papers' chip and on a current one, with pages of one sector and of several."""

import pytest
from simulate import FLASH_LAYERS, run, simulate

FEATURES = (
    *("--set", "nand.command_time=140 ns", "--set", "nand.page_types=3", "--set", "nand.program_time_upper=400 us"),
    *("--set", "nand.cache_read=true", "--set", "nand.cache_program=true", "--set", "nand.read_priority=true"),
    *("--set", "nand.suspend=true", "--set", "nand.program_suspend_time=10 us", "--set", "nand.erase_suspend_time=50 us"),
    *("--set", "nand.resume_time=5 us", "--set", "nand.ecc_time=5 us"),
)
# The erase block of the papers' chip, in pages of another size.
PAGES = {size: ("--set", f"nand.page_size={size} KiB", "--set", f"nand.oob_size={size // 4 * 512} B",
                "--set", f"nand.pages_per_block={128 // size}") for size in (4, 8, 16)}  # fmt: skip


def set_flash(layer):
    return ("--set", "nand.blocks=640") if layer not in ("sblock", "hwsr") else ()


@pytest.mark.parametrize("layer", FLASH_LAYERS)
@pytest.mark.parametrize("size", [8, 16])
def test_content_holds_on_the_papers_chip_with_larger_pages(tmp_path, layer, size):
    result = run(
        tmp_path, "bare", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", 6000, "--check",
        *PAGES[size], *set_flash(layer),
    )  # fmt: skip
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.served") == 6000


@pytest.mark.parametrize("layer", FLASH_LAYERS)
@pytest.mark.parametrize("pages", [(), ("--set", "nand.page_size=4 KiB", "--set", "nand.oob_size=512 B", "--set", "nand.pages_per_block=6144")])
def test_content_holds_on_a_three_bit_part(tmp_path, layer, pages):
    result = run(
        tmp_path, "tlc", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", 6000, "--check",
        *pages,
    )  # fmt: skip
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.served") == 6000
    if pages:
        assert result.metric("nand.padding") == 0


@pytest.mark.parametrize("layer", FLASH_LAYERS)
@pytest.mark.parametrize("size", [4, 16])
def test_torture_with_all_that_newer_flash_does(layer, size):
    durability = ("--set", f"layers.{layer}.durability=journal", "--set", f"layers.{layer}.journal_stripe=2")
    more = durability if layer in ("sblock", "hwsr") else ()
    simulate("torture", "torture", "--layer", layer, "--durability", "none", "--operations", 20, "--cuts", 20, *PAGES[size], *FEATURES, *more)


def test_flash_whose_features_exclude_each_other_is_refused():
    both = ("--set", "nand.cache_read=true", "--set", "nand.independent_reads=true")
    assert "exclude each other" in simulate("check", "bare", "--layer", "mu-rmw", *both, status=2).stderr
    assert "whole drive sectors" in simulate("check", "bare", "--layer", "mu-rmw", "--set", "nand.page_size=6 KiB", status=2).stderr
