"""Debuggers that are killed, reset or half-closed at the processor of a drive: the run goes on, to the results that it has without them."""

import contextlib
import json
import socket
import struct
import subprocess

import pytest
from debugger import NEEDED, PATIENCE, gdb_words
from images import build_plain
from simulate import simulate
from test_gdb_drive import SHORT, figures, waiting_run

pytestmark = NEEDED
KILL = "shell kill -KILL $PPID"


def packet(payload):
    return b"$" + payload + b"#%02x" % (sum(payload) & 255)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """An image, and the figures of a run of it that nobody looked at."""
    folder = tmp_path_factory.mktemp("alone")
    image = build_plain(folder)
    simulate("run", "demo", "--elf", image, *SHORT, "--out", folder / "out")
    return image, figures(folder / "out")


@contextlib.contextmanager
def run_that_ends_well(alone, out):
    """The port of a run that has to end by itself, with the results of the one that nobody looked at."""
    image, expected = alone
    with waiting_run(image, out) as (process, port):
        yield port
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, said
    assert figures(out) == expected
    assert not json.loads((out / "summary.json").read_text())["run"]["partial"]


@pytest.mark.parametrize(
    "commands",
    [
        ([KILL]),
        (["watch commands_taken", KILL]),
        (["watch commands_taken", "continue", KILL]),
        (["watch commands_taken", "continue", "continue", "stepi 20", KILL]),
        (["shell (sleep 0.2; kill -KILL $PPID) &", "continue"]),
        (["shell (sleep 0.2; kill -KILL $PPID) &", "stepi 100000"]),
        (["monitor requests", "x/4000xw $sp", KILL]),
    ],
    ids=["connected", "watching", "stopped", "stepped", "running", "stepping", "reading"],
)
def test_a_killed_gdb_leaves_the_run_as_it_is(alone, tmp_path, commands):
    with run_that_ends_well(alone, tmp_path) as port:
        subprocess.run(gdb_words(alone[0], port, *commands), stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)


@pytest.mark.parametrize("end", ["close", "reset", "half-close"])
@pytest.mark.parametrize("sent", [packet(b"m80000000,40") * 3000, packet(b"g") * 100, packet(b"?") + b"$m800000", packet(b"s") * 200, packet(b"vCont;c") + packet(b"g") * 50],
                         ids=["answers", "registers", "half a packet", "steps", "running"])  # fmt: skip
def test_a_peer_that_goes_away_leaves_the_run_as_it_is(alone, tmp_path, sent, end):
    with run_that_ends_well(alone, tmp_path) as port, socket.create_connection(("127.0.0.1", port)) as peer:
        peer.sendall(sent)
        if end == "reset":
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if end == "half-close":
            peer.shutdown(socket.SHUT_WR)
            peer.settimeout(PATIENCE)
            while peer.recv(65536):
                pass
