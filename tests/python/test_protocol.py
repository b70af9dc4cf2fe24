"""The checker of the TLM base protocol on every socket of a run: it finds nothing, and changes nothing."""

import pytest
from simulate import run


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw"])
def test_a_run_with_a_power_cut_keeps_to_the_protocol_and_is_the_same_without_the_checker(tmp_path, layer):
    options = ("common", "--layer", layer, "--workload", "web-server", "--limit", 2000, "--fold", "--check", "--requests", "--cut-at", "100ms")
    checked = run(tmp_path / "checked", *options, "--check-protocol")
    plain = run(tmp_path / "plain", *options)
    assert (checked.folder / "requests.npy").read_bytes() == (plain.folder / "requests.npy").read_bytes()
