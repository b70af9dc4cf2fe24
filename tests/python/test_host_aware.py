"""A host-aware disk: hosts that know nothing of zones, hosts that keep to the pointers, and power cuts."""

import json

import pytest
from simulate import run, simulate

DRIVE = ("--layer", "host-aware", "--set", "layers.host_aware.zone=64 MiB")


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (["layers.host_aware.zone=100001 B"], "no whole number of sectors of 4096 bytes"),
        (["layers.host_aware.zone=1 MiB"], "smaller than a band of 20 tracks"),
        (["layers.host_aware.conventional_zones=8", "layers.host_aware.zones=8"], "zones 8 leaves no zone to write in order"),
        (["layers.host_aware.zones=4000000"], "the drive has room for"),
        (["layers.host_aware.merge_to=spare"], "merge_to"),
        (["firmware.write_cache.capacity=1 MiB", "firmware.write_cache.durability=journal"], "set firmware.write_cache.durability to plp or volatile"),
        (["firmware.flash_cache.capacity=1 GiB", "firmware.flash_cache.use=both"], "set firmware.flash_cache.use to reads"),
    ],
)
def test_what_cannot_be_is_refused_before_the_run(settings, sentence):
    words = [word for setting in settings for word in ("--set", setting)]
    assert sentence in simulate("check", "bare", "--layer", "host-aware", *words, status=2).stderr


def test_a_host_that_knows_nothing_of_zones_runs_on_it(tmp_path):
    for number, workload in enumerate(("web-server", "random-4k", "sequential")):
        folder = run(tmp_path / str(number), "bare", *DRIVE, "--workload", workload, "--fold", "--limit", "2000", "--check")
        assert folder.metric("host.served") == 2000
        assert folder.metric("scoreboard.errors") == 0


def test_writes_in_order_pass_the_media_cache_by_and_all_others_do_not(tmp_path):
    words = ("--set", "layers.host_aware.conventional_zones=0", "--prefill", "0", "--limit", "2000", "--replay", "closed:8")
    ordered = run(tmp_path / "ordered", "bare", *DRIVE, *words, "--workload", "sequential")
    random = run(tmp_path / "random", "bare", *DRIVE, *words, "--workload", "random-4k", "--fold")
    assert ordered.metric("packet.count") == 0 < ordered.metric("stream.sectors")
    assert random.metric("packet.writes") > 0.9 * random.metric("host.writes") > 0


def test_a_host_that_translates_keeps_to_the_pointers(tmp_path):
    folder = run(tmp_path, "bare", "--layer", "host-aware:log", "--set", "layers.host_aware.zone=64 MiB", "--workload", "random-4k", "--fold", "--limit", "2000", "--check")
    assert folder.metric("host.served") == 2000
    assert folder.metric("packet.count") == 0


@pytest.mark.parametrize("seed", (1, 2))  # a host that writes in order or anywhere, and one that knows nothing of zones
@pytest.mark.parametrize("durability", ("none", "volatile", "plp"))
def test_a_cut_at_any_instant_keeps_what_was_promised(durability, seed):
    words = ("--layer", "host-aware", "--durability", durability, "--operations", "30", "--cuts", "20", "--seed", str(seed), "--json")
    for row in json.loads(simulate("torture", "torture", *words).stdout):
        assert row["failures"] == 0
        assert row["cuts"]["replay"] >= 20


def test_the_disk_as_sold_has_its_zones():
    assert int(simulate("check", "seagate-st8000as0022-zones", "--capacity").stdout) == 29_808 * (256 << 20)


def test_a_cut_around_a_reset_leaves_what_the_write_cache_held_or_nothing(tmp_path):
    # The cache holds newer data than the zone. Until the reset is recorded a cut leaves that data, afterwards nothing, and never the zone's.
    zone = (64 << 20) // 512
    trace = tmp_path / "reset.csv"
    trace.write_text(f"0,w,{zone},64\n1000000,f,0,0\n2000000,w,{zone},64\n3000000,zr,{zone},0\n9000000,r,{zone},64\n")
    words = (*DRIVE, "--set", "layers.host_aware.conventional_zones=1", "--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.idle_after=10 s")
    words += ("--trace", trace, "--format", "columns:time=1:us,op=2:r=r,w=w,f=f,zr=zr,offset=3:512,size=4:512", "--replay", "timed", "--prefill", "0", "--check")
    for after in range(0, 40_000, 4_000):
        folder = run(tmp_path / str(after), "bare", *words, "--cut-at", f"{3_000_000 + after}us")
        assert folder.metric("power.dump.count") == 1
        assert folder.metric("scoreboard.errors") == 0
