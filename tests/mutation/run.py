#!/usr/bin/env python3
"""Mutation testing of the firmware: which small faults do its unit tests let pass?

run.py [--sample N] [--seed S] [--headers] [FILES] [--programs PROGRAM...]: builds a copy of the sources with all mutants in it (mutants.py, schemata.py), finds out which
test case passes which mutant, and runs for each mutant the cases that do, fastest first, until one fails or hangs. Survivors are listed
with their lines; those of equivalents.toml are known to change nothing that could be seen.
"""

import argparse
import collections
import json
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "planted"))

from cases import all_cases, killer  # noqa: E402
from equivalents import ENTRIES, StaleEntry, equivalents  # noqa: E402
from mutants import Mutant  # noqa: E402
from sample import Mutants, draw, firmware_files, highest_number  # noqa: E402
from schemata import mutated, switch  # noqa: E402
from tree import ROOT, mirror, sources  # noqa: E402

TREE = ROOT / "build" / "mutation"
BUILD = TREE / "build" / "release"
OUTCOMES = TREE / "outcomes.json"  # of the last run
REFUSED = TREE / "refused.json"  # names of mutants that do not compile
SWITCH = "models/firmware/mutant_switch.hpp"
PROGRAMS = (
    "unit_firmware_parts unit_firmware_layers unit_defects unit_sblock_log unit_zones_parts unit_mu_rmw_parts unit_static_mapping "
    "unit_vguard unit_sblock unit_wave unit_imr unit_flash unit_mu_rmw unit_zones unit_media_cache unit_tiers unit_hal unit_dumps "
    "unit_memory_errors unit_liveness unit_recovery unit_link"
).split()


def write_tree(mutants: dict[int, Mutant]) -> None:
    wanted = sources()
    wanted[SWITCH] = switch(highest_number()).encode()
    for file in {m.file for m in mutants.values()}:
        inside = {number: m for number, m in mutants.items() if m.file == file}
        wanted[file] = b'#include "firmware/mutant_switch.hpp"\n#line 1\n' + mutated(wanted[file], inside)
    mirror(wanted, TREE)


def build(mutants: dict[int, Mutant], programs: list[str], jobs: int) -> dict[int, Mutant]:
    """The mutants that compile."""
    TREE.mkdir(parents=True, exist_ok=True)
    refused = set(json.loads(REFUSED.read_text())) if REFUSED.exists() else set()
    mutants = {number: m for number, m in mutants.items() if m.name() not in refused}
    for _ in range(12):
        write_tree(mutants)
        subprocess.run(["cmake", "--preset", "mutation"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["ninja", "-C", str(BUILD), "-j", str(jobs), "-k", "0", *programs], capture_output=True, text=True)
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
        refused |= {mutants[number].name() for number in bad}
        REFUSED.write_text(json.dumps(sorted(refused), indent=1))
        mutants = {number: m for number, m in mutants.items() if number not in bad}
    sys.exit("mutate: there are mutants left that do not compile")


def table(tried: dict[int, Mutant], survivors: dict[int, Mutant], same: list[Mutant]) -> str:
    """`same`: the equivalent ones beside those tried."""
    counted = [collections.Counter(map(folder_of, mutants)) for mutants in (tried.values(), survivors.values(), same)]
    rows = [(f"`{folder}`", *(count[folder] for count in counted)) for folder in sorted(counted[0] | counted[2])]
    rows.append(("all", len(tried), len(survivors), len(same)))
    lines = [
        f"| {name} | {others + equal} | {equal} | {others - alive} | {100 * (others - alive) / max(1, others):.0f} % |"
        for name, others, alive, equal in rows
    ]
    return "\n".join(["| folder | mutants | equivalent | killed | of those that are not equivalent |", "|---|---:|---:|---:|---:|", *lines])


def folder_of(mutant: Mutant) -> str:
    """A layer's own folder, else that of the file."""
    below = Path(mutant.file).relative_to("models/firmware").with_suffix("").parts
    return "/".join(below[:2]).removesuffix("_factory") if below[0] == "layers" else below[0] if len(below) > 1 else "."


def main() -> int:
    parser = argparse.ArgumentParser(description="mutation testing of models/firmware")
    parser.add_argument("files", nargs="*", metavar="FILE", help="sources under models/firmware; all .cpp files if none is named")
    parser.add_argument("--sample", type=int, default=1000, metavar="N", help="try at least so many (default 1000; 0: all)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the sample")
    parser.add_argument("--budget", type=float, default=60, metavar="SECONDS", help="of tests for one mutant (default 60)")
    parser.add_argument("--headers", action="store_true", help="draw from inline functions and templates in headers too")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="of the build, and cases at a time (default 1)")
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, metavar="PROGRAM", help="test programs; all of the firmware's by default")
    parser.add_argument("--again", action="store_true", help="take over which of the sample were killed last time")
    parser.add_argument("--report", type=Path, default=TREE / "survivors.txt", help="file for the survivors")
    arguments = parser.parse_args()

    mutants = Mutants(TREE / "found")
    files = arguments.files or [file for file in firmware_files() if arguments.headers or file.endswith(".cpp")]
    everything = {file: mutants.of(file) for file in files}
    sample = draw(everything, arguments.sample, arguments.seed)
    try:
        known = equivalents(ENTRIES.read_text(), everything, ROOT)
    except StaleEntry as problem:
        sys.exit(f"mutate: {ENTRIES.name}: {problem}")
    same = {number for number, m in sample.items() if m.name() in known}
    print(f"== {sum(map(len, everything.values()))} mutants, {len(sample)} in the sample, {len(same)} of these known to be equivalent", flush=True)
    built = {number: m for number, m in build(sample, arguments.programs, arguments.jobs).items() if number not in same}
    print(f"== {len(built)} mutants to try; which test case passes which?", flush=True)
    workers = ThreadPoolExecutor(arguments.jobs)  # each waits for the process of a case
    cases = all_cases(BUILD, arguments.programs, workers)
    print(f"== {len(cases)} cases of {sum(c.seconds for c in cases):.0f} s", flush=True)

    outcomes = dict[str, str]()  # of a mutant: the case that noticed it, or nothing
    if arguments.again and OUTCOMES.exists():
        outcomes = {name: case for name, case in json.loads(OUTCOMES.read_text()).items() if case}
    order = list(built.items())
    random.Random(arguments.seed).shuffle(order)  # so that what is known before the end is a sample too
    order = [(number, m) for number, m in order if m.name() not in outcomes]
    killers = workers.map(lambda numbered: killer(numbered[0], numbered[1].file, cases, arguments.budget), order)
    for (number, m), case in zip(order, killers):
        outcomes[m.name()] = f"{case.program.name}: {case.name}" if case else ""
        OUTCOMES.write_text(json.dumps(outcomes, indent=1))
        if case is None:
            print(f"survives: {m.file}:{m.line}: {m.told()}", flush=True)
    survivors = {number: m for number, m in built.items() if not outcomes[m.name()]}
    with arguments.report.open("w") as report:
        for number, m in survivors.items():
            passed = any(number in case.reached for case in cases)
            report.write(f"{m.file}:{m.line}: {m.told()}{'' if passed else ' (passed by no case)'}\n")
    print(f"{table(built, survivors, [sample[number] for number in same])}\n== {len(survivors)} survivors of {len(built)}: {arguments.report}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
