"""Faults of the link and a host that gives up: the run goes on, nothing is lost, and the result says what happened."""

from simulate import run

COMMON = ("bare", "--layer", "imr-rmw", "--workload", "hot-tracks-clustered", "--replay", "closed:16", "--fold", "--limit", "2000", "--check")


def test_frames_that_are_sent_again_cost_link_time_and_nothing_else(tmp_path):
    good = run(tmp_path / "good", *COMMON)
    bad = run(tmp_path / "bad", *COMMON, "--set", "host.crc_errors_per_million=50000", "--set", "host.link_outages=[[1000, 500]]")
    assert bad.metric("link.crc_errors") > 100
    assert 0 < bad.metric("link.down")
    assert bad.metric("host.failed") == bad.metric("scoreboard.errors") == 0
    assert bad.metric("host.latency.mean") > good.metric("host.latency.mean")


def test_a_host_that_gives_up_sends_again_and_loses_nothing(tmp_path):
    result = run(
        tmp_path, *COMMON, "--set", "host.command_timeout=1 s", "--cut-at", "3 s", "--restart-at", "5 s", "--set", "power.outage=10 ms",
    )  # fmt: skip
    assert 0 < result.metric("host.aborts") < 1000  # of 2000 requests, which wait for one another for more than a second
    assert 0 < result.metric("host.repeats") < 1000
    assert result.metric("host.failed") == result.metric("scoreboard.errors") == 0
