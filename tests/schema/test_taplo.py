"""Taplo, as editors have it, takes of drive descriptions what the program takes, and finds what it refuses. `./dev schema` installs it and
runs these."""

import shutil
import subprocess

import pytest
from samples import REPOSITORY
from simulate import run, simulate

INSTALLED = REPOSITORY / "build" / "taplo" / "node_modules" / ".bin" / "taplo"
TAPLO = shutil.which("taplo") or INSTALLED


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    file = tmp_path_factory.mktemp("schema") / "drive.schema.json"
    file.write_text(simulate("list", "parameters", "--schema").stdout)
    return file


def taplo(schema, *files):
    return subprocess.run([TAPLO, "check", "--schema", schema.as_uri(), *files], cwd=schema.parent, capture_output=True, text=True, timeout=60)


def test_every_drive_and_what_a_run_keeps_of_one_is_valid(schema, tmp_path):
    effective = run(tmp_path, "common", "--layer", "mu-rmw", "--workload", "random-4k", "--limit", "10").folder / "drive.toml"
    checked = taplo(schema, effective, *sorted((REPOSITORY / "platforms" / "drives").glob("*.toml")))
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[media]\nrpm = "5400"\n', "5400"),  # the unit is missing
        ("[nand]\ndyes = 4\n", "dyes"),
        ('[media]\ntiming = "rotationl"\n', "rotationl"),
        ("[media]\nsurfaces = 0\n", "minimum of 1"),
        ("[media]\nsurfaces = 65\n", "maximum of 64"),
        ('[media]\nsurfaces = "two"\n', "integer"),
    ],
)
def test_what_the_program_refuses_is_underlined(schema, tmp_path, text, complaint):
    drive = tmp_path / "mine.toml"
    drive.write_text('extends = "common"\n' + text)
    simulate("check", drive, status=2)
    checked = taplo(schema, drive)
    assert checked.returncode != 0
    assert complaint in checked.stdout + checked.stderr


def test_the_first_line_of_a_file_names_its_schema(schema):
    for value, status in (('"5400 rpm"', 0), ('"fast"', 1)):
        drive = schema.parent / "mine.toml"
        drive.write_text(f"#:schema ./{schema.name}\n[media]\nrpm = {value}\n")
        checked = subprocess.run([TAPLO, "check", drive], cwd=schema.parent, capture_output=True, text=True, timeout=60)
        assert checked.returncode == status, checked.stderr
