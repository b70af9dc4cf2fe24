"""What the jobs are made for: the drive's size, and how much time they may take."""

from dataclasses import dataclass, replace

from tessera.errors import InputError

# Tracks by capacity: a drive of some GB has tracks of 100 KiB, one of some TB tracks of 1 to 2 MiB. A factor of three is near enough.
SMALL_DRIVE = 64 << 30
SMALL_TRACK = 96 << 10
LARGE_TRACK = 3 << 19


@dataclass(frozen=True)
class Plan:
    """Sizes in bytes. The counts are those of a whole measurement, some 26 minutes of reads on a drive of 7200 rpm."""

    capacity: int
    block: int
    track: int
    seed: int = 1
    windows: int = 48         # places at which tracks are looked at
    window_tracks: int = 48   # length of such a place: two cylinders of 20 surfaces, and some
    samples: int = 480        # reads in each
    anchors: int = 240        # places that are read again and again, to see the spindle turn
    visits: int = 12
    strewn: int = 2400        # reads ever farther from the drive's first track, to see where its tracks go on another surface
    pairs: int = 3000         # seeks, by distance
    repeats: int = 16         # of each question to the caches
    mixed: int = 4000
    queued: int = 8000        # of each job with several requests under way
    burst: int = 4096
    cleaning: int = 200_000

    @property
    def blocks(self) -> int:
        return self.capacity // self.block

    @property
    def track_blocks(self) -> int:
        return max(8, self.track // self.block)

    def small(self) -> "Plan":
        """A quarter of the reads: rougher figures in eight minutes."""
        return replace(self, windows=12, samples=240, anchors=80, visits=8, strewn=800, pairs=600, repeats=8, mixed=800, queued=3000, burst=2048, cleaning=20_000)


def plan(capacity: int, block: int, track: int | None = None, seed: int = 1) -> Plan:
    """Raises InputError where a drive is too small to be taken apart."""
    if block not in (512, 4096):
        raise InputError(f"sectors of {block} B: expected 512 or 4096")
    found = Plan(capacity // block * block, block, track or (SMALL_TRACK if capacity < SMALL_DRIVE else LARGE_TRACK), seed)
    if found.track < 8 * block or found.capacity < 200 * found.track:
        raise InputError(f"{capacity:,} B with tracks of about {found.track:,} B: expected a drive of 200 tracks or more, and tracks of 8 sectors or more; name their length with --track")
    return found
