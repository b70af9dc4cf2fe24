"""What a host sees of the drives as sold: with one request at a time the rate of the platters, and reads that a queue makes faster."""

import csv
import tomllib

import pytest
from samples import BUILD, REPOSITORY

from tessera.engine.parameters import drive_value
from tessera.explore.axes import amount
from validation.drives.host_page import DATA
from validation.drives.host_picture import bars_of
from validation.drives.host_view import CASES, COLUMNS, DRIVES, KIB, Case, case_trial, platter_rate, requests_per_second, shortfalls, throughput
from validation.drives.used_view import BLOCK, READ, READS, used_runs
from validation.papers.lab import Lab

CONVENTIONAL = (("common", "cmr"), ("demo", "cmr"), ("tlc", "cmr"), ("imr-20tb", "cmr"), ("dual-arm-14tb", "cmr"), ("cmr-24tb", "cmr"), ("dual-arm-18tb", "cmr"), ("hamr-32tb-cmr", "cmr"))
# Of the layers whose tracks have skew: reads find the data in the order in which it was written.
SHINGLED = (
    ("common", "mu-rmw"), ("common", "media-cache"), ("common", "tessera"), ("common", "fluid"), ("seagate-st8000as0002", "media-cache"),
    ("seagate-st8000as0022", "media-cache"), ("seagate-st5000as0011", "media-cache"), ("seagate-st8000dm004", "media-cache"),
    ("wd-wd40efax", "media-cache"),
)  # fmt: skip
# A read that is split at the end of a band is overtaken by the next one: a turn per band and the way to it, of the 22 turns that a band takes with its steps.
LEAST = {"seagate-st8000dm004": 0.94, "wd-wd40efax": 0.94}
# Layers whose tracks are overwritten in place: their numbers begin where the head lands. tessera-imr needs flash, which imr-20tb has not.
IN_PLACE = ("imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "shingled-in-place-1234", "shingled-in-place-r4123", "shingled-in-place-124r3", "shingled-in-place-14r23", "vguard")
OVERLAPPED = (("common", "tessera-imr"), *((drive, layer) for drive in ("common", "imr-20tb") for layer in IN_PLACE))
SIZE = 64 * KIB
REQUESTS = 6000  # 375 MiB: much more than the write cache of 12 MiB, which has to be empty at the end
OVERLAPPED_REQUESTS = 3000  # 188 MiB: some hundred tracks
RANDOM_REQUESTS = 1000


@pytest.fixture
def measure(tmp_path, monkeypatch):
    """The run of a case on a drive with a layer."""
    monkeypatch.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))
    lab = Lab(tmp_path, jobs=1)

    def run(drive, layer, case, requests, **settings):
        chosen = case_trial(lab, drive, layer, case, requests, **settings)
        return lab.run([chosen], "")[chosen]

    return run


def share_of_platters(measure, drive, layer, op):
    run = measure(drive, layer, Case("sequential", op, SIZE, 1), REQUESTS)
    return throughput(run, SIZE) / platter_rate(run, layer)


def test_every_conventional_drive_with_caches_is_held_to_the_bounds_and_every_drive_has_a_row(monkeypatch):
    """Those of the nineties, of the papers and `bare` are below the bounds, each for a reason that the page names. Zones are written in order by hosts that know them; those of `host-aware` have platters and cache of another."""
    monkeypatch.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))
    described = {file.stem: tomllib.loads(file.read_text()) for file in (REPOSITORY / "platforms" / "drives").glob("*.toml")}
    on_page = {name for name in described if not name.endswith("-mechanics") and name not in ("torture", "hwsr-paper-disk") and described[name].get("layer") not in ("zoned", "host-aware")}
    assert set(DRIVES) == on_page - {"demo", "tlc"}  # these have the platters, caches and queue of `common`
    as_sold = {name for name in on_page if drive_value(name, "firmware.read_cache.segments") and drive_value(name, "controller.scheduling") == "shortest_positioning"}
    assert as_sold == {drive for drive, _ in CONVENTIONAL} | {drive for drive, layer in SHINGLED if layer == "media-cache"}


@pytest.mark.parametrize("op", ("read", "write"))
@pytest.mark.parametrize(("drive", "layer"), CONVENTIONAL)
def test_one_sequential_request_at_a_time_has_the_rate_of_the_platters(measure, drive, layer, op):
    """Of hundreds of destages the queue takes one on another track sooner than a skew that is longer than the switch of heads has passed."""
    most = 1.03 if op == "write" else 1.01
    assert 0.95 <= share_of_platters(measure, drive, layer, op) <= most


@pytest.mark.parametrize(("drive", "op"), (("cheetah-9lp", "read"), ("cheetah-9lp", "write"), ("hp-c3323a", "read")))
def test_drives_of_the_nineties_have_the_rate_of_their_bus_which_is_slower(measure, drive, op):
    """Writes of the C3323A go to the platters one by one, as published."""
    run = measure(drive, "cmr", Case("sequential", op, SIZE, 1), 1500)
    bus = amount(drive_value(drive, "host.link_rate"))[0] / 1e6
    assert 0.95 * bus <= throughput(run, SIZE) <= bus < platter_rate(run, "cmr")


@pytest.mark.parametrize(("drive", "layer"), SHINGLED)
def test_reads_of_what_was_written_in_order_have_the_rate_of_the_platters(measure, drive, layer):
    assert LEAST.get(drive, 0.95) <= share_of_platters(measure, drive, layer, "read") <= 1.01


