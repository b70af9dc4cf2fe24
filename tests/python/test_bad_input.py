"""Bad input ends with exit status 2 and a sentence that says where, what was found and what was expected."""

import lzma

import pytest
from simulate import simulate

from tessera import Run

GOOD_LINE = "128166372003061629,hm,0,Read,4096,4096,1331\n"


def refused(*arguments) -> str:
    result = simulate(*arguments, status=2)
    assert "Traceback" not in result.stderr
    return result.stderr


def description(tmp_path, text, name="drive.toml"):
    file = tmp_path / name
    file.write_text(text)
    return file


def trace(tmp_path, text, name="trace.csv"):
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def run_trace(tmp_path, file, *more):
    return ("run", "bare", "--layer", "cmr", "--trace", file, *more, "--out", tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[media]\nrmp = '7200 rpm'\n", ":2: unknown key 'media.rmp'; did you mean 'media.rpm'?"),
        ("[media]\nrpm = '7200 ms'\n", ":2: media.rpm: expected a speed"),
        ("[media]\nrpm = '0 rpm'\n", ":2: media.rpm: expected a speed"),
        ("layer = 'imr-rwm'\n", "did you mean 'imr-rmw'?"),
        ("[media\n", ":1: not valid TOML"),
        ("extends = 'nowhere'\n", "nowhere"),
        ("extends = 'drive'\n", "drive.toml"),
    ],
)
def test_a_bad_description_is_refused_with_its_place(tmp_path, text, expected):
    file = description(tmp_path, text)
    message = refused("check", file)
    assert expected in message
    assert str(file) in message or "layer" in text


def test_a_layer_of_the_command_line_is_not_sought_in_the_description(tmp_path):
    message = refused("run", "demo", "--layer", "mu-rmv", "--workload", "web-server", "--out", tmp_path / "run")
    assert message.startswith("tessera-sim: unknown layer 'mu-rmv'; did you mean 'mu-rmw'? known: ") and ".toml" not in message


def test_descriptions_that_extend_in_a_circle_are_refused(tmp_path):
    description(tmp_path, "extends = 'b'\n", "a.toml")
    description(tmp_path, "extends = 'a'\n", "b.toml")
    message = refused("check", tmp_path / "a.toml")
    assert "a.toml" in message and "b.toml" in message and "circle" in message


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("check", "comon"), "did you mean 'common'?"),
        (("check", "interlaced-paper", "--layer", "mu-rmw"), "the layer mu-rmw needs NAND flash and the drive has none"),
        (("check", "bare", "--set", "media.rmp=7200 rpm"), "--set media.rmp=7200 rpm: unknown key 'media.rmp'; did you mean 'media.rpm'?"),
        (("check", "bare", "--layer", "mu-rmw", "--set", "nand.oob_size=128 B"), "mu-rmw: "),
        (("check", "bare", "--layer", "mu-rmw", "--set", "layers.mu_rmw.bands=100000"), "mu-rmw: "),
        (("check", "bare", "--layer", "imr-rmw", "--set", "format=shingled"), "needs interlaced tracks and the drive's format is pinned to shingled"),
        (("check", "bare", "--set", "firmware.write_cache.capacity=1 MiB", "--set", "firmware.write_cache.durability=journal"), "journal"),
        (
            ("check", "torture", "--layer", "cmr", "--set", "firmware.write_cache.durability=journal", "--set", "layers.cmr.journal_tracks=1", "--set", "media.sectors_per_track=4"),
            "the journal of the write cache has 4 sectors; expected at least 6",
        ),
        (("run", "bare", "--lyer", "cmr"), "did you mean '--layer'?"),
        (("run", "bare", "--workload", "web-sever", "--out", "/tmp/unused"), "did you mean 'web-server'?"),
        (("describe", "/nonexistent.csv"), "/nonexistent.csv"),
    ],
)
def test_a_request_that_cannot_be_met_names_both_sides(arguments, expected):
    message = refused(*arguments)
    assert expected in message
    assert message.count("tessera-sim") == 1


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (("--layer", "mu-rmw", "--set", "dram.capacity=42 MiB"), "merge"),
        (("--layer", "cmr", "--set", "dram.capacity=16 MiB"), "cannot hold the host buffer"),
        (("--layer", "imr-rmw", "--set", "dram.capacity=41943040 B"), "cannot hold"),
        (("--layer", "cmr", "--set", "firmware.write_cache.capacity=100 MB"), "write cache"),
    ],
)
def test_tables_and_buffers_that_do_not_fit_are_refused_before_the_run(tmp_path, settings, expected):
    message = refused("run", "bare", *settings, "--workload", "random-4k", "--limit", "10", "--out", tmp_path / "out")
    assert expected in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "trace.csv"),
        (GOOD_LINE + "128166372003061629,hm,0,Read\n", "trace.csv:2: expected"),
        (GOOD_LINE + "128166372003061629,hm,0,Read,-5,4096,1331\n", "trace.csv:2:"),
        (GOOD_LINE + "128166372003061629,hm,0,Read,99999999999999999999999,4096,1331\n", "trace.csv:2:"),
        (GOOD_LINE + "128166372003061629,hm,0,Verify,4096,4096,1331\n", "trace.csv:2:"),
        (GOOD_LINE + "128166372003061629,hm,0,Read,4096,0,1331\n", "trace.csv:2:"),
        (GOOD_LINE + "128166372003061629,hm,0,Read,4096,1000,1331\n", "trace.csv:2:"),
        (GOOD_LINE + "128166372003061629,hm,0,Read,99999999995904,4096,1331\n", "trace.csv:2:"),
    ],
)
def test_a_bad_trace_is_refused_at_its_line(tmp_path, text, expected):
    assert expected in refused(*run_trace(tmp_path, trace(tmp_path, text), "--format", "msr"))


