"""From the figures of a data sheet to a drive: each is met within 5 %, by a run, or the sentence says which contradict each other."""

import math
import os
import pty
import subprocess
import sys
import tomllib
from dataclasses import dataclass

import numpy as np
import pytest
from simulate import simulate
from typer.testing import CliRunner

from tessera.cli import app
from tessera.datasheet.description import Design
from tessera.datasheet.figures import Sheet, addresses
from tessera.datasheet.fit import design_of
from tessera.datasheet.measured import Bench
from tessera.errors import InputError

pytestmark = pytest.mark.usefixtures("the_built_simulator")

# Published figures, as docs/validation/drives.md and the library's drives have them: Exos X24, data sheet DS2080-2307US and Blocks and Files, 18 October 2023; Exos M
# (conventional), data sheet DS2045-4-2504US; Ultrastar DC HC580 and HC680, data sheets; Exos 2X18, data sheet DS2093; the ST8000DM004, product manual 100805918. The Cheetah is
# a drive of 1998, ST39102LW, with the figures that others extracted from it: rates are those of its outermost and innermost tracks with their skews. The interlaced one is the
# library's class of 20 TB.
SHEETS = {
    "Exos X24": {
        "capacity": "24 TB", "platters": 10, "rpm": 7200, "outer": "285 MB/s", "cache": "512 MB", "interface": "6 Gb/s", "random-reads": 168, "random-writes": 550, "depth": 16,
    },
    "Exos M": {"capacity": "32 TB", "platters": 10, "rpm": 7200, "outer": "285 MB/s", "cache": "512 MB", "interface": "SATA 6 Gb/s", "random-reads": 170, "random-writes": 350},
    "Exos 2X18": {"capacity": "18 TB", "platters": 9, "arms": 2, "rpm": 7200, "outer": "554 MB/s", "cache": "256 MB", "random-reads": 304, "random-writes": 560},
    "Ultrastar DC HC580": {"capacity": "24 TB", "platters": 10, "rpm": 7200, "outer": "298 MB/s", "cache": "512 MiB", "random-reads": 212, "depth": 32},
    "Ultrastar DC HC680": {"capacity": "28 TB", "platters": 10, "recording": "zoned", "rpm": 7200, "outer": "265 MB/s", "cache": "512 MB"},
    "ST8000DM004": {"capacity": "8 TB", "platters": 4, "recording": "shingled", "rpm": 5425, "outer": "190 MB/s", "cache": "256 MB"},
    "interlaced": {"capacity": "20 TB", "platters": 9, "recording": "interlaced", "rpm": 7200, "outer": "180 MB/s", "inner": "150 MB/s", "cache": "512 MiB"},
    "Cheetah 9LP": {
        "capacity": "9105018880 B", "surfaces": 12, "rpm": 10045, "sector": "512 B", "outer": "15.7 MB/s", "inner": "10.3 MB/s", "seek-read": "5.4 ms", "seek-write": "5.86 ms",
        "track-to-track": "0.831 ms", "cache": "1 MiB",
    },
}  # fmt: skip
GIVEN = {"arms", "depth", "platters", "recording", "sector"}  # no figures of their own, or in a row of another name
CONTRADICTIONS = [
    ({"seek-read": "0.2 ms", "track-to-track": "0.3 ms"}, "the average seek (200 us) is no longer than the one from track to track (300 us)"),
    ({"seek-read": "8 ms", "seek-write": "7 ms"}, "writes seek faster (7.00 ms) than reads (8.00 ms)"),
    ({"outer": "554 MB/s"}, "554 MB/s at 7200 rpm are 4.62 MB per turn under each head; expected at most 3.5 MB (a drive whose two arms read at once is described with --arms 2)"),
    ({"interface": "1.5 Gb/s"}, "the platters (285 MB/s) are faster than the interface (150 MB/s)"),
    ({"seek-write": "0.3 ms", "track-to-track": "0.3 ms"}, "the average seek (200 us) is no longer than the one from track to track (300 us)"),
    ({"recording": "zoned", "random-writes": 350}, "350 random writes per s, and a zoned drive, which takes writes only at the write pointers of its zones"),
    ({"inner": "300 MB/s"}, "the inner tracks (300 MB/s) are faster than the outer ones (285 MB/s)"),
    ({"seek-read": "8 ms", "random-reads": 50, "depth": 1}, "50 random reads per s, one at a time, and an average seek of 8.00 ms with half a turn of 120 Hz, which give 82.2 per s"),
    ({"seek-read": "8 ms", "random-reads": 50, "depth": 16}, "50 random reads per s at depth 16 are fewer than an average seek of 8.00 ms gives one at a time (82.2 per s)"),
    ({"platters": 1}, "tracks per surface; expected at most 2,000,000"),
    ({"capacity": "1 GB"}, "tracks per surface; expected at least 1,000"),
]  # fmt: skip
GOOD = {"capacity": "24 TB", "platters": 10, "rpm": 7200, "outer": "285 MB/s"}


