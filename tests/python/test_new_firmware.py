"""`tessera new-firmware`: what it makes does what its README says."""

import os
import re
import subprocess
import sys

import pytest
from debugger import NEEDED, PATIENCE
from samples import REPOSITORY
from simulate import SIMULATOR, simulate
from typer.testing import CliRunner

from tessera.cli import app
from tessera.firmware.elf import Image

pytestmark = [*NEEDED, pytest.mark.usefixtures("the_built_simulator")]


def new_firmware(*words, status=0):
    done = CliRunner().invoke(app, ["new-firmware", *map(str, words)])
    assert done.exit_code == status, done.output
    return done.output


@pytest.fixture
def surroundings(tmp_path):
    """`tessera` on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tessera").write_text(f'#!/bin/sh\nexec {sys.executable} -m tessera "$@"\n')
    (programs / "tessera").chmod(0o755)
    return os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR)}


def done(words, folder, environment):
    result = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=10 * PATIENCE)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_every_command_of_its_page_runs(tmp_path, surroundings):
    said = new_firmware("mine", "--out", tmp_path / "mine")
    assert "make" in said and "mine.elf" in said
    page = (tmp_path / "mine" / "README.md").read_text()
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    printed = done(["sh", "-e", "-c", commands], tmp_path / "mine", surroundings)
    assert "mine: ready" in printed
    assert re.search(r"^ +[\d.]+% .* begin$", printed, re.MULTILINE)  # of the profile
    assert (tmp_path / "mine" / "out" / "check" / "summary.json").exists()


def test_what_it_makes_is_short_and_compiles_without_a_warning(tmp_path, surroundings):
    new_firmware("mine", "--arch", "rv32imac", "--out", tmp_path / "mine")
    assert 60 <= len((tmp_path / "mine" / "firmware.c").read_text().splitlines()) <= 100
    done(["make", "CFLAGS=-std=c11 -Wall -Wextra -Werror -Os -g"], tmp_path / "mine", surroundings)
    image = tmp_path / "mine" / "mine.elf"
    assert Image(image).machine == "RISC-V, 32 bits"
    simulate("run", "demo", "--elf", image, "--workload", "zipf-writes", "--fold", "--limit", 200, "--check", "--out", tmp_path / "run")


def test_drives_of_several_zones_and_tags_are_served(tmp_path, surroundings):
    new_firmware("mine", "--out", tmp_path / "mine")
    done(["make"], tmp_path / "mine", surroundings)
    for drive in ("common", "torture"):
        simulate("run", drive, "--elf", tmp_path / "mine" / "mine.elf", "--workload", "random-4k", "--fold", "--limit", 200, "--check", "--cut-at", "100ms", "--out", tmp_path / drive)


def test_its_session_in_gdb_shows_a_command_and_registers(tmp_path, surroundings):
    new_firmware("mine", "--out", tmp_path / "mine")
    folder = tmp_path / "mine"
    done(["make"], folder, surroundings)
    (folder / "debug.gdb").write_text((folder / "debug.gdb").read_text().replace(":3333", ":$PORT"))
    run = subprocess.Popen([SIMULATOR, "run", "demo", "--elf", "mine.elf", "--workload", "random-4k", "--limit", "50", "--check", "--gdb", "0", "--out", "out/debug"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        port = run.stderr.readline().rpartition(":")[2].strip()
        script = folder / "debug.gdb"
        script.write_text(script.read_text().replace("$PORT", port))
        words = [word for command in ("continue", "print command->kind", "lines", "x/2gx 0x40006000", "x/xg 0x40001010", "delete", "continue") for word in ("-ex", command)]
        shown = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", "debug.gdb", *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        assert run.wait(timeout=PATIENCE) == 0, shown.stdout + shown.stderr
    finally:
        run.kill()
        run.wait(timeout=PATIENCE)
        run.stderr.close()
    assert "Breakpoint 1, begin (command=" in shown.stdout
    assert "$1 = 0" in shown.stdout  # a command
    assert re.search(r"pending (0|0x\w+), enabled 0x7", shown.stdout)
    assert re.search(r"0x40006000:\s+0x\w+\s+0xffffffffffffffff", shown.stdout)  # the time, and no alarm
    assert "Cannot access memory at address 0x40001010" in shown.stdout + shown.stderr  # host.complete is written only


def test_a_folder_that_is_there_and_names_that_cannot_be_are_refused(tmp_path):
    assert "exists already" in new_firmware("mine", "--out", tmp_path, status=2)
    assert "a letter first; found 'My Own'" in new_firmware("My Own", "--out", tmp_path / "own", status=2)
    assert "did you mean 'rv64imac'" in new_firmware("mine", "--arch", "rv64", "--out", tmp_path / "own", status=2)
    assert not (tmp_path / "own").exists()
