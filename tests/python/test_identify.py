"""A drive of ours as a black box: what its logs tell is the description that made them, within the stated errors."""

import re
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from tessera.cli import app
from tessera.engine.simulator import ask_simulator
from tessera.identify.description import cleaning_said, description, sequential_said, unidentified
from tessera.identify.findings import find
from tessera.identify.jobs import BY_NAME
from tessera.identify.logs import Log, clock
from tessera.identify.score import score
from tessera.identify.simulated import plan_of, write_logs
from tessera.identify.write_cache import write_cache

pytestmark = pytest.mark.usefixtures("the_built_simulator")


def identified(drive, folder, track=None):
    """What a tenth of a tenth of a measurement tells."""
    chosen = replace(plan_of(drive, track, 1).small(), windows=6, anchors=40, samples=200, pairs=500, repeats=4, mixed=300, burst=128, cleaning=64)
    write_logs(drive, folder, chosen)
    return find(folder)


@pytest.fixture(scope="module")
def bare_logs(tmp_path_factory):
    return tmp_path_factory.mktemp("bare")


@pytest.fixture(scope="module")
def bare(bare_logs, the_built_simulator):
    return identified("bare", bare_logs, 2 << 20)


@pytest.fixture(scope="module")
def cheetah(tmp_path_factory, the_built_simulator):
    return identified("cheetah-9lp", tmp_path_factory.mktemp("cheetah"))


@pytest.mark.parametrize(("drive", "rpm"), [("bare", 7200), ("cheetah", 10045)])
def test_the_spindle_turns_as_it_was_told(drive, rpm, request):
    turn = request.getfixturevalue(drive).rotation
    assert abs(turn.period - 60 / rpm) < 3 * turn.error
    assert turn.error < 1e-4 * turn.period


def test_a_drive_of_one_zone_has_one(bare):
    (zone,) = bare.geometry.zones
    assert (zone.first, zone.sectors, zone.cylinder_skew, bare.geometry.surfaces) == (0, 512, 60, 1)
    assert sum(bare.geometry.cylinders()) == 32768


def test_zones_surfaces_and_skews_of_a_published_drive_are_found(cheetah):
    true = {254: (97, 133), 245: (97, 133), 238: (97, 117), 227: (97, 116), 217: (97, 108), 209: (97, 108), 201: (97, 108), 189: (88, 94), 181: (88, 93), 174: (88, 93), 167: (88, 80)}
    assert cheetah.geometry.surfaces == 12
    found = [(zone.sectors, abs(zone.track_skew - true[zone.sectors][0]), abs(zone.cylinder_skew - true[zone.sectors][1])) for zone in cheetah.geometry.zones]
    assert len(found) >= 4
    assert all(along <= 1 and across <= 3 for _, along, across in found), found


def test_the_seek_formula_comes_back_within_its_error(bare):
    curve = bare.seeks
    assert curve.fits
    errors = curve.covariance.diagonal() ** 0.5
    assert errors[0] < 0.1e-3
    assert abs(curve.shortest - 0.25e-3) < 3 * errors[0] + curve.overhead_error
    full = curve.shortest + curve.slope * 32767**0.5
    assert abs(full - 15e-3) < 3 * (errors[0] + errors[1] * 32767**0.5) + curve.overhead_error


def test_a_measured_seek_curve_comes_back_within_its_bounds(cheetah):
    published = {10: 1.448, 100: 2.145, 1000: 4.118, 3000: 6.345}  # ms, platforms/drives/cheetah_9lp_mechanics.toml
    electronics = 0.284 + 0.105  # a miss's overhead and a sector on the link; which part is which is told from hits alone
    curve = cheetah.seeks
    assert np.median(curve.error) < 0.25e-3
    for distance, ms in published.items():
        nearest = int(np.abs(np.log(curve.distance / distance)).argmin())
        off = (curve.time[nearest] + curve.overhead) * 1e3 - ms - electronics
        assert abs(off) < curve.error[nearest] * 1e3 + 0.25, (distance, off)


