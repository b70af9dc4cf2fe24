#!/usr/bin/env python3
"""Checks what may include what (the folders' rules, CONTRIBUTING.md). Prints each violation with file, line and rule; exit status 1 if any."""

import re
import sys
from pathlib import Path

FOLDERS = ("models", "stimuli", "platforms", "bench", "tests")
SUFFIXES = {".hpp", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
# Headers of SystemC and TLM; "systemc" also covers "systemc.h".
SYSTEMC = re.compile(r"^(systemc|tlm|sysc/|tlm_|scv)")
# What firmware must do without on a bare core. (It is compiled with type information here, so that layers outside the tree link.)
TYPE_INFORMATION = re.compile(r"\b(dynamic_cast|dynamic_pointer_cast|typeid)\b")
SHARED_BLOCKS = {"base", "bus"}  # their modules are the sockets and the clockwork that all blocks share


def block_of(path: str) -> str | None:
    """Block of a file or include path under models/."""
    parts = path.split("/")
    if parts[0] == "models":
        parts = parts[1:]
    return parts[0] if len(parts) > 1 else None


def is_module(path: str) -> bool:
    return re.search(r"_module\.[hc]pp$", path) is not None


def may_include_systemc(path: str) -> bool:
    return is_module(path) or path.startswith("tests/") or Path(path).name == "main.cpp"


def violations_in(path: str, line: str) -> list[str]:
    """The rules that a line of the file `path` breaks, whatever it includes."""
    if path.startswith("models/firmware/") and TYPE_INFORMATION.search(line):
        return ["firmware asks for no run-time type information"]
    return []


def violations_of(path: str, include: str, blocks: set[str]) -> list[str]:
    """The rules that `#include include` in the file `path` breaks; `blocks` are the folders under models/."""
    broken = []
    folder = path.split("/")[0]
    target = include.split("/")[0]
    if SYSTEMC.match(include) and not may_include_systemc(path):
        broken.append("SystemC is included only by *_module files, main.cpp and tests")
    if is_module(include) and folder in ("models", "stimuli") and not is_module(path):
        broken.append("a pure core does not include a module")
    if folder != "models":
        if folder == "stimuli" and target == "platforms":
            broken.append("stimuli know nothing of platforms")
        return broken
    block = block_of(path)
    if target in ("stimuli", "platforms", "bench", "tests"):
        broken.append("models know nothing of what is above them")
    if is_module(include) and target in blocks and target != block and target not in SHARED_BLOCKS:
        broken.append("a block never includes another block's module; they meet at sockets")
    if block == "firmware" and target in blocks and target not in ("firmware", "base"):
        broken.append("firmware knows its ports and base, nothing else")
    if block == "base" and target in blocks and target != "base":
        broken.append("base knows no other block")
    return broken


def check(root: Path) -> tuple[list[str], int]:
    """All violations below `root`, and the number of files looked at."""
    blocks = {folder.name for folder in (root / "models").iterdir() if folder.is_dir()}
    found, files = [], 0
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            files += 1
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                found += [f"{path}:{number}: {rule}" for rule in violations_in(path, line)]
                if match:
                    found += [f"{path}:{number}: {rule} ({match[1]})" for rule in violations_of(path, match[1], blocks)]
    return found, files


def main() -> int:
    found, files = check(Path(__file__).resolve().parents[1])
    print("\n".join(found) if found else f"layering holds in {files} files")
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
