"""Cutting, scaling and merging traces, and writing them where the simulator reads them."""

import gzip
import lzma
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tessera.engine.output_file import whole, write
from tessera.errors import InputError
from tessera.traces.table import WRITE

LETTERS = np.array(["r", "w", "f", "t", "zp", "zo", "zc", "zf", "zr"], dtype="U3")  # by operation
FORCED, ALL_ZONES = 1, 2  # flags of a record: a write with FUA; a reset of all zones
COLUMNS = """# How {name} is read: tessera-sim finds this file beside it.
separator = "comma"
header = 1
time = "1:ps"
volume = "2:v"
op = 3
r = "r"
w = "w"
f = "f"
t = "t"
zp = "zp"
zo = "zo"
zc = "zc"
zf = "zf"
zr = "zr"
zra = "zra"
u = "u"
offset = "4:bytes"
size = "5:bytes"
"""
ALIGNMENT = 1 << 20  # volumes that are merged into one address space begin at a multiple of this
NAMED_BY = ".columns.toml"


def cut(records: np.ndarray, begin_ps: int = 0, end_ps: int | None = None) -> np.ndarray:
    """The records that arrive from `begin_ps` on and before `end_ps`; the first one arrives at 0. Raises InputError where none does.

    >>> from tessera.traces.table import RECORD
    >>> records = np.array([(5, 0, 512, 0, 0, 0), (7, 0, 512, 0, 0, 0), (9, 0, 512, 0, 0, 0)], dtype=RECORD)
    >>> cut(records, 6, 9)["arrival"].tolist()
    [0]
    """
    kept = records["arrival"] >= begin_ps
    if end_ps is not None:
        kept &= records["arrival"] < end_ps
    chosen = records[kept]
    if len(chosen) == 0:
        raise InputError("no record of the trace lies in that window")
    chosen["arrival"] -= chosen["arrival"][0]
    return chosen


def scale(records: np.ndarray, load: float = 1.0, addresses: float = 1.0) -> np.ndarray:
    """`load` times as many requests a second, at addresses times `addresses`, kept at multiples of 4 KiB where they were.

    >>> from tessera.traces.table import RECORD
    >>> records = np.array([(0, 8192, 512, 0, 0, 0), (100, 5000, 512, 0, 0, 0)], dtype=RECORD)
    >>> scaled = scale(records, load=2, addresses=0.5)
    >>> scaled["arrival"].tolist(), scaled["offset"].tolist()
    ([0, 50], [4096, 2048])
    """
    for name, factor in (("load", load), ("addresses", addresses)):
        if not (math.isfinite(factor) and factor > 0):
            raise InputError(f"{name}: a trace is scaled by a number above 0, found {factor}")
    ends = {"load": float(records["arrival"].max(initial=0)) / load, "addresses": float(records["offset"].max(initial=0)) * addresses}
    for name, end in ends.items():
        if end >= 2**63:
            raise InputError(f"{name}: that factor takes {'times past 106 days' if name == 'load' else 'addresses past 8 EiB'}, further than a trace can say")
    scaled = records.copy()
    scaled["arrival"] = (records["arrival"] / load).round()
    step = np.where(records["offset"] % 4096 == 0, 4096, 512)
    scaled["offset"] = (records["offset"] * addresses // step).astype(np.uint64) * step.astype(np.uint64)
    return scaled


def merge(traces: Sequence[np.ndarray], separate: bool = True) -> np.ndarray:
    """Several traces, each volume of each on a part of one address space of its own, or all over one another; in the order of arrival."""
    parts, base = [], 0
    for records in traces:
        for volume in np.unique(records["volume"]):
            part = records[records["volume"] == volume]
            end = int((part["offset"] + part["size"]).max())
            part["volume"] = 0
            part["offset"] += np.uint64(base)
            if separate:
                base += -(-end // ALIGNMENT) * ALIGNMENT
            parts.append(part)
    merged = np.concatenate(parts)
    return merged[np.argsort(merged["arrival"], kind="stable")]


def repeat(records: np.ndarray, times: int, drift: int = 0) -> np.ndarray:
    """The trace so many times, one pass a mean gap behind the other, each `drift` bytes above the one before it.

    >>> from tessera.traces.table import RECORD
    >>> records = np.array([(0, 0, 512, 0, 0, 0), (8, 512, 512, 0, 0, 0)], dtype=RECORD)
    >>> twice = repeat(records, 2, drift=4096)
    >>> twice["arrival"].tolist(), twice["offset"].tolist()
    ([0, 8, 16, 24], [0, 512, 4096, 4608])
    """
    if times < 1:
        raise InputError("a trace is repeated once at least")
    first, last = (int(records["arrival"][at]) for at in (0, -1))
    period = last - first + (last - first) // max(1, len(records) - 1)
    passes = np.repeat(np.arange(times, dtype=np.uint64), len(records))
    repeated = np.tile(records, times)
    repeated["arrival"] += passes * np.uint64(period)
    repeated["offset"] += passes * np.uint64(drift)
    return repeated


def letters(records: np.ndarray) -> list[str]:
    """What each record does, as `write_trace` says it.

    >>> from tessera.traces.table import RECORD
    >>> letters(np.array([(0, 0, 512, 0, 1, 0), (0, 0, 512, 0, 1, FORCED), (0, 0, 0, 0, 8, 0), (0, 0, 0, 0, 8, ALL_ZONES)], dtype=RECORD))
    ['w', 'u', 'zr', 'zra']
    """
    words = LETTERS[records["op"]]
    words = np.where((records["op"] == WRITE) & (records["flags"] & FORCED != 0), "u", words)
    return np.where(records["flags"] & ALL_ZONES != 0, "zra", words).tolist()


def write_trace(records: np.ndarray, file: str | Path) -> Path:
    """Writes `time,volume,op,offset,size` with picoseconds and bytes, packed where the name ends in .gz or .xz, and beside it the file
    that tells the simulator so."""
    path = Path(file)
    opened = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)

    def rows_into(aside: Path) -> None:
        with opened(aside, "wt", encoding="utf-8") as out:
            out.write("time,volume,op,offset,size\n")
            for begin in range(0, len(records), 100_000):
                part = records[begin : begin + 100_000]
                rows = zip(part["arrival"].tolist(), part["volume"].tolist(), letters(part), part["offset"].tolist(), part["size"].tolist())
                out.writelines(f"{time},{volume},{op},{offset},{size}\n" for time, volume, op, offset, size in rows)

    write(f"{path}{NAMED_BY}", COLUMNS.format(name=path.name))  # first: without it nobody could read the trace
    return whole(path, rows_into)