def test_a_compressed_trace_that_is_cut_off_is_refused(tmp_path):
    whole = lzma.compress((GOOD_LINE * 20_000).encode())
    file = trace(tmp_path, whole[: len(whole) * 3 // 4], "trace.csv.xz")
    assert "trace.csv.xz" in refused(*run_trace(tmp_path, file))


def test_dos_line_ends_and_a_missing_last_one_are_fine(tmp_path):
    file = trace(tmp_path, (GOOD_LINE * 3).replace("\n", "\r\n").rstrip())
    simulate(*run_trace(tmp_path, file))


def test_requests_out_of_order_are_counted_in_the_result(tmp_path):
    file = trace(tmp_path, "20,hm,0,Read,4096,4096,1\n10,hm,0,Read,8192,4096,1\n30,hm,0,Read,4096,4096,1\n")
    assert "note: " in simulate(*run_trace(tmp_path, file, "--format", "msr")).stdout


def test_an_address_past_the_end_is_served_where_a_fold_is_asked_for(tmp_path):
    file = trace(tmp_path, GOOD_LINE + "128166372003061629,hm,0,Read,99999999995904,4096,1331\n")
    assert "2 served" in simulate(*run_trace(tmp_path, file, "--fold")).stdout


def test_addresses_wrap_at_the_end_of_the_prefilled_share_where_that_is_asked_for(tmp_path):
    workload = tmp_path / "anywhere.toml"
    workload.write_text('summary = "anywhere"\nlaw = "uniform"\nrequests = 500\nalignment = "4 KiB"\nrange = "1 TiB"\n')
    simulate("run", "bare", "--workload", workload, "--fold-prefilled", "--prefill", "25", "--requests", "--out", tmp_path / "out")
    result = Run(tmp_path / "out")
    ends = result.requests["lba"] + result.requests["blocks"]
    used = result.metric("capacity.user") / 512 * 0.25
    assert 0.9 * used < ends.max() <= used
    assert "--prefill" in refused("run", "bare", "--workload", workload, "--fold-prefilled", "--out", tmp_path / "none")
