"""The watchdog: a request that the drive does not answer in time ends the run as a bug of the model, and only then."""

from simulate import run, simulate

CMR = ("common", "--layer", "cmr", "--workload", "random-4k", "--fold", "--limit", "300")


def test_a_request_that_is_too_long_at_the_drive_ends_the_run_with_status_3(tmp_path):
    result = simulate("run", *CMR, "--replay", "closed:4", "--set", "host.timeout=2 ms", "--out", tmp_path, status=3)
    assert "model bug at" in result.stderr
    assert "within host.timeout: it is at the drive for 2 ms" in result.stderr
    assert "disk channel: busy" in result.stderr and "waits for the disk channel" in result.stderr


def test_a_timeout_of_0_watches_nothing(tmp_path):
    run(tmp_path, *CMR, "--replay", "closed:4", "--set", "host.timeout=0 s")


def test_time_in_the_queue_of_the_host_is_not_time_at_the_drive(tmp_path):
    # One tag, so that a request is served as soon as it is at the drive, and forty in the queue: most wait far longer than the timeout.
    result = run(tmp_path, *CMR, "--replay", "closed:40", "--set", "host.tags=1", "--set", "host.timeout=60 ms")
    assert result.metric("host.latency.p50") > 200


def test_a_layer_whose_cleanings_take_longer_names_its_own_patience(tmp_path):
    full = ("--layer", "pore", "--workload", "web-server", "--fold", "--limit", "50000", "--replay", "closed:16")
    result = run(tmp_path / "default", "demo", *full)
    assert result.metric("host.latency.max") > 110_000
    simulate("run", "demo", *full, "--set", "host.timeout=100 s", "--out", tmp_path / "strict", status=3)


def test_a_flash_cache_whose_every_write_merges_a_band_is_slow_and_not_dead(tmp_path):
    full = ("--layer", "mu-rmw", "--workload", "zipf-writes", "--fold", "--limit", "10000", "--replay", "queue:64", "--prefill", "100")
    result = run(tmp_path / "default", "demo", *full)
    assert result.metric("host.latency.max") > 120_000
    simulate("run", "demo", *full, "--set", "host.timeout=100 s", "--out", tmp_path / "strict", status=3)
