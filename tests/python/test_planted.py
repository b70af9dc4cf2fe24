"""The planted bugs: each can be planted, and names tests that there are. That the tests catch them, ./dev planted finds out."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "planted"))

from bugs import BadBug, Bug, Catcher, all_bugs, share_of  # noqa: E402
from tree import mirror  # noqa: E402

BUGS = all_bugs()


def test_there_are_forty_bugs_at_least():
    assert len(BUGS) >= 40


@pytest.mark.parametrize("name", BUGS)
def test_a_bug_can_be_planted_and_changes_its_file(name):
    text = (ROOT / BUGS[name].file).read_text()
    assert BUGS[name].planted(text) != text


@pytest.mark.parametrize("name", BUGS)
def test_the_tests_that_must_catch_a_bug_exist(name):
    cases = "\n".join(file.read_text() for folder in ("unit", "module") for file in (ROOT / "tests" / folder).rglob("*.cpp"))
    cases = cases.replace('"\n          "', "")
    for catcher in BUGS[name].caught_by:
        if catcher.program == "pytest":
            file, _, test = catcher.cases.partition("::")
            assert f"def {test}(" in (ROOT / "tests" / "python" / file).read_text(), str(catcher)
        elif catcher.program == "torture":
            assert catcher.cases.startswith("--layer "), str(catcher)
        else:
            assert f'TEST_CASE("{catcher.cases.rstrip("*")}' in cases.replace("\\", ""), str(catcher)


def test_a_text_that_is_not_there_once_stops_the_build():
    bug = Bug("a-bug", "", "file.cpp", "x", "y", (Catcher("unit", "case"),))
    assert bug.planted("a x b") == "a y b"
    for text in ("a b", "x x"):
        with pytest.raises(BadBug, match="a-bug"):
            bug.planted(text)


def test_shares_take_turns_until_all_had_theirs():
    names = ["a", "b", "c", "d", "e"]
    assert share_of(names, 2, 0) == ["a", "b"]
    assert share_of(names, 2, 2) == ["e", "a"]
    assert {name for turn in range(5) for name in share_of(names, 2, turn)} == set(names)
    assert share_of(names, 9, 1) == ["e", "a", "b", "c", "d"]


def test_a_tree_is_written_only_where_it_differs(tmp_path):
    mirror({"models/a.cpp": b"1", "models/b.cpp": b"2"}, tmp_path)
    before = (tmp_path / "models/a.cpp").stat().st_mtime_ns
    mirror({"models/a.cpp": b"1", "tests/c.cpp": b"3"}, tmp_path)
    assert (tmp_path / "models/a.cpp").stat().st_mtime_ns == before
    assert not (tmp_path / "models/b.cpp").exists()
    assert (tmp_path / "tests/c.cpp").read_bytes() == b"3"
