"""Firmware images for the tests: built by Debian's cross compiler from tests/images."""

import subprocess
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "images"
ABI = {32: "ilp32", 64: "lp64"}


def build_plain(folder: Path, width: int = 64, wrong: str = "") -> Path:
    """The firmware of plain_firmware.c for RV32 or RV64; `wrong`: a statement that it makes when it starts."""
    image = folder / f"plain{width}.elf"
    compiler = ["riscv64-unknown-elf-gcc", f"-mabi={ABI[width]}", "-mcmodel=medany"]
    made = folder / "plain.o"
    options = ["-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-ffreestanding", *([f"-DWRONG={wrong}"] if wrong else [])]
    subprocess.run([*compiler, f"-march=rv{width}imac_zicsr", *options, "-c", str(SOURCES / "plain_firmware.c"), "-o", str(made)], check=True)
    link = ["-nostartfiles", "-nodefaultlibs", "-Wl,--no-warn-rwx-segments", "-T", str(SOURCES / "plain_firmware.ld")]
    subprocess.run([*compiler, f"-march=rv{width}imac", *link, str(made), "-lgcc", "-o", str(image)], check=True)
    return image
