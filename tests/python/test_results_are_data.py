"""A folder of results that somebody sends runs nothing, writes nothing and reads nothing but what its run read."""

import json
import shutil
from pathlib import Path

import pytest
from simulate import run, simulate
from typer.testing import CliRunner

import tessera
from tessera.cli import app
from tessera.reports import write_report

pytestmark = pytest.mark.usefixtures("the_built_simulator")

WORDS = ("demo", "--layer", "imr-rmw", "--limit", "30", "--fold")
AGAIN = (("explain", "{}", "7"), ("view", "{}", "--yes"), ("wave", "record", "{}", "--window", "0 s:1 ms", "--out", "{}.vcd"))


def command(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words])
    return done.exit_code, done.output


@pytest.fixture
def folder(tmp_path) -> Path:
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{n}000,hm,0,{'Write' if n % 2 else 'Read'},{n * 4096},4096,1\n" for n in range(30)))
    run(tmp_path / "run", *WORDS, "--trace", trace)
    return tmp_path / "run"


def told(folder: Path, **changes: object) -> None:
    """The folder says something else of what made it."""
    file = folder / "run.json"
    described = json.loads(file.read_text())
    described["options"] |= changes
    file.write_text(json.dumps(described))


@pytest.mark.parametrize("words", AGAIN, ids=lambda words: words[0])
def test_an_honest_folder_is_made_again_from_the_same_files(folder, words):
    status, said = command(*(word.format(folder) for word in words))
    assert status == 0, said


@pytest.mark.parametrize("words", AGAIN, ids=lambda words: words[0])
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("vcd", "PWNED.vcd"), ("fst", "PWNED.fst"), ("timeline", "PWNED.json"), ("save-state", "PWNED"), ("out", "PWNED"), ("gdb", "3333"), ("more", ["--vcd", "PWNED.vcd"]),
        ("layer", "--vcd=PWNED.vcd"), ("workload", "--save-state"), ("set", ["--vcd=PWNED.vcd"]), ("cut-at", ["--gdb"]), ("drive", "--help"), ("replay", "think\n--vcd"),
        ("limit", "many"), ("limit", 5), ("fold", "yes"), ("check", False), ("set", "nand.dies=2"), ("cut-at", "1 s"), ("prefill", None), ("volume", ["a"]),
    ],
)  # fmt: skip
def test_a_folder_cannot_name_an_output_nor_smuggle_an_option(folder, monkeypatch, words, option, value):
    told(folder, **{option: value})
    before = sorted(folder.parent.rglob("*"))
    monkeypatch.chdir(folder.parent)
    status, said = command(*(word.format(folder) for word in words))
    assert status == 2 and "run.json" in said
    assert sorted(folder.parent.rglob("*")) == before


def test_the_words_of_another_program_are_not_run(folder):
    (folder / "run.json").unlink()
    (folder / "run.toml").write_text('[run]\ndrive = "demo"\nworkload = "random-4k"\nlimit = 5\nvcd = "PWNED.vcd"\n')
    (folder / "simulation.json").write_text('{"drive": "demo", "workload": "random-4k", "more": ["--vcd", "PWNED.vcd"]}')
    status, said = command("explain", folder, 1)
    assert status == 2 and "does not say what made it" in said


def test_a_file_of_other_content_is_refused(folder):
    trace = folder.parent / "t.csv"
    trace.write_text(trace.read_text().replace("Write", "Read"))
    status, said = command("explain", folder, 1)
    assert status == 2 and "trace" in said and "is not the file that the run read: its content differs" in said


def test_a_file_that_the_run_did_not_read_is_not_read(folder):
    told(folder, trace="/etc/passwd")
    status, said = command("explain", folder, 1)
    assert status == 2 and "root:" not in said


