"""The one progress: plain lines where there is no terminal, and a time left that is what the rest takes, not what was there before."""

import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tessera import progress


@dataclass
class Counted:
    completed: float
    total: float | None
    elapsed: float | None = 60
    fields: dict = field(default_factory=dict)


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (Counted(10, 40), 180),
        (Counted(10, 40, fields={"kept": 8}), 900),  # eight were there before, and took no time
        (Counted(8, 40, fields={"kept": 8}), None),
        (Counted(0, 40), None),
        (Counted(10, None), None),
        (Counted(40, 40), 0),
    ],
)
def test_the_time_left_is_what_the_rest_takes_at_the_rate_since_the_beginning(task, expected):
    assert progress.seconds_left(task) == expected


def test_a_line_says_what_how_many_for_how_long_and_how_long_still():
    assert progress.plain("runs", Counted(1_000, 4_000, 65.4)) == "runs: 1,000 of 4,000, 1:05 so far, 3:16 left"
    assert progress.plain("runs (1 failed)", Counted(0, None, 3)) == "runs (1 failed): 0, 0:03 so far"


@pytest.fixture
def told(monkeypatch, capsys):
    """What is said on standard error, which is no terminal, since this was last asked; lines come after a tenth of a second."""
    monkeypatch.setattr(progress, "FIRST", 0.1)
    return lambda: capsys.readouterr().err.splitlines()


def test_where_there_is_no_terminal_lines_come_and_end(told):
    made = []
    for item in progress.watched("abc", "letters"):
        made.append(item)
        time.sleep(0.25)
    lines = told()
    assert made == list("abc") and lines[0] == "tessera: letters: 0 of 3, 0:00 so far"
    assert re.fullmatch(r"tessera: letters: [12] of 3, 0:00 so far, 0:00 left", lines[-1])
    time.sleep(0.3)
    assert told() == []


def test_what_is_done_before_the_first_line_says_nothing(told):
    assert list(progress.watched("abc", "letters")) == list("abc") and told() == []


def test_hidden_progress_says_nothing(told):
    with progress.progress(hidden=True) as bar:
        bar.add_task("runs", total=3)
        time.sleep(0.3)
    assert told() == []


def first_line(*words: str | Path) -> str:
    """The first line of a command's progress; the command is then ended."""
    with subprocess.Popen([sys.executable, "-m", "tessera", *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as command:
        said = command.stderr.readline()
        command.terminate()
    return said.rstrip()


def test_a_long_run_says_how_far_it_is_where_there_is_no_terminal(tmp_path):
    said = first_line("run", "bare", "--layer", "cmr", "--workload", "random-4k", "--replay", "closed:4", "--limit", "50M", "--out", tmp_path)
    assert re.fullmatch(r"tessera: [\d.]+ s simulated, [\d,]+ of 50,000,000 requests, [\d,]+ a second, \d+:\d\d left", said)


RAID = """
[array]
kind = "raid5"
[[drive]]
description = "demo"
layer = "cmr"
count = 3
[[drive]]
description = "demo"
layer = "cmr"
spare = true
[[failure]]
drive = 1
at = "1 s"
"""


def test_a_rebuild_that_nobody_waits_for_says_what_share_is_done(tmp_path):
    (tmp_path / "raid.toml").write_text(RAID)
    said = first_line("array", tmp_path / "raid.toml", "--workload", "random-4k", "--limit", "200", "--prefill", "100", "--out", tmp_path / "out")
    assert re.fullmatch(r"tessera: [\d.]+ s simulated, 200 requests served; a rebuild goes on: \d+ %(, \d+:\d\d left)?", said)


def test_caches_that_fill_say_what_share_is_done(tmp_path):
    said = first_line("run", "seagate-st8000as0002", "--layer", "media-cache", "--workload", "random-4k", "--limit", "50M", "--out", tmp_path)
    assert re.fullmatch(r"tessera: [\d.]+ s simulated, [\d,]+ requests, [\d,]+ a second, the caches fill: \d+ %(, \d+:\d\d left)?", said)


def test_a_refused_run_says_so_once_on_a_terminal(tmp_path):
    code = f"import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn({[sys.executable, '-m', 'tessera', 'run', 'bare', '--workload', 'nosuch', '--out', str(tmp_path)]!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout.count("tessera: ") == 1 and "nosuch" in done.stdout, done.stdout
