"""A client of a drive with zones that `tessera serve --zones` serves.

    from tessera.zoned_disk import ZonedDisk

    with ZonedDisk("unix:/tmp/zones.sock") as disk:
        zone = next(zone for zone in disk.report() if zone.condition == "empty")
        disk.write(zone.start, bytes(disk.geometry.sector_bytes))
        disk.reset_zone(zone.start)

Addresses and counts are blocks of 512 B. Each call waits for its answer; `submit` and `answer` have several requests on their way at once.
What is refused raises ZoneError, and has had no effect. The protocol: docs/guide/zone-protocol.md.
"""

import itertools
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from tessera.errors import InputError

__all__ = ["BLOCK", "Answer", "Geometry", "Zone", "ZoneError", "ZonedDisk"]

BLOCK = 512
"""Bytes of a block."""

GEOMETRY, READ, WRITE, FLUSH, REPORT, OPEN, CLOSE, FINISH, RESET = range(1, 10)
ALL_ZONES = 1
_REQUEST = struct.Struct(">IHHQQII")  # magic, command, flags, cookie, block, count, 0
_ANSWER = struct.Struct(">IHHQBBBxIII")  # magic, command, status, cookie, sense key, code, qualifier, zones, payload, 0
_GEOMETRY = struct.Struct(">HHIQQIIII")
_ZONE = struct.Struct(">QQQBBB5x")
_REQUEST_MAGIC, _ANSWER_MAGIC = 0x545A5251, 0x545A5250
_NO_POINTER = 2**64 - 1
_TYPES = {1: "conventional", 2: "sequential write required", 3: "sequential write preferred"}
_CONDITIONS = {0: "not write pointer", 1: "empty", 2: "implicitly open", 3: "explicitly open", 4: "closed", 13: "read only", 14: "full", 15: "offline"}
_STATUSES = (
    "ok", "unaligned write command", "write boundary violation", "attempt to read invalid data", "read boundary violation", "invalid field in command",
    "insufficient zone resources", "zone is read only", "zone is offline", "command not supported", "block address out of range", "unreadable sector",
    "write failed", "drive is read only", "drive failed", "not a request",
)  # fmt: skip


class ZoneError(OSError):
    """The drive refused a request, or failed it. `status` is its name, `sense` its sense key, additional sense code and qualifier."""

    def __init__(self, status: str, sense: tuple[int, int, int]):
        super().__init__(f"{status} (sense {sense[0]:X}h, {sense[1]:02X}h/{sense[2]:02X}h)")
        self.status, self.sense = status, sense


class Geometry(NamedTuple):
    """Of the drive, in blocks unless a name says bytes."""

    version: int
    blocks: int
    zone_blocks: int
    zones: int
    sector_bytes: int
    """What a sequential zone takes whole."""
    largest: int
    """Blocks of the largest read or write."""


class Zone(NamedTuple):
    """A zone of a report, in blocks."""

    type: str
    condition: str
    start: int
    blocks: int
    pointer: int | None
    """Where the next write begins; None where the condition has no pointer."""
    non_sequential: bool = False
    """NON_SEQ: the drive holds some of a preferred zone elsewhere."""


@dataclass(frozen=True)
class Answer:
    """What came back for a request; `cookie` says for which."""

    cookie: int
    command: int
    status: str
    sense: tuple[int, int, int]
    data: bytes
    """What a read has brought, or the descriptors of a report."""

    def check(self) -> "Answer":
        """Itself. Raises ZoneError unless it is good."""
        if self.status != "ok":
            raise ZoneError(self.status, self.sense)
        return self

    def zones(self) -> list[Zone]:
        """Of a report."""
        return [_zone(*fields) for fields in _ZONE.iter_unpack(self.data)]


def _zone(start: int, blocks: int, pointer: int, kind: int, condition: int, flags: int) -> Zone:
    told = _TYPES.get(kind, f"type {kind}"), _CONDITIONS.get(condition, f"condition {condition}")
    return Zone(*told, start, blocks, None if pointer == _NO_POINTER else pointer, bool(flags & 1))


