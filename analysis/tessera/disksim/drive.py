"""A DiskSim disk as a description: what each line comes from, and what could not be carried over."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tessera.disksim.grammar import Block, Entry, Reader
from tessera.disksim.geometry import Layout
from tessera.disksim.keys import child, entry, number, whole
from tessera.disksim.layout import read_layout
from tessera.disksim.seeks import Curve, read_seeks
from tessera.errors import InputError, nearest

SECTOR = 512  # bytes; DiskSim knows no other
SHORTEST_SEEK = 0.001  # ms
MOST_SEGMENTS = 1024


@dataclass
class Line:
    section: str
    key: str
    value: str
    source: str


@dataclass
class Imported:
    name: str
    lines: list[Line] = field(default_factory=list)
    layout: Layout | None = None
    seeks: Curve = field(default_factory=list)
    blocks: int = 0
    lost: list[str] = field(default_factory=list)
    """What a description cannot say, or the file does not: each with file and line."""


OVERHEADS = tuple((f"{op.capitalize()} {hit} over. after {before}", f"{op}_{hit}_after_{before}")
                  for op in ("read", "write") for hit in ("hit", "miss") for before in ("read", "write"))  # fmt: skip
# Of a write that lets the bus go once more before its data: one after another, until the data crosses.
EXTRA_DISCONNECT = (
    "Extradisc command overhead", "Extradisc disconnect overhead", "Extradisc inter-disconnect delay", "First reselect overhead", "Data preparation overhead",
)  # fmt: skip
USED = {name for name, _ in OVERHEADS} | {
    "Model", "Per-request overhead time", "Time scale for overheads", "Bulk sector transfer time", "Hold bus entire read xfer", "Hold bus entire write xfer",
    "Max queue length", "Scheduler", "Number of buffer segments", "Maximum number of write segments", "Segment size (in blks)", "Enable caching in buffer", "Use separate write segment", "Buffer continuous read",
    "Maximum read-ahead (blks)", "Read-ahead over requested", "High (read) water mark", "Set watermark by reqsize", "Read-ahead on idle hit", "Read any free blocks", "Fast write level", "Read completion overhead", "Write completion overhead",
    "Data preparation overhead", "First reselect overhead",
}  # fmt: skip
# Keys that change nothing that a description has, by the value that means "no such thing"; None: whatever the value.
WITHOUT = {
    "Print stats": None, "Avg sectors per cylinder": None, "Calc sector by sector": None, "Never disconnect": None,
    "Low (write) water mark": None, "Minimum read-ahead (blks)": 0,
    "Immediate buffer read": 0, "Immediate buffer write": 0, "Combine seq writes": None, "Stop prefetch in sector": None,
    "Disconnect write if seek": 0, "Write hit stop prefetch": None, "Read directly to buffer": None, "Immed transfer partial hit": None, "Allow almost read hits": 0,
    "Allow sneaky full read hits": 0, "Allow sneaky partial read hits": 0, "Allow sneaky intermediate read hits": 0, "Allow read hits on write data": 1,
    "Allow write prebuffering": 0, "Preseeking level": 0,
    "Other reselect overhead": 0, "Read disconnect afterread": None, "Read disconnect afterwrite": None, "Write disconnect overhead": None, "Extra write disconnect": 0,
    "Extradisc command overhead": 0, "Extradisc disconnect overhead": 0, "Extradisc inter-disconnect delay": 0, "Extradisc 2nd disconnect overhead": 0,
    "Extradisc seek delta": 0, "Minimum seek delay": 0,
}  # fmt: skip
SCHEDULING = {1: "first_come", 2: "c_look", 3: "c_look", 4: "shortest_seek"}
TO_TRACK_END = 1
READ_AHEAD = {2: "to the end of the cylinder", 4: "on the track and the next"}


def import_drive(file: Path) -> Imported:
    """Reads a .parv, .diskspecs or .model file with what it includes. Raises InputError with file and line."""
    reader = Reader()
    reader.read(file)
    disks = [block for block in reader.blocks if block.type == "disksim_disk"]
    models = [block for block in reader.blocks if block.type == "dm_disk"]
    if len(disks) > 1:
        raise InputError(f"{file}: describes {len(disks)} disks ({', '.join(block.name for block in disks)}); expected one")
    if disks:
        drive = Imported(disks[0].name.removesuffix("_validate"))
        _mechanics(drive, child(disks[0], "Model"))
        _electronics(drive, disks[0], reader.blocks)
    elif models:
        drive = Imported(models[0].name.removesuffix("_model").removesuffix("_validate"))
        _mechanics(drive, models[0])
        drive.lost.append(f"{file.name}: mechanics alone: no overheads, cache and queue; give the .diskspecs or .parv file for them")
    else:
        raise InputError(f"{file}: describes no disk; expected a block disksim_disk or dm_disk")
    return drive


def _say(drive: Imported, section: str, key: str, value: str, *sources: Entry | None) -> None:
    said = ", ".join(f"{source.place} {source.key}" for source in sources if source is not None)
    drive.lines.append(Line(section, key, value, said))


def _mechanics(drive: Imported, disk: Block) -> None:
    if disk.type != "dm_disk":
        raise InputError(f"{disk.place}: expected a block dm_disk, found {disk.type}")
    mechanics = child(disk, "Mechanical Model")
    rpm = number(mechanics, "Rotation speed (in rpms)", 1800, 20000)
    _say(drive, "media", "rpm", f'"{rpm:g} rpm"', entry(mechanics, "Rotation speed (in rpms)"))
    if number(mechanics, "Percent error in rpms", default=0):
        drive.lost.append(f"{entry(mechanics, 'Percent error in rpms').place}: a speed that varies; written as constant")
    layout = read_layout(disk)
    _say(drive, "media", "surfaces", str(layout.surfaces), entry(disk, "Number of data surfaces"))
    drive.lines.append(Line("media", "sector_size", f'"{SECTOR} B"', "DiskSim has no others"))
    drive.blocks = whole(disk, "Block count", 1)
    held = layout.capacity()
    if held < drive.blocks:
        place = entry(disk, "Block count").place
        if drive.blocks - held > drive.blocks // 50:
            raise InputError(f"{place}: 'Block count' is {drive.blocks:,}, but the zones hold {held:,} sectors without their spares")
        drive.lost.append(f"{place}: 'Block count' is {drive.blocks:,}, the zones hold {held:,} without their spares; that many are exported")
        drive.blocks = held
    if held > drive.blocks + drive.blocks // 20:
        drive.lost.append(f"{entry(disk, 'Block count').place}: 'Block count' is {drive.blocks:,}, the zones hold {held:,} sectors; all of them are exported")
        drive.blocks = held
    if layout.reserved:
        zones = entry(child(disk, "Layout Model"), "Zones")
        drive.lines.append(Line("media", "reserved_sectors", str(layout.reserved), f"{zones.place} Empty space at zone front"))
    _say(drive, "media", "exported_sectors", str(drive.blocks), entry(disk, "Block count"))
    if layout.order != "cylinder":
        drive.lines.append(Line("media", "track_order", f'"{layout.order}"', f"{layout.order_place} {layout.order_key}"))
    if layout.serpent_tracks:
        drive.lines.append(Line("media", "serpent_tracks", str(layout.serpent_tracks), f"{layout.order_place} {layout.order_key}"))
    if layout.serpent_skew:
        drive.lines.append(Line("media", "serpent_skew", f'"{layout.serpent_skew * 60_000 / rpm:.6f} ms"', f"{layout.order_place} {layout.order_key}"))
    if layout.cylinder_spares:
        drive.lines.append(Line("media", "cylinder_spares", str(layout.cylinder_spares), f"{layout.cylinder_spares_place} Number of spares"))
    if layout.cylinder_spares and layout.spare_cylinders > 1:
        drive.lines.append(Line("media", "spare_cylinders", str(layout.spare_cylinders), f"{entry(child(disk, 'Layout Model'), 'Rangesize for sparing').place} Rangesize for sparing"))
    if layout.track_spares:
        drive.lines.append(Line("media", "track_spares", str(layout.track_spares), f"{layout.track_spares_place} Number of spares"))
    seeks, longer_writes = read_seeks(mechanics, max(zone.last for zone in layout.zones) + 1, drive.lost)
    settle = number(mechanics, "Add. write settling delay", default=0) + longer_writes
    longer = max(0.0, -settle)  # of a read, whose seek times the file gives
    switch = number(mechanics, "Head switch time", 0)
    _say(drive, "media", "head_switch", f'"{max(0.0, switch - longer):.6g} ms"', entry(mechanics, "Head switch time"))
    if settle:
        key = "write_settle" if settle > 0 else "read_settle"
        _say(drive, "media", key, f'"{abs(settle):g} ms"', mechanics.find("Add. write settling delay"), mechanics.find("Full seek curve") if longer_writes else None)
    drive.layout = layout
    drive.lost += layout.lost
    drive.seeks = [(distance, max(SHORTEST_SEEK, ms - longer)) for distance, ms in seeks]


def _electronics(drive: Imported, disk: Block, all_blocks: list[Block]) -> None:
    carried = {*USED, "Extra write disconnect", *EXTRA_DISCONNECT} if _disconnects(disk) else USED
    for found in disk.entries.values():
        if found.key in carried:
            continue
        if found.key not in WITHOUT:
            close = nearest(found.key, [*USED, *WITHOUT])
            drive.lost.append(f"{found.place}: unknown key '{found.key}'" + (f"; did you mean '{close}'?" if close else ""))
        elif WITHOUT[found.key] is not None and found.value != WITHOUT[found.key]:
            drive.lost.append(f"{found.place}: '{found.key}' = {found.value:g}: a description cannot say it" if isinstance(found.value, float)
                              else f"{found.place}: '{found.key}': a description cannot say it")  # fmt: skip
    _queue(drive, disk)
    _link(drive, disk, all_blocks)
    _cache(drive, disk)
    for theirs, ours in OVERHEADS:
        if ms := _overhead(disk, theirs):
            _say(drive, "firmware.overheads", ours, f'"{ms:g} ms"', disk.find(theirs))


def _queue(drive: Imported, disk: Block) -> None:
    tags = min(256, whole(disk, "Max queue length", 0, default=1) or 1)
    _say(drive, "host", "tags", str(tags), disk.find("Max queue length"))
    scheduler = disk.find("Scheduler")
    if scheduler is None or not isinstance(scheduler.value, Block):
        return
    policy = whole(scheduler.value, "Scheduling policy", default=1)
    chosen = SCHEDULING.get(policy, "shortest_positioning")
    _say(drive, "controller", "scheduling", f'"{chosen}"', scheduler.value.find("Scheduling policy"))
    if policy not in SCHEDULING:
        drive.lost.append(f"{entry(scheduler.value, 'Scheduling policy').place}: scheduling policy {policy}; written as shortest_positioning")


def _overhead(disk: Block, key: str) -> float:
    """In ms, 0 where it is not given."""
    return number(disk, key, 0, default=0) * number(disk, "Time scale for overheads", 0, default=1)


def _slowest_bus(blocks: list[Block]) -> Block | None:
    """Of a whole system: the disk's own, as the others cost nothing in these files."""
    buses = [block for block in blocks if block.type == "disksim_bus" and number(block, "Read block transfer time", 0, default=0) > 0]
    return max(buses, key=lambda bus: number(bus, "Read block transfer time"), default=None)


