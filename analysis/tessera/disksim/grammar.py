"""DiskSim's parameter files: blocks of `key = value` that include one another.

    file   = { "source" NAME | TYPE NAME block | TYPE NAME "=" ... }      (topologies and instances are skipped)
    block  = "{" { KEY "=" value "," } "}"
    value  = NUMBER | WORD | "[" { value "," } "]" | TYPE block | "source" NAME

A `#` begins a comment. A key may hold blanks, dots, slashes and brackets; it ends at "=".
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from tessera.errors import InputError, regular

TOKEN = re.compile(r"\s+|#[^\n]*|[{}\[\],=]|[^\s{}\[\],=#]+")
MOST_FILES = 64
MOST_BYTES = 16 << 20
DEEPEST = 64  # blocks and lists inside one another


@dataclass(frozen=True)
class Place:
    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file.name}:{self.line}"


@dataclass
class Entry:
    """One `key = value`, and where it is. A value is a number, a word, a list of values, or a block."""

    key: str
    value: "float | str | list | Block"
    place: Place


@dataclass
class Block:
    type: str
    name: str
    place: Place
    entries: dict[str, Entry] = field(default_factory=dict)

    def find(self, key: str) -> Entry | None:
        return self.entries.get(key)


class Reader:
    """Reads a file with all that it includes."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._open: list[Path] = []
        self._files = 0

    def read(self, file: Path, from_place: Place | None = None) -> list[Block]:
        """Adds the named blocks of a file. Gives those of this file alone. Raises InputError with file and line."""
        at = f"{from_place}: " if from_place else ""
        real = file.resolve()
        if real in self._open:
            raise InputError(f"{at}{file.name} includes itself ({' -> '.join(path.name for path in [*self._open, real])})")
        self._files += 1
        if self._files > MOST_FILES:
            raise InputError(f"{at}more than {MOST_FILES} files include one another")
        try:
            if regular(file).stat().st_size > MOST_BYTES:
                raise InputError(f"{at}{file}: larger than {MOST_BYTES >> 20} MiB, expected a parameter file of DiskSim")
            text = regular(file).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"{at}{file}: {error.strerror}; expected a parameter file of DiskSim") from None
        if "\0" in text:
            raise InputError(f"{at}{file}: not text; expected a parameter file of DiskSim")
        self._open.append(real)
        found = _File(self, file, text).blocks()
        self._open.pop()
        return found


class _File:
    def __init__(self, reader: Reader, file: Path, text: str) -> None:
        self._reader = reader
        self._file = file
        self._tokens: list[tuple[str, int]] = []
        line = 1
        for match in TOKEN.finditer(text):
            word = match.group()
            if not word.isspace() and not word.startswith("#"):
                self._tokens.append((word, line))
            line += word.count("\n")
        self._lines = line
        self._next = 0
        self._depth = 0

    def blocks(self) -> list[Block]:
        found = []
        while self._next < len(self._tokens):
            word, line = self._take("a block")
            if word == "source":
                found += self._include(line)
            elif word in ("instantiate", "topology"):
                self._skip_statement()
            else:
                name = "" if self._peek() == "{" else self._take("the name of a block")[0]
                found.append(self._block(word, name, line))
        self._reader.blocks += [block for block in found if block not in self._reader.blocks]
        return found

    def _place(self, line: int) -> Place:
        return Place(self._file, line)

    def _peek(self) -> str:
        return self._tokens[self._next][0] if self._next < len(self._tokens) else ""

    def _take(self, expected: str) -> tuple[str, int]:
        if self._next >= len(self._tokens):
            raise InputError(f"{self._place(self._lines)}: the file ends where {expected} was expected: it is cut off")
        self._next += 1
        return self._tokens[self._next - 1]

    def _expect(self, wanted: str, of: str) -> None:
        word, line = self._take(f"'{wanted}' of {of}")
        if word != wanted:
            raise InputError(f"{self._place(line)}: expected '{wanted}' of {of}, found '{word}'")

    def _include(self, line: int) -> list[Block]:
        name, _ = self._take("the name of a file")
        return self._reader.read(self._file.parent / name, self._place(line))

    def _skip_statement(self) -> None:
        """`instantiate [ a ] as B`; `topology type name [ ... ]`: what is connected to what."""
        depth = 0
        while self._next < len(self._tokens):
            word = self._take("the rest of a statement")[0]
            depth += (word == "[") - (word == "]")
            if word == "]" and depth == 0:
                if self._peek() == "as":
                    self._next += 2
                return

    def _block(self, type_: str, name: str, line: int) -> Block:
        block = Block(type_, name, self._place(line))
        self._expect("{", f"block {type_} {name}".rstrip())
        while self._peek() != "}":
            entry = self._entry(block)
            if entry.key in block.entries:
                first = block.entries[entry.key].place
                raise InputError(f"{entry.place}: '{entry.key}' is given twice (first at {first})")
            block.entries[entry.key] = entry
            if self._peek() == ",":
                self._next += 1
        self._next += 1
        return block

    def _entry(self, block: Block) -> Entry:
        words = []
        line = 0
        while True:
            word, at = self._take(f"a key, or the '}}' of {block.type} {block.name}".rstrip())
            line = line or at
            if word == "=":
                break
            if word in "{}[],":
                raise InputError(f"{self._place(at)}: expected '=' after '{' '.join(words)}', found '{word}'")
            words.append(word)
        return Entry(" ".join(words), self._value(" ".join(words)), self._place(line))

    def _value(self, key: str) -> float | str | list | Block:
        self._depth += 1
        if self._depth > DEEPEST:
            raise InputError(f"{self._place(self._tokens[self._next - 1][1])}: more than {DEEPEST} blocks and lists inside one another")
        value = self._bare_value(key)
        self._depth -= 1
        return value

    def _bare_value(self, key: str) -> float | str | list | Block:
        word, line = self._take(f"the value of '{key}'")
        if word == "[":
            values = []
            while self._peek() != "]":
                values.append(self._value(key))
                if self._peek() == ",":
                    self._next += 1
            self._next += 1
            return values
        if word in "{},]=":
            raise InputError(f"{self._place(line)}: expected a value for '{key}', found '{word}'")
        if word == "source":
            found = self._include(line)
            if not found:
                raise InputError(f"{self._place(line)}: the file that '{key}' includes holds no block")
            return found[0]
        if self._peek() == "{":
            return self._block(word, "", line)
        try:
            number = float(word)
        except ValueError:
            return word
        return number if math.isfinite(number) else word
