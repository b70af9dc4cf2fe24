"""Orders of tracks from angles alone: what tells serpents from cylinders, and what is said where nothing does."""

import numpy as np
import pytest
from validation.drives.identification import coverage

from tessera.identify.order import Order, serpent
from tessera.identify.tracks import windows
from tessera.identify.zones import Geometry, Zone

SECTORS = 500


def stairs(surfaces, radii, along, across, back, reads=1500, tracks=6000):
    """What `serpent` finds from reads strewn over a zone that is told by these skews, with 0.01 turns of noise."""
    rng = np.random.default_rng(surfaces * 1000 + radii)
    zone = Zone(0, SECTORS, along, across, back, 0.0, 0.0, 0, (0, 0), 1, 1.0)
    track = np.exp(rng.uniform(0, np.log(tracks), reads)).astype(int)
    left = (Order(surfaces, radii).skew(zone, track) - track * across) / SECTORS + rng.normal(0, 0.01, reads)
    none = np.array([], int)
    return serpent(track, np.exp(2j * np.pi * left), none, none.astype(float), across, SECTORS)


@pytest.mark.parametrize(("surfaces", "radii"), [(2, 64), (5, 24), (20, 64), (4, 200)])
def test_serpents_come_back_with_their_length_surfaces_and_skews(surfaces, radii):
    found = stairs(surfaces, radii, 60, 80, 110)
    assert (found.radii, found.surfaces) == (radii, surfaces)
    assert (round(found.riser * SECTORS), round(found.returning * SECTORS)) == (60 - 80, 110 - 80)
    assert found.agreement > 0.98


def test_serpents_whose_steps_between_surfaces_are_all_alike_do_not_tell_how_many_there_are():
    found = stairs(4, 64, 60, 80, 60)
    assert (found.radii, found.surfaces) == (64, None)
    shape = Geometry([Zone(0, SECTORS, 60, 80, 60, 0.0, 0.0, 0, (0, 0), 1, 1.0)], Order(1, 64, told=False), 10**6, 1.0)
    assert shape.failure().startswith("NOT known how many surfaces there are: after every 64 tracks")


def test_an_order_that_no_reads_agree_with_is_said_from_the_bound_on():
    zones = [Zone(0, SECTORS, 60, 80, 80, 0.0, 0.0, 0, (0, 0), 1, 1.0)]
    assert Geometry(zones, Order(4), 10**6, 0.9).failure() is None
    assert Geometry(zones, Order(4), 10**6, 0.899).failure().startswith("NOT known in which order tracks are numbered: with 4 surfaces")


def test_the_arm_returns_on_every_other_surface():
    assert Order(2, 3).radius(np.arange(13)).tolist() == [0, 1, 2, 2, 1, 0, 3, 4, 5, 5, 4, 3, 6]
    assert Order(3).radius(np.arange(7)).tolist() == [0, 0, 0, 1, 1, 1, 2]
    assert Order(2, 3).surface(np.arange(7)).tolist() == [0, 0, 0, 1, 1, 1, 0]


def test_true_parameters_of_a_drawn_drive_lie_within_their_stated_intervals(tmp_path, the_built_simulator):
    """One drive with serpents and a queue; `tessera validate identify` draws thirty."""
    rows = coverage([1], tmp_path)
    missed = [row for row in rows if not row.within]
    assert len(rows) > 20 and not missed, missed


@pytest.mark.parametrize("gap", [2, 20])
def test_a_boundary_that_no_read_is_near_may_lie_anywhere_between_those_around_it(gap):
    """Skews of 60 sectors; the tracks begin 100 sectors after the window does."""
    rng = np.random.default_rng(gap)
    block = np.sort(rng.choice(40 * SECTORS, 300, replace=False))
    track, within = (block - 100) // SECTORS, (block - 100) % SECTORS
    clear = (within >= gap) & (within < SECTORS - gap)
    block, track = block[clear], track[clear]
    phase = np.mod((block - 100 + 1 + 60 * track) / SECTORS, 1.0)
    (shown,) = windows([0], 40 * SECTORS, block, phase, SECTORS)
    assert shown.sectors == SECTORS
    away = (shown.boundary - 100) % SECTORS
    assert min(away, SECTORS - away) <= shown.slack
    assert gap - 1 <= shown.slack <= 2 * gap + 4
