#!/usr/bin/env python3
"""Mutation testing of the firmware: which small faults do its unit tests let pass?

run.py [--sample N] [--seed S] [FILES] [--programs PROGRAM...]: builds a copy of the sources with all mutants in it (mutants.py, schemata.py), finds out which
test case passes which mutant, and runs for each mutant the cases that do, fastest first, until one fails or hangs. Survivors are listed
with their lines; those of equivalents.toml are known to change nothing that could be seen.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "planted"))

from mutants import Finder, Mutant  # noqa: E402
from schemata import mutated, switch  # noqa: E402
from tree import ROOT, mirror, sources  # noqa: E402

TREE = ROOT / "build" / "mutation"
BUILD = TREE / "build" / "release"
SWITCH = "models/firmware/mutant_switch.hpp"
PROGRAMS = (
    "unit_firmware_parts unit_firmware_layers unit_sblock_log unit_zones_parts unit_mu_rmw_parts unit_static_mapping unit_vguard "
    "unit_sblock unit_wave unit_imr unit_flash unit_mu_rmw unit_zones"
).split()
PROCESSES = 2


@dataclass
class Case:
    program: Path
    name: str
    seconds: float = 0
    reached: set[int] = field(default_factory=set)

    def run(self, seconds: float, **variables: str) -> int | None:
        """The exit status; None if the case hangs."""
        filter_ = re.sub(r"([,\[\]\\*])", r"\\\1", self.name)
        try:
            done = subprocess.run(
                [str(self.program), filter_],
                cwd=self.program.parent,
                env=os.environ | {"RC_PARAMS": "seed=20261121"} | variables,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return None
        return done.returncode


def firmware_files() -> list[str]:
    return sorted(f.relative_to(ROOT).as_posix() for f in (ROOT / "models" / "firmware").rglob("*.[ch]pp"))


def compiler_arguments() -> list[str]:
    """As the firmware is compiled; clang needs to be told where GCC keeps the compiler's own headers."""
    own = subprocess.run(["c++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    return ["-xc++", "-std=c++20", f"-I{ROOT}/models", f"-I{ROOT}", "-isystem", own, "-Wno-everything"]


def find_in(file: str) -> list[Mutant]:
    return Finder(ROOT, compiler_arguments()).mutants(file)


def find(files: list[str]) -> list[Mutant]:
    with ProcessPoolExecutor(PROCESSES) as pool:
        return [mutant for found in pool.map(find_in, files) for mutant in found]


def write_tree(mutants: dict[int, Mutant], count: int) -> None:
    wanted = sources()
    wanted[SWITCH] = switch(count).encode()
    for file in {m.file for m in mutants.values()}:
        inside = {number: m for number, m in mutants.items() if m.file == file}
        wanted[file] = b'#include "firmware/mutant_switch.hpp"\n#line 1\n' + mutated(wanted[file], inside)
    mirror(wanted, TREE)


def build(mutants: dict[int, Mutant], count: int, programs: list[str]) -> dict[int, Mutant]:
    """The mutants that compile."""
    TREE.mkdir(parents=True, exist_ok=True)
    for _ in range(12):
        write_tree(mutants, count)
        subprocess.run(["cmake", "--preset", "mutation"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["ninja", "-C", str(BUILD), "-k", "0", *programs], capture_output=True, text=True)
        if done.returncode == 0:
            return mutants
        lines = {(m[1], int(m[2])) for m in re.finditer(r"(models/firmware/[\w/.]+):(\d+):\d+: (?:fatal )?error", done.stdout)}
        bad = {number for number, m in mutants.items() if (m.file, m.line) in lines}
        for file, line in lines:  # the error may be told where the line's statement goes on
            if not any((m.file, m.line) == (file, line) for m in mutants.values()):
                bad |= {number for number, m in mutants.items() if m.file == file and line - 4 <= m.line < line}
        if not bad:
            sys.exit(f"mutate: the mutated sources do not compile:\n{done.stdout[-4000:]}")
        print(f"   {len(bad)} mutants do not compile and are left out", flush=True)
        mutants = {number: m for number, m in mutants.items() if number not in bad}
    sys.exit("mutate: there are mutants left that do not compile")


def all_cases(programs: list[str]) -> list[Case]:
    cases = []
    for program in programs:
        (path,) = (p for p in BUILD.glob(f"tests/unit/*/{program}") if p.is_file())
        listed = subprocess.run([str(path), "--list-test-names-only"], capture_output=True, text=True).stdout
        cases += [Case(path, name) for name in listed.splitlines() if name]
    return cases


def look(case: Case) -> None:
    """Which mutants the case passes, and how long it takes."""
    reached = BUILD / f"reached.{abs(hash((case.program, case.name)))}"
    begin = time.monotonic()
    status = case.run(600, TESSERA_REACHED=str(reached))
    case.seconds = time.monotonic() - begin
    if status != 0:
        sys.exit(f"mutate: {case.program.name}: '{case.name}' fails without any mutant")
    if reached.exists():  # the switch writes it where the case passes any mutant
        case.reached = {int(line) for line in reached.read_text().split()}
        reached.unlink()


def killer(number: int, cases: list[Case], budget: float) -> Case | None:
    """The first case that notices the mutant; `cases` are sorted by time."""
    spent = 0.0
    for case in cases:
        if number not in case.reached:
            continue
        if spent > budget:
            break
        spent += case.seconds
        if case.run(10 * case.seconds + 5, TESSERA_MUTANT=str(number)) != 0:
            return case
    return None


def equivalents() -> dict[str, str]:
    entries = tomllib.loads((HERE / "equivalents.toml").read_text())
    return {f"{file}: {entry['mutant']}": entry["reason"] for file, listed in entries.items() for entry in listed}


def main() -> int:
    parser = argparse.ArgumentParser(description="mutation testing of models/firmware")
    parser.add_argument("files", nargs="*", metavar="FILE", help="sources under models/firmware; all if none is named")
    parser.add_argument("--sample", type=int, default=1000, metavar="N", help="mutants to try (default 1000; 0: all)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the sample")
    parser.add_argument("--budget", type=float, default=60, metavar="SECONDS", help="of tests for one mutant (default 60)")
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, metavar="PROGRAM", help="test programs; all of the firmware's by default")
    parser.add_argument("--report", type=Path, default=TREE / "survivors.txt", help="file for the survivors")
    arguments = parser.parse_args()

    everything = find(arguments.files or firmware_files())
    sample = everything
    if 0 < arguments.sample < len(everything):
        sample = random.Random(arguments.seed).sample(everything, arguments.sample)
    known = equivalents()
    same = sum(m.key() in known for m in sample)
    mutants = {number: m for number, m in enumerate((m for m in sample if m.key() not in known), 1)}
    print(f"== {len(everything)} mutants, {len(sample)} in the sample, {same} of these known to be equivalent", flush=True)
    built = build(mutants, len(mutants), arguments.programs)
    print(f"== {len(built)} mutants in one build; which test case passes which?", flush=True)
    cases = all_cases(arguments.programs)
    with ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(look, cases))
    cases.sort(key=lambda case: case.seconds)
    unreached = [number for number in built if not any(number in case.reached for case in cases)]
    print(f"== {len(cases)} cases of {sum(c.seconds for c in cases):.0f} s; {len(unreached)} mutants are passed by none", flush=True)

    killed, survivors = 0, list(unreached)
    order = [number for number in built if number not in set(unreached)]
    with ThreadPoolExecutor(PROCESSES) as pool:
        for number, case in zip(order, pool.map(lambda n: killer(n, cases, arguments.budget), order)):
            killed += case is not None
            if case is None:
                survivors.append(number)
                m = built[number]
                print(f"survives: {m.file}:{m.line}: {m.what}", flush=True)
    with arguments.report.open("w") as report:
        for number in sorted(survivors):
            m = built[number]
            report.write(f"{m.file}:{m.line}: {m.what}{' (passed by no case)' if number in unreached else ''}\n")
    print(f"== {killed} of {len(built)} mutants killed ({100 * killed / len(built):.1f} %); survivors: {arguments.report}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