def _rate(ms: float) -> str:
    return f'"{round(SECTOR / (ms * 1e-3))} B/s"'


def _link(drive: Imported, disk: Block, all_blocks: list[Block]) -> None:
    if ms := number(disk, "Bulk sector transfer time", 0, default=0):
        _say(drive, "host", "link_rate", _rate(ms), disk.find("Bulk sector transfer time"))
    elif (bus := _slowest_bus(all_blocks)) is not None:
        read = number(bus, "Read block transfer time")
        write = number(bus, "Write block transfer time", 0, default=0) or read
        _say(drive, "host", "link_rate", _rate(read), bus.find("Read block transfer time"))
        if write != read:
            _say(drive, "host", "write_rate", _rate(write), bus.find("Write block transfer time"))
    else:
        drive.lost.append(f"{disk.place}: no time of a sector on the bus; the link keeps its default rate (give the .parv file)")
    overhead = _overhead(disk, "Per-request overhead time")
    _say(drive, "host", "command_overhead", f'"{overhead:g} ms"', disk.find("Per-request overhead time"))
    slow_writes = whole(disk, "Fast write level", 0, 2, 0) == 0
    _completions(drive, disk, slow_writes)
    _reads(drive, disk)
    if slow_writes:
        _say(drive, "host", "write_data", '"on_request"', disk.find("Fast write level"))
        keys = EXTRA_DISCONNECT if _disconnects(disk) else ("Data preparation overhead",)
        if delay := sum(_overhead(disk, key) for key in keys):
            first = [disk.find("Extra write disconnect")] if _disconnects(disk) else []
            _say(drive, "host", "write_data_delay", f'"{delay:.6g} ms"', *first, *(disk.find(key) for key in keys))


