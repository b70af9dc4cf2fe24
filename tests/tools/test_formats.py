"""Formats that tools of Debian write or read, each tried with the tool itself: what it writes is read, what is written for it it replays.

Not among the tests of every change, for it takes installed tools, root and a kernel that lets its events be recorded: `./dev formats`.
A tool that is not there, or that the kernel refuses, is skipped with the reason.
"""

import json
import os
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest
import loop_requests as issued

REPOSITORY = Path(__file__).resolve().parents[2]
SIMULATOR = Path(os.environ.get("TESSERA_SIM", REPOSITORY / "build" / "release" / "tessera-sim"))
RECORDINGS = REPOSITORY / "tests" / "data" / "recordings"
PATIENCE = 120  # seconds that a tool may take for what takes two


def needs(tool):
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"no {tool} on this machine")


def run(*words, cwd=None, check=True):
    ended = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
    assert not check or ended.returncode == 0, f"{words}\n{ended.stdout}\n{ended.stderr}"
    return ended


def read(trace, *words, one_volume=True):
    """(operation, offset, size) of each request, and its arrival in seconds."""
    table = trace.with_name(trace.name + ".read")
    run(SIMULATOR, "convert", trace, "--to", "columns", "--out", table, *words)
    rows = [line.split(",") for line in table.read_text().splitlines()[1:]]
    assert not one_volume or {row[1] for row in rows} == {"0"}
    return [(operation, int(offset), int(size)) for _, _, operation, offset, size in rows], [int(row[0]) / 1e12 for row in rows]


ARRIVALS = (0.0, 0.3, 0.7, 1.2)  # seconds
OFFSETS = (0, 8192, 40960, 819200)


