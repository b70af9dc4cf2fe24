"""What data sheets print of a drive, and which of it cannot be true together."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tessera.errors import InputError, unknown_name
from tessera.explore.axes import amount
from tessera.results.human import frequency, size, time

PS = 10**12
TOLERANCE = 0.05  # within which a description has a figure
BLOCK = 512       # of the counts of addresses that drives are sold with
GB = 10**9
TRACK_TO_TRACK = 0.00025  # s, where the sheet has none: published single-track seeks are 0.23 ms (Ultrastar DC HC310)
AVERAGE_SEEK = 0.0085     # s, where the sheet has neither seeks nor random reads: Toshiba MG series
WRITE_SETTLE = 0.0001     # s: the same drive's are 0.32 ms of writes
LEAST_TRACKS = 1000
MOST_TRACKS = 2_000_000   # of a surface: some three times as many as drives of 2024 have
MOST_PER_TURN = 3_500_000  # bytes under one head: 11 inches around the outer edge of a 3.5-inch drive, at 2.5 Mb per inch
RECORDINGS = ("conventional", "shingled", "interlaced", "zoned")
LINE_BITS = 10            # of a byte on serial links, with their 8b/10b code


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Lengths of time in seconds, sizes in bytes, rates per second; None where the sheet does not say."""

    name: str
    capacity: int
    surfaces: int
    rpm: float
    outer: float
    inner: float | None = None
    seek_read: float | None = None
    seek_write: float | None = None
    track_to_track: float | None = None
    cache: int = 256 << 20
    random_reads: float | None = None
    random_writes: float | None = None
    depth: int = 16
    sector: int = 4096
    interface: float | None = None
    arms: int = 1
    recording: str = "conventional"
    write_cache: bool = True
    """Whether random writes may go through one, protected or not."""

    def __post_init__(self) -> None:
        if self.recording not in RECORDINGS:
            raise unknown_name("recording", self.recording, RECORDINGS)
        for name, value, least in (("capacity", self.capacity, 10**8), ("surfaces", self.surfaces, 1), ("depth", self.depth, 1), ("cache", self.cache, 1 << 16)):
            if value < least:
                raise InputError(f"{name}: expected at least {least:,}, found {value:,}")
        if self.sector not in (512, 4096):
            raise InputError(f"sector: expected 512 B or 4 KiB, found {self.sector} B")
        if not 1800 <= self.rpm <= 20000:
            raise InputError(f"rpm: expected 1,800 to 20,000 turns per minute, found {self.rpm:g}")
        if self.depth > 32:
            raise InputError(f"depth: expected at most 32 commands in the drive's queue, found {self.depth}")
        if not 1 <= self.arms <= min(2, self.surfaces) or (self.arms > 1 and self.recording != "conventional"):
            raise InputError(f"arms: expected 1, or 2 on a conventional drive with a surface for each, found {self.arms} on {self.surfaces} surfaces of a {self.recording} drive")
        for name in ("outer", "inner", "seek_read", "seek_write", "track_to_track", "random_reads", "random_writes", "interface"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise InputError(f"{name.replace('_', '-')}: expected more than 0, found {value:g}")
        for sentence in self.contradictions():
            raise InputError(f"figures of the sheet contradict each other: {sentence}")

    @property
    def turn(self) -> float:
        return 60 / self.rpm

    @property
    def single_track(self) -> float:
        return self.track_to_track if self.track_to_track is not None else TRACK_TO_TRACK

    @property
    def average_seek(self) -> float | None:
        """Of reads; what writes wait for the head to be still is left out where only theirs is printed."""
        if self.seek_read is not None or self.seek_write is None:
            return self.seek_read
        return max(0.0, self.seek_write - WRITE_SETTLE)

    @property
    def write_settle(self) -> float:
        """How much longer a write waits for the head to be still."""
        return self.seek_write - self.seek_read if self.seek_write is not None and self.seek_read is not None else WRITE_SETTLE

    @property
    def sectors(self) -> int:
        return addresses(self.capacity) * BLOCK // self.sector

    def contradictions(self) -> list[str]:
        """Those that arithmetic finds; runs find the others."""
        found = []
        seek = self.average_seek
        if self.inner is not None and self.inner > self.outer:
            found.append(f"the inner tracks ({rate(self.inner)}) are faster than the outer ones ({rate(self.outer)})")
        if (turned := self.outer / self.arms * self.turn) > MOST_PER_TURN:
            found.append(
                f"{rate(self.outer)} at {self.rpm:g} rpm are {turned / 1e6:.3g} MB per turn under each head; expected at most {MOST_PER_TURN / 1e6:g} MB"
                + (" (a drive whose two arms read at once is described with --arms 2)" if self.arms == 1 else "")
            )
        if self.interface is not None and self.outer > self.interface:
            found.append(f"the platters ({rate(self.outer)}) are faster than the interface ({rate(self.interface)})")
        if seek is not None and self.track_to_track is not None and seek <= self.track_to_track:
            found.append(f"the average seek ({time(seek)}) is no longer than the one from track to track ({time(self.track_to_track)})")
        if self.seek_write is not None and self.seek_read is not None and self.seek_write < self.seek_read:
            found.append(f"writes seek faster ({time(self.seek_write)}) than reads ({time(self.seek_read)}), and a write waits for the same arm to settle")
        if self.random_writes is not None and self.recording == "zoned":
            found.append(f"{self.random_writes:g} random writes per s, and a zoned drive, which takes writes only at the write pointers of its zones")
        if self.random_reads is not None and seek is not None:
            alone = 1 / (seek + self.turn / 2)
            if self.depth == 1 and abs(self.random_reads / alone - 1) > TOLERANCE:
                found.append(
                    f"{self.random_reads:g} random reads per s, one at a time, and an average seek of {time(seek)} with half a turn of "
                    f"{frequency(self.rpm / 60)}, which give {alone:.3g} per s"
                )
            if self.depth > 1 and self.random_reads < (1 - TOLERANCE) * alone:
                found.append(f"{self.random_reads:g} random reads per s at depth {self.depth} are fewer than an average seek of {time(seek)} gives one at a time ({alone:.3g} per s)")
        tracks = self.capacity / self.surfaces / self.mean_track()
        if tracks > MOST_TRACKS:
            found.append(f"{size(self.capacity)} on {self.surfaces} surfaces with {rate(self.outer)} at {self.rpm:g} rpm take {tracks:,.0f} tracks per surface; expected at most {MOST_TRACKS:,}")
        if tracks < LEAST_TRACKS:
            found.append(f"{size(self.capacity)} on {self.surfaces} surfaces with {rate(self.outer)} at {self.rpm:g} rpm are {tracks:,.0f} tracks per surface; expected at least {LEAST_TRACKS:,}")
        return found

    def mean_track(self) -> float:
        """Bytes of a track half way, without its skew."""
        return (self.outer + self.inner_or_half) / 2 / self.arms * self.turn

    @property
    def inner_or_half(self) -> float:
        return self.inner if self.inner is not None else self.outer / 2


def addresses(capacity: int) -> int:
    """Blocks of 512 B that a drive of this capacity is sold with: SFF-8447 above 8 TB, IDEMA LBA1-02 from 50 GB on; any other capacity as it is.

    >>> addresses(24 * 10**12) * 512, addresses(4 * 10**12), addresses(9_105_018_880)
    (24000277250048, 7814037168, 17783240)
    """
    whole, rest = divmod(capacity, GB)
    if rest or whole < 50:
        return capacity // BLOCK
    if whole <= 8000:
        return 97_696_368 + 1_953_504 * (whole - 50)
    step = 1 << 21
    return -(-capacity // BLOCK // step) * step


def rate(bytes_per_second: float) -> str:
    return f"{bytes_per_second / 1e6:.4g} MB/s"


UNITS: Mapping[str, tuple[str, Fraction, str]] = {
    "capacity": ("B", Fraction(1), '"24 TB"'), "cache": ("B", Fraction(1), '"512 MiB"'), "sector": ("B", Fraction(1), '"4 KiB"'), "rpm": ("rpm", Fraction(1), "7200"),
    "outer": ("B/s", Fraction(1), '"285 MB/s"'), "inner": ("B/s", Fraction(1), '"140 MB/s"'), "seek-read": ("ps", Fraction(1, PS), '"8 ms"'),
    "seek-write": ("ps", Fraction(1, PS), '"8.6 ms"'), "track-to-track": ("ps", Fraction(1, PS), '"0.25 ms"'),
    "interface": ("B/s", Fraction(1), '"6 Gb/s" or "600 MB/s"'),
}  # fmt: skip
_LINE = re.compile(r"(?:(?:SATA|SAS)\s+)?(\d+(?:\.\d+)?)\s*Gb(?:it)?/s", re.IGNORECASE)


def read(name: str, text: str) -> Fraction:
    """A figure as the sheet has it, in seconds, bytes or bytes per second.

    >>> float(read("seek-read", "8.2 ms")), int(read("capacity", "24 TB")), int(read("rpm", "7200"))
    (0.0082, 24000000000000, 7200)
    >>> int(read("interface", "SATA 6 Gb/s")), int(read("interface", "600 MB/s"))
    (600000000, 600000000)
    >>> read("outer", "285")
    Traceback (most recent call last):
    tessera.errors.InputError: outer: expected a figure such as "285 MB/s", found '285'
    """
    unit, factor, example = UNITS[name]
    if name == "interface" and (line := _LINE.fullmatch(text.strip())):
        return Fraction(line[1]) * 10**9 / LINE_BITS
    try:
        value, found = amount(text)
    except InputError:
        value, found = Fraction(0), None
    if found != unit and not (name == "rpm" and found == ""):
        raise InputError(f"{name}: expected a figure such as {example}, found '{text}'")
    return value * factor
