"""Translation layers in Python. A layer is a class in a file of its own, given where a shared library may be given (`--firmware my_log.py`):

    class Plain(Layer):
        \"\"\"Tracks that do not overlap, each sector in its place.\"\"\"

        def plan(self, drive):
            return [Region("data", 0, drive.radii)]

        def setup(self):
            self.tracks = Tracks(self)
            self.user_sectors = self.tracks.sectors

        def read(self, request):
            yield [self.media.read(run, data) for run, data in self.tracks.runs(request.first, request.data)]

        def write(self, request):
            yield [self.media.write(run, data) for run, data in self.tracks.runs(request.first, request.data)]

Operations are generators: what they yield is what they wait for (see Layer). Times are integers in picoseconds of simulated time, sizes bytes, unless
a name says otherwise. Only the drive's processor, memory and devices take simulated time: Python code takes none, `cpu.charge` and accesses to a
`memory.table` do. The simulator brings its own copy of this module, so that a layer needs no installed package; this file is for editors and readers.
"""

import sys
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, cast

US, MS, SECOND = 10**6, 10**9, 10**12  # in picoseconds
HEADER_BYTES = 64  # out-of-band bytes of a sector on the platters
MOST_STEPS = 16  # of a media chain


class Status(IntEnum):
    """How an operation of a device or a request ends."""

    OK = 0
    MEDIA_ERROR = 1
    DAMAGED = 2
    BLANK = 3
    PROGRAM_FAILED = 4
    ERASE_FAILED = 5
    RULE_VIOLATION = 6
    NO_SPACE = 7
    CORRUPT = 8
    LOST = 9
    READ_ONLY = 10
    ABORTED = 11


MEANINGS = {
    Status.OK: "it ended well",
    Status.MEDIA_ERROR: "a sector could not be read or written",
    Status.DAMAGED: "a sector was destroyed by writing an overlapping track",
    Status.BLANK: "flash: the page was not programmed since the last erase",
    Status.PROGRAM_FAILED: "flash: retire the block",
    Status.ERASE_FAILED: "flash: retire the block",
    Status.RULE_VIOLATION: "flash: programmed twice or out of order; media: outside a track",
    Status.NO_SPACE: "a table, log or buffer is full",
    Status.CORRUPT: "metadata whose checksum does not match",
    Status.LOST: "read well, but stored as lost: an earlier copy of it could not be read",
    Status.READ_ONLY: "no spares left: no more writes",
    Status.ABORTED: "the host gave the command up",
}


class Failed(Exception):
    """A wait that did not end well, raised where the layer waits. A request that it leaves ends with its status, so a layer raises it, too."""

    def __init__(self, status: int, steps_done: int = 0, statuses: Sequence[int] = ()):
        super().__init__(Status(status).name)
        self.status = Status(status)
        self.steps_done = steps_done
        """Steps of the media chain that ended well."""
        self.statuses = tuple(map(Status, statuses))
        """Of each command of a flash batch."""


class Refused(Exception):
    """Raised by plan() or check_flash(): why the layer cannot run on this drive, in one sentence, with what would fit."""


# ---- parameters: layers.NAME.PARAMETER of a drive description, `--set`, and axes of sweeps ----

_FLAG, _COUNT, _REAL, _TIME, _SIZE, _CHOICE = range(6)


class _Parameter(NamedTuple):
    kind: int
    initial: Any
    low: float
    high: float
    what: str
    choices: tuple[str, ...] = ()


def flag(default: bool, what: str) -> bool:
    """A parameter that is true or false; `what`: one line."""
    return cast(bool, _Parameter(_FLAG, bool(default), 0, 1, what))


def count(default: int, low: int, high: int, what: str) -> int:
    """A whole number from `low` to `high`."""
    return cast(int, _Parameter(_COUNT, default, low, high, what))


def real(default: float, low: float, high: float, what: str) -> float:
    """A number from `low` to `high`."""
    return cast(float, _Parameter(_REAL, float(default), low, high, what))


def time(default: int, low: int, high: int, what: str) -> int:
    """A time in picoseconds; descriptions have it with a unit ("10 ms")."""
    return cast(int, _Parameter(_TIME, default, low, high, what))


def size(default: int, low: int, high: int, what: str) -> int:
    """A size in bytes; descriptions have it with a unit ("64 KiB")."""
    return cast(int, _Parameter(_SIZE, default, low, high, what))


def choice(default: str, choices: Sequence[str], what: str) -> str:
    """One of several words."""
    return cast(str, _Parameter(_CHOICE, default, 0, 0, what, tuple(choices)))


# ---- what a layer is told ----


class Zone(NamedTuple):
    """Tracks of one length."""

    first_radius: int
    radii: int
    sectors_per_track: int
    spare_sectors: int


class Drive(NamedTuple):
    """The drive's geometry."""

    sector_bytes: int
    surfaces: int
    reserved_sectors: int
    """Before the first logical sector."""
    spare_radii: int
    """After the others, the drive's own."""
    exported_sectors: int
    """0: as many as there are."""
    zones: tuple[Zone, ...]
    """From the outer diameter inwards."""
    track_spares: int
    """Places after the sectors of each track: a turn has as many more, of which angles are shares."""

    @property
    def radii(self) -> int:
        """Radii that regions may use."""
        return self.zones[-1].first_radius + self.zones[-1].radii


FORMATS = ("conventional", "shingled", "interlaced", "wave")


class Region(NamedTuple):
    """Radii on all surfaces with one recording format."""

    name: str
    first: int
    count: int
    format: str = "conventional"
    """One of FORMATS."""
    head_width: int = 2
    """Shingled, wave: tracks under the write head."""
    direction: int = 1
    """Shingled: +1 or -1."""
    band_tracks: int = 0
    guard_tracks: int = 0
    top_ratio: float = 1.0
    """Interlaced: sectors of a top track over sectors of a bottom track."""
    skewed: bool = True
    """False: track starts align in angle."""


