"""A workload by its published statistics: what goes in comes out of the generator."""

import csv
import lzma
import tomllib

import numpy as np
import pytest
from simulate import run, simulate
from typer.testing import CliRunner

from tessera.cli import app
from tessera.errors import InputError
from tessera.traces.published_workload import (
    PAGE,
    PERCENTS,
    WEEK_US,
    Row,
    Shape,
    description,
    fitted_tail,
    gap_rows,
    hot_shares,
    read_table,
    row_of,
    share_of_hottest,
    size_rows,
    zipf_exponent,
)

TRACK = 2 * 1024 * 1024


def made_up_row() -> Row:
    """A million requests, half of them writes; 100,000 pages written, of which a few are hot."""
    requests, pages = 1_000_000, 100_000
    cells = {
        "block_req_count": requests,
        "write_block_req_count": requests / 2,
        "read_block_req_count": requests / 2,
        "write_block_req_split": 0.5,
        "write_seq_count": 50_000,
        "read_seq_count": 250_000,
        "range": 100 * 2**30,
        "write_page_working_set_size": pages * PAGE,
        "write_io_request_size_sum": 500_000 * 12_000,
        "read_io_request_size_sum": 500_000 * 4096,
    }
    for percent in PERCENTS:
        cells[f"{percent}_iat_popularity"] = 500 * 2 ** (percent / 10) if percent < 100 else 5e9
        cells[f"{percent}_write_block_request_size"] = 4096 if percent < 50 else 8192 if percent < 95 else 65_536 if percent < 100 else 262_144
        cells[f"{percent}_read_block_request_size"] = 4096
        cells[f"{percent}_write_page_popularity"] = 2e-6 if percent < 95 else 1e-5 if percent < 100 else 0.02
    return Row("made-up", {key: str(value) for key, value in cells.items()})


def test_gaps_have_the_published_percentiles_and_the_mean_of_the_requests_over_a_week():
    rows = gap_rows(made_up_row())
    assert dict(rows)[50] == 500 * 2**5
    assert rows[-1] == (100.0, pytest.approx(5e9))
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in zip(rows, rows[1:], strict=False))
    mean = rows[0][0] / 100 * rows[0][1] + sum((b[0] - a[0]) / 100 * (a[1] + b[1]) / 2 for a, b in zip(rows, rows[1:], strict=False))
    assert mean == pytest.approx(WEEK_US / 1e6, rel=0.02)


def test_a_tail_has_its_extremes_and_its_sum():
    # A thousand values: fifty in the tail, of 1 to 100, that sum to 500: between 50 * 1 + 99 and 50 * 100.
    tail = fitted_tail(100.0, 1.0, 1000, 500.0)
    assert tail.knots[0] == (1.0, 100.0)
    assert tail.knots[-1] == (pytest.approx(50.0), pytest.approx(1.0))
    assert tail.sum_to(50) == pytest.approx(500, rel=1e-6)
    assert tail.sum_to(1) == 100.0
    assert 100 < tail.sum_to(5) < tail.sum_to(10) < 500


def test_sizes_are_multiples_of_a_block_with_the_published_mean():
    rows = size_rows(made_up_row(), "write")
    assert [size for size, _ in rows] == [4096, 8192, 65_536, 262_144][: len(rows)]
    assert sum(weight for _, weight in rows) == pytest.approx(100, abs=0.01)
    # Below the 95 %: 47.5 of 4 KiB, 45 of 8 KiB and 2.5 of 64 KiB make 7,270 B; the last five of 64 and 256 KiB make up the rest of 12,000.
    assert sum(size * weight for size, weight in rows) / 100 == pytest.approx(12_000, rel=0.01)
    assert size_rows(made_up_row(), "read") == [(4096, 100)]


