"""Drawn drives under drawn inputs: a run is served or refused, as `check` says, and is the same whichever way one looks at it.

TESSERA_DRAWS=5000 draws more of them than the share that every run of the tests has.
"""

import os
import subprocess

import pytest
from drawn import drive_and_input
from simulate import SIMULATOR, simulate

DRAWS = int(os.environ.get("TESSERA_DRAWS", "40"))
REGISTERS = ("--set", "simulation.firmware_through=registers")
# Each leaves every request and every event as it was.
WAYS = {"registers": REGISTERS, "checked": ("--check", "--content", "bytes"), "stepped": ("--set", "simulation.quantum=1 us")}
REFUSED = 2


def run_one_way(folder, *words):
    words = ("run", *map(str, words), "--requests", "--events", "--out", folder)
    return subprocess.run([SIMULATOR, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)


@pytest.mark.parametrize("seed", range(DRAWS))
def test_a_drawn_drive_is_served_or_refused_and_the_same_every_way(tmp_path, seed):
    described, played = drive_and_input(seed, tmp_path)
    plain = run_one_way(tmp_path / "plain", *described, *played)
    assert plain.returncode in (0, 1, REFUSED), plain.stderr
    simulate("check", *described, status=REFUSED if plain.returncode == REFUSED else 0)
    if plain.returncode == REFUSED:
        return
    events = (tmp_path / "plain" / "events.csv").read_bytes()
    for way, more in WAYS.items():
        other = run_one_way(tmp_path / way, *described, *played, *more)
        if way == "registers" and "DRAM" in other.stderr:  # the rings take a MiB of it
            continue
        assert other.returncode == plain.returncode, (way, other.stderr)
        assert (tmp_path / way / "requests.npy").read_bytes() == (tmp_path / "plain" / "requests.npy").read_bytes(), way
        assert (tmp_path / way / "events.csv").read_bytes().startswith(events), way  # behind them those of the reading back
