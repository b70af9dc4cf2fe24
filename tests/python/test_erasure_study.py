"""The study of erasure codes: its files are good, every run of its matrix is accepted, and its page names them all."""

import re
import subprocess

import pytest
from pages.erasure import CODES, COMMAND, FOLDER, LOADS, PAGE, drives, matrix
from simulate import SIMULATOR, simulate

from tessera import Run

ARRAYS = [FOLDER / f"{code}.toml" for code in CODES]
NOT_OF_A_PLAN = ("--workload", "--replay", "--limit", "--warmup", "--seed")


@pytest.mark.parametrize("file", ARRAYS, ids=lambda file: file.stem)
def test_an_array_of_the_study_is_good(file):
    checked = subprocess.run([SIMULATOR, "array", file, "--plan"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert " of 17 drives" in checked.stdout


def planned(words):
    """The same run without what asks for requests."""
    kept = list(map(str, words))
    for option in NOT_OF_A_PLAN:
        if option in kept:
            place = kept.index(option)
            del kept[place : place + 2]
    return (*kept, "--plan")


def test_every_run_of_the_matrix_is_accepted():
    plans = sorted({planned(words) for words in matrix().values()})
    assert len(plans) > 60
    for plan in plans:
        done = subprocess.run([SIMULATOR, "array", *plan], capture_output=True, text=True)
        assert done.returncode == 0, f"{plan}: {done.stderr}"


@pytest.mark.parametrize("name", ["updates 4-2 mu-rmw", "rows-64 12-4 tessera", "rows-1024 3-copies cmr", "half 4-2 cmr"])
def test_a_first_short_run_writes_what_the_tables_need(tmp_path, name):
    words = list(map(str, matrix()[name]))
    for option, few in (("--limit", 60), ("--warmup", 20)):
        words[words.index(option) + 1] = str(few)
    simulate("array", *words, "--out", tmp_path)
    run = Run(tmp_path)
    assert (run.metric("host.served"), run.metric("host.warmup")) == (40, 20)
    assert run.find("host.backlog.unstable") == 0


def test_rows_are_written_whole(tmp_path):
    """A workload of rows fits its code: otherwise parity would be read."""
    for code in (code for code in CODES if code != "3-copies"):
        for load in (load for load in LOADS if load.startswith("rows")):
            words = list(map(str, matrix()[f"{load} {code} cmr"]))
            words[words.index("--limit") + 1], words[words.index("--warmup") + 1] = "20", "0"
            simulate("array", *words, "--out", tmp_path)
            assert Run(tmp_path).metric("array.writes.whole_row") == 20, (code, load)


def test_the_page_names_each_file_and_has_each_table():
    text = PAGE.read_text()
    for file in sorted(FOLDER.glob("*.toml")):
        assert file.name in text or (file.stem.startswith("rows-") and "rows-" in text), file.name
    for part in ("best", *LOADS, "rebuild", "causes"):
        assert re.search(rf"<!-- {re.escape(f'{COMMAND}: {part}')}: begin -->\n\| ", text), part


def test_a_layer_takes_the_place_of_the_files():
    assert drives("fluid", spare=True).count("fluid") == 2