def new(out, figures) -> tuple[int, str]:
    words = [word for name, value in figures.items() for word in (f"--{name}", str(value)) if word]
    done = CliRunner().invoke(app, ["drive", "new", "mine", *words, "--out", str(out)])
    return done.exit_code, done.output


@pytest.mark.parametrize("name", SHEETS)
def test_a_drive_has_the_figures_of_its_data_sheet(tmp_path, name):
    status, said = new(tmp_path / "mine.toml", SHEETS[name])
    assert status == 0, said
    rows = [line for line in said.splitlines() if line.endswith(" met")]
    assert not [row for row in rows if row.endswith("not met")]
    assert len(rows) == len(set(SHEETS[name]) - GIVEN | {"surfaces"}) - (name == "Cheetah 9LP")  # its cache is less than the firmware needs
    assert max(abs(float(row.rsplit("%", 1)[0].split()[-1])) for row in rows) <= 5
    assert "warning" not in simulate("check", tmp_path / "mine.toml").stdout
    media = tomllib.loads((tmp_path / "mine.toml").read_text())["media"]
    passing = float(SHEETS[name]["outer"].split()[0]) * 1e6 * 60 / float(media["rpm"].split()[0]) / SHEETS[name].get("arms", 1) / int(media["sector_size"].split()[0])
    assert media["zones"][0][1] <= 1.25 * passing  # what skews and steps take, not a turn per track


def test_a_description_that_misses_a_figure_is_not_written(tmp_path):
    """A shingled disk's cache on the platters takes random writes at its own rate."""
    status, said = new(tmp_path / "mine.toml", SHEETS["ST8000DM004"] | {"random-writes": 350})
    assert status == 1 and "random writes, depth 16" in said and "mine.toml is not written" in said
    assert not list(tmp_path.iterdir())


def test_random_writes_that_the_queue_alone_cannot_order_are_refused_without_a_write_cache(tmp_path):
    status, said = new(tmp_path / "mine.toml", GOOD | {"random-reads": 168, "random-writes": 550, "no-write-cache": ""})
    assert status == 2 and "550 random writes per s at depth 16 without a write cache" in said and "the order of 16 commands gives 1" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("figures", "sentence"), CONTRADICTIONS)
def test_figures_that_contradict_each_other_are_named_and_nothing_is_written(tmp_path, figures, sentence):
    status, said = new(tmp_path / "mine.toml", GOOD | figures)
    assert status == 2 and "figures of the sheet contradict each other: " in said and sentence in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("figures", "said"), [
    ({}, "--capacity --platters --rpm --outer: expected the figures of the data sheet"), (GOOD | {"outer": "285"}, "outer: expected a figure such as \"285 MB/s\", found '285'"),
    (GOOD | {"capacity": "24 ms"}, 'capacity: expected a figure such as "24 TB"'), (GOOD | {"surfaces": 30}, "30 surfaces are more than 10 platters have"),
    (GOOD | {"sector": "1 KiB"}, "sector: expected 512 B or 4 KiB"), (GOOD | {"rpm": "nan"}, "rpm: expected a figure such as 7200"), (GOOD | {"random-reads": "nan"}, "random-reads"),
    (GOOD | {"recording": "shingld"}, "unknown recording 'shingld'; did you mean 'shingled'?"), (GOOD | {"interface": "fast"}, "interface: expected a figure such as \"6 Gb/s\" or \"600 MB/s\", found 'fast'"),
    (GOOD | {"platters": 0}, "platters: expected 1 to 64, found 0"), (GOOD | {"depth": 64}, "depth: expected 1 to 32, found 64"), (GOOD | {"arms": 3}, "arms: expected 1 to 2, found 3"),
    (GOOD | {"recording": "zoned", "arms": 2}, "arms: expected 1, or 2 on a conventional drive"),
])  # fmt: skip
def test_a_figure_that_is_none_is_named(tmp_path, figures, said):
    status, found = new(tmp_path / "mine.toml", figures)
    assert status == 2 and said in found


