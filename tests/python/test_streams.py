"""Requests of up to 32 MiB, the largest ATA command, through host buffers of any size, on every layer."""

import random

import pytest
from simulate import LAYERS, run, simulate

LARGEST = 32 << 20
DEEP = ("--replay", "queue:32", "--check", "--fold", "--format", "msr")


def write_trace(file, seed, count, largest, kinds=("Write", "Write", "Read")):
    """Requests of up to `largest` bytes in half a GiB, each third of the largest size, at any block."""
    draw = random.Random(seed)
    lines = []
    for number in range(count):
        size = largest if number % 3 == 0 else draw.randrange(512, largest, 512)
        offset = draw.randrange(0, (256 << 20) - size, 512)
        lines.append(f"{128166372003061629 + number},hm,0,{draw.choice(kinds)},{offset},{size},1\n")
    file.write_text("".join(lines))
    return file


@pytest.mark.parametrize("layer", LAYERS)
def test_the_largest_requests_stream_through_a_small_buffer_at_depth_32(tmp_path, layer):
    trace = write_trace(tmp_path / "large.csv", 1, 36, LARGEST)
    result = run(tmp_path / "out", "bare", "--layer", layer, "--trace", trace, *DEEP, "--set", "host.buffer=1 MiB")
    assert result.metric("host.served") == 36
    assert result.metric("scoreboard.errors") == 0 and result.metric("scoreboard.checked") > 100_000
    assert result.metric("dram.host_buffer.peak") <= 1 << 20
    assert result.metric("host.pieces") >= 12 * 64


@pytest.mark.parametrize("layer", LAYERS)
def test_the_largest_requests_work_with_the_default_buffer(tmp_path, layer):
    lines = [f"{time},{op},1,65536\n" for time, op in enumerate("wrtwr")]
    trace = tmp_path / "largest.csv"
    trace.write_text("".join(lines))
    columns = ("--format", "columns:time=1:us,op=2:r=r,w=w,t=t,offset=3:512,size=4:512")
    for drive, streamed in (("bare", 4), ("bare --set host.buffer=48MiB", 0)):
        result = run(tmp_path / str(streamed), *drive.split(), "--layer", layer, "--trace", trace, *columns, "--check")
        assert result.metric("host.served") == 5 and result.metric("host.streamed") == streamed
        assert result.metric("scoreboard.errors") == 0


@pytest.mark.parametrize("content", ["none", "tags", "bytes"])
def test_a_host_that_gives_no_content_streams_whatever_the_drive_keeps(tmp_path, content):
    trace = write_trace(tmp_path / "large.csv", 3, 12, 4 << 20)
    small = ("--set", "host.buffer=1 MiB", "--format", "msr", "--fold", "--content", content)
    assert run(tmp_path / "out", "bare", "--layer", "cmr", "--trace", trace, *small).metric("host.pieces") > 12


@pytest.mark.parametrize("layer", LAYERS)
def test_a_power_cut_in_the_middle_loses_nothing_that_was_acknowledged(tmp_path, layer):
    trace = write_trace(tmp_path / "large.csv", 2, 24, 2 << 20)
    cuts = [word for at in (30, 90, 200, 500) for word in ("--cut-at", f"{at} ms")]
    result = run(tmp_path / "out", "torture", "--layer", layer, "--trace", trace, *DEEP, "--set", "host.window=64 KiB", *cuts)
    assert result.metric("scoreboard.errors") == 0
    assert result.metric("host.streamed") >= 20


def test_torture_cuts_large_requests_in_small_buffers():
    for layer in ("imr-rmw", "skylight-flash"):
        simulate("torture", "torture", "--layer", layer, "--set", "host.buffer=64 KiB", "--set", "host.window=16 KiB",
                 "--operations", "10", "--cuts", "10")  # fmt: skip
