"""Each request knows whose work held it up: causes of requests.npy, of the summary and of `explain`, on every layer."""

import re

import numpy as np
import pytest
from simulate import LAYERS, run, simulate
from tessera import life_causes
from tessera.bound_by import CAUSES, GROUPS
from tessera.simulator import REPOSITORY

LOAD = ("--workload", "web-server", "--fold", "--seed", 5, "--requests")


def seconds(requests, cause):
    return requests[life_causes(requests)[cause]] / 1e12


@pytest.mark.parametrize("layer", LAYERS)
def test_the_times_by_cause_sum_to_the_latency_of_each_request_whatever_happens_to_the_drive(tmp_path, layer):
    more = ("--prefill", 60, "--cut-at", "1s", "--set", "media.latent_errors=20", "--set", "firmware.write_cache.capacity=1 MiB")
    requests = run(tmp_path, "bare", "--layer", layer, *LOAD, "--limit", 600, "--replay", "queue:16", *more, status=None).requests
    causes = life_causes(requests)
    assert list(causes) == list(CAUSES)
    times = np.stack([requests[field] for field in causes.values()])
    assert (times.sum(axis=0) == requests["completion"] - requests["arrival"]).all()
    assert (times.argmax(axis=0) == requests["cause"]).all()
    assert seconds(requests, "recovery").max() > 0  # the power cut


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw", "media-cache", "tessera", "imr-rmw"])
def test_a_request_alone_waits_for_no_other(tmp_path, layer):
    requests = run(tmp_path, "bare", "--layer", layer, *LOAD, "--limit", 300, "--replay", "closed:1").requests
    assert seconds(requests, "requests").sum() == 0
    assert seconds(requests, "host").sum() > 0


def test_causes_are_the_same_whatever_the_quantum(tmp_path):
    logs = [run(tmp_path / str(number), "bare", "--layer", "mu-rmw", *LOAD, "--limit", 600, "--set", f"simulation.quantum={quantum}").requests
            for number, quantum in enumerate(("0 ps", "10 us", "1 ms"))]  # fmt: skip
    assert all((log == logs[0]).all() for log in logs[1:])


def words_of(function, text):
    """Names of an enumeration -> the word that a C++ function gives for each, of which several may share one."""
    body = text.split(f"{function}(", 1)[1].split("\n}\n", 1)[0]
    found, waiting = {}, []
    for name, word in re.findall(r"case \w+::(\w+):(?: return \"([^\"]*)\";)?", body):
        waiting.append(name)
        if word:
            found |= dict.fromkeys(waiting, word)
            waiting = []
    return found


def test_the_library_groups_phases_and_names_causes_as_the_simulator_does():
    text = (REPOSITORY / "platforms" / "output" / "time_parts.cpp").read_text()
    phases = words_of("group_of", text)
    assert len(phases) == 17
    assert {phase: group for group, members in GROUPS.items() for phase in members} == phases
    assert CAUSES == words_of("name_of", text)
