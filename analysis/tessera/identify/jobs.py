"""The jobs: which requests each sends, and what they measure. One cause at a time: each varies one thing and holds the others."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tessera.identify.plan import Plan

REQUESTS = np.dtype([("write", bool), ("offset", "u8"), ("length", "u4")])  # bytes
RUNS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 17, 20, 24, 31, 32, 33, 48, 63, 64, 65)  # other runs before the first one goes on
TRANSFERS = (1, 4, 16, 48)  # blocks
FAR = 16_384  # tracks from the drive's first one: a serpent of 20 surfaces, ten times


@dataclass(frozen=True)
class Job:
    name: str
    measures: str
    think_us: int  # pause after each request: no whole turns of a usual spindle, lest a platter answers like a cache
    make: Callable[[Plan, np.random.Generator], tuple[np.ndarray, np.ndarray]]  # first block and blocks of each request
    destructive: bool = False
    depth: int = 1  # requests under way at once

    @property
    def folder(self) -> str:
        return "destructive" if self.destructive else "read-only"

    def requests(self, plan: Plan) -> np.ndarray:
        """The same ones whenever they are asked for."""
        first, blocks = self.make(plan, np.random.default_rng([plan.seed, *self.name.encode()]))
        found = np.zeros(len(first), REQUESTS)
        found["write"], found["offset"], found["length"] = self.destructive, first * plan.block, np.broadcast_to(blocks, first.shape) * plan.block
        return found


def window_bases(plan: Plan) -> np.ndarray:
    """First blocks of the windows, evenly over the drive; the first is the drive's first."""
    return np.linspace(0, plan.blocks - plan.window_tracks * plan.track_blocks - 1, plan.windows).astype(np.int64)