@pytest.mark.parametrize(("drive", "layer"), OVERLAPPED)
def test_overlapped_tracks_are_read_in_order_at_the_rate_of_conventional_ones(measure, drive, layer):
    for depth in (1, 32):
        run = measure(drive, layer, Case("sequential", "read", SIZE, depth), OVERLAPPED_REQUESTS)
        assert 0.95 <= throughput(run, SIZE) / platter_rate(run, layer) <= 1.01


@pytest.mark.parametrize(("drive", "layer"), (("imr-20tb", "imr-rmw"), ("common", "shingled-in-place-1234"), ("common", "tessera")))
def test_of_writes_that_wait_for_room_none_is_passed_over(measure, drive, layer):
    run = measure(drive, layer, Case("sequential", "write", SIZE, 32), OVERLAPPED_REQUESTS)
    assert run.metric("host.latency.max") <= 4 * run.metric("host.latency.mean")  # passed over one by one, 200 times the mean


@pytest.mark.parametrize("layer", ("imr-rmw", "shingled-in-place-1234"))
def test_the_papers_equal_numbers_at_equal_angles_cost_the_rest_of_a_turn_per_track(measure, layer):
    paper = {f"layers__{layer.replace('-', '_')}__paper": True}
    run = measure("common", layer, Case("sequential", "read", SIZE, 1), OVERLAPPED_REQUESTS, **paper)
    assert 0.53 <= throughput(run, SIZE) / platter_rate(run, layer) <= 0.59  # 50 % of the sectors that pass instead of 90 %, as its note says
    (note,) = [note for note in run.notes if "skew" in note]
    assert "gets at most 50 % of the sectors that pass the head instead of 90 %" in note


@pytest.mark.parametrize(("drive", "layer"), (*CONVENTIONAL, *SHINGLED[-4:]))
def test_a_queue_makes_random_reads_faster(measure, drive, layer):
    one, many = (measure(drive, layer, Case("uniform", "read", 4 * KIB, depth), RANDOM_REQUESTS) for depth in (1, 32))
    assert requests_per_second(many) >= 1.8 * requests_per_second(one)


@pytest.mark.parametrize("size", (SIZE, 1024 * KIB))
@pytest.mark.parametrize(("drive", "layer"), (("common", "cmr"), ("imr-20tb", "cmr"), ("seagate-st8000as0022", "media-cache")))
def test_sequential_reads_have_that_rate_at_any_depth_and_size(measure, drive, layer, size):
    for depth in (2, 32):
        run = measure(drive, layer, Case("sequential", "read", size, depth), REQUESTS * SIZE // size)
        assert throughput(run, size) >= 0.95 * platter_rate(run, layer)


def test_what_the_caches_and_the_queue_give_is_missing_from_the_bare_drive(measure):
    for op in ("read", "write"):
        assert share_of_platters(measure, "bare", "cmr", op) < 0.05
    runs = [measure("bare", "cmr", Case("uniform", "read", 4 * KIB, depth), RANDOM_REQUESTS) for depth in (1, 32)]
    assert requests_per_second(runs[1]) == pytest.approx(requests_per_second(runs[0]), rel=0.05)


def test_a_small_write_that_joins_a_stream_late_loses_no_turn(measure):
    run = measure("common", "cmr", Case("sequential", "write", 4 * KIB, 32), 4 * REQUESTS)
    assert throughput(run, 4 * KIB) >= 0.9 * platter_rate(run, "cmr")


def test_the_page_lists_what_falls_short_and_why(measure):
    runs = {Case("sequential", op, SIZE, 1): measure("bare", "cmr", Case("sequential", op, SIZE, 1), REQUESTS) for op in ("read", "write")}
    reads, writes = shortfalls("bare", {"cmr": runs})
    assert reads.startswith("- `bare`, `cmr`, reads: 3 %; no cache") and writes.startswith("- `bare`, `cmr`, writes: 3 %; no cache")


def test_reads_in_order_slow_down_with_each_share_that_small_writes_put_elsewhere(tmp_path, monkeypatch):
    """With a request in about seven touched, and every one: 16 blocks each, of which 1 % and 50 % lie in the log."""
    monkeypatch.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))
    runs = used_runs(Lab(tmp_path, jobs=1), {"seagate-st5000as0011": ("media-cache",)})
    written, one, ten, half = (throughput(runs["seagate-st5000as0011", "media-cache", case], READ) for case in READS)
    turn = 60 / 5980
    assert written >= 0.95 * 170
    touched = 1 - 0.99 ** (READ // BLOCK)
    assert READ / 1e6 / one >= touched * turn / 2  # a fragment costs half a turn at least
    assert written > 3 * one > 9 * ten > 27 * half


def test_the_data_has_every_case_of_every_drive_and_the_picture_the_drives_of_today():
    head, *rows = csv.reader(DATA.open(encoding="utf-8"))
    assert tuple(head) == COLUMNS
    assert [tuple(row[:2]) for row in rows] == [(drive, layer) for drive, layers in DRIVES.items() for layer in layers for _ in CASES]
    bars = bars_of(rows)
    assert ("common", "cmr") in bars and ("bare", "cmr") not in bars and ("mu-rmw-paper", "mu-rmw") not in bars
    assert all(set(each) == {"platters", "reads", "writes"} for each in bars.values())
