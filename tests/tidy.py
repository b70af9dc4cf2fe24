#!/usr/bin/env python3
"""clang-tidy over the files of a build folder that was configured by the dozen, or over one in N of them, drawn by a seed: tidy.py FOLDER [N SEED].
Exit status 1 if it finds something.

What passed is not looked at again: its preprocessed text with its comments, its options, .clang-tidy and the version are hashed, and a file of
that name is kept in ~/.cache/tessera-tidy (TESSERA_TIDY_CACHE).
"""

import hashlib
import json
import os
import random
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("TESSERA_TIDY_CACHE", Path.home() / ".cache" / "tessera-tidy"))
CHECKED = ("models", "stimuli", "platforms")
OLDEST = 2000  # files that are kept


def text_of(command: list[str], folder: str) -> bytes:
    """What the compiler sees, with its comments, which silence checks; without line numbers and paths of this folder."""
    kept = [word for word in command if word not in ("-c", "-Winvalid-pch")]
    if "-o" in kept:
        del kept[kept.index("-o") : kept.index("-o") + 2]
    return subprocess.run([*kept, "-E", "-C", "-P", "-w"], cwd=folder, capture_output=True, check=True).stdout


def checked(entry: dict, tools: bytes, folder: Path) -> str:
    """Nothing, or what clang-tidy says."""
    command = shlex.split(entry["command"])
    options = [word for word in command if not word.startswith("/") and str(ROOT) not in word]
    seen = hashlib.sha256(tools + " ".join(options).encode() + text_of(command, entry["directory"]).replace(str(ROOT).encode(), b"")).hexdigest()
    if (CACHE / seen).exists():
        (CACHE / seen).touch()
        return ""
    tidy = ["clang-tidy", "--quiet", "-p", str(folder), "--warnings-as-errors=*", entry["file"]]
    done = subprocess.run(tidy, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        (CACHE / seen).touch()
        return ""
    return done.stdout + done.stderr


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    CACHE.mkdir(parents=True, exist_ok=True)
    entries = [
        entry
        for entry in json.loads((folder / "compile_commands.json").read_text())
        if Path(entry["file"]).name.startswith("unity_") and Path(entry["file"]).relative_to(folder).parts[0] in CHECKED
    ]
    if not entries:
        print(f"tidy: {folder} has no files by the dozen; configure it with -DTESSERA_UNITY=ON", file=sys.stderr)
        return 2
    if len(sys.argv) > 2:
        one_in, seed = map(int, sys.argv[2:4])
        entries = random.Random(seed).sample(sorted(entries, key=lambda entry: entry["file"]), -(-len(entries) // one_in))
    tools = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout + (ROOT / ".clang-tidy").read_bytes()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [found for found in pool.map(lambda entry: checked(entry, tools, folder), entries) if found]
    for old in sorted(CACHE.iterdir(), key=lambda kept: kept.stat().st_mtime)[:-OLDEST]:
        old.unlink()
    print("\n".join(findings), end="", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
