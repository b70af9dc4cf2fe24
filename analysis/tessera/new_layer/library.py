"""A layer as a shared library or in Python: a folder with source, build, test and page."""

import shutil
from pathlib import Path

from tessera.errors import InputError
from tessera.new_layer.answers import DURABILITIES, TRACKS, Answers
from tessera.new_layer.names import class_name, identifier
from tessera.results.human import size

TEMPLATES = Path(__file__).parent / "templates"
COMMON = ("test.sh", "sweep.toml")
COMPILED = "README.md"  # of libraries
FILES = {"c": ("layer.c", "Makefile"), "rust": ("layer.rs", "tessera_firmware.rs", "Makefile"), "python": ("layer.py", "README.md")}
BUILD = 'make TESSERA="$TESSERA" ${INCLUDE:+INCLUDE="$INCLUDE"}\n'

PROMISES = {
    "none": "A write that was acknowledged is on the platters. A power cut at any instant leaves each sector old or new.",
    "volatile": "What FLUSH or FUA acknowledged is on the platters. A power cut loses what the buffer held: each of its sectors is as it was at the last FLUSH or newer.",
    "plp": "A write that was acknowledged survives a power cut: the drive dumps the buffer. If that dump fails, what FLUSH or FUA acknowledged is on the platters.",
}


DUMPED_WITHOUT = 512 << 10  # B of buffer: with its table the drive `torture` has room for it
DUMP_BLOCK, OTHER_BLOCKS = 128 << 10, 32  # B; of its flash, that hold no dump


def larger_dump(answers: Answers) -> str:
    """Options that give the drive of test.sh room for the layer's dump.

    >>> larger_dump(Answers(durability="plp", buffer=1 << 20))
    ' --set power.dump_area=3MiB --set nand.dump_blocks=24 --set nand.blocks=56 --set dram.capacity=34MiB'
    """
    if answers.durability != "plp" or answers.buffer <= DUMPED_WITHOUT:
        return ""
    blocks = 8 + 2 * -(-answers.buffer // DUMP_BLOCK)
    memory = 32 + 2 * -(-answers.buffer // (1 << 20))
    return f" --set power.dump_area={blocks * DUMP_BLOCK >> 20}MiB --set nand.dump_blocks={blocks} --set nand.blocks={OTHER_BLOCKS + blocks} --set dram.capacity={memory}MiB"


def filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text


def library_file(name: str, language: str) -> str:
    """What `--firmware` is given.

    >>> library_file("my-log", "rust"), library_file("my-log", "python")
    ('my-log.so', 'my_log.py')
    """
    return f"{identifier(name)}.py" if language == "python" else f"{name}.so"


def write_library(name: str, language: str, answers: Answers, folder: Path) -> list[Path]:
    """Writes the folder, which must not exist yet, whole or not at all. Raises InputError where it does."""
    python, library, interlaced = language == "python", library_file(name, language), answers.tracks == "interlaced"
    values = {
        "NAME": name, "ID": identifier(name), "CLASS": class_name(name), "SUMMARY": answers.summary, "LIBRARY": library,
        "TRACKS": str(TRACKS.index(answers.tracks)), "UNIT": str(answers.unit), "DURABILITY": str(DURABILITIES.index(answers.durability)),
        "BUFFER": str(answers.buffer), "TRACKS_WORD": answers.tracks, "DURABILITY_WORD": answers.durability, "BUFFER_WORD": size(answers.buffer),
        "DUMPS": larger_dump(answers), "PROMISE": PROMISES[answers.durability], "SOURCE": FILES[language][0], "COMPILER": "a C compiler" if language == "c" else "rustc 1.77 or newer",
        "BUILDS": "" if python else "Builds the layer, then: ", "BUILD": "" if python else BUILD, "AFTER": "a change" if python else "`make`",
        "INTERLACED": ", interlaced=True" if interlaced else "", "ODD": "; an odd number" if interlaced else "",
    }  # fmt: skip
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise InputError(f"{folder} exists already, and is left as it is; --out names another folder") from None
    try:
        sources = [TEMPLATES / "library" / file for file in (*COMMON, *(() if python else (COMPILED,)))] + [TEMPLATES / language / file for file in FILES[language]]
        files = {source: folder / (library if source.name == "layer.py" else source.name) for source in sources}
        for source, file in files.items():
            file.write_text(filled(source.read_text(encoding="utf-8"), values), encoding="utf-8")
        (folder / "test.sh").chmod(0o755)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return list(files.values())
