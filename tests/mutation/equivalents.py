"""The mutants of equivalents.toml: known to change nothing that anybody could see."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from mutants import Mutant

ENTRIES = Path(__file__).with_name("equivalents.toml")


class StaleEntry(Exception):
    """An entry that names no mutant: its line has changed, and is to be judged anew."""


def equivalents(text: str, everything: Mapping[str, Sequence[Mutant]], root: Path) -> set[str]:
    """Names of the mutants that `text`, in the form of equivalents.toml, lists. Of the files in `everything`, and of those that are not below
    `root` any more, each must be there."""
    found = {m.name() for mutants in everything.values() for m in mutants}
    known = set[str]()
    for file, listed in tomllib.loads(text).items():
        for entry in listed:
            if set(entry) != {"mutant", "reason"}:
                raise StaleEntry(f"an entry of {file} has not just a mutant and a reason: {entry}")
            name = f"{file}: {entry['mutant']}"
            if name not in found and (file in everything or not (root / file).exists()):
                raise StaleEntry(f"there is no such mutant: {name}")
            if name in known:
                raise StaleEntry(f"this mutant is named twice: {name}")
            known.add(name)
    return known
