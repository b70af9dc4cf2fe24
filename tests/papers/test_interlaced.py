"""The interlaced layers: costs by the paper's formulas, and the directions of its findings."""

import pytest

from validation.papers import interlaced as chapter, interlaced_runs as interlaced, interlaced_tracks as heat
from validation.papers.interlaced_runs import IMPROVED, INTERVAL, MOVES, dilated, own_amplification
from validation.papers.lab import Lab
from validation.papers.measures import amplification, latency, rmws, total_amplification

NAMES = ("w106", "w87")


@pytest.fixture
def statistics(lab):
    """Sizes, gaps and bursts of the traces: what these tests find hangs on them."""
    if lab.trace(*interlaced.STATISTICS) is None:
        pytest.skip(f"needs the table {'/'.join(interlaced.STATISTICS)}: set TESSERA_TRACES")


@pytest.fixture(scope="module")
def longer(lab):
    """A few intervals of the track counters: at a tenth of the page's length there would be two."""
    return Lab(lab.out, lab.traces, scale=0.3)


@pytest.fixture(scope="module")
def rows(longer):
    return interlaced.workloads(longer, NAMES)


def test_a_read_modify_write_costs_five_turns_and_five_sectors(lab):
    grid = interlaced.single_sectors(lab)
    row = grid["uniform"]
    extra = latency(row["imr-rmw"]) - latency(row["cmr"])
    assert 2 * extra == pytest.approx(5 * interlaced.TURN_MS, rel=0.05)  # every second write meets a bottom
    assert total_amplification(row["imr-rmw"]) == pytest.approx(3, rel=0.03)
    assert amplification(row["imr-rmw"]) == pytest.approx(2, rel=0.03)
    assert total_amplification(row["cmr"]) == 1
    assert grid["sequential"]["imr-rmw"].metric("host.latency.p90") == pytest.approx(6 * interlaced.TURN_MS, rel=0.02)


@pytest.fixture(scope="module")
def tracks(lab):
    return heat.written_tracks(lab, ("w17", "w87", "w106"), 2 * heat.WINDOW)


def test_hot_tracks_stand_alone_in_w17_and_side_by_side_in_w87(tracks):
    alone, together = ([each.hot_neighbours() for each in heat.hottest(tracks[name][:INTERVAL])] for name in ("w17", "w87"))
    assert sum(count == 0 for count in alone) >= 18
    assert sum(count >= 1 for count in together) >= 14


def test_hot_tracks_take_their_share_at_every_moment_and_over_time(tracks):
    count, published = heat.ON_THE_HOTTEST["w106"]
    assert heat.share_on_hottest(tracks["w106"][:INTERVAL], count) == pytest.approx(published, rel=0.05)
    assert heat.share_on_hottest(tracks["w106"], count) == pytest.approx(published, rel=0.05)


def test_the_hottest_of_tracks_that_drift_take_less_over_time(lab):
    drifting = heat.written_tracks(lab, ("w106",), 2 * heat.WINDOW, drift=0.1)["w106"]
    assert heat.share_on_hottest(drifting, 5) < 0.95 * heat.share_on_hottest(drifting[:INTERVAL], 5)


def test_writes_to_four_tracks_change_from_window_to_window(tracks):
    first, counts = heat.four_over_time(tracks["w106"], heat.WINDOW)
    assert counts.shape == (2, 4)
    assert counts.sum() == sum(first <= track < first + 4 for track in tracks["w106"].tolist())
    assert any(column.max() >= 2 * column.min() > 0 or column.max() > 100 for column in counts.T)


def test_the_improved_layers_spare_read_modify_writes_where_hot_tracks_take_most(rows):
    hot, diffuse = rows["w106"], rows["w87"]
    for layer in IMPROVED:
        assert hot[layer].find(MOVES[layer]) > 0
        assert rmws(hot[layer]) < 0.85 * rmws(hot["imr-rmw"])
        assert latency(hot[layer]) < latency(hot["imr-rmw"])
        assert rmws(diffuse[layer]) > 0.8 * rmws(diffuse["imr-rmw"])


