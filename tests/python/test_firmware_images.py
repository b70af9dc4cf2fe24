"""The tree's own firmware as an image on the instruction-set simulator: the same requests served, the same content, cuts survived."""

import random
import re

import pytest
from images import build_layer
from simulate import run, simulate

FAMILIES = ("cmr", "imr-rmw", "vguard", "mu-rmw", "media-cache")  # in place, interlaced, static, flash in front, log in front
PHASE = re.compile(r"host\.(?:read|write)\.(?:time|slowest)\.(.*)")
# Whose work a request waited for is known of tasks, which an image does not tell of.
CAUSE = re.compile(r"host\.(?:read|write)\.(?:cause|slowest_cause)\.|disk_channel\.work\.")
WORKLOAD = ("--workload", "web-server", "--fold", "--limit", 400)
# One request after the other, so that the media does the same for both whatever the processor takes.
PLAIN = ("--prefill", 0, "--set", "controller.scheduling=first_come", "--set", "firmware.read_cache.segments=0", "--set", "firmware.write_cache.capacity=0 B")


@pytest.fixture(scope="module")
def images():
    return {layer: build_layer(layer) for layer in FAMILIES}


@pytest.mark.parametrize("layer", FAMILIES)
def test_an_image_serves_what_the_linked_firmware_serves(images, tmp_path, layer):
    words = ("--layer", layer, *WORKLOAD, *PLAIN, "--check", "--requests")
    image = run(tmp_path / "image", "demo", "--elf", images[layer], *words)
    linked = run(tmp_path / "linked", "demo", *words)
    assert image.metric("scoreboard.errors") == 0
    assert image.metric("host.requests") == linked.metric("host.requests") == 400
    # Its time in the processor is another one, the media's is not: the mean moves by that alone.
    assert image.metric("host.latency.mean") == pytest.approx(linked.metric("host.latency.mean"), rel=0.05)
    # It tells of itself what the linked firmware tells, through registers.
    own = {name for name in image.summary["metrics"] if not CAUSE.match(name)} - {"processor.instructions", "processor.cycles", "processor.untold"}
    told = {name for name in linked.summary["metrics"] if not CAUSE.match(name)}
    assert {name for name in own if not PHASE.match(name)} == {name for name in told if not PHASE.match(name)}
    # But what a request waits for within the processor: only phases that took time have a figure.
    assert {PHASE.match(name)[1] for name in own ^ told} <= {"lock", "dram", "cpu", "cpu_wait"}
    run(tmp_path / "again", "demo", "--elf", images[layer], *words)
    assert (tmp_path / "image" / "requests.npy").read_bytes() == (tmp_path / "again" / "requests.npy").read_bytes()


def test_what_an_image_makes_useless_is_said(images):
    settings = ("--set", "controller.interrupt_latency=1 us", "--set", "controller.costs.lock=9", "--set", "processor.alu=2")
    told = simulate("check", "demo", "--elf", images["cmr"], *settings).stdout
    assert "controller.interrupt_latency, controller.costs.lock: without effect, the hart of a firmware image (--elf) takes the time" in told
    assert "processor.alu" not in told


@pytest.mark.parametrize("layer", FAMILIES)
def test_an_image_loses_nothing_to_power_cuts(images, layer):
    """Between any two instructions, so also where the firmware that is linked to the model cannot be cut: it works in no time."""
    words = ("--elf", images[layer], "--operations", 4, "--cuts", 4, "--jobs", 2, "--durability", "plp")
    assert layer in simulate("torture", "torture", *words).stdout


@pytest.mark.parametrize("layer", ["cmr", "mu-rmw", "imr-rmw"])
def test_an_image_retries_and_relocates_bad_sectors_itself(images, tmp_path, layer):
    faults = [word for name in ("transient_errors", "write_faults") for word in ("--set", f"media.{name}_per_million=3000")]
    words = ("--elf", images[layer], "--workload", "random-4k", "--fold", "--limit", 3000, "--prefill", 100, "--check")
    done = run(tmp_path, "torture", *words, *faults, "--set", "media.spare_tracks=16")
    assert done.metric("scoreboard.errors") == 0
    assert done.metric("defects.recovered") > 0
    assert done.metric("defects.write_faults") > 0


@pytest.mark.parametrize("layer", ["sblock", "hwsr"])
def test_an_image_s_read_modify_writes_are_as_long_as_their_parts(tmp_path, layer):
    """Reading the clock takes an image time, so that a whole which is taken before its last part is shorter than they."""
    done = run(tmp_path, "demo", "--elf", build_layer(layer), *WORKLOAD[:3], "--limit", 1200, "--replay", "closed:8")
    assert done.metric("rmw.count") > 0
    parts = [done.metric(name) for name in done.summary["metrics"] if name.startswith("merge.time.")]
    assert sum(parts) == pytest.approx(done.metric("rmw.time_total"))


# A processor so slow that the devices are ahead of it, and that every instant is one in the middle of its work.
SLOW = ("--set", "controller.clock=5 MHz", "--set", "host.write_data=on_request", "--set", "firmware.write_cache.capacity=256 KiB")
TRAFFIC = ("--workload", "random-4k", "--fold", "--prefill", 100, "--replay", "closed:16", "--check")


def test_a_write_s_data_may_have_crossed_before_an_image_waits_for_it(images, tmp_path):
    done = run(tmp_path, "torture", "--elf", images["mu-rmw"], *TRAFFIC, "--limit", 500, *SLOW)
    assert done.metric("host.served") == 500
    assert done.metric("scoreboard.errors") == 0


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("layer", ["cmr", "mu-rmw", "media-cache"])
def test_a_restart_stops_an_image_wherever_it_is(images, tmp_path, layer, seed):
    draw = random.Random(seed)
    at, restarts = 0, []
    for _ in range(100):
        at += draw.randrange(10**11, 2 * 10**11)
        restarts += ["--restart-at", f"{at} ps"]
    requests = 4000 if layer == "cmr" else 1500  # a run that is longer than the restarts take
    done = run(tmp_path, "torture", "--elf", images[layer], *TRAFFIC, "--limit", requests, "--seed", seed, *SLOW, *restarts)
    assert done.metric("recovery.restarts") == 100
    assert done.metric("scoreboard.errors") == 0