def test_a_description_that_is_there_stays(tmp_path):
    (tmp_path / "mine.toml").write_text("mine")
    status, said = new(tmp_path / "mine.toml", GOOD)
    assert status == 2 and "is there already" in said and (tmp_path / "mine.toml").read_text() == "mine"


def test_a_terminal_is_asked_for_what_is_missing_and_again_where_the_answer_is_no_figure(tmp_path):
    """Written ahead: a capacity without its unit, then with it; platters; an inner rate above the outer; and nothing more."""
    ours, theirs = pty.openpty()
    os.write(ours, "\n".join(["24", "24 TB", "10", "300 MB/s", *[""] * 12, ""]).encode())
    words = [sys.executable, "-m", "tessera", "drive", "new", "mine", "--rpm", "7200", "--outer", "285 MB/s", "--out", str(tmp_path / "mine.toml")]
    done = subprocess.run(words, stdin=theirs, capture_output=True, text=True, timeout=60, check=False)
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2 and "the inner tracks (300 MB/s) are faster than the outer ones (285 MB/s)" in done.stderr
    assert "capacity: expected a figure such as \"24 TB\", found '24'" in done.stdout + done.stderr
    assert "Turns per minute" not in done.stdout and not list(tmp_path.iterdir())


def test_an_interrupted_command_leaves_no_description(tmp_path, monkeypatch):
    def interrupt(*_: object) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(Bench, "capacity", interrupt)  # after the fit
    status, said = new(tmp_path / "mine.toml", GOOD)
    assert status == 130 and "interrupted" in said and not list(tmp_path.iterdir())


@dataclass
class Law:
    """A drive by formula: what the fit chooses is held against it without a run."""

    gain: float = 2.0
    kept: float = 0.0
    """Share of the platters that the layer keeps."""

    def held(self, design: Design) -> float:
        tracks = np.diff([-1, *design.last_radii])
        return (1 - self.kept) * float(tracks @ np.array(design.track_sectors)) * design.sheet.surfaces * design.sheet.sector

    def stream(self, design: Design, inside: bool) -> float:
        return design.inner if inside else design.outer

    def reads_per_second(self, design: Design) -> float:
        alone = design.sheet.arms / (design.seek + design.sheet.turn / 2)
        order = {"shortest_positioning": 1.0, "c_look": 0.5, "first_come": 0.0}[design.scheduling]
        return alone * (1 + (self.gain - 1) * order * min(1.0, design.age_limit / 2))

    def writes_per_second(self, design: Design) -> float:
        return 60.0 if design.write_cache == 0 else 100 * math.sqrt(design.destage_depth)


def sheet(**figures: object) -> Sheet:
    return Sheet(**{"name": "mine", "capacity": 24 * 10**12, "surfaces": 20, "rpm": 7200, "outer": 285e6, **figures})


@pytest.mark.parametrize("reads", [90, 120, 150, 190, 230])
def test_seeks_that_are_not_printed_come_from_the_random_reads(reads):
    law = Law()
    design = design_of(sheet(random_reads=reads), law)
    assert law.reads_per_second(design) == pytest.approx(reads, rel=0.02)


