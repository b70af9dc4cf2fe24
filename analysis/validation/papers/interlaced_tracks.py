"""Where the writes of the interlaced chapter's workloads fall: hot tracks and their neighbours, drawn and in the recorded order of w106."""

import lzma
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tessera.results.run_folder import Run
from validation.papers.interlaced_runs import (
    DRIVE, FULL, INTERVAL, INTERVALS, LAYERS, NO_WRITE_CACHE, TRACK_BYTES, WEEK_MS, WORKLOADS, row_at_hand,
)  # fmt: skip
from validation.papers.lab import Grid, Lab, Variant, of_layer

NEIGHBOURS_OF = ("w17", "w87")  # Figures 4 and 11
LONG_RUN = 32  # tracks, the longest that the workload has
OVER_TIME = "w106"  # Figure 5
WINDOW = 100_000  # Figure 5: of so many writes, those to a track
ON_THE_HOTTEST = {"w106": (100, 0.8), "w39": (5, 0.5), "w09": (100, 0.2), "w87": (100, 0.15)}  # Figure 10; w39: "a handful"


@dataclass(frozen=True)
class HotTrack:
    """Writes of a track and of its logical neighbours."""

    writes: int
    before: int
    behind: int

    def hot_neighbours(self) -> int:
        """Neighbours that get at least half of its writes: flipping gains little with those."""
        return sum(2 * each >= self.writes for each in (self.before, self.behind))


def _writes_alone(lab: Lab, name: str, **changes: object) -> str:
    return replace(WORKLOADS[name], writes_only=True, **changes).text(row_at_hand(lab, name))


