"""A class has one .cpp: whoever looks for a function of it looks in one file. Exceptions have a reason."""

import re
from collections import defaultdict
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.MULTILINE)
FUNCTION = re.compile(r"^(?!//|#| |return)[\w:<>&\*,\[\] ]*?\b([A-Z]\w+)::~?\w+\(", re.MULTILINE)

# Over 600 lines in one file.
LARGE = {
    "BufferedLayer", "DmzHost", "DriveModule", "FlashTier", "LogHost", "LsmHost", "MediaCache", "MuRmw", "NandDevice", "Scoreboard",
    "WriteCache", "nvme::Controller",
}  # fmt: skip
# A format has a file of its own, which begins with it: what a drive keeps without power, and chunks of NBD.
FORMATS = {"ContentStore", "MemoryController", "NandArray", "NbdConnection", "VersionMap"}


def classes_of(file: Path) -> set[tuple[Path, str]]:
    """The classes of which a file has functions, by the folder that they are of."""
    text = file.read_text()
    namespace = NAMESPACE.search(text)
    of = namespace[1].removeprefix("tessera").strip(":") if namespace else ""
    return {(file.parent, f"{of}::{name}" if name == "Controller" else name) for name in FUNCTION.findall(text)}


def test_a_class_has_one_file_of_functions():
    files = defaultdict(set)
    for folder in ("models", "stimuli", "platforms"):
        for file in (REPOSITORY / folder).rglob("*.cpp"):
            for name in classes_of(file):
                files[name].add(file.name)
    split = {name for (_, name), of in files.items() if len(of) > 1}
    assert split == LARGE | FORMATS
