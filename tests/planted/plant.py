#!/usr/bin/env python3
"""plant.py NAME TREE: makes TREE a copy of the sources with the planted bug NAME in it; the bug `none` makes a plain copy."""

import sys
from pathlib import Path

from bugs import BadBug, all_bugs
from tree import mirror, sources


def plant(name: str, tree: Path) -> None:
    wanted = sources()
    if name != "none":
        bugs = all_bugs()
        if name not in bugs:
            raise BadBug(f"there is no planted bug named {name}")
        bug = bugs[name]
        if bug.file not in wanted:
            raise BadBug(f"planted bug {name}: there is no file {bug.file}")
        wanted[bug.file] = bug.planted(wanted[bug.file].decode()).encode()
    mirror(wanted, tree)


def main() -> int:
    try:
        plant(sys.argv[1], Path(sys.argv[2]))
    except BadBug as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
