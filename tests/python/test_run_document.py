"""Run documents: a run folder's own one makes the same run, the command line counts instead, and what no run can say is refused by its line."""

import subprocess

import pytest
import tessera
from samples import REPOSITORY
from simulate import simulate
from tessera.cli import app
from tessera.results.run_folder import Run
from tessera.results.sameness import differences
from typer.testing import CliRunner

pytestmark = pytest.mark.usefixtures("the_built_simulator")

WORDS = (
    "--caches", "empty", "--workload", "web-server", "--fold", "--limit", "300", "--set", "media.rpm=5400 rpm", "--set", "nand.dies=2", "--cut-at", "1 s", "--cut-at", "3 s",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("document") / "run"
    simulate("run", "demo", "--layer", "cmr", *WORDS, "--out", folder)
    return folder


def document(folder, text):
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def printed(file, *words):
    return simulate("run", file, *words, "--document").stdout


def refusal(folder, text):
    return simulate("run", document(folder, text), "--out", folder / "none", status=2).stderr


def test_the_document_of_a_run_folder_makes_the_same_run(folder, tmp_path):
    simulate("run", folder / "run.toml", "--out", tmp_path / "again")
    assert differences(Run(folder), Run(tmp_path / "again")) == []
    assert (tmp_path / "again" / "run.toml").read_text() == (folder / "run.toml").read_text()


def test_python_reads_the_run_that_the_command_line_described(folder):
    assert tessera.Simulation.of_document(folder / "run.toml") == tessera.Simulation.of_words(["demo", "--layer", "cmr", *WORDS])


@pytest.mark.parametrize("option", ["--document", "--list-inputs"])
def test_what_only_shows_the_run_leaves_no_folder(folder, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["run", str(folder / "run.toml"), "--limit", "7", option])
    assert done.exit_code == 0 and "web-server" in done.output
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_counts_instead_of_the_document(folder):
    made = tessera.Simulation.of_document(folder / "run.toml", "--layer", "mu-rmw", "--trace", "sample", "--set", "nand.dies=4", "--warmup", "auto")
    assert (made.layer, made.trace, made.workload, made.warmup, made.limit) == ("mu-rmw", "sample", None, "auto", 300)
    assert made.settings == {"media.rpm": "5400 rpm", "nand.dies": "4"}


def test_a_document_may_have_numbers_tables_and_paths_from_its_own_folder(tmp_path):
    trace = tmp_path / "trace.csv"
    trace.write_text("0,w,0,4096\n")
    text = '[run]\ndrive = "demo"\ntrace = "trace.csv"\nlimit = 5\ntime-scale = 0.25\nfold = false\ncut-at = "1 s"\n[run.set.media]\nrpm = "5400 rpm"\n'
    shown = printed(document(tmp_path, text))
    assert f'trace = "{trace}"' in shown and 'limit = "5"' in shown and 'time-scale = "0.25"' in shown and 'cut-at = ["1 s"]' in shown
    assert "fold" not in shown and '"media.rpm" = "5400 rpm"' in shown


def test_a_parameter_that_is_set_twice_stays_set_twice(tmp_path):
    words = ("--set", "nand.dies=2", "--set", "nand.dies=4")
    shown = simulate("run", "demo", "--workload", "oltp", *words, "--document").stdout
    assert 'set = ["nand.dies=2", "nand.dies=4"]' in shown
    assert printed(document(tmp_path, shown)) == shown


def test_a_folder_of_results_names_no_code_that_a_run_of_its_document_would_load(tmp_path):
    library = tmp_path / "careless.so"
    source = REPOSITORY / "examples" / "firmware" / "careless.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-I", REPOSITORY / "platforms" / "plugin", source, "-o", library], check=True)
    words = ("torture", "--firmware", library, "--workload", "oltp", "--fold", "--limit", "20")
    assert f'firmware = "{library}"' in simulate("run", *words, "--document").stdout
    simulate("run", *words, "--out", tmp_path / "run")
    comment, *rest = [line for line in (tmp_path / "run" / "run.toml").read_text().splitlines() if "careless.so" in line]
    assert comment.startswith("# with --firmware ") and not rest
    again = ("run", tmp_path / "run" / "run.toml", "--out", tmp_path / "again")
    assert "--firmware-digest needs --firmware or --elf" in simulate(*again, status=2).stderr
    simulate(*again, "--firmware", library)
    assert differences(Run(tmp_path / "run"), Run(tmp_path / "again")) == []


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[run]\ndrive = "demo"\nlimt = 3\n', 3, "unknown option 'limt'; did you mean 'limit'?"),
        ('[run]\ndrive = "demo"\nfold = 3\n', 3, "fold: expected true or false, found 3"),
        ('[run]\ndrive = "demo"\nlimit = [3]\n', 3, "limit: expected a text or a number, found [3]"),
        ('[run]\ndrive = "demo"\nset = 3\n', 3, "set: expected a table of parameters"),
        ('[run]\ndrive = "demo"\nout = "x"\n', 3, "'out' is no part of a run"),
        ('[run]\ndrive = "demo"\n[media]\nrpm = 3\n', 3, "'media' next to [run]"),
        ('[run]\nfold = true\n', 1, "expected a drive"),
        ('[[run]]\ndrive = "demo"\n', 1, "run: expected a table"),
        ('[run\ndrive = "demo"\n', 1, "not valid TOML"),
    ],
)
def test_what_no_run_can_say_is_refused_by_its_line(tmp_path, text, line, said):
    stderr = refusal(tmp_path, text)
    assert f"mine.toml:{line}: " in stderr and said in stderr


def test_a_document_whose_drive_is_a_document_is_refused(tmp_path):
    assert "is a run document, too" in refusal(tmp_path, '[run]\ndrive = "mine.toml"\nworkload = "oltp"\n')


@pytest.mark.parametrize("line", ['firmware = "mine.so"', 'elf = "mine.elf"', 'save-state = "state"', 'vcd = "waves.vcd"', 'timeline = "waves.json"'])
def test_a_document_in_a_folder_of_results_names_neither_code_nor_an_output(tmp_path, line):
    text = f'[run]\ndrive = "demo"\nworkload = "oltp"\n{line}\n'
    assert "names no code and no output" not in simulate("run", document(tmp_path, text), "--document", status=None).stderr
    (tmp_path / "run.json").write_text("{}")
    stderr = refusal(tmp_path, text)
    assert "mine.toml:4: " in stderr and "names no code and no output" in stderr
