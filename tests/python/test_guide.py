"""Every command and every piece of Python in these pages runs, in the order of the page."""

import lzma
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


# Pages whose commands are the longer ones of a user at work: they run as they stand, but for fewer requests, seeds and cuts.
LONG_PAGES = ("guide/compare", "guide/drives", "guide/editors", "guide/getting-started", "guide/power-cuts", "guide/sizing", "guide/torture")
SHORTER = """#!{python}
import os, sys
words = sys.argv[1:]
most = {{"run": {{"--limit": 300}}, "compare": {{"--limit": 300, "--seeds": 2}}, "torture": {{"--operations": 5, "--cuts": 5}}}}
for option, count in most.get(words[0], {{}}).items():
    if option in words:
        place = words.index(option) + 1
        words[place] = str(min(int(words[place]), count))
    elif option != "--seeds":
        words += [option, str(count)]
if words[0] == "torture" and "all" in words:
    words[words.index("all")] = "cmr"
os.execv("{simulator}", ["{simulator}", *words])
"""
MSR = "".join(f"{128166372000000000 + 100000 * number},web,0,{'Read' if number % 3 else 'Write'},{40960 * number},4096,0\n" for number in range(60))
RESPONSES = "R Miss 100 8 14000.5 2000.0\nW Miss 50000 8 9000.0 3000.0\n"
INPUTS = {"web_0.csv.xz": MSR, "my_trace.csv.xz": MSR, "measured.trace.xz": RESPONSES}


@pytest.mark.parametrize("page", LONG_PAGES)
def test_what_a_page_shows_runs_though_shorter(page, tmp_path):
    for name, text in INPUTS.items():
        (tmp_path / name).write_bytes(lzma.compress(text.encode()))
    programs = {
        "tessera-sim": SHORTER.format(python=sys.executable, simulator=SIMULATOR),
        "tessera": f'#!/bin/sh\nexec {sys.executable} -m tessera "$@"\n',
        "dev": "#!/bin/sh\n",  # what it would build is there
    }
    for folder in ("bin", "build/release", ".venv/bin", "."):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        for name, text in programs.items():
            (tmp_path / folder / name).write_text(text)
            (tmp_path / folder / name).chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR),
    }  # fmt: skip
    found = [text for language, text in blocks(page) if language == "sh" and "$TRACES" not in text]  # recorded traces are not part of the project
    assert found
    for text in found:
        result = subprocess.run(["sh", "-e", "-c", text], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert result.returncode == 0, f"{text}\n{result.stdout}\n{result.stderr}"
