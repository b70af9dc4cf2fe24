"""Miss ratio curves: what every size of a cache would hold, from one pass over a trace."""

from pathlib import Path

import numpy as np
import polars as pl

from tessera.errors import path_of, wrong, InputError, fitting, unknown_name
from tessera.explore.axes import amount
from tessera.figures.chart import Axis, Line, Lines
from tessera.results.run_folder import Run
from tessera.traces.reuse import MissRatios, exact, sampled
from tessera.traces.table import READ, RECORD, WRITE, blocks_of, read_trace

OPERATIONS = {"all": (READ, WRITE), "reads": (READ,), "writes": (WRITE,)}
HOST_BLOCK = 512  # bytes of the unit in which a run logs addresses


def records_of(source: str | Path) -> np.ndarray:
    """The records of a trace, or of the requests that a run with --requests served, in the order of their arrival."""
    if not path_of("source", source).is_dir():
        return read_trace(source)
    log = Run(source).requests
    log = log[np.argsort(log["number"], kind="stable")]
    records = np.zeros(len(log), dtype=RECORD)
    records["arrival"], records["op"] = log["arrival"], log["op"]
    records["offset"], records["size"] = log["lba"] * HOST_BLOCK, log["blocks"].astype(np.uint64) * HOST_BLOCK
    return records


def bytes_of(text: str) -> int:
    """
    >>> bytes_of("4 MiB")
    4194304
    """
    value, unit = amount(text)
    if unit != "B" or value < 1:
        raise InputError(f"expected a size such as \"4 KiB\", found '{text}'")
    return int(value)


def miss_ratios(
    source: str | Path | np.ndarray, *, block: str = "4 KiB", operations: str = "all", sizes: list[str] | None = None, sample: float | None = None
) -> MissRatios:
    """Miss ratio of a least-recently-used cache by its size, first references counted as misses.

    `source`: a trace, the folder of a run with --requests, or records. `block` is what the cache holds as one: "4 KiB" for a cache of
    sectors, "4 MiB" for a map page of 1,024 entries. `operations`: "all", "reads" or "writes" refer to it. `sample`: the share of the blocks
    that is followed; all of them, exactly, where it is not given.
    """
    if operations not in OPERATIONS:
        raise unknown_name("kind of operations", operations, OPERATIONS)
    if sample is not None and (isinstance(sample, bool) or not isinstance(sample, int | float)):
        raise wrong("sample", "a share above 0 and up to 1", sample)
    with fitting("records" if isinstance(source, np.ndarray) else source):
        records = source if isinstance(source, np.ndarray) else records_of(source)
    unit = bytes_of(block)
    followed = records[np.isin(records["op"], OPERATIONS[operations])]
    if not len(followed):
        where = "" if isinstance(source, np.ndarray) else f"{source}: "
        held = ", ".join(f"{count:,} {name}" for name, kinds in OPERATIONS.items() if name != "all" and (count := int(np.isin(records["op"], kinds).sum())))
        raise InputError(f"{where}there is nothing to follow: the trace has no {'reads and writes' if operations == 'all' else operations}, but {held or 'flushes and trims alone'}")
    references, _ = blocks_of(followed, unit)
    wanted = None if sizes is None else np.array([bytes_of(size) // unit for size in sizes])
    return exact(references, wanted) if sample is None else sampled(references, sample, wanted)


def frame(curve: MissRatios, block: str) -> pl.DataFrame:
    """A row a size: blocks, bytes, miss_ratio, half_width_95."""
    return pl.DataFrame({
        "blocks": curve.sizes, "bytes": curve.sizes * bytes_of(block), "miss_ratio": curve.ratios, "half_width_95": curve.half_widths,
    })  # fmt: skip


def chart(curve: MissRatios, block: str) -> Lines:
    megabytes = (curve.sizes * bytes_of(block) / 2**20).tolist()
    widths = curve.half_widths.tolist() if curve.rate < 1 else None
    line = Line("least recently used", megabytes, (100 * curve.ratios).tolist(), None if widths is None else [100 * width for width in widths])
    return Lines("miss-ratio", "Miss ratio by the size of a cache", Axis("size (MiB)", log=True), Axis("references that miss (%)"), [line], steps=widths is None)
