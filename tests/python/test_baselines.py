"""The baselines of the literature in examples/baselines: they write where their papers say, and lose nothing."""

import csv
import json
import subprocess

import pytest
from samples import REPOSITORY
from simulate import simulate

pytestmark = pytest.mark.usefixtures("the_built_simulator")
HEADER = REPOSITORY / "platforms" / "plugin"
SOURCES = REPOSITORY / "examples" / "baselines"
COLUMNS = "time=1:ps,op=2:r=r,w=w,offset=3:512,size=4:512"
ALONE = ("--set", "firmware.write_cache.capacity=0 B", "--caches", "empty")  # of `torture`: 256 radii of 16 sectors of 4 KiB
SECOND = 10**12  # ps


def compiled(source, library, *options):
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-shared", "-fPIC", *options, "-I", HEADER, source, "-o", library], check=True)
    return library


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """By the layer's name; made as a user makes them."""
    folder = tmp_path_factory.mktemp("baselines")
    flags = "CFLAGS=-std=c11 -Wall -Wextra -Werror -O1 -g"
    for file in SOURCES.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    subprocess.run(["make", "-s", "-C", folder, f"INCLUDE={HEADER}", flags], check=True)
    return {"smart": folder / "smart.so", "dm-imr": folder / "dm_imr.so"}


def wrote(folder, library, requests, *more):
    """Serves requests of one sector each, (seconds, r or w, sector), and gives the sectors that were read and written by radius; format left out."""
    (folder / "requests.csv").write_text("".join(f"{int(at * SECOND)},{op},{sector * 8},8\n" for at, op, sector in requests))
    simulate("run", "torture", "--firmware", library, "--trace", folder / "requests.csv", "--columns", COLUMNS, *ALONE, "--places", "--events", *more, "--out", folder / "out")
    with open(folder / "out" / "tracks.csv") as file:
        rows = [row for row in csv.DictReader(file) if int(row["radius"]) > 1]  # superblocks are on 0 and 1 where a drive has one zone
    return [{int(row["radius"]): int(row[column]) for row in rows if int(row[column]) > 0} for column in ("sectors_read", "sectors_written")]


def metric(folder, name):
    return json.loads((folder / "out" / "summary.json").read_text())["metrics"][name]["value"]


def events(folder, kind):
    """Subjects of the events of a kind, in order of their begin."""
    with open(folder / "out" / "events.csv") as file:
        return [int(row["subject"]) for row in csv.DictReader(file) if row["kind"] == kind and row["edge"] != "end"]


# ---- SMaRT: place 0 of the ring is at radius 2; of its 253 tracks 13 are the reserve; a logical track has 14 sectors ----

TRACK = 14


def test_smart_uses_every_other_track_while_the_drive_is_half_full(libraries, tmp_path):
    read, written = wrote(tmp_path, libraries["smart"], [(n * 0.1, "r", n * TRACK) for n in range(120)], "--prefill", 50)
    assert set(read) == {2 + 2 * n for n in range(120)} and not written


def test_smart_writes_in_place_while_the_next_track_is_free(libraries, tmp_path):
    read, written = wrote(tmp_path, libraries["smart"], [(0, "w", 5), (1, "w", 5)], "--prefill", 50)
    assert (read, written) == ({}, {2: 2})


def test_smart_gives_first_writes_tracks_with_free_neighbours(libraries, tmp_path):
    _, written = wrote(tmp_path, libraries["smart"], [(n, "w", 700 + n * TRACK) for n in range(4)], "--prefill", 0)
    assert written == {2: 16, 4: 16, 6: 16, 8: 16}


def test_smart_copies_a_track_whose_next_one_is_used_and_then_updates_the_copy_in_place(libraries, tmp_path):
    read, written = wrote(tmp_path, libraries["smart"], [(0, "w", 5), (0.01, "w", 5)], "--prefill", 100)
    assert read == {2: TRACK}
    assert written == {242: TRACK + 2 + 1}  # the copy and its two records; the second update


