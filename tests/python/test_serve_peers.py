"""Clients of a served drive that take nothing, close, half-close or reset, in every state of the protocol: they harm nobody but themselves."""

import socket
import struct
import time

import pytest
from nbd import BLOCK_STATUS, DISCONNECT, FAST_ZERO, FLUSH, FUA, NO_HOLE, PATIENCE, READ, TRIM, WRITE, WRITE_ZEROES, Served

BLOCK = 4096
LARGEST = 32 << 20


def option(number, data=b""):
    return struct.pack(">8sII", b"IHAVEOPT", number, len(data)) + data


def request(command, cookie, offset=0, length=0, data=b"", flags=0):
    return struct.pack(">IHHQQI", 0x25609513, flags, command, cookie, offset, length) + data


STRUCTURED, EXPORT = option(8), option(7, bytes(6))
CONTEXTS = option(10, struct.pack(">III", 0, 1, 15) + b"base:allocation")
AGREED = struct.pack(">I", 3) + STRUCTURED + CONTEXTS + EXPORT
# What a client has said when it goes away, and whether a write of b"2" to block 2 is whole in it.
STATES = {
    "nothing": (b"", False),
    "half its flags": (b"\0\0", False),
    "flags": (struct.pack(">I", 3), False),
    "half an option": (struct.pack(">I", 3) + EXPORT[:20], False),
    "haggling": (struct.pack(">I", 3) + STRUCTURED + CONTEXTS, False),
    "an export": (AGREED, False),
    "half a header": (AGREED + request(READ, 1, 0, BLOCK)[:10], False),
    "reads": (AGREED + b"".join(request(READ, n, BLOCK * n, BLOCK) for n in range(200)), False),
    "half a payload": (AGREED + request(WRITE, 1, 2 * BLOCK, BLOCK, b"2" * 100), False),
    "a write": (AGREED + request(WRITE, 1, 2 * BLOCK, BLOCK, b"2" * BLOCK), True),
    "all kinds": (
        AGREED + request(WRITE, 1, 2 * BLOCK, BLOCK, b"2" * BLOCK, FUA) + request(READ, 2, 0, 1 << 20) + request(TRIM, 3, 1 << 20, 1 << 20) + request(FLUSH, 4)
        + request(WRITE_ZEROES, 5, 4 << 20, 4 << 20, flags=NO_HOLE) + request(BLOCK_STATUS, 6, 0, 1 << 30) + request(READ, 7, 0, 1 << 20),
        True,
    ),
    "goodbye": (AGREED + request(WRITE, 1, 2 * BLOCK, BLOCK, b"2" * BLOCK) + request(DISCONNECT, 2), True),
    "garbage": (AGREED + bytes(range(256)) * 8, False),
}  # fmt: skip


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("drive"), "common", "--layer", "cmr") as served:
        yield served
    assert served.status == 0


