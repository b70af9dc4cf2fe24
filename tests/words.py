#!/usr/bin/env python3
"""Checks the hand-written pages for phrases that plain English says better, and the length of the reading path: what the site's navigation shows outside
its reference and its pages for developers. Prints each phrase as file:line: phrase, and what to write; exit status 1 if any, or if the path is too long.
With --count prints the path's pages and words.
"""

import json
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
    (r"(lies?|stands?) (in|on|at|within|between|where|below|above|next)", '"is"'),
    (r"in (its|the|their) midst", '"halfway" or "in the middle of"'),
    (r"behind (it|them|that|this|each|every)", '"after"'),
    (r"somebody", '"you", or who it is'),
    (r"is no part of", '"is not part of"'),
    (r"(?<=[a-z`] )behind (a|the) (figure|name|warm-up|boot|write|last)", '"after"'),
]
MOST_PAGES, MOST_WORDS = 70, 40_000  # of the reading path
APART = ("Reference", "Developers")  # parts of the navigation that are looked up, or not for users
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
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


def reading_path(root: Path) -> list[Path]:
    """The pages of the navigation outside APART, and those of layers that its page of layers links. A notebook is its page's source."""
    part, pages, apart = "", [], set()
    for line in (root / "site" / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].splitlines():
        if heading := re.match(r"  - ([^:]+):", line):
            part = heading[1]
        named = [root / "docs" / name for name in re.findall(r"[\w./-]+\.md", line)]
        if part in APART:
            apart.update(named)
        else:
            pages += named
    layers = root / "docs" / "layers" / "README.md"
    if layers in pages:
        linked = [layers.parent / name for name in re.findall(r"\]\(([a-z0-9-]+\.md)", layers.read_text(encoding="utf-8"))]
        pages += [page for page in linked if page not in apart]
    return [page if page.exists() else page.with_suffix(".ipynb") for page in dict.fromkeys(pages)]


def words_of(page: Path) -> int:
    """The words of a page outside its blocks of code: what has a letter in it, in tables too."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    return sum(any(letter.isalpha() for letter in word) for word in FENCE.sub("", text).split())


def too_long(root: Path) -> list[str]:
    """What exceeds the limits of the reading path."""
    pages = reading_path(root)
    words = sum(map(words_of, pages))
    found = [(len(pages), MOST_PAGES, "pages"), (words, MOST_WORDS, "words")]
    return [f"the reading path has {count:,} {what}: at most {most:,}; move what is looked up to the reference, or say it shorter" for count, most, what in found if count > most]


def main() -> int:
    if sys.argv[1:] == ["--count"]:
        counted = {page: words_of(page) for page in reading_path(ROOT)}
        print(*(f"{words:6,} {page.relative_to(ROOT)}" for page, words in counted.items()), sep="\n")
        print(f"{sum(counted.values()):,} words on {len(counted)} pages")
        return 0
    names = subprocess.run(["git", "ls-files", *PAGES], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    complaints = [
        f'{name}:{number}: "{phrase}": write {better}'
        for name in names
        if not GENERATED.match(name)
        for number, phrase, better in found_in((ROOT / name).read_text(encoding="utf-8"))
    ]
    complaints += too_long(ROOT)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
