"""A served drive with zones: its clients, their mistakes, two at once, and power cuts with writes on their way."""

import os
import random
import signal
import socket
import struct
import time

import pytest
from nbd import PATIENCE, TRIM, WRITE, Served
from simulate import simulate
from tessera import zoned_disk
from tessera.errors import InputError
from tessera.zoned_disk import BLOCK, ZonedDisk, ZoneError

SECTOR = 4096
PER_SECTOR = SECTOR // BLOCK
SMALL = ("--layer", "zoned", "--set", "layers.zoned.zone=1 MiB", "--set", "layers.zoned.max_open=4", "--set", "layers.zoned.zones=64")
REQUEST = 0x545A5251


class ServedZones(Served):
    """With NBD as well, for which `Served` waits."""

    def __init__(self, folder, *options, **how):
        self.zones = folder / "zones.sock"
        super().__init__(folder, "bare", *SMALL, "--zones", f"unix:{self.zones}", *options, **how)

    def disk(self, timeout=PATIENCE):
        return ZonedDisk(self.zones, timeout)

    def raw(self):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(str(self.zones))
        peer.settimeout(PATIENCE)
        return peer


def request(command, cookie=1, block=0, count=0, data=b"", flags=0, magic=REQUEST, reserved=0):
    return struct.pack(">IHHQQII", magic, command, flags, cookie, block, count, reserved) + data


def answer_of(peer):
    """Status, sense, cookie and payload of the next answer; None where the connection ended."""
    head = received(peer, 32)
    if head is None:
        return None
    magic, _, status, cookie, key, code, qualifier, _, payload, _ = struct.unpack(">IHHQBBBxIII", head)
    assert magic == 0x545A5250
    return status, (key, code, qualifier), cookie, received(peer, payload)


def received(peer, count):
    data = b""
    while len(data) < count:
        try:
            piece = peer.recv(count - len(data))
        except ConnectionResetError:
            piece = b""
        if not piece:
            assert not data
            return None
        data += piece
    return data


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    with ServedZones(tmp_path_factory.mktemp("zones")) as served:
        yield served
    assert served.status == 0


@pytest.fixture
def disk(drive):
    with drive.disk() as client:
        client.reset_all()
        yield client


def sequential(disk, number=0):
    """A sequential zone."""
    return [zone for zone in disk.report() if zone.type == "sequential write required"][number]


def test_the_geometry_and_the_zones_are_those_of_the_drive(disk):
    shape = disk.geometry
    assert (shape.version, shape.zone_blocks, shape.zones, shape.sector_bytes, shape.largest) == (1, 2048, 64, SECTOR, 65536)
    assert shape.blocks == 64 * 2048
    zones = disk.report()
    assert [zone.start for zone in zones] == list(range(0, 64 * 2048, 2048))
    assert (zones[0].type, zones[0].condition, zones[0].pointer) == ("conventional", "not write pointer", None)
    assert {(zone.type, zone.condition) for zone in zones[1:]} == {("sequential write required", "empty")}
    assert disk.report(5 * 2048 + 17, 3) == zones[5:8]
    assert disk.report(62 * 2048, 1000) == zones[62:]


def test_writes_at_the_pointer_are_read_and_a_reset_empties_the_zone(disk):
    zone = sequential(disk)
    data = random.Random(1).randbytes(3 * SECTOR)
    disk.write(zone.start, data)
    disk.flush()
    assert disk.read(zone.start, 3 * PER_SECTOR) == data
    (now,) = disk.report(zone.start, 1)
    assert (now.condition, now.pointer) == ("implicitly open", zone.start + 3 * PER_SECTOR)
    disk.close_zone(zone.start)
    assert disk.report(zone.start, 1)[0].condition == "closed"
    disk.open_zone(zone.start)
    assert disk.report(zone.start, 1)[0].condition == "explicitly open"
    disk.finish_zone(zone.start)
    assert disk.report(zone.start, 1)[0][1::3] == ("full", None)
    assert disk.read(zone.start + 2 * PER_SECTOR, 2 * PER_SECTOR) == data[2 * SECTOR :] + bytes(SECTOR)
    disk.reset_zone(zone.start)
    assert disk.report(zone.start, 1)[0][1::3] == ("empty", zone.start)
    assert disk.read(zone.start, PER_SECTOR) == bytes(SECTOR)