def test_smart_updates_in_place_in_front_of_a_place_that_became_free(libraries, tmp_path):
    # On a full ring the first 120 logical tracks have the even places, the others the odd ones: 1 is at place 2, 120 at place 1.
    _, written = wrote(tmp_path, libraries["smart"], [(0, "w", 1 * TRACK), (0.01, "w", 120 * TRACK)], "--prefill", 100)
    assert written == {242: TRACK + 2, 3: 1}


def test_smart_cleans_the_used_element_of_the_fewest_tracks_first(libraries, tmp_path):
    # Tracks 1 and 2 leave places 2 and 4; place 3, of track 121, is all that is between. The other two elements are longer.
    settings = ("--set", "layers.smart.clean_below=1", "--set", "layers.smart.idle_after=1 s")
    wrote(tmp_path, libraries["smart"], [(0, "w", 1 * TRACK), (0.1, "w", 2 * TRACK), (5, "r", 0)], "--prefill", 100, *settings)
    assert events(tmp_path, "clean")[0] == 121
    assert metric(tmp_path, "cleaning.count") >= 1


def test_smart_cleans_for_a_write_when_the_pool_is_used_up(libraries, tmp_path):
    requests = [(n * 0.02, "w", n * 7 % 240 * TRACK) for n in range(60)]
    wrote(tmp_path, libraries["smart"], requests, "--prefill", 100, "--set", "layers.smart.clean_below=0")
    assert metric(tmp_path, "cleaning.count") > 0 and metric(tmp_path, "host.served") == 60


# ---- DM-IMR: data is on radii 14 to 255, bottoms are even; four blocks of four sectors on each track; 484 of 968 blocks on bottoms ----

BLOCKS = ("--set", "layers.dm_imr.top_ratio=1", "--set", "layers.dm_imr.block=16 KiB")
THREE_PHASE = (*BLOCKS, "--set", "layers.dm_imr.top_buffer=false", "--set", "layers.dm_imr.block_swap=false")
AT_18 = 32  # a sector at radius 18, whose tops are at 17 (third phase) and 19 (second phase); 16 is the first backup slot: radii 2 to 4


@pytest.mark.parametrize(
    ("usage", "written"),
    [(50, {18: 1}), (75, {2: 1, 18: 1, 19: 1}), (100, {2: 2, 18: 1, 17: 1, 19: 1})],
    ids=["first phase", "second phase", "third phase"],
)
def test_three_phase_rewrites_no_top_then_one_then_two(libraries, tmp_path, usage, written):
    assert wrote(tmp_path, libraries["dm-imr"], [(0, "w", AT_18)], "--prefill", usage, *THREE_PHASE)[1] == written


def test_three_phase_fills_bottoms_then_every_other_top_then_the_others(libraries, tmp_path):
    # The blocks 0, 483, 484, 488, 727, 728 and 732: first and last bottom, two tops of the second phase and its last, two of the third.
    read, _ = wrote(tmp_path, libraries["dm-imr"], [(n, "r", block * 4) for n, block in enumerate((0, 483, 484, 488, 727, 728, 732))], "--prefill", 100, *THREE_PHASE)
    assert list(read) == [14, 15, 17, 19, 21, 254, 255]


def test_two_phase_puts_blocks_on_tops_in_the_order_of_their_tracks(libraries, tmp_path):
    read, _ = wrote(tmp_path, libraries["dm-imr"], [(n, "r", (484 + 4 * n) * 4) for n in range(3)], "--prefill", 100, *THREE_PHASE, "--set", "layers.dm_imr.allocation=two_phase")
    assert list(read) == [15, 17, 19]


def test_top_buffer_takes_an_update_of_a_bottom_and_the_next_one_in_its_place(libraries, tmp_path):
    more = ("--prefill", 75, *BLOCKS, "--set", "layers.dm_imr.block_swap=false")
    _, written = wrote(tmp_path, libraries["dm-imr"], [(0, "w", AT_18), (1, "w", AT_18)], *more)
    assert written == {255: 2}  # the first top without a block
    assert [metric(tmp_path, f"dm_imr.{name}") for name in ("buffered", "buffer_hits")] == [1, 1] and metric(tmp_path, "rmw.count") == 0


