"""Calls tessera-sim."""

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

from tessera.errors import InputError

REPOSITORY = Path(__file__).resolve().parents[3]
BAD_INPUT = 2
HEED_SECONDS = 0.2  # a wait goes on for so long before signals are looked at
STOPPED = (129, 130, 143)  # after SIGHUP, SIGINT, SIGTERM: the run ended in order, before its input did


def ending(status: int) -> str:
    """How a process ended, by its status as shells say it.

    >>> ending(1), ending(137)
    ('ended with exit status 1', 'was killed by signal 9 (SIGKILL)')
    """
    number = status - 128
    return f"was killed by signal {number} ({signal.Signals(number).name})" if number in set(signal.Signals) else f"ended with exit status {status}"


class SimulatorError(RuntimeError):
    """tessera-sim ended with a status other than 0; `message` is what it said on standard error, empty where that was passed on."""

    def __init__(self, command: Sequence[str], status: int, output: str, message: str = ""):
        super().__init__(f"{' '.join(command)} {ending(status)}" if command else message)
        self.status = status
        self.output = output
        self.message = message


def simulator() -> Path:
    """The simulator: TESSERA_SIM where that is set; what was installed with this package; what ./dev build made."""
    if named := os.environ.get("TESSERA_SIM"):
        return Path(named)
    installed = Path(__file__).parents[1] / "bin" / "tessera-sim"
    return installed if installed.exists() else REPOSITORY / "build" / "release" / "tessera-sim"


CALLED_AS_TESSERA = {"TESSERA_CALLED_AS": "tessera"}  # what the simulator then calls itself in what a user reads unchanged
LAYERS_IN_PYTHON = {"TESSERA_PYTHON": sys.executable or ""}  # finds modules as this process does


def become(arguments: Sequence[str] | None = None) -> NoReturn:
    """This process is the simulator from here on, with these arguments under the name `tessera`, or with its own: the command
    `tessera-sim` of an installed package. Raises InputError where there is no simulator."""
    program = str(simulator())
    try:
        if arguments is None:
            os.execve(program, [program, *sys.argv[1:]], LAYERS_IN_PYTHON | os.environ)
        os.execve(program, [program, *arguments], LAYERS_IN_PYTHON | os.environ | CALLED_AS_TESSERA)
    except OSError as error:
        raise _no_simulator(program, error) from None


@cache
def _digest(path: Path, size: int, changed_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def simulator_digest() -> str:
    """SHA-256 of the simulator: two programs with one digest give the same results. Raises InputError where there is no simulator."""
    path = simulator()
    try:
        state = path.stat()
    except OSError:
        raise InputError(f"there is no simulator at {path}; './dev build' makes one, and TESSERA_SIM names another") from None
    return _digest(path, state.st_size, state.st_mtime_ns)


def python_layers_digest() -> str | None:
    """SHA-256 of what runs layers in Python, next to the simulator or in an installation; None where there is nothing."""
    place = simulator().parent
    for file in (found for folder in (place, place.parent / "lib" / "tessera") for found in sorted(folder.glob("tessera_python-*.so"))):
        state = file.stat()
        return _digest(file, state.st_size, state.st_mtime_ns)
    return None


def exit_status(returncode: int) -> int:
    """Of a process as shells say it: 128 and the number of the signal that ended it."""
    return returncode if returncode >= 0 else 128 - returncode


def said(standard_error: str) -> str:
    """What the simulator said on standard error, without its name and the lines of progress."""
    lines = [line.rsplit("\r", 1)[-1].strip() for line in standard_error.split("\n")]
    return "; ".join(re.sub(r"^tessera(-sim)?( \w+)?: ", "", line) for line in lines if line)


def _surroundings(as_tessera: bool = False) -> dict[str, str]:
    """The environment of a simulator that ends when this process does, however that ends: nobody would take its results."""
    return {**LAYERS_IN_PYTHON, **os.environ, "TESSERA_ENDS_WITH": str(os.getpid())} | (CALLED_AS_TESSERA if as_tessera else {})


# What the simulator prints is UTF-8, whatever the locale says; a name that is none is shown as well as it can be.
TEXT: dict[str, str] = {"encoding": "utf-8", "errors": "replace"}


def heed_interrupts() -> None:
    """Polars handles SIGINT from its import on, so that system calls go on after the handler: no wait for a simulator would end."""
    signal.siginterrupt(signal.SIGINT, True)


def run_simulator(arguments: Sequence[str | Path], quiet: bool = False, as_tessera: bool = False) -> str:
    """Runs `tessera-sim ARGUMENTS` and returns its standard output. Standard error (progress, messages) is passed on; with `quiet`
    only where the simulator failed. With `as_tessera` messages and help name that command."""
    command = [str(simulator()), *map(str, arguments)]
    heed_interrupts()
    try:
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE if quiet else None, env=_surroundings(as_tessera), **TEXT)
    except OSError as error:
        raise _no_simulator(command[0], error) from None
    except ValueError as error:
        raise _no_words(error) from None
    if quiet and result.returncode != 0:
        sys.stderr.write(result.stderr)
    if result.returncode != 0:
        raise SimulatorError(command, exit_status(result.returncode), result.stdout)
    return result.stdout


