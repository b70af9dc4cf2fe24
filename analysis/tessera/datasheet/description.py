"""The description of a drive with the figures of a data sheet."""

import math
from dataclasses import dataclass, replace

import numpy as np

from tessera.datasheet.figures import Sheet, rate
from tessera.results.human import size, time

ZONES = 8
SERPENT = 64         # tracks of a surface before the next surface's, as on the library's drives
HEAD_SWITCH = 0.0008  # s: ours
ROOM = 1.003         # tracks for spares
MIB = 1 << 20
LARGEST_SEGMENT = 2 * MIB
MOST_SEGMENTS = 32
WRITE_CACHE = 12 * MIB
ZONE = 256 * MIB
MEDIA_CACHE = 34 / 8_001.6  # GiB per GB: the share of the ST8000AS0002
LEAST_DRAM = 64 * MIB  # of the firmware's tables and the host's buffer, which are no part of a sheet's cache


@dataclass(frozen=True)
class Kind:
    """A way of recording: the drive of the library that has what no sheet says, and its layer."""

    base: str
    layer: str
    order: str
    """In which tracks are numbered; of `serpentine` and `surface` the way back to the next surface has a skew."""
    reset: str = ""
    """Lines of [media] that take back what the base says in another form."""


KINDS = {
    "conventional": Kind("cmr-24tb", "cmr", "serpentine", "surface_zones = []\n"),
    "two arms": Kind("dual-arm-18tb", "cmr", "cylinder", "surface_zones = []\n"),
    "shingled": Kind("seagate-st8000as0002", "media-cache", "cylinder", "seek_curve = []\n"),
    "interlaced": Kind("imr-20tb", "imr-rmw", "cylinder", "tracks = 0\nsectors_per_track = 0\ntrack_skew = 0\ncylinder_skew = 0\n"),
    "zoned": Kind("zoned-28tb", "zoned", "surface"),
}


