"""A run under way: what its logs hold so far, served to a page that follows them."""

import fcntl
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from tessera.engine.folder_lock import LOCK
from tessera.engine.output_file import PARTIAL
from tessera.engine.temporary import work_folder
from tessera.errors import InputError, damaged, read_json, regular, whole_numpy
from tessera.results.run_folder import SUMMARY_SCHEMA, Run
from tessera.view.loopback import Asked, LoopbackServer
from tessera.view.page import render
from tessera.view.side import side_of

MOST = 50_000  # requests that a page follows: the newest
MOST_BYTES = 1 << 26  # of a log in text; of a longer one, its end
TABLES = ("intervals.csv", "events.csv", "bands.csv")
UNDER_WAY = ", a run under way"
LOOK_SECONDS = 1.0  # between two looks at the logs
WAIT_SECONDS = 10  # that an answer is held back until there is more


class LiveRun:
    """The folder of a run that has not ended."""

    def __init__(self, folder: Path):
        """Raises InputError where no run is under way there, or where it keeps no log of its requests."""
        self.folder = folder
        if (folder / "summary.json").exists():
            raise InputError(f"{folder}: the run has ended: view it without --live")
        if not (folder / "run.json").exists():
            raise InputError(f"{folder} is not the folder of a run under way: expected that of 'tessera run ... --requests --out FOLDER', while it runs")
        if not self.log.exists():
            raise InputError(f"{folder}: the run keeps no log of its requests: start it with --requests")
        if not self.under_way():
            raise InputError(f"{folder}: the run ended before its results were whole: run it again")

    @property
    def log(self) -> Path:
        return self.folder / f"requests.npy{PARTIAL}"

    def under_way(self) -> bool:
        """Whether somebody writes the folder."""
        try:
            descriptor = os.open(self.folder / LOCK, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def size(self) -> int:
        with suppress(OSError):
            return self.log.stat().st_size
        return -1

    @contextmanager
    def so_far(self) -> Iterator[tuple[Run, int] | None]:
        """A folder that holds what the logs do now, as that of a run, and the number of requests; None before the first request."""
        with tempfile.TemporaryDirectory(dir=work_folder()) as name:
            folder = Path(name)
            requests, count = newest(self.log, MOST)
            if count == 0:
                yield None
                return
            np.save(folder / "requests.npy", requests)
            shutil.copy(self.folder / "drive.toml", folder)
            for table in TABLES:
                _copy_lines(self.folder / f"{table}{PARTIAL}", folder / table)
            run = Run(folder)
            run.summary = {"schema": SUMMARY_SCHEMA, "run": {**self._facts(), "notes": []}, "metrics": {}}
            yield run, count

    def _facts(self) -> dict[str, str]:
        file = self.folder / "run.json"
        described = read_json(file)
        options = described.get("options") if isinstance(described, dict) else None
        if not isinstance(options, dict):
            raise damaged(file)
        source = options.get("workload") or options.get("trace") or "?"
        return {"layer": str(options.get("layer") or "the drive's own"), "drive": str(options.get("drive", "?")), "input": str(source), "seed": str(options.get("seed", "?"))}


def newest(log: Path, most: int) -> tuple[np.ndarray, int]:
    """The last whole records of a log that is being written, and how many it has. Its header does not know the number yet."""
    try:
        with open(regular(log), "rb") as opened, whole_numpy(log):
            if os.fstat(opened.fileno()).st_size == 0:
                return np.empty(0), 0  # nothing has left the simulator yet
            if np.lib.format.read_magic(opened) != (1, 0):
                raise damaged(log)
            _, _, kind = np.lib.format.read_array_header_1_0(opened)
            begin = opened.tell()
            count = (os.fstat(opened.fileno()).st_size - begin) // kind.itemsize
            first = max(0, count - most)
            opened.seek(begin + first * kind.itemsize)
            return np.frombuffer(opened.read((count - first) * kind.itemsize), kind), count
    except FileNotFoundError:
        return np.empty(0), 0  # it has just got its name


def _copy_lines(table: Path, to: Path) -> None:
    """The heading and the whole lines of the end of a table that is being written, if there is one."""
    with suppress(FileNotFoundError), open(regular(table), "rb") as opened:
        heading = opened.readline()
        size = os.fstat(opened.fileno()).st_size
        if size - opened.tell() > MOST_BYTES:
            opened.seek(size - MOST_BYTES)
            opened.readline()
        lines = opened.read(MOST_BYTES)
        to.write_bytes(heading + lines[: lines.rfind(b"\n") + 1])


class Follower:
    """What a page is told of a live run. A version for each look that found more."""

    def __init__(self, run: LiveRun):
        self._run = run
        self._changed = threading.Condition()
        self._version = 0
        self._data: dict[str, Any] = {}
        self._ended = False
        self._closed = False
        self._look()
        self._thread = threading.Thread(target=self._watch, name="tessera-live", daemon=True)
        self._thread.start()

    @property
    def data(self) -> dict[str, Any]:
        return {**self._data, "live": {"version": self._version, "ended": self._ended}}

    def more(self, asked: Asked) -> dict[str, Any]:
        """What is new since the version that the page has, or that there is nothing."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._version != asked["seen"], WAIT_SECONDS)
            if self._closed:
                raise ConnectionAbortedError
            return self.data if self._version != asked["seen"] else {"live": {"version": self._version, "ended": self._ended}}

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _watch(self) -> None:
        size = self._run.size()
        while not self._ended:
            with self._changed:
                if self._changed.wait_for(lambda: self._closed, LOOK_SECONDS):
                    return
            ended = not self._run.under_way()
            if self._run.size() != size or ended:
                size = self._run.size()
                self._look(ended)

    def _look(self, ended: bool = False) -> None:
        try:
            data = self._finished() if ended else self._so_far()
        except (InputError, OSError) as error:
            data = {**self._data, "said": str(error)}
        with self._changed:
            self._data, self._ended = data, ended
            self._version += 1
            self._changed.notify_all()

    def _so_far(self) -> dict[str, Any]:
        with self._run.so_far() as found:
            if found is None:
                return _page(None, "No request has completed yet.", UNDER_WAY)
            run, count = found
            return _page(_side(run, count), f"The run goes on: {count:,} requests so far.", UNDER_WAY)

    def _finished(self) -> dict[str, Any]:
        if not (self._run.folder / "summary.json").exists():
            return {**self._data, "said": "The run ended before its results were whole."}
        run = Run(self._run.folder)
        return _page(_side(run, len(run.requests)), f"The run has ended: {len(run.requests):,} requests.", "")


def _side(run: Run, count: int) -> dict[str, Any]:
    side = side_of(run, None, str(run.summary["run"].get("layer", "run")))
    side["notes"] = ["Head positions are in no log of a run under way: view its folder when it has ended."]
    side["marks"], side["total"] = [], len(run.requests)
    if count > len(run.requests):
        side["notes"].append(f"Shown are the newest {len(run.requests):,} of {count:,} requests.")
    return side


def _page(side: dict[str, Any] | None, said: str, state: str) -> dict[str, Any]:
    if side is None:
        return {"title": f"The disk at work{state}", "origin": "0", "sides": [], "said": said}
    origin = str(side.pop("begin"))
    return {"title": f"The disk at work: {side['name']}{state}", "origin": origin, "sides": [side], "said": said}


@contextmanager
def following(folder: Path, port: int = 0) -> Iterator[LoopbackServer]:
    """Serves the page of a run under way. Raises InputError where there is none."""
    follower = Follower(LiveRun(folder))
    try:
        data = follower.data
        with LoopbackServer(render(data["title"], data, served=True), {"more": follower.more}, port) as server:
            yield server
    finally:
        follower.close()