def test_block_swap_exchanges_a_block_that_is_hotter_than_the_margin_and_then_writes_it_freely(libraries, tmp_path):
    _, written = wrote(tmp_path, libraries["dm-imr"], [(n, "w", AT_18) for n in range(5)], "--prefill", 100, *BLOCKS)
    # Three updates of 5 sectors; the fourth saves and writes a block of the bottom and of both tops; the fifth is one sector.
    assert sum(written.values()) == 3 * 5 + 2 * (4 + 4 + 4) + 1
    assert (metric(tmp_path, "rmw.count"), metric(tmp_path, "dm_imr.swaps"), metric(tmp_path, "dm_imr.direct")) == (4, 1, 1)


def test_growing_usage_takes_tops_back_from_the_buffer(libraries, tmp_path):
    settings = ("--prefill", 75, *BLOCKS, "--set", "layers.dm_imr.buffer=1 MiB")
    requests = [(n * 0.1, "w", 16 * n) for n in range(64)] + [(10 + n * 0.1, "w", 2904 + 4 * n) for n in range(242)]
    wrote(tmp_path, libraries["dm-imr"], requests, *settings)
    assert metric(tmp_path, "dm_imr.usage") == 1 and metric(tmp_path, "cleaning.count") > 0


# ---- both ----

KINDS = {
    "smart, in place": ("smart", "--prefill", 50),
    "smart, copies and cleanings": ("smart", "--prefill", 100, "--set", "layers.smart.reserve=0.03", "--set", "layers.smart.idle_after=1 ms"),
    "dm-imr, buffer": ("dm-imr", "--prefill", 75, "--set", "layers.dm_imr.block=16 KiB", "--set", "layers.dm_imr.buffer=64 KiB"),
    "dm-imr, swaps": ("dm-imr", "--prefill", 100, "--set", "layers.dm_imr.block=16 KiB", "--set", "layers.dm_imr.swap_margin=0"),
    "dm-imr, shorter tops that end in spares": ("dm-imr", "--prefill", 100, "--set", "layers.dm_imr.block=16 KiB", "--set", "layers.dm_imr.top_ratio=0.8", "--set", "media.track_spares=5"),
}


def tortured(library, *words, status=0):
    shown = simulate("torture", "torture", "--firmware", library, "--durability", "none", "--operations", 6, "--cuts", 4, *words, "--json", status=status)
    return json.loads(shown.stdout)[0]


