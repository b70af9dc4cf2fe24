"""Every command and every piece of Python in these pages runs, in the order of the page."""

import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from images import build_layer
from samples import REPOSITORY
from simulate import SIMULATOR

PAGES = (
    "guide/ask", "guide/outputs", "guide/python", "guide/saved-states", "guide/sweeps", "guide/traces", "guide/waveforms",
    "tutorial/pareto-front", "arrays",
)  # fmt: skip
# The tutorial's trace, search and replicates are those of somebody who decides.
FEWER = {"range(60_000)": "range(6_000)", "trials = 16": "trials = 4", "--seeds 10": "--seeds 2"}
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fewer(text: str) -> str:
    for found, instead in FEWER.items():
        text = text.replace(found, instead)
    return text


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((REPOSITORY / "docs" / f"{page}.md").read_text())


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_runs(page, tmp_path):
    found = [(language, fewer(text)) for language, text in blocks(page)]
    assert found
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tessera").write_text(f'#!/bin/sh\nexec {sys.executable} -m tessera "$@"\n')
    (programs / "tessera").chmod(0o755)
    (programs / "tessera-sim").symlink_to(SIMULATOR)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "analysis"),
        "TESSERA_SIM": str(SIMULATOR),
    }
    for language, text in found:
        words = ["sh", "-e", "-c", text] if language == "sh" else [sys.executable, "-c", f"import tessera\n{text}"]
        result = subprocess.run(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert result.returncode == 0, f"{text}\n{result.stdout}\n{result.stderr}"


# Pages whose commands are the longer ones of a user at work: they run as they stand, but for fewer requests, seeds, cuts and layers.
LONG_PAGES = (
    "../README", "developers/calibration", "developers/torture", "guide/baselines", "guide/compare", "guide/drives", "guide/descriptions", "guide/plug-ins", "guide/policies", "guide/python-layers", "guide/power-cuts", "guide/reports",
    "guide/serve", "guide/shingled-in-raid", "guide/torture", "guide/zone-protocol", "layers/host-aware", "layers/zoned", "layers/zoned-dmz", "layers/zoned-log", "layers/zoned-lsm", "models/arms", "models/firmware",
    "studies/README", "studies/archive", "studies/erasure", "studies/host-or-drive", "studies/rebuild",
)  # fmt: skip
SHORTER = """#!{python}
import os, signal, subprocess, sys, time
words = sys.argv[1:]
most = {{"run": {{"--limit": 300}}, "compare": {{"--limit": 300, "--seeds": 2}}, "torture": {{"--operations": 5, "--cuts": 5}}, "calibrate": {{"--requests": 50}}}}
if "--campaign" in words:
    most["torture"] = {{"--runs": 22}}
if words[0] == "array":  # nothing fails, so that no rebuild is waited for
    words += ["--set", "failure=[]"]
    most["array"] = {{"--limit": 300}} if "--workload" in words else {{}}
for option, count in most.get(words[0], {{}}).items():
    if option in words:
        place = words.index(option) + 1
        words[place] = str(min(int(words[place]), count))
    elif option != "--seeds":
        words += [option, str(count)]
if "--budget" in words:
    words[words.index("--budget") + 1] = "1k"
    words += ["--limit", "100"]
elif "--live" in words:  # the run of the page has ended by now
    run = subprocess.Popen([*{command}, "run", "demo", "--workload", "random-4k", "--limit", "2000000000", "--requests", "--out", "live"], stdout=subprocess.PIPE)
    while not os.path.exists("live/requests.npy.partial"):
        time.sleep(0.1)
    server = subprocess.Popen([*{command}, "view", "live", *words[2:]], stdout=subprocess.PIPE)
    server.stdout.readline()
    server.send_signal(signal.SIGINT)
    run.terminate()
    run.wait()
    sys.exit(server.wait() != 130)
elif "--knobs" in words:
    server = subprocess.Popen([*{command}, *words], stdout=subprocess.PIPE)
    server.stdout.readline()
    server.send_signal(signal.SIGINT)
    sys.exit(server.wait() != 130)
few = {{"torture": "cmr", "compare": "cmr,imr-rmw"}}.get(words[0])
words = [few if few and word == "all" else word for word in words]
if words[0] in ("calibrate", "firmware"):  # one image is built for all pages
    words = [word for word in words if word != "tessera-imr"] + (["cmr", "--workloads", "web-server"] if words[0] == "calibrate" else [])
    words = ["cmr" if word == "mu-rmw" else word for word in words]
if words[0] == "explain":
    words[2] = str(min(int(words[2]), 50))
if words[0] == "serve" and "{keeps_serving}" == "no":
    drive = subprocess.Popen([*{command}, *words])
    time.sleep(2)
    drive.terminate()
    sys.exit(drive.wait())
os.execv({command}[0], [*{command}, *words])
"""
MSR = "".join(f"{128166372000000000 + 100000 * number},web,0,{'Read' if number % 3 else 'Write'},{40960 * number},4096,0\n" for number in range(60))
RESPONSES = "R Miss 100 8 14000.5 2000.0\nW Miss 50000 8 9000.0 3000.0\n"
PACKED = {"web_0.csv.xz": MSR, "my_trace.csv.xz": MSR, "week.csv.xz": MSR, "measured.trace.xz": RESPONSES}
FOLDERS = ("docs/studies", "examples", "platforms/plugin")
STUDY = {r"(limit = )\d+": r"\g<1>100", r"(seed = ).*": r"\g<1>[1]"}
TAKES = {"developers/calibration": "riscv64-unknown-elf-gcc", "guide/baselines": "cc", "guide/plug-ins": "cc", "guide/policies": "cc", "guide/python-layers": "cc", "guide/serve": "fio", "studies/README": "riscv64-unknown-elf-gcc"}


@pytest.mark.parametrize("page", LONG_PAGES)
def test_what_a_page_shows_runs_though_shorter(page, tmp_path):
    if page in TAKES and shutil.which(TAKES[page]) is None:
        pytest.skip(f"needs {TAKES[page]}: ./dev test installs it")
    found = [(language, text) for language, text in blocks(page) if "$TRACES" not in text]  # recorded traces are not part of the project
    assert found
    _lay_out(page, tmp_path)
    environment = {
        **os.environ, "PATH": f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR),
    }  # fmt: skip
    for language, text in found:
        here = text.replace("/tmp/", f"{tmp_path}/").replace("--size=64m", "--size=1m") + ("wait\n" if "&\n" in text else "")
        words = ["timeout", "600", *(["sh", "-e", "-c", here] if language == "sh" else [sys.executable, "-c", f"import tessera\n{text}"])]
        result = subprocess.run(words, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert result.returncode == 0, f"{text}\n{result.stdout}\n{result.stderr}"


def _lay_out(page, folder):
    """What the commands of a page find: programs that do less, traces, a drive, files of the tree, an image."""
    for name, text in PACKED.items():
        (folder / name).write_bytes(lzma.compress(text.encode()))
    (folder / "my_drive.toml").write_text('extends = "common"\n')
    keeps_serving = "yes" if page in ("guide/serve", "guide/zone-protocol") else "no"
    programs = {
        "tessera-sim": SHORTER.format(python=sys.executable, command=[str(SIMULATOR)], keeps_serving=keeps_serving),
        "tessera": SHORTER.format(python=sys.executable, command=[sys.executable, "-m", "tessera"], keeps_serving=keeps_serving),
        "dev": "#!/bin/sh\n",  # what it would build is there
    }
    for place in ("bin", "build/release", ".venv/bin", "."):
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name, text in programs.items():
            (folder / place / name).write_text(text)
            (folder / place / name).chmod(0o755)
    for place in FOLDERS:
        shutil.copytree(REPOSITORY / place, folder / place)
    for study in (folder / "docs" / "studies").glob("*.toml"):
        text = study.read_text()
        for pattern, shorter in STUDY.items():
            text = re.sub(pattern, shorter, text)
        study.write_text(text)
    if TAKES.get(page, "").startswith("riscv"):
        (folder / "build" / "firmware").symlink_to(build_layer("cmr").parent)


# Pages with commands of which other files of tests take care.
ELSEWHERE = {
    "guide/firmware": "test_firmware_guide.py",
    "guide/score": "test_score.py",  # minutes for each layer
    "developers/speed": "test_bench.py",  # ./dev bench in all its forms takes half an hour
    "reference/python": "test_doctests.py",
    "reference/python-layers": "test_python_layers.py",
    "reference/tessera": "test_reference.py",
}


def test_no_page_with_commands_is_left_out():
    pages = {path.relative_to(REPOSITORY / "docs").with_suffix("").as_posix() for path in (REPOSITORY / "docs").rglob("*.md")} | {"../README"}
    assert {page for page in pages if blocks(page)} == {*PAGES, *LONG_PAGES, *ELSEWHERE}
    assert all((REPOSITORY / "tests" / "python" / name).exists() for name in ELSEWHERE.values())


def test_every_word_behind_dev_is_a_command_of_it():
    commands = set(re.findall(r"^cmd_(\w+)\(\)", (REPOSITORY / "dev").read_text(), re.MULTILINE))
    pages = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")]
    named = {(path.name, word) for path in pages for word in re.findall(r"\./dev ([a-z][a-z0-9-]*)", path.read_text())}
    assert len(named) > 20
    assert {(page, word) for page, word in named if word.replace("-", "_") not in commands} <= {("README.md", "help")}
