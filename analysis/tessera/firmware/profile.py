"""Where the cycles of a firmware image went: by function and line, and in the forms of other tools.

The simulator counts by address (run --firmware-profile); what lies at an address the image says: its symbols, and its debugging information
through binutils' addr2line and objdump."""

import json
import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tessera.engine.output_file import write_inside
from tessera.errors import InputError
from tessera.firmware.elf import Image
from tessera.firmware.images import COMPILER, plain_names

ASLEEP = "asleep"
UNKNOWN = "?"


@dataclass(frozen=True)
class Line:
    """A place in a source file; 0: the image does not say which line."""

    file: str
    number: int


@dataclass
class Cost:
    """Instructions, and cycles by cause."""

    instructions: int = 0
    causes: list[int] = field(default_factory=list)

    def add(self, instructions: int, causes: list[int]) -> None:
        self.instructions += instructions
        self.causes = [a + b for a, b in zip(self.causes, causes)] if self.causes else list(causes)


@dataclass(frozen=True)
class Calls:
    site: int
    callee: int
    calls: int
    instructions: int
    causes: list[int]


class Profile:
    """A file of `--firmware-profile`, and the image that it is of. Raises InputError where one of them cannot be read."""

    def __init__(self, file: str | Path):
        self.file = Path(file)
        try:
            read = json.loads(self.file.read_text(encoding="utf-8"))
            self.image = Image(read["image"])
            self.clock: int = read["clock"]
            """Hz."""
            self.causes: list[str] = read["causes"]
            self.instructions: dict[int, tuple[int, list[int]]] = {row[0]: (row[1], row[2:]) for row in read["instructions"]}
            self.calls = [Calls(*row[:4], row[4:]) for row in read["calls"]]
            self.contexts: list[tuple[int, int, int]] = [tuple(row) for row in read["contexts"]]
            """Of each: the caller's number, the address of the function, cycles of its own."""
            self._lowest_stack: int = read["lowest_stack"]
            self._lowest_context: int = read["lowest_context"]
        except OSError as error:
            raise InputError(f"{self.file}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{self.file} is no profile: expected what 'tessera-sim run --firmware-profile' writes") from None

    # --- what lies where ---

    @cached_property
    def _functions(self) -> tuple[list[int], list[str]]:
        code = sorted({symbol.address: symbol.name for symbol in self.image.symbols if symbol.is_code}.items())
        return [address for address, _ in code], plain_names([name for _, name in code])

    def function_of(self, address: int) -> str:
        """
        The name of the function that covers an address, as C++ has it without parameters."""
        starts, names = self._functions
        at = bisect_right(starts, address) - 1
        return names[at] if at >= 0 else f"{address:#x}"

    @cached_property
    def lines(self) -> dict[int, Line]:
        """Of each instruction that ran; the innermost where a function was inlined."""
        return self._lines_of(sorted(self.instructions))

    def _lines_of(self, addresses: list[int]) -> dict[int, Line]:
        asked = subprocess.run([_binutil("addr2line"), "-e", str(self.image.file)], input="\n".join(map(hex, addresses)), capture_output=True, text=True)
        found = {}
        for address, text in zip(addresses, asked.stdout.splitlines()):
            file, _, number = text.partition(" ")[0].rpartition(":")
            found[address] = Line(UNKNOWN if file.startswith("?") else file, int(number) if number.isdigit() else 0)
        return found

    # --- sums ---

    def by_function(self) -> dict[str, Cost]:
        return self._summed(self.function_of)

    def by_line(self) -> dict[Line, Cost]:
        nowhere = Line(UNKNOWN, 0)
        return self._summed(lambda address: self.lines.get(address, nowhere))

    def _summed(self, key) -> dict:
        sums: dict = {}
        for address, (executed, causes) in self.instructions.items():
            sums.setdefault(key(address), Cost()).add(executed, causes)
        return sums

    def worked(self, causes: list[int]) -> int:
        """Cycles in which the processor did not sleep."""
        return sum(cycles for name, cycles in zip(self.causes, causes) if name != ASLEEP)

    @property
    def whole(self) -> Cost:
        cost = Cost(0, [0] * len(self.causes))
        for executed, causes in self.instructions.values():
            cost.add(executed, causes)
        return cost

    def stack(self) -> tuple[int, list[str]] | None:
        """The most bytes of the main stack that were in use, and who called whom there, the outermost first; None: the image has no `stack_end`."""
        end = self.image.address_of("stack_end")
        if end is None or not self._lowest_stack <= end:
            return None
        return end - self._lowest_stack, list(self._path(self._lowest_context))

    def _path(self, context: int) -> Iterator[str]:
        path = []
        while True:
            caller, function, _ = self.contexts[context]
            path.append(self.function_of(function))
            if caller == context:
                return reversed(path)
            context = caller

    # --- forms of other tools ---

    def folded(self) -> Iterator[str]:
        """A line a stack, for flamegraph.pl and speedscope: "main;serve 1234", in cycles."""
        sums: dict[str, int] = {}
        for number, (_, _, cycles) in enumerate(self.contexts):
            if cycles:
                text = ";".join(self._path(number))
                sums[text] = sums.get(text, 0) + cycles
        yield from (f"{text} {cycles}" for text, cycles in sorted(sums.items()))

    def callgrind(self) -> Iterator[str]:
        """For KCachegrind, QCachegrind and callgrind_annotate: cycles by instruction and line, calls with what went on in them."""
        yield from ("# callgrind format", "version: 1", "creator: tessera", f"cmd: {self.image.file}", "positions: instr line")
        yield f"events: Cycles Instructions {' '.join(name.title().replace('_', '') for name in self.causes)}"
        calls: dict[int, list[Calls]] = {}
        for one in self.calls:
            calls.setdefault(one.site, []).append(one)
        shown: tuple[str, str] | None = None
        nowhere = Line(UNKNOWN, 0)
        for address in sorted(self.instructions.keys() | calls.keys()):
            executed, causes = self.instructions.get(address, (0, [0] * len(self.causes)))
            line = self.lines.get(address, nowhere)
            if (line.file, self.function_of(address)) != shown:
                shown = (line.file, self.function_of(address))
                yield from ("", f"fl={shown[0]}", f"fn={shown[1]}")
            yield self._costs(address, line, executed, causes)
            for one in calls.get(address, ()):
                callee = self.lines.get(one.callee, nowhere)
                yield from (f"cfi={callee.file}", f"cfn={self.function_of(one.callee)}", f"calls={one.calls} {one.callee:#x} {callee.number}")
                yield self._costs(address, line, one.instructions, one.causes)

    def _costs(self, address: int, line: Line, executed: int, causes: list[int]) -> str:
        return f"{address:#x} {line.number} {self.worked(causes)} {executed} {' '.join(map(str, causes))}"

    def coverage(self) -> Iterator[str]:
        """For genhtml and editors (lcov's form): each line that has code, and how often the instruction of it ran that ran most."""
        executed: dict[Line, int] = {}
        for address, line in self._lines_of(self._statements()).items():
            executed[line] = max(executed.get(line, 0), self.instructions.get(address, (0, []))[0])
        files = sorted({line.file for line in executed} - {UNKNOWN})
        for file in files:
            yield from ("TN:", f"SF:{file}")
            held = sorted((line.number, count) for line, count in executed.items() if line.file == file and line.number)
            yield from (f"DA:{number},{count}" for number, count in held)
            yield from (f"LF:{len(held)}", f"LH:{sum(count > 0 for _, count in held)}", "end_of_record")

    def _statements(self) -> list[int]:
        """Addresses at which a line of the source begins."""
        shown = subprocess.run([_binutil("objdump"), "--dwarf=decodedline", str(self.image.file)], capture_output=True, text=True).stdout
        rows = (text.split() for text in shown.splitlines() if text.endswith("x"))
        return sorted({int(words[2], 16) for words in rows if len(words) >= 4 and words[1].isdigit() and words[2].startswith("0x")})


def _binutil(name: str) -> str:
    """One of the cross compiler's. Raises InputError where there is none."""
    found = shutil.which(COMPILER.removesuffix("gcc") + name)
    if found is None:
        raise InputError(f"{COMPILER.removesuffix('gcc')}{name} is not installed: in Debian it comes with gcc-riscv64-unknown-elf")
    return found


def write_forms(profile: Profile, folder: Path) -> list[Path]:
    """callgrind.out, stacks.folded and coverage.info in the folder."""
    forms: dict[str, Iterable[str]] = {"callgrind.out": profile.callgrind(), "stacks.folded": profile.folded(), "coverage.info": profile.coverage()}
    for name, lines in forms.items():
        write_inside(folder / name, "".join(f"{line}\n" for line in lines))
    return [folder / name for name in forms]
