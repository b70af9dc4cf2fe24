"""What a request waited for, from waveforms alone: where nothing worked for it, the phase that it was in and who held what it waited for."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tessera.errors import InputError
from tessera.waves.dump import UNKNOWN, Dump
from tessera.waves.names import inside
from tessera.waves.request import REST, Piece, UnderWay, pieces, under_way
from tessera.waves.text import PS_PER_MS

MOST_HOLDERS = 3  # that a line names
MOST_SUMS = 5  # lines of what it waited for in all
AT_THE_DISK = ("media_queue", "background_wait")
OF_ITS_OWN = ("seek", "rotation", "transfer")
AT_THE_FLASH = ("flash_queue", "flash")


@dataclass(frozen=True)
class Wait:
    begin: int
    """Picoseconds since power-on."""
    end: int
    phase: str
    """As its lane shows it."""
    holder: str
    """Who had meanwhile what it waited for, in a few words."""


class _Held:
    """What the signals hold at an instant."""

    def __init__(self, dump: Dump, tag: int):
        self._paths = {inside(signal.path): signal.path for signal in dump.signals}
        self._own = str(tag)
        self._values: dict[str, str] = {}
        lanes = [path for path in self._paths if path.startswith("host_interface.tag_") and path.endswith((".request", ".phase"))]
        lane = next((path for path in lanes if path.endswith(".phase") and int(path.split(".")[1].rpartition("_")[2]) == tag), None)
        if lane is None:
            raise InputError(f"{dump.file} does not hold the phase of tag {tag}: record the signals host_interface.* as well")
        self.lane = lane
        self._requests = {str(int(path.split(".")[1].rpartition("_")[2])): path for path in lanes if path.endswith(".request")}
        self._works = sorted(path.removesuffix(".kind") for path in self._paths if path.startswith("controller.firmware.work_") and path.endswith(".kind"))
        self._dies = [path.removesuffix(".state") for path in self._paths if path.startswith("nand.die_") and path.endswith(".state")]
        self._cores = [path.removesuffix(".task") for path in self._paths if path.startswith("controller.cpu.core") and path.endswith(".task")]
        own = ["host_interface.link", "host_interface.link_tag", "media.state", *(f"controller.disk_channel.command.{name}" for name in ("op", "tag"))]
        parts = [f"{scope}.{name}" for scopes, names in ((self._works, ("kind", "subject")), (self._dies, ("state", "tag")), (self._cores, ("task", "tag"))) for scope in scopes for name in names]
        self.watched = [self._paths[path] for path in (self.lane, *self._requests.values(), *own, *parts) if path in self._paths]

    def set(self, path: str, value: str) -> None:
        self._values[inside(path)] = value

    def _value(self, path: str) -> str:
        return self._values.get(path, UNKNOWN)

    def explained(self) -> tuple[str, str]:
        """The phase, and who holds."""
        phase = self._value(self.lane)
        return phase, self._holder(phase)

    def carried(self) -> bool:
        """Whether the link carries it."""
        return self._value("host_interface.link") not in (*REST, UNKNOWN) and self._value("host_interface.link_tag") == self._own

    def _holder(self, phase: str) -> str:
        if phase in AT_THE_DISK:
            command = self._value("controller.disk_channel.command.op")
            if command in (*REST, UNKNOWN):
                return f"no command is under the head, which is {self._value('media.state')}"
            return f"the head works for {self._who(self._value('controller.disk_channel.command.tag'))}"
        if phase in AT_THE_FLASH:
            busy = [f"{die.removeprefix('nand.')} {state} for {self._who(self._value(f'{die}.tag'))}" for die in self._dies if (state := self._value(f"{die}.state")) not in (*REST, UNKNOWN)]
            return _some(busy) or "no die works"
        if phase == "cpu_wait":
            busy = [f"{core.rpartition('.')[2]} runs {task} for {self._who(self._value(f'{core}.tag'))}" for core in self._cores if (task := self._value(f"{core}.task")) not in (*REST, UNKNOWN)]
            return _some(busy) or "no core runs: interrupt latency"
        if phase == "link":
            if self._value("host_interface.link") in (*REST, UNKNOWN):
                return "the link is idle: a buffer, or a command or status on its way"
            return f"the link carries {self._who(self._value('host_interface.link_tag'))}"
        if phase == "dram":
            return "accesses of its firmware to tables in the DRAM"
        if phase in OF_ITS_OWN:
            return "its own command begins or ends"
        if phase == "outage":
            return "no power, or the boot"
        if works := self._works_under_way():
            return f"under way: {works}"
        return "no work is under way"

    def _works_under_way(self) -> str:
        kinds = [(self._value(f"{work}.kind"), self._value(f"{work}.subject")) for work in self._works]
        return _some([f"{kind} {subject}" for kind, subject in kinds if kind not in (*REST, UNKNOWN)])

    def _who(self, tag: str) -> str:
        if tag == self._own:
            return "itself"
        if tag in self._requests:
            return f"request {self._value(self._requests[tag])}"
        works = self._works_under_way()
        return f"background work ({works})" if works else "background work"


def _some(items: list[str]) -> str:
    more = len(items) - MOST_HOLDERS
    return ", ".join(items[:MOST_HOLDERS]) + (f" and {more} more" if more > 0 else "")


def waits(dump: Dump, request: UnderWay, worked: Iterable[Piece]) -> list[Wait]:
    """In the order of time; with the pieces that worked for it they cover the request from begin to end, but for its own CPU time and what the link carries."""
    held = _Held(dump, request.tag)
    spans: list[Wait] = []
    began, shown = request.begin, ("", "")
    busy: list[tuple[int, int]] = [(piece.begin, piece.end) for piece in worked if not piece.part.startswith("processor.")]
    carried: int | None = None
    for at, changes in itertools.groupby(dump.changes(held.watched, request.end), key=lambda change: change.at):
        for change in changes:
            held.set(change.path, change.value)
        now = max(at, request.begin)
        if held.carried() != (carried is not None):
            if carried is not None:
                busy.append((carried, now))
            carried = now if held.carried() else None
        if held.explained() != shown:
            if shown[0] and now > began:
                spans.append(Wait(began, now, *shown))
            began, shown = now, held.explained()
    if carried is not None:
        busy.append((carried, request.end))
    spans.append(Wait(began, request.end, *shown))
    return [part for span in spans for part in _without(span, sorted(busy))]


def _without(span: Wait, busy: list[tuple[int, int]]) -> Iterator[Wait]:
    """
    >>> [(part.begin, part.end) for part in _without(Wait(0, 10, "lock", ""), [(2, 3), (3, 5), (9, 20)])]
    [(0, 2), (5, 9)]
    """
    begin = span.begin
    for first, last in busy:
        if last <= begin:
            continue
        if first >= span.end:
            break
        if first > begin:
            yield Wait(begin, first, span.phase, span.holder)
        begin = max(begin, last)
    if begin < span.end and span.phase not in ("cpu", *REST):
        yield Wait(begin, span.end, span.phase, span.holder)


def sums(found: Iterable[Wait]) -> list[tuple[str, str, int]]:
    """Phase, holder and time in ps of all waits of a kind, the longest first."""
    by: dict[tuple[str, str], int] = {}
    for wait in found:
        by[wait.phase, wait.holder] = by.get((wait.phase, wait.holder), 0) + wait.end - wait.begin
    return sorted(((phase, holder, time) for (phase, holder), time in by.items()), key=lambda row: -row[2])


def listed(dump: Dump, number: int, most: int) -> Iterator[str]:
    """The request's window and tag, what it waited for in all, and a line for each piece and each wait; at most so many lines."""
    request = under_way(dump, number)
    worked = list(pieces(dump, request))
    waited = waits(dump, request, worked)
    whole = sum(wait.end - wait.begin for wait in waited)
    yield f"request {number}: tag {request.tag}, {request.begin / PS_PER_MS:.6f} ms to {request.end / PS_PER_MS:.6f} ms; waited {whole / PS_PER_MS:.6f} of {(request.end - request.begin) / PS_PER_MS:.6f} ms"
    for phase, holder, time in sums(waited)[:MOST_SUMS]:
        yield f"  {time / PS_PER_MS:>14.6f} ms  {phase}: {holder}"
    lines = [(piece.begin, piece.end, f"{piece.part}: {piece.what}") for piece in worked] + [(wait.begin, wait.end, f"waits, {wait.phase}: {wait.holder}") for wait in waited]
    for count, (begin, end, text) in enumerate(sorted(lines)):
        if count == most:
            yield f"... (the first {most:,} lines; --limit shows more)"
            return
        yield f"{begin / PS_PER_MS:>17.6f} ms  {(end - begin) / 10**6:>12,.3f} us  {text}"
