"""What one access takes on a drive that does one thing after another, computed from its description alone and apart from the simulator.

    read    overhead, seek, wait for the sector, sector, link, completion
    write   overhead, then seek and settle while the data crosses the link; wait for the first pass for which the data is there; sector

The sector's angle is that of its zone's start and the skews counted from there; the spindle stands at time modulo a turn.
"""

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

MILLISECONDS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6, "ps": 1e-9}
BLOCK = 512


def milliseconds(text: str) -> float:
    amount, unit = text.split()
    return float(amount) * MILLISECONDS[unit]


@dataclass(frozen=True)
class Place:
    """Where a logical sector lies; `angle` in turns behind the index mark, `width` of the sector in turns."""

    cylinder: int
    surface: int
    angle: float
    width: float


class Drive:
    """Of the effective description of a run (drive.toml); its sectors are of 512 B, its zones stated one by one."""

    def __init__(self, description: dict):
        media, host, firmware = description["media"], description["host"], description["firmware"]
        if media["sector_size"] != f"{BLOCK} B" or not media["zones"] or not media["seek_curve"]:
            raise ValueError("expected a drive of 512 B sectors with zones and a measured seek curve")
        self.turn = round(60e12 / float(media["rpm"].split()[0])) * 1e-9
        self.surfaces = media["surfaces"]
        self.head_switch, self.settle = milliseconds(media["head_switch"]), milliseconds(media["write_settle"])
        self.seeks = [(int(distance), time) for distance, time in media["seek_curve"]]
        self.overheads = {name: milliseconds(time) for name, time in firmware["overheads"].items()}
        self.link = BLOCK / float(host["link_rate"].split()[0]) * 1e3
        self.on_request = host["write_data"] == "on_request"
        self.command, self.completion = milliseconds(host["command_overhead"]), milliseconds(host["completion_overhead"])
        self.read_completion = milliseconds(host["read_completion_overhead"])
        self.zones, self.sectors = [], 0
        first = 0
        for last, per_track, track_skew, cylinder_skew, spares, start in media["zones"]:
            offset = media["reserved_sectors"] if first == 0 else 0
            good = (last + 1 - first) * self.surfaces * per_track - spares - offset
            if good > 0:
                self.zones.append((self.sectors, first, per_track, track_skew, cylinder_skew, start, offset))
                self.sectors += good
            first = last + 1
        self.sectors = min(self.sectors, media["exported_sectors"] or self.sectors)

    def place(self, sector: int) -> Place:
        begin, first, per_track, track_skew, cylinder_skew, start, offset = max(zone for zone in self.zones if zone[0] <= sector)
        track, index = divmod(sector - begin + offset, per_track)
        cylinder, surface = divmod(track, self.surfaces)
        skew = cylinder * ((self.surfaces - 1) * track_skew + cylinder_skew) + surface * track_skew
        return Place(first + cylinder, surface, (start + skew + index) % per_track / per_track, 1 / per_track)

    def seek(self, distance: int) -> float:
        """Between the points of the curve a line, beyond them the last one's slope."""
        at = max(1, min(bisect_left(self.seeks, (distance, 0.0)), len(self.seeks) - 1))
        (d0, t0), (d1, t1) = list(pairwise(self.seeks))[at - 1]
        return self.seeks[0][1] if distance <= self.seeks[0][0] else t0 + (t1 - t0) * (distance - d0) / (d1 - d0)

    def move(self, head: Place, to: Place, write: bool) -> float:
        if (head.cylinder, head.surface) == (to.cylinder, to.surface):
            return 0.0
        seek = self.seek(abs(to.cylinder - head.cylinder)) if to.cylinder != head.cylinder else 0.0
        return max(seek, self.head_switch if to.surface != head.surface else 0.0) + (self.settle if write else 0.0)

    def response(self, arrival: float, head: Place, to: Place, write: bool, after_write: bool) -> float:
        """Of one sector, without caches, at an idle drive; times in ms."""
        overhead = self.overheads[f"{'write' if write else 'read'}_miss_after_{'write' if after_write else 'read'}"]
        begin = arrival + self.command + overhead
        ready = begin + self.link if write else begin
        if write and not self.on_request:
            begin = ready
        there = max(begin + self.move(head, to, write), ready if write else begin)
        wait = (to.angle - there / self.turn) % 1.0
        end = there + (wait + to.width) * self.turn
        return end - arrival + (0.0 if write else self.link + self.read_completion) + self.completion
