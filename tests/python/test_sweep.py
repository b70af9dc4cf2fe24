"""Sweeps as a whole: nothing is run twice, nothing is lost."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

import polars as pl
import pytest
from samples import REPOSITORY
from simulate import SIMULATOR
from typer.testing import CliRunner

import tessera
from tessera import InputError
from tessera.cli import app
from tessera.explore import Sweep
from tessera.explore.cluster import job_script
from tessera.explore.dataset import frame_of
from tessera.explore.plan import plan_of, read_plan
from tessera.explore.sweep import Count, keyed, run_sweep
from tessera.reports import write_report
from tessera.reports.sweep_page import sweep_page
from tessera.results.human import figure

RUN = {"workload": "random-4k", "limit": 100}


pytestmark = pytest.mark.usefixtures("the_built_simulator")


def swept(out, axes, **options):
    counts = []
    made = run_sweep(plan_of({"run": RUN, "axes": axes}), out, jobs=2, progress=lambda count: counts.append((count.kept, count.done)), **options)
    return made, counts[-1]


def test_a_repeated_sweep_makes_only_what_is_missing(tmp_path):
    _, first = swept(tmp_path, {"seed": [1, 2]})
    made, second = swept(tmp_path, {"seed": [1, 2, 3], "layer": ["cmr"]})
    assert first == (0, 2)
    assert second == (0, 3)  # the layer that the drive has by itself, and the same named, are two descriptions of a run
    _, third = swept(tmp_path, {"seed": [1, 2, 3], "layer": ["cmr"]})
    assert third == (3, 0)
    assert made.good["axis.seed"].sort().to_list() == [1, 2, 3]


def test_a_row_is_what_the_run_alone_says(tmp_path):
    made, _ = swept(tmp_path, {"layer": ["imr-rmw"], "nand.dies": [4]})
    alone = tessera.run("common", layer="imr-rmw", settings={"nand.dies": 4}, **RUN)
    row = made.good.row(0, named=True)
    for name in ("host.latency.mean", "write_amplification.total", "host.latency.p99"):
        assert row[name] == alone.metric(name)
    assert row["command"] == 'tessera run common --layer imr-rmw --workload random-4k --limit 100 --seed 1 --set nand.dies=4'


def test_what_is_compared_leaves_out_the_longest_warm_up_and_results_are_of_whole_runs(tmp_path):
    run = {"drive": "demo", "workload": "oltp", "limit": 20_000, "fold": True, "prefill": 100}
    made = run_sweep(plan_of({"run": run, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2]}}), tmp_path / "a", jobs=2)
    compared, part = made.compared()
    by_hand = run_sweep(plan_of({"run": {**run, "warmup": -(-20_000 // part)}, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2]}}), tmp_path / "b", jobs=2)
    whole = run_sweep(plan_of({"run": {**run, "warmup": 0}, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2]}}), tmp_path / "c", jobs=2)
    for name in ("host.latency.mean", "host.read.latency.mean", "host.latency.max"):
        assert compared[name].to_list() == pytest.approx(by_hand.results[name].to_list(), rel=1e-9)
        assert made.results[name].to_list() == whole.results[name].to_list()
    assert set(compared.columns) == set(made.results.columns) == set(whole.results.columns) and by_hand.compared()[1] is whole.compared()[1] is None
    page = sweep_page(made, "Which layer has the smallest mean latency?")
    assert page.notes == [f"Latencies and throughput leave out the first 1/{part} of each run, the longest warm-up of all; other figures are of whole runs."]
    assert f"mean {figure(compared['host.latency.mean'][:2].mean(), 'ms')}" in page.answer and all(f"the first 1/{part} of each run left out" in chart.note for chart in page.charts)
    assert sweep_page(whole).notes == []


def test_overloaded_designs_of_a_sweep_are_compared_by_what_they_serve(tmp_path):
    run = {"drive": "bare", "workload": "random-4k", "limit": 2000}
    made = run_sweep(plan_of({"run": run, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2, 3]}}), tmp_path, jobs=2)
    page = sweep_page(made, "Which layer has the smallest p99?")
    assert page.answer.startswith("Not settled: ") and "Overloaded designs are compared by throughput: " in page.answer and "largest throughput" in page.answer
    assert page.findings[0].startswith("host.throughput over layer: ") and "host.throughput" in [column.title for column in page.tables[0].columns]
    assert page.findings[1] == "host.latency.mean over layer: not ranked, as 6 runs must not be."


def test_the_margin_of_a_sweeps_report_is_the_users(tmp_path):
    run = {"drive": "bare", "workload": "random-4k", "limit": 300, "replay": "closed:4"}
    plan = {"title": "Which spindle has the smallest mean latency?", "run": run, "axes": {"media.rpm": ["7200 rpm", "7100 rpm"], "seed": [1, 2, 3]}}
    made = run_sweep(plan_of({**plan, "margin": 50}), tmp_path, jobs=2)
    assert made.margin == 50 and "equal within 50 %" in write_report(tmp_path).read_text()
    assert "equal within 40 %" in write_report(tmp_path, margin=40).read_text()
    with pytest.raises(InputError, match="margin: expected a number, found '5 %'"):
        plan_of({**plan, "margin": "5 %"})
    tessera.run("bare", layer="cmr", workload="random-4k", limit=10, out=tmp_path / "run")
    with pytest.raises(InputError, match="a report of one run compares nothing"):
        write_report(tmp_path / "run", margin=5)


def test_runs_that_fail_are_kept_with_their_message_beside_good_ones(tmp_path):
    made, _ = swept(tmp_path, {"layer": ["cmr", "mu-rmw", "imr-rwm"], "nand.blocks": [0]})
    assert made.good["axis.layer"].to_list() == ["cmr"]
    messages = dict(zip(made.failed["axis.layer"], made.failed["message"]))
    assert messages["mu-rmw"].startswith("the layer mu-rmw needs NAND flash")
    assert "did you mean 'imr-rmw'" in messages["imr-rwm"]
    assert set(made.failed["exit_status"]) == {2}
    _, again = swept(tmp_path, {"layer": ["cmr", "mu-rmw", "imr-rwm"], "nand.blocks": [0]})
    assert again == (3, 0)  # bad input stays bad


def test_the_command_says_what_failed_and_its_status_too(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 10\n[axes]\nlayer = ["cmr", "mu-rmw"]\n"nand.blocks" = [0]\n')
    words = ["sweep", str(plan), "--out", str(tmp_path / "out"), "--jobs", "1"]
    for made in ("2 made now", "0 made now"):
        finished = CliRunner().invoke(app, words)
        assert finished.exit_code == 1
        assert made in finished.output and "1 run failed:" in finished.output and "needs NAND flash" in finished.output
    assert CliRunner().invoke(app, [*words, "--dry-run"]).output.count("tessera run common") == 2


def test_the_dataset_is_read_by_polars_as_it_lies(tmp_path):
    swept(tmp_path, {"seed": [1, 2]})
    assert pl.scan_parquet(tmp_path / "runs" / "*.parquet").select("host.served").collect()["host.served"].to_list() == [100, 100]


STAND_IN = f"""
import os, signal, sys
from pathlib import Path
if "run" in sys.argv:
    seed = sys.argv[sys.argv.index("--seed") + 1]
    tries = Path(os.environ["TRIES"], seed)
    tries.write_text(tries.read_text() + "x" if tries.exists() else "x")
    if seed == "2" and len(tries.read_text()) < int(os.environ["KILLED"]):
        os.kill(os.getpid(), signal.SIGKILL)
