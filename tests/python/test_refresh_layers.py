"""Hot rewriting on every layer: a refresh keeps what is lost without one, or nothing is at risk, or the settings are refused."""

import json
import random

import pytest
from simulate import run, simulate

HOT = (
    'summary = "a few hot sectors"\nlaw = "zipf"\nrequests = {requests}\nwrite_share = 1.0\nrange = "2 MiB"\nalignment = "4 KiB"\n'
    '[zipf]\nitems = {items}\nexponent = 1.2\n'
)
LIMIT, THRESHOLD = 80, 16
SMALL = ("torture", "--prefill", 100)
LARGE = ("common", "--set", "firmware.write_cache.capacity='0 B'")  # whose buffers do not come round
# Layers that lose data without a refresh, on which drive, and what brings writes to the platters at once.
LOSE = {
    **dict.fromkeys(("cmr", "imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "vguard", "hwsr"), SMALL),
    **{f"shingled-in-place-{order}": SMALL for order in ("1234", "r4123", "124r3", "14r23")},
    **dict.fromkeys(("fluid", "fluid-loop", "amphisbaena"), LARGE),
    "tessera-imr": (*SMALL, "--set", "layers.tessera_imr.buffer=0 B", "--set", "layers.tessera_imr.flash=off"),
    "zoned": (*SMALL, "--set", "layers.zoned.conventional=0.5"),
    "host-aware": (*SMALL, "--set", "layers.host_aware.conventional_zones=10"),
}
# Layers on which nothing is at risk, and why.
REST = {
    "sblock": "a region is a log, and a guard parts it from the next",
    **dict.fromkeys(("skylight-flash", "pore", "mu-rmw"), "flash takes rewrites; a band is merged as a whole, and a guard parts it from the next"),
    "skylight-disk": "zones are rewritten as a whole, the buffer is a log",
    "media-cache": "bands are rewritten as a whole, the cache is a log",
    "tessera": "as media-cache",
}
OF_ZONES = ("zoned", "host-aware")  # whose hosts write in order
HOSTS = ("zoned:log", "zoned:log-greedy", "zoned:lsm", "zoned:dmz", "host-aware:log")  # that translate


@pytest.fixture
def hot(tmp_path):
    def words(drive, *more, requests=6000, items=60):
        (tmp_path / "hot.toml").write_text(HOT.format(requests=requests, items=items))
        large = drive[0] == "common"
        limit, workload = (200, "zipf-writes") if large else (LIMIT, tmp_path / "hot.toml")
        return (*drive, "--workload", workload, "--limit", requests, "--replay", "closed:4", "--check", "--set", f"media.interference_limit={limit}", *more)

    return words


def refreshing(drive):
    return ("--set", f"firmware.refresh.threshold={60 if drive[0] == 'common' else THRESHOLD}")


def test_every_layer_is_of_one_kind():
    layers = [layer["name"] for layer in json.loads(simulate("list", "layers", "--json").stdout)]
    assert sorted([*LOSE, *REST]) == sorted(layers)


@pytest.mark.parametrize("layer", LOSE)
def test_what_is_lost_without_a_refresh_is_kept_with_one(layer, hot, tmp_path):
    drive = LOSE[layer]
    words = hot(drive, "--layer", layer)
    lost = simulate("run", *words, "--out", tmp_path / "lost", status=3)
    assert "found a read that fails" in lost.stdout + lost.stderr
    kept = run(tmp_path / "kept", *words, *refreshing(drive))
    assert kept.metric("refresh.tracks") > 0 and kept.metric("refresh.failed") == 0
    if layer != "vguard":  # a refresh rewrites a whole band there, while others wait for their turn
        assert kept.metric("refresh.highest_count") < 3 * (60 if drive is LARGE else THRESHOLD)


@pytest.mark.parametrize("layer", REST)
@pytest.mark.parametrize("workload", ["hot", "wide"])
def test_where_nothing_is_at_risk_a_refresh_does_no_harm(layer, workload, hot, tmp_path):
    words = [*hot(SMALL, "--layer", layer, "--cut-at", "5 s")]
    if workload == "wide":
        words[words.index("--workload") + 1] = "zipf-writes"
        words.append("--fold")
    without = run(tmp_path / "without", *words)
    kept = run(tmp_path / "with", *words, *refreshing(SMALL))
    assert kept.metric("scoreboard.errors") == without.metric("scoreboard.errors") == 0
    assert kept.metric("refresh.failed") == 0


@pytest.mark.parametrize("layer", HOSTS)
def test_a_refresh_below_a_host_that_translates_keeps_what_it_wrote(layer, hot, tmp_path):
    random_zones = ("--set", "layers.zoned.conventional=0.1") if layer == "zoned:dmz" else ()
    words = hot((*SMALL, *random_zones), "--layer", layer)
    without = run(tmp_path / "without", *words)
    kept = run(tmp_path / "kept", *words, *refreshing(SMALL))
    assert without.metric("scoreboard.errors") == kept.metric("scoreboard.errors") == kept.metric("refresh.failed") == 0
    assert kept.metric("host.failed") == 0
    if layer in ("zoned:lsm", "zoned:dmz"):  # a log writes no track so often
        assert kept.metric("refresh.tracks") > 0


@pytest.mark.parametrize("layer", ["imr-dtm", "tessera-imr", "zoned", "host-aware"])
def test_a_cut_at_any_instant_of_a_refresh_loses_nothing(layer, hot, tmp_path):
    drive = (*LOSE[layer], "--layer", layer)
    settings = ("--set", f"media.interference_limit={LIMIT}", *refreshing(SMALL))
    made = run(tmp_path / "made", *hot(drive, requests=60, items=1), *refreshing(SMALL), "--set", "firmware.write_cache.capacity=0 B")
    assert made.metric("refresh.tracks") > 0
    words = ("torture", *drive, "--durability", "none", "--workload", tmp_path / "hot.toml", "--operations", 40, "--cuts", 10, "--seed", 2, "--json")
    for row in json.loads(simulate(*words, *settings).stdout):
        assert row["failures"] == 0


@pytest.mark.parametrize("layer", sorted(set((*LOSE, *REST)) - set(OF_ZONES)))
@pytest.mark.parametrize("counters", ["track", "area"])
def test_a_refresh_leaves_sectors_that_nobody_wrote_readable(layer, counters, tmp_path):
    """It rewrites them with their tracks, and the layer, which knows that they hold nothing, overwrites them."""
    words = ("torture", "--layer", layer, "--workload", "web-server", "--limit", 2000, "--fold", "--replay", "closed:8", "--prefill", 0, "--check")
    kept = run(tmp_path / "out", *words, "--set", "firmware.refresh.threshold=20", "--set", f"firmware.refresh.counters={counters}")
    assert kept.metric("host.failed") == kept.metric("scoreboard.errors") == kept.metric("refresh.failed") == 0


@pytest.mark.parametrize("layer", [layer for layer in LOSE if layer.startswith("shingled-in-place")] + ["vguard", "imr-rmw"])
def test_parts_of_sectors_next_to_a_refresh_find_room_in_a_small_write_cache(layer, tmp_path):
    """Writes of odd blocks around the end of what was written, so that the rest of their sectors is read from tracks that were refreshed."""
    draw = random.Random(3)
    places = [draw.randrange(6_000) for _ in range(12)]
    lines = [f"{number},{draw.choice('wwwwr')},{draw.choice(places) + draw.randrange(9)},{draw.randrange(1, 40)}\n" for number in range(400)]
    (tmp_path / "odd.csv").write_text("".join(lines))
    columns = ("--format", "columns:time=1:us,op=2:r=r,w=w,offset=3:512,size=4:512", "--fold", "--replay", "closed:8", "--check")
    cache = ("--set", "firmware.write_cache.capacity=16 KiB", "--set", "firmware.write_cache.edges=behind")
    kept = run(tmp_path / "out", "torture", "--layer", layer, "--trace", tmp_path / "odd.csv", *columns, *cache, "--set", "firmware.refresh.threshold=16")
    assert kept.metric("host.failed") == kept.metric("scoreboard.errors") == 0
    assert kept.metric("refresh.tracks") > 0


@pytest.mark.parametrize("counters", ["track", "area"])
def test_a_log_s_tracks_are_refreshed_together_not_each_with_all_after_it(counters, tmp_path):
    words = ("--workload", "random-4k", "--fold-at", "2 MiB", "--limit", "600", "--replay", "closed:1", "--prefill", "100", "--check")
    log = ("--set", "layers.sblock.region_tracks=160", "--set", "firmware.write_cache.capacity=0 B")
    often = ("--set", f"firmware.refresh.threshold={THRESHOLD}", "--set", f"firmware.refresh.counters={counters}")
    kept = run(tmp_path / "log", "torture", "--layer", "sblock", *words, *log, *often)
    assert 160 < kept.metric("refresh.tracks") < 4 * 160  # one after the other: some 160 * 160 / 2
