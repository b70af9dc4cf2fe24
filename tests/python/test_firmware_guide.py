"""docs/guide/firmware.md: every command of it, and the session in GDB line by line, but for addresses and times."""

import os
import re
import subprocess
import sys

import pytest
from debugger import NEEDED, PATIENCE, gdb
from images import build_layer
from samples import REPOSITORY
from simulate import SIMULATOR
from test_gdb_drive import waiting_run

PAGE = (REPOSITORY / "docs" / "guide" / "firmware.md").read_text()
pytestmark = NEEDED


@pytest.fixture(scope="module")
def image():
    return build_layer("imr-rmw")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_command_runs(image, tmp_path):
    (tmp_path / "build" / "release").mkdir(parents=True)
    (tmp_path / "build" / "release" / "tessera-sim").symlink_to(SIMULATOR)
    (tmp_path / "build" / "firmware").symlink_to(image.parent)
    (tmp_path / "tests").symlink_to(REPOSITORY / "tests")
    (tmp_path / "dev").write_text("#!/bin/sh\n")  # the images are there
    (tmp_path / "dev").chmod(0o755)
    (tmp_path / "tessera").write_text(f'#!/bin/sh\nexec {sys.executable} -m tessera "$@"\n')
    (tmp_path / "tessera").chmod(0o755)
    found = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR)}
    build_layer("cmr")
    build_layer("cmr", "data,stack")
    assert len(blocks("sh")) == 8
    for text in blocks("sh"):
        done = subprocess.run(["sh", "-e", "-c", text], cwd=tmp_path, env=os.environ | found, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10 * PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("plain firmware: ready")


def test_the_session_in_gdb_says_what_the_page_shows(image, tmp_path):
    session = next(text for text in blocks("text") if "(gdb) " in text)
    lines = session.splitlines()[2:]  # behind the connection
    commands = [line.removeprefix("(gdb) ") for line in lines if line.startswith("(gdb) ")]
    with waiting_run(image, tmp_path, "--prefill", 100, "--workload", "web-server", "--limit", 2000, "--check") as (process, port):
        printed = gdb(image, port, *commands)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0

    def plain(text):
        return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "N", text)

    seen = [plain(line) for line in printed.splitlines()]
    for line in lines:
        if not line.startswith("(gdb) "):
            assert plain(line) in seen
