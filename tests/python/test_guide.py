"""Every command and every piece of Python in these pages runs, in the order of the page."""

import os
import re
import subprocess
import sys

import pytest
from samples import REPOSITORY
from simulate import SIMULATOR

PAGES = (
    "guide/curves", "guide/python", "guide/reports", "guide/saved-states", "guide/search", "guide/sweeps", "guide/trace-tools", "guide/waveforms",
    "tutorial/pareto-front",
)  # fmt: skip
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((REPOSITORY / "docs" / f"{page}.md").read_text())


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_runs(page, tmp_path):
    found = blocks(page)
    assert found
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tessera").write_text(f'#!/bin/sh\nexec {sys.executable} -m tessera "$@"\n')
    (programs / "tessera").chmod(0o755)
    (programs / "tessera-sim").symlink_to(SIMULATOR)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "analysis"),
        "TESSERA_SIM": str(SIMULATOR),
    }
    for language, text in found:
        words = ["sh", "-e", "-c", text] if language == "sh" else [sys.executable, "-c", f"import tessera\n{text}"]
        result = subprocess.run(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert result.returncode == 0, f"{text}\n{result.stdout}\n{result.stderr}"