def _disconnects(disk: Block) -> bool:
    """Whether a write lets the bus go once more before its data. DiskSim has that, in place of the write's own overhead, only after a write
    elsewhere; on the drive for which it was published the turns that sequential writes lose show it after that overhead, and for them too."""
    return bool(whole(disk, "Extra write disconnect", 0, 1, 0)) and not whole(disk, "Fast write level", 0, 2, 0)


def _completions(drive: Imported, disk: Block, slow_writes: bool) -> None:
    """What follows the data. Read data is prepared before it crosses, which takes as long; a write that is not done when its data is there
    takes the bus again for its status. A read's bus is taken again while its data comes in, so that costs nothing: where it was published, the
    measured reads have no such time."""
    reselect = "First reselect overhead"
    read_keys = ["Read completion overhead", "Data preparation overhead"]
    write_keys = ["Write completion overhead", reselect if slow_writes else "Data preparation overhead"]
    read, write = (sum(_overhead(disk, key) for key in keys) for keys in (read_keys, write_keys))
    if _overhead(disk, reselect):
        drive.lost.append(f"{entry(disk, reselect).place}: '{reselect}' of reads; written as hidden by the data that comes in meanwhile")
    both = min(read, write)
    for name, ms, keys in (("completion", both, write_keys if write <= read else read_keys), ("read_completion", read - both, read_keys), ("write_completion", write - both, write_keys)):
        if ms or name == "completion":
            _say(drive, "host", f"{name}_overhead", f'"{ms:.6g} ms"', *(disk.find(key) for key in keys if _overhead(disk, key) or key == keys[0]))


