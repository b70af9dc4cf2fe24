"""gdb-multiarch from a script."""

import shutil
import subprocess

import pytest

PATIENCE = 60  # seconds: what hangs fails
COMPILER = "riscv64-unknown-elf-gcc"
NEEDED = [pytest.mark.skipif(shutil.which(program) is None, reason=f"no {program} on this machine") for program in ("gdb-multiarch", COMPILER)]


def gdb_words(image, port, *commands):
    """The command line that connects to `port` and gives GDB these commands."""
    words = ["gdb-multiarch", "-nx", "-batch", "-ex", "set confirm off", "-ex", f"target remote 127.0.0.1:{port}"]
    return [*words, *(word for command in commands for word in ("-ex", command)), image]


def gdb(image, port, *commands):
    """What GDB prints."""
    words = gdb_words(image, port, *commands)
    result = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
    return result.stdout
