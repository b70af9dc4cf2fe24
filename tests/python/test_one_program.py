"""One program: what the simulator can do is under `tessera`, with all its options, and what writes this project's pages is not."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tessera.cli import app
from tessera.engine.simulator import REPOSITORY, run_simulator

RUN = ("run", "bare", "--layer", "cmr", "--workload", "random-4k", "--limit")


def tessera(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "tessera", *words], capture_output=True, text=True, timeout=120, cwd=cwd)


def test_every_command_of_the_simulator_is_one_of_tessera():
    elsewhere = {"probe": ("trace", "probe")}
    for name in re.findall(r"^  ([a-z-]+) {2,}\S", run_simulator(["--help"]).partition("Subcommands:")[2], re.MULTILINE):
        shown = CliRunner().invoke(app, [*elsewhere.get(name, (name,)), "--help"])
        assert shown.exit_code == 0 and "tessera-sim" not in shown.stdout, name


def test_torture_is_the_simulators():
    done = tessera("torture", "torture", "--layer", "cmr", "--durability", "none", "--operations", "3", "--cuts", "3")
    assert done.returncode == 0 and re.search(r"cmr +none", done.stdout), done.stdout + done.stderr


def test_results_without_a_folder_go_to_the_next_free_one(tmp_path):
    for number, limit in ((1, "100"), (2, "0.1k")):
        done = tessera(*RUN, limit, cwd=tmp_path)
        assert done.returncode == 0 and f"out/run-{number}" in done.stdout, done.stderr
        assert (tmp_path / "out" / f"run-{number}" / "summary.json").exists()


def test_a_refused_run_leaves_no_folder(tmp_path):
    assert tessera(*RUN, "100", "--set", "nonsense=1", cwd=tmp_path).returncode == 2
    assert list((tmp_path / "out").iterdir()) == []


def test_results_of_an_array_go_to_the_next_free_folder_unless_nothing_is_run(tmp_path):
    (tmp_path / "row.toml").write_text('[array]\nkind = "jbod"\n[[drive]]\ndescription = "torture"\nlayer = "cmr"\ncount = 2\n')
    assert "jbod of 2 drives" in tessera("array", "row.toml", "--plan", cwd=tmp_path).stdout
    assert not (tmp_path / "out").exists()
    words = ("array", "row.toml", "--workload", "random-4k", "--limit", "50", "--prefill", "0")
    for number in (1, 2):
        done = tessera(*words, cwd=tmp_path)
        assert done.returncode == 0 and f"results: out/array-{number}" in done.stdout, done.stderr
        assert (tmp_path / "out" / f"array-{number}" / "drive-1" / "summary.json").exists()
    assert tessera(*words, "--set", "rebuild.nonsense=1", cwd=tmp_path).returncode == 2
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["array-1", "array-2"]


@pytest.mark.parametrize(
    "words",
    [("array", "nosuch.toml", "--workload", "random-4k"), ("serve", "common"), ("torture", "nosuch"), ("check", "nosuch"), ("list", "nosuch"), ("run", "nosuch", "--workload", "random-4k")],
)
def test_a_message_names_the_program_that_was_typed(words, tmp_path):
    done = tessera(*words, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith("tessera") and "tessera-sim" not in done.stderr, done.stderr


def test_a_comparison_says_why_a_layer_was_refused_without_the_name_of_the_program_that_it_started(tmp_path):
    words = ("bare", "--layers", "mu-rmw,cmr", "--workload", "random-4k", "--limit", "50", "--set", "nand.blocks=0", "--out", tmp_path / "out")
    done = tessera("compare", *map(str, words))
    refusal, good = json.loads((tmp_path / "out" / "compare.json").read_text())["layers"]["status"]
    assert good == "ok" and "flash" in refusal and not refusal.startswith("tessera"), refusal
    assert "tessera: " not in done.stdout, done.stdout


def test_pages_show_commands_of_this_program_alone():
    engine = re.compile(r"tessera-sim (?:run|compare|torture|array|serve|list|check|convert|explain|describe|probe)\b")
    pages = [REPOSITORY / "README.md", *(path for path in (REPOSITORY / "docs").rglob("*.md") if path.parent.name != "reference")]
    assert [f"{path.name}: {found[0]}" for path in pages for found in engine.finditer(path.read_text())] == []


@pytest.mark.parametrize("limit", ["0", "1.5", "-3", "many", "1T"])
def test_a_limit_that_is_none_is_refused_with_what_it_may_be(limit):
    done = CliRunner().invoke(app, [*RUN, limit])
    assert done.exit_code == 2 and "1e6" in done.stderr


def test_the_package_does_without_what_writes_the_pages():
    users = [file for file in (REPOSITORY / "analysis" / "tessera").rglob("*.py") if re.search(r"^\s*(from|import) pages\b", file.read_text(), re.MULTILINE)]
    assert users == []
