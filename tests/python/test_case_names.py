"""Names of Catch cases that CMake or Catch would mangle: brackets and semicolons join or split the entries of CMake's lists, a dash in front
makes an option of Catch's, and ctest then runs nothing under a name that matches no case."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
CASE = re.compile(r'(?:TEST_CASE|SCENARIO)\(\s*"((?:[^"\\]|\\.)*)"')


def test_no_case_is_lost_between_catch_and_ctest():
    names = [(file, name) for file in sorted(TESTS.rglob("*.cpp")) for name in CASE.findall(file.read_text())]
    assert len(names) > 0
    bad = [f"{file.relative_to(TESTS)}: {name}" for file, name in names if re.search(r"[\[\];]|^-", name)]
    assert bad == []
