"""Sectors that need retries, writes that stop and tracks that are lost: every layer goes on over the drive's defect management."""

import random

import pytest
from simulate import FLASH_LAYERS, LAYERS, run

# None of these loses data for good: a sector comes back at one of the retries, or is written again or to a spare.
STORM = (
    *("--set", "media.transient_errors_per_million=3000", "--set", "media.transient_error_reads=9"),
    *("--set", "media.write_faults_per_million=1000", "--set", "media.servo_faults_per_million=10000"),
)
# A write buffer so small that it is emptied during the run.
SMALL = {layer: ("--set", f"layers.{layer}.memory=1 MiB", "--set", f"layers.{layer}.flash=32 MiB") for layer in ("sblock", "hwsr")}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_storm_of_faults_that_can_be_repaired_loses_nothing(tmp_path, layer):
    settings = SMALL.get(layer) or (("--set", "nand.blocks=640") if layer in FLASH_LAYERS else ())
    result = run(
        tmp_path, "bare", "--layer", layer, "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", 2000,
        "--check", "--requests", "--cut-at", "2 s", *STORM, *settings,
    )
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.failed") == 0
    assert result.metric("host.served") == 2000
    assert result.metric("media.faults.servo") + result.metric("media.faults.transient") + result.metric("media.faults.write") > 0
    assert result.metric("defects.uncorrectable") == 0
    assert result.metric("defects.read_only") == 0


def test_a_drive_that_runs_out_of_spares_ends_read_only_with_its_results(tmp_path):
    result = run(
        tmp_path, "torture", "--layer", "cmr", "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", 1500,
        "--check", "--set", "media.write_faults_per_million=600000", "--set", "firmware.defects.write_retries=1",
        "--set", "media.spare_tracks=1", status=1,
    )
    assert result.metric("defects.read_only") == 1
    # Or the last save of the table failed: at this rate that ends writing as well as the last spare does.
    assert result.metric("defects.reallocated") > 0
    assert result.metric("host.failed") > 0
    assert result.metric("scoreboard.errors") == 0


def test_a_write_that_finds_no_spare_is_not_excused_although_a_fault_took_its_sector(tmp_path):
    trace = tmp_path / "thirteen.csv"  # a write to each of thirteen bad sectors: one more than there are spares
    trace.write_text("".join(f"{100_000 * i},w,{128 * i},8\n" for i in range(13)))
    bad = "[" + ",".join(f"[0,{radius},0]" for radius in range(13)) + "]"
    result = run(
        tmp_path / "out", "torture", "--layer", "cmr", "--trace", trace, "--format", "columns:time=1:us,op=2:w=w,offset=3:512,size=4:512",
        "--check", "--set", f"media.write_fault_sectors={bad}", "--set", "media.spare_tracks=1",
        "--set", "firmware.write_cache.capacity=0 B", status=1,
    )
    assert result.metric("host.failed") == result.metric("host.failed.read only") == 1
    assert result.metric("host.excused") == 0
    assert result.metric("defects.read_only") == 1
    assert any("takes no more writes" in note for note in result.summary["run"]["notes"])


def test_a_drive_whose_superblocks_are_all_lost_does_not_boot_and_the_run_ends_with_its_results(tmp_path):
    log = 123  # radius of the log of `fluid` on this drive
    lost = "[" + ",".join(f"[0,{log},{sector},500]" for sector in range(4)) + "]"
    result = run(
        tmp_path, "torture", "--layer", "fluid", "--workload", "random-4k", "--limit", 2000, "--replay", "closed:4", "--check",
        "--set", f"media.grown_defects={lost}", "--cut-at", "1 s", status=1,
    )
    assert any("did not boot: corrupt" in note for note in result.summary["run"]["notes"])
    assert result.metric("host.failed") == 0
    assert 0 < result.metric("host.served") < 2000


# A read makes twelve attempts. With twelve failures in a row every second read brings the sector, which takes back what the one before noted.
@pytest.mark.parametrize(("reads", "failed"), [(11, 0), (12, 2)])
def test_a_sector_that_comes_back_behind_the_last_retry_is_an_error_for_the_host_and_none_for_the_checker(tmp_path, reads, failed):
    trace = tmp_path / "one.csv"  # a write and four reads of one sector
    trace.write_text("".join(f"{100_000 * i},{op},128,8\n" for i, op in enumerate("wrrrr")))
    result = run(
        tmp_path / "out", "torture", "--layer", "cmr", "--trace", trace, "--format", "columns:time=1:us,op=2:r=r,w=w,offset=3:512,size=4:512",
        "--check", "--set", f"media.transient_sectors=[[0,1,0,{reads}]]", "--set", "firmware.write_cache.capacity=0 B",
        "--set", "firmware.defects.relocate_after=11",
    )
    assert result.metric("host.failed") == failed
    assert result.metric("scoreboard.errors") == 0


def rewrites(tmp_path, layer, seed, spare_tracks):
    """Sixty sectors stop a write."""
    draw = random.Random(seed)
    trace = tmp_path / "rewrites.csv"
    lines = []
    for i in range(250):
        blocks = draw.choice([8, 8, 16, 64, draw.randrange(1, 512)])
        lines.append(f"{2000 * i},{draw.choice('wwwr')},{8 * draw.randrange(2600)},{blocks}\n")
    trace.write_text("".join(lines))
    bad = "[" + ",".join(f"[0,{draw.randrange(250)},{draw.randrange(16)}]" for _ in range(60)) + "]"
    return run(
        tmp_path / "out", "torture", "--layer", layer, "--trace", trace, "--format", "columns:time=1:us,op=2:r=r,w=w,offset=3:512,size=4:512",
        "--fold", "--replay", "closed:8", "--prefill", 100, "--check", "--set", f"media.write_fault_sectors={bad}",
        "--set", f"media.spare_tracks={spare_tracks}", "--set", "firmware.write_cache.capacity=0 B", status=None,
    )


@pytest.mark.parametrize("seed", [1, 3])
@pytest.mark.parametrize("layer", LAYERS)
def test_a_rewrite_that_finds_no_spare_for_one_sector_still_writes_the_others(tmp_path, layer, seed):
    """With spares for thirteen: what a write in place has destroyed by then is written all the same."""
    assert rewrites(tmp_path, layer, seed, 1).metric("scoreboard.errors") == 0


@pytest.mark.parametrize("seed", [3, 6])
@pytest.mark.parametrize("layer", LAYERS)
def test_without_spares_a_sector_that_cannot_be_written_is_lost_alone(tmp_path, layer, seed):
    """A read of any other sector that fails is an error of the checker: it knows what each fault took."""
    result = rewrites(tmp_path, layer, seed, 0)
    assert result.metric("host.served") > 0
    assert result.metric("media.faults.write") > 0
    assert result.metric("scoreboard.errors") == 0