class FlashShape(NamedTuple):
    """The drive's flash."""

    blocks: int
    pages_per_block: int
    oob_bytes: int
    page_bytes: int
    read_retries: int
    paired_pages: bool
    subpages: int
    planes: int
    copyback: bool


class Data:
    """Whole drive sectors in the drive's DRAM: of a request, or of a buffer of the layer's own. `len(data)` counts them, `data[a:b]` is a part."""

    __slots__ = ("address", "sector_bytes", "sectors")

    def __init__(self, address: int, sectors: int, sector_bytes: int):
        self.address = address
        self.sectors = sectors
        self.sector_bytes = sector_bytes

    def __len__(self) -> int:
        return self.sectors

    def __getitem__(self, part: slice) -> "Data":
        if type(part) is not slice:
            raise TypeError(f"sectors of a buffer are taken as a slice, data[3:4]; found data[{part!r}]")
        first, end = part.start, part.stop
        if first is None:
            first = 0
        if end is None:
            end = self.sectors
        if part.step is not None or not 0 <= first <= end <= self.sectors:
            raise IndexError(f"sectors {first} to before {end} of {self.sectors} are taken{'' if part.step is None else f' in steps of {part.step}'}")
        return Data(self.address + first * self.sector_bytes, end - first, self.sector_bytes)

    def __repr__(self) -> str:
        return f"Data({self.sectors} sectors at {self.address})"


READ, WRITE, FLUSH, TRIM, _BACKGROUND, _BOOT = range(6)


class Request:
    """What the host asks for."""

    __slots__ = ("background", "count", "data", "durable", "first", "kind", "tag")

    kind: int
    """READ, WRITE, FLUSH or TRIM."""
    first: int
    """Logical sector."""
    count: int
    """Sectors; 0 of FLUSH."""
    data: Data
    """Read, write: where the data goes or comes from."""
    durable: bool
    """Write: on media or flash before it ends (FUA)."""
    background: bool
    """Write: the drain of a cache in front; no host request waits for it."""
    tag: int | None
    """Of the host's command."""

    def __init__(self, kind: int, first: int, count: int, data: Data, durable: bool, background: bool, tag: int | None):
        self.kind = kind
        self.first = first
        self.count = count
        self.data = data
        self.durable = durable
        self.background = background
        self.tag = tag


class Figure(NamedTuple):
    """A figure of the layer's own in the results."""

    name: str
    """Once in a report, such as "rmw.count"."""
    value: float | None
    """None: a mean of nothing."""
    unit: str
    what: str
    counts: bool = False
    """A count since power-on, of which a measurement takes the difference."""


# ---- media ----


class Run(NamedTuple):
    """Sectors on one track; past the track's last sector a run goes on at its sector 0."""

    surface: int
    radius: int
    first: int
    count: int


class Step(NamedTuple):
    """A read or write of one run: yield it, or a list of steps. Made by media.read() and media.write()."""

    write: bool
    hint: int
    run: Run
    data: Data | None
    system: Any
    headers: Any
    header_count: int


class Chain:
    """Steps with a priority, or which carry lost sectors on. Made by media.chain()."""

    __slots__ = ("carry_lost", "priority", "steps")

    def __init__(self, steps: list[Step], carry_lost: bool, priority: int | None):
        self.steps = steps
        self.carry_lost = carry_lost
        self.priority = priority


PRIORITIES = ("host", "dependent", "background")
HINTS = ("position", "same_angle", "whole_track", "backup_round_trip")
_HINT = {name: number for number, name in enumerate(HINTS)}
_tuple: Any = tuple.__new__  # a named tuple of its fields, in half the time


class Media:
    """The platters."""

    def __init__(self, machine: Any):
        self._machine = machine

    def sectors_on(self, surface: int, radius: int) -> int:
        """Sectors of a track."""
        return self._machine.sectors_on(surface, radius)

    def read(self, run: Run, data: Data | None = None, *, header: bytearray | None = None, headers: bytearray | None = None,
             system: bytearray | None = None, hint: str = "position") -> Step:  # fmt: skip
        """Reads a run into `data`, or `system` (whole sectors of the layer's own bytes). `header`: 64 B for those of the run's last sector, `headers`:
        64 B for each; both keep their content where the sector cannot be read. `hint`: what `expected` timing charges."""
        return _tuple(Step, (False, _HINT[hint], run, data, system, header if headers is None else headers, 1 if headers is None else run[3]))

    def write(self, run: Run, data: Data | None = None, *, header: bytes | None = None, headers: bytes | None = None,
              system: bytes | None = None, hint: str = "position") -> Step:  # fmt: skip
        """Writes a run from `data` or `system`, with up to 64 B in the header of its last sector, or 64 B in each."""
        if headers is not None:
            return _tuple(Step, (True, _HINT[hint], run, data, system, headers, run[3]))
        return _tuple(Step, (True, _HINT[hint], run, data, system, None if header is None else header.ljust(HEADER_BYTES, b"\0"), 1))

    def chain(self, steps: Iterable[Step], *, carry_lost: bool = False, priority: str | None = None) -> Chain:
        """Steps to wait for. `carry_lost`: a sector that cannot be read is carried on as lost and does not end the chain. `priority`: one of PRIORITIES
        (default: host, or background in background work)."""
        return Chain(list(steps), carry_lost, None if priority is None else PRIORITIES.index(priority))


# ---- flash ----


class FlashCommand(NamedTuple):
    """A command: yield it, or a list of them, which run at the same time as far as the dies can."""

    op: int
    page: int
    block: int = 0
    data: Data | None = None
    oob: Any = None
    origin: int = 0
    subpage: int = 0
    retry: int = 0