def _reads(drive: Imported, disk: Block) -> None:
    # The link begins with a read's data once this share of it is in the buffer; "Hold bus" says only who may use it meanwhile: a write's data crosses it while the arm moves.
    mark = number(disk, "High (read) water mark", 0, 1, 0)
    streams = mark < 1
    _say(drive, "host", "stream_reads", "true" if streams else "false", disk.find("High (read) water mark"))
    if 0 < mark < 1:
        _say(drive, "host", "read_water_mark", f"{mark:g}", disk.find("High (read) water mark"))
        if not whole(disk, "Set watermark by reqsize", 0, 1, 0):
            drive.lost.append(f"{entry(disk, 'High (read) water mark').place}: {100 * mark:g} % of the segment; written as that share of a read")


def _cache(drive: Imported, disk: Block) -> None:
    segments = whole(disk, "Number of buffer segments", default=0) if whole(disk, "Enable caching in buffer", 0, 2, 0) else 0
    size = min(65536, whole(disk, "Segment size (in blks)", 0, default=0))
    say: Callable[..., None] = lambda key, value, *sources: _say(drive, "firmware.read_cache", key, value, *sources)  # noqa: E731
    if not segments or not size:
        say("segments", "0", disk.find("Enable caching in buffer"))
        return
    say("segments", str(min(segments, MOST_SEGMENTS)), disk.find("Number of buffer segments"))
    if segments > MOST_SEGMENTS:
        drive.lost.append(f"{entry(disk, 'Number of buffer segments').place}: {segments:,} segments; written as {MOST_SEGMENTS:,}, the most that a description takes")
    say("segment_sectors", str(size), disk.find("Segment size (in blks)"))
    how = whole(disk, "Buffer continuous read", 0, 4, 0)
    most = whole(disk, "Maximum read-ahead (blks)", 0, default=size)
    if whole(disk, "Read-ahead over requested", -1, 1, 0):  # 1: what was read ahead may replace what the host has had; -1: it goes at once
        say("keep_delivered", "false", disk.find("Read-ahead over requested"))
    if whole(disk, "Read any free blocks", 0, 1, 0):
        say("zero_latency", "true", disk.find("Read any free blocks"))
    if whole(disk, "Maximum number of write segments", 0, default=1) >= segments and not whole(disk, "Use separate write segment", 0, 1, 0):
        say("writes_end_segments", "true", disk.find("Maximum number of write segments"), disk.find("Use separate write segment"))
    ahead = min(most, size) if how else 0
    if how == TO_TRACK_END and drive.layout is not None:  # half of it away, on average
        ahead = min(ahead, drive.layout.zones[0].sectors // 2)
    say("read_ahead", str(ahead), disk.find("Maximum read-ahead (blks)"), disk.find("Buffer continuous read"))
    if how == TO_TRACK_END:
        drive.lost.append(f"{entry(disk, 'Buffer continuous read').place}: read-ahead to the end of the track; written as half a track")
    elif how in READ_AHEAD:
        drive.lost.append(f"{entry(disk, 'Buffer continuous read').place}: read-ahead {READ_AHEAD[how]}; written as far as the segment has room")
    goes_on = how == 4 or whole(disk, "Read-ahead on idle hit", 0, 1, 0) and how != TO_TRACK_END  # not over the track's end
    say("extend_at_hit", "true" if goes_on else "false", disk.find("Read-ahead on idle hit"), disk.find("Buffer continuous read"))
    if whole(disk, "Fast write level", 0, 2, 0):
        _say(drive, "firmware.write_cache", "capacity", f'"{size * SECTOR} B"', disk.find("Fast write level"), disk.find("Segment size (in blks)"))
        drive.lines.append(Line("firmware.write_cache", "durability", '"volatile"', "as such drives were"))
        drive.lines.append(Line("firmware.write_cache", "idle_after", '"1 us"', "not in the files: writes back as soon as nothing waits"))
