"""`tessera new-layer`: what it makes compiles, runs and keeps what it promises; what it cannot make it says in a sentence."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from samples import BUILD, REPOSITORY
from simulate import SIMULATOR, simulate
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.new_layer import places
from tessera.new_layer.answers import QUESTIONS, Answers, collect

pytestmark = pytest.mark.usefixtures("the_built_simulator")
HEADER = REPOSITORY / "platforms" / "plugin"
KINDS = ({}, {"tracks": "interlaced", "durability": "plp", "unit": "3", "buffer": "16 KiB"}, {"durability": "volatile", "unit": "2"})


def rustc_version() -> tuple[int, ...]:
    """(0, 0) where there is none."""
    shown = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout if shutil.which("rustc") else ""
    found = re.match(r"rustc (\d+)\.(\d+)", shown)
    return tuple(map(int, found.groups())) if found else (0, 0)


def new_layer(*words: str | Path):
    return CliRunner().invoke(app, ["new-layer", *map(str, words)])


def made(folder: Path, language: str, options: dict[str, str]) -> Path:
    """The compiled library of a new layer."""
    words = [word for name, text in options.items() for word in (f"--{name}", text)]
    done = new_layer("mine", "--plug-in", language, "--out", folder, *words)
    assert done.exit_code == 0, done.output
    flags = {"c": "CFLAGS=-std=c11 -Wall -Wextra -Werror -O0", "rust": "RUSTFLAGS=--edition 2021 -D warnings -C opt-level=0"}[language]
    return compiled(folder, flags)


def compiled(folder: Path, *words: str) -> Path:
    built = subprocess.run(["make", "-B", "-C", folder, f"INCLUDE={HEADER}", *words], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "mine.so"


def tortured(library: Path, *words: str | int, status: int = 0) -> dict:
    shown = simulate("torture", "torture", "--firmware", library, "--durability", "none", "--operations", 8, "--cuts", 4, *words, "--json", status=status)
    return json.loads(shown.stdout)[0]


@pytest.fixture(scope="module", params=range(len(KINDS)))
def in_c(request, tmp_path_factory):
    return made(tmp_path_factory.mktemp("c") / "mine", "c", KINDS[request.param])


def test_a_new_layer_serves_every_request_and_returns_what_was_written(in_c, tmp_path):
    simulate("check", "demo", "--firmware", in_c)
    simulate("run", "torture", "--firmware", in_c, "--workload", "random-4k", "--fold", "--limit", 300, "--check", "--cut-at", "100ms", "--out", tmp_path)
    metrics = json.loads((tmp_path / "summary.json").read_text())["metrics"]
    assert metrics["host.served"]["value"] == 300
    assert metrics["scoreboard.errors"]["value"] == 0
    assert metrics["rmw.count"]["value"] > 100


def test_a_new_layer_loses_nothing_under_torture(in_c):
    row = tortured(in_c, "--faults", "torn")
    assert row["failures"] == 0
    assert row["cuts"]["replay"] > 10 and row["cuts"]["recovery"] > 0


# A careless change, of a layer made with these options.
BUGS = {
    "a unit updated in place": ({"unit": "2"}, "spare = (uint32_t)l->unit[band->last].band", "spare = old"),
    "a copy without its record": ({"unit": "2"}, "(struct record){RECORD, w->unit", "(struct record){0, w->unit"),
    "a FLUSH that keeps the buffer": ({"unit": "2", "durability": "volatile", "buffer": "1 MiB"}, "c->kind == TESSERA_FLUSH && ", "0 && "),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_torture_shows_what_a_careless_change_loses(tmp_path, bug):
    options, good, bad = BUGS[bug]
    library = made(tmp_path / "mine", "c", options)
    text = (tmp_path / "mine" / "layer.c").read_text()
    assert text.count(good) == 1
    (tmp_path / "mine" / "layer.c").write_text(text.replace(good, bad))
    compiled(tmp_path / "mine", "CFLAGS=-O0")
    assert tortured(library, "--seed", 5, status=1)["failures"] > 0


@pytest.mark.skipif(rustc_version() < (1, 77), reason="no rustc 1.77 on this machine")
def test_the_layer_in_rust_does_what_the_one_in_c_does(tmp_path):
    libraries = {language: made(tmp_path / language / "mine", language, KINDS[1]) for language in ("c", "rust")}
    figures = {}
    for language, library in libraries.items():
        simulate("run", "torture", "--firmware", library, "--workload", "random-4k", "--fold", "--limit", 300, "--check", "--cut-at", "100ms",
                 "--out", tmp_path / "out" / language)  # fmt: skip
        metrics = json.loads((tmp_path / "out" / language / "summary.json").read_text())["metrics"]
        figures[language] = {name: metrics[name]["value"] for name in ("rmw.count", "buffer.hits", "media.sectors_written.total", "scoreboard.errors")}
    assert figures["c"] == figures["rust"]
    assert tortured(libraries["rust"])["failures"] == 0


def test_make_finds_the_header_and_the_test_script_ends_well(tmp_path):
    assert new_layer("mine", "--plug-in", "c", "--out", tmp_path / "mine", "--unit", "2").exit_code == 0
    program = tmp_path / "tessera"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tessera "$@"\n')
    program.chmod(0o755)
    surroundings = {"PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR), "TESSERA": str(program), "OPERATIONS": "1"}
    done = subprocess.run([tmp_path / "mine" / "test.sh"], capture_output=True, text=True, env={**os.environ, **surroundings})
    assert done.returncode == 0 and done.stdout.endswith("mine lost nothing\n"), done.stdout + done.stderr


def test_the_template_in_c_is_short(tmp_path):
    assert new_layer("mine", "--plug-in", "c", "--out", tmp_path / "mine").exit_code == 0
    assert (tmp_path / "mine" / "layer.c").read_text().count("\n") < 150


BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_of_a_new_layer_is_followed_word_by_word(tmp_path):
    assert new_layer("mine", "--plug-in", "c", "--durability", "plp", "--out", tmp_path / "mine").exit_code == 0
    program = tmp_path / "bin" / "tessera"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tessera "$@"\n')
    program.chmod(0o755)
    surroundings = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR), "OPERATIONS": "2"}
    shown = ""
    for text in BLOCK.findall((tmp_path / "mine" / "README.md").read_text()):
        done = subprocess.run(["sh", "-e", "-c", text], cwd=tmp_path / "mine", capture_output=True, text=True, env=surroundings)
        assert done.returncode == 0, text + done.stdout + done.stderr
        shown += done.stdout
    tested = shown[: shown.index("mine lost nothing")].split("torture, layer mine")[-1]
    assert "!" not in tested and "cleaning" in tested  # its own test carries no mark
    assert "10 runs: 0 were there, 10 made now" in shown
    assert "layers.mine.unit_tracks = 3" in shown


def test_the_answers_are_where_a_sweep_finds_them(in_c):
    simulate("check", "torture", "--firmware", in_c, "--set", "layers.mine.unit_tracks=5")
    even = simulate("check", "torture", "--firmware", in_c, "--set", "layers.mine.unit_tracks=4", "--set", "layers.mine.tracks=interlaced", status=2).stderr
    assert "unit_tracks is even" in even


def test_the_page_of_a_layer_names_its_promise_and_leaves_no_blank(tmp_path):
    assert new_layer("mine", "--plug-in", "c", "--out", tmp_path / "mine", "--durability", "volatile").exit_code == 0
    for file in ("README.md", "layer.c", "Makefile", "test.sh", "sweep.toml"):
        assert not {"@NAME@", "@ID@", "@SUMMARY@", "@PROMISE@", "@UNIT@"} & set((tmp_path / "mine" / file).read_text().split())
    assert "What FLUSH or FUA acknowledged is on the platters." in (tmp_path / "mine" / "README.md").read_text()


def test_what_no_option_answers_is_taken_by_default_and_named(tmp_path):
    done = new_layer("mine", "--plug-in", "c", "--out", tmp_path / "mine", "--durability", "plp")
    assert "by default: --tracks shingled, --unit 7, --buffer '256 KiB'" in done.output


def test_on_a_terminal_each_question_is_asked_once_and_five_at_most():
    asked = []

    def ask(question: str, default: str) -> str:
        asked.append(question)
        return {"When": "plp", "How large": "1 MiB"}.get(next((word for word in ("When", "How large") if question.startswith(word)), ""), default)

    answers, defaults = collect({}, ask)
    assert len(asked) == len(QUESTIONS) == 5 and defaults == []
    assert answers == Answers(durability="plp", buffer=1 << 20)


def test_an_answer_that_is_none_is_asked_again():
    replies = iter(("interlaced", "volatile", "six", "6", "5", "64 KiB", "mine"))
    asked = []
    answers, _ = collect({}, lambda question, _: asked.append(question) or next(replies))
    assert answers == Answers("interlaced", "volatile", 5, 64 << 10, "mine")
    assert asked[3].startswith("--unit: expected 1 to 13 tracks, found 'six'\n") and "7 would do" in asked[4]


WRONG = {
    ("../My_Log", "--plug-in", "c"): "found '../My_Log'; 'my-log' would do",
    ("a" * 65, "--plug-in", "c"): f"'{'a' * 64}' would do",
    ("best", "--plug-in", "c"): "'best' has a meaning where layers are named",
    ("cmr", "--plug-in", "c"): "there is a layer 'cmr' already; 'cmr-2' is free",
    ("mine", "--plug-in", "rsut"): "--plug-in: expected c, rust or python, found 'rsut'; did you mean 'rust'?",
    ("mine", "--plug-in", "c", "--durability", "vollatile"): "--durability: expected none, volatile or plp, found 'vollatile'; did you mean 'volatile'?",
    ("mine", "--plug-in", "c", "--unit", "14"): "--unit: expected 1 to 13 tracks, found '14'",
    ("mine", "--plug-in", "c", "--unit", "4", "--tracks", "interlaced"): "found 4, 5 would do",
    ("mine", "--plug-in", "c", "--buffer", "1 MiB"): "--buffer is of use with --durability volatile or plp",
    ("mine", "--plug-in", "c", "--durability", "plp", "--buffer", "1 KiB"): "--buffer: expected a size from 4 KiB to 1 GiB",
    ("mine", "--plug-in", "c", "--summary", 'a "quoted" word'): "--summary: expected no quotation mark",
    ("mine",): "is in no checkout of Tessera, where a layer in C++ belongs; --python, --plug-in c or --plug-in rust",
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_made_is_said_and_nothing_is_written(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = new_layer(*words)
    assert done.exit_code == 2 and WRONG[words] in done.stderr and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_as_it_is(tmp_path):
    (tmp_path / "mine").mkdir()
    done = new_layer("mine", "--plug-in", "c", "--out", tmp_path / "mine")
    assert done.exit_code == 2 and "exists already, and is left as it is" in done.stderr
    assert list((tmp_path / "mine").iterdir()) == []


# ---- in the tree ----

CHANGED = ("models/firmware/layers/layer_factories.hpp", "models/firmware/layer_list.cpp", "docs/layers/README.md", "analysis/tessera/results/families.py",
           "platforms/drives/torture.toml")  # fmt: skip


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """The files of a checkout that a new layer changes."""
    for file in CHANGED:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / file, tmp_path / file)
    (tmp_path / "docs" / "guide").mkdir()
    monkeypatch.chdir(tmp_path / "docs" / "guide")
    return tmp_path


def compiles(file: Path, tree: Path) -> None:
    include = [word for folder in (tree / "models", REPOSITORY / "models", REPOSITORY / "tests", REPOSITORY / "stimuli", REPOSITORY) for word in ("-I", folder)]
    done = subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-maybe-uninitialized", *include, file], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_layer_in_the_tree_is_known_has_a_test_and_a_page_and_compiles(tree):
    done = new_layer("my-tracks", "--summary", "interlaced tracks, mine")
    assert done.exit_code == 0, done.output
    assert (tree / "tests/unit/my_tracks/CMakeLists.txt").exists() and (tree / "docs/layers/my-tracks.md").exists()
    for file, line in zip(CHANGED, ("make_my_tracks_factory();", "push_back(make_my_tracks_factory());", "| [`my-tracks`](my-tracks.md) |", '"my-tracks"', "[layers.my_tracks]")):
        added = set((tree / file).read_text().splitlines()) - set((REPOSITORY / file).read_text().splitlines())
        assert any(line in text for text in added), file
    compiles(tree / "models/firmware/layers/my_tracks/my_tracks_factory.cpp", tree)
    if shutil.which("clang-format"):
        for folder in ("models/firmware/layers/my_tracks", "tests/unit/my_tracks"):
            for file in (tree / folder).glob("*.[hc]pp"):
                subprocess.run(["clang-format", f"--style=file:{REPOSITORY / '.clang-format'}", "--dry-run", "--Werror", file], check=True)
    assert new_layer("my-tracks").exit_code == 2  # never over an existing one


def test_a_layer_of_the_tree_leaves_buffers_to_the_drive(tree):
    for words, said in ((("--durability", "plp"), "--durability goes with --plug-in"), (("--out", "x"), "--out goes with --plug-in"),
                        (("--tracks", "shingled"), "or use --plug-in")):  # fmt: skip
        done = new_layer("my-tracks", *words)
        assert done.exit_code == 2 and said in done.stderr
    assert not (tree / "models/firmware/layers/my_tracks").exists()


def test_a_checkout_of_another_version_is_left_as_it_is(tree):
    (tree / CHANGED[1]).write_text("// moved\n")
    done = new_layer("my-tracks")
    assert done.exit_code == 2 and "this checkout is of another version" in done.stderr
    assert not (tree / "models/firmware/layers/my_tracks").exists()


def test_the_header_and_the_examples_are_found_in_a_checkout_and_in_a_package(tmp_path, monkeypatch):
    subprocess.run(["cmake", "--install", BUILD, "--component", "program", "--prefix", tmp_path], check=True, capture_output=True)
    assert places.INSTALLED.relative_to(Path(tessera.__file__).parent) == Path("share/tessera/firmware")  # cmake/install.cmake puts share into a wheel's package
    for installed in (tmp_path / "nothing", tmp_path / "share/tessera/firmware"):
        monkeypatch.setattr(places, "INSTALLED", installed)
        for option, file in (("--include", "tessera_firmware.h"), ("--examples", "careless.c"), ("--baselines", "smart.c"), ("--policies", "greedy.c")):
            folder = Path(new_layer(option).stdout.strip())
            assert (folder / file).exists() and folder.is_relative_to(installed) == installed.exists()
