"""The checker of the TLM base protocol on every socket of a run: it finds nothing, and changes nothing.

It also takes the calls between our own parts apart: without it host, host interface, controller, media, flash, bus and DRAM reach each other
by plain calls, with it every request, step, command and access is a payload over the sockets. So each comparison here holds one way against
the other.
"""

import json

import pytest
from effects import OF_THE_MACHINE
from simulate import LAYERS, run


def figures(results) -> dict:
    summary = json.loads((results.folder / "summary.json").read_text())
    return {name: figure for name, figure in summary["metrics"].items() if name not in OF_THE_MACHINE}


def assert_same_by_calls_and_by_payloads(folder, *options):
    payloads = run(folder / "payloads", *options, "--requests", "--check-protocol")
    calls = run(folder / "calls", *options, "--requests")
    assert (payloads.folder / "requests.npy").read_bytes() == (calls.folder / "requests.npy").read_bytes()
    assert figures(payloads) == figures(calls)


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw"])
def test_a_run_with_a_power_cut_keeps_to_the_protocol_and_is_the_same_without_the_checker(tmp_path, layer):
    options = ("bare", "--layer", layer, "--workload", "web-server", "--limit", 2000, "--fold", "--check", "--cut-at", "100ms")
    assert_same_by_calls_and_by_payloads(tmp_path, *options)


@pytest.mark.parametrize("layer", LAYERS)
def test_every_layer_behind_the_drive_s_caches_is_the_same_by_calls_and_by_payloads(tmp_path, layer):
    assert_same_by_calls_and_by_payloads(tmp_path, "demo", "--layer", layer, "--workload", "web-server", "--limit", 300, "--fold")


@pytest.mark.parametrize("layer", ["cmr", "imr-rmw"])
def test_two_arms_are_the_same_by_calls_and_by_payloads(tmp_path, layer):
    arms = ("--set", "media.surfaces=2", "--set", "media.tracks=16384", "--set", "media.actuators=2")
    options = ("common", "--layer", layer, "--workload", "random-4k", "--limit", 300, "--replay", "closed:32", "--check", "--cut-at", "300ms")
    assert_same_by_calls_and_by_payloads(tmp_path, *options, *arms)
