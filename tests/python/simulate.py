"""Runs the built simulator for tests of the program as a whole."""

import subprocess
from pathlib import Path

from samples import BUILD

from tessera import Run

SIMULATOR = BUILD / "tessera-sim"
LAYERS = ("cmr", "imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "mu-rmw")


def simulate(*arguments, status=0) -> subprocess.CompletedProcess:
    """The finished process; fails the test where the exit status is not `status`."""
    result = subprocess.run([SIMULATOR, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == status, f"exit status {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result


def run(folder: Path, drive: str, *arguments, status=0) -> Run:
    simulate("run", drive, *arguments, "--out", folder, status=status)
    return Run(folder)
