"""Draws docs/gallery anew: runs the commands of its page in a folder of their own and takes the pictures that the page shows."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "gallery" / "README.md"
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]+\]\(([^)]+)\)")


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    text = PAGE.read_text()
    for commands in COMMANDS.findall(text):
        subprocess.run(["sh", "-e", "-c", commands], cwd=folder, check=True)
    for name in PICTURE.findall(text):
        shutil.copy(folder / name, PAGE.parent / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
