"""The planted bugs: each can be planted, and names tests that there are. That the tests catch them, ./dev planted finds out."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "planted"))

from bugs import BadBug, Bug, Catcher, all_bugs, share_of  # noqa: E402
from page import page, row, rows_of  # noqa: E402
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


def test_a_share_is_drawn_by_its_seed_in_the_bugs_order():
    names = [f"bug {number:02}" for number in range(50)]
    share = share_of(names, 10, 3)
    assert len(set(share)) == 10 and share == sorted(share)
    assert share == share_of(names, 10, 3) != share_of(names, 10, 4)
    assert share_of(names, 99, 1) == names


def bug(name, what):
    return Bug(name, what, "models/a.cpp", "x", "y", (Catcher("unit_a", "a case"),))


def test_the_page_has_the_rows_of_this_run_in_place_of_older_ones():
    bugs = {name: bug(name, f"{name} is wrong") for name in ("a", "b", "c")}
    first = page("", {name: row(bugs[name], bugs[name].caught_by[0]) for name in ("b", "a")}, bugs)
    assert "2 of 3 bugs have a row, 2 of them from the last run. Without one: `c`.\n" in first
    second = page(first, {"b": row(bugs["b"], None), "c": row(bugs["c"], Catcher("pytest", "test_a.py::test_b"))}, bugs)
    assert second.splitlines()[-4:] == [
        "|---|---|---|",
        "| a is wrong | `models/a.cpp` | `unit_a: a case` |",
        "| b is wrong | `models/a.cpp` | **nothing** |",
        "| c is wrong | `models/a.cpp` | `pytest: test_a.py::test_b` |",
    ]
    assert "3 of 3 bugs have a row, 2 of them from the last run.\n" in second


def test_the_page_drops_bugs_that_are_gone_and_those_that_are_others_now():
    bugs = {name: bug(name, f"{name} is wrong") for name in ("a", "b")}
    old = page("", {name: row(bugs[name], None) for name in bugs}, bugs)
    new = page(old, {}, {"a": bugs["a"], "b": bug("b", "b is wrong in another way")})
    assert len(rows_of(new)) == 1
    assert "1 of 2 bugs have a row, 0 of them from the last run. Without one: `b`.\n" in new


def test_a_page_that_somebody_else_wrote_is_not_lost():
    text = page("", {}, {}) + "a remark\n"
    with pytest.raises(BadBug, match="no row: a remark"):
        page(text, {}, {})


def test_the_page_in_the_guide_is_one_of_runs():
    assert rows_of((ROOT / "tests" / "planted" / "caught.md").read_text())


def test_a_tree_is_written_only_where_it_differs(tmp_path):
    mirror({"models/a.cpp": b"1", "models/b.cpp": b"2"}, tmp_path)
    before = (tmp_path / "models/a.cpp").stat().st_mtime_ns
    mirror({"models/a.cpp": b"1", "tests/c.cpp": b"3"}, tmp_path)
    assert (tmp_path / "models/a.cpp").stat().st_mtime_ns == before
    assert not (tmp_path / "models/b.cpp").exists()
    assert (tmp_path / "tests/c.cpp").read_bytes() == b"3"