@pytest.fixture
def trace(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("".join(f"{round(at * 1e12)},{'w' if n == 1 else 'r'},{offset},4096\n" for n, (at, offset) in enumerate(zip(ARRIVALS, OFFSETS))))
    file.with_name("t.csv.columns.toml").write_text('time = "1:ps"\nop = 2\nr = "r"\nw = "w"\noffset = "3:bytes"\nsize = "4:bytes"\n')
    (tmp_path / "disk.img").write_bytes(bytes(1 << 20))
    return file


@needs("fio")
@pytest.mark.parametrize("form", ["fio", "fio2"])
def test_fio_replays_a_log_of_each_version_at_the_traces_own_times(trace, tmp_path, form):
    run(SIMULATOR, "convert", trace, "--to", form, "--out", "t.log", cwd=tmp_path)
    begin = time.monotonic()
    run("fio", "--name=replay", "--read_iolog=t.log", f"--replay_redirect={tmp_path / 'disk.img'}", "--ioengine=psync", "--write_lat_log=lat", "--log_offset=1", cwd=tmp_path)
    assert time.monotonic() - begin < 60, "fio took minutes for a trace of 1.2 s"
    rows = [[int(cell) for cell in line.split(",")] for line in (tmp_path / "lat_clat.1.log").read_text().splitlines()]
    assert [row[4] for row in rows] == list(OFFSETS)
    assert [row[2] for row in rows] == [0, 1, 0, 0]
    # The job's clock starts after that of version 2, which is fio's own; a busy machine is late, and never early.
    early = 0.25 if form == "fio2" else 0.02
    assert all(row[0] / 1000 >= at - early for row, at in zip(rows, ARRIVALS)), rows


@needs("fio")
def test_fios_own_logs_of_one_job_tell_of_the_same_requests(tmp_path):
    run("fio", "--name=job", "--filename=disk.img", "--rw=randrw", "--bsrange=4k-64k", "--size=4m", "--io_size=1m", "--fsync=5", "--trim_percentage=0", "--ioengine=psync",
        "--write_iolog=io.log", "--write_lat_log=lat", "--log_offset=1", cwd=tmp_path)  # fmt: skip
    by_log, times = read(tmp_path / "io.log")
    by_latency, _ = read(tmp_path / "lat_clat.1.log", "--format", "fiolat")
    assert [request for request in by_log if request[0] != "f"] == by_latency
    assert sum(request[0] == "f" for request in by_log) >= sum(request[0] == "w" for request in by_log) // 5 > 0  # after each fifth write
    assert times == sorted(times) and times[-1] < PATIENCE


# (action, what it may be marked with) by linux/blktrace_api.h
QUEUE, ISSUE, COMPLETE, REMAP = 1 | 16 << 16, 7 | 64 << 16, 8 | 128 << 16, 15 | 16 << 16
READ, WRITE, FLUSH, SYNC, DISCARD, FUA = 1 << 16, 2 << 16, 4 << 16, 8 << 16, 1 << 29, 1 << 31


def recorded(events):
    """A binary recording of one processor, as the kernel writes it."""
    return b"".join(
        struct.pack("<IIQQIIIIIHH", 0x65617407, number, at, sector, size, action, 17, 8 << 20, 0, 0, 0) for number, (at, action, sector, size) in enumerate(events, 1)
    )


EVENTS = (
    (0, QUEUE | READ, 2048, 4096), (1_500, ISSUE | READ, 2048, 4096), (9_000_000, COMPLETE | READ, 2048, 4096), (10_000_000, QUEUE | WRITE | SYNC | FUA, 64, 8192),
    (10_500_000, QUEUE | WRITE | FLUSH | FUA, 128, 512), (11_000_000, QUEUE | WRITE | FLUSH, 0, 0), (12_000_000, QUEUE | WRITE | DISCARD, 8192, 1 << 20),
    (13_000_000, ISSUE | WRITE, 64, 8192), (2_000_000_000, QUEUE | READ, 5_000_000_000, 512),
)  # fmt: skip
QUEUED = [
    ("r", 2048 * 512, 4096), ("u", 64 * 512, 8192), ("f", 0, 0), ("u", 128 * 512, 512), ("f", 0, 0), ("t", 8192 * 512, 1 << 20), ("r", 5_000_000_000 * 512, 512),
]  # fmt: skip


@needs("blkparse")
def test_what_blkparse_prints_of_a_recording_and_the_recording_itself_are_the_same_requests(tmp_path):
    (tmp_path / "disk.blktrace.0").write_bytes(recorded(EVENTS))
    (tmp_path / "default.txt").write_text(run("blkparse", "-i", "disk", cwd=tmp_path).stdout)
    layout = "%5T.%9t %a %d %S %n %D\\n"
    (tmp_path / "own.txt").write_text(run("blkparse", "-i", "disk", "-f", layout, cwd=tmp_path).stdout)
    binary, times = read(tmp_path / "disk.blktrace.0")
    assert binary == QUEUED and times[-1] == 2.0
    assert read(tmp_path / "default.txt") == (binary, times)
    assert read(tmp_path / "own.txt", "--format", f"blkparse:queue,{layout.removesuffix(chr(92) + 'n')}") == (binary, times)


@needs("blkparse")
def test_text_written_as_blkparses_has_its_fields(tmp_path):
    (tmp_path / "disk.blktrace.0").write_bytes(recorded(EVENTS))
    run(SIMULATOR, "convert", "disk.blktrace.0", "--to", "blkparse", "--out", "ours.txt", cwd=tmp_path)

    def queued(text):
        """Device, time, action, operation and extent of queue events; an operation by what comes first."""
        rows = (line.split("[")[0].split() for line in text.splitlines())
        return [(row[0], row[3], row[5], row[6].strip("S")[0], *row[7:10]) for row in rows if len(row) > 6 and row[5] == "Q"]

    theirs = queued(run("blkparse", "-i", "disk", cwd=tmp_path).stdout)
    ours = queued((tmp_path / "ours.txt").read_text())
    # A flush in front of a write has a line of its own.
    assert [row for row in ours if row[3] != "F"] == [("8,0", row[1], "Q", "W" if row[3] == "F" else row[3], *row[4:]) for row in theirs if len(row) == 7]


@pytest.fixture
def loop_device(tmp_path):
    if os.geteuid() != 0 or shutil.which("losetup") is None:
        pytest.skip("a loop device takes root and losetup")
    image = tmp_path / "loop.img"
    image.write_bytes(b"")
    os.truncate(image, issued.DEVICE_BYTES)
    made = run("losetup", "--find", "--show", image, check=False)
    if made.returncode != 0:
        pytest.skip(f"no loop device: {made.stderr.strip()}")
    yield made.stdout.strip()
    run("losetup", "--detach", made.stdout.strip())


def refused(what, ended):
    pytest.skip(f"{what} is refused on this machine: {(ended.stderr or ended.stdout).strip()[-200:]}")


def test_a_recording_of_perf_is_what_was_asked_for(tmp_path):
    shutil.copy(RECORDINGS / "loop.perf.txt", tmp_path / "perf.txt")
    requests, times = read(tmp_path / "perf.txt")
    assert requests == issued.FOUND
    assert times[1] == pytest.approx(0.014044)


@needs("perf")
def test_perf_records_what_was_asked_for(loop_device, tmp_path):
    device = os.stat(loop_device).st_rdev
    only = f"dev == {os.major(device) << 20 | os.minor(device)}"
    events = [word for name in ("queue", "issue", "complete") for word in ("-e", f"block:block_{'bio' if name == 'queue' else 'rq'}_{name}", "--filter", only)]
    recording = run("perf", "record", "-q", "-a", "-o", "perf.data", *events, "--", "python3", issued.__file__, loop_device, cwd=tmp_path, check=False)
    if recording.returncode != 0:
        refused("perf record", recording)
    (tmp_path / "perf.txt").write_text(run("perf", "script", "-i", "perf.data", cwd=tmp_path).stdout)
    assert read(tmp_path / "perf.txt")[0] == issued.FOUND
    assert sorted(read(tmp_path / "perf.txt", "--event", "issue")[0]) == sorted([*((("w" if op == "u" else op), *extent) for op, *extent in issued.FOUND), ("f", 0, 0)])


@needs("trace-cmd")
def test_trace_cmd_records_what_was_asked_for(loop_device, tmp_path):
    recording = run("trace-cmd", "record", "-o", "trace.dat", "-e", "block:block_bio_queue", "python3", issued.__file__, loop_device, cwd=tmp_path, check=False)
    if recording.returncode != 0:
        refused("trace-cmd record", recording)
    device = os.stat(loop_device).st_rdev
    (tmp_path / "trace.txt").write_text(run("trace-cmd", "report", "trace.dat", cwd=tmp_path).stdout)
    found, _ = read(tmp_path / "trace.txt", "--volume", f"{os.major(device)},{os.minor(device)}", one_volume=False)
    assert found == issued.FOUND


@needs("blktrace")
def test_blktrace_records_what_was_asked_for(loop_device, tmp_path):
    recorder = subprocess.Popen(["blktrace", "-d", loop_device, "-o", "disk"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(2)
    if recorder.poll() is not None:
        pytest.skip(f"blktrace is refused on this machine: {recorder.stdout.read().strip()[-200:]}")
    issued.issue(loop_device)
    recorder.send_signal(2)
    recorder.wait(PATIENCE)
    assert read(tmp_path / "disk.blktrace.0")[0] == issued.FOUND
    (tmp_path / "disk.txt").write_text(run("blkparse", "-i", "disk", cwd=tmp_path).stdout)
    assert read(tmp_path / "disk.txt")[0] == issued.FOUND


NBDKIT = (
    "columns:time=time:date,op=op:r=Read,w=Write,f=Flush,t=Trim,offset=offset:bytes:hex,size=count:bytes:hex,fua=fua:1,unmatched=skip,"
    r"regex=(?<time>\S+ \S+) connection=\d+ (?<op>Read|Write|Flush|Trim) id=\d+(?: offset=0x(?<offset>\w+) count=0x(?<count>\w+))?(?: fua=(?<fua>\d))? \.\.\."
)
ASKED = [("r", 65536, 4096), ("u", 1 << 20, 8192), ("u", 2 << 20, 4096), ("f", 0, 0), ("t", 4 << 20, 65536), ("f", 0, 0)]


def test_a_log_of_nbdkit_is_read_by_an_expression(tmp_path):
    shutil.copy(RECORDINGS / "nbdkit.log", tmp_path / "nbdkit.log")
    assert read(tmp_path / "nbdkit.log", "--format", NBDKIT)[0] == ASKED


@needs("nbdkit")
@needs("qemu-io")
def test_a_log_that_nbdkit_writes_now_is_read_by_the_same_expression(tmp_path):
    script = 'qemu-io -f raw -c "read 64k 4k" -c "write 1M 8k" -c "write -f 2M 4k" -c "flush" -c "discard 4M 64k" "$uri"'
    run("nbdkit", "--filter=log", "memory", "16M", "logfile=nbd.log", "--run", script, cwd=tmp_path)
    assert read(tmp_path / "nbd.log", "--format", NBDKIT)[0] == ASKED


@needs("nbdcopy")
@needs("qemu-img")
def test_nbdcopy_and_qemu_img_read_from_a_served_drive_what_they_wrote(tmp_path):
    image = tmp_path / "image.raw"
    image.write_bytes(b"".join(struct.pack("<Q", number) * 512 for number in range(1024)))  # 4 MiB
    socket = tmp_path / "disk.sock"
    uri = f"nbd+unix:///?socket={socket}"
    with (tmp_path / "serve.log").open("w") as log:
        served = subprocess.Popen([SIMULATOR, "serve", "bare", "--layer", "cmr", "--nbd", f"unix:{socket}"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + PATIENCE
        while not socket.exists():
            assert served.poll() is None and time.monotonic() < end, (tmp_path / "serve.log").read_text()
            time.sleep(0.05)
        run("nbdcopy", image, uri)
        size = json.loads(run("qemu-img", "info", "--output=json", uri).stdout)["virtual-size"]
        assert size >= 4 << 20
        run("qemu-img", "dd", "-f", "raw", "-O", "raw", "bs=4096", "count=1024", f"if={uri}", f"of={tmp_path / 'back.raw'}")
        assert (tmp_path / "back.raw").read_bytes() == image.read_bytes()
    finally:
        served.terminate()
        served.wait(PATIENCE)
