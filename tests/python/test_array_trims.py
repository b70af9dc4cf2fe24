"""TRIM on arrays: what reaches the drives and what ends at the host, and that nothing older comes back through copies or parity."""

import json
import random

import pytest
from simulate import simulate

BLOCK = 512
CHUNK = 32  # blocks
COLUMNS = {"jbod": 1, "mirror": 1, "raid10": 2, "raid5": 3, "raid6": 2}  # of data, on four drives
FORMAT = ("--format", "columns:time=1:s,op=2:r=r,w=w,t=t,offset=3:512,size=4:512")


def array_file(folder, kind, *more, layer="media-cache", zeros=True, drives=4, spares=0):
    """Four drives (`drives`) with the layer, and spares like them."""
    of_drives = [
        f'[[drive]]\ndescription = "torture"\nlayer = "{layer}"\ncount = {count}\nspare = {spare}\n[drive.settings.firmware]\nzeros_after_trim = {str(zeros).lower()}'
        for count, spare in ((drives, "false"), (spares, "true"))
        if count
    ]
    file = folder / "array.toml"
    file.write_text("\n".join((f'[array]\nkind = "{kind}"\nchunk = "{CHUNK * BLOCK} B"', *of_drives, *more)) + "\n")
    return file


def replay(folder, file, requests, *more, replayed="closed:1", status=0):
    """The metrics of requests (operation, first block, blocks), 1 ms apart, with everything checked."""
    trace = folder / "trace.csv"
    trace.write_text("".join(f"{number / 1000},{op},{first},{count}\n" for number, (op, first, count) in enumerate(requests)))
    words = ("--trace", trace, *FORMAT, "--replay", replayed, "--check", "--prefill", 0)
    simulate("array", file, *words, *more, "--out", folder / "out", status=status)
    metrics = json.loads((folder / "out" / "summary.json").read_text())["metrics"]
    assert metrics["scoreboard.errors"]["value"] == 0
    return {name: of["value"] for name, of in metrics.items()}


@pytest.mark.parametrize(("kind", "zeros"), [(kind, zeros) for kind in COLUMNS for zeros in (True, False)])
def test_a_trim_of_whole_rows_reaches_all_drives_and_of_parity_only_where_zeros_are_promised(tmp_path, kind, zeros):
    rows = 8 * COLUMNS[kind] * CHUNK
    metrics = replay(tmp_path, array_file(tmp_path, kind, zeros=zeros), [("w", 0, rows), ("t", 0, rows), ("r", 0, rows)])
    passes = zeros or kind in ("jbod", "mirror", "raid10")
    assert metrics["array.trims.passed"] == (rows * BLOCK if passes else 0)
    assert metrics["array.trims.ended"] == (0 if passes else rows * BLOCK)


@pytest.mark.parametrize(("first", "count", "passed"), [(0, 96, 96), (1, 95, 0), (0, 95, 0), (1, 191, 96), (95, 98, 96), (95, 97, 96), (95, 96, 0)])
def test_of_rows_with_parity_only_whole_ones_are_trimmed(tmp_path, first, count, passed):
    metrics = replay(tmp_path, array_file(tmp_path, "raid5"), [("w", 0, 384), ("t", first, count), ("r", 0, 384)])
    assert metrics["array.trims.passed"] == passed * BLOCK
    assert metrics["array.trims.ended"] == (count - passed) * BLOCK


