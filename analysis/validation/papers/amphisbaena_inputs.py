"""Inputs of the Amphisbaena chapter with long update periods, which the paper is about and the volumes of its table do not have, and how long
the periods of an input are (its Figure 2)."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from validation.papers.amphisbaena_runs import BUFFER_MIB, BUFFER_ZONES, DRIVE, LAYERS, OURS, REQUESTS, headline, inputs_of, published, volume_text
from validation.papers.lab import Grid, Lab, of_layer, setting_words

WRITES = 250_000
HOT_BLOCKS = 20_000  # of 4 KiB: 78 MiB of a buffer of 143 MiB
HOT_SHARE = 0.8  # of the writes
PERIODS_MIB = 143
ZONES, ZONE_MIB = 56, 256  # hm_0's range
CHUNK = 16  # blocks in 64 KiB
SECTORS = 8  # of 512 B in a block


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
    sizes = {key: value for layer in LAYERS for key, value in of_layer(layer, buffer=f"{PERIODS_MIB} MiB").items()}
    sizes |= of_layer("skylight-disk", buffer_zone=f"{PERIODS_MIB * 1024 // BUFFER_ZONES} KiB")
    words = ("--replay", "closed:1", "--prefill", 100, *setting_words(**sizes))
    return {each.title: ("--trace", _trace(lab, each), "--format", "ascii", *words) for each in drawn}


def long_periods(lab: Lab, layers: tuple[str, ...] = LAYERS, drawn: tuple[Input, ...] = INPUTS) -> Grid:
    """The four inputs under the layers as published."""
    return lab.grid(DRIVE, inputs_of_periods(lab, drawn), {layer: published(layer) for layer in layers}, "long update periods")


LONG, THRICE = 0.85, 0.70  # Figure 2b: "more than 85 %", "70 % of them are updated more than twice"


@dataclass(frozen=True)
class Standing:
    """A set of addresses that takes every update, and the requests after which enough of it is updated more than twice."""

    addresses: int
    requests: int


# About 1.1 start addresses for each block of the buffer, so that few of the set's blocks come again before the buffer is full.
SETS = {
    "hm_0": Standing(40_000, 800_000),
    "prn_0": Standing(190_000, 600_000),
    "prxy_0": Standing(75_000, 1_600_000),
    "ts_0": Standing(80_000, 1_600_000),
    "web_0": Standing(100_000, 1_900_000),
    "src2_2": Standing(200_000, 400_000),
    "src2_0": Standing(45_000, 1_100_000),
    "usr_0": Standing(45_000, 800_000),
}


def text_with_set(name: str) -> str:
    """A volume's description with the set."""
    text = volume_text(name)
    summary = re.sub(r'summary = "(.*)"', r'summary = "\1, with long update periods"', text, count=1)
    return summary.replace("[updates]\n", f"[updates]\nset = {SETS[name].addresses}\nset_share = 1.0\n")


def with_sets(lab: Lab, names: Sequence[str] = tuple(SETS)) -> Grid:
    """The volumes under the law with a set, on full zones: the set was written before."""
    files = {name: lab.workload_file(f"zone-{name}-set", text_with_set(name)) for name in names}
    return headline(lab, names, 100, files, {name: SETS[name].requests for name in names})


CHUNKS_KIB = (64, 16, 4)


def smaller_chunks(lab: Lab, name: str = "hm_0") -> Grid:
    """One change on one volume: the chunk, which takes space for what it does not hold."""
    file = lab.workload_file(f"zone-{name}-set", text_with_set(name))
    variants = {"fluid-loop": published("fluid-loop")} | {f"{kib} KiB": published(OURS, chunk=f"{kib} KiB") for kib in CHUNKS_KIB}
    inputs = inputs_of(lab, (name,), 100, {name: file}, {name: SETS[name].requests})
    return lab.grid(DRIVE, inputs, variants, "smaller chunks, long update periods")


