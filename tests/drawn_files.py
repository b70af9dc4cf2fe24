#!/usr/bin/env python3
"""One in N of the files of Python tests, drawn by a seed, for what takes hours over all of them: drawn_files.py N SEED."""

import random
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "python"


def drawn(one_in: int, seed: int) -> list[Path]:
    files = sorted(FOLDER.glob("test_*.py"))
    return sorted(random.Random(seed).sample(files, -(-len(files) // one_in)))


if __name__ == "__main__":
    print(*(file.relative_to(FOLDER.parent.parent) for file in drawn(int(sys.argv[1]), int(sys.argv[2]))), sep="\n")
