"""A client of the NBD protocol in a few lines, and the served drive that it talks to."""

import itertools
import re
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

from simulate import SIMULATOR

READ, WRITE, DISCONNECT, FLUSH, TRIM = range(5)
WRITE_ZEROES, BLOCK_STATUS = 6, 7
FUA, NO_HOLE, ONE_PIECE, ONE_EXTENT, FAST_ZERO = 1, 2, 4, 8, 16
PATIENCE = 60  # seconds, for a machine that is busy


class Served:
    """`tessera-sim serve` on a Unix-domain socket, until the end of a with statement."""

    def __init__(self, folder, drive, *options, address=None, **how):
        """`address`: a port in place of the socket; `how`: of subprocess.Popen."""
        self.path = folder / "disk.sock"
        self.log = folder / "serve.log"
        self.uri = f"nbd+unix:///?socket={self.path}"
        command = [SIMULATOR, "serve", drive, "--nbd", address or f"unix:{self.path}", *options]
        with self.log.open("w") as log:
            self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **how)
        self.said("serving ")
        self.size = int(re.search(r"serving (\d+) bytes", self.log.read_text())[1])

    def said(self, words, times=1):
        """Waits until it has said this so often."""
        end = time.monotonic() + PATIENCE
        while self.log.read_text().count(words) < times:
            assert self.process.poll() is None and time.monotonic() < end, self.log.read_text()
            time.sleep(0.01)

    def cut_power(self, times=1):
        self.process.send_signal(signal.SIGUSR2)
        self.said("the drive serves again", times)

    def kill(self):
        """Nothing is tidied up."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def most_memory(self):
        """The most bytes of memory that it has taken so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def connect(self):
        return Client(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.status = self.process.wait(PATIENCE)


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))  # waits while the queue is full: with a time limit it would be refused
        self.socket.settimeout(PATIENCE)
        self.cookies = itertools.count(1)
        assert self.receive(18)[:8] == b"NBDMAGIC"
        self.socket.sendall(struct.pack(">I8sII", 3, b"IHAVEOPT", 1, 0))
        self.size, self.flags = struct.unpack(">QH", self.receive(10))

    def receive(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError("the server ended the connection")
            data += piece
        return data

    def receive_and_drop(self, count):
        while count > 0:
            piece = self.socket.recv(min(count, 1 << 20))
            if not piece:
                raise ConnectionError("the server ended the connection")
            count -= len(piece)

    def send(self, command, offset=0, length=0, data=b"", flags=0):
        cookie = next(self.cookies)
        self.socket.sendall(struct.pack(">IHHQQI", 0x25609513, flags, command, cookie, offset, length) + data)
        return cookie

    def call(self, command, offset=0, length=0, data=b"", flags=0):
        """The error, and what was read."""
        cookie = self.send(command, offset, length, data, flags)
        magic, error, answered = struct.unpack(">IIQ", self.receive(16))
        assert (magic, answered) == (0x67446698, cookie)
        return error, self.receive(length) if command == READ and error == 0 else b""

    def write(self, offset, data, flags=0):
        assert self.call(WRITE, offset, len(data), data, flags)[0] == 0

    def read(self, offset, length):
        error, data = self.call(READ, offset, length)
        assert error == 0
        return data

    def flush(self):
        assert self.call(FLUSH)[0] == 0

    def ended(self):
        """Whether the server ends the connection."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionResetError:
            pass
        return True

    def answer(self):
        """The cookie and the error of the next answer."""
        magic, error, cookie = struct.unpack(">IIQ", self.receive(16))
        assert magic == 0x67446698
        return cookie, error

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()
