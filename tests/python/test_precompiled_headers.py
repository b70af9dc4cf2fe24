"""A precompiled header out of the compiler's cache is that of today's headers, whatever changed in them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tessera.engine.simulator import REPOSITORY

HEADER = "#pragma once\n{0}\nenum class Preset {{ first, second }};\n"
UNIT = '#include "preset.hpp"\nint main() {{ return {0}; }}\n'


def build(folder: Path) -> str:
    """What the compiler says of a unit that includes by name a header that the precompiled one has, too; empty where it is content."""
    launcher = [REPOSITORY / "cmake" / "without_old_pch", "ccache", "g++", "-std=c++20"]
    environment = os.environ | {
        "CCACHE_DIR": str(folder / "cache"), "CCACHE_BASEDIR": str(folder), "CCACHE_SLOPPINESS": "pch_defines,time_macros"
    }  # fmt: skip
    said = ""
    for words in (
        ["-x", "c++-header", "-MD", "-MF", "all.d", "-o", "all.hxx.gch", "-c", folder / "all.hxx"],
        ["-Winvalid-pch", "-Werror", "-include", folder / "all.hxx", "-MD", "-MF", "unit.d", "-o", "unit.o", "-c", folder / "unit.cpp"],
    ):
        said += subprocess.run([*launcher, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120).stderr
    return said


@pytest.mark.skipif(shutil.which("ccache") is None, reason="this machine has no ccache, and without it nothing is kept")
@pytest.mark.parametrize(("before", "after", "value"), [
    ("// two", "// both", "1"), ("", " ", "1"), ("#define LIMIT 1", "#define LIMIT 2", "1 / (LIMIT - 1)"),
], ids=["a comment", "a space", "a macro"])  # fmt: skip
def test_a_change_that_preprocessed_text_does_not_show_makes_a_new_one(tmp_path, before, after, value):
    (tmp_path / "all.hxx").write_text('#include "preset.hpp"\n')
    (tmp_path / "unit.cpp").write_text(UNIT.format(0))
    (tmp_path / "preset.hpp").write_text(HEADER.format(before))
    assert build(tmp_path) == ""
    (tmp_path / "preset.hpp").write_text(HEADER.format(after))
    (tmp_path / "unit.cpp").write_text(UNIT.format(value))
    assert build(tmp_path) == ""
