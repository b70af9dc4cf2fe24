"""The fixtures of the Python tests."""

import signal
import stat

import pytest
import vcdvcd  # noqa: F401
from simulate import SIMULATOR

# Reading waveforms, vcdvcd lets SIGPIPE end the process, from its import on: a test that feeds a program which refuses its input would die of it.
signal.signal(signal.SIGPIPE, signal.SIG_IGN)


@pytest.fixture(scope="module")
def the_built_simulator():
    """What the package runs is what was built, not an installed simulator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_SIM", str(SIMULATOR))
        yield


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A stand-in for the simulator: a Python script that the test gives."""

    def install(script: str) -> None:
        program = tmp_path / "stand-in"
        program.write_text("#!/usr/bin/env python3\n" + script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("TESSERA_SIM", str(program))

    return install
