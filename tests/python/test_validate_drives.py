"""The command that holds a drive of the model against a trace of measured responses."""

import gzip
import lzma

import numpy as np
import pytest
from rich.console import Console
from samples import BUILD
from typer.testing import CliRunner

from tessera.cli import app
from tessera.identify.measured_trace import TraceError, read_measured
from tessera.identify.response_errors import classes, demerit, errors_by_class
from tessera.results.request_log import latency_ms
from tessera.results.run_folder import Run
from validation.drives import consumer, shingled_reads as reads, shingled_runs, think_trace
from validation.drives.closed_form import Drive, Place
from validation.drives.mechanics import DRIVES, compare_mechanics, differences, write_mechanics
from validation.drives.shingled import CHECKS, Check
from validation.drives.shingled_latency import latencies_of, seconds_by_50_000
from validation.drives.shingled_pause import absorbed_of as absorbed_of_pause
from validation.drives.shingled_runs import MIB, absorbed_of, cliff_of, stalls_of, synced_of

LINES = """# a comment
R Miss 100 8 14000.5 2000.0
W Doub 108 4 9000.0 3000.25

R Hit 112 2 1500.0 0
R Miss 5000 1 12000.0 100
"""


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "four.trace"
    path.write_text(LINES)
    return path


def validate(*arguments) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["validate", "drives", *map(str, arguments)], env={"TESSERA_SIM": str(BUILD / "tessera-sim")})
    return result.exit_code, result.output


@pytest.mark.parametrize("opened", (open, gzip.open, lzma.open))
def test_a_trace_reads_the_same_plain_and_compressed(tmp_path, opened):
    path = tmp_path / "t"
    with opened(path, "wt") as file:
        file.write(LINES)
    rows = read_measured(path)
    assert rows["write"].tolist() == [False, True, False, False]
    assert rows["block"].tolist() == [100, 108, 112, 5000]
    assert rows["blocks"].tolist() == [8, 4, 2, 1]
    assert rows["response_ms"].tolist() == [14.0005, 9.0, 1.5, 12.0]
    assert rows["think_ms"].tolist() == [2.0, 3.00025, 0.0, 0.1]


@pytest.mark.parametrize(
    ("line", "found"),
    (
        ("R Miss 1 2 3", ":2: expected R|W class block blocks service_us think_us, found 'R Miss 1 2 3'"),
        ("X Miss 1 2 3 4", ":2: expected R|W class"),
        ("R Miss one 2 3 4", ":2: invalid literal"),
        ("R Miss 1 0 3 4", ":2: expected a block, at least one block's length"),
        ("R Miss -1 2 3 4", ":2: expected a block"),
        ("R Miss 1 2 nan 4", ":2: expected a block"),
        ("R Miss 1 2 3 -4", ":2: expected a block"),
    ),
)
def test_a_bad_line_is_named_with_what_was_expected(tmp_path, line, found):
    path = tmp_path / "t"
    path.write_text(f"R Miss 1 2 3 4\n{line}\n")
    with pytest.raises(TraceError, match="^" + str(path)) as error:
        read_measured(path)
    assert found in str(error.value)


def test_a_trace_that_is_none_is_refused(tmp_path):
    (tmp_path / "empty").write_text("# nothing\n\n")
    (tmp_path / "binary").write_bytes(bytes(range(128, 256)))
    (tmp_path / "cut").write_bytes(lzma.compress(LINES.encode() * 1000)[:60])
    for name, message in (("empty", "holds no request"), ("binary", "not a text"), ("cut", "cut: "), ("absent", "No such file")):
        with pytest.raises(TraceError, match=message):
            read_measured(tmp_path / name)


def test_the_demerit_figure_is_the_distance_of_the_curves_and_not_of_the_requests():
    # Sorted: 1 2 4 beside 1 3 7: distances 0, 1 and 3, so the root of 10/3.
    assert demerit(np.array([4.0, 1.0, 2.0]), np.array([1.0, 7.0, 3.0])) == pytest.approx((10 / 3) ** 0.5)
    assert demerit(np.array([4.0, 1.0]), np.array([1.0, 4.0])) == 0
    with pytest.raises(ValueError, match="2 and 1"):
        demerit(np.array([1.0, 2.0]), np.array([1.0]))


def test_classes_are_what_follows_what(trace):
    found = {name: chosen.tolist() for name, chosen in classes(read_measured(trace)).items()}
    assert found == {
        "all": [True] * 4,
        "read": [True, False, True, True],
        "write": [False, True, False, False],
        "sequential": [False, True, True, False],
        "after read": [False, True, False, True],
        "after write": [False, False, True, False],
    }