class Flash:
    """The drive's flash. `shape`: its sizes."""

    def __init__(self, machine: Any, shape: FlashShape):
        self._machine = machine
        self.shape = shape

    def is_bad(self, block: int) -> bool:
        return self._machine.flash_is_bad(block)

    def read(self, page: int, data: Data | None = None, *, oob: bytearray | None = None, subpage: int = 0, retry: int = 0) -> FlashCommand:
        """Reads a page into one sector, with its out-of-band bytes."""
        return FlashCommand(0, page, 0, data, oob, 0, subpage, retry)

    def read_oob(self, page: int, oob: bytearray, *, subpage: int = 0) -> FlashCommand:
        """Reads a page's out-of-band bytes alone."""
        return FlashCommand(1, page, 0, None, oob, 0, subpage)

    def program(self, page: int, data: Data | None, *, oob: bytes | None = None, subpage: int = 0) -> FlashCommand:
        return FlashCommand(2, page, 0, data, oob, 0, subpage)

    def erase(self, block: int) -> FlashCommand:
        return FlashCommand(3, 0, block)

    def copyback(self, origin: int, page: int, *, oob: bytes | None = None) -> FlashCommand:
        """Copies a page inside a die."""
        return FlashCommand(4, page, 0, None, oob, origin)


# ---- memory ----

CATEGORIES = ("metadata", "merge_buffer", "write_cache", "read_cache", "host_buffer", "descriptors")


def _number(names: Sequence[str], name: str, what: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise ValueError(f"unknown {what} '{name}'; expected one of {', '.join(names)}") from None


class Table(Protocol):
    """A table in the drive's DRAM. Made by memory.table()."""

    torn: bool

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int, value: int) -> None: ...


class Memory:
    """The drive's DRAM. Tables and buffers are made in setup(), for good."""

    def __init__(self, machine: Any, sector_bytes: int):
        self._machine = machine
        self._sector_bytes = sector_bytes

    def table(self, entries: int | Iterable[int], what: str, *, entry_bytes: int = 8, dumped: bool = False) -> "Table":
        """A table of unsigned numbers with `entry_bytes` (1, 2, 4 or 8) each: `table[i]` and `table[i] = n` are accesses, which take time. `entries`: what it
        has as formatted, or their number where all are 0. `dumped`: the drive saves it when its power fails; it then begins with what it had, or with 0
        where its `torn` says that the dump is of no use."""
        values = [] if isinstance(entries, int) else list(entries)
        if dumped and values:
            raise ValueError("a dumped table begins with what the drive saved; give the number of its entries")
        return self._machine.table(entries if isinstance(entries, int) else len(values), values, what, entry_bytes, dumped)

    def buffer(self, sectors: int, what: str, *, category: str = "merge_buffer", dumped: bool = False) -> Data:
        """Sectors of the layer's own."""
        return self._data(self._machine.reserve_buffer(_number(CATEGORIES, category, "category"), sectors, dumped, what))

    def acquire(self, sectors: int) -> Data | None:
        """Sectors of the staging pool, until release(); None: none are free now."""
        found = self._data(self._machine.acquire(sectors))
        return found if found.sectors else None

    def release(self, data: Data) -> None:
        self._machine.release(data.address, data.sectors)

    def copy(self, source: Data, target: Data) -> None:
        """Copies as many sectors as both have."""
        self._machine.copy(source.address, source.sectors, target.address, target.sectors)

    def merge_blocks(self, sector: Data, old: Data, first: int, count: int) -> None:
        """Replaces in `sector` the blocks of 512 B outside [first, first + count) by those of `old`."""
        self._machine.merge_blocks(sector.address, sector.sectors, old.address, old.sectors, first, count)

    def clear(self, data: Data) -> None:
        self._machine.clear(data.address, data.sectors)

    def first_lost(self, data: Data) -> int | None:
        """The index of the first sector that is lost; None where none is."""
        found = self._machine.first_lost(data.address, data.sectors)
        return None if found >= data.sectors else found

    def mark_lost(self, data: Data) -> None:
        self._machine.mark_lost(data.address, data.sectors)

    def _data(self, found: tuple[int, int]) -> Data:
        return Data(found[0], found[1], self._sector_bytes)


# ---- the processor and the host ----

CHARGES = (
    "command", "completion", "interrupt", "reap", "task_switch", "submit", "array", "hash", "tree_level", "list_element", "table_access", "lock",
    "media_step", "flash_command", "record_word", "copy", "angular_lock",
)  # fmt: skip
_CHARGE = {name: number for number, name in enumerate(CHARGES)}
_BEGINS, _ENDS, _HAPPENS = range(3)
_WAITS_LOCK, _WAITS_BACKGROUND = 5, 8


class Work:
    """Work of a kind, counted and timed: `with self.rewrites(unit):` around it. Made by cpu.work()."""

    def __init__(self, machine: Any, word: str, what: str):
        self.word, self.what = word, what
        self.count = self.total = self.longest = 0
        self._machine = machine

    def __call__(self, subject: int = 0, amount: int = 0) -> "_Piece":
        """`subject` and `amount` (sectors, say) go into the events."""
        return _Piece(self, subject, amount)


class _Piece:
    __slots__ = ("amount", "began", "subject", "work")

    def __init__(self, work: Work, subject: int, amount: int):
        self.work, self.subject, self.amount = work, subject, amount

    def __enter__(self) -> None:
        machine = self.work._machine
        self.began = machine.now()
        machine.note(self.work.word, _BEGINS, self.subject, 0)

    def __exit__(self, *ended: object) -> None:
        work = self.work
        took = work._machine.now() - self.began
        work._machine.note(work.word, _ENDS, self.subject, self.amount)
        work.count += 1
        work.total += took
        work.longest = max(work.longest, took)


class _Sleep:
    __slots__ = ("until",)

    def __init__(self, until: int):
        self.until = until


