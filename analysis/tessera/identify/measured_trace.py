"""Traces of measured responses, in DiskSim's drive-validation format: a line for each request, sent one at a time."""

import gzip
import lzma
from pathlib import Path

import numpy as np

from tessera.errors import InputError

COLUMNS = "R|W class block blocks service_us think_us"
RECORD = np.dtype([("write", bool), ("block", "u8"), ("blocks", "u4"), ("response_ms", "f8"), ("think_ms", "f8")])
_COMPRESSED = {b"\xfd7zXZ\x00": lzma.open, b"\x1f\x8b": gzip.open}  # by their first bytes, as the simulator tells them


class TraceError(InputError):
    """A trace that cannot be read: file, line and what was expected."""


def read_measured(path: Path) -> np.ndarray:
    """The requests in order, as RECORD; plain, gzip or xz, with comments and blank lines as the simulator has them. Raises TraceError."""
    try:
        with open(path, "rb") as file:
            start = file.read(6)
        reader = next((opened for magic, opened in _COMPRESSED.items() if start.startswith(magic)), open)
        with reader(path, "rt", encoding="ascii") as lines:
            rows = [_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip() and line.strip()[0] not in "#%"]
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise TraceError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except UnicodeDecodeError:
        raise TraceError(f"{path}: not a text of lines {COLUMNS} (plain, gzip or xz)") from None
    if not rows:
        raise TraceError(f"{path}: the trace holds no request")
    return np.array(rows, dtype=RECORD)


def _row(path: Path, number: int, line: str) -> tuple[bool, int, int, float, float]:
    fields = line.split()
    if len(fields) != 6 or fields[0] not in ("R", "W"):
        raise TraceError(f"{path}:{number}: expected {COLUMNS}, found '{line.strip()}'")
    try:
        row = fields[0] == "W", int(fields[2]), int(fields[3]), float(fields[4]) / 1000, float(fields[5]) / 1000
    except ValueError as error:
        raise TraceError(f"{path}:{number}: {error}; expected {COLUMNS}") from None
    if row[1] < 0 or row[2] < 1 or not all(np.isfinite(time) and time >= 0 for time in row[3:]):
        raise TraceError(f"{path}:{number}: expected a block, at least one block's length, and times from 0 on, found '{line.strip()}'")
    return row