@pytest.mark.parametrize("reads", [83, 100, 130, 164])
def test_seeks_that_are_printed_stay_and_the_queue_is_chosen(reads):
    law = Law()
    design = design_of(sheet(random_reads=reads, seek_read=0.008), law)
    assert design.seek == 0.008 and law.reads_per_second(design) == pytest.approx(reads, rel=0.02)


@pytest.mark.parametrize(("figures", "sentence"), [
    ({"random_reads": 170, "seek_read": 0.008, "depth": 16}, "170 random reads per s at depth 16, an average seek of 8.00 ms and 7200 rpm: the best order of 16 commands gives 148"),
    ({"random_reads": 900}, "900 random reads per s at depth 16 and 7200 rpm: seeks of 2.50 ms on average, shorter than any disk's, give 300"),
    ({"random_reads": 20}, "20 random reads per s at depth 16 and 7200 rpm: seeks of 40.0 ms on average give"),
])  # fmt: skip
def test_random_reads_that_no_choice_gives_are_named_with_what_they_contradict(figures, sentence):
    with pytest.raises(InputError, match="contradict") as refused:
        design_of(sheet(**figures), Law(1.8 if "seek_read" in figures else 2.0))
    assert sentence in str(refused.value)


@pytest.mark.parametrize(("writes", "depth"), [(100, 1), (300, 9), (800, 64), (3200, 1024)])
def test_random_writes_choose_how_many_are_destaged_at_once(writes, depth):
    assert design_of(sheet(random_writes=writes), Law()).destage_depth == depth


@pytest.mark.parametrize(("figures", "sentence"), [
    ({"random_writes": 5000}, "5000 random writes per s at depth 16, seeks of 2.50 ms on average and 7200 rpm: the best order of 2,048 cached writes gives 4.53e+03"),
    ({"random_writes": 5000, "seek_read": 0.008}, "5000 random writes per s at depth 16, seeks of 8.00 ms on average and 7200 rpm: the best order of 2,048 cached writes gives 4.53e+03"),
    ({"random_writes": 50}, "50 random writes per s at depth 16, seeks of 8.50 ms on average and 7200 rpm: without a cache there are 60"),
    ({"random_writes": 90, "write_cache": False}, "90 random writes per s at depth 16 without a write cache"),
])  # fmt: skip
def test_random_writes_that_no_order_gives_are_named_with_what_they_contradict(figures, sentence):
    with pytest.raises(InputError, match="contradict") as refused:
        design_of(sheet(**figures), Law())
    assert sentence in str(refused.value)


@dataclass
class SlowWriter(Law):
    """Whose writes, too, take their seeks."""

    def writes_per_second(self, design: Design) -> float:
        return math.sqrt(design.destage_depth) * self.reads_per_second(design) / 10


def test_seeks_that_are_not_printed_are_as_short_as_random_reads_allow_where_random_writes_need_it():
    law = SlowWriter()
    design = design_of(sheet(random_reads=170, random_writes=3.2 * 170 * 1.03), law)
    assert 1.0 < law.reads_per_second(design) / 170 <= 1.05
    assert law.writes_per_second(design) == pytest.approx(3.2 * 170 * 1.03, rel=0.05)


@pytest.mark.parametrize("recording", ["shingled", "interlaced", "zoned"])
@pytest.mark.parametrize("kept", [0.02, 0.3])
def test_what_the_layer_keeps_of_the_platters_is_made_good(recording, kept):
    law = Law(kept=kept)
    design = design_of(sheet(recording=recording), law)
    assert 1 <= law.held(design) / (design.sheet.sectors * design.sheet.sector) <= 1.003


def test_capacities_are_the_addresses_that_drives_are_sold_with():
    assert addresses(24 * 10**12) == 5859442688 * 8  # of the ST24000NM002H
    assert addresses(4 * 10**12) == 7_814_037_168    # of every 4 TB drive
    assert addresses(17_783_240 * 512) == 17_783_240


def test_what_is_measured_is_measured_once():
    bench = Bench()
    bench._rates[(design := Design(sheet(), 0.008, 285e6, 140e6), "read")] = 7.0
    assert bench.reads_per_second(design.but(found=("a remark",))) == 7.0