class Cpu:
    """The drive's processor."""

    def __init__(self, machine: Any, driver: "_Driver"):
        self._machine = machine
        self._driver = driver

    @property
    def now(self) -> int:
        """Simulated time in ps."""
        return self._machine.now()

    def charge(self, operation: str, times: int = 1) -> None:
        """Takes the time of an operation by the drive's table of costs: one of CHARGES."""
        number = _CHARGE.get(operation)
        if number is None:
            number = _number(CHARGES, operation, "operation")
        self._machine.charge(number, times)

    def spend(self, time: int) -> None:
        """Takes a time in ps, whatever the processor's clock."""
        self._machine.spend(time)

    def sleep(self, time: int) -> _Sleep:
        """To yield: waits for so many ps."""
        return _Sleep(self._machine.now() + time)

    def sleep_until(self, at: int) -> _Sleep:
        """To yield: waits until now is `at`."""
        return _Sleep(at)

    def spawn(self, work: Generator[Any, Any, Any], name: str = "background") -> None:
        """Begins background work, a generator like an operation. The name says whose work it is where it is a word of note()."""
        self._driver.spawn(work, name)

    def note(self, kind: str, subject: int = 0, amount: int = 0) -> None:
        """An event. Its kind says whose work it is where it is one of the drive's words: rmw, restore; clean, merge, collect, reclaim, evict, erase, append;
        checkpoint; flip, unflip, swap, promote, move; destage; read_ahead. It may say more after a dot: "rmw.unit"."""
        self._machine.note(kind, _HAPPENS, subject, amount)

    def work(self, word: str, what: str) -> Work:
        """Work by a word as of note(). The default report has rmw.count and cleaning.count (of "clean") from it."""
        made = Work(self._machine, word, what)
        self._driver.works.append(made)
        return made

    def gauge(self, name: str, unit: str, what: str) -> Callable[[int], None]:
        """A signal of the layer's: call the result with each new value, a whole number of at least 0. In setup()."""
        number, machine = self._machine.declare_gauge(name, unit, what), self._machine
        return lambda value: machine.gauge(number, value)

    def log(self, line: str) -> None:
        """A line on standard error, with the simulated time."""
        self._machine.log(line)


class Host:
    """What is known of the host."""

    def __init__(self, machine: Any):
        self._machine = machine

    @property
    def outstanding(self) -> int:
        """Commands that wait for the drive."""
        return self._machine.outstanding()

    @property
    def last_activity(self) -> int:
        """Time in ps at which the host last asked or was answered."""
        return self._machine.last_activity()

    def write_waiting(self, first: int, end: int, but: Request | None = None) -> bool:
        """Whether a write to sectors from `first` to before `end` waits, other than `but`."""
        return self._machine.write_waiting(first, end, _NO_TAG if but is None or but.tag is None else but.tag)


_NO_TAG = 0xFFFFFFFF


# ---- turns ----


class Lock:
    """A thing that one operation at a time has; the others wait in the order in which they came: `with (yield lock): ...`"""

    __slots__ = ("_holder", "_waiting")

    def __init__(self) -> None:
        self._holder: _Operation | None = None
        self._waiting: deque[_Operation] = deque()

    def __enter__(self) -> "Lock":
        if self._holder is None:
            raise RuntimeError("the lock is not taken: write `with (yield lock):`")
        return self

    def __exit__(self, *ended: object) -> None:
        self.release()

    def release(self) -> None:
        """Gives it to the one that has waited longest."""
        holder = self._holder
        if holder is None:
            raise RuntimeError("the lock is released, and nobody has it")
        self._holder = self._waiting.popleft() if self._waiting else None
        if self._holder is not None:
            holder.driver.machine.ready(self._holder.number)


# ---- a layer ----


class Layer:
    """A translation layer. Write a class that inherits from this one; its docstring's first line is the layer's summary.

    read(), write(), flush(), trim(), recover(), format() and idle() are generators. They yield what they wait for:

    - a step of media.read() or media.write(), a list of steps, or media.chain(): nothing comes between the steps of a list (more than 16 go as
      several chains), and the first that fails ends it. The result is the number of steps done;
    - a command of flash, or a list of them: the result is the list of their statuses;
    - cpu.sleep(), cpu.sleep_until();
    - a Lock, which is then held: `with (yield self.turn):`;
    - a list of generators: they run side by side, and all have ended then. The result is the list of what they returned.

    `yield from self.other(...)` waits through another generator. A wait that fails raises Failed; uncaught, it ends the request with its status. Any
    other exception ends the run with its place. An operation that need not wait may be a plain function.
    """

    name: str = ""
    """As in --layer: a-z, 0-9 and '-' (default: of the class, MyLog -> my-log)."""
    needs_flash: bool = False
    idle_after: int = 100 * MS
    """How long the host is quiet before idle() begins, in ps."""
    most_idle_waits: int = 1_000_000
    """How often idle() may wait after the host's last request; beyond it the run ends as one that never would."""

    media: Media
    memory: Memory
    cpu: Cpu
    host: Host
    flash: Flash
    """There is none on a drive without flash."""
    drive: Drive
    regions: tuple[Region, ...]
    user_sectors: int
    """The capacity in drive sectors: set it in setup()."""

    def plan(self, drive: Drive) -> Iterable[Region]:
        """The layer's regions in ascending order, or Refused. Only the parameters are there."""
        raise NotImplementedError("plan() is missing: a layer names its regions")

    def setup(self) -> None:
        """At each power-on, before format() or recover(): tables, buffers, user_sectors. Nothing that was in the object before is there."""

    def format(self) -> Any:
        """The first boot, of an empty drive."""

    def recover(self) -> Any:
        """A boot after a power cut."""

    def read(self, request: Request) -> Any:
        """Reads the request's sectors into request.data."""
        raise NotImplementedError("read() is missing")

    def write(self, request: Request) -> Any:
        """Writes request.data to the request's sectors. The write is acknowledged when it ends, and is on media or flash by then where it is `durable`."""
        raise NotImplementedError("write() is missing")

    def flush(self, request: Request) -> Any:
        """What was acknowledged is on media or flash when it ends."""

    def trim(self, request: Request) -> Any:
        """The host no longer needs these sectors."""

    def idle(self) -> Any:
        """Background work while the host is quiet: begins after idle_after, again after the next requests. Return when nothing is left, or when
        self.host.outstanding says that the host waits."""

    def report(self) -> Iterable[Figure]:
        """The layer's figures: of cpu.work() by default. A pair progress.NAME.done and progress.NAME.of is a clock: no run in which `done` is less than
        `of` is ranked."""
        return figures_of(self._driver.works)

    _driver: "_Driver"

    # What follows need not be there: the drive asks only layers that have it.

    def prefill(self, sectors: int) -> None:
        """Before the first boot: the first sectors hold data, as if written long ago."""

    def check_flash(self, shape: FlashShape) -> None:
        """Raises Refused for flash that the layer cannot use."""

    def holds(self, first: int, count: int) -> bool:
        """A read would not need the platters."""
        return False

    def absorbs(self, first: int, count: int) -> bool:
        """A write would not need the platters."""
        return False

    def streams_writes(self) -> bool:
        """A write's data goes to the media where it is, and nowhere else."""
        return False

    def received(self, first: int, count: int) -> None:
        """A host write has arrived, before any write cache."""

    def longest_wait(self) -> int:
        """Of one request for all cleanings before it, in ps. Only the parameters are there."""
        return 0

    def flushed_only(self) -> bool:
        """Acknowledged writes that were not flushed may be lost. Only the parameters are there."""
        return False


