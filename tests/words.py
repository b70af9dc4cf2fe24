#!/usr/bin/env python3
"""Checks the hand-written pages for phrases that plain English says better. Prints each as file:line: phrase, and what to write; exit status 1 if any."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md"]
# Written by commands, from declarations and measurements.
GENERATED = re.compile(r"^docs/(reference/|guide/(parameters|metrics)\.md$|validation(/|\.md$))")
BEGIN, END = re.compile(r"^<!-- .*: begin -->$"), re.compile(r"^<!-- .*: end -->$")
UNITS = r"[0-9.]+ (B|bytes?|bits?|ns|us|ms|s|KiB|MiB)"
THINGS = r"(access|band|block|chunk|extent|group|instruction|page|read|record|region|request|run|sector|slot|surface|track|write)"

# Phrase (a regular expression over the text outside code), and what to write.
WORDS = [
    (r"anew", "again"),
    (r"beside", '"next to" or "with"'),
    (r"where (it is |they are )?not given", '"default: X"'),
    (r"stop(s|ped)? to help", '"stops helping"'),
    (r"(that )?no other beats", "Pareto-optimal"),
    (r"nothing beats", "Pareto-optimal, or name the winner"),
    (r"in which cases", '"when"'),
    (r"be made again", '"be reproduced"'),
    (r"held? against", '"compared with" or "checked against"'),
    (r"need not hurry", '"can wait"'),
    (r"all else alike", '"everything else equal"'),
    (r"(?<!in )(a|one) (row|line|lane) a [a-z]+", '"one row per ..."'),
    (r"requests an? (second|minute|CPU-second)", '"requests per second"'),
    (r"an? CPU-second", '"per CPU-second"'),
    (r"energy a request", '"energy per request"'),
    (UNITS + r" an? " + THINGS, '"... per ..."'),
    (r"yardstick", '"baseline"'),
    (r"unsafe face", '"unsafe mode"'),
    (r"is no part of", '"is not part of"'),
    (r"(?<=[a-z`] )behind (a|the) (figure|name|warm-up|boot|write|last)", '"after"'),
]
PATTERNS = [(re.compile(r"\b(" + phrase + r")(?!\w)", re.IGNORECASE), better) for phrase, better in WORDS]


def hand_written(text: str) -> list[str]:
    """The lines of a page, with those of code blocks and of generated parts empty, and inline code out of sight."""
    lines, code, generated = [], False, False
    for line in text.splitlines():
        if BEGIN.match(line):
            generated = True
        if line.lstrip().startswith("```"):
            code = not code
            line = ""
        lines.append("" if code or generated else re.sub(r"`[^`]*`", "``", line))
        if END.match(line):
            generated = False
    return lines


def found_in(text: str) -> list[tuple[int, str, str]]:
    """Line, phrase and what to write instead; a phrase may go over the end of a line."""
    lines = hand_written(text)
    found = set()
    for number, line in enumerate(lines, 1):
        here = line.strip()
        joined = here if number == len(lines) or not here else here + " " + lines[number].strip()
        for pattern, better in PATTERNS:
            found |= {(number, match[0], better) for match in pattern.finditer(joined) if match.start() < len(here)}
    return sorted(found)


def main() -> int:
    names = subprocess.run(["git", "ls-files", *PAGES], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    complaints = [
        f'{name}:{number}: "{phrase}": write {better}'
        for name in names
        if not GENERATED.match(name)
        for number, phrase, better in found_in((ROOT / name).read_text(encoding="utf-8"))
    ]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
