"""The images of the tree's layers: where they lie, and how they are built."""

import re
import shutil
import subprocess
from pathlib import Path

from tessera.engine.simulator import REPOSITORY, layer_names
from tessera.errors import InputError, unknown_name
from tessera.firmware.elf import Image
from tessera.new_layer.places import INSTALLED

TOOL = REPOSITORY / "dev"
SOURCES = REPOSITORY / "images"
BUILT = REPOSITORY / "build" / "firmware"
ARCHITECTURE = "rv64imac"
COMPILER = "riscv64-unknown-elf-gcc"
ABI = {"rv64imac": "lp64", "rv32imac": "ilp32"}
PARTS = ("code", "data", "stack")
"""What of an image may lie in the processor's TCM."""


def architectures() -> list[str]:
    """Those that the sources have a tool chain for. Raises InputError where there are no sources."""
    require_sources()
    return sorted(file.stem for file in SOURCES.glob("*.cmake"))


def require_sources() -> None:
    if not (TOOL.exists() and SOURCES.is_dir()):
        raise InputError("images are built from the sources, which an installed package does not bring: './dev firmware LAYER' in a clone of them")


def image_of(layer: str, architecture: str = ARCHITECTURE) -> Path:
    """Where the image of a layer lies once it is built."""
    return BUILT / f"{layer}-{architecture}.elf"


def forms_of(layer: str) -> dict[str, Path]:
    """The images of a layer that are built, each by its architecture and what it was built with: "rv64imac small tcm data stack"."""
    files = [file for arch in architectures() for file in sorted(BUILT.glob(f"{layer}-{arch}*.elf"))]
    return {file.stem.removeprefix(f"{layer}-").replace("-", " "): file for file in files}


def find(image: str) -> Path:
    """The file of this name, or the image of the layer of this name. Raises InputError where there is neither."""
    if Path(image).is_file():
        return Path(image)
    layers = layer_names()
    if image not in layers:
        raise unknown_name("image or layer", image, layers)
    if not (built := image_of(image)).exists():
        raise InputError(f"{image} has no image yet: 'tessera firmware build {image}' makes one")
    return built


def build(layer: str, architecture: str, small: bool, tcm: str = "") -> None:
    """Builds the image of a layer, or of `all`, as ./dev does, which says what it does. `tcm`: which of PARTS lie there, with commas between
    them. Raises InputError where it cannot."""
    known = architectures()
    if architecture not in known:
        raise unknown_name("architecture", architecture, known)
    if layer != "all" and layer not in (layers := layer_names()):
        raise unknown_name("layer", layer, [*layers, "all"])
    for part in filter(None, tcm.split(",")):
        if part not in PARTS:
            raise unknown_name("part of an image", part, PARTS)
    words = [str(TOOL), "firmware", layer, "--arch", architecture, *(["--small"] if small else []), *(["--tcm", tcm] if tcm else [])]
    if (status := subprocess.run(words).returncode) != 0:
        raise InputError(f"the image was not built: {' '.join(words[1:])} ended with status {status}")


def build_own(source: Path, architecture: str) -> Path:
    """Builds an image from a C or assembler file, next to it, with header, linker script and start-up of images. Raises
    InputError where it cannot."""
    if architecture not in ABI:
        raise unknown_name("architecture", architecture, list(ABI))
    if not source.is_file():
        raise InputError(f"{source}: no such file")
    image = source.with_suffix(".elf")
    if (status := subprocess.run([COMPILER, "-O2", "-g", str(source), *flags(architecture), "-o", str(image)]).returncode) != 0:
        raise InputError(f"{image} was not built: {COMPILER} ended with status {status}")
    return image


def flags(architecture: str) -> list[str]:
    """What the compiler has to be told after the sources of an image: processor, header, linker script, start-up, its library. Raises InputError where
    it cannot be."""
    if architecture not in ABI:
        raise unknown_name("architecture", architecture, list(ABI))
    if shutil.which(COMPILER) is None:
        raise InputError(f"{COMPILER} is not installed: in Debian it is gcc-riscv64-unknown-elf")
    headers, scripts = own_folders()
    abi = f"-mabi={ABI[architecture]}"
    # The compiler knows its library by the architecture without Zicsr.
    library = subprocess.check_output([COMPILER, f"-march={architecture}", abi, "-print-libgcc-file-name"], text=True).strip()
    compile_options = [f"-march={architecture}_zicsr", abi, "-mcmodel=medany", "-ffreestanding", "-DTESSERA_START", f"-I{headers}"]
    places = ["-T", f"{scripts}/image.ld", f"-L{scripts}", f"-L{scripts}/in_dram"]
    return [*compile_options, "-nostdlib", "-Wl,--no-warn-rwx-segments", *places, f"{scripts}/start_riscv.S", library]


def own_folders() -> tuple[Path, Path]:
    """Of the register header, and of linker script and start-up: in the installed package, or in the sources that this runs from."""
    return (INSTALLED, INSTALLED) if (INSTALLED / "image.ld").exists() else (REPOSITORY / "docs" / "reference", SOURCES)


def largest(image: Image, count: int, pattern: str = "") -> list[tuple[str, int]]:
    """The functions and objects that take most, C++ names readable where binutils are installed. `pattern`: only names that hold it."""
    places = {symbol.address: symbol for symbol in image.symbols if symbol.size}  # of several names of one thing, one
    found = sorted(((symbol.name, symbol.size) for symbol in places.values()), key=lambda pair: -pair[1])
    names = plain_names([name for name, _ in found])
    rows = [(name, size) for name, (_, size) in zip(names, found) if re.search(re.escape(pattern), name)]
    return rows[:count]


def plain_names(names: list[str]) -> list[str]:
    """C++ names without parameters, as they were written; as the linker has them where binutils are not installed."""
    filt = shutil.which("c++filt")
    if filt is None or not names:
        return names
    return subprocess.run([filt, "--no-params"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.splitlines()