@pytest.mark.parametrize("kind", ["mirror", "raid10", "raid5", "raid6"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_whose_trim_a_drive_fails_fit_afterwards(tmp_path, kind, seed):
    uncached = "[drive.settings.firmware]\nzeros_after_trim = true\n[drive.settings.firmware.write_cache]\ncapacity = \"0 B\"\n"
    faults = "[drive.settings.media]\nspare_tracks = 0\nwrite_faults_per_million = 300000\n"
    one = '[[drive]]\ndescription = "torture"\nlayer = "cmr"\n'
    file = tmp_path / "array.toml"
    file.write_text(f'[array]\nkind = "{kind}"\nchunk = "{CHUNK * BLOCK} B"\nbad_blocks = 512\n' + one + uncached + faults + 3 * (one + uncached))
    rows = 8 * COLUMNS[kind] * CHUNK
    metrics = replay(tmp_path, file, [("w", 0, rows), ("t", 0, rows), ("r", 0, rows), ("w", CHUNK, 8), ("r", 0, rows)], "--seed", seed)
    assert metrics["host.failed"] == 0
    assert metrics["array.trims.passed"] == rows * BLOCK
    assert metrics["array.rows_differing"] == 0


def test_neighbouring_rows_are_one_command_to_a_drive(tmp_path):
    rows = 100 * 3 * CHUNK
    metrics = replay(tmp_path, array_file(tmp_path, "raid5"), [("t", 0, rows)])
    assert metrics["array.commands"] == 8  # and the FLUSH of each at the end


def test_a_mirror_trims_the_copies_that_are_left(tmp_path):
    failures = [f'[[failure]]\ndrive = {drive}\nat = "1 ms"' for drive in (0, 1, 2)]
    metrics = replay(tmp_path, array_file(tmp_path, "mirror", *failures), [("w", 0, 64)] * 10 + [("t", 0, 64), ("r", 0, 64)], replayed="timed")
    assert (metrics["host.failed"], metrics["array.trims.passed"]) == (0, 64 * BLOCK)


def test_a_row_that_a_drive_is_missing_of_keeps_its_data(tmp_path):
    failed = '[[failure]]\ndrive = 1\nat = "1 ms"'
    metrics = replay(tmp_path, array_file(tmp_path, "raid5", failed), [("w", 0, 960), ("t", 0, 960), ("r", 0, 960)])
    assert metrics["array.trims.passed"] == 0
    assert metrics["array.trims.ended"] == 960 * BLOCK


def test_all_rows_of_a_trim_that_a_cut_ended_are_compared(tmp_path):
    cut = '[[power_cut]]\nat = "120 ms"'
    metrics = replay(tmp_path, array_file(tmp_path, "raid5", cut, layer="cmr"), [("w", 0, 9600), ("t", 0, 9600), ("r", 0, 9600)])
    assert metrics["array.doubt.rows"] == metrics["array.doubt.put_right"] == 100


@pytest.mark.parametrize("place", ["nvram", "drives"])
def test_rows_with_a_journal_keep_their_data_as_no_record_tells_of_a_trim(tmp_path, place):
    journal = f'[journal]\nplace = "{place}"\nrecords = 4'
    metrics = replay(tmp_path, array_file(tmp_path, "raid5", journal), [("w", 0, 960), ("t", 0, 960), ("r", 0, 960)])
    assert (metrics["array.trims.passed"], metrics["array.trims.ended"]) == (0, 960 * BLOCK)


def history(draw, operations, blocks):
    """Writes, reads and TRIMs that meet, small ones and whole rows."""
    requests = []
    for _ in range(operations):
        count = draw.choice((1, 8, CHUNK, 3 * CHUNK, draw.randint(1, 400), 6 * CHUNK * draw.randint(1, 4)))
        first = draw.randrange(blocks - count)
        requests.append((draw.choice("wwwrrt"), first - first % draw.choice((1, 8, CHUNK, 6 * CHUNK)), count))
    return requests


@pytest.mark.parametrize("seed", range(20))
def test_nothing_older_comes_back_after_trims_failures_and_cuts(tmp_path, seed):
    draw = random.Random(seed)
    kind = draw.choice(tuple(COLUMNS))
    survived = {"jbod": 0, "mirror": 3, "raid10": 1, "raid5": 1, "raid6": 2}[kind]
    more = [f'[[power_cut]]\nat = "{draw.randint(1, 1500)} ms"' for _ in range(draw.randint(0, 3))]
    if survived and draw.random() < 0.5:
        more.append(f'[[failure]]\ndrive = {draw.randrange(4)}\nat = "{draw.randint(1, 1500)} ms"')
        more = [line for line in more if "power_cut" not in line or kind in ("mirror", "raid10")]  # what is known as the write hole
    if draw.random() < 0.3 and kind != "jbod":
        more.append('[scrub]\nenabled = true\nat = "300 ms"')
    file = array_file(tmp_path, kind, *more, layer=draw.choice(("cmr", "media-cache", "mu-rmw", "tessera")), zeros=draw.random() < 0.7, spares=draw.randint(0, 1))
    metrics = replay(tmp_path, file, history(draw, 400, 6000), "--seed", seed, replayed=f"closed:{draw.choice((1, 8, 32))}")
    assert metrics.get("array.rows_differing", 0) == 0
