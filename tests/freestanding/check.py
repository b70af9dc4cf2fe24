#!/usr/bin/env python3
"""Compiles every file of the firmware for bare cores, without exceptions and type information, and says how many compile.

    tests/freestanding/check.py [ARCHITECTURE...] [--dozens] [--jobs N]

With --dozens a dozen of them at a time, as the headers take most of the time; one by one only where a dozen does not compile.

The compilers are Debian's gcc-riscv64-unknown-elf with picolibc, and gcc-arm-none-eabi, whose libstdc++ headers serve both."""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBSTDCXX = Path("/usr/include/newlib/c++/12.2.1")
PICOLIBC = ["riscv64-unknown-elf-g++", "--specs=picolibc.specs", f"-I{LIBSTDCXX}", f"-I{LIBSTDCXX / 'arm-none-eabi'}"]
COMPILERS = {
    "rv64imac": [*PICOLIBC, "-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"],
    "rv32imac": [*PICOLIBC, "-march=rv32imac", "-mabi=ilp32"],
    "cortex-r5": ["arm-none-eabi-g++", "-mcpu=cortex-r5", "-mthumb"],
}
OPTIONS = ["-std=c++20", "-fno-exceptions", "-fno-rtti", "-fsyntax-only", "-fmax-errors=1", "-Imodels", "-I."]


def first_error(architecture: str, files: list[Path]) -> str:
    """What the compiler says first against them as one file, or nothing."""
    source = "".join(f'#include "{file}"\n' for file in files)
    done = subprocess.run([*COMPILERS[architecture], *OPTIONS, "-x", "c++", "-"], cwd=ROOT, capture_output=True, text=True, input=source)
    if done.returncode == 0:
        return ""
    return next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip() or "no reason given")


def errors_of(architecture: str, files: list[Path]) -> list[str]:
    """Of each file that does not compile the first one."""
    if len(files) > 1 and not first_error(architecture, files):
        return []
    return [error for file in files if (error := first_error(architecture, [file]))]


def main() -> int:
    parser = argparse.ArgumentParser(description="compile the firmware for bare cores")
    parser.add_argument("architectures", nargs="*", metavar="ARCHITECTURE", help=", ".join(COMPILERS))
    parser.add_argument("--dozens", action="store_true", help="a dozen files at a time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if unknown := set(options.architectures) - set(COMPILERS):
        parser.error(f"unknown architecture {', '.join(sorted(unknown))}; known: {', '.join(COMPILERS)}")
    files = sorted((ROOT / "models" / "firmware").rglob("*.cpp"))
    size = 12 if options.dozens else 1
    portions = [files[i : i + size] for i in range(0, len(files), size)]
    failed = False
    for architecture in options.architectures or COMPILERS:
        with ThreadPoolExecutor(options.jobs) as pool:
            errors = [error for some in pool.map(lambda portion: errors_of(architecture, portion), portions) for error in some]
        print("\n".join(errors + [f"{architecture}: {len(files) - len(errors)} of {len(files)} files compile"]), flush=True)
        failed = failed or bool(errors)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
