"""A trace as a NumPy table, whatever its format: the simulator's readers read it."""

import tempfile
from pathlib import Path

import numpy as np

from tessera.engine.simulator import ask_simulator
from tessera.engine.temporary import work_folder
from tessera.errors import path_of

READ, WRITE, FLUSH, TRIM = range(4)


RECORD = np.dtype([("arrival", "<u8"), ("offset", "<u8"), ("size", "<u8"), ("volume", "<u4"), ("op", "<u2"), ("flags", "<u2")])
VOLUME_BIT = 52  # of a block's number: more blocks than a volume can have lie below


def reading_words(format: str | None, volume: str | None, limit: int | None) -> list[str]:
    """The simulator's options that say how a trace is read."""
    options = (("--format", format), ("--volume", volume), ("--limit", limit))
    return [word for option, value in options if value is not None for word in (option, str(value))]


def read_trace(trace: str | Path, *, format: str | None = None, volume: str | None = None, limit: int | None = None) -> np.ndarray:
    """The records of a trace: arrival (ps since the first), offset and size (bytes), volume (numbered as they first appear), op (0 read,
    1 write, 2 flush, 3 trim), flags. Raises InputError with file and line where it cannot be read."""
    path_of("trace", trace)
    words = reading_words(format, volume, limit)
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        file = Path(folder) / "trace.npy"
        ask_simulator(["convert", trace, *words, "--out", file])
        return np.load(file)


def blocks_of(records: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray]:
    """The blocks of `block` bytes that the records touch, in order, with volumes apart; and the record of each.

    >>> records = np.array([(0, 4095, 2, 0, 0, 0)], dtype=RECORD)
    >>> [found.tolist() for found in blocks_of(records, 4096)]
    [[0, 1], [0, 0]]
    """
    touching = np.flatnonzero(records["size"] > 0)
    first = (records["offset"][touching] // block).astype(np.int64)
    last = ((records["offset"][touching] + records["size"][touching] - 1) // block).astype(np.int64)
    counts = last - first + 1
    owners = np.repeat(touching, counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    numbers = np.repeat(first, counts) + within
    return numbers + (records["volume"][owners].astype(np.int64) << VOLUME_BIT), owners
