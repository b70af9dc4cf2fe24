"""./dev waits while another program holds one of apt's locks, and for nothing else."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

DEV = Path(__file__).resolve().parents[2] / "dev"
LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)\nE: Unable to lock directory /var/lib/apt/lists/\n"


def dev(tmp_path: Path, refusals: int, said: str) -> tuple[subprocess.CompletedProcess, list[str]]:
    """A build in which no package is installed, and apt-get refuses so many times; cmake then ends it."""
    (tmp_path / "dev").write_bytes(DEV.read_bytes())
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (tmp_path / "said").write_text(said)
    stubs = {
        "apt-get": f'echo "$*" >>{tmp_path}/calls\nif [ "$(wc -l <{tmp_path}/calls)" -le {refusals} ]; then cat {tmp_path}/said >&2; exit 100; fi',
        "dpkg-query": "exit 1", "id": "echo 0", "sleep": f"echo slept >>{tmp_path}/slept", "cmake": "exit 1",
    }  # fmt: skip
    for name, script in stubs.items():
        (bin_ / name).write_text(f"#!/bin/sh\n{script}\n")
        (bin_ / name).chmod(stat.S_IRWXU)
    done = subprocess.run(["sh", tmp_path / "dev", "build"], env={**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False)
    return done, (tmp_path / "calls").read_text().splitlines()


def test_a_lock_of_another_program_is_waited_for(tmp_path):
    done, calls = dev(tmp_path, 3, LOCKED)
    assert "== building release" in done.stdout, done.stderr
    assert len(calls) == 4 and len(set(calls)) == 1 and "DPkg::Lock::Timeout=300" in calls[0] and " install " in calls[0]
    assert done.stderr.count("another program holds apt's lock: waiting for it") == 3


@pytest.mark.parametrize("said", ["E: Unable to locate package g++\n", ""])
def test_another_refusal_updates_the_lists_and_tries_once_more(tmp_path, said):
    done, calls = dev(tmp_path, 1, said)
    assert "== building release" in done.stdout and not (tmp_path / "slept").exists()
    assert [" update" in call for call in calls] == [False, True, False]
