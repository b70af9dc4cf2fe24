"""A copy of the sources with something changed in it, for a build beside that of the sources themselves."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("models", "stimuli", "platforms", "tests", "examples", "analysis")


def sources(root: Path = ROOT) -> dict[str, bytes]:
    """The content of every file that a build or the Python package needs, by path."""
    files = (file for folder in FOLDERS for file in (root / folder).rglob("*"))
    return {f.relative_to(root).as_posix(): f.read_bytes() for f in files if f.is_file() and "__pycache__" not in f.parts}


def mirror(wanted: dict[str, bytes], tree: Path) -> None:
    """Makes the copied folders of `tree` hold these files and no others. Files that are right already are left alone, so that a build
    folder of the tree compiles again only what changes."""
    there = {file.relative_to(tree).as_posix() for folder in FOLDERS for file in (tree / folder).rglob("*") if file.is_file()}
    for path in there - set(wanted):
        (tree / path).unlink()
    for path, content in wanted.items():
        file = tree / path
        if path in there and file.read_bytes() == content:
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
