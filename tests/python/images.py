"""Firmware images for the tests: built by Debian's cross compiler from tests/images."""

import fcntl
import subprocess
from pathlib import Path

from samples import REPOSITORY

SOURCES = Path(__file__).resolve().parents[1] / "images"
ABI = {32: "ilp32", 64: "lp64"}


def build_plain(folder: Path, width: int = 64, wrong: str = "", wrong_report: str = "", version: str = "", durability: str = "", begin: int = 0x80000000, interrupts: bool = False) -> Path:
    """The firmware of plain_firmware.c for RV32 or RV64; `wrong`: a statement that it makes when it starts, `wrong_report`: before it tells its figures, `version`: of the registers that it says it is for, `durability`: what it promises, `begin`: where it lies, `interrupts`: it takes them."""
    image = folder / f"plain{width}.elf"
    compiler = ["riscv64-unknown-elf-gcc", f"-mabi={ABI[width]}", "-mcmodel=medany"]
    made = folder / "plain.o"
    said = {"WRONG": wrong, "WRONG_REPORT": wrong_report, "VERSION": version and f'"{version}"', "DURABILITY": durability and f'"{durability}"', "TAKES_INTERRUPTS": interrupts and "1"}
    options = ["-std=c11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-ffreestanding", *(f"-D{name}={text}" for name, text in said.items() if text)]
    subprocess.run([*compiler, f"-march=rv{width}imac_zicsr", *options, "-c", str(SOURCES / "plain_firmware.c"), "-o", str(made)], check=True)
    link = ["-nostartfiles", "-nodefaultlibs", "-Wl,--no-warn-rwx-segments", f"-Wl,--defsym=begin={begin}", "-T", str(SOURCES / "plain_firmware.ld")]
    subprocess.run([*compiler, f"-march=rv{width}imac", *link, str(made), "-lgcc", "-o", str(image)], check=True)
    return image


def build_layer(layer: str, tcm: str = "") -> Path:
    """The tree's own firmware, as ./dev firmware makes it; `tcm`: what of it lies there, in the order of the image's name."""
    (REPOSITORY / "build").mkdir(exist_ok=True)
    with (REPOSITORY / "build" / "firmware.lock").open("w") as lock:  # other tests may want it at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([REPOSITORY / "dev", "firmware", layer, *(["--tcm", tcm] if tcm else [])], check=True, stdout=subprocess.DEVNULL, timeout=800)
    return REPOSITORY / "build" / "firmware" / f"{layer}-rv64imac{'-tcm-' + tcm.replace(',', '-') if tcm else ''}.elf"
