"""Files that are whole or not there: each is written aside, put on the disk, and renamed."""

import errno
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from tessera.errors import InputError

PARTIAL = ".partial"


def whole(file: str | Path, make: Callable[[Path], object]) -> Path:
    """The file that `make` writes. It gets a name of its own beside `file` (with the same suffix, which says what kind it is), and what it
    left takes the place of `file` when it is on the disk; of a link, not of what it points to, since folders of results may hold any. Raises OSError with the name of `file`; what was there before then stays.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     whole(Path(folder) / "a.txt", lambda aside: aside.write_text("all of it")).read_text(encoding="utf-8")
    'all of it'
    """
    target = Path(file)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file() and (not target.is_symlink() or _of_the_system(target)):  # a pipe, a device
            make(target)
            return target
        descriptor, name = tempfile.mkstemp(prefix=f".{target.stem[:64]}-", suffix=PARTIAL + "".join(target.suffixes[-2:]), dir=target.parent)
        os.close(descriptor)
    except OSError as error:
        raise _of(error, target) from None
    aside = Path(name)
    try:
        make(aside)
        with open(aside, "rb") as made:
            os.fsync(made.fileno())
        os.chmod(aside, 0o666 & ~_umask())  # mkstemp's own are of its owner alone
        os.replace(aside, target)
    except OSError as error:
        raise _of(error, target) from None
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
    return target


def make_way(file: Path) -> None:
    """A link in a folder of results may be somebody else's idea: it goes, and what it points to stays as it is. A pipe goes too: who opens it
    waits for ever."""
    if file.is_symlink() or (file.exists() and not file.is_file() and not file.is_dir()):
        file.unlink(missing_ok=True)


def own_folder(folder: Path) -> None:
    """Makes a folder inside a folder of results; a link to one elsewhere gives way to it."""
    make_way(folder)
    folder.mkdir(exist_ok=True)


def write_inside(file: str | Path, content: str | bytes) -> Path:
    """The same as write() of a result that has its place in a folder of results."""
    make_way(Path(file))
    return write(file, content)


def write(file: str | Path, content: str | bytes) -> Path:
    """Text as UTF-8, or bytes."""
    data = content.encode() if isinstance(content, str) else bytes(content)
    return whole(file, lambda aside: aside.write_bytes(data))


def apart(out: str | Path, inputs: Iterable[str | Path]) -> None:
    """Raises InputError where a command would write over a file that it reads."""
    for given in inputs:
        with suppress(OSError):
            if os.path.samefile(out, given):
                raise InputError(f"{out} is what the command reads ({given}): give --out another name")


def _of_the_system(file: Path) -> bool:
    """Such as /dev/stdout, which is a link."""
    return file.absolute().parts[1] in ("dev", "proc")


def _of(error: OSError, target: Path) -> OSError:
    """The same error, of the file that was asked for."""
    return OSError(error.errno or errno.EIO, error.strerror or str(error), str(target))


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found
