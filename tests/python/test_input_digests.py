"""A run is known by what is in the files that it reads, not by their names."""

import hashlib
import json
import os
import subprocess

import pytest
from images import build_plain
from simulate import SIMULATOR, simulate

COLUMNS = 'time = "1:us"\nop = 2\nr = "r"\nw = "w"\noffset = "3:512"\nsize = "4:512"\n'
TRACE = "".join(f"{n * 20000},{'rw'[n % 2]},{n * 64},8\n" for n in range(50))


def digest(file) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def inputs(*arguments) -> list[dict]:
    listed = json.loads(simulate(*arguments, "--list-inputs").stdout)
    assert listed["schema"] == 1
    return listed["inputs"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "base.toml").write_text('extends = "demo"\n[host]\ntags = 8\n')
    (tmp_path / "own.toml").write_text('extends = "base"\n')
    (tmp_path / "columns.toml").write_text(COLUMNS)
    (tmp_path / "t.csv").write_text(TRACE)
    return tmp_path


def test_every_file_that_a_run_reads_is_listed_with_its_digest(files):
    words = ("run", files / "own.toml", "--trace", files / "t.csv", "--format", f"columns:{files / 'columns.toml'}")
    found = inputs(*words)
    assert [(entry["role"], entry["name"]) for entry in found] == [
        ("drive", str(files / "own.toml")),
        ("drive", "base"),
        ("drive", "demo"),
        ("drive", "common"),
        ("drive", "bare"),
        ("trace", str(files / "t.csv")),
        ("columns", str(files / "columns.toml")),
    ]
    for entry in found:
        file = files / entry["path"]
        assert (entry["bytes"], entry["sha256"]) == (file.stat().st_size, digest(file))
    assert not (files / "out").exists()
    # What is listed is what the run then says of itself, at its start and at its end.
    simulate(*words, "--out", files / "out")
    for name in ("run.json", "summary.json"):
        assert json.loads((files / "out" / name).read_text())["inputs"] == found


@pytest.mark.parametrize("changed", ["base.toml", "t.csv", "columns.toml", "t.csv.columns.toml"])
def test_a_file_with_another_content_under_the_same_name_is_another_input(files, changed):
    (files / "t.csv.columns.toml").write_text(COLUMNS)
    form = () if changed == "t.csv.columns.toml" else ("--format", f"columns:{files / 'columns.toml'}")
    words = ("run", files / "own.toml", "--trace", files / "t.csv", *form)
    before = inputs(*words)
    with (files / changed).open("a") as file:
        file.write("1000000,r,8,8\n" if changed == "t.csv" else "# \n")
    after = inputs(*words)
    assert [entry["path"] for entry in before] == [entry["path"] for entry in after]
    assert [entry["path"] for entry, other in zip(before, after, strict=True) if entry != other] == [str(files / changed)]


def test_a_workload_names_its_table_and_a_comparison_its_states(files):
    (files / "table.csv").write_text("LBA,Frequency\n0,1\n8,2\n")
    (files / "w.toml").write_text('requests = 10\noffsets = "table.csv"\n')
    states = files / "states" / "cmr"
    states.mkdir(parents=True)
    (states / "1.state").write_bytes(b"one")
    found = inputs("compare", "demo", "--layers", "cmr,imr-rmw", "--seeds", 2, "--workload", files / "w.toml", "--load-state", files / "states")
    assert [entry["role"] for entry in found] == ["drive", "drive", "drive", "workload", "offsets", "state"]
    assert found[-2]["sha256"] == digest(files / "table.csv")
    assert found[-1]["sha256"] == digest(states / "1.state")
    assert inputs("torture", "demo", "--workload", files / "w.toml") == found[:-1]


def test_a_pipe_is_not_read_for_the_list_and_has_its_digest_when_the_run_has_read_it(files):
    words = [str(SIMULATOR), "run", "demo", "--trace", "/dev/stdin", "--format", f"columns:{files / 'columns.toml'}"]
    listed = subprocess.run([*words, "--list-inputs"], input=TRACE.encode(), capture_output=True, check=True)
    trace = next(entry for entry in json.loads(listed.stdout)["inputs"] if entry["role"] == "trace")
    assert (trace["bytes"], trace["sha256"]) == (None, None)
    subprocess.run([*words, "--out", files / "out"], input=TRACE.encode(), capture_output=True, check=True)
    trace = next(entry for entry in json.loads((files / "out" / "summary.json").read_text())["inputs"] if entry["role"] == "trace")
    assert (trace["bytes"], trace["sha256"]) == (len(TRACE), digest(files / "t.csv"))