def test_the_hottest_pages_get_what_the_percentiles_leave():
    row = made_up_row()
    # The colder 95,000 pages have 2e-6 each and, in the last step, up to 1e-5: about 0.2 in all, so the hottest 5,000 get 0.8.
    assert share_of_hottest(row, 5_000 * PAGE) == pytest.approx(0.79, abs=0.02)
    assert share_of_hottest(row, 100_000 * PAGE) == pytest.approx(1.0, abs=1e-9)
    assert share_of_hottest(row, PAGE) == pytest.approx(0.02)
    assert share_of_hottest(row, 50_000 * PAGE) == pytest.approx(1 - 0.1, abs=0.01)


def test_the_exponent_gives_the_first_few_their_share():
    for few, share in ((5, 0.05), (5, 0.3), (10, 0.9)):
        exponent = zipf_exponent(100, few, share)
        weights = [rank**-exponent for rank in range(1, 101)]
        assert sum(weights[:few]) / sum(weights) == pytest.approx(share, abs=1e-3)
    assert zipf_exponent(100, 5, 0.01) == 0  # less than evenly is not to be had


def test_a_share_that_a_paper_prints_goes_before_the_estimate():
    row = made_up_row()
    assert hot_shares(row, Shape(share=0.4))[0] == 0.4
    assert hot_shares(row, Shape(share=0.4, few_share=0.3)) == (0.4, 0.3)


def test_the_generator_makes_what_the_table_says(tmp_path):
    workload = tmp_path / "made-up.toml"
    workload.write_text(description(made_up_row(), Shape(tracks=10, share=0.6, few=2, few_share=0.3, run_length=2)))
    assert tomllib.loads(workload.read_text())["hot"]["share"] == 0.6
    out = tmp_path / "run"
    log = run(out, "interlaced-paper", "--layer", "cmr", "--workload", workload, "--limit", 20_000, "--requests").requests
    assert len(log) == 20_000
    assert log["lba"].max() * 512 < 100 * 2**30
    tracks = np.bincount(log["lba"] * 512 // TRACK)
    # Half of the requests write, 60 % of these on ten tracks but for the tenth that goes on where the one before ended; reads go anywhere.
    assert np.sort(tracks)[-10:].sum() / len(log) == pytest.approx(0.5 * 0.6, abs=0.05)


def test_a_table_is_read_plain_and_compressed_and_a_wrong_name_is_told_the_nearest(tmp_path):
    cells = made_up_row().cells
    plain = tmp_path / "table.csv"
    with plain.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["workload", *cells])
        writer.writeheader()
        for name in ("w39", "w106"):
            writer.writerow({"workload": name, **cells})
    packed = tmp_path / "table.csv.xz"
    packed.write_bytes(lzma.compress(plain.read_bytes()))
    assert list(read_table(packed)) == list(read_table(plain)) == ["w39", "w106"]
    with pytest.raises(InputError, match="'w38'; did you mean 'w39'"):
        row_of(plain, "w38")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="names no column 'workload'"):
        read_table(tmp_path / "other.csv")
    packed.write_bytes(packed.read_bytes()[:-40])
    with pytest.raises(InputError):
        read_table(packed)
    with pytest.raises(InputError, match="column 'range' is missing"):
        description(Row("w1", {key: value for key, value in cells.items() if key != "range"}))


def test_the_command_writes_a_workload_that_the_simulator_takes(tmp_path):
    table = tmp_path / "table.csv"
    cells = made_up_row().cells
    with table.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["workload", *cells])
        writer.writeheader()
        writer.writerow({"workload": "w39", **cells})
    command = CliRunner()
    assert command.invoke(app, ["workload", str(table)]).output.split() == ["w39"]
    out = tmp_path / "w39.toml"
    assert command.invoke(app, ["workload", str(table), "w39", "--tracks", "10", "--run-length", "2", "--out", str(out)]).exit_code == 0
    simulate("run", "interlaced-paper", "--layer", "cmr", "--workload", out, "--limit", 100, "--out", tmp_path / "run")
    assert command.invoke(app, ["workload", str(table), "w93"]).exit_code == 2
    assert command.invoke(app, ["workload", str(table), "w39", "--track", "5000"]).exit_code == 2
