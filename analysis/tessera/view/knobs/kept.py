"""Results of positions on the disk, so that the next session's page shows at once what was run before."""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tessera.engine.output_file import write
from tessera.results.steadiness import Until

VERSION = 1  # of what a result holds (tessera/view/knobs/measured.py)
MOST = 2_000  # results: some 50 kB each
FIELDS = ("key", "last", "message")


def cache_folder() -> Path:
    """Of this user: $XDG_CACHE_HOME/tessera/knobs, or ~/.cache/tessera/knobs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tessera" / "knobs"


class Kept:
    """A file for each result, under the digest of all that it depends on. A folder that cannot be written keeps nothing, and that is said once."""

    def __init__(self, folder: Path | None):
        """`folder` None: nothing is kept."""
        self._folder = folder
        self._writes = folder is not None

    def get(self, key: str, until: Until) -> dict[str, Any] | None:
        """None for one that was not kept, or whose file is damaged or of another version."""
        if self._folder is None:
            return None
        file = self._file(key, until)
        try:
            result = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(result, dict) or any(name not in result for name in FIELDS) or result["key"] != key:
            return None
        with suppress(OSError):
            os.utime(file)  # the oldest go first
        return result

    def put(self, key: str, until: Until, result: Mapping[str, Any]) -> None:
        if not self._writes or result["message"]:
            return  # why a run failed may be of this machine and hour
        assert self._folder is not None
        try:
            self._forget_oldest()
            write(self._file(key, until), json.dumps(result))
        except OSError as error:
            self._writes = False
            print(f"  note: {self._folder}: {error.strerror or error}: results are not kept after this session", file=sys.stderr)

    def _file(self, key: str, until: Until) -> Path:
        assert self._folder is not None
        parts = json.dumps([VERSION, key, until.metric, until.relative])
        return self._folder / f"{hashlib.sha256(parts.encode()).hexdigest()}.json"

    def _forget_oldest(self) -> None:
        assert self._folder is not None
        if not self._folder.is_dir():
            return
        files = list(self._folder.glob("*.json"))
        if len(files) < MOST:
            return
        ages = []
        for file in files:
            with suppress(OSError):  # another session removed it
                ages.append((file.stat().st_mtime, file))
        for _, file in sorted(ages)[: len(ages) - MOST // 2]:
            file.unlink(missing_ok=True)
