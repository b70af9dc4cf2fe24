"""Files of waveforms, as far as the simulator writes them: which signals there are, and how they change."""

import itertools
import subprocess
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from tessera.errors import InputError, regular
from tessera.waves.tools import tool

UNKNOWN = "?"
WORDS = "$comment words "
CODE = "_code"  # the number beside a state, for viewers that skip words


@dataclass(frozen=True)
class WaveSignal:
    path: str
    kind: str
    """"bit", "number" or "state"."""
    width: int
    """Bits; 0 of a state."""


@dataclass(frozen=True)
class Change:
    at: int
    """Picoseconds since power-on."""
    path: str
    value: str


class Dump:
    """A .vcd file, or a .fst file, which is read through GTKWave's fst2vcd. Raises InputError where it is neither."""

    def __init__(self, file: str | Path):
        self.file = Path(file)
        if self.file.suffix not in (".vcd", ".fst"):
            raise InputError(f"{self.file}: expected a file of waveforms, .vcd or .fst")
        self._by_id: dict[str, list[WaveSignal]] = {}
        self._words: dict[str, dict[str, str]] = {}
        """Of signals whose states are numbers in the file: what each number stands for. A recorder says it in comments."""
        with self._open() as lines:
            self._read_names(lines)

    @property
    def signals(self) -> list[WaveSignal]:
        """In the order of the file; without the numbers beside states."""
        found = [signal for signals in self._by_id.values() for signal in signals]
        states = {signal.path for signal in found if signal.kind == "state"}
        return [signal for signal in found if not (signal.path.endswith(CODE) and signal.path.removesuffix(CODE) in states)]

    def changes(self, paths: Collection[str], end: int | None = None) -> Iterator[Change]:
        """Of these signals, in the order of time; before `end`."""
        wanted = set(paths)
        names = {code: [signal.path for signal in signals if signal.path in wanted] for code, signals in self._by_id.items()}
        at = 0
        with self._open() as lines:
            for line in itertools.dropwhile(lambda line: not line.startswith("$enddefinitions"), lines):
                if line[0] == "#":
                    at = int(line[1:])
                    if end is not None and at >= end:
                        return
                elif line[0] != "$":
                    value, code = _value(line.rstrip("\n"))
                    if code in self._words:
                        value = self._words[code].get(value, value)
                    for path in names.get(code, ()):
                        yield Change(at, path, value)
                elif line.startswith(WORDS):
                    self._take_words(line.split())

    def span(self) -> tuple[int, int]:
        """The first and the last time of the file, in picoseconds."""
        first = last = None
        with self._open() as lines:
            for line in itertools.dropwhile(lambda line: not line.startswith("$enddefinitions"), lines):
                if line[0] == "#":
                    last = int(line[1:])
                    first = last if first is None else first
        return first or 0, last or 0

    @property
    def in_numbers(self) -> bool:
        """Whether its states are numbers, whose words comments say."""
        return bool(self._words)

    def with_words(self) -> Iterator[str]:
        """The lines of the file with states as words, GTKWave's extension of the standard ($var string), and as numbers beside them."""
        defined = False
        with self._open() as lines:
            for line in lines:
                words = line.split()
                if line.startswith(WORDS):
                    self._take_words(words)
                elif words[:1] == ["$var"] and words[3] in self._words:
                    yield f"$var string 1 {words[3]} {words[4]} $end\n"
                    yield f"$var wire {words[2]} {words[3]}~ {words[4]}{CODE} {' '.join(words[5:])}\n"
                elif defined and line[0] in "bB01xX" and (said := _value(line.rstrip("\n")))[1] in self._words:
                    number, code = said
                    yield f"s{self._words[code].get(number, 'unknown')} {code}\n"
                    yield line.rstrip("\n") + "~\n"
                else:
                    defined = defined or line.startswith("$enddefinitions")
                    yield line

    @contextmanager
    def _open(self) -> Iterator[TextIO]:
        """Its lines. Raises InputError where they are none of waveforms: cut off, or of another kind."""
        try:
            with self._lines() as lines:
                yield lines
        except InputError:
            raise
        except (IndexError, ValueError):
            raise self._no_waveforms() from None

    @contextmanager
    def _lines(self) -> Iterator[TextIO]:
        if self.file.suffix == ".vcd":
            try:
                with regular(self.file).open(encoding="utf-8") as lines:
                    yield lines
            except OSError as error:
                raise InputError(f"{self.file}: {error.strerror}") from None
            return
        if not self.file.is_file():
            raise InputError(f"{self.file}: No such file or directory")
        with subprocess.Popen([tool("fst2vcd"), "-f", str(self.file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace") as process:
            yield process.stdout
            process.stdout.close()

    def _no_waveforms(self) -> InputError:
        return InputError(f"{self.file} holds no waveforms that can be read: expected what a run writes with --vcd or --fst")

    def _take_words(self, comment: list[str]) -> None:
        """`$comment words CODE FIRST WORD... $end`: what numbers from FIRST on stand for."""
        _, _, code, first, *words = comment[:-1]
        self._words.setdefault(code, {}).update((str(int(first) + number), word) for number, word in enumerate(words))

    def _read_names(self, lines: TextIO) -> None:
        scopes: list[str] = []
        for line in lines:
            words = line.split()
            if words[:2] == WORDS.split():
                self._take_words(words)
                of = self._by_id.get(words[2], [])
                of[:] = [WaveSignal(signal.path, "state", 0) for signal in of]
            if words[:1] == ["$scope"]:
                scopes.append(words[2])
            elif words[:1] == ["$upscope"]:
                scopes.pop()
            elif words[:1] == ["$var"]:
                kind = "state" if words[1] == "string" else "bit" if words[2] == "1" else "number"
                self._by_id.setdefault(words[3], []).append(WaveSignal(".".join([*scopes, words[4]]), kind, 0 if kind == "state" else int(words[2])))
            elif words[:1] == ["$enddefinitions"]:
                return
        raise self._no_waveforms()


def _value(line: str) -> tuple[str, str]:
    """What a line says, and of which signal.

    >>> _value("b1010 G#"), _value("sseek %"), _value("1!"), _value("bx #")
    (('10', 'G#'), ('seek', '%'), ('1', '!'), ('?', '#'))
    """
    if line[0] in "bB":
        digits, _, code = line[1:].partition(" ")
        return (str(int(digits, 2)) if set(digits) <= {"0", "1"} else UNKNOWN), code
    if line[0] in "sS":
        word, _, code = line[1:].rpartition(" ")
        return word or UNKNOWN, code
    return (line[0] if line[0] in "01" else UNKNOWN), line[1:]
