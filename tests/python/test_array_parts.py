"""An array drive by drive: what processes of single drives write is what one process with all of them writes, digit for digit."""

import json

import pytest
from simulate import SIMULATOR, simulate
from typer.testing import CliRunner

from tessera.cli import app
from tessera.errors import InputError
from tessera.explore.array_parts import SCHEMA, Part, most_at_once, occupancy, run_parts

WINDOW = '[window]\nbegin = "100 ms"\nlength = "6 s"\n'


@pytest.fixture(autouse=True)
def simulator(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))


def row(folder, window=WINDOW, more="", faults=""):
    """Five drives of two kinds; `faults` are of the first kind."""
    file = folder / "row.toml"
    drives = '[[drive]]\ndescription = "torture"\nlayer = "{}"\ncount = {}\n'
    file.write_text(f'[array]\nkind = "jbod"\nchunk = "64 KiB"\n{more}{window}' + drives.format("media-cache", 3) + "[drive.settings.media]\ntracks = 300\n" + faults + drives.format("cmr", 2))
    return file


def words(folder, file, gap="0.003", length=4096):
    trace = folder / "trace.csv"
    trace.write_text("".join(f"{i * float(gap):.6f},0,{i * 104729 % 17000 * 4096},{length},{'R' if i % 3 else 'W'}\n" for i in range(1500)))
    return [str(file), "--trace", str(trace), "--columns", "time=1:s,volume=2,offset=3:bytes,size=4:bytes,op=5:r=R,w=W", "--replay", "timed", "--fold", "--seed", "7"]


FAULTS = "unrecoverable_errors_per_billion = 20000000\n"


def by_parts(given, out):
    """The exit status of `tessera array --workers`."""
    return CliRunner().invoke(app, ["array", *given, "--workers", "2", "--out", str(out)]).exit_code


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path != folder / "summary.json"}


ARRAYS = {
    "small requests": (4096, "0.003", "60 s", "", 0),
    "requests over the end of a drive": (262144, "0.03", "60 s", "", 0),
    "a window that ends too soon": (262144, "0.03", "5 s", "", 1),
    "drives that fail reads": (4096, "0.003", "60 s", FAULTS, 1),
    "such drives, requests over their ends, and too short a window": (262144, "0.03", "8 s", FAULTS, 1),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_every_file_and_the_status_of_parts_are_those_of_one_process(tmp_path, name):
    length, gap, window, faults, status = ARRAYS[name]
    given = [*words(tmp_path, row(tmp_path, faults=faults), gap, length), "--set", f"window.length={window}"]
    simulate("array", *given, "--out", tmp_path / "whole", status=status)
    assert by_parts(given, tmp_path / "parts") == status
    whole, parts = files_of(tmp_path / "whole"), files_of(tmp_path / "parts")
    assert len(whole) == 11 and list(whole) == list(parts)
    assert [file for file in whole if whole[file] != parts[file]] == []
    one, put_together = (json.loads((tmp_path / place / "summary.json").read_text()) for place in ("whole", "parts"))
    assert put_together["run"] == {**one["run"], "status": status}
    for figure in ("host.served", "host.failed", "host.latency.max"):
        assert put_together["metrics"][figure]["value"] == one["metrics"][figure]["value"]


def test_dask_places_them_alike(tmp_path):
    distributed = pytest.importorskip("distributed")
    given = words(tmp_path, row(tmp_path))
    here = run_parts(given, tmp_path / "here", workers=1)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        there = run_parts(given, tmp_path / "there", scheduler=cluster.scheduler_address)
    assert (tmp_path / "there/completions.csv").read_bytes() == (tmp_path / "here/completions.csv").read_bytes()
    assert there["metrics"]["host.latency.p99"] == here["metrics"]["host.latency.p99"]
    assert 0 < there["metrics"]["workers.busy"]["value"] <= 1


def test_requests_that_would_wait_for_another_drive_are_found(tmp_path):
    given = words(tmp_path, row(tmp_path, more="requests = 8\n"), gap="0.0001")
    with pytest.raises(InputError, match=r"the array had [\d,]+ requests at once and array.requests is 8: some would have waited"):
        run_parts(given, tmp_path / "out", workers=2)


@pytest.mark.parametrize(("window", "more", "sentence"), [
    ("", "", "give --set 'window.begin=1 s' --set 'window.length=60 s'"),
])  # fmt: skip
def test_a_run_without_a_window_is_refused(tmp_path, window, more, sentence):
    with pytest.raises(InputError) as refused:
        run_parts(words(tmp_path, row(tmp_path, window, more)), tmp_path / "out")
    assert sentence in str(refused.value)


REFUSED = {
    "window.length is of kind jbod, whose drives do not depend on each other; found kind mirror": ("--set", "array.kind=mirror"),
    "window.drive: expected a drive from 0 to 4, found 5": ("--set", 'window.drive="5"'),
    "window.drive is 1, and window.length is 0; expected a length": ("--set", 'window.drive="1"', "--set", "window.length=0 s"),
    "window.length is of requests that come at their own times; expected --replay timed": ("--replay", "closed:4"),
    "window.length: expected no --check and no --warmup": ("--check",),
    "window.begin is 0 us, and the drives answer": ("--set", "window.begin=0 s"),
    "window.length is of runs without failures, power cuts and array.time_out": ("--set", "array.time_out=1 s"),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_has_no_window_is_refused(tmp_path, sentence):
    given = words(tmp_path, row(tmp_path))
    if "--replay" in REFUSED[sentence]:
        del given[given.index("--replay") : given.index("--replay") + 2]
    said = simulate("array", *given, *REFUSED[sentence], "--out", tmp_path / "out", status=2)
    assert sentence in said.stderr


def test_a_window_that_ends_too_soon_says_so(tmp_path):
    said = simulate("array", *words(tmp_path, row(tmp_path)), "--set", "window.length=1 s", "--out", tmp_path / "out", status=1)
    assert "requests were left at the end of the window" in said.stdout + said.stderr


def test_occupancy_and_the_most_at_once():
    import polars as pl

    assert occupancy([Part(0, 0, 0.0, 2.0), Part(1, 0, 1.0, 2.0)], 2) == 0.75
    requests = pl.DataFrame({"number": [0, 1, 2], "arrival_ps": [0, 5, 10], "completion_ps": [10, 20, 15], "status": ["ok"] * 3}, schema=SCHEMA)
    assert most_at_once(requests, requests.clear()) == 2
    assert most_at_once(requests, pl.DataFrame({"arrival_ps": [7]}, schema={"arrival_ps": pl.UInt64})) == 3


@pytest.mark.parametrize("option", (("--check",), ("--warmup=10",), ("--warmup", "10")))
def test_what_wants_all_drives_in_one_process_is_refused(tmp_path, option):
    with pytest.raises(InputError, match=f"^{option[0].split('=')[0]}: drives are simulated one by one"):
        run_parts([*words(tmp_path, row(tmp_path)), *option], tmp_path / "parts", workers=1)
    assert not (tmp_path / "parts").exists()
