"""The command that looks whether memory grows with the length of a run."""

import pytest
from rich.console import Console

from pages import long_runs


def test_a_layer_whose_memory_grows_is_told_from_one_whose_memory_is_flat(monkeypatch):
    grows = {"cmr": 0, "hwsr": 1, "fluid": 2, "mu-rmw": 4}  # bytes a request; 2 MiB of it may be a log that has not wrapped yet
    monkeypatch.setattr(long_runs, "peak_memory", lambda layer, requests, _: 1_000_000 + grows[layer] * requests)
    console = Console(record=True, width=200)
    assert long_runs.long_runs(1_000_000, ("cmr", "fluid"), console)
    assert not long_runs.long_runs(1_000_000, ("cmr", "hwsr", "fluid", "mu-rmw"), console)
    lines = console.export_text().splitlines()
    assert [line.endswith("grows") for line in lines if line.startswith(("cmr", "fluid", "hwsr", "mu-rmw"))] == [False] * 2 + [False, True, False, True]


@pytest.mark.parametrize("layer", ["cmr", "hwsr"])
def test_the_peak_is_that_of_a_checked_run(tmp_path, layer):
    assert 1e6 < long_runs.peak_memory(layer, 2_000, tmp_path) < 1e9


def test_the_peak_does_not_count_the_memory_of_who_started_the_simulator(tmp_path):
    ballast = bytearray(400 << 20)
    ballast[:: 4096] = b"x" * len(ballast[::4096])  # each page is there
    assert long_runs.peak_memory("cmr", 200, tmp_path) < 300e6
    assert len(ballast) > 0