def test_a_first_request_follows_nothing_even_where_it_begins_at_the_end_of_the_last(tmp_path):
    path = tmp_path / "t"
    path.write_text("R Miss 10 2 1 1\nW Miss 8 2 1 1\n")
    chosen = classes(read_measured(path))
    assert chosen["sequential"].tolist() == [False, False]
    assert chosen["after write"].tolist() == [False, False]


def test_a_model_that_is_late_by_a_constant_has_it_as_mean_error_and_as_rms(trace):
    measured = read_measured(trace)
    for error in errors_by_class(measured, measured["response_ms"] + 0.25):
        assert error.mean_error == pytest.approx(0.25)
        assert error.rms == pytest.approx(0.25)
    reads = measured[~measured["write"]]
    empty = {error.name: error for error in errors_by_class(reads, reads["response_ms"])}["write"]
    assert (empty.requests, empty.rms, empty.mean_error, empty.relative) == (0, None, None, None)


def test_the_command_replays_with_think_times_and_shows_each_class(tmp_path, trace):
    status, output = validate("hp-c3323a", trace, "--out", tmp_path / "out")
    assert status == 0, output
    assert "| sequential | 2 | 5.250 |" in output
    requests = np.sort(np.asarray(Run(tmp_path / "out").requests), order="number")
    gaps = requests["arrival"][1:] - requests["completion"][:-1]
    assert gaps.tolist() == [2_000_000_000, 3_000_250_000, 0]
    assert Run(tmp_path / "out").metric("media.given_up") > 0  # the read-ahead behind the first request, for the second
    assert f"| all | 4 | 9.125 | {latency_ms(requests).mean():.3f} |" in output
    assert (tmp_path / "out" / "responses.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "out" / "responses.md").read_text() in output


def test_bad_input_ends_with_status_2_and_a_message(tmp_path, trace):
    assert validate("hp-c3323a", tmp_path / "absent", "--out", tmp_path / "o") == (2, f"tessera: {tmp_path}/absent: No such file or directory\n")
    status, output = validate("hp_c3323", trace, "--out", tmp_path / "o")
    assert status == 2
    assert "unknown drive 'hp_c3323'; did you mean 'hp-c3323a'?" in output
    beyond = tmp_path / "beyond"
    beyond.write_text("R Miss 2056007 2 1 1\n")
    assert validate("hp-c3323a", beyond, "--out", tmp_path / "o")[0] == 2
    assert validate("hp-c3323a", trace, "--set", "host.tag=1", "--out", tmp_path / "o")[0] == 2


def test_single_accesses_take_what_the_closed_form_says(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- tessera validate mechanics: begin -->\nold\n<!-- tessera validate mechanics: end -->\nb\n")
    console = Console(record=True, width=200)
    write_mechanics(console, DRIVES, tmp_path, 2000, page)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.read_text().splitlines() if line.startswith("| `")]
    assert [row[0] for row in rows] == ["`hp-c3323a`, reads", "`hp-c3323a`, writes", "`cheetah-9lp`, reads", "`cheetah-9lp`, writes"]
    for row in rows:
        assert int(row[1].replace(",", "")) > 900
        assert float(row[4].split()[0]) >= 99.7  # a turn more or less where the head arrives within the electronics' microseconds of the sector
        assert float(row[5]) < 0.02
    assert page.read_text().startswith("a\n<!-- tessera validate mechanics: begin -->\n2,000 single sectors")
    assert "old" not in page.read_text()


def test_the_closed_form_notices_another_skew(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(BUILD / "tessera-sim"))
    compare_mechanics("hp-c3323a", tmp_path, 300)
    description = tmp_path / "run" / "drive.toml"
    assert "[993, 120, 17, 34, 26880, 0]" in description.read_text()
    description.write_text(description.read_text().replace("[993, 120, 17, 34, 26880, 0]", "[993, 120, 18, 34, 26880, 0]"))
    _, model, expected = differences(Run(tmp_path / "run"))
    assert (abs(model - expected) < 0.1).mean() < 0.7


def test_the_closed_form_by_hand():
    """6000 rpm, 2 surfaces, 10 sectors of 1 ms; a link of 0.5 ms a sector."""
    drive = Drive(
        {
            "media": {
                "rpm": "6000 rpm", "surfaces": 2, "sector_size": "512 B", "reserved_sectors": 3, "exported_sectors": 0, "head_switch": "2 ms",
                "write_settle": "500 us", "zones": [[1, 10, 1, 3, 4, 0], [3, 5, 1, 2, 0, 2]], "seek_curve": [[1, 3.0], [3, 4.0]],
            },
            "host": {"link_rate": "1024000 B/s", "write_data": "on_request", "command_overhead": "0 s", "completion_overhead": "0 s",
                     "read_completion_overhead": "250 us"},
            "firmware": {"overheads": {f"{op}_miss_after_{before}": time for op, before, time in (
                ("read", "read", "1 ms"), ("read", "write", "2 ms"), ("write", "read", "3 ms"), ("write", "write", "4 ms"))}},
        }
    )  # fmt: skip
    assert drive.sectors == 2 * 2 * 10 - 3 - 4 + 2 * 2 * 5
    assert drive.place(0) == Place(0, 0, 0.3, 0.1)  # behind three that are reserved
    assert drive.place(7) == Place(0, 1, 0.1, 0.1)  # one of skew
    assert drive.place(17) == Place(1, 0, 0.4, 0.1)  # one of skew and three more
    assert drive.place(33) == Place(2, 0, 0.4, 0.2)  # the next zone begins two of five behind the index mark
    head = drive.place(0)
    assert drive.seek(2) == 3.5 and drive.seek(5) == 5.0
    # Overhead 1, seek 3: at 4 ms the sector passes by; 1 ms for it, 0.5 and 0.25 to the host.
    assert drive.response(0, head, drive.place(17), False, False) == pytest.approx(5.75)
    # Overhead 3, seek and settle 3.5, while the data comes: at 6.5 ms the sector at 4 ms is 7.5 ms away.
    assert drive.response(0, head, drive.place(17), True, False) == pytest.approx(3 + 3.5 + 7.5 + 1)
    # On the track itself the data is awaited: until 4.5 ms, and the sector at 3 ms comes round at 13.
    assert drive.response(0, head, drive.place(0), True, True) == pytest.approx(14)


def test_a_drive_that_the_closed_form_does_not_cover_is_refused(tmp_path):
    result = CliRunner().invoke(app, ["validate", "mechanics", "bare", "--out", str(tmp_path)], env={"TESSERA_SIM": str(BUILD / "tessera-sim")})
    assert result.exit_code == 2
    assert "expected a drive of 512 B sectors" in result.output


def test_the_cliff_is_the_first_interval_of_fewer_than_a_thousand_writes_a_second():
    requests = np.full(250, 2000.0)
    seconds = np.full(250, 0.8)  # 2500 a second
    seconds[95:] = 20.0  # 100 a second, from write 190,001 on
    seconds[40] = 1.99  # 1005 a second is none
    found = cliff_of(requests, seconds)
    assert found.writes == 190_000
    assert found.ms_before == pytest.approx((94 * 0.8 + 1.99) / 190)
    assert found.rate_behind == pytest.approx(100)
    assert cliff_of(requests, np.full(250, 0.8)).writes is None


def test_stalls_are_counted_from_one_to_the_next_and_without_the_write_that_waits():
    times = np.full(1000, 14.0)
    times[[240, 480, 720, 960]] = 814.0
    found = stalls_of(times)
    assert (found.period, found.seconds, found.ms_between) == (240, pytest.approx(0.8), 14.0)


def test_large_writes_are_absorbed_until_the_rate_breaks_down():
    requests = np.full(200, 128.0)
    seconds = np.full(200, 1.0)  # 128 MiB/s
    seconds[160:] = 20.0
    found = absorbed_of(requests, seconds)
    assert found.gib == pytest.approx(160 * 128 * MIB / 2**30)
    assert (found.before, found.behind, found.seconds) == (128.0, pytest.approx(6.4), 160 + 40 * 20.0)


def test_a_check_allows_what_it_says_on_either_side_of_what_was_measured():
    share = Check("w", "d", "q", (100, 200), 0.1, lambda lab: None)
    assert [share.within(value) for value in (89.9, 90.1, 219.9, 220.1, None)] == [False, True, True, False, False]
    factor = Check("w", "d", "q", (100, 200), 2, lambda lab: None, factor=True)
    assert [factor.within(value) for value in (49, 51, 399, 401)] == [False, True, True, False]
    assert share.row(80)[-1] == "does not hold, -20 %"
    assert share.row(120)[-1] == "holds"
    assert share.row(120)[3] == "prediction"
    assert Check("w", "d", "q", (100, 200), 0.1, lambda lab: None, given=True).row(120)[3] == "input"


def test_latencies_are_those_of_the_window_after_the_warm_up():
    times = np.full(60_000, 10.0)  # 100 writes a second
    times[::10] = 50.0
    times[1] = 9000.0  # before the window
    found = latencies_of(times)
    assert (found.longest, found.gap, found.stall, found.long_stalls) == (50.0, 10.0, 50.0, 0)
    assert found.mean == pytest.approx(14.0, abs=0.01)
    assert seconds_by_50_000(np.full(100_000, 2.0)) == [100.0, 100.0]


def test_the_cliff_of_synced_chunks_is_where_the_rate_is_well_below_that_at_first():
    seconds = np.full(200, 1.0)  # 60 MiB/s
    seconds[150:] = 5.0
    found = synced_of(np.full(200, 60.0), seconds, 1)
    assert (found.gib, found.before, found.behind) == (pytest.approx(150 * 60 / 1024), 60.0, 12.0)
    assert synced_of(np.full(200, 60.0), np.full(200, 1.0), 1).gib is None


def test_a_drive_has_absorbed_what_came_before_writes_stay_slow_a_checkpoint_aside():
    fast, slow = np.full(512, 1.0), np.full(32, 160.0)
    fast[128] = 800.0
    assert absorbed_of_pause(np.concatenate([fast, slow])) == pytest.approx(0.5)
    assert absorbed_of_pause(fast) is None
    assert absorbed_of_pause(np.concatenate([slow, fast])) == 0.0


def test_every_check_of_the_drives_as_sold_names_a_drive_that_there_is():
    assert len(CHECKS) == 48
    for check in CHECKS:
        assert (BUILD.parents[1] / "platforms" / "drives" / f"{check.drive}.toml").exists()


def test_a_drive_without_a_trace_is_refused():
    status, told = validate("hp-c3323a")
    assert status == 2
    assert "missing" in told


def test_reads_in_order_are_rated_by_the_region_they_read():
    times = np.concatenate([np.full(100, 500.0), np.full(reads.REGION // MIB, 8.0)])  # writes, then a MiB in 8 ms
    assert reads.rate(times) == pytest.approx(MIB / 1e6 / 8e-3)
    assert reads.waits_of(np.array([1.0, 2.0, 9.0])) == reads.Waits(4.0, 2.0, pytest.approx(8.86), 9.0)


def test_a_quarter_of_the_region_is_rewritten_once_each_and_then_rests():
    written = list(reads.pieces(7.0))
    assert len({each.byte for each in written}) == len(written) == reads.REGION // reads.PIECE // 4
    assert all(each.write and each.size == reads.PIECE and each.byte % reads.PIECE == 0 and each.byte < reads.REGION for each in written)
    assert [each.pause_s for each in written[-2:]] == [0.0, 7.0]
    assert [each.byte for each in reads.in_order()] == [number * MIB for number in range(2048)]


def test_every_run_of_the_shingled_drives_begins_with_empty_caches(tmp_path, monkeypatch):
    """Their protocols fill the caches themselves; a drive file begins with caches in use."""
    told = []
    for module in (shingled_runs, think_trace):
        monkeypatch.setattr(module, "run_simulator", lambda command, quiet: told.append([str(word) for word in command]))
        monkeypatch.setattr(module, "Run", lambda folder: None)
    monkeypatch.setattr(think_trace, "np", None)
    shingled_runs.Lab(tmp_path).run("a", "demo", shingled_runs.small_writes(1))
    with pytest.raises(AttributeError):  # there are no results to read
        think_trace.think_responses(shingled_runs.Lab(tmp_path), "b", "demo", [think_trace.Request(True, MIB, 4096, 0.5)])
    assert [command[command.index("--caches") + 1] for command in told] == ["empty", "empty"]
    assert (tmp_path / "b" / "requests.trace").read_text() == "W 0 2048 8 0 500000\n"


def test_a_published_rate_of_a_disk_that_people_own_is_held_within_seven_percent():
    row = consumer.Row("reads", "MB/s", "wd-wd40efax", lambda _: None, 180)
    assert row.within(192) and not row.within(193) and not row.within(None)
    assert row.cells(198)[-1] == "prediction, does not hold, +10 %" and row.cells(None)[-1] == "prediction, does not hold"
    assert consumer.Row("reads", "MB/s", "wd-wd40efax", lambda _: None).cells(5)[-3:] == ("", "5", "")


@pytest.mark.parametrize(("rates", "hours"), [([100] * 5, 11.111), ([200, 100, 100, 100, 200], 11.111 * 11 / 12)])
def test_a_sweep_is_the_mean_of_a_written_and_a_read_one(monkeypatch, rates, hours):
    for each in ("written", "read"):
        monkeypatch.setattr(consumer, each, lambda lab, drive, part: rates[part])
    assert consumer.sweep_hours(None, "wd-wd40efax") == pytest.approx(hours, rel=1e-3)


def test_each_row_of_disks_that_people_own_has_a_drive_of_its_own():
    assert {row.drive for row in consumer.ROWS} == set(consumer.GIGABYTES)
    assert len({(row.drive, row.workload, row.quantity) for row in consumer.ROWS}) == len(consumer.ROWS)
    assert validate("seagate-st8000dm004", "--consumer")[0] == 2