def test_each_refusal_has_its_name_and_sense(disk):
    zone, other = sequential(disk), sequential(disk, 1)
    sector = bytes(SECTOR)
    wrong = {
        "unaligned write command": (lambda: disk.write(zone.start + PER_SECTOR, sector), (5, 0x21, 0x04)),
        "write boundary violation": (lambda: disk.write(zone.start, bytes(BLOCK * zone.blocks + SECTOR)), (5, 0x21, 0x05)),
        "invalid field in command": (lambda: disk.reset_zone(zone.start + 1), (5, 0x24, 0x00)),
        "block address out of range": (lambda: disk.read(disk.geometry.blocks - 1, 2), (5, 0x21, 0x00)),
        "command not supported": (lambda: disk.call(42), (5, 0x20, 0x00)),
        "insufficient zone resources": (lambda: [disk.open_zone(sequential(disk, number).start) for number in range(5)], (7, 0x55, 0x0E)),
    }
    for name, (act, sense) in wrong.items():
        with pytest.raises(ZoneError) as refused:
            act()
        assert (refused.value.status, refused.value.sense) == (name, sense)
    disk.reset_all()
    disk.write(other.start, bytes(BLOCK * other.blocks))
    with pytest.raises(ZoneError, match="invalid field in command"):
        disk.write(other.start, sector)


@pytest.mark.parametrize(
    "fields",
    [
        {"flags": 2, "command": zoned_disk.REPORT, "count": 1},
        {"flags": 1, "command": zoned_disk.READ, "count": 1},
        {"reserved": 1, "command": zoned_disk.FLUSH},
        {"command": zoned_disk.READ, "count": 0},
        {"command": zoned_disk.READ, "count": 65537},
        {"command": zoned_disk.REPORT, "count": 0},
        {"command": zoned_disk.FLUSH, "block": 8},
        {"command": zoned_disk.RESET, "count": 8},
        {"command": zoned_disk.RESET, "block": 2048, "flags": 1},
        {"command": zoned_disk.GEOMETRY, "block": 1},
    ],
)  # fmt: skip
def test_a_request_with_a_field_that_means_nothing_is_refused_and_the_next_is_served(drive, fields):
    with drive.raw() as peer:
        peer.sendall(request(cookie=7, **fields) + request(zoned_disk.GEOMETRY, cookie=8))
        assert answer_of(peer)[:3] == (5, (5, 0x24, 0), 7)
        assert answer_of(peer)[::2] == (0, 8)


def test_a_refused_write_takes_its_data_with_it(drive):
    with drive.raw() as peer:
        end = 64 * 2048
        peer.sendall(request(zoned_disk.WRITE, 1, end - 1, 16, bytes(16 * BLOCK)) + request(zoned_disk.GEOMETRY, 2))
        assert answer_of(peer)[::2] == (10, 1)
        assert answer_of(peer)[::2] == (0, 2)


@pytest.mark.parametrize(
    ("bytes_sent", "cookie"),
    [
        (b"GET / HTTP/1.0\r\n\r\n" * 4, 0),
        (request(zoned_disk.READ, 3, magic=0x25609513, count=1), 0),
        (request(zoned_disk.WRITE, 3, count=65537) + bytes(1000), 3),
        (request(zoned_disk.WRITE, 3, count=2**32 - 1) + bytes(1000), 3),
    ],
)
def test_after_what_is_no_request_comes_one_answer_and_the_end(drive, bytes_sent, cookie):
    with drive.raw() as peer:
        peer.sendall(bytes_sent)
        assert answer_of(peer)[:3] == (15, (5, 0x20, 0), cookie)
        assert answer_of(peer) is None