def test_cache_policies_come_back(bare, cheetah):
    assert bare.reads.hit is None
    reads = cheetah.reads
    assert reads.keeps < 0.5 < reads.first
    assert abs(reads.ahead[0] - 561) <= reads.ahead[1]
    assert reads.segments == (3, 0)
    assert abs(reads.link[0] - 4876190) < 0.02 * 4876190
    assert bare.writes.through and not cheetah.writes.through


def test_the_description_answers_held_out_requests_as_the_drive_does(bare, tmp_path):
    drive = tmp_path / "found.toml"
    drive.write_text(description(bare, "bare"))
    ask_simulator(["check", drive])
    held = score(bare, drive)
    assert held.requests == 150
    assert held.within_tenth > 0.9


def test_sequential_rates_stand_next_to_what_tracks_and_skews_give(bare):
    """Each read takes a quarter of a track with its skew; without a read-ahead the next one waits for a turn more."""
    (said,) = sequential_said(bare)
    part = float(said.split(" % of")[0].split()[-1])
    quarter = (1 + 60 / 512) / 4
    assert abs(part - 100 * quarter / (1 + quarter)) < 1


def test_the_command_writes_the_description_with_its_score(bare, bare_logs, tmp_path):
    out = tmp_path / "mine.toml"
    result = CliRunner().invoke(app, ["identify", "fit", str(bare_logs), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert re.search(r"7200|7199\.9", result.output.splitlines()[0]) and "Held out: 150 requests" in result.output
    assert "# Held out: 150 requests" in out.read_text()
    assert tomllib.loads(out.read_text())["media"]["rpm"] == "7200 rpm"
    again = CliRunner().invoke(app, ["identify", "fit", str(bare_logs), "-o", str(out)])
    assert (again.exit_code, "is there already" in again.output) == (2, True)


def test_a_description_that_does_not_answer_as_the_drive_did_says_so_first_and_fails(bare, bare_logs, tmp_path, monkeypatch):
    monkeypatch.setattr("tessera.identify.score.ENOUGH", 1.01)
    out = tmp_path / "mine.toml"
    result = CliRunner().invoke(app, ["identify", "fit", str(bare_logs), "-o", str(out)])
    assert result.exit_code == 1, result.output
    assert out.read_text().startswith("# NOT the drive: ")
    assert f"tessera: {out}: NOT the drive: " in result.output


def test_what_no_log_tells_is_said_by_name(bare):
    said = "\n".join(unidentified(bare))
    for name in ("controller.scheduling", "media.write_settle", "media.head_switch", "media.surfaces", "host.link_rate", "firmware.write_cache"):
        assert name in said
    assert cleaning_said(bare) == []


def test_pauses_of_the_host_that_add_up_are_seen_by_the_logs_clock():
    """Pauses that vary by 20 us are 2.8 ms off after 20,000 requests, a third of a turn; the log's clock shows whole milliseconds."""
    rng = np.random.default_rng(1)
    latency, pause = rng.uniform(2e-3, 20e-3, 20_000), rng.normal(100e-6, 20e-6, 20_000)
    ended = np.cumsum(latency) + np.concatenate([[0], np.cumsum(pause[:-1])])
    found, gap = clock(np.floor(ended * 1e3) * 1e-3, latency)
    off = found - ended
    assert abs(gap - 100e-6) < 1e-6
    assert (off - off.mean()).std() < 0.15e-3


def test_a_media_cache_shows_by_its_cliff_and_its_pauses():
    latency = np.full(80_000, 20e-6)
    latency[1900::1900] = 0.3
    latency[60_000:] = 0.25
    requests = np.zeros(len(latency), dtype=[("length", "u4"), ("offset", "u8")])
    requests["length"] = 4096
    log = Log(BY_NAME["cleaning"], requests, latency, np.cumsum(latency), 8e-6, 4096)
    burst = Log(BY_NAME["burst-small"], requests[:256], latency[:256], np.cumsum(latency[:256]), 8e-6, 4096)
    cleaning = write_cache({"cleaning": log, "burst-small": burst}).cleaning
    assert abs(cleaning.cliff[0] - 60_000 * 4096) <= 2 * cleaning.cliff[1]
    assert (cleaning.before.apart, round(cleaning.before.length, 3), round(cleaning.after.length, 3)) == (1900, 0.3, 0.25)
