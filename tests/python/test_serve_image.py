"""The image of a served drive: what FLUSH and FUA promise outlives the process, whatever ends it, and a full disk destroys nothing."""

import os
import random
import resource
import shutil
import signal
import subprocess

import pytest
from nbd import FLUSH, FUA, PATIENCE, TRIM, WRITE, WRITE_ZEROES, Served
from simulate import SIMULATOR, simulate

BLOCK = 4096
LAYERS = ["cmr", "imr-rmw", "mu-rmw", "fluid", "fluid-loop", "amphisbaena", "sblock", "skylight-flash"]


def held(image, offset, length):
    with image.open("rb") as file:
        file.seek(offset)
        return file.read(length)


def filled(image, byte, length):
    image.write_bytes(byte * length)
    return image


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("flags", [0, FUA])
def test_what_a_trim_discarded_is_not_in_the_image(tmp_path, layer, flags):
    image = filled(tmp_path / "disk.img", b"O", 1 << 20)
    with Served(tmp_path, "common", "--layer", layer, "--image", image) as drive:
        client = drive.connect()
        assert client.read(0, BLOCK) == b"O" * BLOCK
        assert client.call(TRIM, BLOCK, (1 << 20) - BLOCK, flags=flags)[0] == 0
    assert drive.status == 0
    assert held(image, 0, 1 << 20) == b"O" * BLOCK + bytes((1 << 20) - BLOCK)
    with Served(tmp_path, "common", "--layer", layer, "--image", image) as drive:
        assert drive.connect().read(BLOCK, BLOCK) == bytes(BLOCK)


@pytest.mark.parametrize("promise", ["flush", "write", "trim", "zeroes"])
def test_what_is_promised_is_there_after_a_kill(tmp_path, promise):
    image = filled(tmp_path / "disk.img", b"O", 16 * BLOCK)
    with Served(tmp_path, "common", "--layer", "imr-rmw", "--image", image) as drive:
        client = drive.connect()
        if promise == "flush":
            client.write(BLOCK, b"N" * BLOCK)
            client.flush()
        elif promise == "write":
            client.write(BLOCK, b"N" * BLOCK, FUA)
        else:
            assert client.call(TRIM if promise == "trim" else WRITE_ZEROES, BLOCK, BLOCK, flags=FUA)[0] == 0
        client.write(2 * BLOCK, b"U" * BLOCK)  # nobody promised this
        drive.kill()
    assert held(image, 0, 16 * BLOCK) == b"O" * 16 * BLOCK  # it is untouched: the journal has it
    with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
        assert "what it had flushed is taken in" in drive.log.read_text()
        expected = b"N" * BLOCK if promise in ("flush", "write") else bytes(BLOCK)
        client = drive.connect()
        assert client.read(BLOCK, BLOCK) == expected
        assert client.read(0, BLOCK) == b"O" * BLOCK
    assert held(image, BLOCK, BLOCK) == expected
    assert not image.with_name("disk.img.journal").exists()