def test_a_folder_that_moved_finds_its_trace_beside_its_results(folder, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.move(folder, moved)
    shutil.move(tmp_path / "t.csv", moved / "t.csv")
    status, said = command("explain", moved, 3)
    assert status == 0 and "Request 3 " in said


def test_firmware_is_named_by_the_user_and_taken_by_its_digest(tmp_path, in_tree_library):
    other = tmp_path / "other.so"
    other.write_bytes(in_tree_library.read_bytes() + b"\0")
    run(tmp_path / "run", "demo", "--workload", "random-4k", "--limit", "20", "--firmware", in_tree_library, "--layer", "cmr")
    status, said = command("explain", tmp_path / "run", 3)
    assert status == 2 and "code is never taken from a folder of results" in said and "--firmware FILE" in said
    status, said = command("explain", tmp_path / "run", 3, "--firmware", other)
    assert status == 2
    status, said = command("explain", tmp_path / "run", 3, "--firmware", in_tree_library)
    assert status == 0 and "Request 3 " in said
    run(tmp_path / "plain", *WORDS, "--workload", "random-4k")
    assert command("explain", tmp_path / "plain", 3, "--firmware", in_tree_library)[0] == 2


@pytest.fixture
def in_tree_library() -> Path:
    from test_plugins import IN_TREE

    return Path(IN_TREE)


def test_what_is_shown_of_a_hostile_folder_is_text(folder):
    (folder / "simulation.json").write_text('{"drive": "demo; rm -rf ~", "workload": "$(reboot)"}')
    status, said = command("report", folder)
    assert status == 0, said
    page = (folder / "report.html").read_text()
    assert "'$(reboot)'" in page.replace("&#x27;", "'")


def test_a_link_in_a_folder_is_replaced_and_not_followed(folder):
    victim = folder.parent / "victim"
    victim.write_text("mine")
    (folder / "report.html").symlink_to(victim)
    assert command("report", folder)[0] == 0
    assert victim.read_text() == "mine" and not (folder / "report.html").is_symlink()


def test_waveforms_of_a_folder_follow_no_link(folder):
    victim = folder.parent / "victim"
    victim.write_text("mine")
    (folder / "waves.vcd").symlink_to(victim)
    assert command("wave", "record", folder, "--window", "0 s:1 us")[0] == 0
    assert victim.read_text() == "mine"


def test_the_simulator_follows_no_link_of_an_output_either(folder):
    victim = folder.parent / "victim"
    victim.write_text("mine")
    (folder / "requests.npy").symlink_to(victim)
    simulate("run", *WORDS, "--workload", "random-4k", "--requests", "--out", folder)
    assert victim.read_text() == "mine"


RESULTS = ("summary.json", "run.toml", "run.json", "requests.npy", "drive.toml", ".lock", "requests.npy.partial", "drive.toml.partial", "summary.json.partial")


@pytest.mark.parametrize("name", RESULTS)
def test_a_link_in_a_folder_of_results_is_not_written_through(folder, name):
    precious = folder.parent / "precious"
    precious.write_text("mine")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(precious)
    run(folder, *WORDS, "--workload", "random-4k", "--requests")
    assert precious.read_text() == "mine"
    assert not [file for file in folder.iterdir() if file.is_symlink()]


def test_links_to_devices_in_a_folder_of_results_give_way(folder):
    for name in ("requests.npy", "run.json"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("/dev/null")
    run(folder, *WORDS, "--workload", "random-4k", "--requests")
    assert (folder / "requests.npy").is_file() and (folder / "run.json").is_file()


@pytest.mark.parametrize("name", ["cmr", "cmr/1", "cmr/1/simulation.json", "cmr/1/summary.json", "compare.json"])
def test_a_link_in_the_folder_of_a_comparison_leads_nowhere(tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "1").mkdir(parents=True)
    for place in (elsewhere, elsewhere / "1"):
        (place / "summary.json").write_text("mine")
    link = tmp_path / "out" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere if link.suffix == "" else elsewhere / "summary.json")
    simulate("compare", "demo", "--layers", "cmr", "--workload", "random-4k", "--limit", "20", "--fold", "--out", tmp_path / "out")
    assert {file.read_text() for file in elsewhere.rglob("summary.json")} == {"mine"}
    assert not link.is_symlink() and len(list(elsewhere.rglob("*"))) == 3


@pytest.mark.parametrize("name", [".lock", "sweep.json", "plan.keys", "unsaved.jsonl", "runs", "folders", "report.html"])
def test_a_link_in_the_folder_of_a_sweep_leads_nowhere(tmp_path, name):
    precious = tmp_path / "precious"
    if "." in name:
        precious.write_text("mine")
    else:
        precious.mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(precious if name != "unsaved.jsonl" else tmp_path / "not-there")
    plan = {"keep": True, "run": {"drive": "demo", "workload": "random-4k", "limit": 20, "fold": True}, "axes": {"seed": [1]}}
    if name == "sweep.json":
        precious.write_text('{"schema": 1, "axes": []}')
    before = precious.read_text() if precious.is_file() else None
    tessera.sweep(plan, out=tmp_path / "out", jobs=1)
    write_report(tmp_path / "out")
    assert before == precious.read_text() if before is not None else list(precious.iterdir()) == []
    assert not (tmp_path / "not-there").exists()
