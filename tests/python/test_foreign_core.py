"""Firmware on a core that is not ours: Unicorn in the CPU's place (examples/unicorn), compared with the drive's own hart."""

import re
import subprocess

import pytest
from images import build_layer, build_plain
from samples import BUILD, REPOSITORY

PROGRAM = BUILD / "tests" / "foreign_core" / "foreign_core"
TRACKS = "media.tracks=128"

pytestmark = pytest.mark.skipif(not PROGRAM.exists(), reason="needs libunicorn-dev")


def answers(image, layer: str, core: str, *settings) -> str:
    """What the host saw: every sector's content in one digest, and what was lost and refused."""
    done = subprocess.run([PROGRAM, REPOSITORY / "platforms" / "drives" / "bare.toml", layer, image, core, TRACKS, *settings], capture_output=True, text=True, timeout=280)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    if core == "unicorn":
        boots, instructions = re.search(r"Unicorn: (\d+) boots, (\d+) instructions at [0-9.]+ million per CPU-second", done.stdout).groups()
        assert int(boots) == 2 and int(instructions) > 100_000
    (seen,) = re.findall(r"^sectors: .*", done.stdout, re.MULTILINE)
    assert "0 differ from what was written; 1 transfer lost to the power cut, 0 refused" in seen
    return seen


def test_an_interlaced_drive_gives_the_same_answers_on_a_foreign_core_and_on_its_own_hart():
    image = build_layer("imr-rmw")
    assert answers(image, "imr-rmw", "unicorn") == answers(image, "imr-rmw", "hart")


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("interrupts", [False, True])
def test_a_strangers_firmware_waits_for_interrupts_or_takes_them_on_either_core(tmp_path, width, interrupts):
    image = build_plain(tmp_path, width, interrupts=interrupts)
    assert answers(image, "cmr", "unicorn") == answers(image, "cmr", "hart")


def test_without_a_pointer_into_the_memory_the_foreign_core_says_what_it_needs(tmp_path):
    done = subprocess.run([PROGRAM, REPOSITORY / "platforms" / "drives" / "bare.toml", "cmr", build_plain(tmp_path), "unicorn", "dram.bit_error_rate=1"], capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 1 and "Unicorn needs a pointer to the drive's DRAM" in done.stderr