@dataclass(frozen=True)
class Design:
    """What the sheet says, and what was chosen so that its figures come out."""

    sheet: Sheet
    seek: float
    """s, of the average over two random sectors."""
    outer: float
    inner: float
    """Bytes per second that tracks are made for, so that a stream has what the sheet says."""
    age_limit: float = 2.0
    """s that a command may wait for others that lie nearer: the longest read of 32 on an Ultrastar He8 takes 2 s."""
    scheduling: str = "shortest_positioning"
    destage_depth: int = 32
    write_cache: int = WRITE_CACHE
    room: float = ROOM
    """Sectors of all tracks per sector of the host: guards, top tracks and caches on the platters take some."""
    found: tuple[str, ...] = ()
    """Remarks for the head of the description."""

    def but(self, **changes: object) -> "Design":
        return replace(self, **changes)  # type: ignore[arg-type]

    @property
    def kind(self) -> Kind:
        return KINDS["two arms" if self.sheet.arms > 1 else self.sheet.recording]

    @property
    def track_sectors(self) -> list[int]:
        """Of each zone, from the outermost: as many as give the sustained rate with what the step to the next track takes."""
        sheet = self.sheet
        return [_track(each / sheet.arms * sheet.turn / sheet.sector, self.step / sheet.turn) for each in np.linspace(self.outer, self.inner, ZONES)]

    @property
    def step(self) -> float:
        """s to the next track of the surface, settled for a write."""
        return self.sheet.single_track + self.sheet.write_settle

    @property
    def last_radii(self) -> list[int]:
        """Of the zones, in whole serpents: as few as hold the sectors, with room."""
        wanted = self.room * self.sheet.sectors / self.sheet.surfaces
        serpents = int(wanted / (sum(self.track_sectors) / ZONES) / SERPENT)
        while True:
            ends = [serpents * (zone + 1) // ZONES * SERPENT for zone in range(ZONES)]
            if sum(held * (end - begin) for held, begin, end in zip(self.track_sectors, [0, *ends], ends)) >= wanted + 2 * self.track_sectors[0]:
                return [end - 1 for end in ends]
            serpents += 1

    @property
    def slope(self) -> float:
        """s per root of a radius: a seek over d of them takes seek_min + slope * sqrt(d), and over one as long as from track to track."""
        ends = np.array([0, *(last + 1 for last in self.last_radii)])
        at = np.linspace(0, ends[-1], 400)
        weights = np.interp((at[1:] + at[:-1]) / 2, (ends[1:] + ends[:-1]) / 2, self.track_sectors)  # random sectors lie where there are more
        weights /= weights.sum()
        middle = (at[1:] + at[:-1]) / 2
        roots = np.sqrt(np.abs(middle[:, None] - middle[None, :]))
        return max(0.0, self.seek - self.sheet.single_track) / (float(weights @ roots @ weights) - 1)

    @property
    def seek_min(self) -> float:
        return max(0.0, self.sheet.single_track - self.slope)

    @property
    def full_stroke(self) -> float:
        return self.seek_min + self.slope * math.sqrt(self.last_radii[-1])

    def text(self) -> str:
        sheet, kind = self.sheet, self.kind
        remarks = "".join(f"# {line}\n" for line in self.found)
        arms = f", {sheet.arms} arms" if sheet.arms > 1 else ""
        return f"""# {' '.join(sheet.name.split())}: written by 'tessera drive new' from the figures of its data sheet. D: printed there. C: chosen so that D comes out. Ours: neither.
# The rest is as `{kind.base}` has it.
{remarks}extends = "{kind.base}"
summary = "{sheet.capacity / 1e12:g} TB {sheet.recording} drive, {sheet.surfaces} surfaces, {sheet.rpm:g} rpm{arms}, from the figures of a data sheet"
layer = "{kind.layer}"
published_capacity = "{sheet.sectors * sheet.sector if kind.layer != "imr-rmw" else 0} B"  # D, as drives of that capacity are numbered

{self._media()}{self._recording()}{self._caches()}{self._memory()}"""

    def _media(self) -> str:
        sheet = self.sheet
        rows = [
            f"  [{last}, {held}, {along}, {across}, 0, 0],"
            for last, held in zip(self.last_radii, self.track_sectors)
            for along, across in [self._skews(held)]
        ]
        exported = f"exported_sectors = {sheet.sectors}  # D\n" if self.kind.layer in ("cmr", "media-cache") else ""
        back = {"serpentine": SERPENT, "surface": self.last_radii[-1]}.get(self.kind.order, 0)  # radii to the next surface's first track
        serpent = f'serpent_skew = "{_ps(self.seek_min + self.slope * math.sqrt(back) + sheet.write_settle)}"\n' if back else ""
        return f"""[media]
{self.kind.reset}rpm = "{sheet.rpm:g} rpm"  # D
sector_size = "{sheet.sector} B"  # D
surfaces = {sheet.surfaces}  # D
{exported}{serpent}# C: {rate(sheet.outer)} outside with the step to the next track; {'D' if sheet.inner is not None else 'ours: half as much'} inside.
# last radius, sectors per track, track skew, cylinder skew, spare sectors, start angle
zones = [
{chr(10).join(rows)}
]
head_switch = "{_ps(HEAD_SWITCH)}"  # ours
write_settle = "{_ps(sheet.write_settle)}"  # {_given(sheet.seek_write)}
seek_min = "{_ps(self.seek_min)}"  # {_given(sheet.track_to_track)}
seek_full_stroke = "{_ps(self.full_stroke)}"  # C: {time(self.seek)} on average{', D' if sheet.average_seek is not None else ''}

"""

    def _skews(self, held: int) -> tuple[int, int]:
        """To the next surface, and to the next cylinder. Bands lie along a surface, whose next track begins after the skews of all surfaces: these
        make up whole turns and the step."""
        sheet, turn = self.sheet, self.sheet.turn
        switch, step = _skew(held, (HEAD_SWITCH + sheet.write_settle) / turn), _skew(held, self.step / turn)
        return switch, (step - (sheet.surfaces - 1) * switch) % held if self.kind.layer == "media-cache" else step

    def _recording(self) -> str:
        """What the layer shares the platters out by."""
        if self.kind.layer == "zoned":
            return f"[layers.zoned]\nzones = {self.sheet.sectors * self.sheet.sector // ZONE}  # D: {size(ZONE)} each\n\n"
        if self.kind.layer == "media-cache":
            cache = max(1, round(self.sheet.capacity / 1e9 * MEDIA_CACHE * 1024))
            return f'[layers.media_cache]\ncache = "{cache} MiB"  # ours: the share of `{self.kind.base}`\n\n'
        return ""

    def _caches(self) -> str:
        sheet = self.sheet
        segment = min(LARGEST_SEGMENT, sheet.cache // 4) // sheet.sector
        segments = max(1, min(MOST_SEGMENTS, sheet.cache // 2 // (segment * sheet.sector)))
        queue = f"""[controller]
scheduling = "{self.scheduling}"
age_limit = "{_ps(self.age_limit)}"  # C, where random reads are given

[firmware.read_cache]
segments = {segments}
segment_sectors = {segment}
read_ahead = {max(1, segment // 2)}
read_ahead_step = {max(1, segment // 8)}

"""
        if self.kind.layer in ("zoned", "media-cache"):
            return queue  # their write caches are as the base has them
        return queue + f"""[firmware.write_cache]
capacity = "{min(self.write_cache, sheet.cache // 4) // sheet.sector * sheet.sector} B"
destage_depth = {self.destage_depth}  # C, where random writes are given

"""

    def _memory(self) -> str:
        sheet = self.sheet
        interface = "" if sheet.interface is None else f'[host]\nlink = "ideal"\nlink_rate = "{round(sheet.interface)} B/s"  # D\n\n'
        return f"""{interface}[dram]
capacity = "{max(sheet.cache, LEAST_DRAM)} B"  # D{'' if sheet.cache >= LEAST_DRAM else ', and what the firmware needs'}
"""


def _given(value: float | None) -> str:
    return "D" if value is not None else "ours"


def _skew(held: int, turns: float) -> int:
    """Sectors that pass during a part of a turn, and one in which the command is given."""
    return math.ceil(turns * held) + 1


def _track(passing: float, step: float) -> int:
    """Sectors of a track of which so many are read in the time of a turn where each track costs a step, in turns."""
    held = passing
    for _ in range(20):
        held = passing * (1 + _skew(round(held), step) / held)
    return round(held)


def _ps(seconds: float) -> str:
    return f"{round(seconds * 1e9)} ns"
