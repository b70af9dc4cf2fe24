"""A served drive and its clients: content, power cuts, and clients that do not keep to the protocol."""

import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys

import pytest
from nbd import DISCONNECT, FUA, PATIENCE, READ, TRIM, WRITE, Client, Served
from samples import REPOSITORY
from simulate import SIMULATOR, simulate

BLOCK = 4096
VOLATILE = ("--set", "firmware.write_cache.capacity=4 MiB", "--set", "firmware.write_cache.durability=volatile")
PROTECTED = ("--set", "firmware.write_cache.capacity=4 MiB", "--set", "firmware.write_cache.durability=plp")


def content(block, version):
    return struct.pack(">QQ", block, version) * (BLOCK // 16)


@pytest.mark.skipif(shutil.which("fio") is None, reason="no fio on this machine")
@pytest.mark.parametrize("layer", ["cmr", "imr-rmw", "mu-rmw", "fluid"])
def test_fio_verifies_a_random_mix_through_two_connections(tmp_path, layer):
    with Served(tmp_path, "bare", "--layer", layer) as drive:
        fio = subprocess.run(
            ["fio", "--name=mix", "--ioengine=nbd", f"--uri={drive.uri}", "--rw=randrw", "--bs=4k", "--size=8m", "--iodepth=32", "--numjobs=2",
             "--offset_increment=8m", "--verify=crc32c", "--verify_fatal=1", "--fsync=64", "--output-format=json"],
            cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
        assert fio.returncode == 0, fio.stdout + fio.stderr
        jobs = json.loads(fio.stdout[fio.stdout.index("{") :])["jobs"]
        assert [job["error"] for job in jobs] == [0, 0]
        assert sum(job["read"]["total_ios"] + job["write"]["total_ios"] for job in jobs) >= 2 * 2048
    assert drive.status == 0
    assert " 0 of them with an error" in drive.log.read_text()
    assert not drive.path.exists()


def test_what_was_written_is_read_whatever_the_sizes(tmp_path):
    rng = random.Random(7)
    size = 4 << 20
    image = bytearray(size)
    with Served(tmp_path, "bare", "--layer", "imr-rmw") as drive:
        client = drive.connect()
        assert client.size == drive.size
        for _ in range(150):
            blocks = rng.choice([1, 1, 3, 8, 100, 2000])
            first = rng.randrange(size // 512 - blocks)
            if rng.random() < 0.6:
                data = rng.randbytes(512 * blocks)
                client.write(512 * first, data, FUA if rng.random() < 0.2 else 0)
                image[512 * first : 512 * (first + blocks)] = data
            else:
                assert client.read(512 * first, 512 * blocks) == image[512 * first : 512 * (first + blocks)]
        assert client.call(TRIM, 0, size, flags=FUA)[0] == 0
        client.send(DISCONNECT)
        assert client.ended()


@pytest.mark.parametrize(("layer", "cache"), [("imr-rmw", PROTECTED), ("media-cache", ()), ("mu-rmw", ())])
def test_a_drive_that_was_saved_serves_what_it_held_and_goes_on(tmp_path, layer, cache):
    state = tmp_path / "served.state"
    blocks = range(500, 540)
    for version in range(3):
        begin = ("--load-state", state) if version else ()
        with Served(tmp_path, "demo", "--layer", layer, *cache, *begin, "--save-state", state) as drive:
            client = drive.connect()
            for block in blocks:
                held = content(block, version - 1) if version else bytes(BLOCK)
                assert client.read(BLOCK * block, BLOCK) == held
                client.write(BLOCK * block, content(block, version))
            client.send(DISCONNECT)
        assert drive.status == 0
    assert f"with layer {layer} is valid" in simulate("check", "demo", "--layer", layer, *cache, "--load-state", state).stdout
    simulate("serve", "demo", "--layer", "cmr", "--nbd", f"unix:{tmp_path}/refused", "--load-state", state, status=2)


@pytest.mark.parametrize(("cache", "keeps_all"), [(VOLATILE, False), (PROTECTED, True)])
def test_a_power_cut_loses_what_the_drive_does_not_promise_and_nothing_else(tmp_path, cache, keeps_all):
    with Served(tmp_path, "bare", "--layer", "imr-rmw", *cache) as drive:
        for cut in range(1, 4):
            client = drive.connect()
            blocks = range(cut * 1000, cut * 1000 + 60)
            for block in blocks:
                client.write(BLOCK * block, content(block, 1))
            client.flush()
            client.write(BLOCK * blocks[0], content(blocks[0], 2), FUA)
            for block in blocks[1:]:
                client.write(BLOCK * block, content(block, 2))
            drive.cut_power(cut)
            assert client.ended()
            again = drive.connect()
            assert again.read(BLOCK * blocks[0], BLOCK) == content(blocks[0], 2)
            newest = 0
            for block in blocks[1:]:
                found = again.read(BLOCK * block, BLOCK)
                assert found in (content(block, 1), content(block, 2))
                newest += found == content(block, 2)
            assert newest == 59 if keeps_all else newest < 59
    assert drive.status == 0
    assert "3 power cuts" in drive.log.read_text()


def test_clients_that_die_or_lie_disturb_nobody(tmp_path):
    with Served(tmp_path, "bare", "--layer", "cmr") as drive:
        good = drive.connect()
        good.write(0, content(0, 1))

        killed = drive.connect()
        for block in range(500):
            killed.send(READ, BLOCK * block, BLOCK)
        killed.close()
        torn = drive.connect()
        torn.send(WRITE, 0, BLOCK, content(0, 9)[:100])  # the payload never comes whole
        torn.close()

        for garbage in (b"GET / HTTP/1.0\r\n\r\n", bytes(100), random.Random(1).randbytes(5000), struct.pack(">I8sII", 3, b"IHAVEOPT", 7, 0xFFFFFFFF)):
            with socket.socket(socket.AF_UNIX) as raw:
                raw.settimeout(60)
                raw.connect(str(drive.path))
                raw.sendall(garbage)
                raw.shutdown(socket.SHUT_WR)
                while raw.recv(65536):
                    pass
        liar = drive.connect()
        liar.send(WRITE, 0, 0xFFFFFE00, bytes(1000))
        assert liar.ended()
        other_magic = drive.connect()
        other_magic.socket.sendall(bytes(28))
        assert other_magic.ended()

        beyond = drive.connect()
        assert beyond.call(READ, drive.size, 512)[0] == 22
        assert beyond.call(WRITE, drive.size - 512, 1024, bytes(1024))[0] == 28
        assert beyond.call(READ, 1, 512)[0] == 22
        assert beyond.call(READ, 0, 1 << 30)[0] == 22
        assert beyond.call(READ, drive.size - 512, 512)[0] == 0

        assert good.read(0, BLOCK) == content(0, 1)
    assert drive.status == 0


def test_a_hundred_clients_are_served_side_by_side(tmp_path):
    with Served(tmp_path, "bare", "--layer", "cmr") as drive:
        clients = [drive.connect() for _ in range(100)]
        for number, client in enumerate(clients):
            client.send(WRITE, BLOCK * number, BLOCK, content(number, 1))
        for client in clients:
            assert struct.unpack(">IIQ", client.receive(16))[1] == 0
        clients[0].flush()
        for number, client in enumerate(clients):
            other = (number + 1) % len(clients)
            assert client.read(BLOCK * other, BLOCK) == content(other, 1)
    assert drive.status == 0


def test_an_image_goes_from_one_layer_to_another(tmp_path):
    image = tmp_path / "disk.img"
    blocks = [0, 1, 700, 5000, 9999]
    with Served(tmp_path, "bare", "--layer", "cmr", "--image", image) as drive:
        client = drive.connect()
        size = drive.size
        for block in blocks:
            client.write(BLOCK * block, content(block, 1))
        client.write(size - BLOCK, content(8, 8))
    assert drive.status == 0
    assert image.stat().st_size == size
    assert image.stat().st_blocks * 512 <= 7 << 20  # holes but for the six chunks
    with Served(tmp_path, "bare", "--layer", "imr-rmw", "--image", tmp_path / "other.img") as drive:
        smaller = drive.size
    assert smaller < size
    assert f"it holds {size} bytes, and the drive {smaller}" in simulate(
        "serve", "bare", "--layer", "imr-rmw", "--nbd", f"unix:{tmp_path}/x", "--image", image, status=2).stderr  # fmt: skip
    with image.open("r+b") as file:
        file.truncate(smaller)
    with Served(tmp_path, "bare", "--layer", "imr-rmw", "--image", image) as drive:
        client = drive.connect()
        for block in blocks:
            assert client.read(BLOCK * block, BLOCK) == content(block, 1)
        assert client.read(BLOCK * 800, BLOCK) == bytes(BLOCK)
        client.write(BLOCK * 700, content(700, 2))
    with image.open("rb") as file:
        data = file.read(BLOCK * 10000)
    assert data[BLOCK * 700 : BLOCK * 701] == content(700, 2)
    assert data[BLOCK * 5000 : BLOCK * 5001] == content(5000, 1)


def test_a_paced_drive_serves_and_ends(tmp_path):
    with Served(tmp_path, "bare", "--layer", "cmr", "--pace", "scaled:0.01") as drive:
        client = drive.connect()
        client.write(1 << 20, content(256, 1))
        assert client.read(1 << 20, BLOCK) == content(256, 1)
        drive.cut_power()
        assert drive.connect().read(1 << 20, BLOCK) == content(256, 1)
    assert drive.status == 0


def test_a_drive_at_a_port_listens_on_the_loopback_interface(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert f"--nbd 127.0.0.1:{port}: Address already in use" in simulate("serve", "bare", "--nbd", f"127.0.0.1:{port}", status=2).stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "expected --nbd ADDRESS"),
        (("--nbd", "unix:"), "expected a path of 1 to 107 characters"),
        (("--nbd", "unix:" + "x" * 200), "expected a path of 1 to 107 characters"),
        (("--nbd", "unix:/no/such/folder/disk"), "No such file or directory"),
        (("--nbd", "nonsense"), "expected unix:PATH, HOST:PORT or PORT"),
        (("--nbd", "10809", "--pace", "fast"), "--pace: expected real or scaled:X"),
        (("--nbd", "10809", "--layer", "crm"), "did you mean 'cmr'?"),
    ],
)
def test_what_cannot_be_served_is_said(arguments, sentence):
    assert sentence in simulate("serve", "bare", *arguments, status=2).stderr


def test_the_other_command_line_becomes_the_server(tmp_path):
    words = [sys.executable, "-m", "tessera", "serve", "bare", "--nbd", f"unix:{tmp_path / 'disk.sock'}"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR)}
    process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout.readline().startswith("serving ")
    client = Client(tmp_path / "disk.sock")
    client.write(0, content(0, 1))
    assert client.read(0, BLOCK) == content(0, 1)
    client.close()
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_a_socket_that_is_in_use_is_refused_and_one_left_behind_is_taken(tmp_path):
    with Served(tmp_path, "bare") as drive:
        assert "another server listens there" in simulate("serve", "bare", "--nbd", f"unix:{drive.path}", status=2).stderr
        drive.process.send_signal(signal.SIGKILL)
        drive.process.wait()
    assert drive.path.exists()
    with Served(tmp_path, "bare") as drive:
        assert drive.connect().read(0, 512) == bytes(512)
