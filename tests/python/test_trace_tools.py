"""Trace tools: what they measure by hand, what they write read back, and what they refuse."""

import json
import tomllib

import numpy as np
import pytest
from simulate import simulate
from typer.testing import CliRunner

import tessera
from tessera import InputError
from tessera.cli import app
from tessera.traces.edit import cut, merge, repeat, scale, write_trace
from tessera.traces.fit import agrees, fit, gap_table, size_table
from tessera.traces.measures import heat_map, measures
from tessera.traces.table import FLUSH, READ, RECORD, TRIM, WRITE, read_trace

S = 10**12  # ps


pytestmark = pytest.mark.usefixtures("the_built_simulator")


def records_of(*rows):
    """Rows of (arrival in s, operation, first block of 4 KiB, blocks)."""
    return np.array([(int(at * S), first * 4096, count * 4096, 0, op, 0) for at, op, first, count in rows], dtype=RECORD)


def test_the_measures_of_a_small_trace_are_those_by_hand():
    found = measures(
        records_of(
            (0, WRITE, 0, 2),  # blocks 0 and 1, both new
            (0.1, READ, 1, 1),  # written before
            (0.2, WRITE, 2, 1),  # goes on where the last write ended; new
            (0.3, WRITE, 0, 1),  # overwrites, and nothing read it before: the access before was a write
            (0.4, READ, 7, 1),  # new
            (0.5, WRITE, 1, 1),  # overwrites after a read, and goes on where the last write ended
        )
    )
    assert found["working_set_bytes"] == 4 * 4096  # 0, 1, 2, 7
    assert found["read_set_bytes"] == 2 * 4096 and found["written_set_bytes"] == 3 * 4096
    assert found["overwrite_share"] == pytest.approx(2 / 5)  # five written blocks, three of them distinct
    assert found["read_after_write_share"] == pytest.approx(1 / 2)
    assert found["write_after_read_share"] == pytest.approx(1 / 5)
    assert found["sequential_write_share"] == pytest.approx(2 / 4) and found["sequential_read_share"] == 0
    assert found["first_access_share"] == pytest.approx(4 / 7)
    assert found["reuse_distance_p50_bytes"] == 2 * 4096  # distances 0 (1 after 1), 2 (0 after 1, 2) and 3 (1 after 2, 0, 7)
    assert found["mean_gap_ms"] == pytest.approx(100)
    assert found["dispersion"] is None  # shorter than two seconds


def test_the_index_of_dispersion_is_one_for_a_poisson_process_and_large_in_bursts():
    draw = np.random.default_rng(1)
    poisson = records_of(*((at, READ, 0, 1) for at in np.sort(draw.uniform(0, 1000, 20_000))))
    bursts = records_of(*((second * 10 + n * 1e-3, READ, 0, 1) for second in range(100) for n in range(200)))
    assert measures(poisson)["dispersion"] == pytest.approx(1, abs=0.15)
    assert measures(bursts)["dispersion"] == pytest.approx(180, rel=0.02)  # a tenth of the seconds has 200: 200 * (1 - 1/10)


