"""What reads of the shingled drives meet: data in and out of place, and writes in between. Nobody published measurements of these, so no row is judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np

from tessera.results.markdown import number, table
from validation.drives.shingled_runs import GIB, MIB, Lab
from validation.drives.think_trace import Request, think_responses

KIB = 1 << 10
REGION = 2 * GIB  # read in order
PIECE = 64 * KIB  # of what is written in it, a quarter of its pieces
CLEANED_AFTER_S = 8 * 3600.0  # idle: the pause after which the measured drive took a whole cache again
RANGE = 8 * GIB  # of the mixed load, as of the measured writes
READS = 0.7
REQUESTS = 800_000  # of which the writes pass the cliff at 190,000
WINDOW = 40_000  # requests, at the start and at the end
SEED = 1


def in_order() -> Iterator[Request]:
    return (Request(False, byte, MIB) for byte in range(0, REGION, MIB))


def pieces(pause_s: float) -> Iterator[Request]:
    """Writes of a quarter of the region's pieces in random order, and a pause."""
    pieces = REGION // PIECE
    chosen = np.random.default_rng(SEED).permutation(pieces)[: pieces // 4]
    for written, piece in enumerate(chosen, 1):
        yield Request(True, int(piece) * PIECE, PIECE, pause_s if written == len(chosen) else 0.0)


def rate(times: np.ndarray) -> float:
    """MB/s of the region's reads, which come last."""
    reads = times[-(REGION // MIB) :]
    return float(REGION / 1e6 / (reads.sum() / 1e3))


@cache
def rate_in_place(lab: Lab, drive: str) -> float:
    return rate(think_responses(lab, f"in-place-{drive}", drive, in_order(), "--prefill", 100))


@cache
def rate_scattered(lab: Lab, drive: str, pause_s: float, write_cache: str = "16 MiB") -> float:
    name = f"scattered-{pause_s:.0f}-s-{write_cache.replace(' ', '-')}-{drive}"
    option = f"firmware.write_cache.capacity={write_cache}"
    return rate(think_responses(lab, name, drive, chain(pieces(pause_s), in_order()), "--prefill", 100, "--set", option))


@dataclass(frozen=True)
class Waits:
    """Of the reads of a window, ms."""

    mean: float
    p50: float
    p99: float
    longest: float


def waits_of(times: np.ndarray) -> Waits:
    return Waits(float(times.mean()), float(np.median(times)), float(np.percentile(times, 99)), float(times.max()))


@cache
def mixed(lab: Lab, drive: str) -> tuple[Waits, Waits]:
    """Reads among writes, one request at a time: before the cliff, and after it."""
    draw = np.random.default_rng(SEED)
    writes = draw.random(REQUESTS) >= READS
    blocks = draw.integers(0, RANGE // (4 * KIB), REQUESTS)
    requests = (Request(bool(write), int(block) * 4 * KIB, 4 * KIB) for write, block in zip(writes, blocks, strict=True))
    times = think_responses(lab, f"mixed-{drive}", drive, requests, "--prefill", 100)
    first, last = slice(0, WINDOW), slice(-WINDOW, None)
    return waits_of(times[first][~writes[first]]), waits_of(times[last][~writes[last]])


def reads_table(lab: Lab, drives: tuple[str, ...]) -> str:
    rows: list[tuple[str, ...]] = [
        ("1 MiB reads in order, all in place, MB/s", *(number(rate_in_place(lab, drive), 0) for drive in drives)),
        ("a quarter rewritten at random by 64 KiB and in the cache, MB/s", *(number(rate_scattered(lab, drive, 0), 1) for drive in drives)),
        ("the same after 8 h of rest, MB/s", *(number(rate_scattered(lab, drive, CLEANED_AFTER_S), 0) for drive in drives)),
        ("the same with a write cache of 1 MiB, MB/s", *(number(rate_scattered(lab, drive, CLEANED_AFTER_S, "1 MiB"), 0) for drive in drives)),
    ]
    for when, place in (("before the cliff", 0), ("after it", 1)):
        for name, quantity in (("mean", "mean"), ("p50", "p50"), ("p99", "p99"), ("longest", "longest")):
            cells = (number(getattr(mixed(lab, drive)[place], name), 1) for drive in drives)
            rows.append((f"4 KiB over 8 GiB, 7 of 10 reads, {when}: reads, {quantity}, ms", *cells))
    return (
        "\n**Reads, and reads among writes.** No measurement of these was found published, so nothing is judged; each drive is full. *What dd and fio see* has others.\n"
        "After the rest the write cache still has its last 16 MiB: a read is split around them, and loses a turn at about every second one.\n\n"
        + table(("workload", *(f"`{drive}`" for drive in drives)), rows)
    )
