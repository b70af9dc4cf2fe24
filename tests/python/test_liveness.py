"""The watchdog: a drive that is slow is an outcome, with all results; only one that never answers is a bug."""

import pytest
from simulate import run, simulate

from tessera import Run

CMR = ("bare", "--layer", "cmr", "--workload", "random-4k", "--fold", "--limit", "300")


def test_requests_that_are_too_long_at_the_drive_are_counted_and_the_run_keeps_its_results(tmp_path):
    result = simulate("run", *CMR, "--replay", "closed:4", "--set", "host.timeout=2 ms", "--out", tmp_path, status=1)
    assert "model bug" not in result.stderr
    assert "within host.timeout, and was still at work: it is at the drive for 2 ms" in result.stderr
    assert "disk channel: busy" in result.stderr and "waits for the disk channel" in result.stderr
    slow = Run(tmp_path)
    assert slow.metric("host.requests") == 300 and slow.metric("host.overdue") > 100
    assert "commands were overdue" in result.stdout


@pytest.mark.parametrize("layer, slow", [("cmr", "host.link_rate=1 kB/s"), ("imr-dtm", "media.channel_overhead=0.9 s"),
                                         ("cmr", "host.timeout=50 ms")])  # fmt: skip
def test_a_drive_that_is_slow_is_no_bug_of_the_model(tmp_path, layer, slow):
    result = simulate("run", "torture", "--layer", layer, "--workload", "random-4k", "--fold", "--limit", 200, "--replay", "closed:32", "--prefill", 100,
                      "--set", slow, "--out", tmp_path, status=1)  # fmt: skip
    drive = Run(tmp_path)
    assert drive.metric("host.requests") == 200 and drive.metric("host.overdue") > 0
    assert "model bug" not in result.stderr


def test_a_timeout_of_0_watches_nothing(tmp_path):
    run(tmp_path, *CMR, "--replay", "closed:4", "--set", "host.timeout=0 s")


def test_time_in_the_queue_of_the_host_is_not_time_at_the_drive(tmp_path):
    # One tag, so that a request is served as soon as it is at the drive, and forty in the queue: most wait far longer than the timeout.
    result = run(tmp_path, *CMR, "--replay", "closed:40", "--set", "host.tags=1", "--set", "host.timeout=60 ms")
    assert result.metric("host.latency.p50") > 200


def test_a_layer_whose_cleanings_take_longer_names_its_own_patience(tmp_path):
    full = ("--layer", "pore", "--workload", "web-server", "--fold", "--limit", "50000", "--replay", "closed:16")
    result = run(tmp_path / "default", "demo", *full)
    assert result.metric("host.latency.max") > 100_000
    simulate("run", "demo", *full, "--set", "host.timeout=100 s", "--out", tmp_path / "strict", status=1)


def test_a_flash_cache_whose_every_write_merges_a_band_is_slow_and_not_dead(tmp_path):
    full = ("--layer", "mu-rmw", "--workload", "zipf-writes", "--fold", "--limit", "10000", "--replay", "queue:64", "--prefill", "100", "--set", "firmware.write_cache.capacity=0 B")
    result = run(tmp_path / "default", "demo", *full)
    assert result.metric("host.latency.max") > 110_000
    simulate("run", "demo", *full, "--set", "host.timeout=100 s", "--out", tmp_path / "strict", status=1)
