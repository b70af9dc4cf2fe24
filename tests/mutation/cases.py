"""The test cases of the mutated build: which mutants each passes, and whether it notices one."""

import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

# Far more than any case needs; a mutant that takes memory without end must not take the machine's.
MEMORY = 4 << 30
LEAST_SECONDS = 0.5


@dataclass
class Case:
    program: Path
    name: str
    seconds: float = 0  # of the processor, without any mutant
    reached: set[int] = field(default_factory=set)
    kills: dict[str, int] = field(default_factory=dict)  # mutants noticed, by file

    def run(self, seconds: float, **variables: str) -> tuple[bool, float]:
        """Whether the case passed, and what it took; after `seconds` of the processor it is ended and has not passed."""

        child = subprocess.Popen(
            [str(self.program), re.sub(r"([,\[\]\\*])", r"\\\1", self.name), "-a"],
            cwd=self.program.parent,
            env=os.environ | {"RC_PARAMS": "seed=20261121"} | variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        whole = math.ceil(seconds)
        for limit, most in ((resource.RLIMIT_CPU, whole), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
            resource.prlimit(child.pid, limit, (most, most))
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode == 0, used.ru_utime + used.ru_stime

    def look(self) -> bool:
        """Runs the case without any mutant and notes what it passes; whether it passed."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "reached")
            passed, self.seconds = self.run(600, TESSERA_REACHED=str(report))
            # The switch writes the report where the case comes by any mutated file.
            self.reached = set(map(int, report.read_text().split())) if report.exists() else set()
        return passed

    def notices(self, mutant: int) -> bool:
        """Also by hanging: four times the processor time that it takes without the mutant is for ever."""
        return not self.run(4 * self.seconds + LEAST_SECONDS, TESSERA_MUTANT=str(mutant))[0]


def cases_of(program: Path, workers: Executor) -> list[Case]:
    """Its cases, each run once without any mutant; kept until the program is linked anew."""
    kept = program.with_name(f"{program.name}.cases.json")
    if kept.exists() and kept.stat().st_mtime > program.stat().st_mtime:
        return [Case(program, name, seconds, set(reached)) for name, seconds, reached in json.loads(kept.read_text())]
    listed = subprocess.run([str(program), "--list-test-names-only"], capture_output=True, text=True).stdout
    cases = [Case(program, name) for name in listed.splitlines() if name]
    for case, passed in zip(cases, workers.map(Case.look, cases)):
        if not passed:
            sys.exit(f"mutate: {program.name}: '{case.name}' fails without any mutant")
    kept.write_text(json.dumps([(case.name, case.seconds, sorted(case.reached)) for case in cases]))
    return cases


def all_cases(build: Path, programs: list[str], workers: Executor) -> list[Case]:
    paths = [path for program in programs for path in build.glob(f"tests/unit/*/{program}") if path.is_file()]
    return [case for path in paths for case in cases_of(path, workers)]


def killer(number: int, file: str, cases: list[Case], budget: float) -> Case | None:
    """The first case that notices the mutant; the quick ones are tried first, and before them those that noticed others of the file."""
    spent = 0.0
    start = 0.02  # seconds to start a program
    for case in sorted((c for c in cases if number in c.reached), key=lambda c: (c.seconds + start) / (1 + c.kills.get(file, 0))):
        if spent > budget:
            break
        spent += case.seconds
        if case.notices(number):
            case.kills[file] = case.kills.get(file, 0) + 1
            return case
    return None
