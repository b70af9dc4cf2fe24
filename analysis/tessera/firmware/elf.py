"""What an image's file says of itself: how large its parts are, and what lies in them (ELF, little-endian, 32 or 64 bits)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tessera.errors import InputError

MACHINES = {243: "RISC-V", 40: "Arm"}  # e_machine
SYMBOL_TABLE, NO_BITS = 2, 8  # sh_type
WRITE, ALLOCATED = 1, 2  # sh_flags
OBJECT, FUNCTION = 1, 2  # the type of a symbol


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int


@dataclass(frozen=True)
class Symbol:
    name: str
    address: int
    size: int
    is_code: bool


@dataclass(frozen=True)
class Sizes:
    """In bytes, as binutils' `size` counts them."""

    text: int
    """Code and constants."""
    data: int
    bss: int


class Image:
    """An ELF file. Raises InputError where it is none."""

    def __init__(self, file: str | Path):
        self.file = Path(file)
        try:
            self._bytes = self.file.read_bytes()
        except OSError as error:
            raise InputError(f"{self.file}: {error.strerror}") from None
        if len(self._bytes) < 64 or self._bytes[:4] != b"\x7fELF" or self._bytes[4] not in (1, 2) or self._bytes[5] != 1:
            raise InputError(f"{self.file} is no firmware image: expected an ELF file, little-endian")
        self.wide = self._bytes[4] == 2
        try:
            self._read_sections()
        except (struct.error, IndexError):
            raise InputError(f"{self.file} is cut short: its sections lie behind its end") from None
        if not self.sections:
            raise InputError(f"{self.file} is no firmware image: it has no sections")

    @property
    def machine(self) -> str:
        """The processor and its width."""
        return f"{MACHINES.get(self._machine, f'machine {self._machine}')}, {64 if self.wide else 32} bits"

    @property
    def sizes(self) -> Sizes:
        held = [section for section in self.sections if section.flags & ALLOCATED]
        bss = sum(section.size for section in held if section.kind == NO_BITS)
        data = sum(section.size for section in held if section.kind != NO_BITS and section.flags & WRITE)
        return Sizes(sum(section.size for section in held) - bss - data, data, bss)

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Functions and objects."""
        return [symbol for table in self.sections if table.kind == SYMBOL_TABLE for symbol in self._read_symbols(table)]

    def address_of(self, name: str) -> int | None:
        """Of any symbol, one of the linker script's too; None where there is none of this name."""
        for table in self.sections:
            if table.kind == SYMBOL_TABLE:
                for symbol in self._read_symbols(table, any_type=True):
                    if symbol.name == name:
                        return symbol.address
        return None

    def text_at(self, name: str) -> str | None:
        """The string that the object of this name is; None where there is no such object."""
        for symbol in self.symbols:
            if symbol.name == name:
                for section in self.sections:
                    if section.kind != NO_BITS and section.address <= symbol.address < section.address + section.size:
                        return self._string(section.offset + symbol.address - section.address)
        return None

    def _read_sections(self) -> None:
        header = struct.unpack_from("<HHIQQQIHHHHHH" if self.wide else "<HHIIIIIHHHHHH", self._bytes, 16)
        self._machine, table, entry, count, names = header[1], header[5], header[10], header[11], header[12]
        form = "<IIQQQQIIQQ" if self.wide else "<IIIIIIIIII"
        raw = [struct.unpack_from(form, self._bytes, table + entry * number) for number in range(count)]
        at = raw[names][4] if raw else 0
        self.sections = [Section(self._string(at + fields[0]), *fields[1:7]) for fields in raw]

    def _read_symbols(self, table: Section, any_type: bool = False) -> Iterator[Symbol]:
        names = self.sections[table.link].offset
        form, width = ("<IBBHQQ", 24) if self.wide else ("<IIIBBH", 16)
        for offset in range(table.offset, table.offset + table.size, width):
            fields = struct.unpack_from(form, self._bytes, offset)
            name, info, address, size = (fields[0], fields[1], fields[4], fields[5]) if self.wide else (fields[0], fields[3], fields[1], fields[2])
            if any_type or info & 15 in (OBJECT, FUNCTION):
                yield Symbol(self._string(names + name), address, size, info & 15 == FUNCTION)

    def _string(self, offset: int) -> str:
        return self._bytes[offset : self._bytes.index(b"\0", offset)].decode(errors="replace")
