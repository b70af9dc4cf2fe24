"""What a trace is like beyond its counts: working set, reuse, overwriting, order, bursts."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tessera.errors import InputError
from tessera.figures.chart import Axis, Heat
from tessera.results.human import size, time as time_text
from tessera.traces.reuse import COLD, reuse_distances
from tessera.traces.table import READ, WRITE, blocks_of

BLOCK = 4096  # bytes
PERCENTILES = (50, 90, 99)
GAP_PERCENTILES = (50, 90, 99, 99.9)
WINDOW_PS = 10**12  # of the index of dispersion: a second
HOT_SHARES = (0.01, 0.1)
HEAT_CELLS = (24, 12)  # of time, of addresses


def measures(records: np.ndarray, percentiles: Sequence[float] | None = None) -> dict[str, Any]:
    """`percentiles`: of the reuse distances and the gaps, instead of the usual ones. Raises InputError for a trace that reads and writes
    nothing."""
    accesses = records[np.isin(records["op"], (READ, WRITE))]
    if len(accesses) == 0:
        raise InputError("the trace reads and writes nothing: there is nothing to measure")
    blocks, owners = blocks_of(accesses, BLOCK)
    written = accesses["op"][owners] == WRITE
    return {
        "requests": len(accesses),
        "write_share": float((accesses["op"] == WRITE).mean()),
        "mean_read_bytes": _mean(accesses["size"][accesses["op"] == READ]),
        "mean_write_bytes": _mean(accesses["size"][accesses["op"] == WRITE]),
        "working_set_bytes": len(np.unique(blocks)) * BLOCK,
        "read_set_bytes": len(np.unique(blocks[~written])) * BLOCK,
        "written_set_bytes": len(np.unique(blocks[written])) * BLOCK,
        **_reuse(blocks, percentiles or PERCENTILES),
        **_history(blocks, written),
        **_hot(blocks),
        **_order(accesses),
        **_bursts(accesses["arrival"], percentiles or GAP_PERCENTILES),
    }


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None


def _reuse(blocks: np.ndarray, percentiles: Sequence[float]) -> dict[str, float | None]:
    """Bytes of other blocks between two accesses of one; first accesses apart."""
    distances = reuse_distances(blocks)
    again = distances[distances != COLD]
    found = {f"reuse_distance_p{p:g}_bytes": float(np.percentile(again, p)) * BLOCK if len(again) else None for p in percentiles}
    return {"first_access_share": float((distances == COLD).mean()), **found}


def _history(blocks: np.ndarray, written: np.ndarray) -> dict[str, float | None]:
    """What the access before, of the same block, was."""
    order = np.argsort(blocks, kind="stable")
    same = blocks[order][1:] == blocks[order][:-1]
    now, before = written[order][1:][same], written[order][:-1][same]
    first_writes = len(np.unique(blocks[written]))
    return {
        "overwrite_share": float(1 - first_writes / written.sum()) if written.any() else None,
        "read_after_write_share": float((~now & before).sum() / (~written).sum()) if (~written).any() else None,
        "write_after_read_share": float((now & ~before).sum() / written.sum()) if written.any() else None,
    }


def _hot(blocks: np.ndarray) -> dict[str, float]:
    """Share of the accesses that the most accessed blocks get."""
    _, counts = np.unique(blocks, return_counts=True)
    falling = np.sort(counts)[::-1]
    return {f"accesses_of_hottest_{100 * share:g}_percent": float(falling[: max(1, round(share * len(falling)))].sum() / falling.sum()) for share in HOT_SHARES}


def _order(accesses: np.ndarray) -> dict[str, float | None]:
    """Share of the reads and writes that begin where the one before of the same kind and volume ended."""
    found: dict[str, float | None] = {}
    for name, op in (("read", READ), ("write", WRITE)):
        chosen = accesses[accesses["op"] == op]
        chosen = chosen[np.argsort(chosen["volume"], kind="stable")]
        follows = (chosen["offset"][1:] == chosen["offset"][:-1] + chosen["size"][:-1]) & (chosen["volume"][1:] == chosen["volume"][:-1])
        found[f"sequential_{name}_share"] = float(follows.sum() / len(chosen)) if len(chosen) else None
    return found


def _bursts(arrivals: np.ndarray, percentiles: Sequence[float]) -> dict[str, float | None]:
    """Gaps, and the index of dispersion: the variance of the requests a second over their mean, 1 for a Poisson process."""
    gaps = np.diff(arrivals.astype(np.float64)) / 1e9
    windows = int(arrivals[-1] - arrivals[0]) // WINDOW_PS
    counts = np.bincount(((arrivals - arrivals[0]) // WINDOW_PS).astype(int))[:windows] if windows >= 2 else np.array([])
    found: dict[str, float | None] = {f"gap_p{p:g}_ms": float(np.percentile(gaps, p)) if len(gaps) else None for p in percentiles}
    return {"mean_gap_ms": _mean(gaps), **found, "dispersion": float(counts.var() / counts.mean()) if len(counts) and counts.mean() > 0 else None}


def heat_map(records: np.ndarray) -> Heat:
    """Requests over time and address."""
    across, down = HEAT_CELLS
    if len(records) == 0:
        raise InputError("the trace is empty: there is nothing to draw")
    addresses = records["offset"].astype(np.float64) + records["volume"] * float(records["offset"].max() + 1)
    counts, rows, columns = np.histogram2d(addresses, records["arrival"].astype(np.float64), bins=(down, across))
    single = records["volume"].max() == 0
    ys = [size(float(edge)) if single else f"{100 * edge / rows[-1]:.0f} %" for edge in rows[:-1]]
    return Heat(
        "trace-heat", "Requests over time and address", Axis("arrival, from"), Axis("address from" if single else "address from, volumes side by side"),
        [time_text(edge / 1e12) for edge in columns[:-1]], ys, [[float(value) or None for value in row] for row in counts], value_label="requests",
    )  # fmt: skip


UNITS = {"bytes": "B", "ms": "ms"}


def rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """For eyes: what it is called, and the figure in the unit one thinks in."""
    from tessera.results.human import figure

    shown = []
    for name, value in found.items():
        words = name.split("_")
        if words[-1] in UNITS:
            shown.append((" ".join(words[:-1]), figure(value, UNITS[words[-1]])))
        elif "share" in words or "accesses" in words:
            shown.append((" ".join(word for word in words if word != "share"), "-" if value is None else f"{100 * value:.2f} %"))
        else:
            shown.append((" ".join(words), figure(value)))
    return shown
