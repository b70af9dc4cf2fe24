"""An array drive by drive: what processes of single drives write is what one process with all of them writes, digit for digit."""

import json

import pytest
from simulate import SIMULATOR, simulate

from tessera.array_parts import Part, most_at_once, occupancy, run_parts
from tessera.errors import InputError

WINDOW = '[window]\nbegin = "100 ms"\nlength = "6 s"\n'


@pytest.fixture(autouse=True)
def simulator(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", str(SIMULATOR))


def row(folder, window=WINDOW, more=""):
    """Five drives of two kinds."""
    file = folder / "row.toml"
    drives = '[[drive]]\ndescription = "torture"\nlayer = "{}"\ncount = {}\n'
    file.write_text(f'[array]\nkind = "jbod"\nchunk = "64 KiB"\n{more}{window}' + drives.format("media-cache", 3) + "[drive.settings.media]\ntracks = 300\n" + drives.format("cmr", 2))
    return file


def words(folder, file, gap="0.003", length=4096):
    trace = folder / "trace.csv"
    trace.write_text("".join(f"{i * float(gap):.6f},0,{i * 104729 % 17000 * 4096},{length},{'R' if i % 3 else 'W'}\n" for i in range(1500)))
    return [str(file), "--trace", str(trace), "--columns", "time=1:s,volume=2,offset=3:bytes,size=4:bytes,op=5:r=R,w=W", "--replay", "timed", "--fold", "--seed", "7"]


def completions(folder):
    return sorted((folder / "completions.csv").read_text().splitlines()[1:], key=lambda line: int(line.split(",")[0]))


@pytest.mark.parametrize(("length", "gap"), [(4096, "0.003"), (262144, "0.03")])
def test_drives_one_by_one_are_what_all_together_are(tmp_path, length, gap):
    given = [*words(tmp_path, row(tmp_path), gap, length), "--set", "window.length=60 s"]
    simulate("array", *given, "--out", tmp_path / "whole")
    summary = run_parts(given, tmp_path / "parts", workers=2)
    assert summary["metrics"]["host.served"]["value"] == 1500
    assert completions(tmp_path / "parts") == completions(tmp_path / "whole")
    for drive in range(5):
        whole, part = (json.loads((tmp_path / place / f"drive-{drive}/summary.json").read_text()) for place in ("whole", "parts"))
        assert part == whole, drive
        assert (tmp_path / "parts" / f"drive-{drive}/drive.toml").read_text() == (tmp_path / "whole" / f"drive-{drive}/drive.toml").read_text()
    whole = json.loads((tmp_path / "whole/summary.json").read_text())["metrics"]
    assert summary["metrics"]["host.latency.mean"]["value"] == pytest.approx(whole["host.latency.mean"]["value"], rel=1e-12)


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
    requests = pl.DataFrame({"number": [0, 1, 2], "arrival_ps": [0, 5, 10], "completion_ps": [10, 20, 15], "status": ["ok"] * 3})
    assert most_at_once(requests) == 2


@pytest.mark.parametrize("option", (("--check",), ("--warmup=10",), ("--warmup", "10")))
def test_what_wants_all_drives_in_one_process_is_refused(tmp_path, option):
    with pytest.raises(InputError, match=f"^{option[0].split('=')[0]}: drives are simulated one by one"):
        run_parts([*words(tmp_path, row(tmp_path)), *option], tmp_path / "parts", workers=1)
    assert not (tmp_path / "parts").exists()