@pytest.mark.parametrize("length", [1, 31, 32, 32 + SECTOR - 1])
def test_half_a_frame_has_no_effect(drive, disk, length):
    zone = sequential(disk)
    with drive.raw() as peer:
        peer.sendall(request(zoned_disk.WRITE, 1, zone.start, PER_SECTOR, b"h" * SECTOR)[:length])
        peer.shutdown(socket.SHUT_WR)
        assert answer_of(peer) is None
    assert disk.report(zone.start, 1)[0].condition == "empty"


def test_a_client_that_is_gone_has_its_whole_writes_carried_out(drive, disk):
    zone = sequential(disk)
    peer = drive.raw()
    peer.sendall(b"".join(request(zoned_disk.WRITE, n, zone.start + n * PER_SECTOR, PER_SECTOR, bytes([n]) * SECTOR) for n in range(8)))
    peer.close()
    end = time.monotonic() + PATIENCE
    while disk.report(zone.start, 1)[0].pointer != zone.start + 8 * PER_SECTOR:
        assert time.monotonic() < end
    assert disk.read(zone.start + 7 * PER_SECTOR, PER_SECTOR) == b"\7" * SECTOR


def test_two_clients_write_zones_of_their_own_at_once(drive, disk):
    with drive.disk() as other:
        zones = {disk: sequential(disk).start, other: sequential(disk, 1).start}
        for n in range(16):
            for client, start in zones.items():
                client.submit(zoned_disk.WRITE, start + n * PER_SECTOR, data=bytes([n]) * SECTOR)
        for client in zones:
            assert {client.answer().status for _ in range(16)} == {"ok"}
        for client, start in zones.items():
            assert client.read(start, 16 * PER_SECTOR) == b"".join(bytes([n]) * SECTOR for n in range(16))


def test_of_two_clients_at_one_pointer_one_is_refused(drive, disk):
    zone = sequential(disk)
    with drive.disk() as other:
        for client in (disk, other):
            client.submit(zoned_disk.WRITE, zone.start, data=bytes(SECTOR))
        assert sorted(client.answer().status for client in (disk, other)) == ["ok", "unaligned write command"]


def test_a_client_that_takes_no_answer_is_held_and_harms_nobody(drive, disk):
    start = sequential(disk).start
    disk.write(start, bytes(1 << 20))
    before = drive.most_memory()
    with drive.raw() as peer:
        peer.settimeout(2)
        try:
            while True:
                peer.sendall(request(zoned_disk.READ, 1, start, 2048) * 64)
        except TimeoutError:
            pass
        assert disk.read(start, PER_SECTOR) == bytes(SECTOR)
        assert drive.most_memory() - before < 200 << 20
    assert disk.read(start, PER_SECTOR) == bytes(SECTOR)


def test_a_power_cut_with_writes_on_their_way_keeps_what_was_acknowledged(tmp_path):
    with ServedZones(tmp_path, "--pace", "scaled:0.01") as drive:
        for cut in range(1, 5):
            disk = drive.disk()
            zone = sequential(disk, cut)
            for n in range(200):
                disk.submit(zoned_disk.WRITE, zone.start + n * PER_SECTOR, data=bytes([n + 1]) * SECTOR)
            good = 0
            for _ in range(20 * cut):
                assert disk.answer().status == "ok"
                good += 1
            drive.process.send_signal(signal.SIGUSR2)
            try:
                while True:
                    good += disk.answer().status == "ok"
            except ConnectionError:
                pass
            drive.said("the drive serves again", cut)
            with drive.disk() as again:
                (now,) = again.report(zone.start, 1)
                assert now.condition == ("closed" if now.pointer is not None else "full")
                written = (now.pointer - zone.start) // PER_SECTOR if now.pointer is not None else 256
                assert good <= written <= 200
                assert again.read(zone.start, written * PER_SECTOR) == b"".join(bytes([n + 1]) * SECTOR for n in range(written))
                again.write(now.pointer, b"x" * SECTOR)
    assert drive.status == 0
    assert "4 power cuts" in drive.log.read_text()


