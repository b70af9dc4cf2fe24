"""A drive whose DRAM is too small for a sector map: refused with the map in DRAM, slower with most of it on disk."""

import pytest
from simulate import run, simulate

MIB = 1 << 20
LAYERS = ("skylight-flash", "pore", "skylight-disk", "fluid", "fluid-loop", "amphisbaena")


@pytest.mark.parametrize("layer", LAYERS)
def test_paging_the_sector_map_makes_do_with_less(tmp_path, layer):
    common = ("--layer", layer, "--workload", "web-server", "--fold", "--limit", 2000, "--check")
    parameters = f"layers.{layer.replace('-', '_')}"
    array = ("--set", f"{parameters}.map=array")
    whole = run(tmp_path / "whole", "bare", *common, *array)
    little = ("--set", f"dram.capacity={whole.metric('dram.reserved.total') / MIB - 5:.0f} MiB")
    refused = simulate("run", "bare", *common, *array, *little, "--out", tmp_path / "refused", status=2).stderr
    assert "(dram.capacity) cannot hold" in refused and "would fit it" in refused
    paged = run(tmp_path / "paged", "bare", *common, *little, "--set", f"{parameters}.map=paged")
    assert paged.metric("meta.ram_bytes_actual") < whole.metric("meta.ram_bytes_actual") - 5 * MIB
    assert paged.metric("map.misses") > 500 and paged.metric("map.page_reads") > 0
    assert paged.metric("host.latency.mean") > 1.1 * whole.metric("host.latency.mean")


def test_the_refusal_names_the_map_that_needs_less(tmp_path):
    little = ("--set", "dram.capacity=60 MiB", "--limit", 10, "--workload", "web-server", "--fold")
    refused = simulate("run", "bare", "--layer", "fluid", "--set", "layers.fluid.map=array", *little, "--out", tmp_path, status=2).stderr
    assert 'cannot hold the sector map (map = "paged" needs less) of' in refused


def test_no_dram_at_all_is_refused_with_what_would_fit():
    refused = simulate("check", "demo", "--layer", "cmr", "--set", "dram.capacity=0 B", status=2).stderr
    assert "the DRAM of 0 B (dram.capacity) cannot hold" in refused and "would fit it" in refused


def test_a_track_longer_than_the_dram_is_refused():
    refused = simulate("check", "torture", "--layer", "sblock", "--set", "media.sectors_per_track=16384", status=2).stderr
    assert "dram.capacity is 33554432 B; expected room for a whole track, which firmware writes at once: 16384 sectors, 68157440 B" in refused