def test_a_file_that_is_not_there_ends_the_list(files):
    result = simulate("run", "demo", "--trace", files / "none.csv", "--list-inputs", status=2)
    assert "none.csv: no such file" in result.stderr
    assert result.stdout == ""


def test_run_json_has_the_options_as_data_and_no_place_for_outputs(tmp_path):
    simulate(
        "run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", 20, "--requests", "--set", "host.tags=8", "--set", "nand.read_time=0.1 ms",
        "--vcd", tmp_path / "q.vcd", "--save-state", tmp_path / "q.state", "--json", "--out", tmp_path / "out",
    )  # fmt: skip
    described = json.loads((tmp_path / "out" / "run.json").read_text())
    assert described["options"] == {
        "drive": "demo", "layer": "cmr", "workload": "random-4k", "limit": "20", "requests": True, "caches": "empty", "set": ["host.tags=8", "nand.read_time=0.1 ms"]
    }  # fmt: skip
    assert str(tmp_path) not in json.dumps(described)


# A constructor runs when a library is loaded, whatever it exports.
MARKING = """#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void mark(void) { fclose(fopen(getenv("MARK"), "w")); }
"""


@pytest.mark.parametrize("command", [("run", "--workload", "random-4k", "--out", "out"), ("run", "--workload", "random-4k", "--list-inputs"), ("check",), ("compare", "--workload", "random-4k", "--out", "out")])
def test_a_library_with_another_digest_is_not_loaded(tmp_path, command, monkeypatch):
    (tmp_path / "mark.c").write_text(MARKING)
    library = tmp_path / "mark.so"
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "mark.c", "-o", library], check=True)
    monkeypatch.setenv("MARK", str(tmp_path / "marked"))
    monkeypatch.chdir(tmp_path)
    listing = "--list-inputs" in command
    result = simulate(command[0], "demo", *command[1:], "--firmware", library, "--firmware-digest", "0" * 64, status=0 if listing else 2)
    assert not os.path.exists("marked")
    if listing:
        assert digest(library) in result.stdout
        return
    assert f"mark.so: this is not the firmware that was asked for: its SHA-256 is {digest(library)}" in result.stderr
    simulate(command[0], "demo", *command[1:], "--firmware", library, "--firmware-digest", digest(library), status=2)  # exports no layer
    assert os.path.exists("marked")


def test_a_digest_that_is_none_is_refused(tmp_path):
    result = simulate("check", "demo", "--firmware", "x.so", "--firmware-digest", "abc", status=2)
    assert "--firmware-digest: expected a SHA-256 of 64 hexadecimal digits in lower case, found 'abc'" in result.stderr
    assert "--firmware-digest needs --firmware or --elf" in simulate("check", "demo", "--firmware-digest", "0" * 64, status=2).stderr



def test_a_state_is_of_the_firmware_that_saved_it(tmp_path):
    image = build_plain(tmp_path)
    other = tmp_path / "other.elf"
    other.write_bytes(image.read_bytes() + b"\0")  # of the same layer; what follows the last section is read by nobody
    same = ("--workload", "random-4k", "--fold", "--limit", 20, "--replay", "closed:1")
    simulate("run", "demo", "--elf", image, *same, "--save-state", tmp_path / "s", "--out", tmp_path / "first")
    loaded = ("--load-state", tmp_path / "s", "--out", tmp_path / "second")
    simulate("run", "demo", "--elf", image, *same, *loaded)
    for words, here in ((("--elf", other), f"of the library or image with SHA-256 {digest(other)}"), ((), "the simulator's own")):
        refused = simulate("run", "demo", *words, *same, *loaded, status=2)
        assert f"SHA-256 {digest(image)} there and {here} here" in refused.stderr
        assert not (tmp_path / "second" / "summary.json").exists()
    simulate("run", "demo", "--elf", other, *same, *loaded, "--any-firmware")
