"""Programs under chaos: started without rights or room, watched, killed. Each is a fork of a server that has loaded the package already."""

import atexit
import multiprocessing
import os
import resource
import signal
import stat
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tessera import cli
from tessera.engine.simulator import simulator

PATIENCE = 300  # seconds for a command: longer is a hang, even where many others want the processors
NOBODY = 65534  # the user's number in Debian


class Broken(Exception):
    """What chaos is looking for."""


def without_room(most_bytes: int) -> None:
    """Files of this program end at a length; a write past it is an error, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


@cache
def has_stranger() -> bool:
    """Whether there is another user for programs, who reaches the package and the simulator."""
    if os.getuid() != 0:
        return False
    needed = [simulator().resolve(), Path(sys.prefix), Path(cli.__file__)]
    return all(place.stat().st_mode & stat.S_IXOTH for file in needed for place in (*file.parents, needed[0]))


def as_nobody() -> None:
    """This program is another user's: it obeys the modes of files, as root's does not."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def tessera(what: str, plan: Path, out: Path, *more: str) -> list[str]:
    """The words of a command."""
    return ["tessera", what, str(plan), "--out", str(out), "--jobs", "2", *more]


FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["loaded"])


class Program:
    """A command that runs; what it says goes to a pipe, which has room for it."""

    def __init__(self, words: list[str], first: Callable[..., None] | None = None, *given: int):
        self.words = words
        self._said, out = os.pipe()
        os.set_blocking(self._said, False)
        self._process = FORKS.Process(target=_become, args=(words, FORKS.reducer.DupFd(out), first, given))
        self._process.start()
        os.close(out)
        self.pid = self._process.pid

    def runs(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        os.close(self._said)

    def ended(self) -> tuple[int, str]:
        """Status and message. Raises Broken for a hang, a traceback and an internal error."""
        self._process.join(PATIENCE)
        if self._process.exitcode is None:
            self.kill()
            raise Broken(f"a command hangs: {self.words}")
        said = os.read(self._said, 1 << 16).decode(errors="replace")
        os.close(self._said)
        if "Traceback" in said or "internal error" in said:
            raise Broken(f"a traceback or an internal error: {said}")
        return self._process.exitcode, said


def _become(words: list[str], said: object, first: Callable[..., None] | None, given: tuple[int, ...]) -> None:
    """The program itself."""
    from loaded import COMMAND

    descriptor = said.detach()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
    sys.argv = words
    if first is not None:
        first(*given)
    try:
        COMMAND()
    finally:
        atexit._run_exitfuncs()  # which a fork of multiprocessing leaves out


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def simulators_under(place: Path) -> list[int]:
    """Simulators that write below the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "comm").read_text().startswith("tessera-sim") and str(place) in (entry / "cmdline").read_text():
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended
    return found
