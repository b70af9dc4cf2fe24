"""Calls tessera-sim."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class SimulatorError(RuntimeError):
    """tessera-sim ended with a status other than 0; it has said why on standard error."""

    def __init__(self, command: Sequence[str], status: int, output: str):
        super().__init__(f"{' '.join(command)} ended with exit status {status}")
        self.status = status
        self.output = output


def simulator() -> Path:
    """The simulator: TESSERA_SIM where that is set, otherwise what ./dev build made."""
    return Path(os.environ.get("TESSERA_SIM") or REPOSITORY / "build" / "release" / "tessera-sim")


def exit_status(returncode: int) -> int:
    """Of a process as shells say it: 128 and the number of the signal that ended it."""
    return returncode if returncode >= 0 else 128 - returncode


def run_simulator(arguments: Sequence[str | Path], quiet: bool = False) -> str:
    """Runs `tessera-sim ARGUMENTS` and returns its standard output. Standard error (progress, messages) is passed on; with `quiet`
    only where the simulator failed."""
    command = [str(simulator()), *map(str, arguments)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None, text=True)
    if quiet and result.returncode != 0:
        sys.stderr.write(result.stderr)
    if result.returncode != 0:
        raise SimulatorError(command, exit_status(result.returncode), result.stdout)
    return result.stdout


def run_for(seconds: float, arguments: Sequence[str | Path]) -> None:
    """Runs `tessera-sim ARGUMENTS`; after `seconds` the replay is asked to end in order, and the result is that of a partial run."""
    interrupted = 130
    command = [str(simulator()), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
        if process.returncode == interrupted:
            return
    if process.returncode != 0:
        sys.stderr.write(errors)
        raise SimulatorError(command, exit_status(process.returncode), output)


def layer_names() -> tuple[str, ...]:
    """Every translation layer, in the simulator's order. Raises SimulatorError."""
    return tuple(layer["name"] for layer in json.loads(run_simulator(["list", "layers", "--json"], quiet=True)))
