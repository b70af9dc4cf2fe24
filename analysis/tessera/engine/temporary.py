"""Temporary folders that a killed program does not leave for ever: the next one removes those whose owner has gone."""

import atexit
import fcntl
import os
import shutil
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

PREFIX = "tessera-work-"
UNOWNED = "tessera-new-"  # of a folder that nobody holds yet, so that nobody takes it for one whose owner has gone
LOCK = ".lock"
_bases: dict[int, tuple[Path, int]] = {}  # by process, since a fork has another
_making = threading.Lock()


def temporary_folder() -> Path:
    """A new folder for one run, which the caller removes."""
    return Path(tempfile.mkdtemp(dir=work_folder()))


def work_folder() -> Path:
    """The folder of this process in which its temporary folders are. It is held by a lock, which ends with the process however that ends,
    and removed at the end of a process that ends in order."""
    with _making:
        if (own := _bases.get(os.getpid())) is not None and own[0].is_dir():
            return own[0]
        remove_abandoned()
        unowned = Path(tempfile.mkdtemp(prefix=UNOWNED))
        descriptor = os.open(unowned / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        base = unowned.with_name(PREFIX + unowned.name.removeprefix(UNOWNED))
        unowned.rename(base)
        _bases[os.getpid()] = (base, descriptor)
        return base


@atexit.register
def remove_own() -> None:
    """At the end of this process: its folder."""
    if (own := _bases.pop(os.getpid(), None)) is not None:
        shutil.rmtree(own[0], ignore_errors=True)
        os.close(own[1])


def remove_abandoned() -> None:
    """Folders of this user whose lock nobody holds."""
    for base in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if base.is_symlink() or base.stat().st_uid != os.getuid():
                continue
            descriptor = os.open(base / LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(base, ignore_errors=True)
            finally:
                os.close(descriptor)
