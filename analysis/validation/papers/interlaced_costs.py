"""What the interlaced layers' moves cost on an idle drive, and what their maps take: the paper prints formulas for both."""

from tessera.results.markdown import number, table
from validation.papers.experiment import Experiment
from validation.papers.interlaced_runs import DRIVE, IMPROVED, NO_WRITE_CACHE, plain
from validation.papers.lab import Grid, Lab
from validation.papers.page import Figure, figure_tables

TRACKS = 750_000  # of the drive
WRITES = 60_000  # three counts of the tracks
HOT = (
    'summary = "few hot bottoms, on an idle drive"\nlaw = "uniform"\nwrite_share = 1.0\nalignment = "4 KiB"\n'
    'extents = 40\nextent = "8 KiB"\nrange = "1000 GB"\n[arrivals]\nlaw = "exponential"\nmean = "20 s"\n'
)
MOVES = (Figure("ms a move", lambda run: run.metric("cleaning.mean"), 1), Figure("moves", lambda run: run.metric("cleaning.count"), 0))


def idle_moves(lab: Lab) -> Grid:
    """Requests so seldom that no move is interrupted."""
    words = lab.generated("interlaced-idle", HOT, WRITES, "--prefill", 100, "--caches", "empty")
    return lab.grid(DRIVE, {"40 hot tracks": words}, plain(IMPROVED, **NO_WRITE_CACHE), "moves on an idle drive")


def _memory(lab: Lab) -> list[str]:
    """What a track more takes: the lists that a drive of any size has are the same in both runs."""
    layers = ("imr-rmw", *IMPROVED)
    words = lab.generated("interlaced-idle", HOT, 1000, "--fold")
    small, large = (lab.grid(DRIVE, {"": words}, plain(layers, media__tracks=tracks), f"tables of {tracks} tracks")[""] for tracks in (TRACKS // 2, TRACKS))
    bits = {layer: 8 * (large[layer].metric("metadata.bytes") - small[layer].metric("metadata.bytes")) / (TRACKS - TRACKS // 2) for layer in layers}
    return [table(["bits a track, beyond imr-rmw's", *IMPROVED], [["tables", *(number(bits[layer] - bits["imr-rmw"]) for layer in IMPROVED)]])]


EXPERIMENTS = (
    Experiment("move-costs", "What a move costs on an idle drive", lambda lab: figure_tables(idle_moves(lab), MOVES)),
    Experiment("memory", "Memory of the maps of tracks", _memory),
)
