"""Temporary folders: one owner a process, gone with it, and never taken from an owner who is only just beginning."""

import fcntl
import os
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from tessera.engine import temporary


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A temporary directory, and a process that has no folder in it yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "_bases", {})
    yield tmp_path
    temporary.remove_own()


def test_a_folder_is_not_removed_between_its_making_and_its_lock(place, monkeypatch):
    """As another program's sweep would that begins at that moment."""
    real, others = fcntl.flock, []

    def flock(descriptor: int, how: int) -> None:
        if not how & fcntl.LOCK_NB:
            others.append(how)
            temporary.remove_abandoned()
        real(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    assert temporary.temporary_folder().is_dir()
    assert others


def test_threads_that_begin_together_have_one_folder(place, monkeypatch):
    real = tempfile.mkdtemp

    def slow(*words: object, **options: object) -> str:
        time.sleep(0.05)
        return real(*words, **options)

    monkeypatch.setattr(tempfile, "mkdtemp", slow)
    found = []
    threads = [threading.Thread(target=lambda: found.append(temporary.temporary_folder())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(folder.is_dir() for folder in found)
    assert len({folder.parent for folder in found}) == 1
    assert [folder.name for folder in place.iterdir()] == [found[0].parent.name]


@pytest.mark.parametrize(("ending", "left"), [("pass", 0), ("sys.exit(3)", 0), ("1 / 0", 0), ("os.kill(os.getpid(), 9)", 1)])
def test_a_process_takes_its_folder_along_and_the_next_one_what_a_killed_one_left(place, ending, left):
    program = f"import os, sys, tessera.engine.temporary as t; t.temporary_folder(); {ending}"
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "TMPDIR": str(place)}, stderr=subprocess.DEVNULL)
    assert len(list(place.iterdir())) == left
    temporary.remove_abandoned()
    assert list(place.iterdir()) == []