def test_every_record_of_any_format_is_read_as_it_is(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("10,a,0,Read,4096,512,1\n15,a,1,Write,8192,1024,1\n")
    table = read_trace(trace)
    assert table["arrival"].tolist() == [0, 500_000]  # 100 ns a tick
    assert table["offset"].tolist() == [4096, 8192] and table["size"].tolist() == [512, 1024]
    assert table["volume"].tolist() == [0, 1] and table["op"].tolist() == [READ, WRITE]
    assert read_trace(trace, volume="a_1")["op"].tolist() == [WRITE]


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.csv.xz"])
def test_what_is_written_reads_back_the_same(tmp_path, name):
    records = records_of((0, READ, 0, 1), (1.5, WRITE, 3, 2), (2, TRIM, 3, 1), (2, FLUSH, 0, 0), (3, READ, 9, 1))
    records["volume"] = [0, 1, 1, 1, 0]
    again = read_trace(write_trace(records, tmp_path / name))
    for field in ("arrival", "offset", "size", "op", "volume"):
        assert again[field].tolist() == records[field].tolist(), field


def test_a_window_begins_at_its_first_record_and_its_end_is_not_part_of_it():
    records = records_of((0, READ, 0, 1), (1, READ, 1, 1), (2, READ, 2, 1), (3, READ, 3, 1))
    kept = cut(records, 1 * S, 3 * S)
    assert kept["arrival"].tolist() == [0, S] and kept["offset"].tolist() == [4096, 8192]
    assert records["arrival"][1] == S  # the trace itself stays as it is
    with pytest.raises(InputError, match="no record of the trace lies in that window"):
        cut(records, 4 * S)


def test_merged_volumes_do_not_share_an_address_and_arrive_in_order():
    one, two = records_of((0, READ, 0, 1), (2, READ, 1, 1)), records_of((1, WRITE, 0, 1))
    merged = merge([one, two])
    assert merged["arrival"].tolist() == [0, S, 2 * S]
    assert merged["offset"].tolist() == [0, 1 << 20, 4096]  # the second one begins at the next MiB
    assert merge([one, two], separate=False)["offset"].tolist() == [0, 0, 4096]
    assert merged["volume"].tolist() == [0, 0, 0]


def test_each_pass_over_a_trace_comes_a_mean_gap_later_and_further_up(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{10_000_000 * n},hm,0,Write,{n * 4096},4096,1\n" for n in (0, 1, 3)))
    again = read_trace(write_trace(repeat(read_trace(trace), 3, drift=1 << 20), tmp_path / "again.csv"))
    assert again["offset"].tolist() == [pass_ * (1 << 20) + n * 4096 for pass_ in range(3) for n in (0, 1, 3)]
    assert (again["arrival"] / 10**12).tolist() == [0, 1, 3, 4.5, 5.5, 7.5, 9, 10, 12]


def test_scaled_addresses_stay_aligned_and_factors_lie_above_0():
    scaled = scale(records_of((0, READ, 3, 1), (8, READ, 5, 1)), load=4, addresses=0.5)
    assert scaled["arrival"].tolist() == [0, 2 * S]
    assert scaled["offset"].tolist() == [4096, 8192]  # 1.5 and 2.5 blocks, rounded down
    with pytest.raises(InputError, match="a number above 0"):
        scale(scaled, load=0)


def test_a_table_of_sizes_keeps_the_mean():
    sizes = np.random.default_rng(1).integers(1, 100, 5000) * 512
    rows = size_table(sizes)
    assert len(rows) == 16
    mean = sum(size * weight for size, weight in rows) / sum(weight for _, weight in rows)
    assert mean == pytest.approx(sizes.mean(), rel=0.01)


def test_a_table_of_gaps_rises_to_the_longest():
    rows = gap_table(np.random.default_rng(1).exponential(100, 1000))
    assert [percent for percent, _ in rows] == sorted({percent for percent, _ in rows}) and rows[-1][0] == 100
    assert all(one[1] <= other[1] for one, other in zip(rows, rows[1:]))


def test_a_fit_to_a_synthetic_trace_finds_what_it_was_made_with(tmp_path):
    made = tessera.run("bare", layer="cmr", workload="web-server", limit=8000, requests=True)
    from tessera.traces.curves import records_of as served

    found = fit(served(made.folder), "web-server")
    assert found.law.startswith("zipf")  # as the workload is
    agreement = {name: same for name, *_, same in found.agreement()}
    for name in ("write_share", "mean_read_bytes", "mean_write_bytes", "written_set_bytes", "overwrite_share", "gap_p50_ms", "sequential_write_share"):
        assert agreement[name], name
    description = tmp_path / "fitted.toml"
    description.write_text(found.text)
    assert tomllib.loads(found.text)["law"] == "zipf"
    simulate("run", "bare", "--workload", description, "--fold", "--limit", 100, "--out", tmp_path / "out")


def test_what_agrees_is_within_a_quarter_or_both_hardly_anything():
    assert agrees(100, 125) and not agrees(100, 126)
    assert agrees(0.0, 0.019) and not agrees(0.0, 0.021)
    assert agrees(None, None) and not agrees(None, 1)


def test_a_trace_that_moves_nothing_is_refused():
    flushes = records_of((0, FLUSH, 0, 0))
    for call in (measures, fit):
        with pytest.raises(InputError, match="reads and writes nothing"):
            call(flushes)


def test_a_heat_map_has_every_request():
    chart = heat_map(records_of(*((n, READ, n * 100, 1) for n in range(50))))
    assert sum(value or 0 for row in chart.values for value in row) == 50


def command(*words, status=0):
    finished = CliRunner().invoke(app, [str(word) for word in words])
    assert finished.exit_code == status, finished.output
    return finished.output


def test_the_commands_do_the_same(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{10_000_000 * n},hm,0,{'Write' if n % 2 else 'Read'},{n * 4096},4096,1\n" for n in range(20)))
    assert "10 records" in command("trace", "cut", trace, "--begin", "5 s", "--end", "15 s", "--out", tmp_path / "cut.csv")
    assert "20 records" in command("trace", "scale", tmp_path / "t.csv", "--load", 10, "--out", tmp_path / "busy.csv.xz")
    assert "40 records" in command("trace", "repeat", trace, "--times", 2, "--drift", "1 GiB", "--out", tmp_path / "twice.csv")
    assert "30 records" in command("trace", "merge", trace, tmp_path / "cut.csv", "--out", tmp_path / "both.csv")
    assert "characteristics agree" in command("trace", "fit", trace, "--out", tmp_path / "like.toml")
    assert json.loads(command("describe", trace, "--json"))["measures"]["working_set_bytes"] == 20 * 4096
    assert "working set" in command("describe", trace, "--picture", tmp_path / "heat.png")
    assert (tmp_path / "heat.png").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("cut", "{}", "--begin", "5 MiB", "--out", "x"), "expected a time such as"),
        (("cut", "{}", "--begin", "1 h", "--out", "x"), "no record of the trace lies in that window"),
        (("cut", "/nonexistent.csv", "--out", "x"), "/nonexistent.csv"),
        (("scale", "{}", "--load", "-1", "--out", "x"), "a number above 0"),
        (("scale", "{}", "--load", "nan", "--out", "x"), "load: a trace is scaled by a number above 0, found nan"),
        (("scale", "{}", "--addresses", "inf", "--out", "x"), "addresses: a trace is scaled by a number above 0, found inf"),
        (("scale", "{}", "--out", "{}"), "is what the command reads"),
        (("repeat", "{}", "--times", "0", "--out", "x"), "repeated once at least"),
        (("repeat", "{}", "--times", "2", "--drift", "1 s", "--out", "x"), "expected a size such as"),
    ],
)
def test_what_cannot_be_done_to_a_trace_is_a_sentence(tmp_path, words, expected):
    trace = tmp_path / "t.csv"
    trace.write_text("1,hm,0,Read,4096,4096,1\n")
    assert expected in command("trace", *(word.format(trace) for word in words), status=2)


