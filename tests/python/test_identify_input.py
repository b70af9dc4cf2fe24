"""tessera identify on what is not as it should be: one sentence with file and line, and no job that writes unless it was asked for."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tessera.cli import app
from tessera.identify.job_files import read_requests
from tessera.identify.jobs import BY_NAME, JOBS


def call(*words):
    return CliRunner().invoke(app, ["identify", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Jobs for a file of 8 GiB."""
    place = tmp_path_factory.mktemp("identify")
    disk = place / "disk"
    with open(disk, "wb") as file:
        file.truncate(8 << 30)
    out = place / "jobs"
    assert call("jobs", "--device", disk, "--out", out, "--small").exit_code == 0
    return out


def alike(folder, name):
    """A log of the job's requests in fio's form."""
    return [f"{10 * number}, 10000001, 0, {one['length']}, {one['offset']}, 0" for number, one in enumerate(read_requests(folder, BY_NAME[name]), 1)]


@pytest.fixture
def logs(folder):
    angles, seeks = (folder / "read-only" / f"{name}_lat.log" for name in ("angles", "seeks"))

    def write(change):
        """What `fit` says of the changed log of `angles`."""
        seeks.write_text("\n".join(alike(folder, "seeks")) + "\n")
        angles.write_text("\n".join(change(alike(folder, "angles"))) + "\n")
        result = call("fit", folder, "-o", folder / "drive.toml", "--no-score")
        angles.unlink()
        seeks.unlink()
        assert result.exit_code == 2, result.output
        assert not (folder / "drive.toml").exists()
        return result.output.strip()

    return write


def test_jobs_that_write_are_only_there_when_asked_for(folder, tmp_path):
    assert not (folder / "destructive").exists()
    assert all(not read_requests(folder, job)["write"].any() for job in JOBS if not job.destructive)
    out = tmp_path / "all"
    result = call("jobs", "--device", folder.parent / "disk", "--out", out, "--small", "--destructive")
    assert "WARNING" in result.output
    assert {file.stem for file in (out / "destructive").glob("*.fio")} == {job.name for job in JOBS if job.destructive}
    assert all(file.read_text().startswith("# WARNING: overwrites") for file in (out / "destructive").glob("*.fio"))
    call("jobs", "--device", folder.parent / "disk", "--out", out, "--small", "--force")
    assert not list((out / "destructive").glob("*.fio"))


def test_the_readme_names_every_job_with_what_it_measures(folder):
    text = (folder / "README.txt").read_text()
    for job in json.loads((folder / "identify.json").read_text())["jobs"]:
        assert f"fio --readonly {job}.fio" in text and BY_NAME[job].measures in text


def test_no_log_at_all(folder):
    result = call("fit", folder, "-o", folder / "drive.toml")
    assert result.exit_code == 2
    assert "there is no" in result.output and "angles_lat.log: run" in result.output


def test_a_folder_without_jobs(tmp_path):
    result = call("fit", tmp_path, "-o", tmp_path / "drive.toml")
    assert (result.exit_code, "has no identify.json" in result.output) == (2, True)


def test_a_log_of_another_job(logs):
    assert "angles_lat.log:3: expected a read of 4096 B at" in (said := logs(lambda lines: [*lines[:2], lines[7], *lines[3:]]))
    assert said.endswith("it is the log of another job")


def test_a_log_that_goes_on(logs):
    assert "or of two runs" in logs(lambda lines: lines + lines)


def test_a_log_that_ends_too_early(logs):
    assert "angles_lat.log:100: the last line; expected" in logs(lambda lines: lines[:100])


def test_a_line_that_is_cut(logs):
    assert "angles_lat.log:5: expected time in ms, latency in ns" in logs(lambda lines: [*lines[:4], lines[4][:9], *lines[5:]])


def test_latencies_in_milliseconds(logs):
    assert "angles_lat.log:1: latencies are whole milliseconds" in logs(lambda lines: [line.replace("10000001", "10000000") for line in lines])


def test_latencies_of_another_unit(logs):
    assert "they are of another unit" in logs(lambda lines: [line.replace("10000001", "10001") for line in lines])


def test_reads_that_nothing_turns_under(logs):
    def at_random(lines):
        took = np.random.default_rng(1).integers(2_000_000, 17_000_000, len(lines))
        return [f"{end // 1_000_000}, {ns},{line.split(',', 2)[2]}" for end, ns, line in zip(np.cumsum(took), took, lines)]

    assert "angles: no rotation" in logs(at_random)


def test_a_device_that_cannot_be_named(tmp_path):
    for device, said in ((tmp_path, "is a folder"), (tmp_path / "none", "No such file"), (tmp_path / "a b", "blanks or colons")):
        result = call("jobs", "--device", device, "--out", tmp_path / "out")
        assert result.exit_code == 2 and said in result.output
