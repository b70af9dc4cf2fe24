"""One owner for a folder of results at a time. The simulator takes the same lock for the folder of a run."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tessera.engine.output_file import make_way
from tessera.errors import InputError

LOCK = ".lock"


@contextmanager
def owned(folder: str | Path) -> Iterator[None]:
    """Makes the folder and holds it until the block ends. Raises InputError where another program has it; a lock whose holder was killed
    counts for nothing."""
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    file = path / LOCK
    descriptor = _taken(file)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        with suppress(OSError):
            file.unlink(missing_ok=True)  # while it is held, so that nobody waits for a file that has gone
        os.close(descriptor)


def _taken(file: Path) -> int:
    while True:
        make_way(file)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise InputError(f"{file.parent}: in use by process {holder or '(unknown)'}: wait for it, or give --out another folder") from None
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(file), os.fstat(descriptor)):
                return descriptor
        os.close(descriptor)  # its holder has removed it meanwhile
