#!/usr/bin/env python3
"""What is too long for every commit, as one list: night.py [--list] [--only TEXT] [--seed S] [--record].

Each step is a command of ./dev. What passed at this commit is not repeated: a run that was ended goes on where it was (--again begins anew).
The state and the output of each step lie in build/night/COMMIT. --record adds a line for each step to docs/data/night.csv and writes the newest of each into
docs/developers/testing.md.
Exit status: 1 where a step failed, 2 where the tree has changes that no commit holds.
"""

import argparse
import csv
import datetime
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs" / "data" / "night.csv"
PAGE = ROOT / "docs" / "developers" / "testing.md"
BEGIN, END = "<!-- ./dev night --record: begin -->\n", "<!-- ./dev night --record: end -->\n"
COLUMNS = ["commit", "date", "step", "seed", "minutes", "result"]


@dataclass(frozen=True)
class Step:
    name: str
    command: str  # {seed} is the night's own


STEPS = (
    Step("clang-tidy", "./dev lint --one-in 4 --seed {seed}"),
    Step("sanitizers", "./dev test --sanitize --one-in 16 --seed {seed}"),
    Step("parameters without effect", "./dev effects"),
    Step("known answers", "./dev known-answers"),
    Step("torture", "./dev torture --seed {seed}"),
    Step("combined faults", "./dev campaign --runs 4000 --seed {seed}"),
    Step("runs without faults", "./dev campaign --plain --runs 20000 --seed {seed}"),
    Step("chaos", "./dev chaos --rounds 60 --seed {seed}"),
    Step("formats with their tools", "./dev formats"),
    Step("growth", "./dev bench --growth --hold"),
    Step("cache misses", "./dev bench --hold --night"),
    Step("bare cores", "./dev freestanding --dozens"),
    Step("fuzzing", "./dev fuzz --seconds 20"),
    Step("planted bugs", "./dev planted --share 4 --seed {seed}"),
    Step("C++23", "./dev cpp23"),
    Step("wheel", "./dev wheel --quick"),
    Step("wheel on a bare system", "./dev wheel --check"),
    Step("Debian 13", "./dev debian-13"),
)


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


class State:
    """Which steps ended at this commit, and how."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "state.json"
        self.steps: dict[str, dict] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def passed(self, step: Step) -> bool:
        return self.steps.get(step.name, {}).get("result") == "passed"

    def keep(self, step: Step, **figures: object) -> None:
        self.steps[step.name] = figures
        written = self.file.with_suffix(".new")
        written.write_text(json.dumps(self.steps, indent=1))
        written.replace(self.file)


def carry_out(step: Step, seed: int, log: Path) -> dict:
    begin = time.monotonic()
    by_the_dozen = {"TESSERA_UNITY": "yes", **os.environ}  # files of a library and of its tests are compiled together
    with log.open("w") as output:
        status = subprocess.run(
            step.command.format(seed=seed), shell=True, cwd=ROOT, env=by_the_dozen, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        ).returncode
    return {"seed": seed, "minutes": round((time.monotonic() - begin) / 60, 1), "result": "passed" if status == 0 else f"failed ({status})"}


def record(commit: str, state: State) -> None:
    rows = []
    if RECORD.exists():
        with RECORD.open(newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["commit"] != commit]
    today = datetime.date.today().isoformat()
    rows += [{"commit": commit, "date": today, "step": name, **figures} for name, figures in state.steps.items()]
    with RECORD.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    head, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(head + BEGIN + "\n" + table(rows) + "\n" + END + rest.split(END)[1], encoding="utf-8")


def table(rows: list[dict[str, str]]) -> str:
    """The newest line of each step, in the order of the list.

    >>> print(table([{"commit": "a", "date": "1", "step": "chaos", "seed": "7", "minutes": "2.0", "result": "failed (1)"},
    ...              {"commit": "b", "date": "2", "step": "chaos", "seed": "8", "minutes": "3.0", "result": "passed"}]), end="")
    | step | commit | date | seed | minutes | result |
    |---|---|---|---:|---:|---|
    | chaos | `b` | 2 | 8 | 3.0 | passed |
    """
    newest = {row["step"]: row for row in rows}
    lines = ["| step | commit | date | seed | minutes | result |", "|---|---|---|---:|---:|---|"]
    for step in STEPS:
        if (row := newest.get(step.name)) is not None:
            lines.append(f"| {row['step']} | `{row['commit']}` | {row['date']} | {row['seed']} | {row['minutes']} | {row['result']} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="runs what is too long for every commit")
    parser.add_argument("--list", action="store_true", help="print the steps and their commands")
    parser.add_argument("--only", metavar="TEXT", default="", help="only steps whose name holds this")
    parser.add_argument("--seed", type=int, help="of what is drawn (default: the date as YYYYMMDD)")
    parser.add_argument("--again", action="store_true", help="repeat what has passed at this commit")
    parser.add_argument("--record", action="store_true", help=f"write the results to {RECORD.relative_to(ROOT)}")
    arguments = parser.parse_args()
    steps = [step for step in STEPS if arguments.only in step.name]
    if not steps:
        print(f"night: no step holds '{arguments.only}'; known: {', '.join(step.name for step in STEPS)}", file=sys.stderr)
        return 2
    if arguments.list:
        print("\n".join(f"{step.name:<26} {step.command}" for step in steps))
        return 0
    if changed := git("status", "--porcelain", "--untracked-files=no"):
        print(f"night: commit first, since results belong to a commit; changed:\n{changed}", file=sys.stderr)
        return 2
    commit = git("rev-parse", "--short=10", "HEAD")
    folder = ROOT / "build" / "night" / commit
    folder.mkdir(parents=True, exist_ok=True)
    state = State(folder)
    seed = arguments.seed or int(datetime.date.today().strftime("%Y%m%d"))
    for step in steps:
        if state.passed(step) and not arguments.again:
            print(f"{step.name}: passed before", flush=True)
            continue
        log = folder / f"{step.name.replace(' ', '-')}.log"
        print(f"{step.name}: {step.command.format(seed=seed)}", flush=True)
        state.keep(step, **carry_out(step, seed, log))
        figures = state.steps[step.name]
        print(f"{step.name}: {figures['result']} after {figures['minutes']} min" + ("" if state.passed(step) else f"; see {log.relative_to(ROOT)}"), flush=True)
    if arguments.record:
        record(commit, state)
    failed = [step.name for step in steps if not state.passed(step)]
    if failed:
        print(f"night: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