class Versions:
    """Blocks that hold the number of their version: from which one on they must be, and up to which they can."""

    def __init__(self, blocks):
        self.promised = dict.fromkeys(range(blocks), 0)
        self.newest = dict(self.promised)

    def look(self, client):
        """What is found is what there is from now on."""
        for block, least in self.promised.items():
            found = int.from_bytes(client.read(BLOCK * block, BLOCK)[:8], "big")
            assert least <= found <= self.newest[block], block
            self.newest[block] = found

    def content(self, block):
        self.newest[block] += 1
        return self.newest[block].to_bytes(8, "big") * (BLOCK // 8)


@pytest.mark.parametrize("seed", range(6))
def test_a_kill_at_any_instant_loses_nothing_that_was_promised(tmp_path, seed):
    """Writes, some of them durable, flushes and power cuts, ended by a SIGKILL behind any number of answers, session after session."""
    rng = random.Random(seed)
    image = tmp_path / "disk.img"
    layer = ["cmr", "imr-rmw", "fluid"][seed % 3]
    versions = Versions(64)
    for _ in range(4):
        with Served(tmp_path, "common", "--layer", layer, "--image", image) as drive:
            client = drive.connect()
            versions.look(client)
            versions.promised.update(versions.newest)
            cuts = 0
            for _ in range(rng.randrange(1, 150)):
                block = rng.randrange(64)
                what = rng.choices(["write", "durable", "flush", "cut"], [60, 20, 20, 2])[0]
                if what == "flush":
                    client.flush()
                    versions.promised.update(versions.newest)
                elif what == "cut":
                    cuts += 1
                    drive.cut_power(cuts)
                    client = drive.connect()
                    versions.look(client)
                else:
                    client.write(BLOCK * block, versions.content(block), FUA if what == "durable" else 0)
                    if what == "durable":
                        versions.promised[block] = versions.newest[block]
            for block in rng.sample(range(64), 8):  # under way when it is killed
                client.send(WRITE, BLOCK * block, BLOCK, versions.content(block))
            for _ in range(rng.randrange(4)):
                client.answer()
            if rng.random() < 0.5:
                client.send(FLUSH)
            drive.kill()


def test_what_a_power_cut_undoes_is_undone_in_the_image_too(tmp_path):
    """An answer that nobody flushed: whatever the drive holds of it behind the cut is what is flushed then, and what a kill leaves."""
    image = tmp_path / "disk.img"
    volatile = ("--set", "firmware.write_cache.capacity=4 MiB", "--set", "firmware.write_cache.durability=volatile")
    with Served(tmp_path, "common", "--layer", "imr-rmw", *volatile, "--image", image) as drive:
        client = drive.connect()
        for block in range(60):
            client.write(BLOCK * block, b"1" * BLOCK)
        client.flush()
        for block in range(60):
            client.write(BLOCK * block, b"2" * BLOCK)
        drive.cut_power()
        client = drive.connect()
        found = client.read(0, 60 * BLOCK)
        assert b"1" in found
        client.flush()
        drive.kill()
    with Served(tmp_path, "common", "--layer", "imr-rmw", "--image", image) as drive:
        assert drive.connect().read(0, 60 * BLOCK) == found


def test_two_servers_of_one_image_are_refused(tmp_path):
    image = tmp_path / "disk.img"
    with Served(tmp_path, "common", "--image", image) as drive:
        drive.connect().write(0, b"1" * BLOCK, FUA)
        link = tmp_path / "link.img"
        link.symlink_to(image)
        for name in (image, link):
            words = [SIMULATOR, "serve", "common", "--nbd", f"unix:{tmp_path}/other", "--image", name]
            refused = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
            assert refused.returncode == 2
            assert "another server has it: stop that one first, or give this one a copy" in refused.stderr
    assert drive.status == 0
    assert held(image, 0, BLOCK) == b"1" * BLOCK


def test_what_is_no_image_is_refused(tmp_path):
    def refusal(image):
        return simulate("serve", "common", "--nbd", f"unix:{tmp_path}/x", "--image", image, status=2).stderr

    os.mkfifo(tmp_path / "pipe")
    assert "expected a regular file" in refusal(tmp_path / "pipe")
    assert "expected a regular file" in refusal(tmp_path)
    assert "No such file or directory" in refusal(tmp_path / "no" / "folder")
    (tmp_path / "a.img.journal").write_text("a diary")
    assert "it is not the journal of an image" in refusal(tmp_path / "a.img")
    assert (tmp_path / "a.img.journal").read_text() == "a diary"


def limited(size):
    """Files of this process end there, as if the disk were full: EFBIG instead of a signal."""

    def before():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return {"preexec_fn": before, "restore_signals": False}


def test_a_journal_without_room_is_an_error_to_the_client_and_destroys_nothing(tmp_path):
    image = tmp_path / "disk.img"
    with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
        drive.connect().write(0, b"1" * BLOCK, FUA)
    with Served(tmp_path, "common", "--layer", "cmr", "--image", image, **limited(1 << 20)) as drive:
        client = drive.connect()
        client.write(BLOCK, b"2" * BLOCK)
        client.flush()
        assert client.call(WRITE, 2 * BLOCK, 2 << 20, b"3" * (2 << 20))[0] == 28
        client.write(0, b"4" * BLOCK)
        client.flush()
        assert "clients get errors for what is not kept; everything flushed before is" in drive.log.read_text()
        drive.kill()
    with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
        assert drive.connect().read(0, 3 * BLOCK) == b"4" * BLOCK + b"2" * BLOCK + bytes(BLOCK)


def test_a_full_disk_destroys_nothing(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("it takes root to mount a small file system")
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small], capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        image = small / "disk.img"
        with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
            drive.connect().write(0, b"1" * (1 << 20))
        assert drive.status == 0
        kept = 0
        with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
            client = drive.connect()
            client.write(0, b"2" * (1 << 20), FUA)
            while client.call(WRITE, (kept + 1) << 20, 1 << 20, b"3" * (1 << 20), FUA)[0] == 0:
                kept += 1
                assert kept < 10  # MiB: it has 6
            assert kept >= 2
        assert drive.status == 1  # it was the disk's end
        assert shutil.disk_usage(small).free < 1 << 20
        subprocess.run(["mount", "-o", "remount,size=64m", small], check=True)
        with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
            assert drive.connect().read(0, (kept + 1) << 20) == b"2" * (1 << 20) + b"3" * (kept << 20)
        assert drive.status == 0
        assert held(image, 0, 1 << 20) == b"2" * (1 << 20)
    finally:
        subprocess.run(["umount", small], check=True, timeout=PATIENCE)


def test_a_long_session_brings_its_journal_into_the_image_now_and_then(tmp_path):
    image = tmp_path / "disk.img"
    with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
        client = drive.connect()
        for _ in range(3):
            client.write(0, b"3" * (24 << 20))
        client.flush()
        assert held(image, 0, BLOCK) == b"3" * BLOCK
        assert image.with_name("disk.img.journal").stat().st_size < 1 << 20
        client.write(0, b"4" * BLOCK, FUA)
        drive.kill()
    with Served(tmp_path, "common", "--layer", "cmr", "--image", image) as drive:
        assert drive.connect().read(0, 2 * BLOCK) == b"4" * BLOCK + b"3" * BLOCK