_ENOUGH = 20  # rounds of a clock, as of layers in C (tessera_parts.h)


def figures_of(works: Iterable[Work]) -> Iterator[Figure]:
    """rmw.count and rmw.time_total of work "rmw"; cleaning.count, .mean, .max and their clock of work "clean"."""
    for work in works:
        if work.word == "rmw":
            yield Figure("rmw.count", work.count, "1", work.what, True)
            yield Figure("rmw.time_total", work.total / MS, "ms", "time that they took", True)
        elif work.word == "clean":
            yield Figure("cleaning.count", work.count, "1", work.what, True)
            yield Figure("cleaning.mean", work.total / MS / work.count if work.count else None, "ms", "mean time of a cleaning")
            yield Figure("cleaning.max", work.longest / MS, "ms", "longest cleaning")
            yield Figure("progress.cleanings.done", work.count, "1", work.what, True)
            yield Figure("progress.cleanings.of", _ENOUGH, "1", "as many are enough to compare the run")


# ---- parts of layers ----


class Tracks:
    """The tracks of a region in their order, radius by radius and surface by surface."""

    def __init__(self, layer: Layer, region: int = 0):
        """In setup(); `region`: its number in the plan."""
        self.region = layer.regions[region]
        self.surfaces = layer.drive.surfaces
        self.first = [0]
        """Of each track its first sector; one more has the end."""
        for radius in range(self.region.first, self.region.first + self.region.count):
            for surface in range(self.surfaces):
                self.first.append(self.first[-1] + layer.media.sectors_on(surface, radius))
        self.sectors = self.first[-1]

    def run(self, sector: int, most: int) -> Run:
        """Up to `most` sectors from `sector` on, as far as they are on one track."""
        track = bisect_right(self.first, sector) - 1
        start = sector - self.first[track]
        return _tuple(Run, (track % self.surfaces, self.region.first + track // self.surfaces, start, min(most, self.first[track + 1] - sector)))

    def runs(self, sector: int, data: Data) -> Iterator[tuple[Run, Data]]:
        """Runs of `data` from `sector` on, and the part of the data of each."""
        done = 0
        while done < data.sectors:
            run = self.run(sector + done, data.sectors - done)
            yield run, data[done : done + run.count]
            done += run.count


def plan_bands(drive: Drive, tracks: int, interlaced: bool = False, least: int = 2) -> list[Region]:
    """In plan(): bands of `tracks` tracks, with a free track after each, in every zone that has at least `least` bands. A write to one band destroys nothing
    in another. Interlaced bands have an odd number of tracks."""
    if interlaced and tracks % 2 == 0:
        raise Refused(f"{tracks} tracks of a band; interlaced ones begin and end with a bottom track, so their number is odd")
    regions = []
    for zone in drive.zones:
        rows = zone.radii // (tracks + 1)
        if rows * drive.surfaces >= least:
            shape = ("interlaced", 2, 1, 0, 0) if interlaced else ("shingled", 2, 1, tracks, 1)
            regions.append(Region("bands", zone.first_radius, rows * (tracks + 1), *shape))
    if not regions:
        raise Refused(f"no zone of the drive has tracks enough for {least} bands of {tracks}; bands of fewer tracks would fit")
    return regions


class Bands:
    """Bands of tracks, of the regions that plan_bands() made. Their sectors are numbered in the order in which they are written: upwards where shingled;
    bottoms, then tops. Of each zone the last `spare` bands, and of each band the last `kept` sectors, have no logical sectors of their own."""

    def __init__(self, layer: Layer, tracks: int, spare: int = 0, kept: int = 0):
        self.kept = kept
        self.sectors: list[int] = []
        """Of each band, as many as each of its zone has at least."""
        self.last: list[int] = []
        """Of each band the last of its zone."""
        self.first: list[int] = []
        """Of each band the first logical sector that it has as formatted; one more has the end."""
        self._starts: list[list[int]] = []
        self._places: list[list[tuple[int, int]]] = []
        first = 0
        for region in layer.regions:
            zone = len(self.sectors)
            end = zone + region.count // (tracks + 1) * layer.drive.surfaces
            order = [*range(0, tracks, 2), *range(1, tracks, 2)] if region.format == "interlaced" else range(tracks)
            for band in range(end - zone):
                base, surface = region.first + band // layer.drive.surfaces * (tracks + 1), band % layer.drive.surfaces
                places = [(surface, base + place) for place in order]
                starts = [0]
                for place in places:
                    starts.append(starts[-1] + layer.media.sectors_on(*place))
                self._starts.append(starts)
                self._places.append(places)
            sectors = min(starts[-1] for starts in self._starts[zone:])
            if sectors <= kept or end - zone <= spare:
                raise Refused(f"bands of {sectors} sectors, {end - zone} in a zone, of which {kept} sectors and {spare} bands are kept: nothing is left")
            for band in range(zone, end):
                self.sectors.append(sectors)
                self.last.append(end - 1)
                self.first.append(first)
                first += sectors - kept if band < end - spare else 0
        self.first.append(first)
        self.count = len(self.sectors)
        self.user_sectors = first
        self.most_sectors = max(self.sectors)

    def usable(self, band: int) -> int:
        """Sectors of a band without those that are kept."""
        return self.sectors[band] - self.kept

    def pieces(self, first: int, data: Data) -> Iterator[tuple[int, int, Data]]:
        """Of logical sectors from `first` on: the band that has them as formatted, the sector in it, and the data, band by band."""
        done = 0
        while done < data.sectors:
            band = bisect_right(self.first, first + done) - 1
            index = first + done - self.first[band]
            part = min(data.sectors - done, self.usable(band) - index)
            yield band, index, data[done : done + part]
            done += part

    def runs(self, band: int, index: int, count: int) -> Iterator[Run]:
        """The runs of `count` sectors of a band from `index` on, track by track."""
        starts, places = self._starts[band], self._places[band]
        track = bisect_right(starts, index) - 1
        end = index + count
        while index < end:
            most = min(end, starts[track + 1])
            yield _tuple(Run, (*places[track], index - starts[track], most - index))
            index, track = most, track + 1

    def read(self, band: int, index: int, data: Data, header: bytearray | None = None) -> list[Step]:
        """Steps that read sectors of a band from `index` on; `header` is of the last one."""
        return self._steps(False, band, index, data, header)

    def write(self, band: int, index: int, data: Data, header: bytes | None = None) -> list[Step]:
        """Steps that write them."""
        return self._steps(True, band, index, data, None if header is None else header.ljust(HEADER_BYTES, b"\0"))

    def _steps(self, write: bool, band: int, index: int, data: Data, header: Any) -> list[Step]:
        address, sectors, sector_bytes = data.address, data.sectors, data.sector_bytes
        steps = []
        for run in self.runs(band, index, sectors):
            taken = run[3]
            sectors -= taken
            steps.append(_tuple(Step, (write, 0, run, Data(address, taken, sector_bytes), None, header if sectors == 0 else None, 1)))
            address += taken * sector_bytes
        return steps


# ---- what the simulator calls: not for layers ----


class _Operation:
    __slots__ = ("background", "chain", "done", "driver", "ended", "generator", "left", "number", "parent", "place", "waits")

    def __init__(self, driver: "_Driver", number: int, generator: Any, background: bool):
        self.driver = driver
        self.number = number
        self.generator = generator
        self.background = background
        self.waits: Any = None
        self.chain: Chain | None = None  # of more steps than one may have
        self.done = 0  # its steps that have ended
        self.left: list[Any] = []  # parts that run side by side
        self.parent: _Operation | None = None
        self.ended: list[Any] = []
        self.place = 0


_AT_ITS_LINE = (TypeError, ValueError, AttributeError, BufferError)  # wrong waits, raised where the layer yields them


class _Driver:
    """One layer with its power on: runs its generators over the machine's calls."""

    def __init__(self, layer: Layer, machine: Any):
        self.layer = layer
        self.machine = machine
        self.works: list[Work] = []
        self.operations: dict[int, _Operation] = {}
        self.spawned: dict[int, tuple[Any, _Operation | None, int]] = {}
        self.spawns = 0
        self.watch: _Operation | None = None
        self.watch_parked = False
        self.watch_works = False
        self.watch_waits = 0
        self.serves = (layer.read, layer.write, layer.flush, layer.trim)
        self.sector_bytes = layer.drive.sector_bytes

    def boot(self, number: int, again: bool) -> None:
        self._begin(number, self.layer.recover if again else self.layer.format, (), False)

    def command(self, number: int, kind: int, first: int, count: int, address: int, sectors: int, durable: bool, background: bool, tag: int) -> None:
        request = Request(kind, first, count, Data(address, sectors, self.sector_bytes), durable, background, None if tag == _NO_TAG else tag)
        if self.watch is not None:
            self.watch_waits = 0
            if self.watch_parked:
                self.watch_parked = False
                self.machine.ready(self.watch.number)
        self._begin(number, self.serves[kind], (request,), background)

    def background(self, number: int, key: int) -> None:
        generator, parent, place = self.spawned.pop(key)
        operation = _Operation(self, number, generator, parent.background if parent is not None else True)
        operation.parent, operation.place = parent, place
        if generator is None:
            operation.generator, self.watch = self._watched(), operation
        self.operations[number] = operation
        self._go_on(operation, None, None)

    def event(self, number: int, status: int, steps_done: int) -> None:
        operation = self.operations[number]
        waits, operation.waits = operation.waits, None
        value: Any = waits
        error: Exception | None = None
        if waits is Step:
            value = operation.done = operation.done + steps_done
            if status:
                error = Failed(status, value)
            elif operation.chain is not None and value < len(operation.chain.steps):
                try:
                    self._next_steps(operation)
                    return
                except _AT_ITS_LINE as wrong:
                    operation.waits, error = None, wrong
        elif waits is FlashCommand:
            value = [Status(found) for found in self.machine.flash_statuses(number)]
            if any(value):
                error = Failed(next(filter(None, value)), 0, value)
        elif waits is list:
            value = operation.ended
            error = next((found for found in value if isinstance(found, Failed)), None)
        if operation is self.watch and self.watch_works:
            self.watch_waits += 1
            if self.watch_waits > self.layer.most_idle_waits:
                error = TimeoutError(f"idle() has waited {self.layer.most_idle_waits:,} times after the host's last request and has not returned")
        self._go_on(operation, value, error)

    def _begin(self, number: int, serve: Callable[..., Any], arguments: tuple[Any, ...], background: bool) -> None:
        try:
            generator = serve(*arguments)
        except Failed as failed:  # of a plain function
            self.machine.complete(number, int(failed.status))
            return
        if generator is None:
            self.machine.complete(number, 0)
            return
        if not hasattr(generator, "send"):
            raise TypeError(f"{serve.__name__}() gave {generator!r}; expected a generator, or None where there is nothing to wait for")
        operation = self.operations[number] = _Operation(self, number, generator, background)
        self._go_on(operation, None, None)

    def _go_on(self, operation: _Operation, value: Any, error: Exception | None) -> None:
        """Until the generator waits for something that is not there yet, or ends."""
        generator = operation.generator
        try:
            while True:
                wait = generator.send(value) if error is None else generator.throw(error)
                error = None
                try:
                    value = self._waits(operation, wait)
                except _AT_ITS_LINE as wrong:
                    operation.waits, error = None, wrong
                    continue
                if operation.waits is not None:
                    return
        except StopIteration as end:
            self._end(operation, 0, end.value)
        except Failed as failed:
            self._end(operation, failed.status, failed)

    def _end(self, operation: _Operation, status: int, value: Any) -> None:
        del self.operations[operation.number]
        parent = operation.parent
        if parent is not None:
            parent.ended[operation.place] = value
            parent.left.pop()
            if not parent.left:
                self.machine.ready(parent.number)
        self.machine.complete(operation.number, int(status))

    def _waits(self, operation: _Operation, wait: Any) -> Any:
        """Begins a wait; operation.waits stays None where it has ended already, with this value."""
        kind = type(wait)
        if kind is Step:
            operation.waits, operation.chain, operation.done = Step, None, 0
            self.machine.media(operation.number, (wait,), 2 if operation.background else 0, False)
        elif kind is list:
            if not wait:
                return 0
            if type(wait[0]) is not Step:
                return self._waits_for_all(operation, wait)
            if len(wait) > MOST_STEPS:
                return self._chain(operation, Chain(wait, False, None))
            operation.waits, operation.chain, operation.done = Step, None, 0
            self.machine.media(operation.number, tuple(wait), 2 if operation.background else 0, False)
        elif kind is Lock:
            if wait._holder is None:
                wait._holder = operation
                return wait
            wait._waiting.append(operation)
            self._park(operation, wait, _WAITS_LOCK)
        elif kind is Chain:
            return self._chain(operation, wait)
        elif kind is _Sleep:
            operation.waits = wait
            self.machine.timer(operation.number, wait.until)
        elif wait is _PARKED:
            self._park(operation, wait, _WAITS_BACKGROUND)
        elif kind is FlashCommand:
            return self._waits_for_all(operation, [wait])
        elif hasattr(wait, "send"):
            raise TypeError("a generator is yielded; write `yield from`, or yield a list of generators")
        else:
            raise TypeError(f"{_shown(wait)} is yielded; expected a step of media, a command of flash, cpu.sleep(), a Lock, or a list")
        return None

    def _waits_for_all(self, operation: _Operation, waits: list[Any]) -> Any:
        if type(waits[0]) is FlashCommand:
            operation.waits = FlashCommand
            self.machine.flash(operation.number, waits)
        elif all(hasattr(wait, "send") for wait in waits):
            operation.ended, operation.left = [None] * len(waits), [*waits]
            for place, generator in enumerate(waits):
                self._spawn((generator, operation, place), "part")
            self._park(operation, list, _WAITS_BACKGROUND)
        else:
            other = next(wait for wait in waits if not hasattr(wait, "send"))
            raise TypeError(f"a list with {_shown(other)} is yielded; expected steps of media, commands of flash, or generators, all of one kind")
        return None

    def _chain(self, operation: _Operation, chain: Chain) -> Any:
        if not chain.steps:
            return 0
        operation.chain, operation.done = chain, 0
        self._next_steps(operation)
        return None

    def _next_steps(self, operation: _Operation) -> None:
        """The next of its steps, as many as one chain may have."""
        chain = cast(Chain, operation.chain)
        steps = tuple(chain.steps[operation.done : operation.done + MOST_STEPS])
        operation.waits = Step
        priority = chain.priority if chain.priority is not None else 2 if operation.background else 0
        self.machine.media(operation.number, steps, priority, chain.carry_lost)

    def _park(self, operation: _Operation, waits: Any, phase: int) -> None:
        operation.waits = waits
        self.machine.park(operation.number, phase)

    def spawn(self, work: Any, name: str) -> None:
        if not hasattr(work, "send"):
            raise TypeError(f"spawn() was given {_shown(work)}; expected a generator")
        self._spawn((work, None, 0), name)

    def _spawn(self, entry: tuple[Any, _Operation | None, int], name: str) -> None:
        self.spawns += 1
        self.spawned[self.spawns] = entry
        self.machine.spawn(self.spawns, name)

    def start(self) -> None:
        self._spawn((None, None, 0), "idle")

    def _watched(self) -> Generator[Any, Any, None]:
        """Runs idle() whenever the host has been quiet for so long."""
        machine, after = self.machine, self.layer.idle_after
        while True:
            at = machine.last_activity() + after
            if machine.outstanding():
                at = machine.now() + after
            if machine.now() < at:
                yield _Sleep(at)
                continue
            self.watch_works = True
            try:
                if (work := self.layer.idle()) is not None:
                    yield from work
            except Failed:  # what it could not do waits for the next quiet
                pass
            self.watch_works = False
            if machine.last_activity() + after <= machine.now():
                self.watch_parked = True
                yield _PARKED

    def idle(self) -> bool:
        """No work in hand; that of idle() counts, waiting for the host's quiet does not."""
        return len(self.operations) + len(self.spawned) == (self.watch is not None and not self.watch_works)

    def capacity(self) -> int:
        found = getattr(self.layer, "user_sectors", None)
        if type(found) is not int:
            raise TypeError(f"setup() set user_sectors to {found!r}; expected the capacity in sectors, a whole number")
        return found

    def report(self) -> list[tuple[Any, ...]]:
        figures = []
        for figure in self.layer.report() or ():
            name, value, unit, what, counts = Figure(*figure)
            figures.append((name, None if value is None else float(value), unit, what, bool(counts)))
        return figures

    def close(self) -> None:
        """The power is gone: generators end where they wait, and what they still ask for has no effect."""
        for operation in self.operations.values():
            try:
                operation.generator.close()
            except BaseException:  # noqa: BLE001, S110 -- nobody hears it any more
                pass
        self.operations.clear()


_PARKED = object()


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_OPTIONAL = ("prefill", "check_flash", "holds", "absorbs", "streams_writes", "received", "longest_wait", "flushed_only", "idle")


def _name_of(kind: type) -> str:
    """
    >>> class MyLog2: ...
    >>> _name_of(MyLog2)
    'my-log2'
    """
    text = kind.__name__
    return "".join(f"-{letter.lower()}" if letter.isupper() and place else letter.lower() for place, letter in enumerate(text))


def _parameters_of(kind: type) -> list[tuple[str, _Parameter]]:
    found: dict[str, _Parameter] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            if type(value) is _Parameter:
                found[name] = value
            else:
                found.pop(name, None)  # a class has fixed what its base left open
    return list(found.items())


def _offered_parameters(kind: type) -> list[tuple[Any, ...]]:
    """As the firmware interface has them."""
    parameters = []
    for name, (sort, initial, low, high, what, choices) in _parameters_of(kind):
        if sort == _CHOICE:
            initial = _number(choices, initial, f"default of '{name}'")
        parameters.append((name, what, sort, choices, float(low), float(high), initial))
    return parameters


def _layers_of(file: str) -> list[tuple[Any, ...]]:
    """Every layer that the file defines: class, name, summary, needs_flash, parameters, what it has of _OPTIONAL."""
    with open(file, "rb") as source:
        code = compile(source.read(), file, "exec")
    module = type(sys)(_MODULE)
    module.__file__ = file
    sys.modules[_MODULE] = module
    exec(code, module.__dict__)  # noqa: S102 -- the layer
    if "random" in sys.modules:
        sys.modules["random"].seed(0)
    made = []
    for kind in vars(module).values():
        if not (isinstance(kind, type) and issubclass(kind, Layer) and kind.__module__ == _MODULE) or kind.__name__.startswith("_"):
            continue
        summary = (kind.__doc__ or "").strip().split("\n")[0].rstrip(".")
        has = [name for name in _OPTIONAL if getattr(kind, name) is not getattr(Layer, name)]
        made.append((kind, kind.name or _name_of(kind), summary, bool(kind.needs_flash), _offered_parameters(kind), has))
    return made


_MODULE = "tessera_layer_file"


def _with_values(kind: type, values: Sequence[Any]) -> Any:
    layer = kind.__new__(kind)
    for (name, parameter), value in zip(_parameters_of(kind), values, strict=True):
        layer.__dict__[name] = parameter.choices[value] if parameter.kind == _CHOICE else value
    layer.__init__()
    return layer


def _drive_of(geometry: tuple[Any, ...]) -> Drive:
    return Drive(*geometry[:5], tuple(Zone(*zone) for zone in geometry[5]), geometry[6])


def _planned(kind: type, values: Sequence[Any], geometry: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    regions = []
    planned = _with_values(kind, values).plan(_drive_of(geometry))
    if planned is None:
        raise TypeError("plan() gave None; expected a list of Region")
    for region in planned:
        given = Region(*region)
        for name in ("first", "count", "head_width", "direction", "band_tracks", "guard_tracks"):
            if type(getattr(given, name)) is not int:
                raise TypeError(f"region '{given.name}': {name} is {getattr(given, name)!r}; expected a whole number (// gives one)")
        regions.append((*given[:3], _number(FORMATS, given.format, "format"), *given[4:]))
    return regions


def _asked(kind: type, values: Sequence[Any], what: str, *arguments: Any) -> Any:
    return getattr(_with_values(kind, values), what)(*arguments)


def _check_flash(kind: type, values: Sequence[Any], shape: tuple[Any, ...]) -> None:
    _with_values(kind, values).check_flash(FlashShape(*shape))


def _made(kind: type, values: Sequence[Any], geometry: tuple[Any, ...], regions: Sequence[tuple[Any, ...]], machine: Any) -> _Driver:
    layer = _with_values(kind, values)
    layer.drive = _drive_of(geometry)
    layer.regions = tuple(Region(*region[:3], FORMATS[region[3]], *region[4:]) for region in regions)
    driver = _Driver(layer, machine)
    layer._driver = driver
    layer.media = Media(machine)
    layer.memory = Memory(machine, layer.drive.sector_bytes)
    layer.cpu = Cpu(machine, driver)
    layer.host = Host(machine)
    if (shape := machine.flash_shape()) is not None:
        layer.flash = Flash(machine, FlashShape(*shape))
    layer.setup()
    flushed_only, longest_wait = layer.flushed_only(), layer.longest_wait()  # what is wrong with them has no other place where it is said
    if type(longest_wait) is not int or longest_wait < 0:
        raise TypeError(f"longest_wait() gave {longest_wait!r}; expected a time in ps, a whole number of at least 0 such as 2 * SECOND")
    if type(flushed_only) is not bool:
        raise TypeError(f"flushed_only() gave {flushed_only!r}; expected True or False")
    return driver


def _sentence(error: BaseException) -> str:
    """An exception with its place in the layer's file: "my_log.py:12, in write: KeyError: 7"."""
    if isinstance(error, Refused):
        return str(error)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    if isinstance(error, ModuleNotFoundError):
        text += " (a layer is one file: it finds installed modules, and none in its folder, since results are kept by the content of that file)"
    place, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if trace.tb_frame.f_globals.get("__name__") == _MODULE:
            place = f"{code.co_filename}:{trace.tb_lineno}, in {code.co_qualname}: "
        trace = trace.tb_next
    return place + text
