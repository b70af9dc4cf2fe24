"""A run under way in the browser: the page follows its logs, keeps its place, and says how the run ended."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from simulate import SIMULATOR
from typer.testing import CliRunner

from tessera.cli import app
from tessera.errors import InputError
from tessera.view.live import Follower, LiveRun, following, newest
from tessera.view.packed import unpacked

browser = pytest.importorskip("browser")
PATIENCE = 60  # seconds that a busy machine may take for what takes a moment
ENDLESS = "2000000000"  # requests
SOME = 3_000  # requests, at least, before a test looks

pytestmark = pytest.mark.usefixtures("the_built_simulator")


def until(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


class Running:
    """A run without an end, which stands still until it is told to go on."""

    def __init__(self, folder: Path, *words: str):
        command = [SIMULATOR, "run", "demo", "--layer", "cmr", "--workload", "random-4k", "--limit", ENDLESS, "--out", str(folder), *words]
        self.folder = folder
        self.program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def requests(self) -> int:
        return newest(self.folder / "requests.npy.partial", 1)[1]

    def go_on(self, more: int = SOME) -> None:
        before = self.requests()
        self.program.send_signal(signal.SIGCONT)
        until(lambda: self.requests() >= before + more)
        self.program.send_signal(signal.SIGSTOP)

    def end(self, by: int = signal.SIGINT) -> None:
        self.program.send_signal(by)
        self.program.send_signal(signal.SIGCONT)
        self.program.wait(PATIENCE)


@pytest.fixture
def running(tmp_path):
    run = Running(tmp_path / "run", "--requests", "--events", "--intervals", "100 requests")
    try:
        until(lambda: (tmp_path / "run" / "requests.npy.partial").exists())
        run.go_on()
        yield run
    finally:
        run.program.kill()
        run.program.wait()


def test_the_newest_records_are_read_while_they_are_written(running):
    records, count = newest(running.folder / "requests.npy.partial", 1_000)
    assert count >= SOME and len(records) == 1_000
    assert (records["completion"] >= records["arrival"]).all() and (np.diff(records["completion"].astype(np.int64)) >= 0).all()
    whole = newest(running.folder / "requests.npy.partial", count)[0]
    assert (whole[-1_000:] == records).all() and sorted(whole["number"])[: SOME // 2] == list(range(SOME // 2))


def test_versions_follow_the_run_to_its_end(running):
    follower = Follower(LiveRun(running.folder))
    try:
        first = follower.data
        (side,) = first["sides"]
        assert first["said"].startswith("The run goes on: ") and not first["live"]["ended"]
        assert side["total"] == len(unpacked(side["requests"]["number"])) and side["facts"][0] == "layer cmr"
        running.go_on()
        second = follower.more({"page": "p", "seen": first["live"]["version"]})
        assert second["live"]["version"] > first["live"]["version"]
        assert second["sides"][0]["total"] > side["total"]
        running.end()
        until(lambda: follower.data["live"]["ended"])
        last = follower.data
        assert last["said"].startswith("The run has ended: ") and last["sides"][0]["total"] == len(np.load(running.folder / "requests.npy", mmap_mode="r"))
    finally:
        follower.close()


def test_a_run_that_was_killed_is_said_to_have_left_no_results(running):
    follower = Follower(LiveRun(running.folder))
    try:
        running.end(signal.SIGKILL)
        until(lambda: follower.data["live"]["ended"])
        assert follower.data["said"] == "The run ended before its results were whole."
        assert follower.data["sides"]
    finally:
        follower.close()
    with pytest.raises(InputError, match="ended before its results were whole"):
        LiveRun(running.folder)


def test_what_cannot_be_followed_is_a_sentence(tmp_path, running):
    done = CliRunner().invoke(app, ["view", str(tmp_path), "--live"])
    assert done.exit_code == 2 and "is not the folder of a run under way" in done.output
    done = CliRunner().invoke(app, ["view", str(running.folder)])
    assert done.exit_code == 2 and "--live" in done.output
    for words, expected in ((["--out", "x.html"], "--out belongs to a view without --live"), (["--knobs"], "choose one")):
        done = CliRunner().invoke(app, ["view", str(running.folder), "--live", *words])
        assert done.exit_code == 2 and expected in done.output
    running.end()
    with pytest.raises(InputError, match="the run has ended: view it without --live"):
        LiveRun(running.folder)
    silent = Running(tmp_path / "silent")
    try:
        until(lambda: (tmp_path / "silent" / "run.json").exists())
        with pytest.raises(InputError, match="start it with --requests"):
            LiveRun(tmp_path / "silent")
    finally:
        silent.program.kill()
        silent.program.wait()


def test_the_page_follows_the_run_and_keeps_its_place(running):
    if browser.CHROMIUM is None:
        assert not os.environ.get("TESSERA_STRICT"), browser.MISSING
        pytest.skip(browser.MISSING)
    with following(running.folder) as server, browser.Browser(1280) as started:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.open(server.address)
        page = started
        before = page.run("tesseraView.sides[0].count")
        page.run("tesseraView.showWhole(), tesseraView.select(Number(tesseraView.sides[0].columns.number.at(-5)), true)")
        chosen = page.run("tesseraView.selected")
        running.go_on()
        until(lambda: page.run("tesseraView.sides[0].count") > before)
        assert page.run("tesseraView.selected") == chosen
        assert page.run("tesseraView.to - tesseraView.from >= tesseraView.end")
        running.end()
        until(lambda: "The run has ended" in page.run("document.body.innerText"))
        assert page.run("document.querySelectorAll('main section').length") == 1
        assert page.run("document.getElementById('trouble').hidden") and page.errors == []
        server.shutdown()
