"""The planted bugs of tests/planted/bugs: what each changes, and which tests must notice."""

import random
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "bugs"
FIELDS = {"what", "file", "find", "plant", "caught_by"}


class BadBug(Exception):
    """An entry that cannot be planted."""


@dataclass(frozen=True)
class Catcher:
    """What notices a bug: a unit program and the cases of it to run (a filter of Catch2), `pytest` and a test of tests/python, or
    `torture` and the options that `tessera-sim torture torture` is given."""

    program: str
    cases: str

    @property
    def target(self) -> str:
        """What is built for it."""
        if self.program == "pytest" and self.cases.startswith("test_foreign_core.py"):
            return "foreign_core"
        return "tessera-sim" if self.program in ("pytest", "torture") else self.program

    def __str__(self) -> str:
        return f"{self.program}: {self.cases}"


@dataclass(frozen=True)
class Bug:
    name: str
    what: str
    file: str
    find: str
    plant: str
    caught_by: tuple[Catcher, ...]

    @property
    def in_python(self) -> bool:
        return self.file.startswith("analysis/")

    def planted(self, text: str) -> str:
        """`text`, the content of the bug's file, with the bug in it."""
        count = text.count(self.find)
        if count != 1:
            raise BadBug(f"planted bug {self.name}: the text to find is {count} times in {self.file}, not once")
        return text.replace(self.find, self.plant)


def _bug(name: str, entry: dict, source: Path) -> Bug:
    if set(entry) != FIELDS:
        raise BadBug(f"{source}: {name} has the fields {sorted(entry)}, not {sorted(FIELDS)}")
    catchers = []
    for catcher in entry["caught_by"]:
        program, _, cases = catcher.partition(": ")
        if not cases:
            raise BadBug(f"{source}: {name} is caught by '{catcher}', which is not 'program: cases'")
        catchers.append(Catcher(program, cases))
    if not catchers:
        raise BadBug(f"{source}: {name} names no test that catches it")
    return Bug(name, entry["what"], entry["file"], entry["find"], entry["plant"], tuple(catchers))


def all_bugs(folder: Path = FOLDER) -> dict[str, Bug]:
    """Every planted bug by name, in the order of files and entries."""
    bugs: dict[str, Bug] = {}
    for source in sorted(folder.glob("*.toml")):
        for name, entry in tomllib.loads(source.read_text()).items():
            if name in bugs:
                raise BadBug(f"{source}: there are two bugs named {name}")
            bugs[name] = _bug(name, entry, source)
    for what, count in Counter((bug.what, bug.file) for bug in bugs.values()).items():
        if count > 1:  # the page tells bugs apart by them
            raise BadBug(f"there are {count} planted bugs in {what[1]} of which it is said: {what[0]}")
    return bugs


def share_of(names: list[str], size: int, seed: int) -> list[str]:
    """`size` of the names, drawn by the seed, in their order."""
    drawn = set(random.Random(seed).sample(names, min(size, len(names))))
    return [name for name in names if name in drawn]
