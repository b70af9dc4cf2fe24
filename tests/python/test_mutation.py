"""The mutation tool on a file of its own: which mutants it finds, and that a source with all of them compiles and switches."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("mutation", "planted")]

from equivalents import ENTRIES, StaleEntry, equivalents  # noqa: E402
from mutants import Finder  # noqa: E402
from sample import compiler_arguments  # noqa: E402
from schemata import mutated, switch  # noqa: E402

SOURCE = """#include <cstdio>
constexpr int least(int a, int b) { return a < b ? a : b; }
static int steps = 0;
void step() { ++steps; }
int share(int whole, int part) {
  if (part == 0) return 0;
  step();
  return whole / part;
}
int main() {
  const int shared = share(least(9, 12), 3);
  std::printf("%d", 10 * shared + steps);
}
"""


@pytest.fixture
def mutants(tmp_path):
    (tmp_path / "sample.cpp").write_text(SOURCE)
    return {number: m for number, m in enumerate(Finder(tmp_path, compiler_arguments()).mutants("sample.cpp"), 1)}


def test_what_can_go_wrong_in_a_function_is_found_and_nothing_else(mutants):
    assert [(m.line, m.what.split(" in `")[0]) for m in mutants.values()] == [
        (4, "`++steps` is removed"),
        (6, "`==` becomes `!=`"),
        (6, "`0` becomes `1`"),
        (6, "`0` becomes `1`"),
        (7, "`step()` is removed"),
        (8, "`/` becomes `*`"),
        (11, "arguments `least(9, 12)` and `3` are swapped"),
        (11, "arguments `9` and `12` are swapped"),
        (11, "`9` becomes `10`"),
        (11, "`9` becomes `8`"),
        (11, "`12` becomes `11`"),
        (11, "`12` becomes `13`"),
        (11, "`3` becomes `2`"),
        (11, "`3` becomes `4`"),
        (12, "`+` becomes `-`"),
        (12, "`*` becomes `+`"),
        (12, "`10` becomes `11`"),
        (12, "`10` becomes `9`"),
    ]


def test_one_program_holds_all_mutants_and_tells_which_it_passed(mutants, tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("no compiler")
    (tmp_path / "switch.hpp").write_text(switch(max(mutants)))
    (tmp_path / "all.cpp").write_bytes(b'#include "switch.hpp"\n#line 1\n' + mutated(SOURCE.encode(), mutants))
    subprocess.run(["c++", "-std=c++20", "-o", tmp_path / "all", tmp_path / "all.cpp"], check=True)

    def out(number: int) -> str:
        environment = {"TESSERA_MUTANT": str(number), "TESSERA_REACHED": str(tmp_path / "reached")}
        return subprocess.run([tmp_path / "all"], env=environment, capture_output=True, text=True, check=True).stdout

    assert out(0) == "31"
    reached = {int(line) for line in (tmp_path / "reached").read_text().split()}
    by_name = {m.what.split(" in `")[0]: number for number, m in mutants.items()}
    assert by_name["`/` becomes `*`"] in reached
    assert out(by_name["`/` becomes `*`"]) == "271"
    assert out(by_name["`++steps` is removed"]) == "30"
    assert out(by_name["`step()` is removed"]) == "30"
    assert out(by_name["`==` becomes `!=`"]) == "0"


def test_mutants_of_which_the_same_is_said_are_told_apart(mutants):
    assert [m.told() for m in mutants.values() if m.line == 6][1:] == [
        "`0` becomes `1` in `if (part == 0) return 0;`",
        "`0` becomes `1` in `if (part == 0) return 0;` (number 2)",
    ]


def entry(mutant: str) -> str:
    return f"[['sample.cpp']]\nmutant = '{mutant}'\nreason = 'whatever'\n"


def test_of_the_equivalents_each_must_be_a_mutant_that_there_is(mutants, tmp_path):
    everything = {"sample.cpp": list(mutants.values())}
    second = mutants[4].told()
    assert equivalents(entry(second), everything, tmp_path) == {mutants[4].name()}
    with pytest.raises(StaleEntry, match="no such mutant"):
        equivalents(entry(second.replace("part", "rest")), everything, tmp_path)
    with pytest.raises(StaleEntry, match="no such mutant"):
        equivalents(entry(second).replace("sample", "gone"), everything, tmp_path)
    with pytest.raises(StaleEntry, match="twice"):
        equivalents(entry(second) * 2, everything, tmp_path)


def test_an_equivalent_of_a_file_that_is_not_looked_at_is_left_alone(mutants, tmp_path):
    assert equivalents(entry("any"), {}, tmp_path) == {"sample.cpp: any"}


def test_every_equivalent_has_a_reason():
    entries = tomllib.loads(ENTRIES.read_text())
    assert all(entry["reason"].strip() for listed in entries.values() for entry in listed)