class ZonedDisk:
    """A connection, which ends with a with statement. After a power cut it is gone: ConnectionError."""

    def __init__(self, address: str | Path, timeout: float = 60):
        """`address`: as of --zones, unix:PATH, PORT or HOST:PORT; a path will do. `timeout`: seconds without an answer before TimeoutError."""
        self._socket = _connected(str(address), timeout)
        self._cookies = itertools.count(1)
        fields = _GEOMETRY.unpack(self.call(GEOMETRY).data)
        version, _, block, blocks, zone_blocks, zones, sector, largest, _ = fields
        if version != 1 or block != BLOCK:
            raise InputError(f"{address}: expected version 1 of the zone protocol with blocks of {BLOCK} B, found version {version} with {block} B")
        self.geometry = Geometry(version, blocks, zone_blocks, zones, sector, largest)

    def read(self, block: int, count: int) -> bytes:
        """Zeros beyond a write pointer, unless the drive restricts reads."""
        return self.call(READ, block, count).data

    def write(self, block: int, data: bytes) -> None:
        """In a sequential zone at its write pointer, in whole sectors."""
        self.call(WRITE, block, data=data)

    def flush(self) -> None:
        """What was written before is on the platters."""
        self.call(FLUSH)

    def report(self, block: int = 0, most: int | None = None) -> list[Zone]:
        """The zones from the one of a block on."""
        wanted = self.geometry.zones if most is None else most
        return self.call(REPORT, block, wanted).zones()

    def open_zone(self, start: int) -> None:
        """OPEN ZONE: explicitly open."""
        self.call(OPEN, start)

    def close_zone(self, start: int) -> None:
        """CLOSE ZONE: closed, or empty where nothing is written."""
        self.call(CLOSE, start)

    def finish_zone(self, start: int) -> None:
        """FINISH ZONE: full."""
        self.call(FINISH, start)

    def reset_zone(self, start: int) -> None:
        """RESET WRITE POINTER: empty."""
        self.call(RESET, start)

    def reset_all(self) -> None:
        """RESET WRITE POINTER of all zones."""
        self.call(RESET, flags=ALL_ZONES)

    def call(self, command: int, block: int = 0, count: int = 0, data: bytes = b"", flags: int = 0) -> Answer:
        """One request and its answer. Raises ZoneError where that is not good."""
        cookie = self.submit(command, block, count, data, flags)
        answer = self.answer()
        if answer.cookie != cookie and answer.status != "not a request":
            raise InputError(f"the answer to request {answer.cookie} came for {cookie}: take what submit() has on its way with answer() first")
        return answer.check()

    def submit(self, command: int, block: int = 0, count: int = 0, data: bytes = b"", flags: int = 0) -> int:
        """Sends a request and does not wait; its cookie."""
        if data:
            if len(data) % BLOCK:
                raise InputError(f"a write of {len(data)} B: expected whole blocks of {BLOCK} B")
            count = len(data) // BLOCK
        cookie = next(self._cookies)
        self._socket.sendall(_REQUEST.pack(_REQUEST_MAGIC, command, flags, cookie, block, count, 0) + data)
        return cookie

    def answer(self) -> Answer:
        """The next answer, good or not, in the order in which the drive ends requests."""
        magic, command, status, cookie, key, code, qualifier, _, payload, _ = _ANSWER.unpack(self._receive(_ANSWER.size))
        if magic != _ANSWER_MAGIC:
            raise ConnectionError(f"expected an answer of the zone protocol, found bytes that begin with {magic:#010x}")
        name = _STATUSES[status] if status < len(_STATUSES) else f"status {status}"
        return Answer(cookie, command, name, (key, code, qualifier), self._receive(payload))

    def close(self) -> None:
        """Requests that the server has whole are carried out all the same."""
        self._socket.close()

    def _receive(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            piece = self._socket.recv(min(count - len(data), 1 << 20))
            if not piece:
                raise ConnectionError("the server ended the connection: it has ended, or the drive lost its power")
            data += piece
        return bytes(data)

    def __enter__(self) -> "ZonedDisk":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _connected(address: str, timeout: float) -> socket.socket:
    if address.startswith("unix:") or "/" in address:
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(address.removeprefix("unix:"))  # waits while the queue is full: with a time limit it would be refused
    else:
        host, _, port = address.rpartition(":")
        if not port.isdecimal():
            raise InputError(f"{address}: expected unix:PATH, a path, PORT or HOST:PORT")
        peer = socket.create_connection((host or "127.0.0.1", int(port)), timeout)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.settimeout(timeout)
    return peer
