"""What decides how many instructions a build of the simulator takes, apart from its sources: compiler, libraries, and how it was optimised."""

import re
import subprocess
from pathlib import Path


def toolchain(program: Path) -> str:
    """Compiler and libraries of the program, as text that equals another's only where both are the same."""
    compilers = set(re.findall(rb"GCC: \([^\x00]*|clang version [^\x00]*", program.read_bytes()))
    linked = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
    libraries = [Path(path).resolve().name for path in re.findall(r"=> (\S+)", linked)]
    named = [name for name in libraries if name.startswith(("libsystemc", "libstdc++"))]
    return ", ".join([*sorted(text.decode() for text in compilers), *sorted(named), c_library()])


def c_library() -> str:
    """Its version to the packaging: what copies and clears memory changes with it."""
    first = subprocess.run(["ldd", "--version"], capture_output=True, text=True).stdout.partition("\n")[0]
    return first.removeprefix("ldd ").strip()
