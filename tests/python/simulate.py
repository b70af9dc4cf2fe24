"""Runs the built simulator for tests of the program as a whole."""

import json
import os
import subprocess
import sys
from pathlib import Path

from samples import BUILD

from tessera import Run

SIMULATOR = BUILD / "tessera-sim"


def fresh(arguments) -> tuple:
    """Runs begin with empty caches where a test does not say otherwise: in half the time, and with the figures of their own requests alone."""
    if arguments[:1] not in (("run",), ("compare",)) or {"--caches", "--load-state", "--help", "--list-inputs"}.intersection(map(str, arguments)):
        return arguments
    return (*arguments, "--caches", "empty")


def started(arguments) -> dict:
    """The program that has the command, with the built simulator, as a process is started with it."""
    program = [sys.executable, "-m", "tessera"] if arguments[:1] == ("compare",) else [SIMULATOR]
    return {"args": [*program, *map(str, arguments)], "env": {**os.environ, "TESSERA_SIM": str(SIMULATOR)}}


def simulate(*arguments, status=0) -> subprocess.CompletedProcess:
    """The finished process; fails the test where the exit status is not `status` (None: any that leaves results)."""
    result = subprocess.run(**started(fresh(arguments)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode == status or (status is None and result.returncode in (0, 1)), f"exit status {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result


def run(folder: Path, drive: str, *arguments, status=0) -> Run:
    simulate("run", drive, *arguments, "--out", folder, status=status)
    return Run(folder)


# Every layer of the list that takes writes anywhere, so that a new one is tested as soon as it is in it; none where the simulator is not built.
_LIST = json.loads(simulate("list", "layers", "--json").stdout) if SIMULATOR.exists() else []
LAYERS = tuple(layer["name"] for layer in _LIST if not layer["zones"])
FLASH_LAYERS = tuple(layer["name"] for layer in _LIST if layer["needs_flash"])
