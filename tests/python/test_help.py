"""Help in two tiers: what most people need first, everything on request, one look for the options of both programs, and a shell that completes all."""

import os
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from tessera.cli import app
from tessera.commands.help import COMMANDS, EVERYDAY, FURTHER, SIMULATORS
from tessera.engine.simulation import OF_ONE_RUN
from tessera.engine.simulator import run_simulator

OPTION = re.compile(r"^  (--[a-z-]+)", re.MULTILINE)


def shown(command: str, word: str) -> str:
    result = CliRunner().invoke(app, [command, word], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_program_shows_every_command_once_those_of_the_first_day_first():
    text = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    named = re.findall(r"^  ([a-z][a-z-]*) ", text, re.MULTILINE)
    assert named == [name for names in COMMANDS.values() for name in names]
    assert sorted(named) == sorted(typer.main.get_command(app).commands) and max(map(len, text.splitlines())) <= 80
    bare = CliRunner().invoke(app, [], env={"COLUMNS": "80"})
    assert bare.exit_code == 2 and bare.stdout == text


@pytest.mark.parametrize("command", EVERYDAY)
def test_help_shows_what_most_people_need_by_need(command):
    text = shown(command, "--help")
    everyday = [name for names in EVERYDAY[command].values() for name in names]
    assert OPTION.findall(text) == [*everyday, "--help", "--help-all"] and len(everyday) <= 13
    assert [line[:-1] for line in re.findall(r"^[A-Z].*:$", text, re.MULTILINE)] == [*EVERYDAY[command], "Help", "Examples"]
    left = len(OPTION.findall(shown(command, "--help-all"))) - len(everyday) - 2
    assert f"show all options, {left} more" in text


@pytest.mark.parametrize("command", EVERYDAY)
def test_every_option_stands_once_in_the_whole_help(command):
    options = OPTION.findall(shown(command, "--help-all"))
    assert len(options) == len(set(options))


@pytest.mark.parametrize("command", SIMULATORS)
def test_the_whole_help_has_every_option_of_the_simulators(command):
    options = set(re.findall(r"^  (?:-h,)?(--[a-z-]+)", run_simulator([SIMULATORS[command], "--help"]), re.MULTILINE))
    assert len(options) > 25
    without = {"--layer", *OF_ONE_RUN} if command == "compare" else set()
    assert options - set(OPTION.findall(shown(command, "--help-all"))) == without


def test_every_heading_of_further_options_has_some_that_a_command_takes():
    taken = {name for command in EVERYDAY for name in OPTION.findall(shown(command, "--help-all"))}
    assert {name for names in FURTHER.values() for name in names} <= taken


@pytest.mark.parametrize("command", EVERYDAY)
def test_options_of_both_programs_look_alike(command):
    body = shown(command, "--help-all").partition("\nExamples:")[0]
    assert not re.search(r"[│╭]|<(str|path|int|bool)", body) and max(map(len, body.splitlines())) <= 80
    described = [line[28:] for line in body.splitlines() if line.startswith("  --") and len(line) > 28]
    assert described and not [text for text in described if re.match(r"[A-Z][a-z]+ ", text) or text.endswith(".")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [("tessera run demo --fol", "--fold --fold-at --fold-prefilled"), ("tessera array raid.toml --work", "--workload --workers"), ("tessera torture torture --camp", "--campaign"),
     ("tessera compare demo --vc", ""), ("tessera ask dram --help", "--help --help-all")],
)  # fmt: skip
def test_the_shell_completes_the_options_of_both_programs(line, expected):
    words = {"_TESSERA_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    code = "import sys; sys.argv[0] = 'tessera'; from tessera.cli import app; app(prog_name='tessera')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | words, timeout=60)
    assert sorted(done.stdout.split()) == sorted(expected.split()), done.stderr
