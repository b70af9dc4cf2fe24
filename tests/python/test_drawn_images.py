"""Firmware images on drawn drives under drawn inputs: refused where `check` refuses, else every request is served, nothing is lost, and two runs are the same.

TESSERA_DRAWS=500 draws more of them than the share that every run of the tests has.
"""

import os
import subprocess

import pytest
from drawn import drive_and_input
from images import build_layer
from simulate import SIMULATOR, simulate

from tessera import Run

DRAWS = int(os.environ.get("TESSERA_DRAWS", "12"))
DRAWN = ("cmr", "imr-rmw", "vguard", "mu-rmw", "media-cache")  # a layer of each family
REFUSED = 2


@pytest.fixture(scope="module")
def images():
    return {layer: build_layer(layer) for layer in DRAWN}


@pytest.mark.parametrize("seed", range(DRAWS))
def test_an_image_on_a_drawn_drive_is_refused_or_serves_it_and_loses_nothing(images, tmp_path, seed):
    described, played = drive_and_input(seed, tmp_path, DRAWN)
    described += ["--elf", images[described[described.index("--layer") + 1]]]

    def serve(name):
        words = ("run", *described, *played, "--check", "--requests", "--events", "--out", tmp_path / name)
        return subprocess.run([SIMULATOR, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True)

    done = serve("once")
    assert done.returncode in (0, 1, REFUSED), done.stderr
    if "cannot hold the heap of the firmware image" in done.stderr:  # it grows with what is under way, which no check knows
        return
    simulate("check", *described, status=REFUSED if done.returncode == REFUSED else 0)
    if done.returncode == REFUSED:
        return
    run = Run(tmp_path / "once")
    assert run.metric("scoreboard.errors") == 0
    assert run.metric("processor.untold") == 0
    assert run.metric("host.served") + run.metric("host.failed") == run.metric("host.requests")
    serve("again")
    for file in ("requests.npy", "events.csv"):
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "once" / file).read_bytes()
