"""The static address mappings: ratios by the paper's equations, and what the recorded traces say."""

import pytest

from validation.papers import mapping
from validation.papers.mapping import MAPPINGS, USAGES, slowdown, war
from validation.papers.measures import latency

NEW = MAPPINGS[1:]
NEAR = 1.25  # the paper calls its new mappings comparable to the conventional disk and names no bound


def used_up_to(most, grids):
    """The rows of disks that hold data in at most so many percent of their tracks."""
    return [row for grid in grids.values() for usage, row in grid.items() if int(usage) <= most]


@pytest.fixture(scope="module")
def recorded(lab):
    grids = mapping.recorded(lab)
    if len(grids) < 2:
        pytest.skip("needs the traces msr/web_0_first100k and hp/hp_c2247a: set TESSERA_TRACES")
    return grids


def test_the_formulas_give_the_papers_ratios():
    for name in MAPPINGS:
        for usage in USAGES:
            assert mapping.uniform_ratio(name, usage) == pytest.approx(mapping.PUBLISHED[name][usage], abs=0.005)
    assert [mapping.cold_ratio(name, 75) for name in MAPPINGS] == [1, 1, 1, 1]
    assert [mapping.cold_ratio(name, 100) for name in MAPPINGS] == [1, 1.5, 1.5, 1.5]
    assert [mapping.quarter_ratio("shingled-in-place-r4123", shares) for shares in mapping.QUARTERS.values()] == pytest.approx([2.54, 4, 3.62])


def test_every_mapping_places_every_track_once():
    for name in MAPPINGS:
        assert len({mapping.place(name, track) for track in range(2400)}) == 2400


def test_uniform_updates_come_out_as_the_formulas_say(lab):
    for usage, row in mapping.uniform_updates(lab).items():
        for name in MAPPINGS:
            assert war(row[name]) == pytest.approx(mapping.uniform_ratio(name, int(usage)), rel=0.05)
            assert row[name].metric("capacity.space_gain") == pytest.approx(1.6)
            assert row[name].metric("capacity.user") == row["cmr"].metric("capacity.user") == mapping.BLOCKS * 512


def test_updates_by_quarter_come_out_as_the_formulas_say(lab):
    for shares, row in mapping.quarters(lab).items():
        for name in MAPPINGS:
            assert war(row[name]) == pytest.approx(mapping.quarter_ratio(name, mapping.QUARTERS[shares]), rel=0.05)


def test_cold_sequential_writes_cost_the_new_mappings_nothing_until_the_last_quarter(lab):
    grid = mapping.cold_sequential(lab)
    for usage, row in grid.items():
        for name in MAPPINGS:
            assert war(row[name]) == pytest.approx(mapping.cold_ratio(name, int(usage)), rel=0.001)
    for name in NEW:
        assert latency(grid["75"][name]) == pytest.approx(latency(grid["75"]["shingled-in-place-1234"]), rel=0.05)
        assert latency(grid["100"][name]) > 1.5 * latency(grid["100"]["shingled-in-place-1234"])


def test_the_new_mappings_outperform_1234_up_to_three_quarters(recorded):
    for row in used_up_to(75, recorded):
        for name in NEW:
            assert latency(row[name]) < 0.85 * latency(row["shingled-in-place-1234"])


def test_without_amplification_the_mappings_are_near_the_conventional_disk(recorded):
    for row in used_up_to(50, recorded):
        for name in ("shingled-in-place-r4123", "shingled-in-place-14r23"):
            assert war(row[name]) == 1
            assert slowdown(row, name) < NEAR + 0.01


def test_with_the_drive_s_electronics_more_cells_are_near_the_conventional_disk(lab, recorded):
    def near(grids):
        return sum(slowdown(row, name) <= NEAR for row in used_up_to(75, grids) for name in NEW)

    assert near(recorded) > near(mapping.recorded(lab, drive=mapping.MECHANICS))


def test_at_three_quarters_hp_c2247_is_not_near_the_conventional_disk(recorded):
    for name in NEW:
        assert slowdown(recorded["hp_c2247"]["75"], name) > NEAR + 0.1


def test_a_full_disk_amplifies_by_what_the_trace_updates(recorded):
    ratios = [war(grid["100"][name]) for grid in recorded.values() for name in MAPPINGS]
    assert all(3.5 < ratio < 5 for ratio in ratios)
    assert war(recorded["web_0 (first 100,000)"]["100"]["shingled-in-place-1234"]) > 4.3  # its updates fall on first tracks more than on last ones
    assert len({min(MAPPINGS, key=lambda name, grid=grid: latency(grid["100"][name])) for grid in recorded.values()}) == 2


def test_backups_that_survive_a_power_cut_cost_time_where_updates_are_amplified(lab, recorded):
    safe = mapping.recorded(lab, paper=False)
    for name, grid in recorded.items():
        for mapped in MAPPINGS:
            assert latency(safe[name]["100"][mapped]) > 1.1 * latency(grid["100"][mapped])
            assert war(safe[name]["100"][mapped]) == pytest.approx(war(grid["100"][mapped]), rel=0.01)
        assert latency(safe[name]["50"]["shingled-in-place-r4123"]) == pytest.approx(latency(grid["50"]["shingled-in-place-r4123"]), rel=0.01)
