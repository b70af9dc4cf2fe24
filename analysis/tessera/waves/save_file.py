"""GTKWave's save file, which lies beside the waveforms of a run: made smaller, or pointed at another file."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tessera.errors import InputError, read_text
from tessera.waves.names import chosen

# Bits of an entry's flags, from GTKWave's analyzer.h.
BY_FILE = 1 << 13
STRETCH_ABOVE = 1 << 17
GROUP_BEGIN = 1 << 23
GROUP_END = 1 << 24
DUMP_FILE = re.compile(r'^\[dumpfile\] ".*"$', re.MULTILINE)


@dataclass
class Entry:
    """A signal, a group's begin or end, or lines that the curve above takes up."""

    flags: int
    lines: list[str] = field(default_factory=list)

    def path(self) -> str:
        """Of a signal, without the range of its bits and a name that it is shown by."""
        return self.lines[-1].rpartition("} ")[2].partition("[")[0]

    @property
    def is_signal(self) -> bool:
        return not self.flags & (GROUP_BEGIN | GROUP_END | STRETCH_ABOVE)


def save_file_of(waveforms: Path) -> Path:
    return waveforms.with_suffix(".gtkw")


def pointed_at(text: str, waveforms: Path) -> str:
    """The save file, of other waveforms."""
    return DUMP_FILE.sub(lambda _: f'[dumpfile] "{waveforms.absolute()}"', text)


def without_filters(text: str) -> str:
    """The save file, of waveforms whose states are words and not numbers with words in files of their own."""
    head, entries = _read(text)
    for entry in entries:
        if entry.flags & BY_FILE:
            flags = f"@{entry.flags & ~BY_FILE:x}"
            entry.lines = [flags, *(line for line in entry.lines[1:-1] if not line.startswith("^")), entry.lines[-1].partition("[")[0]]
    return "\n".join([*head, *(line for entry in entries for line in entry.lines)]) + "\n"


def selected(text: str, patterns: Sequence[str]) -> str:
    """The save file with the signals that a pattern means, and the groups that have any. Raises InputError as chosen() does."""
    head, entries = _read(text)
    wanted = set(chosen([entry.path() for entry in entries if entry.is_signal], patterns))
    return "\n".join([*head, *(line for entry in _kept(entries, wanted) for line in entry.lines)]) + "\n"


def read_save_file(file: Path) -> str:
    """Its text. Raises InputError where it is not there, or names a program for GTKWave to start, which no save file of a run does."""
    try:
        text = read_text(file)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}; a run writes it next to its waveforms") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("^>", "^<")):
            raise InputError(f"{file}:{number}: '{line[:60]}' names a program for GTKWave to start, which no save file of a run does: delete the line")
    return text


def _read(text: str) -> tuple[list[str], list[Entry]]:
    head: list[str] = []
    entries: list[Entry] = []
    for line in text.splitlines():
        if line.startswith("@"):
            entries.append(Entry(int(line[1:], 16)))
        (entries[-1].lines if entries else head).append(line)
    return head, entries


def _kept(entries: list[Entry], wanted: set[str]) -> Iterator[Entry]:
    group: Entry | None = None  # begun, and without a signal so far
    last = False
    for entry in entries:
        if entry.flags & GROUP_BEGIN:
            group, last = entry, False
        elif entry.flags & GROUP_END:
            if group is None:
                yield entry
            group = None
        elif entry.flags & STRETCH_ABOVE:
            if last:
                yield entry
        else:
            last = entry.path() in wanted
            if last:
                if group is not None:
                    yield group
                group = None
                yield entry
