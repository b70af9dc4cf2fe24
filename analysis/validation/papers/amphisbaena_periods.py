"""Blocks with long update periods, which the Amphisbaena paper is about and the volumes of its table do not have."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.results.markdown import number, table
from validation.papers.amphisbaena_runs import BUFFER_ZONES, DRIVE, LAYERS, OURS, hit_rate, published
from validation.papers.experiment import Experiment
from validation.papers.lab import Grid, Lab, of_layer, setting_words
from validation.papers.measures import latency, rmws, total_amplification
from validation.papers.page import Figure, figure_tables
from validation.papers.seeds import Comparison, over_seeds, quotient, seed_table

WRITES = 250_000
HOT_BLOCKS = 20_000  # of 4 KiB: 78 MiB of a buffer of 143 MiB
HOT_SHARE = 0.8  # of the writes
BUFFER_MIB = 143
ZONES, ZONE_MIB = 56, 256  # hm_0's range
CHUNK = 16  # blocks in 64 KiB
SECTORS = 8  # of 512 B in a block
SEEDS = 3


@dataclass(frozen=True)
class Input:
    """Hot blocks alone in their chunks or sixteen together; cold writes of 64 KiB scattered or in sequence, each address once."""

    together: bool
    in_sequence: bool

    @property
    def title(self) -> str:
        return f"hot {'in sixteens' if self.together else 'alone'}, cold {'in sequence' if self.in_sequence else 'scattered'}"

    def blocks(self, writes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """First block and count of each write."""
        draw = np.random.default_rng(seed)
        chunks = ZONES * ZONE_MIB * 256 // CHUNK
        order = draw.permutation(chunks)
        hot_chunks = HOT_BLOCKS // CHUNK if self.together else HOT_BLOCKS
        hot = order[:hot_chunks]
        starts = (hot[:, None] * CHUNK + np.arange(CHUNK)).ravel() if self.together else hot * CHUNK + draw.integers(0, CHUNK, hot_chunks)
        is_hot = draw.random(writes) < HOT_SHARE
        cold = order[hot_chunks:]
        cold = (np.sort(cold) if self.in_sequence else cold)[: int((~is_hot).sum())]
        first = np.empty(writes, dtype=np.int64)
        first[is_hot] = starts[draw.integers(0, len(starts), int(is_hot.sum()))]
        first[~is_hot] = cold * CHUNK
        return first, np.where(is_hot, 1, CHUNK)


INPUTS = (Input(False, False), Input(True, False), Input(False, True), Input(True, True))


SCATTERED = INPUTS[:2]  # where the two are closest


def beyond_buffer(first: np.ndarray, count: np.ndarray, blocks: int) -> tuple[float, float]:
    """Of the blocks that are written again, the share whose mean update period (distinct blocks written in between, estimated from the
    writes in between) is longer than the buffer; and of those, the share written more than twice."""
    hot = count == 1
    ends = np.cumsum(count)[hot].astype(float)
    _, places, writes = np.unique(first[hot], return_inverse=True, return_counts=True)
    earliest, latest = np.full(len(writes), np.inf), np.zeros(len(writes))
    np.minimum.at(earliest, places, ends)
    np.maximum.at(latest, places, ends)
    updated = writes > 1
    gaps = (latest - earliest)[updated] / (writes[updated] - 1)
    cold_share = float(count[~hot].sum() / count.sum())
    distinct = gaps * cold_share + HOT_BLOCKS * (1 - np.exp(-gaps * (1 - cold_share) / HOT_BLOCKS))
    long = distinct > blocks
    return float(long.mean()), float((writes[updated][long] > 2).mean()) if long.any() else 0.0


def _trace(lab: Lab, each: Input) -> Path:
    """The input as a DiskSim trace, one write after the other."""
    writes = lab.requests(WRITES)
    first, count = each.blocks(writes, lab.seed)
    lines = (f"{n} 0 {start * SECTORS} {length * SECTORS} 0\n" for n, (start, length) in enumerate(zip(first.tolist(), count.tolist(), strict=True)))
    file = lab.out / "workloads" / f"periods-{each.together:d}{each.in_sequence:d}-{writes}-{lab.seed}.ascii"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines))
    return file


def inputs_of_periods(lab: Lab, drawn: tuple[Input, ...] = INPUTS) -> dict[str, tuple[object, ...]]:
    """The options of the inputs on full zones, one write at a time."""
    sizes = {key: value for layer in LAYERS for key, value in of_layer(layer, buffer=f"{BUFFER_MIB} MiB").items()}
    sizes |= of_layer("skylight-disk", buffer_zone=f"{BUFFER_MIB * 1024 // BUFFER_ZONES} KiB")
    words = ("--replay", "closed:1", "--prefill", 100, *setting_words(**sizes))
    return {each.title: ("--trace", _trace(lab, each), "--format", "ascii", *words) for each in drawn}


def grids(lab: Lab, layers: tuple[str, ...] = LAYERS, drawn: tuple[Input, ...] = INPUTS) -> Grid:
    """The four inputs under the layers as published."""
    return lab.grid(DRIVE, inputs_of_periods(lab, drawn), {layer: published(layer) for layer in layers}, "long update periods")


FIGURES = (
    Figure("mean ms", latency, of_response=True),
    Figure("RMWs", rmws, 0),
    Figure("WA", total_amplification),
    Figure("write hit rate", hit_rate, 3),
    Figure("cleanings", lambda run: run.metric("cleaning.count"), 0),
)


def _comparisons() -> list[Comparison]:
    return [
        Comparison(f"{each.title}: {what} over Fluid_loop", quotient(value, each.title, OURS, "fluid-loop"), below=1)
        for each in SCATTERED
        for what, value in (("response", latency), ("RMWs", rmws))
    ]


INTRO = (
    "Figure 2: over 85 % of one volume's updated blocks have a period longer than the buffer, and 70 % of these are updated more than twice. The\n"
    f"chapter's inputs have 0 to 15 %: they forget an address after 65,536 writes. Here {HOT_SHARE:.0%} of the writes update one of {HOT_BLOCKS:,} blocks at random,\n"
    f"the others are cold: 64 KiB each, once. {ZONES} zones are full, the buffer has {BUFFER_MIB} MiB, writes come one at a time. Where the paper's blocks lie\n"
    "is not printed.\n"
)


def _parts(lab: Lab) -> list[str]:
    grid = grids(lab)
    shares = {each.title: beyond_buffer(*each.blocks(lab.requests(WRITES), lab.seed), BUFFER_MIB * 256) for each in INPUTS}
    rows = [[name, *(number(100 * share, 0) for share in pair)] for name, pair in shares.items()]
    return [
        INTRO,
        table(["input", "updated blocks with a period beyond the buffer, %", "of these updated more than twice, %"], rows),
        *figure_tables(grid, FIGURES),
        seed_table(over_seeds(lab, lambda each: grids(each, ("fluid-loop", OURS), SCATTERED), SEEDS), _comparisons()),
    ]


EXPERIMENTS = (Experiment("update-periods", "Blocks with long update periods", _parts),)
