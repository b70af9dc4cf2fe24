"""The part of a waveform that is about one request: when it was under way, and what worked for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from tessera.errors import InputError
from tessera.waves.dump import UNKNOWN, Dump
from tessera.waves.names import inside

PROCESSOR = "processor.function"  # of a firmware image
REST = ("idle", "none", "-")


@dataclass(frozen=True)
class UnderWay:
    tag: int
    begin: int
    """Picoseconds since power-on."""
    end: int


@dataclass(frozen=True)
class Piece:
    """What a part of the drive did for it at a stretch, or a function of a firmware image that ran meanwhile."""

    begin: int
    end: int
    part: str
    what: str


def under_way(dump: Dump, number: int) -> UnderWay:
    """Raises InputError where the file does not hold this request from its acceptance to its end; says which are there."""
    lanes = {signal.path.rpartition(".")[0] for signal in dump.signals if inside(signal.path).startswith("host_interface.tag_") and signal.path.endswith(".request")}
    if not lanes:
        raise InputError(f"{dump.file} does not hold the lanes of the host's tags: record host_interface as well")
    paths = [f"{lane}.{name}" for lane in lanes for name in ("request", "phase")]
    begun: dict[str, int] = {}
    request: dict[str, str] = {}
    seen: set[int] = set()
    for change in dump.changes(paths):
        lane, _, name = change.path.rpartition(".")
        if name == "request":
            if request.get(lane) == str(number):  # at the end of which the next began
                return UnderWay(int(lane.rpartition("_")[2]), begun[lane], change.at)
            request[lane] = change.value
            if change.value.isdigit():
                seen.add(int(change.value))
                begun[lane] = change.at
        elif request.get(lane) == str(number):
            if change.value not in REST:
                begun.setdefault(lane, change.at)
            elif change.at > begun.get(lane, change.at):
                return UnderWay(int(lane.rpartition("_")[2]), begun[lane], change.at)
    there = f"requests {min(seen)} to {max(seen)}" if seen else "no request"
    held = "does not end within it" if number in seen else "is not in it"
    raise InputError(f"{dump.file} holds {there}; request {number} {held}: 'tessera wave record RUN --trigger request:{number}' records around it")


def pieces(dump: Dump, request: UnderWay) -> Iterator[Piece]:
    """In the order of their begin: of each part that names the tag it works for, with what it then shows; and functions of an image."""
    scopes: dict[str, list[str]] = {}
    for signal in dump.signals:
        scopes.setdefault(signal.path.rpartition(".")[0], []).append(signal.path)
    parts = {scope: paths for scope, paths in scopes.items() if f"{scope}.tag" in paths}
    function = [path for paths in scopes.values() for path in paths if inside(path) == PROCESSOR]
    held: dict[str, str] = {}
    began: dict[str, tuple[int, str]] = {}
    found: list[Piece] = []

    def doing(scope: str) -> str:
        if scope in function:
            return "" if held.get(scope, UNKNOWN) in (*REST, UNKNOWN) else held[scope]
        if held.get(f"{scope}.tag") != str(request.tag):
            return ""
        shown = [(path.rpartition(".")[2], held.get(path, UNKNOWN)) for path in parts[scope] if not path.endswith(".tag")]
        if any(value in REST for _, value in shown[:1]):
            return ""
        return " ".join(value if number == 0 else f"{name}={value}" for number, (name, value) in enumerate(shown))

    def note(at: int, scopes_changed: set[str]) -> None:
        for scope in scopes_changed:
            before, now = began.get(scope), doing(scope) if at < request.end else ""
            if before is not None and before[1] != now:
                found.append(Piece(before[0], at, inside(scope), before[1]))
                del began[scope]
            if now and scope not in began:
                began[scope] = (max(at, request.begin), now)

    changed: set[str] = set()
    at: int | None = None
    for change in dump.changes([*function, *(path for paths in parts.values() for path in paths)], request.end):
        if change.at != at:
            if at is not None and change.at > request.begin:
                note(at, changed if at > request.begin else {*parts, *function})
                changed = set() if at > request.begin else changed
            at = change.at
        held[change.path] = change.value
        changed.add(change.path if change.path in function else change.path.rpartition(".")[0])
    if at is not None:
        note(at, {*parts, *function} if at <= request.begin else changed)
    note(request.end, {*parts, *function})
    yield from sorted((piece for piece in found if piece.end > piece.begin), key=lambda piece: (piece.begin, piece.part))


