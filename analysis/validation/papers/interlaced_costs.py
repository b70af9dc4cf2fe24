"""What the interlaced layers' moves cost on an idle drive, and what their maps take: the paper prints formulas for both."""

from collections.abc import Mapping

from tessera.results.markdown import number, table
from tessera.results.run_folder import Run
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import DRIVE, IMPROVED, NO_WRITE_CACHE, plain
from validation.papers.lab import Lab, Variant

TRACKS = 750_000  # of the drive
WRITES = 120_000  # six counts of the tracks
HOT = (
    'summary = "few hot bottoms, on an idle drive"\nlaw = "uniform"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
    'extents = 40\nextent = "8 KiB"\nrange = "1000 GB"\n[arrivals]\nlaw = "exponential"\nmean = "20 s"\n'
)
SMALL_CACHE = "imr-cache, 10 tracks"  # fewer than are hot: it evicts as well


def idle_moves(lab: Lab) -> Mapping[str, Run]:
    """Requests so seldom that no move is interrupted."""
    words = lab.generated("interlaced-idle", HOT, WRITES, "--prefill", 100, "--caches", "empty")
    variants = plain(IMPROVED, **NO_WRITE_CACHE) | {SMALL_CACHE: Variant("imr-cache", {**NO_WRITE_CACHE, "layers__imr_cache__cache_tracks": 10})}
    return lab.grid(DRIVE, {"": words}, variants, "moves on an idle drive")[""]


def _moves(lab: Lab) -> list[str]:
    """An eviction takes what a small cache spends in addition to its promotions."""
    runs = idle_moves(lab)
    flip, promotion, swap = (runs[layer].metric("cleaning.mean") for layer in IMPROVED)
    promotions, evictions = (runs[SMALL_CACHE].metric(f"cache.{which}") for which in ("promote", "evict"))
    eviction = (runs[SMALL_CACHE].metric("cleaning.mean") * (promotions + evictions) - promotion * promotions) / evictions
    return [table(["ms a move", "flip", "promotion", "eviction", "swap"], [["40 hot tracks", *(number(cost, 1) for cost in (flip, promotion, eviction, swap))]])]


def _memory(lab: Lab) -> list[str]:
    """What a track more takes: the lists that a drive of any size has are the same in both runs."""
    layers = ("imr-rmw", *IMPROVED)
    words = lab.generated("interlaced-idle", HOT, 1000, "--fold")
    small, large = (lab.grid(DRIVE, {"": words}, plain(layers, media__tracks=tracks), f"tables of {tracks} tracks")[""] for tracks in (TRACKS // 2, TRACKS))
    bits = {layer: 8 * (large[layer].metric("metadata.bytes") - small[layer].metric("metadata.bytes")) / (TRACKS - TRACKS // 2) for layer in layers}
    return [table(["bits a track, beyond imr-rmw's", *IMPROVED], [["tables", *(number(bits[layer] - bits["imr-rmw"]) for layer in IMPROVED)]])]


EXPERIMENTS = (
    Experiment("move-costs", "What a move costs on an idle drive", _moves),
    Experiment("memory", "Memory of the maps of tracks", _memory),
)
