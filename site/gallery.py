"""Draws docs/gallery again: runs docs/gallery/pictures.sh in a folder of its own and takes the pictures that its commands wrote."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

GALLERY = Path(__file__).resolve().parents[1] / "docs" / "gallery"
COMMANDS = GALLERY / "pictures.sh"
PICTURE = re.compile(r"--out (\S+\.png)$", re.MULTILINE)


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(["sh", "-e", COMMANDS], cwd=folder, check=True)
    for name in PICTURE.findall(COMMANDS.read_text()):
        shutil.copy(folder / name, GALLERY / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
