"""Each request knows whose work held it up: causes of requests.npy, of the summary and of `explain`, on every layer."""

import re

import numpy as np
import pytest
from simulate import LAYERS, run, simulate
from tessera import life_causes
from tessera.engine.simulator import REPOSITORY
from tessera.results.bound_by import CAUSES, GROUPS, cause_parts

LOAD = ("--workload", "web-server", "--fold", "--seed", 5, "--requests")


def seconds(requests, cause):
    return requests[life_causes(requests)[cause]] / 1e12


@pytest.mark.parametrize("layer", LAYERS)
def test_the_times_by_cause_sum_to_the_latency_of_each_request_whatever_happens_to_the_drive(tmp_path, layer):
    more = ("--prefill", 60, "--cut-at", "1s", "--set", "media.transient_errors_per_million=2000", "--set", "firmware.write_cache.capacity=1 MiB")
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
    assert all(seconds(requests, cause).sum() == 0 for cause in ("requests", "tags", "flash"))
    assert seconds(requests, "host").sum() > 0


def test_a_wait_for_a_tag_is_told_from_one_for_other_requests_at_the_drive(tmp_path):
    def served(tags):
        return run(tmp_path / str(tags), "bare", "--layer", "cmr", *LOAD, "--limit", 300, "--replay", "queue:16", "--set", f"host.tags={tags}").requests

    many, one = served(16), served(1)
    assert seconds(many, "tags").sum() == 0 and seconds(many, "requests").sum() > 0
    assert (one["cause_tags"] == one["host_queue"]).all() and seconds(one, "requests").sum() == 0
    longest = int(one["number"][(one["cause_tags"] / (one["completion"] - one["arrival"])).argmax()])
    assert "above all other host requests that had all tags, or the replay policy:" in simulate("explain", tmp_path / "1", longest).stdout


def test_a_wait_at_the_flash_for_other_requests_is_told_from_one_at_the_platters(tmp_path):
    more = ("--set", "firmware.write_cache.capacity=0 B", "--set", "nand.dies=1", "--set", "nand.channels=1")
    requests = run(tmp_path, "bare", "--layer", "pore", *LOAD, "--limit", 300, "--replay", "queue:16", *more).requests
    assert (requests["cause_flash"] <= requests["flash_queue"]).all()
    assert seconds(requests, "flash").sum() > 0


def test_causes_are_the_same_whatever_the_quantum(tmp_path):
    logs = [run(tmp_path / str(number), "bare", "--layer", "mu-rmw", *LOAD, "--limit", 600, "--set", f"simulation.quantum={quantum}").requests
            for number, quantum in enumerate(("0 ps", "10 us", "1 ms"))]  # fmt: skip
    assert all((log == logs[0]).all() for log in logs[1:])


SMALL = {"fluid": ("layers.fluid.buffer=4 MiB",), "hwsr": ("layers.hwsr.memory=2 MiB",), "sblock": ("layers.sblock.memory=2 MiB",), "media-cache": ("layers.media_cache.cache=4 MiB",),
         "skylight-disk": ("layers.skylight_disk.buffer=4 MiB",), "skylight-flash": (), "mu-rmw": ("nand.blocks=192",),}  # fmt: skip


@pytest.mark.parametrize("layer", SMALL)
def test_a_write_that_waits_for_a_cleaning_says_so_also_where_it_cleans_itself(tmp_path, layer):
    """Phases show such a write as seek and transfer of its own."""
    small = [word for setting in (*SMALL[layer], "firmware.write_cache.capacity=0 B") for word in ("--set", setting)]
    load = ("--workload", "zipf-writes", "--fold", "--replay", "closed:1", "--limit", 13_000 if layer == "skylight-flash" else 6000, "--seed", 5, "--prefill", 100, "--requests")
    log = run(tmp_path, "demo", "--layer", layer, *load, *small)
    requests = log.requests
    slowest = requests[np.argmax(requests["completion"] - requests["arrival"])]
    took = (slowest["completion"] - slowest["arrival"]) / 1e12
    assert took > 0.2
    assert list(CAUSES)[slowest["cause"]] == "cleaning"
    assert seconds(slowest, "cleaning") > 0.9 * took
    said = simulate("explain", tmp_path, int(slowest["number"])).stdout
    assert "above all room being made: cleaning, merge or collection" in said
    assert log.metric("host.write.slowest_cause.cleaning") > 0.9 * sum(cause_parts(log, "write", slowest=True).values())
    assert log.metric("disk_channel.work.cleaning") > 0.5


def test_a_write_that_waits_for_room_in_a_buffer_waits_for_the_cleaning_that_its_destage_waits_for(tmp_path):
    small = ("layers.tessera.log=2 MiB", "layers.tessera.flash=off", "layers.tessera.buffer=1 MiB")
    load = ("--workload", "zipf-writes", "--fold", "--replay", "closed:1", "--limit", 4000, "--seed", 5, "--prefill", 100, "--requests")
    log = run(tmp_path, "demo", "--layer", "tessera", *load, *(word for setting in small for word in ("--set", setting)))
    requests = log.requests
    slowest = requests[np.argmax(requests["completion"] - requests["arrival"])]
    assert list(CAUSES)[slowest["cause"]] == "cleaning"
    assert seconds(slowest, "cleaning") > 0.9 * (slowest["completion"] - slowest["arrival"]) / 1e12
    assert log.metric("disk_channel.work.cleaning") > 0.5


def words_of(function, text):
    """Names of an enumeration -> the word that a C++ function gives for each, of which several may share one."""
    body = text.split(f"\nconst char* {function}(", 1)[1].split("\n}\n", 1)[0]
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
