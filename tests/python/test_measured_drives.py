"""The library of measured drives: each is found by name, and stays as close to its measured trace as the page says."""

import tomllib

import numpy as np
import pytest
from samples import BUILD
from simulate import simulate
from rich.console import Console
from typer.testing import CliRunner

from tessera import InputError
from tessera.cli import app
from tessera.engine.simulator import REPOSITORY
from tessera.identify.measured_trace import read_measured
from tessera.identify.response_errors import by_request, classes_in_detail, hits_by_place, hits_called_right, reads_after_a_read
from validation.drives import measured_library
from validation.drives.measured_library import DRIVES, FOLDER, MeasuredDrive, library_text, measured_rows, replay, row_of

# RMS over sorted responses, and by request, in ms, that a drive may have; a little over the page's.
MOST = {
    "quantum-atlas-10k": (0.135, 1.85), "quantum-atlas-iii": (0.32, 2.84), "seagate-cheetah-4lp": (0.30, 1.88), "seagate-cheetah-9lp": (0.15, 1.78),
    "hp-c2247a": (0.093, 2.22), "hp-c3323a-measured": (0.26, 3.80), "dec-rz26": (0.34, 3.76),
}  # fmt: skip


@pytest.fixture(autouse=True)
def the_built_simulator(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))


def test_each_drive_is_listed_and_has_a_limit():
    listed = simulate("list", "drives").stdout
    assert all(drive.name in listed for drive in DRIVES)
    assert {drive.name for drive in DRIVES} == set(MOST)


@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: drive.name)
def test_a_drive_answers_as_the_real_one(drive, tmp_path):
    trace = FOLDER / f"{drive.trace}.trace.xz"
    if not trace.exists():
        pytest.skip(f"{trace} is not there: measured traces are no part of the project")
    row = row_of(drive, *replay(drive.name, trace, tmp_path / "run"))
    assert row.rms <= MOST[drive.name][0] and row.by_request <= MOST[drive.name][1]


# What the trace decided, in the words of the page's rows: the rest is what the published files say.
INFERRED = {
    "quantum-atlas-iii": {"firmware.read_cache.read_ahead_on"},
    "hp-c3323a-measured": {"media.zones"},
    "dec-rz26": {
        "media.write_settles", "host.read_lag", "firmware.overheads.read_miss_after_read", "firmware.overheads.read_miss_after_write",
    },
}  # fmt: skip


def flat(table: dict, prefix: str = "") -> dict:
    found = {}
    for key, value in table.items():
        found.update(flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return found


@pytest.mark.parametrize("drive", DRIVES, ids=lambda drive: drive.name)
def test_a_drive_is_what_the_importer_makes_of_its_files_but_for_what_its_row_names(drive, tmp_path):
    parameters = FOLDER / f"{drive.trace}.parv"
    if not parameters.exists():
        pytest.skip(f"{parameters} is not there: published parameter files are no part of the project")
    imported = tmp_path / "imported.toml"
    result = CliRunner().invoke(app, ["import", "disksim", str(parameters), "--out", str(imported)])
    assert result.exit_code == 0, result.output
    made, kept = (flat(tomllib.loads(file.read_text())) for file in (imported, REPOSITORY / "platforms/drives/measured" / f"{drive.name}.toml"))
    differ = {key for key in made.keys() | kept.keys() if made.get(key) != kept.get(key) and key != "summary"}
    assert differ == INFERRED.get(drive.name, set())


def synthetic(path, shift_us: float = 0) -> None:
    """Reads and writes all over a drive and in runs, with the responses that the model itself has, and a constant more."""
    path.write_text("".join(f"{'RW'[i % 3 == 2]} - {(i // 4 * 7919 * 64) % 1_500_000 + i % 4 * 8} 8 0 {3000 + i % 7 * 1100}\n" for i in range(240)))
    _, model = replay("dec-rz26", path, path.parent / "first")
    rows = path.read_text().split("\n")
    path.write_text("".join(" ".join([*row.split()[:4], f"{1000 * ms + shift_us:.3f}", row.split()[5]]) + "\n" for row, ms in zip(rows, model)))


def test_synthetic_responses_come_back_and_a_constant_is_the_error(tmp_path):
    trace = tmp_path / "rz.trace.xz"  # read by its contents, which are plain
    synthetic(trace, 250)
    drive = MeasuredDrive("dec-rz26", "a drive", "rz", 0.3, "none")
    (row,) = measured_rows(tmp_path, tmp_path / "out", [drive])
    assert row.rms == pytest.approx(0.25, abs=1e-3) and row.by_request == pytest.approx(0.25, abs=1e-3) and row.hits > 0.95
    assert {name: round(error[1], 2) for name, error in row.classes.items() if error} == {name: -0.25 for name, error in row.classes.items() if error}
    text = library_text([row])
    assert "| `dec-rz26` | a drive | 0.300 | 0.250 | prediction |" in text
    with pytest.raises(InputError, match="no trace of rz"):
        measured_rows(tmp_path / "none", tmp_path / "out", [drive])


def test_the_page_gets_its_table_between_the_marks(tmp_path, monkeypatch):
    synthetic(tmp_path / "dec_rz26.trace.xz")
    page = tmp_path / "page.md"
    command = measured_library.COMMAND
    page.write_text(f"a\n<!-- {command}: begin -->\nold\n<!-- {command}: end -->\nb\n")
    measured_library.write_library(Console(record=True), tmp_path, tmp_path / "out", page)
    assert "old" not in page.read_text() and "| `dec-rz26` | DEC RZ26, 1 GB, 5,360 rpm | 0.341 | 0.000 |" in page.read_text()


def test_requests_are_classed_by_what_they_follow(tmp_path):
    path = tmp_path / "t"
    path.write_text("R - 100 8 14000 0\nW - 108 4 9000 0\nR - 112 2 1500 0\nR - 5000 1 12000 0\nW - 9 1 5000 0\n")
    trace = read_measured(path)
    found = {name: np.flatnonzero(chosen).tolist() for name, chosen in classes_in_detail(trace).items()}
    assert found["writes, sequential"] == [1] and found["reads, sequential"] == [2]
    assert found["reads, after a read"] == [3] and found["writes, after a read"] == [4] and found["reads, after a write"] == []
    model = np.array([14.0, 9.0, 12.0, 12.0, 5.0])  # the hit was called a miss
    assert hits_called_right(trace, model) == pytest.approx(2 / 3)
    assert by_request(trace["response_ms"], model) == pytest.approx(10.5 / 5**0.5)


def test_reads_after_a_read_are_told_apart_by_where_they_begin(tmp_path):
    path = tmp_path / "t"
    places = (100, 108, 116, 118, 118, 54, 53, 500)  # of eight blocks: two in sequence, inside, again, 64 before, one before, far away
    path.write_text("".join(f"R - {place} 8 {1000 if place in (108, 118) else 9000} 0\n" for place in places) + "W - 508 8 9000 0\nR - 516 8 9000 0\n")
    trace = read_measured(path)
    found = {kind: np.flatnonzero(chosen).tolist() for kind, chosen in reads_after_a_read(trace).items()}
    assert list(found.values()) == [[1], [2], [3, 4], [5, 6]]
    model = np.where(np.arange(len(trace)) == 2, 1.0, 9.0)
    assert list(hits_by_place(trace, model).values()) == [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
    assert hits_by_place(trace[-2:], model[-2:])["inside it"] is None
