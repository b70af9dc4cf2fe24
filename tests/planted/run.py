#!/usr/bin/env python3
"""Plants each bug alone, builds, and runs the tests until one fails: those that the bug names first, then every unit program, then
torture of every layer.

run.py [NAME...] [--share N [--seed S]] [--named] [--page FILE]: exit status 1 if any bug survives, or is caught by none of the tests that it names;
2 if one cannot be planted.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bugs import BadBug, Bug, Catcher, all_bugs, share_of
from page import renew, row
from tree import ROOT

TREE = ROOT / "build" / "planted"
BUILD = TREE / "build" / "release"
TIMEOUT = 300  # s; a test that hangs has noticed something


@dataclass
class Outcome:
    bug: Bug
    catcher: Catcher | None = None
    named: bool = False
    seconds: float = 0


def quiet(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise BadBug(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def configure(name: str) -> None:
    quiet(["cmake", "--preset", "planted", f"-DTESSERA_PLANTED={name}"])


def build(*targets: str) -> None:
    quiet(["cmake", "--build", str(BUILD), "--target", *targets])


LAST_RESORT = Catcher("torture", "--layer all --operations 60 --cuts 60")
REFUSED = {"pytest": (2, 3, 4, 5), "torture": (2,)}  # statuses of a wrong command, not of a failed test


def command_of(catcher: Catcher) -> list[str]:
    if catcher.program == "pytest":
        return [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/python/{catcher.cases}"]
    if catcher.program == "torture":
        return [str(BUILD / "tessera-sim"), "torture", "torture", *catcher.cases.split()]
    found = [p for p in BUILD.glob(f"tests/*/*/{catcher.program}") if p.is_file()]
    if len(found) != 1:
        raise BadBug(f"there is no test program {catcher.program}")
    filters = [] if catcher.cases == "*" else [re.sub(r"([,\[\]\\])", r"\\\1", catcher.cases)]
    return [str(found[0]), "--abort", *filters]


def package_of(tree: Path) -> dict[str, str]:
    """The environment in which pytest takes the Python package from `tree`."""
    package = tree / "analysis"
    options = shlex.join(["-p", "planted_package", "-o", f"pythonpath=tests/python {package}"])
    return {"PYTHONPATH": os.pathsep.join([str(package), str(ROOT / "tests" / "planted")]), "PYTEST_ADDOPTS": options}


def notices(catcher: Catcher, in_python: bool) -> bool:
    """Builds it and runs it. `in_python`: the bug is in the Python package."""
    build(catcher.target)
    command = command_of(catcher)
    folder = ROOT if catcher.program in ("pytest", "torture") else Path(command[0]).parent
    environment = os.environ | {"TESSERA_BUILD": str(BUILD)}
    if in_python:  # with all others the package is that of the sources, which find images and pages beside it
        environment |= package_of(TREE)
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return True
    if "No test cases matched" in done.stdout or done.returncode in REFUSED.get(catcher.program, ()):
        raise BadBug(f"'{catcher}' cannot be run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode != 0


def unit_programs() -> list[str]:
    """The pure cores' programs; those of SystemC modules test no firmware."""
    folders = sorted((ROOT / "tests" / "unit").glob("*/CMakeLists.txt"))
    words = [word for file in folders for word in file.read_text().replace("(", " ").split()]
    return [word for word in dict.fromkeys(words) if word.startswith("unit_") and word != "unit_readers_real_traces"]


def hunt(bug: Bug, named: bool) -> Outcome:
    """`named`: none but the tests that the bug names."""
    begin = time.monotonic()
    outcome = Outcome(bug)
    configure(bug.name)
    wider = () if named else (*(Catcher(program, "*") for program in unit_programs()), LAST_RESORT)
    outcome.catcher = next((catcher for catcher in (*bug.caught_by, *wider) if notices(catcher, bug.in_python)), None)
    outcome.named = outcome.catcher in bug.caught_by
    outcome.seconds = time.monotonic() - begin
    return outcome


def chosen(arguments: argparse.Namespace) -> list[Bug]:
    bugs = all_bugs()
    names = arguments.names or list(bugs)
    for name in names:
        if name not in bugs:
            raise BadBug(f"there is no planted bug named {name}")
    if arguments.share:
        names = share_of(names, arguments.share, arguments.seed)
    return [bugs[name] for name in names]


def main() -> int:
    parser = argparse.ArgumentParser(description="plants bugs and sees that the tests catch them")
    parser.add_argument("names", nargs="*", metavar="NAME", help="bugs; all if none is named")
    parser.add_argument("--share", type=int, metavar="N", help="only N of them, drawn by the seed")
    parser.add_argument("--seed", type=int, default=0, help="of the share")
    parser.add_argument("--named", action="store_true", help="no tests but those that a bug names; one that they miss gets no row")
    parser.add_argument("--page", type=Path, metavar="FILE", help="put the rows into the table of this file, each as soon as it is there")
    arguments = parser.parse_args()
    rows: dict[str, str] = {}
    tried = 0
    bad, unfit = [], []
    try:
        print("| planted bug | file | caught by | time |")
        for bug in chosen(arguments):
            try:
                outcome = hunt(bug, arguments.named)
            except BadBug as problem:
                print(f"{bug.name} cannot be planted: {problem}", file=sys.stderr, flush=True)
                unfit.append(bug.name)
                continue
            line = row(bug, outcome.catcher)
            print(f"{line} {outcome.seconds:.0f} s |", flush=True)
            tried += 1
            if outcome.named or not arguments.named:
                rows[bug.name] = line
            if arguments.page:
                renew(arguments.page, rows, all_bugs())
            if not outcome.named:
                bad.append(bug.name)
    except BadBug as problem:
        print(f"planted: {problem}", file=sys.stderr)
        return 2
    print(f"{tried} bugs planted, {tried - len(bad)} caught by the tests that they name")
    if bad:
        print("not caught so: " + ", ".join(bad), file=sys.stderr)
    if unfit:
        print("cannot be planted: " + ", ".join(unfit), file=sys.stderr)
    return 2 if unfit else 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
