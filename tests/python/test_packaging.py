"""One version in every file that names it, and an installation of the program alone."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from samples import BUILD, REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]


def test_every_file_names_the_same_version():
    version = PROJECT["version"]
    assert f"project(tessera VERSION {version} " in (REPOSITORY / "CMakeLists.txt").read_text()
    assert f"\nversion: {version}\n" in (REPOSITORY / "CITATION.cff").read_text()
    assert f"\n## {version}" in (REPOSITORY / "CHANGELOG.md").read_text()
    assert version in subprocess.run([BUILD / "tessera-sim", "--version"], capture_output=True, text=True, check=True).stdout


def test_the_command_names_its_version_and_the_simulator_s():
    command = [sys.executable, "-m", "tessera", "--version"]
    shown = subprocess.run(command, env={**os.environ, "TESSERA_SIM": str(BUILD / "tessera-sim")}, capture_output=True, text=True, check=True).stdout
    assert shown.startswith(f"tessera {PROJECT['version']}\ntessera-sim {PROJECT['version']}, SHA-256 ")
    without = subprocess.run(command, env={**os.environ, "TESSERA_SIM": "/nowhere"}, capture_output=True, text=True)
    assert without.returncode == 2 and "there is no simulator at /nowhere" in without.stderr


def test_every_list_of_what_a_build_needs_is_the_same():
    """Who installs by the tutorial or by the container has every library that the build asks for."""
    dev = (REPOSITORY / "dev").read_text()
    (boost,) = re.findall(r'BOOST_PACKAGES="(.*1\.81.*)"', dev)
    (build,) = re.findall(r'^BUILD_PACKAGES="([^"]*)"', dev, re.MULTILINE)
    tests_alone = {"catch2", "librapidcheck-dev", "libbenchmark-dev", "libunicorn-dev"}
    wanted = {word for word in f"{build} {boost}".split() if word not in tests_alone | {"$BOOST_PACKAGES", "ccache", "git"}}
    assert len(wanted) > 10
    for page in ("docs/guide/install.md", "Containerfile"):
        words = set((REPOSITORY / page).read_text().split())
        assert not wanted - words, page


def test_users_get_lower_bounds_and_the_tests_get_pins():
    """The package shares an environment with others; what ./dev installs is the same everywhere."""
    options = PROJECT["optional-dependencies"]
    users = [word for group in (PROJECT["dependencies"], options["sweep"], options["search"]) for word in group]
    assert all(re.fullmatch(r"[a-z0-9-]+>=[0-9.]+", word) for word in users)
    pinned = re.compile(r"[a-z0-9-]+==[0-9.]+$")
    tools = {word for name in ("docs", "wheel", "test") for word in options[name] if not word.startswith("tessera[")}
    assert all(pinned.match(word) for word in tools)
    constraints = [line for line in (REPOSITORY / "analysis" / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    assert all(pinned.match(line) for line in constraints)
    names = [line.split("==")[0] for line in constraints]
    assert len(set(names)) == len(names)
    assert {word.split(">=")[0] for word in users} <= set(names)


def test_the_program_is_installed_alone_with_its_descriptions_and_papers(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--component", "program", "--prefix", tmp_path], check=True, capture_output=True)
    in_python = bool(list(BUILD.glob("tessera_python-*.so")))  # sanitized builds have no layers in Python
    assert {path.name for path in tmp_path.iterdir()} == {"bin", "share"} | ({"lib"} if in_python else set())
    drives = subprocess.run([tmp_path / "bin" / "tessera-sim", "list", "drives"], capture_output=True, text=True, check=True).stdout
    assert "bare" in drives
    assert (tmp_path / "share" / "tessera" / "workloads" / "web-server.toml").exists()
    assert (tmp_path / "share" / "doc" / "tessera" / "LICENSE").exists()
    if in_python:
        example = tmp_path / "share" / "tessera" / "firmware" / "examples" / "careless.py"
        listed = subprocess.run([tmp_path / "bin" / "tessera-sim", "list", "layers", "--firmware", example], capture_output=True, text=True, check=True).stdout
        assert "careless-py" in listed


def test_the_container_installs_what_the_program_is_linked_with():
    text = (REPOSITORY / "Containerfile").read_text().split("FROM")[2]
    linked = subprocess.run(["ldd", BUILD / "tessera-sim"], capture_output=True, text=True, check=True).stdout
    for library, package in (("libsystemc", "libsystemc"), ("libboost_iostreams", "libboost-iostreams1.81.0"), ("libboost_json", "libboost-json1.81.0"),
                             ("libtomlplusplus", "libtomlplusplus3"), ("libzstd", "libzstd1"), ("liblzma", "liblzma5"), ("libbz2", "libbz2-1.0"),
                             ("liblz4", "liblz4-1"), ("libz.so", "zlib1g")):  # fmt: skip
        assert library not in linked or package in text, package
    for runs in BUILD.glob("tessera_python-*.so"):
        assert f"libpython{runs.stem.split('-')[1]}" in text


def test_the_container_is_built_as_its_linter_wants():
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("needs hadolint: ./dev test sets up .venv with it")
    linted = subprocess.run([hadolint, "--no-color", REPOSITORY / "Containerfile"], capture_output=True, text=True, timeout=60)
    assert linted.returncode == 0, linted.stdout


def test_an_installed_package_runs_the_program_that_lies_in_it(tmp_path):
    shutil.copytree(REPOSITORY / "analysis" / "tessera", tmp_path / "tessera")
    (tmp_path / "tessera" / "bin").mkdir()
    (tmp_path / "tessera" / "bin" / "tessera-sim").symlink_to(BUILD / "tessera-sim")
    environment = {name: value for name, value in os.environ.items() if name != "TESSERA_SIM"} | {"PYTHONPATH": str(tmp_path)}
    become = [sys.executable, "-c", "from tessera.engine.simulator import become; become()", "list", "layers"]
    said = subprocess.run(become, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert said.returncode == 0, said.stderr
    assert "imr-rmw" in said.stdout
    assert subprocess.run([*become, "--no-such"], cwd=tmp_path, env=environment, capture_output=True, timeout=60).returncode == 2
    assert PROJECT["scripts"]["tessera-sim"] == "tessera.engine.simulator:become"


@pytest.mark.parametrize("words", ["papers list", "papers run all", "papers renew hwsr", "papers verdicts", "validate drives", "validate mechanics", "validate dd bare", "validate identify"])
def test_an_installed_package_says_where_papers_and_measured_drives_are(tmp_path, words):
    shutil.copytree(REPOSITORY / "analysis" / "tessera", tmp_path / "tessera")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{sysconfig.get_path('purelib')}"}
    command = [sys.executable, "-S", "-m", "tessera", *words.split()]  # without site the folders next to the package are not found
    said = subprocess.run(command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert said.returncode == 2, said.stderr
    assert said.stderr.count("\n") == 1 and "are in analysis/validation of the project's sources" in said.stderr