def test_a_workload_fitted_to_an_empty_trace_is_refused(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("")
    output = command("trace", "fit", trace, "--out", tmp_path / "like.toml", status=2)
    assert "t.csv" in output and not (tmp_path / "like.toml").exists()


@pytest.mark.parametrize("form", ["fio", "fio2", "blkparse", "columns"])
def test_what_is_converted_reads_back_the_same(tmp_path, form):
    trace = tmp_path / "t.blkparse"
    trace.write_text("".join(f"  8,0 1 {n} 0.{n:03}000000 7 Q {rwbs} {8 * n} + 8 [app]\n" for n, rwbs in enumerate(("W", "R", "WS", "D", "R"), 1)))
    out = tmp_path / "converted"
    told = CliRunner().invoke(app, ["trace", "convert", str(trace), "--to", form, "--out", str(out)])
    assert told.exit_code == 0, told.output
    assert told.output.startswith(f"{out}: 5 records")
    assert read_trace(out).tolist() == read_trace(trace).tolist()


def test_what_a_form_cannot_hold_is_said(tmp_path):
    trace = tmp_path / "t.blkparse"
    trace.write_text("  8,0 1 1 0.000000000 7 Q W 8 + 8 [app]\n  8,0 1 2 0.001000000 7 Q D 8 + 8 [app]\n")
    told = CliRunner().invoke(app, ["trace", "convert", str(trace), "--to", "msr", "--out", str(tmp_path / "t.csv")])
    assert told.exit_code == 0, told.output
    assert "note: 1 flushes and trims left out, which MSR traces have not" in told.output
    assert read_trace(tmp_path / "t.csv")["op"].tolist() == [WRITE]


def test_a_probe_says_what_a_trace_is_and_proposes_a_description_that_reads_it(tmp_path):
    known = tmp_path / "known.csv"
    known.write_text("10,h,0,Write,4096,512,1\n")
    told = CliRunner().invoke(app, ["trace", "probe", str(known)])
    assert told.exit_code == 0 and told.output.startswith(f"{known}: read as msr\n* --format msr  (fits to 0.95)\n"), told.output
    trace = tmp_path / "unknown.txt"
    trace.write_text("kind|stamp|start|length\nread|1.5|16|8\nwrite|2.5|3000|16\nread|3.5|24|8\n")
    told = CliRunner().invoke(app, ["trace", "probe", str(trace)])
    assert told.exit_code == 0, told.output
    description = told.output[told.output.index("separator = ") : told.output.index("\nas it stands")]
    (tmp_path / "unknown.txt.columns.toml").write_text(description)
    assert read_trace(trace)["size"].tolist() == [4096, 8192, 4096]


def test_a_trace_of_any_order_is_sorted_and_its_disorder_said(tmp_path):
    trace = tmp_path / "t.csv"
    trace.write_text("".join(f"{at},h,0,Read,{4096 * at},512,1\n" for at in (50, 10, 30, 20)))
    out = tmp_path / "sorted.csv"
    told = CliRunner().invoke(app, ["trace", "sort", str(trace), "--out", str(out)])
    assert told.exit_code == 0, told.output
    assert "note: 3 records of the file are out of time order, by at most 1 ms; sorted" in told.output
    assert (read_trace(out)["offset"] // 4096).tolist() == [10, 20, 30, 50]


def test_the_sample_trace_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(read_trace("sample")) == 20_000
    (tmp_path / "sample").write_text("10,h,0,Write,4096,512,1\n")  # a file of the user's goes first
    assert len(read_trace("sample")) == 1
