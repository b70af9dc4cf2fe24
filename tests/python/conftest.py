"""The fixtures of the Python tests."""

import stat

import pytest


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A stand-in for the simulator: a Python script that the test gives."""

    def install(script: str) -> None:
        program = tmp_path / "stand-in"
        program.write_text("#!/usr/bin/env python3\n" + script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("TESSERA_SIM", str(program))

    return install
