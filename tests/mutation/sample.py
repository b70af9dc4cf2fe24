"""Which mutants there are in the firmware, and a sample of them that takes its share of every file."""

import hashlib
import json
import math
import subprocess
from dataclasses import asdict
from pathlib import Path

from mutants import Finder, Mutant
from tree import ROOT

MOST_IN_A_FILE = 1000  # numbers: those of a file stay what they are when another file changes


def firmware_files() -> list[str]:
    return sorted(f.relative_to(ROOT).as_posix() for f in (ROOT / "models" / "firmware").rglob("*.[ch]pp"))


def compiler_arguments() -> list[str]:
    """As the firmware is compiled; clang needs to be told where GCC keeps the compiler's own headers."""
    own = subprocess.run(["c++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    return ["-xc++", "-std=c++20", f"-I{ROOT}/models", f"-I{ROOT}", "-isystem", own, "-Wno-everything"]


def _digest(files: list[str]) -> str:
    content = hashlib.sha256(Path(__file__).with_name("mutants.py").read_bytes())
    for file in files:
        content.update((ROOT / file).read_bytes() if (ROOT / file).exists() else b"")
    return content.hexdigest()


class Mutants:
    """The mutants of each file. Parsing takes half a second a file, so what was found is kept until the file or one it includes changes."""

    def __init__(self, kept: Path):
        self._kept = kept
        self._finder = Finder(ROOT, compiler_arguments())

    def of(self, file: str) -> list[Mutant]:
        kept = self._kept / f"{file.replace('/', '.')}.json"
        if kept.exists():
            before = json.loads(kept.read_text())
            if before["digest"] == _digest(before["read"]):
                return [Mutant(**fields) for fields in before["mutants"]]
        found = self._finder.mutants(file)
        read = [path.relative_to(ROOT).as_posix() for path in self._finder.read]
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"digest": _digest(read), "read": read, "mutants": [asdict(m) for m in found]}))
        return found


def draw(everything: dict[str, list[Mutant]], least: int, seed: int) -> dict[int, Mutant]:
    """At least so many of all mutants, by number: the same share of each file. Which ones depends on the seed and on each mutant's own
    line alone, so that a change elsewhere moves few others into the sample."""
    total = sum(map(len, everything.values()))
    drawn: dict[int, Mutant] = {}
    for place, file in enumerate(firmware_files()):
        mutants = everything.get(file, [])
        share = len(mutants) if least == 0 else min(len(mutants), math.ceil(least * len(mutants) / total))
        lots = [
            (hashlib.sha256(f"{seed} {mutant.file}: {mutant.what} {mutant.turn}".encode()).digest(), number, mutant)
            for number, mutant in enumerate(mutants, 1 + place * MOST_IN_A_FILE)
        ]
        drawn |= {number: mutant for _, number, mutant in sorted(lots, key=lambda lot: lot[:2])[:share]}
    return dict(sorted(drawn.items()))


def highest_number() -> int:
    return MOST_IN_A_FILE * len(firmware_files())
