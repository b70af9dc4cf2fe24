"""A window of waveforms as text: a list of what changes, or a lane for each signal."""

from collections.abc import Iterable, Iterator, Sequence

from tessera.waves.dump import UNKNOWN, Change
from tessera.waves.names import inside

PS_PER_MS = 10**9
LEAST_COLUMNS = 20


def listed(changes: Iterable[Change], begin: int, most: int) -> Iterator[str]:
    """A line a change, with its time in ms where it is another than above; first what holds at the begin. At most so many lines."""
    held: dict[str, str] = {}
    lines: Iterator[str] = _lines(changes, begin, held)
    for number, line in enumerate(lines):
        if number == most:
            yield f"... (the first {most:,} lines; --limit shows more)"
            return
        yield line


def _lines(changes: Iterable[Change], begin: int, held: dict[str, str]) -> Iterator[str]:
    shown: int | None = None

    def line(at: int, path: str, value: str) -> str:
        nonlocal shown
        stamp = f"{at / PS_PER_MS:.6f} ms" if at != shown else ""
        shown = at
        return f"{stamp:>20}  {inside(path)} = {value}"

    started = False
    for change in changes:
        if change.at > begin and not started:
            started = True
            yield from (line(begin, path, value) for path, value in held.items())
        if held.get(change.path) == change.value:
            continue
        held[change.path] = change.value
        if started:
            yield line(change.at, change.path, change.value)
    if not started:
        yield from (line(begin, path, value) for path, value in held.items())


def lanes(changes: Iterable[Change], paths: Sequence[str], begin: int, end: int, width: int) -> Iterator[str]:
    """A line a signal: `|` where its value changes, the value behind it as far as there is room. Of several values in one column the one that held longest
    stands there, and a `:` where others came and went."""
    names = {path: inside(path) for path in paths}
    room = max(map(len, names.values()), default=0)
    columns = max(LEAST_COLUMNS, width - room - 2)
    left, right = (f"{at / PS_PER_MS:.12g} ms" for at in (begin, end))
    yield f"{'':{room}}  {left}{right:>{max(1, columns - len(left))}}"
    histories: dict[str, list[tuple[int, str]]] = {path: [(begin, UNKNOWN)] for path in paths}
    for change in changes:
        history = histories[change.path]
        if change.at <= begin:
            history[0] = (begin, change.value)
        else:
            history.append((change.at, change.value))
    for path, history in histories.items():
        yield f"{names[path]:{room}}  {_lane(history, begin, end, columns)}"


def _lane(history: list[tuple[int, str]], begin: int, end: int, columns: int) -> str:
    """
    >>> _lane([(0, "idle"), (40, "seek"), (80, "read")], 0, 100, 20)
    '|idle   |seek   |rea'
    >>> _lane([(0, "0"), (52, "1"), (53, "0")], 0, 100, 20)
    '|0        :         '
    """
    longest: list[tuple[int, str]] = [(0, "")] * columns
    changes = [0] * columns
    step = max(1, (end - begin) / columns)
    for (first, value), (last, _) in zip(history, [*history[1:], (end, "")]):
        if begin < first < begin + columns * step:
            changes[int((first - begin) / step)] += 1
        for column in range(int((first - begin) / step), min(columns, int((last - begin) / step) + 1)):
            overlap = min(last, begin + (column + 1) * step) - max(first, begin + column * step)
            if overlap > longest[column][0]:
                longest[column] = (overlap, value)
    text, place = "", 0
    while place < columns:
        value, first = longest[place][1], place
        while place < columns and longest[place][1] == value:
            place += 1
        text += f"|{value}"[: place - first]
        text += "".join(":" if changes[column] > 1 else " " for column in range(len(text), place))
    return text
