"""Sweeps where others are about: files that change, two programs in one folder, clients of one scheduler, programs that are killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread, Timer

import pytest
from listening import listening
from simulate import SIMULATOR
from typer.testing import CliRunner

from tessera import InputError
from tessera.cli import app
from tessera.engine.folder_lock import owned
from tessera.engine.simulator import ask_simulator
from tessera.explore import Sweep, run_sweep
from tessera.explore.place import Threads, places
from tessera.explore.plan import plan_of, read_plan
from tessera.explore.sweep import keyed

pytestmark = pytest.mark.usefixtures("the_built_simulator")

RUN = {"workload": "random-4k", "limit": 50}
PATIENCE = 60  # seconds that a busy machine may take
COLUMNS = 'time = { column = 1, unit = "us" }\noffset = { column = 3, unit = "bytes" }\nsize = { column = 4, unit = "bytes" }\nop = { column = 2, read = "r", write = "w" }\n'


def made_now(plan: dict, out: Path, **options: object) -> int:
    counts = []
    run_sweep(plan_of(plan), out, jobs=2, progress=lambda count: counts.append(count.done), **options)
    return counts[-1]


def test_a_run_is_made_again_when_any_file_that_it_opens_has_changed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("".join(f"{n},{'rw'[n % 2]},{4096 * n},4096\n" for n in range(20)))
    (tmp_path / "col.toml").write_text('time = "1:us"\nop = "2:r=r,w=w"\noffset = "3:bytes"\nsize = "4:bytes"\n')
    plan = {"run": {"trace": str(tmp_path / "t.csv"), "format": "columns:col.toml"}, "axes": {"seed": [1, 2]}}
    if CliRunner().invoke(app, ["describe", "t.csv", "--format", "columns:col.toml"]).exit_code != 0:
        (tmp_path / "col.toml").write_text(COLUMNS)
    assert made_now(plan, tmp_path / "out") == 2
    assert made_now(plan, tmp_path / "out") == 0
    (tmp_path / "col.toml").write_text((tmp_path / "col.toml").read_text().replace("us", "ms"))
    assert made_now(plan, tmp_path / "out") == 2


def test_a_rebuilt_firmware_library_is_another_run(tmp_path):
    from test_plugins import IN_TREE

    library = tmp_path / "lib.so"
    library.write_bytes(Path(IN_TREE).read_bytes())
    plan = {"run": {**RUN, "layer": "cmr", "more": ["--firmware", str(library)]}, "axes": {"seed": [1]}}
    first = list(keyed(plan_of(plan)))
    library.write_bytes(Path(IN_TREE).read_bytes() + b"\0")
    assert list(keyed(plan_of(plan))) != first


def test_two_names_of_one_drive_are_two_rows(tmp_path):
    for name in ("one", "other"):
        (tmp_path / f"{name}.toml").write_text('extends = "common"\n')
    drives = [str(tmp_path / f"{name}.toml") for name in ("one", "other")]
    sweep = run_sweep(plan_of({"run": RUN, "axes": {"drive": drives}}), tmp_path / "out", jobs=2)
    assert sorted(sweep.good["axis.drive"]) == drives
    assert sweep.good["host.latency.mean"].n_unique() == 1


def test_a_folder_has_one_sweep_at_a_time(tmp_path):
    with owned(tmp_path / "out"), pytest.raises(InputError, match=f"in use by process {os.getpid()}"):
        run_sweep(plan_of({"run": RUN, "axes": {"seed": [1]}}), tmp_path / "out")
    assert made_now({"run": RUN, "axes": {"seed": [1]}}, tmp_path / "out") == 1
    (tmp_path / "out" / ".lock").write_text("1\n")  # of one that was killed
    assert made_now({"run": RUN, "axes": {"seed": [1]}}, tmp_path / "out") == 0


def test_a_sweep_listens_nowhere(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 200000\n[axes]\nseed = [1, 2]\n')
    process = started("sweep", plan, "--out", tmp_path / "out", "--jobs", 2)
    try:
        wait_for(lambda: simulators_of(process.pid))
        assert listening(process.pid) == []
    finally:
        process.kill()
        process.wait()


def test_a_sweep_that_is_killed_leaves_no_simulator_and_the_next_one_no_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    plan = tmp_path / "plan.toml"
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 400000\n[axes]\nseed = [1, 2]\n')
    process = started("sweep", plan, "--out", tmp_path / "out", "--jobs", 2)
    wait_for(lambda: len(simulators_of(process.pid)) == 2)
    under_way = simulators_of(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3] for pid in under_way))
    assert list(tmp_path.glob("tessera-work-*"))
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 20\n[axes]\nseed = [3]\n')
    assert started("sweep", plan, "--out", tmp_path / "out").wait(PATIENCE) == 0
    assert list(tmp_path.glob("tessera-work-*")) == []


def test_a_sweep_that_ends_leaves_those_of_other_threads_alone(tmp_path):
    made = []
    long = plan_of({"run": {**RUN, "limit": 300_000}, "axes": {"seed": [1]}})
    other = Thread(target=lambda: made.append(run_sweep(long, tmp_path / "long", jobs=1)))
    other.start()
    wait_for(lambda: simulators_of(os.getpid()))
    with places(jobs=1) as place:
        place.submit("interrupted", ask_simulator, ["run", "demo", "--workload", "random-4k", "--limit", "100000000", "--out", str(tmp_path / "endless")])
        wait_for(lambda: len(simulators_of(os.getpid())) == 2)
    other.join()
    assert made[0].good.height == 1


def test_two_clients_of_one_scheduler_each_have_their_own_rows(tmp_path):
    pytest.importorskip("distributed")
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0", host="127.0.0.1", protocol="tcp") as cluster:
        plans = []
        for name, seeds in (("one", range(1, 13)), ("other", range(7, 19))):
            plan = tmp_path / f"{name}.toml"
            plan.write_text(f'[run]\nworkload = "random-4k"\nlimit = 20\n[axes]\nseed = {list(seeds)}\n')
            plans.append((plan, tmp_path / name, list(seeds)))
        clients = [started("sweep", plan, "--out", out, "--scheduler", cluster.scheduler_address, "--json") for plan, out, _ in plans]
        for client, (_, out, seeds) in zip(clients, plans):
            printed, _ = client.communicate(timeout=4 * PATIENCE)
            assert client.returncode == 0
            assert json.loads(printed)["done"] == len(seeds)
            assert sorted(Sweep(out).good["axis.seed"].to_list()) == seeds


def test_a_run_without_a_result_makes_the_sweep_fail(tmp_path, monkeypatch):
    """Whatever loses it: here the dataset."""
    monkeypatch.setattr(Sweep, "add", lambda self, row: None)
    plan = tmp_path / "plan.toml"
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 20\n[axes]\nseed = [1, 2]\n')
    done = CliRunner().invoke(app, ["sweep", str(plan), "--out", str(tmp_path / "out")])
    assert done.exit_code == 1 and "2 of 2 planned runs came back without a result" in done.output
    assert read_plan(plan).axis_names() == ["seed"]


def started(*words: object) -> subprocess.Popen:
    environment = {**os.environ, "TESSERA_SIM": str(SIMULATOR)}
    return subprocess.Popen([sys.executable, "-m", "tessera", *map(str, words)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def wait_for(holds) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def simulators_of(pid: int) -> list[int]:
    """The simulators that are children of the process."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        found += [int(child) for child in children if Path(f"/proc/{child}/comm").read_text().startswith("tessera-sim") and "--out" in Path(f"/proc/{child}/cmdline").read_text().split("\0")]
    return found


class Told(Exception):
    pass


def heed(*_: object) -> None:
    raise Told


@pytest.mark.parametrize("waits", ["for a run", "for a simulator"])
def test_a_signal_that_another_thread_takes_ends_the_wait_of_this_one(monkeypatch, waits):
    # Of two signals at once the kernel hands the second one to any thread; here the first thread takes none.
    end, place = Event(), Threads(1)
    place.submit("waits", end.wait, PATIENCE)
    monkeypatch.setenv("TESSERA_SIM", shutil.which("sleep"))
    before = signal.signal(signal.SIGUSR1, heed)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    try:
        with pytest.raises(Told):
            ask_simulator([str(PATIENCE)]) if waits == "for a simulator" else place.next()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGUSR1, before)
        end.set()
        place.close()