@pytest.mark.parametrize("faults", ["torn", "dump", "no dump"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_baseline_loses_nothing_under_torture(libraries, kind, faults):
    layer, *words = KINDS[kind]
    more = ("--set", f"layers.{layer.replace('-', '_')}.dump_map=false") if faults == "no dump" else ("--faults", faults)
    row = tortured(libraries[layer], *words, *more)
    assert row["failures"] == 0 and row["cuts"]["replay"] > 5


def test_a_cut_anywhere_in_a_swap_of_whole_tracks_loses_nothing(libraries, tmp_path):
    # The fourth update exchanges blocks, from 3,007 to 3,050 ms. A step of a whole track begins where the head lands: one that saved a track at once had its last sector, which makes a record count, before others.
    (tmp_path / "requests.csv").write_text("".join(f"{second * SECOND},w,{AT_18 * 8},8\n" for second in range(5)))
    words = ("--firmware", libraries["dm-imr"], "--trace", tmp_path / "requests.csv", "--columns", COLUMNS, *ALONE, "--prefill", 100, "--check", "--out", tmp_path / "out")
    for ms in range(3007, 3053, 2):
        simulate("run", "torture", *words, "--cut-at", f"{ms} ms")
        assert metric(tmp_path, "scoreboard.errors") == 0
    simulate("run", "torture", *words)
    assert metric(tmp_path, "dm_imr.swaps") == 1


BUGS = {
    "smart writes in place whatever the next track holds": ("smart.c", "return there != 0 && l->holds[follower(w->ring, there - 1)] == 0;", "return there != 0;", "--prefill", 100),
    "smart copies without a record": ("smart.c", "(struct record){RECORD, w->moves,", "(struct record){0, w->moves,", "--prefill", 100, "--faults", "dump"),
    "dm-imr forgets what it saved": ("dm_imr.c", "l->state->in_force[w->slot - l->slot] = w->record;", "", "--prefill", 100),
    "dm-imr leaves one top destroyed": ("dm_imr.c", "for (uint32_t side = w->piece.swaps ? BOTTOM : BELOW; side < SIDES; ++side) add_side", "for (uint32_t side = w->piece.swaps ? BOTTOM : ABOVE; side < SIDES; ++side) add_side", "--prefill", 100),
}  # fmt: skip


@pytest.mark.parametrize("bug", BUGS)
def test_torture_shows_what_a_careless_change_of_a_baseline_loses(tmp_path, bug):
    file, good, bad, *words = BUGS[bug]
    text = (SOURCES / file).read_text()
    assert text.count(good) == 1
    (tmp_path / file).write_text(text.replace(good, bad))
    assert tortured(compiled(tmp_path / file, tmp_path / "library.so"), *words, status=1)["failures"] > 0


def test_requests_side_by_side_read_what_was_written_last(libraries, tmp_path):
    for layer, library in libraries.items():
        simulate("run", "torture", "--firmware", library, *ALONE, "--workload", "random-4k", "--replay", "closed:16", "--fold", "--limit", 600, "--prefill", 75, "--check",
                 "--cut-at", "1 s", "--out", tmp_path / layer / "out")  # fmt: skip
        assert metric(tmp_path / layer, "scoreboard.errors") == 0 and metric(tmp_path / layer, "host.served") == 600


# Zones that have a border on each surface; a spare sector on each track; tracks that hold nothing, since all their sectors were slipped.
OLD = [("smart", "hp-c3323a"), ("dm-imr", "hp-c3323a"), ("dm-imr", "dec-rz26"), ("smart", "hp-c2247a")]


@pytest.mark.parametrize(("layer", "drive"), OLD)
def test_zones_spares_and_holes_of_old_drives_lose_nothing(libraries, tmp_path, layer, drive):
    words = ("--workload", "random-4k", "--replay", "closed:8", "--fold", "--limit", 1200, "--prefill", 80, "--caches", "empty")
    simulate("run", drive, "--layer", layer, "--firmware", libraries[layer], *words, "--check", "--cut-at", "3 s", "--out", tmp_path / "out")
    assert metric(tmp_path, "scoreboard.errors") == 0


def test_a_baseline_s_parameters_have_range_default_and_sentence(libraries):
    listed = {entry["path"]: entry for library in libraries.values() for entry in json.loads(simulate("list", "parameters", "--json", "--firmware", library).stdout)}
    own = {path: entry for path, entry in listed.items() if path.startswith(("layers.smart.", "layers.dm_imr."))}
    assert len(own) == 14 and all(entry["description"] for entry in own.values())
    assert (own["layers.smart.reserve"]["range"], own["layers.smart.idle_after"]["type"]) == ("0.001 to 0.9", "time")


@pytest.mark.parametrize(
    ("layer", "setting", "sentence"),
    [
        ("smart", "media.tracks=8", "a ring takes the reserve, two more tracks and a guard"),
        ("dm-imr", "layers.dm_imr.backup_slots=64", None),
        ("dm-imr", "media.tracks=16", "layers.dm_imr.backup_slots may be lower"),
    ],
)
def test_a_baseline_says_why_a_drive_does_not_fit(libraries, layer, setting, sentence):
    shown = simulate("check", "torture", "--firmware", libraries[layer], "--set", setting, status=2 if sentence else 0)
    assert sentence is None or sentence in shown.stderr
