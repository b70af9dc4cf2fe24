"""Drives of 18 to 32 TB: what was published of them comes out, and they start at once."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from simulate import SIMULATOR, run, simulate

from tessera import Run

BLOCK = 512
# User capacity in blocks (SFF-8447: the next multiple of 2^21), published rate outside in MB/s, and how many streams it takes.
DRIVES = {
    "cmr-24tb": (46_875_541_504, 285, 1),
    "dual-arm-18tb": (35_156_656_128, 554, 2),
    "zoned-28tb": (54_689_529_856, 265, 1),
    "hamr-32tb": (62_501_421_056, 285, 1),
}


def stream(folder, drive, first):
    """MB/s of 200 reads of 512 KiB, eight at once, from each of the blocks `first` on."""
    lines = (f"{0.001 * i:.3f} 0 {begin + 1024 * i} 1024 1\n" for i in range(200) for begin in first)
    (folder / "stream.ascii").write_text("".join(lines))
    return 0.524288 * run(folder / "run", drive, "--trace", folder / "stream.ascii", "--replay", "closed:8").metric("host.throughput")


@pytest.mark.parametrize("drive", DRIVES)
def test_a_drive_of_today_reads_at_its_published_rate_outside(tmp_path, drive):
    _, rate, streams = DRIVES[drive]
    assert (streams == 2) == ("arm 1" in simulate("check", drive).stdout)
    second = re.search(r"arm 1: .*, blocks (\d+) to", simulate("check", drive).stdout)
    zone = 2000 * (256 << 20) // BLOCK if "zoned" in drive or "hamr" in drive else 0  # behind the conventional zones
    assert stream(tmp_path, drive, [zone, *([int(second[1])] if second else [])]) == pytest.approx(rate, rel=0.06)


def starts_at_once(command):
    """Well under two seconds of processor and 100 MB, whatever else the machine does."""
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    kib, ended = 0, 0
    while not ended:
        held = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())  # rusage would count what started the process
        kib = int(held[1]) if held else kib
        time.sleep(0.002)
        ended, status, used = os.wait4(process.pid, os.WNOHANG)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert used.ru_utime + used.ru_stime < 2
    assert 5_000 < kib < 100_000_000 / 1024


@pytest.mark.parametrize("drive", DRIVES)
def test_a_drive_of_today_has_its_published_capacity_and_starts_at_once(tmp_path, drive):
    """Full of data, with the first requests of a run."""
    blocks, *_ = DRIVES[drive]
    (tmp_path / "ends.ascii").write_text(f"0.0 0 0 8 1\n0.1 0 {blocks - 8} 8 1\n")
    starts_at_once([SIMULATOR, "run", drive, "--trace", tmp_path / "ends.ascii", "--out", tmp_path / "out"])
    (tmp_path / "beyond.ascii").write_text(f"0.0 0 {blocks + (1 << 26)} 8 1\n")
    simulate("run", drive, "--trace", tmp_path / "beyond.ascii", "--out", tmp_path / "beyond", status=2)


@pytest.mark.parametrize("host", ["log", "dmz"])
def test_a_host_that_translates_32_tb_starts_at_once_and_counts_its_memory(tmp_path, host):
    """Sector numbers beyond 32 bits: full of data, reads and writes at both ends."""
    blocks = int(simulate("check", "hamr-32tb", "--layer", f"zoned:{host}", "--capacity").stdout) // BLOCK
    assert blocks // 8 > 1 << 32
    (tmp_path / "ends.ascii").write_text(f"0.0 0 {blocks - 8} 8 0\n0.1 0 0 8 0\n3.0 0 {blocks - 16} 16 1\n")
    starts_at_once([SIMULATOR, "run", "hamr-32tb", "--layer", f"zoned:{host}", "--trace", tmp_path / "ends.ascii", "--check", "--out", tmp_path / "out"])
    ended = Run(tmp_path / "out")
    assert ended.metric("host.served") == 3
    assert ended.metric("scoreboard.errors") == 0
    if host == "log":  # five bytes a sector, and the copy of a checkpoint
        assert ended.metric("translation.memory.map") == 2 * 5 * blocks // 8


def test_random_reads_of_two_arms_are_those_that_were_published(tmp_path):
    """Exos 2X18: 304 a second, 4 KiB, 16 queued."""
    (tmp_path / "reads.toml").write_text('summary = "r"\nlaw = "uniform"\nrequests = 1000\nwrite_share = 0\nalignment = "4 KiB"\nread_sizes = [[4096, 1]]\n')
    reads = run(tmp_path / "reads", "dual-arm-18tb", "--workload", tmp_path / "reads.toml", "--replay", "closed:16")
    assert reads.metric("host.throughput") == pytest.approx(304, rel=0.06)