def _no_words(error: ValueError) -> InputError:
    return InputError(f"the options cannot be given to the simulator: {error}")


def _no_simulator(program: str, error: OSError) -> InputError:
    return InputError(f"there is no simulator at {program} ({error.strerror}); './dev build' makes one, and TESSERA_SIM names another")


def ask_simulator(arguments: Sequence[str | Path], progress: bool = False) -> str:
    """Runs `tessera-sim ARGUMENTS` and returns its standard output. Raises InputError with what it said where it refused them, and
    SimulatorError with what it said where it failed otherwise. Standard error stays silent; with `progress` it is passed on where it is a
    terminal, and has lines that say how far the run is elsewhere."""
    command = [str(simulator()), *map(str, arguments)]
    on_terminal = progress and sys.stderr.isatty()
    with tempfile.TemporaryFile("w+", **TEXT) as messages, _standard_error(progress and not on_terminal) as told:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=None if on_terminal else messages,
                env=_surroundings(as_tessera=True) | {"TESSERA_PROGRESS": str(descriptor) for descriptor in told},
                pass_fds=told,
                **TEXT,
            )
        except OSError as error:
            raise _no_simulator(command[0], error) from None
        except ValueError as error:
            raise _no_words(error) from None
        printed = _awaited(process)
        messages.seek(0)
        message = said(messages.read())
    status = exit_status(process.returncode)
    if status == BAD_INPUT:
        raise InputError(message)
    if status != 0:
        raise SimulatorError(command, status, printed, message)
    return printed


@contextlib.contextmanager
def _standard_error(wanted: bool) -> Iterator[tuple[int, ...]]:
    """A descriptor for it that is a child's, too; none where it is not wanted, or closed."""
    try:
        descriptor = os.dup(2) if wanted else None
    except OSError:
        descriptor = None
    try:
        yield () if descriptor is None else (descriptor,)
    finally:
        if descriptor is not None:
            os.close(descriptor)


_under_way: dict[subprocess.Popen, int] = {}  # with the thread that waits for it


def _awaited(process: subprocess.Popen) -> str:
    """What the process prints until it ends. An exception here (Ctrl-C) ends it. No wait is for good: of two signals at once another thread
    may take the second one, and no thread but the main one heeds it, when it goes on."""
    heed_interrupts()
    _under_way[process] = threading.get_ident()
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=HEED_SECONDS)[0]
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        del _under_way[process]


def end_simulators(threads: Collection[int]) -> None:
    """Asks every simulator that one of these threads waits for to end in order."""
    for process, thread in tuple(_under_way.items()):
        if thread in threads:
            process.terminate()


def run_for(seconds: float, arguments: Sequence[str | Path]) -> None:
    """Runs `tessera-sim ARGUMENTS`; after `seconds` the replay is asked to end in order, and the result is that of a partial run."""
    interrupted = 130
    command = [str(simulator()), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_surroundings(), **TEXT)
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
    """Every translation layer that takes writes anywhere, so that any workload runs on it, in the simulator's order. Raises SimulatorError."""
    return tuple(layer["name"] for layer in json.loads(run_simulator(["list", "layers", "--json"], quiet=True)) if not layer.get("zones"))