@pytest.fixture(scope="module")
def at_a_port(tmp_path_factory):
    """A port, at which a connection can be reset."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("port")
    with Served(folder, "common", "--layer", "cmr", address=str(port)) as served:
        served.port = port
        yield served
    assert served.status == 0


def good_client_works(client):
    client.write(0, b"1" * BLOCK)
    assert client.read(0, BLOCK) == b"1" * BLOCK


def wait_for(client, offset, expected):
    """A client that has closed is carried out when its turn comes."""
    end = time.monotonic() + PATIENCE
    while (found := client.read(offset, len(expected))) != expected:
        assert time.monotonic() < end, f"{found[:8]} at {offset}"


def until_the_end(peer):
    data = b""
    try:
        while piece := peer.recv(1 << 20):
            data += piece
    except ConnectionResetError:
        pass
    return data


@pytest.mark.parametrize("end", ["close", "half-close", "stall"])
@pytest.mark.parametrize("state", STATES)
def test_a_client_goes_away_in_any_state(drive, state, end):
    said, writes = STATES[state]
    good = drive.connect()
    good.write(2 * BLOCK, bytes(BLOCK))
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(drive.path))
        peer.settimeout(PATIENCE)
        peer.sendall(said)
        if end == "half-close":
            peer.shutdown(socket.SHUT_WR)
            answered = until_the_end(peer)
            if state == "reads":
                assert len(answered) > 200 * 20
        elif end == "stall":
            good_client_works(good)
    good_client_works(good)
    if writes:
        wait_for(good, 2 * BLOCK, b"2" * BLOCK)
    elif end == "half-close":
        assert good.read(2 * BLOCK, BLOCK) == bytes(BLOCK)


@pytest.mark.parametrize("state", STATES)
def test_a_connection_is_reset_in_any_state(at_a_port, state):
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", at_a_port.port)) as peer:
            peer.sendall(STATES[state][0])
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    with socket.create_connection(("127.0.0.1", at_a_port.port)) as peer:
        peer.settimeout(PATIENCE)
        peer.sendall(AGREED + request(READ, 9, 0, 512) + request(DISCONNECT, 10))
        assert len(until_the_end(peer)) > 200


def test_a_client_that_takes_nothing_costs_little_and_keeps_nobody_waiting(drive):
    before = drive.most_memory()
    greedy, other = drive.connect(), drive.connect()
    for _ in range(60):
        greedy.send(READ, 0, LARGEST)
    for _ in range(20):
        good_client_works(other)
    assert drive.most_memory() - before < 160 << 20  # what a connection may hold, and copies of it; 60 reads are 1,920 MiB
    for _ in range(8):  # it gets them, when it takes them
        greedy.answer()
        greedy.receive_and_drop(LARGEST)
    greedy.close()


def test_two_thousand_writes_sent_whole_before_a_close_are_carried_out(tmp_path):
    with Served(tmp_path, "common", "--layer", "cmr") as drive:
        client = drive.connect()
        for block in range(2000):
            client.send(WRITE, BLOCK * block, BLOCK, struct.pack(">Q", block + 1) * (BLOCK // 8))
        client.close()
        other = drive.connect()
        wait_for(other, 1999 * BLOCK, struct.pack(">Q", 2000) * (BLOCK // 8))
        found = other.read(0, 2000 * BLOCK)
        lost = [block for block in range(2000) if found[BLOCK * block : BLOCK * block + 8] != struct.pack(">Q", block + 1)]
        assert lost == []


def test_two_hundred_answers_arrive_after_a_half_close(drive):
    client = drive.connect()
    for block in range(200):
        client.send(READ, BLOCK * block, BLOCK)
    client.half_close()
    cookies = set()
    for _ in range(200):
        cookie, error = client.answer()
        assert error == 0
        client.receive(BLOCK)
        cookies.add(cookie)
    assert len(cookies) == 200
    assert client.ended()


def test_more_clients_than_there_are_places_wait_or_take_that_of_one_that_says_nothing(tmp_path):
    with Served(tmp_path, "common", "--layer", "cmr") as drive:
        silent = [socket.socket(socket.AF_UNIX) for _ in range(200)]
        for peer in silent:
            peer.connect(str(drive.path))
        good_client_works(drive.connect())
        for peer in silent:
            peer.close()


def test_zeros_are_fast_where_nothing_was_written_only(drive):
    client = drive.connect()
    place = 64 << 20
    assert client.call(WRITE_ZEROES, place, 1 << 30, flags=FAST_ZERO)[0] == 0  # nothing was written there
    client.write(place, b"1" * BLOCK)
    assert client.call(WRITE_ZEROES, place, 1 << 20, flags=FAST_ZERO)[0] == 95
    assert client.call(WRITE_ZEROES, place, 1 << 20, flags=NO_HOLE | FAST_ZERO)[0] == 95
    assert client.read(place, BLOCK) == b"1" * BLOCK
    assert client.call(WRITE_ZEROES, place, 5 << 20)[0] == 0
    assert client.read(place, 2 * BLOCK) == bytes(2 * BLOCK)
    assert client.call(WRITE_ZEROES, drive.size - 512, 1024)[0] == 28
    assert client.call(BLOCK_STATUS, 0, BLOCK)[0] == 22  # it did not ask for a context