def test_nbd_with_it_says_what_it_cannot_do(tmp_path):
    with ServedZones(tmp_path) as drive:
        assert "NBD has no commands for zones" in drive.log.read_text()
        client = drive.connect()
        start = 2048 * BLOCK
        client.write(start, b"n" * SECTOR)
        assert client.call(WRITE, start, SECTOR, bytes(SECTOR))[0] == 22
        assert client.call(TRIM, start, SECTOR)[0] == 0
        assert client.read(start, SECTOR) == b"n" * SECTOR
        with drive.disk() as disk:
            assert disk.report(2048, 1)[0].pointer == 2048 + PER_SECTOR
    assert drive.status == 0
    assert "1 refused by the rules of zones" in drive.log.read_text()


def test_a_drive_that_was_saved_has_its_pointers(tmp_path):
    state = tmp_path / "zones.state"
    for begin in ((), ("--load-state", state)):
        with ServedZones(tmp_path, *begin, "--save-state", state) as drive, drive.disk() as disk:
            if not begin:
                disk.write(2048, b"s" * SECTOR)
            assert disk.read(2048, PER_SECTOR) == b"s" * SECTOR
            assert disk.report(2048, 1)[0].pointer == 2048 + PER_SECTOR
        assert drive.status == 0


def test_at_a_port_too(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Served(tmp_path, "bare", *SMALL, "--zones", str(port)) as drive, ZonedDisk(str(port)) as disk:
        disk.write(2048, bytes(SECTOR))
        assert f"serving {drive.size} bytes at 127.0.0.1:{port}" in drive.log.read_text()


def test_preferred_zones_take_writes_anywhere_and_tell_that_they_are_not_in_order(tmp_path):
    place = f"unix:{tmp_path}/zones"
    with Served(tmp_path, "common", "--layer", "host-aware", "--zones", place) as drive, ZonedDisk(place) as disk:
        zone = next(zone for zone in disk.report() if zone.type == "sequential write preferred")
        assert not zone.non_sequential
        data = random.Random(1).randbytes(SECTOR)
        disk.write(zone.start + 100 * PER_SECTOR, data)
        (now,) = disk.report(zone.start, 1)
        assert (now.condition, now.pointer, now.non_sequential) == ("implicitly open", zone.start + 101 * PER_SECTOR, True)
        assert disk.read(zone.start + 100 * PER_SECTOR, PER_SECTOR) == data
        disk.reset_zone(zone.start)
        assert disk.report(zone.start, 1) == [zone]
        assert "warning" not in drive.log.read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--layer", "cmr", "--zones", "unix:x"), "the layer cmr has no zones; expected --layer zoned"),
        ((*SMALL, "--zones", "unix:x", "--image", "file"), "--save-state and --load-state keep what such a drive holds"),
        ((*SMALL, "--zones", "nowhere"), "--zones nowhere: expected unix:PATH, HOST:PORT or PORT"),
        (("--layer", "zoned:log", "--zones", "unix:x"), "a served drive has its client for a host"),
    ],
)
def test_zones_that_cannot_be_served_are_refused(words, sentence):
    assert sentence in simulate("serve", "bare", *words, status=2).stderr


def test_the_client_says_what_is_wrong_with_its_arguments(drive):
    with pytest.raises(InputError, match="expected unix:PATH"):
        ZonedDisk("nowhere")
    with pytest.raises(FileNotFoundError):
        ZonedDisk(drive.zones.with_name("none"))
    with drive.disk() as disk, pytest.raises(InputError, match="expected whole blocks of 512 B"):
        disk.write(0, b"short")
    assert os.path.exists(drive.zones)