@cache
def statistics(name: str, scale: float = 1) -> list[tuple[float, float]]:
    """Figure 2's two numbers of today's law and of that with the set."""
    laws = ((volume_text(name), REQUESTS[name]), (text_with_set(name), SETS[name].requests))
    found = []
    for text, requests in laws:
        workload = tomllib.loads(text)
        found.append(beyond(*drawn(workload, round(requests * scale * workload["write_share"])), BUFFER_MIB[name] * 256))
    return found


BLOCK = 4096


def _recency(law: Mapping[str, Any], writes: int, draw: np.random.Generator) -> np.ndarray:
    """How many writes back each update reaches, within the window and the run; its Zipf law, drawn by its continuous inverse."""
    power = 1 / (1 - law["exponent"])
    back = np.ceil(law["window"] * draw.random(writes) ** power).astype(np.int64).clip(1)
    behind = np.minimum(np.arange(writes), law["window"])
    return np.where(back > behind, 1 + (draw.random(writes) * behind).astype(np.int64), back)


def drawn(workload: Mapping[str, Any], writes: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """First block and count of each write of a workload with `law = "updates"`, an exponent below 1 and one share of updates: its law,
    under random numbers of its own. Chunks keep their distance, so that a write never reaches into another one."""
    law, draw = workload["updates"], np.random.default_rng(seed)
    sizes, weights = np.array(workload["write_sizes"], dtype=float).T
    count = (sizes[draw.choice(len(sizes), writes, p=weights / weights.sum())] // BLOCK).astype(np.int64)
    standing = law.get("set", 0)
    update = draw.random(writes) < law["share"]
    of_set = update & (draw.random(writes) < law.get("set_share", 0.0))
    update[0] = of_set[0] = False
    new = ~update
    address = np.zeros(writes, dtype=np.int64)
    address[new] = standing + np.arange(int(new.sum()))
    address[of_set] = draw.integers(0, max(1, standing), int(of_set.sum()))
    # An update by recency has the address of the write that it reaches back to, which may be such an update itself.
    source = np.arange(writes)
    by_recency = update & ~of_set
    source[by_recency] -= _recency(law, writes, draw)[by_recency]
    while (source != source[source]).any():
        source = source[source]
    address = address[source]
    starts = law["chunk_starts"]
    apart = 1024  # blocks, more than the largest write
    return address // starts * apart + address % starts, count


def beyond(first: np.ndarray, count: np.ndarray, blocks: int) -> tuple[float, float]:
    """Of the blocks that are written again, the share whose average update period is longer than a buffer of so many blocks; and of
    those, the share updated more than twice. The period is the mean number of distinct blocks in as many writes of a block as lie
    between two of its own on average (Xiang's formula of the footprint)."""
    written = int(count.sum())
    ends = np.cumsum(count)
    block = np.repeat(first, count) + np.arange(written) - np.repeat(ends - count, count)
    time = np.argsort(block, kind="stable")
    again = block[time][1:] == block[time][:-1]
    begins, stops = np.r_[True, ~again], np.r_[~again, True]
    earliest, latest = time[begins], time[stops]
    gaps = np.concatenate([np.diff(time)[again], earliest + 1, written - latest])
    by_length = np.bincount(gaps, minlength=written + 2)
    at_least = by_length[::-1].cumsum()[::-1]
    length_at_least = (by_length * np.arange(len(by_length)))[::-1].cumsum()[::-1]
    writes = np.diff(np.r_[np.flatnonzero(begins), written])
    updated = writes > 1
    if not updated.any():
        return 0.0, 0.0
    mean_gap = ((latest - earliest)[updated] / (writes[updated] - 1)).astype(np.int64)
    period = len(earliest) - (length_at_least[mean_gap + 1] - mean_gap * at_least[mean_gap + 1]) / (written - mean_gap + 1)
    long = period > blocks
    return float(long.mean()), float((writes[updated][long] > 3).mean()) if long.any() else 0.0
