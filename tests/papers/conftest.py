"""The papers' experiments at a tenth of their length: what the page of results says must also hold here."""

import os
from pathlib import Path

import pytest

from tessera.asking.source import default_traces
from validation.papers.lab import Lab

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / os.environ.get("TESSERA_BUILD", "build/release")


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))
        yield Lab(tmp_path_factory.mktemp("papers"), default_traces(), scale=0.1)