def test_in_runs_of_eight_hot_tracks_dynamic_mapping_finds_what_flipping_cannot(rows):
    """Inside a run a flip has no cold neighbour; a swap fetches a cold track from elsewhere in the zone."""
    row = rows["w106"]
    assert amplification(row["imr-dtm"]) < amplification(row["imr-flip"]) < amplification(row["imr-rmw"])
    assert row["imr-dtm"].find(MOVES["imr-dtm"]) > row["imr-flip"].find(MOVES["imr-flip"])
    assert rmws(row["imr-dtm"]) < 0.9 * rmws(row["imr-flip"])


def test_without_their_moves_the_improved_layers_never_write_more(rows):
    for row in rows.values():
        for layer in IMPROVED:
            assert own_amplification(row[layer]) <= own_amplification(row["imr-rmw"])
    for layer, most in (("imr-flip", 0.95), ("imr-cache", 0.85), ("imr-dtm", 0.85)):
        assert own_amplification(rows["w106"][layer]) < most * own_amplification(rows["w106"]["imr-rmw"])


def test_a_threshold_spares_most_swaps_of_the_track_cache(longer):
    row = interlaced.swept(longer, "cache-threshold", ("w106",))["w106"]
    assert row["threshold 50"].find("cache.promote") < 0.7 * row["as printed"].find("cache.promote")
    assert amplification(row["threshold 50"]) < 0.9 * amplification(row["as printed"])


def test_the_faster_the_input_the_later_the_drive(lab):
    grid = interlaced.loads(lab, scales=("8", "1"))
    slow, fast = grid["8"], grid["1"]
    assert dilated(slow["imr-rmw"]) == pytest.approx(1, abs=0.01)
    assert dilated(fast["imr-rmw"]) > 1.3
    assert latency(fast["imr-rmw"]) > 500  # the paper's 2.4 s are a full queue as well
    assert dilated(fast["cmr"]) == pytest.approx(1, abs=0.01)
    for layer in IMPROVED:
        assert dilated(fast[layer]) <= 1.02 * dilated(fast["imr-rmw"])


def test_where_hot_tracks_stay_the_improved_layers_gain_more(longer):
    by_cause = interlaced.one_cause_at_a_time(longer, ("w106",), (chapter.AS_IT_IS, chapter.DRIFTING))
    for layer in IMPROVED:
        staying, drifting = (
            amplification(by_cause[f"w106, {cause}"][layer]) / amplification(by_cause[f"w106, {cause}"]["imr-rmw"]) for cause in (chapter.AS_IT_IS, chapter.DRIFTING)
        )
        assert staying < drifting


@pytest.mark.usefixtures("statistics")
def test_bursts_hide_what_interlacing_costs_a_workload_that_reads(lab):
    by_cause = interlaced.one_cause_at_a_time(lab, ("w24",), (chapter.AS_IT_IS, chapter.BY_MEAN))
    bursts, by_mean = (latency(by_cause[f"w24, {cause}"]["imr-rmw"]) / latency(by_cause[f"w24, {cause}"]["cmr"]) for cause in (chapter.AS_IT_IS, chapter.BY_MEAN))
    assert bursts < 1.1 < by_mean  # "not affected" in the paper


@pytest.mark.usefixtures("statistics")
def test_large_writes_fill_the_queue_of_a_drive_that_reads_before_it_writes(lab):
    row = interlaced.workloads(lab, ("w46",), ("cmr", "imr-rmw"))["w46"]
    assert latency(row["imr-rmw"]) > 1000  # a full queue, as the paper's 2.4 s
    assert chapter.slowed(row, "imr-rmw") > 0.5
    assert chapter.slowed(row, "cmr") == 0


@pytest.mark.usefixtures("statistics")
def test_w39_under_read_modify_write_waits_seconds_without_the_cache(longer):
    row = interlaced.swept(longer, "write-cache", ("w39",))["w39"]
    assert 1000 < latency(row["imr-rmw off"]) < 5000  # 2.4 s in the paper
    assert latency(row["cmr on"]) < 1  # 0.1 ms in the paper
    for layer in IMPROVED:
        assert latency(row[f"{layer} off"]) < 0.75 * latency(row["imr-rmw off"])
