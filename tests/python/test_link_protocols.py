"""The link's protocol: what frames cost, and what is said of parameters that a link does not use."""

import pytest
from simulate import run, simulate

LOAD = ("--layer", "cmr", "--workload", "random-4k", "--limit", 2000, "--replay", "queue:32", "--check")


@pytest.mark.parametrize("link", ("sata", "sas"))
def test_frames_cost_time_and_change_nothing_else(tmp_path, link):
    ideal = run(tmp_path / "ideal", "bare", *LOAD, "--set", "host.command_overhead=0 s", "--set", "host.completion_overhead=0 s")
    framed = run(tmp_path / link, "bare", *LOAD, "--set", f"host.link={link}")
    assert ideal.metric("host.link.frames") == ideal.metric("host.link.to_drive.overhead_bytes") == 0
    assert framed.metric("scoreboard.errors") == 0 and framed.metric("host.served") == 2000
    assert framed.metric("host.link.frames") >= 2000 * 4
    overhead = framed.metric("host.link.to_drive.overhead_bytes") + framed.metric("host.link.to_host.overhead_bytes")
    assert 2000 * 100 < overhead < 2000 * 1000
    wires = 2 if link == "sas" else 1
    assert framed.metric("link.utilisation") * wires > ideal.metric("link.utilisation")
    for direction in ("to_drive", "to_host"):
        assert 0 < framed.metric(f"host.link.{direction}.utilisation") < 1


def test_parameters_of_another_link_are_told(tmp_path):
    told = simulate("check", "bare", "--set", "host.link=sata", "--set", "host.command_overhead=2 us").stdout
    assert "host.command_overhead: without effect, host.link is not ideal" in told
    told = simulate("check", "bare", "--set", "host.turnaround=1 us").stdout
    assert "host.turnaround: without effect, host.link is ideal" in told
    assert "without effect" not in simulate("check", "bare", "--set", "host.link=sas").stdout


def test_serial_ata_has_32_tags():
    refused = simulate("check", "bare", "--set", "host.link=sata", "--set", "host.tags=33", status=2).stderr
    assert "host.tags is 33; Serial ATA names at most 32 commands" in refused
    simulate("check", "bare", "--set", "host.link=sas", "--set", "host.tags=33")


@pytest.mark.parametrize("link", ("sata", "sas"))
def test_power_cuts_and_large_requests_over_frames(tmp_path, link):
    lines = "".join(f"{128166372003061629 + i},hm,0,{'Read' if i % 3 == 0 else 'Write'},{i * 300 * 4096},2097152,1\n" for i in range(10))
    trace = tmp_path / "large.csv"
    trace.write_text(lines)
    cuts = [word for at in (20, 60, 130) for word in ("--cut-at", f"{at} ms")]
    result = run(
        tmp_path / "out", "torture", "--layer", "imr-rmw", "--trace", trace, "--format", "msr", "--fold", "--check", "--replay", "queue:32",
        "--set", f"host.link={link}", *cuts,
    )  # fmt: skip
    assert result.metric("scoreboard.errors") == 0 and result.metric("host.streamed") > 0


FRAMES = {  # least and most bytes, as the protocols have it
    "fis_overhead": (12, 4096),
    "fis_answer": (4, 4096),
    "fis_data": (4, 8192),
    "align_distance": (4, 1016),
    "ssp_overhead": (36, 4096),
    "ssp_answer": (4, 4096),
    "ssp_data": (4, 1024),
    "connection": (40, 4096),
    "connection_answer": (8, 4096),
}


@pytest.mark.parametrize(("name", "least", "most"), [(name, *bounds) for name, bounds in FRAMES.items()])
def test_what_surrounds_a_frame_has_bounds(name, least, most):
    for inside in (least, most):
        simulate("check", "bare", "--set", "host.link=sata", "--set", f"host.frames.{name}={inside} B")
    for outside in (least - 4, most + 4):
        refused = simulate("check", "bare", "--set", f"host.frames.{name}={outside} B", status=2).stderr
        assert f"host.frames.{name}" in refused
