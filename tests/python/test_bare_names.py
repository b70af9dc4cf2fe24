"""A person works in a folder of his own and types names without a path: every input and output of a command may be such a name."""

import subprocess
import sys
from pathlib import Path

import pytest
from nbd import FUA, Served
from simulate import SIMULATOR

pytestmark = pytest.mark.usefixtures("the_built_simulator")

RUN = ("demo", "--layer", "mu-rmw", "--workload", "web-server", "--fold", "--limit", "200")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tessera(*words: str) -> str:
    done = subprocess.run([sys.executable, "-m", "tessera", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_served_image_may_be_a_bare_name(here):
    with Served(here, "common", "--image", "disk.img") as drive:
        drive.connect().write(0, b"1" * 4096, FUA)
    assert drive.status == 0
    with (here / "disk.img").open("rb") as image:  # as large as the drive, with holes
        assert image.read(4096) == b"1" * 4096


def test_what_a_run_reads_and_writes_may_be_bare_names(here):
    (here / "mine.toml").write_text('extends = "demo"\n[media]\nrpm = "7200 rpm"\n')
    (here / "t.csv").write_text("".join(f"{n}00000,web,0,Write,{4096 * n},4096,0\n" for n in range(1, 100)))
    outputs = {"--out": "o", "--vcd": "w.vcd", "--timeline": "l.json", "--save-state": "s"}
    words = [SIMULATOR, "run", "mine.toml", "--trace", "t.csv", "--fold", "--requests", *(word for pair in outputs.items() for word in pair)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert all((here / name).exists() for name in outputs.values())
    again = subprocess.run([SIMULATOR, "run", "mine.toml", "--workload", "web-server", "--limit", "50", "--fold", "--load-state", "s", "--out", "p"], capture_output=True, text=True)
    assert again.returncode == 0, again.stderr


def test_what_the_other_commands_write_may_be_bare_names(here):
    (here / "t.csv").write_text("".join(f"{n}00000,web,0,Write,{4096 * n},4096,0\n" for n in range(1, 100)))
    (here / "plan.sweep.toml").write_text('[run]\ndrive = "demo"\nworkload = "web-server"\nfold = true\nlimit = 200\n[axes]\nlayer = ["cmr", "imr-rmw"]\n')
    tessera("run", *RUN, "--requests", "--events", "--out", "run")
    tessera("report", "run", "--out", "report.html")
    tessera("view", "run", "--yes", "--out", "view.html")
    tessera("plot", "run", "--only", "energy", "--out", "energy.png")
    tessera("trace", "convert", "t.csv", "--to", "msr", "--out", "t2.csv")
    tessera("sweep", "plan.sweep.toml", "--out", "sweep")
    for name in ("report.html", "view.html", "energy.png", "t2.csv", "sweep/sweep.json"):
        assert (here / name).stat().st_size > 0, name
    tessera("describe", "t2.csv")
