"""The pictures of the page of reports: each has its command, and each command names a picture that its results have the data for."""

import os
import re
import shlex
import subprocess
import sys

import pytest
from samples import REPOSITORY
from simulate import SIMULATOR

from tessera import open_results
from tessera.figures.gallery import charts_of

GALLERY = REPOSITORY / "docs" / "gallery"
PAGE = REPOSITORY / "docs" / "guide" / "reports.md"
PICTURE = re.compile(r"!\[[^\]]+\]\(\.\./gallery/([^)]+\.png)\)")
RUNS, FIRST, REST = (GALLERY / "pictures.sh").read_text().partition("tessera plot ")
DRAWN = (FIRST + REST).splitlines()


def options(command: str) -> dict[str, str]:
    words = shlex.split(command)
    return {word: value for word, value in zip(words, words[1:]) if word.startswith("--")}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What the first commands make, each run cut to its first requests."""
    folder = tmp_path_factory.mktemp("gallery")
    (folder / "tessera").write_text(f'#!/bin/sh\nexec {sys.executable} -m tessera "$@"\n')
    (folder / "tessera").chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR)}
    short = re.sub(r"(trials = )\d+", r"\g<1>8", re.sub(r"(limit(?: = | ))\d+", r"\g<1>300", RUNS))
    made = subprocess.run(["sh", "-e", "-c", short], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def test_each_picture_has_one_command_that_draws_it():
    assert [options(command)["--out"] for command in DRAWN] == PICTURE.findall(PAGE.read_text())
    assert all((GALLERY / name).read_bytes().startswith(b"\x89PNG") for name in PICTURE.findall(PAGE.read_text()))


def test_the_results_have_the_data_for_each_picture(results):
    named = [(shlex.split(command)[2], options(command).get("--only")) for command in DRAWN if command.startswith("tessera plot")]
    missing = [(folder, name) for folder, name in named if name and name not in {chart.name for chart in charts_of(open_results(results / folder))}]
    assert len(named) > 5
    assert missing == []
