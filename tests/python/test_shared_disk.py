"""Drives as sold under mixed work: a read cache that does not make it slower, reads before destaging, and published random rates."""

import numpy as np
import pytest
from simulate import run

from validation.drives.random_rates import DRIVES, RATE, measure

WORKLOADS = (("common", "vdi-boot"), ("cmr-24tb", "analytics"))
DEPTHS = (1, 2, 4, 16, 32)  # 3 % at most; analytics at depth 16 is at the bound


@pytest.mark.parametrize(("drive", "workload"), WORKLOADS)
def test_a_read_cache_makes_no_mixed_workload_slower_and_depth_makes_none(drive, workload, tmp_path):
    def rate(depth, *words):
        return run(tmp_path, drive, "--layer", "cmr", "--workload", workload, "--fold", "--limit", 6000, "--replay", f"closed:{depth}", *words).metric("host.throughput")

    best = 0
    for depth in DEPTHS:
        cached = rate(depth)
        assert cached >= 0.965 * rate(depth, "--set", "firmware.read_cache.segments=0")
        assert cached >= 0.97 * best
        best = max(best, cached)


def test_reads_after_a_burst_of_writes_go_before_what_destages(tmp_path):
    random = np.random.default_rng(5)
    trace = tmp_path / "burst.csv"
    blocks = random.integers(0, 60 * 2**30 // 4096, 2900 + 300).tolist()
    trace.write_text("".join(f"0,{'w' if i < 2900 else 'r'},{block * 4096},4096\n" for i, block in enumerate(blocks)))
    words = ("common", "--layer", "cmr", "--trace", trace, "--format", "columns:time=1:s,op=2:r=r,w=w,offset=3:1,size=4:1", "--replay", "closed:4", "--caches", "empty")
    kept = run(tmp_path / "before", *words)
    behind = run(tmp_path / "behind", *words, "--set", "controller.read_priority=over_updates")
    assert kept.metric("host.read.latency.max") < 400 < behind.metric("host.read.latency.max")  # ms


@pytest.mark.parametrize(("drive", "kind", "depth"), [(drive, *cell) for drive in DRIVES for cell in drive.published], ids=lambda each: getattr(each, "name", None))
def test_a_drive_as_sold_has_the_published_random_rate(drive, kind, depth, tmp_path, the_built_simulator):
    assert measure(drive, kind, depth, tmp_path).rate == pytest.approx(drive.published[kind, depth], rel=RATE)
