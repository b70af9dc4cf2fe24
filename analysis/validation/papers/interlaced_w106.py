"""The interlaced layers on the recorded order of w106's accesses, instead of a drawn one."""

import lzma
from pathlib import Path

import numpy as np

from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import DRIVE, FULL, LAYERS, MOVES, NO_WRITE_CACHE, WEEK_MS, WORKLOADS, own_amplification
from tessera.results.markdown import table
from tessera.results.run_folder import Run
from validation.papers.lab import Grid, Lab, Variant, of_layer
from validation.papers.measures import amplification, latency
from validation.papers.page import Figure, figure_tables
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

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


FIGURES = (
    Figure("write amplification", amplification),
    Figure("of host writes alone", own_amplification),
    Figure("moves", lambda run: next((run.find(name) for name in MOVES.values() if run.find(name) is not None), None), 0),
    Figure("mean ms", latency, of_response=True),
)


def _comparisons() -> list[Comparison]:
    name = "w106, no write cache"
    return [
        Comparison(f"{name}: factor of imr-dtm, moves left out", quotient(own_amplification, name, "imr-rmw", "imr-dtm"), above=2),
        Comparison(f"{name}: response imr-dtm over imr-rmw", quotient(latency, name, "imr-dtm", "imr-rmw"), below=1),
    ]


INTRO = (
    "The order of w106's accesses is public (as a cache trace, in blocks of 16 KiB; that it is w106 follows from its range and working set). Sizes, times and\n"
    "direction are not: every access is one block, a write with the published share of 82 %, at exponential gaps of the published mean of 189 ms. A seed draws these.\n"
)


def _parts(lab: Lab) -> list[str]:
    grid = on_recorded_order(lab)
    if not grid:
        return []
    found = runs_of_hot_tracks(accesses(lab.trace(*RECORDED), lab.requests(ACCESSES)))
    rows = [[f"{length} side by side", number_] for length, number_ in sorted(found.items())]
    return [
        INTRO,
        table([f"the hottest {HOT} tracks lie", "runs"], rows),
        "The drawn inputs have them in runs of eight.\n",
        *figure_tables(grid, FIGURES),
        seed_table(over_seeds(lab, lambda each: on_recorded_order(each, ("imr-rmw", "imr-dtm"), cached=False), SEEDS), _comparisons()),
    ]


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


THRESHOLDS = (Figure("of host writes alone", own_amplification), Figure("backup included", with_backup), Figure("mean ms", latency, of_response=True))


EXPERIMENTS = (
    Experiment("w106", "w106 in its recorded order", _parts),
    Experiment("w106-threshold", "w106 by the threshold of swaps", lambda lab: figure_tables(grid, THRESHOLDS) if (grid := by_threshold(lab)) else []),
)