os.execv({str(SIMULATOR)!r}, ["tessera-sim", *sys.argv[1:]])
"""


def test_a_run_whose_process_is_killed_is_repeated(tmp_path, stand_in, monkeypatch):
    (tmp_path / "tries").mkdir()
    monkeypatch.setenv("TRIES", str(tmp_path / "tries"))
    monkeypatch.setenv("KILLED", "3")
    stand_in(STAND_IN)
    made, _ = swept(tmp_path / "out", {"seed": [1, 2]})
    assert made.good.height == 2
    assert (tmp_path / "tries" / "2").read_text() == "xxx"


def test_a_run_that_is_killed_each_time_fails_and_is_tried_again_with_the_next_sweep(tmp_path, stand_in, monkeypatch):
    (tmp_path / "tries").mkdir()
    monkeypatch.setenv("TRIES", str(tmp_path / "tries"))
    monkeypatch.setenv("KILLED", "5")
    stand_in(STAND_IN)
    made, _ = swept(tmp_path / "out", {"seed": [1, 2]})
    assert made.failed["exit_status"].to_list() == [137]
    assert made.failed["message"].to_list() == ["the simulator was killed by signal 9 (SIGKILL), 3 times in a row"]
    made, again = swept(tmp_path / "out", {"seed": [1, 2]})
    assert again == (1, 1)
    assert made.failed.height == 0


def test_a_worker_that_is_killed_costs_nothing_but_time(tmp_path):
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        victim = next(iter(cluster.workers.values())).pid
        plan = plan_of({"run": {**RUN, "limit": 20_000}, "axes": {"seed": {"from": 1, "to": 12, "steps": 12}}})

        def kill(count):
            if count.done == 2:
                os.kill(victim, signal.SIGKILL)

        made = run_sweep(plan, tmp_path, scheduler=cluster.scheduler_address, progress=kill)
    assert made.good["axis.seed"].sort().to_list() == list(range(1, 13))


def test_results_of_another_simulator_stay_and_are_not_taken(tmp_path, stand_in):
    swept(tmp_path / "out", {"seed": [1]})
    stand_in(f"import os, sys\nos.execv({str(SIMULATOR)!r}, ['tessera-sim', *sys.argv[1:]])\n")
    counts: list[Count] = []
    made = run_sweep(plan_of({"run": RUN, "axes": {"seed": [1]}}), tmp_path / "out", jobs=1, progress=counts.append)
    assert counts[-1].other_simulator == 1 and counts[-1].done == 1
    assert made.results.height == 1 and made.everything().height == 2


def test_a_worker_with_a_simulator_of_another_version_refuses(tmp_path):
    from tessera.explore.worker import Task, work

    (key, run), = keyed(plan_of({"run": RUN, "axes": {"seed": [1]}})).items()
    row = work(Task(key, run.simulation.record(), run.point, "digest of another simulator"))
    assert row["exit_status"] == 2
    assert "is of another version than the one the sweep was planned with" in row["message"]


def test_a_folder_of_an_older_schema_is_refused(tmp_path):
    swept(tmp_path, {"seed": [1]})
    facts = json.loads((tmp_path / "sweep.json").read_text())
    (tmp_path / "sweep.json").write_text(json.dumps({**facts, "schema": 0}))
    with pytest.raises(InputError, match="results of schema 0, this version reads 1"):
        swept(tmp_path, {"seed": [1]})


def test_a_hundred_thousand_runs_and_more_need_a_yes(tmp_path):
    plan = {"run": RUN, "axes": {"seed": {"from": 1, "to": 1000, "steps": 1000}, "nand.dies": {"from": 1, "to": 1000, "steps": 1000}}}
    with pytest.raises(InputError, match="up to 1,000,000 runs: more than 100,000 are made with --yes only"):
        tessera.sweep(plan, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("tessera.explore.place.CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="no Dask scheduler answers at tcp://127.0.0.1:1 .*'dask scheduler' starts one"):
        swept(tmp_path, {"seed": [1]}, scheduler="tcp://127.0.0.1:1")


@pytest.mark.parametrize(("kind", "words"), [("slurm", "#SBATCH --cpus-per-task=2"), ("pbs", "#PBS -l select=1:ncpus=2"), ("lsf", "#BSUB -n 2")])
def test_a_batch_system_gets_a_script_that_starts_workers(kind, words):
    script = job_script({"kind": kind, "cores": 2, "memory": "4GB", "queue": "long", "jobs": 3, **({"ncpus": 2} if kind == "lsf" else {})})
    assert words in script and "long" in script
    assert "distributed.cli.dask_worker" in script


def test_a_batch_system_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match="unknown kind of cluster 'slrum'; did you mean 'slurm'"):
        job_script({"kind": "slrum"})


def test_results_come_in_the_order_of_the_plan_whichever_run_ended_first(tmp_path):
    made = Sweep(tmp_path)
    made.begin({"title": "", "axes": ["seed"], "run": {}, "simulator": ""}, ["first", "second", "first", "third"])
    for key in ("third", "first", "of another plan", "second", "first"):
        made.add({"key": key, "exit_status": 0, "message": "", "command": "", "axis.seed": 1.0})
    assert made.results["key"].to_list() == ["first", "second", "third"]
    assert made.good.columns[:4] == ["key", "exit_status", "message", "command"]


def test_what_the_journal_holds_is_in_the_results_after_a_crash(tmp_path):
    made, _ = swept(tmp_path, {"seed": [1]})
    row = made.everything().row(0, named=True)
    (tmp_path / "unsaved.jsonl").write_text(json.dumps({**row, "key": "of a crash"}) + "\n" + '{"key": "cut o')
    assert Sweep(tmp_path).everything().height == 2
    swept(tmp_path, {"seed": [1]})
    assert not (tmp_path / "unsaved.jsonl").exists()
    assert pl.read_parquet(tmp_path / "runs" / "*.parquet")["key"].n_unique() == 2


@pytest.mark.parametrize(("room", "kept"), [(0, ""), (1, "; 1 result kept in {out}, and the same command goes on")])
def test_a_full_disk_ends_with_a_sentence(tmp_path, monkeypatch, room, kept):
    add = Sweep.add

    def full(self, row):
        if len(self._unsaved) == room:
            raise OSError(28, "No space left on device", str(self.folder))
        add(self, row)

    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 10\n[axes]\nseed = [1, 2]\n')
    monkeypatch.setattr(Sweep, "add", full)
    finished = CliRunner().invoke(app, ["sweep", str(plan), "--out", str(out), "--jobs", "1"])
    assert finished.exit_code == 1
    assert f"tessera: {out}: No space left on device{kept.format(out=out)}\n" in finished.output
    assert Sweep(out).results.height == room


def test_a_disk_that_is_really_full_leaves_what_was_done_and_the_same_command_goes_on(tmp_path):
    plan, out, room = tmp_path / "plan.toml", tmp_path / "out", 60_000
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 10\n[axes]\nseed = { from = 1, to = 8, steps = 8 }\n')
    command = [sys.executable, "-m", "tessera", "sweep", plan, "--out", out, "--jobs", "1"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "analysis"), "TESSERA_SIM": str(SIMULATOR)}
    ended = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
    )  # fmt: skip
    assert ended.returncode == 1 and "Traceback" not in ended.stderr, ended.stderr
    assert re.fullmatch(r"tessera: \S+: File too large; \d results? kept in \S+, and the same command goes on\n", ended.stderr), ended.stderr
    assert not list(out.rglob("*.partial"))
    again = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    assert 0 < int(re.search(r"8 runs: (\d) were there", again.stdout)[1]) < 8
    assert Sweep(out).good.height == 8


@pytest.mark.parametrize("name", ["sweep.json", "runs/part-000001.parquet"])
def test_a_file_of_a_sweep_that_was_cut_off_is_named_and_its_runs_are_made_again_without_it(tmp_path, name):
    swept(tmp_path, {"seed": [1]})
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:20])
    with pytest.raises(InputError, match=f"{name} is damaged or was cut off"):
        swept(tmp_path, {"seed": [1]})
    (tmp_path / name).unlink()
    made, count = swept(tmp_path, {"seed": [1]})
    assert made.good.height == 1


def test_axes_of_numbers_and_words_are_words():
    frame = frame_of([{"key": "a", "exit_status": 0, "axis.x": 1}, {"key": "b", "exit_status": 0, "axis.x": "auto", "m": 2.0}])
    assert frame["axis.x"].to_list() == ["1", "auto"]
    assert frame["m"].to_list() == [None, 2.0]


def test_control_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text('[run]\nworkload = "random-4k"\nlimit = 40000\n[axes]\nseed = { from = 1, to = 400, steps = 400 }\n')
    words = [sys.executable, "-m", "tessera", "sweep", str(plan), "--out", str(out), "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "analysis")}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0, env=environment)
    deadline = time.monotonic() + 60
    unsaved = out / "unsaved.jsonl"
    while not (unsaved.exists() and b"\n" in unsaved.read_bytes()) and time.monotonic() < deadline:  # a first run is kept
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "results are kept in" in errors and "Traceback" not in errors
    kept = Sweep(out).good.height
    assert 0 < kept < 400
    there = set(keyed(read_plan(plan))) & set(Sweep(out).good["key"])
    assert len(there) == kept


WARM = {"workload": "zipf-writes", "replay": "closed:4", "limit": 200, "prefill": 100}


def warm_sweep(out, axes, warm=WARM, run=None):
    counts = []
    plan = plan_of({"run": {**RUN, "drive": "demo", "fold": True, **(run or {})}, "warm": warm, "axes": axes})
    made = run_sweep(plan, out, jobs=2, progress=lambda count: counts.append((count.warmed, count.done)))
    return made, counts[-1]


def states(folder):
    return {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in (folder / "warm").glob("*.state")}


def test_runs_that_differ_after_the_warm_up_only_share_one_and_it_is_made_once(tmp_path):
    made, first = warm_sweep(tmp_path, {"layer": ["cmr", "imr-rmw"], "replay": ["closed:1", "closed:8"]})
    assert first == (2, 4)  # a state for each layer
    before = states(tmp_path)
    assert len(before) == 2
    assert made.failed.height == 0
    assert all("--load-state" in command and "--prefill" not in command for command in made.good["command"])
    _, more = warm_sweep(tmp_path, {"layer": ["cmr", "imr-rmw"], "replay": ["closed:1", "closed:8", "closed:2"]})
    assert more == (0, 2)
    assert states(tmp_path) == before
    # The same drive, warmed by hand, gives the same figures.
    state = tmp_path / "by-hand.state"
    tessera.run("demo", layer="imr-rmw", fold=True, save_state=state, **WARM)
    alone = tessera.run("demo", layer="imr-rmw", fold=True, load_state=state, replay="closed:8", **RUN)
    row = made.good.filter((pl.col("axis.layer") == "imr-rmw") & (pl.col("axis.replay") == "closed:8"))
    assert row["host.latency.mean"].to_list() == [alone.metric("host.latency.mean")]


def test_a_warm_drive_for_each_seed_unless_the_warm_up_names_one(tmp_path):
    _, each = warm_sweep(tmp_path / "each", {"seed": [1, 2, 3]})
    assert each == (3, 3)
    _, one = warm_sweep(tmp_path / "one", {"seed": [1, 2, 3]}, {**WARM, "seed": 1})
    assert one == (1, 3)


def test_a_damaged_state_is_made_again_and_another_warm_up_makes_other_results(tmp_path):
    warm_sweep(tmp_path, {"seed": [1]})
    (name, (_, good)) = next(iter(states(tmp_path).items()))
    (tmp_path / "warm" / name).write_bytes(good[:-5])
    _, again = warm_sweep(tmp_path, {"seed": [1], "replay": ["closed:2"]})
    assert again == (1, 1)
    assert states(tmp_path)[name][1] == good
    _, longer = warm_sweep(tmp_path, {"seed": [1]}, {**WARM, "limit": 300})
    assert longer == (1, 1)


def test_another_simulator_warms_its_own_drives(tmp_path, stand_in):
    warm_sweep(tmp_path / "out", {"seed": [1]})
    stand_in(f"import os, sys\nos.execv({str(SIMULATOR)!r}, ['tessera-sim', *sys.argv[1:]])\n")
    _, again = warm_sweep(tmp_path / "out", {"seed": [1]})
    assert again == (1, 1)
    assert len(states(tmp_path / "out")) == 2


def test_runs_behind_a_warm_up_that_fails_say_so_and_the_others_are_made(tmp_path):
    made, count = warm_sweep(tmp_path, {"layer": ["cmr", "mu-rmw"], "nand.blocks": [0]})
    assert count == (1, 2)
    assert made.good["axis.layer"].to_list() == ["cmr"]
    assert made.failed["message"].to_list()[0].startswith("its warm-up failed: the layer mu-rmw needs NAND flash")


def test_what_is_not_the_warm_ups_to_say_is_refused(tmp_path):
    for warm, run, message in (
        ({**WARM, "layer": "cmr"}, {}, "layer is the same before and after"),
        ({**WARM, "limt": 5}, {}, "did you mean 'limit'"),
        ({"limit": 5}, {}, "expected trace or workload"),
        (WARM, {"prefill": 50}, "prefill stands in"),
        (WARM, {"load_state": "a"}, "exclude each other"),
        (WARM, {"save_state": "a"}, "save_state keeps one state"),
    ):
        with pytest.raises(InputError, match=message):
            warm_sweep(tmp_path, {"seed": [1]}, warm, run)