def _angles(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One block at a time, in no order, so that no cache helps: a third of a window's samples lie in its first two tracks. Those strewn over the
    drive's first tracks, all octaves alike, show the order of tracks, whatever it repeats after."""
    dense = plan.samples // 3
    bases = window_bases(plan)[:, None]
    near = rng.integers(0, 2 * plan.track_blocks, (plan.windows, dense))
    far = rng.integers(0, plan.window_tracks * plan.track_blocks, (plan.windows, plan.samples - dense))
    anchors = np.tile(rng.integers(0, plan.blocks, plan.anchors), plan.visits)
    farthest = min(FAR * plan.track_blocks, plan.blocks // 2)
    strewn = np.exp(rng.uniform(np.log(4 * plan.track_blocks), np.log(farthest), plan.strewn)).astype(np.int64)
    every = np.concatenate([np.concatenate([bases + near, bases + far], axis=1).ravel(), anchors, strewn])
    return rng.permutation(every), np.array(1)


def _seeks(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """There and back: distances from an eighth of a track to the whole drive, all octaves alike."""
    distance = np.exp(rng.uniform(np.log(plan.track_blocks / 8), np.log(plan.blocks - 1), plan.pairs)).astype(np.int64)
    start = (rng.random(plan.pairs) * (plan.blocks - distance)).astype(np.int64)
    turned = rng.random(plan.pairs) < 0.5
    pairs = np.where(turned[:, None], np.stack([start + distance, start], 1), np.stack([start, start + distance], 1))
    return pairs.ravel(), np.array(1)


def _scattered(plan: Plan, rng: np.random.Generator, count: int, room: int) -> np.ndarray:
    return rng.integers(room, plan.blocks - room, count)


def _again(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first = _scattered(plan, rng, 16 * plan.repeats, 64)
    return np.stack([first, first], 1).ravel(), np.array(1)


def _before(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first = _scattered(plan, rng, 16 * plan.repeats, 64)
    return np.stack([first, first - 1], 1).ravel(), np.array(1)


def _run(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first = _scattered(plan, rng, 16 * plan.repeats, 64)
    return (first[:, None] + np.arange(4)).ravel(), np.array(1)


def ahead_distances(plan: Plan) -> np.ndarray:
    """Blocks, from the next one to four tracks, a fifth apart."""
    return np.unique(np.round(1.19 ** np.arange(0, np.log(4 * plan.track_blocks) / np.log(1.19))).astype(np.int64))


def _ahead(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two reads in a row, since some drives read ahead from the second on, then one further on."""
    distances = rng.permutation(np.tile(ahead_distances(plan), plan.repeats))
    first = _scattered(plan, rng, len(distances), 8 * plan.track_blocks)
    return np.stack([first, first + 1, first + 1 + distances], 1).ravel(), np.array(1)


def _segments(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A run of two, then N others elsewhere, then the first one's next block: a cache may keep the segments of runs and give up those of single reads first."""
    rows = []
    for others in rng.permutation(np.repeat(RUNS, plan.repeats // 2)):
        runs = _scattered(plan, rng, int(others) + 1, 64)
        rows.append(np.append(runs[:, None] + np.arange(2), runs[0] + 2))
    return np.concatenate(rows), np.array(1)


def _transfer(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    lengths = rng.permutation(np.repeat(TRANSFERS, 4 * plan.repeats))
    first = _scattered(plan, rng, len(lengths), 128)
    blocks = np.stack([np.ones_like(lengths), np.ones_like(lengths), lengths], 1).ravel()
    return np.stack([first, first + 1, first + 2], 1).ravel(), blocks


def _sequential(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    del rng
    blocks = max(1, plan.track_blocks // 4)
    return (window_bases(plan)[:, None] + blocks * np.arange(64)).ravel(), np.array(blocks)


def _mixed(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Seven of ten anywhere, the rest near the one before or right after it."""
    anywhere, near = rng.integers(0, plan.blocks, plan.mixed), rng.integers(-64 * plan.track_blocks, 64 * plan.track_blocks, plan.mixed)
    kind = rng.random(plan.mixed)
    first = np.empty(plan.mixed, np.int64)
    at = 0
    for index in range(plan.mixed):
        at = anywhere[index] if kind[index] < 0.7 else at + 1 if kind[index] < 0.85 else at + near[index]
        first[index] = at = int(np.clip(at, 0, plan.blocks - 2))
    return first, np.array(1)


def _queued(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """4 KiB anywhere."""
    blocks = max(1, 4096 // plan.block)
    return rng.integers(0, plan.blocks // blocks, plan.queued) * blocks, np.array(blocks)


def _beside(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """In turn the next 64 KiB of a stream and 4 KiB anywhere."""
    first, blocks = _queued(plan, rng)
    stream, length = np.arange(plan.queued) % 2 == 0, (64 << 10) // plan.block
    return np.where(stream, plan.blocks // 3 + np.arange(plan.queued) // 2 * length, first), np.where(stream, length, blocks)


def _burst_small(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.integers(0, plan.blocks - 8, plan.burst), np.array(max(1, 4096 // plan.block))


def _burst_large(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    blocks = (64 << 10) // plan.block
    return rng.integers(0, plan.blocks // blocks, plan.burst) * blocks, np.array(blocks)


def _cleaning(plan: Plan, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    blocks = max(1, 4096 // plan.block)
    return rng.integers(0, plan.blocks // blocks, plan.cleaning) * blocks, np.array(blocks)


JOBS = (
    Job("angles", "the spindle's period, the tracks' lengths and angles: single reads in windows over the drive, and of places read again and again", 0, _angles),
    Job("seeks", "the seek curve: pairs of reads, from a part of a track apart to the whole drive, each after what is read ahead has ended", 61_000, _seeks),
    Job("again", "whether a read block is still in the cache: each is read twice", 37_000, _again),
    Job("before", "whether the cache reads whole tracks: each read is followed by the block in front of it", 37_000, _before),
    Job("run", "whether the drive reads ahead at once or from the second read on: runs of four blocks", 31_000, _run),
    Job("ahead", "how far the drive reads ahead: two reads in a row, and one further on", 60_000, _ahead),
    Job("segments", "how many streams the cache holds: others are read before a run goes on", 15_000, _segments),
    Job("transfer", "overhead and link: reads of several lengths that the cache serves", 31_000, _transfer),
    Job("sequential", "the sequential rate by position", 0, _sequential),
    Job("mixed", "half of it fits the seek curve, and half is held out for the score", 0, _mixed),
    Job("depth-4", "queue and scheduler: reads anywhere, four under way", 0, _queued, depth=4),
    Job("depth-32", "queue and scheduler, and how long a request may wait: reads anywhere, 32 under way", 0, _queued, depth=32),
    Job("beside", "how long the arm stays with a stream: a stream and reads anywhere, eight under way", 0, _beside, depth=8),
    Job("burst-small", "the write cache: random writes of 4 KiB until they wait", 0, _burst_small, True),
    Job("burst-large", "the write cache: random writes of 64 KiB until they wait", 0, _burst_large, True),
    Job("cleaning", "a shingled drive's media cache: random writes of 4 KiB for long", 0, _cleaning, True),
)
BY_NAME = {job.name: job for job in JOBS}
