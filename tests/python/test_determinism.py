"""One description and one seed give one result, on every machine and however the kernel is entered."""

import json

import pytest
from simulate import LAYERS, SIMULATOR, run

from tessera.reference import DIGESTS, digest
from tessera.sameness import differences


def small_run(folder, layer, *more):
    return run(folder, "common", "--layer", layer, "--workload", "web-server", "--fold", "--limit", 2000, "--seed", 11, *more, "--requests")


@pytest.mark.parametrize("layer", LAYERS)
def test_how_far_the_drive_runs_ahead_of_the_kernel_changes_nothing(tmp_path, layer):
    ahead = small_run(tmp_path / "ahead", layer)
    for quantum in ("0 ps", "1 us"):
        entered = small_run(tmp_path / quantum.replace(" ", ""), layer, "--set", f"simulation.quantum={quantum}")
        assert differences(ahead, entered, figures_only=True) == []
        assert (ahead.folder / "requests.npy").read_bytes() == (entered.folder / "requests.npy").read_bytes()


@pytest.mark.parametrize("layer", LAYERS)
def test_another_seed_gives_another_run(tmp_path, layer):
    first = small_run(tmp_path / "first", layer)
    other = run(tmp_path / "other", "common", "--layer", layer, "--workload", "web-server", "--fold", "--limit", 2000, "--seed", 12, "--requests")
    assert (first.folder / "requests.npy").read_bytes() != (other.folder / "requests.npy").read_bytes()


@pytest.mark.parametrize("layer", LAYERS)
def test_the_life_of_every_request_is_as_it_was(tmp_path, monkeypatch, layer):
    """A change of this digest is a change of the model: explain it in the commit that makes it; ./dev reference writes the new one."""
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))
    assert digest(layer, tmp_path) == json.loads(DIGESTS.read_text())[layer]