def written_tracks(lab: Lab, names: Sequence[str], writes: int, **changes: object) -> dict[str, np.ndarray]:
    """The tracks on which the first writes of these workloads begin, in order of arrival."""
    changed = "".join(f"-{key}-{value}" for key, value in changes.items())
    inputs = {name: ("--workload", lab.workload_file(f"interlaced-{name}-writes{changed}", _writes_alone(lab, name, **changes))) for name in names}
    options = ("--limit", writes, "--requests")
    grid = lab.grid(DRIVE, {name: (*words, *options) for name, words in inputs.items()}, {"cmr": Variant("cmr")}, "tracks of writes")
    logs = {name: row["cmr"].requests for name, row in grid.items()}
    return {name: (log["lba"] // (TRACK_BYTES // 512))[np.argsort(log["number"])] for name, log in logs.items()}


def hottest(tracks: np.ndarray, count: int = 20) -> list[HotTrack]:
    """The hottest tracks and their neighbours."""
    writes = np.bincount(tracks, minlength=int(tracks.max()) + 2)
    order = np.argsort(-writes, kind="stable")[:count]
    return [HotTrack(int(writes[track]), int(writes[track - 1]) if track else 0, int(writes[track + 1])) for track in order]


def share_on_hottest(tracks: np.ndarray, count: int) -> float:
    """The share of the writes that the hottest tracks get."""
    return float(np.sort(np.bincount(tracks))[-count:].sum() / len(tracks))


def four_over_time(tracks: np.ndarray, window: int) -> tuple[int, np.ndarray]:
    """The four consecutive tracks with the most writes: the first of them, and the writes to each in each whole window."""
    windows = tracks[: len(tracks) // window * window].reshape(-1, window)
    counts = np.stack([np.bincount(part, minlength=int(tracks.max()) + 1) for part in windows])
    first = int(np.convolve(counts.sum(axis=0), np.ones(4), "valid").argmax())
    return first, counts[:, first : first + 4]


def writes_of(lab: Lab) -> int:
    """How many writes the hottest tracks are taken from."""
    return max(WINDOW, lab.requests(INTERVALS * INTERVAL))


RECORDED = ("cloudphysics", "w106.blocks.xz")
BLOCK = 16 * 1024
SECTORS = BLOCK // 512
ACCESSES = 600_000
TRACK_BLOCKS = 488 * 4096 / BLOCK
HOT = 100
SEEDS = 3


def accesses(file: Path, count: int) -> np.ndarray:
    """The first blocks of 16 KiB that the recording names."""
    with lzma.open(file) as packed:
        return np.frombuffer(packed.read(4 * count), dtype="<u4").astype(np.int64)


def runs_of_hot_tracks(blocks: np.ndarray) -> dict[int, int]:
    """How many of the hottest hundred tracks lie alone, in twos and so on: runs by their length."""
    tracks, counts = np.unique((blocks / TRACK_BLOCKS).astype(np.int64), return_counts=True)
    hot = np.sort(tracks[np.argsort(counts, kind="stable")[-HOT:]])
    lengths = np.diff(np.flatnonzero(np.r_[True, np.diff(hot) > 1, True]))
    return {int(length): int(number) for length, number in zip(*np.unique(lengths, return_counts=True), strict=True)}


def _trace(lab: Lab, file: Path) -> Path:
    """As a DiskSim trace: which accesses are writes is drawn by the published share, the gaps by their published mean."""
    blocks = accesses(file, lab.requests(ACCESSES))
    draw, published = np.random.default_rng(lab.seed), WORKLOADS["w106"]
    reads = draw.random(len(blocks)) >= published.write_share
    times = np.cumsum(draw.exponential(WEEK_MS / published.requests / 1e6, len(blocks)))
    out = lab.out / "workloads" / f"w106-gaps-{len(blocks)}-{lab.seed}.ascii"
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = zip(times.tolist(), blocks.tolist(), reads.tolist(), strict=True)
    lines = (f"{time:.3f} 0 {block * SECTORS} {SECTORS} {read:d}\n" for time, block, read in rows)
    out.write_text("".join(lines))
    return out


def on_recorded_order(lab: Lab, layers: tuple[str, ...] = LAYERS, cached: bool = True) -> Grid:
    """With the write cache and without it; and track caching with a threshold."""
    file = lab.trace(*RECORDED)
    if file is None:
        return {}
    variants = {layer: Variant(layer) for layer in layers}
    if "imr-cache" in layers:
        variants["imr-cache, threshold"] = Variant("imr-cache", of_layer("imr-cache", paper=False))
    words = ("--trace", _trace(lab, file), "--format", "ascii", *FULL)
    without = {name: Variant(each.layer, {**each.settings, **NO_WRITE_CACHE}) for name, each in variants.items()}
    return {
        **(lab.grid(DRIVE, {"w106": words}, variants, f"w106 in its order, seed {lab.seed}") if cached else {}),
        **lab.grid(DRIVE, {"w106, no write cache": words}, without, f"w106 in its order without the cache, seed {lab.seed}"),
    }


def by_threshold(lab: Lab) -> Grid:
    """Without the write cache: dynamic mapping by what a swap has to win, and by how often tracks are counted."""
    file = lab.trace(*RECORDED)
    if file is None:
        return {}
    changes = {
        "imr-dtm": {},
        "swaps from 5 writes": {"swap_threshold": 5},
        "and a count every 10,000": {"swap_threshold": 5, "update_frequency": 10_000},
    }
    variants = {"imr-rmw": Variant("imr-rmw", NO_WRITE_CACHE)}
    variants |= {name: Variant("imr-dtm", {**of_layer("imr-dtm", **each), **NO_WRITE_CACHE}) for name, each in changes.items()}
    return lab.grid(DRIVE, {"w106, no write cache": ("--trace", _trace(lab, file), "--format", "ascii", *FULL)}, variants, "w106 by the threshold of swaps")


def with_backup(run: Run) -> float:
    """Write amplification of host writes alone, what they save to the backup region included."""
    moved = (run.find("move.sectors") or 0) * 4096 / run.metric("host.bytes_written")
    return run.metric("write_amplification.total") - moved
