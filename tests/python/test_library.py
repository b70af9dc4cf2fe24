"""`import tessera`: calls, frames, and the sentences for what cannot be had."""

import dataclasses

import numpy as np
import pytest
from samples import metric, write_run
from simulate import run
from typer.testing import CliRunner

import tessera
from tessera import InputError, Options, Run, Simulation
from tessera.cli import app
from tessera.engine.simulation import simulation_of
from tessera.results.human import figure


pytestmark = pytest.mark.usefixtures("the_built_simulator")


@pytest.fixture(scope="module")
def result(the_built_simulator):
    return tessera.run("bare", layer="mu-rmw", workload="web-server", fold=True, limit=600, requests=True, events=True, intervals="100 requests")


def test_the_typed_options_are_the_fields_of_a_simulation():
    fields = {item.name for item in dataclasses.fields(Simulation)} - {"drive"}
    assert set(Options.__annotations__) == fields


def test_the_requests_frame_is_the_log_with_lives_in_milliseconds(result):
    frame, log = result.frames.requests, result.requests
    assert frame["latency_ms"].to_numpy() == pytest.approx((log["completion"] - log["arrival"]) / 1e9)
    phases = tessera.life_phases(log)
    assert sum(frame[phase].to_numpy() for phase in phases) == pytest.approx(frame["latency_ms"].to_numpy())
    assert set(frame["op"].unique()) == {"read", "write"}


def test_the_other_frames_are_the_files(result):
    assert result.frames.intervals["requests"].sum() == 600
    assert result.frames.events.columns == ["time_ps", "kind", "edge", "subject", "amount"]
    row = result.frames.metrics.filter(result.frames.metrics["name"] == "host.served").row(0, named=True)
    assert (row["value"], row["unit"]) == (600, "1")


def test_a_run_says_what_made_it_and_gives_the_same_again(result, tmp_path):
    again = simulation_of(result.folder).run(tmp_path)
    assert np.array_equal(again.requests, result.requests)
    assert "--layer mu-rmw" in simulation_of(result.folder).command()


def test_a_file_that_the_run_did_not_write_is_named_with_what_writes_it(tmp_path):
    run = Run(write_run(tmp_path, {"a": metric(1)}))
    with pytest.raises(InputError, match="has no requests.npy: a run writes it with --requests"):
        _ = run.requests
    with pytest.raises(InputError, match="no folder of a run"):
        _ = Run(tmp_path / "nothing").summary


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tessera.run("comon", workload="random-4k"), "did you mean 'common'"),
        (lambda: tessera.run("bare", workload="random-4k", settings={"media.rmp": "5400 rpm"}), "did you mean 'media.rpm'"),
        (lambda: tessera.run("bare"), "takes its requests from a trace or a workload"),
        (lambda: tessera.run("bare", workload="a", trace="b"), "name one of them"),
        (lambda: tessera.open_results("/nonexistent"), "holds no results"),
        (lambda: tessera.trace.describe("/nonexistent.csv"), "/nonexistent.csv"),
        (lambda: tessera.run("bare", workload="random-4k", until="host.latency.p99"), "expected METRIC:PERCENT"),
    ],
)
def test_what_cannot_be_had_is_one_sentence(call, expected):
    with pytest.raises(InputError) as raised:
        call()
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value) and "tessera-sim" not in str(raised.value)


def test_a_simulator_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("TESSERA_SIM", "/nonexistent/tessera-sim")
    with pytest.raises(InputError, match="no simulator at /nonexistent/tessera-sim"):
        tessera.run("bare", workload="random-4k")


def test_a_comparison_pairs_its_seeds(tmp_path):
    both = tessera.compare("bare", layers=("cmr", "imr-rmw"), workload="random-4k", limit=200, seeds=3, out=tmp_path)
    runs = {layer: [both.run(layer, seed).metric("host.latency.mean") for seed in (1, 2, 3)] for layer in ("cmr", "imr-rmw")}
    differences = np.subtract(runs["imr-rmw"], runs["cmr"])
    paired = both.paired("host.latency.mean", "imr-rmw", "cmr")
    assert paired.value == pytest.approx(differences.mean())
    assert paired.half_width == pytest.approx(4.303 * differences.std(ddof=1) / 3**0.5)  # Student's t, 2 degrees
    with pytest.raises(InputError, match="did you mean 'cmr'"):
        both.run("cmrr")


def command(*words, status=0):
    finished = CliRunner().invoke(app, [str(word) for word in words])
    assert finished.exit_code == status, finished.output
    return finished


def test_the_command_line_says_the_same_as_the_library(tmp_path):
    finished = command("run", "bare", "--layer", "cmr", "--workload", "random-4k", "--limit", 100, "--replay", "closed:4", "--out", tmp_path, "--json")
    again = tessera.run("bare", layer="cmr", workload="random-4k", limit=100, replay="closed:4")
    assert f'"value": {again.metric("host.latency.mean")}' in finished.output


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "bare", "--lyer", "cmr", "--workload", "random-4k", "--out", "x"), "did you mean '--layer'"),
        (("swep", "x.toml"), "unknown command 'swep'; did you mean 'sweep'?"),
        (("sweep", "/nonexistent.toml"), "/nonexistent.toml: No such file or directory"),
        (("run", "bare", "--workload", "random-4k", "--set", "nand.dies", "--out", "x"), "expected PATH=VALUE, found 'nand.dies'"),
    ],
)
def test_a_command_that_cannot_be_run_ends_with_status_2_and_a_sentence(words, expected):
    finished = command(*words, status=2)
    assert expected in finished.output
    assert "Traceback" not in finished.output and finished.output.count("tessera:") == 1


def test_a_request_of_a_run_without_a_log_is_explained_by_making_it_again(tmp_path):
    tessera.run("bare", layer="imr-rmw", workload="web-server", limit=50, out=tmp_path / "plain")
    tessera.run("bare", layer="imr-rmw", workload="web-server", limit=50, requests=True, events=True, out=tmp_path / "logged")
    assert command("explain", tmp_path / "plain", 7).output == command("explain", tmp_path / "logged", 7).output
    assert not (tmp_path / "plain" / "requests.npy").exists()
    assert "holds no request" in command("explain", tmp_path / "logged", 50, status=2).output
    assert f"tessera: {tmp_path / 'plain'}: holds no request 50" in command("explain", tmp_path / "plain", 50, status=2).output


def test_a_run_of_the_simulator_itself_and_one_of_a_comparison_are_explained_too(tmp_path):
    words = ("demo", "--layer", "imr-rmw", "--workload", "web-server", "--fold", "--limit", "50", "--time-scale", "2", "--cut-at", "1 s", "--set", "nand.dies=1")
    run(tmp_path / "plain", *words, "--fst", tmp_path / "waves.fst", "--record-window", "0 s:1 ms")
    (tmp_path / "waves.fst").unlink()
    run(tmp_path / "logged", *words, "--requests", "--events")
    assert command("explain", tmp_path / "plain", 7).output == command("explain", tmp_path / "logged", 7).output
    assert not (tmp_path / "waves.fst").exists()
    tessera.compare("demo", layers=["cmr", "imr-rmw"], workload="web-server", limit=20, out=tmp_path / "two")
    assert "Request 7 " in command("explain", tmp_path / "two" / "imr-rmw" / "1", 7).output
    assert "is the folder of a comparison: name a run in it" in command("explain", tmp_path / "two", 7, status=2).output
    assert "it is no folder of a run" in command("explain", tmp_path / "nowhere", 7, status=2).output


@pytest.mark.parametrize(("name", "length"), [("summary.json", 500), ("summary.json", 0), ("requests.npy", 0), ("requests.npy", 300)])
def test_a_file_of_a_run_that_was_cut_off_is_named(tmp_path, name, length):
    tessera.run("bare", layer="cmr", workload="random-4k", limit=20, requests=True, out=tmp_path)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[:length])
    said = command("report", tmp_path, status=2).output
    assert said == f"tessera: {tmp_path / name} is damaged or was cut off: remove it, and make again what it is of\n"


def test_the_summary_says_the_figures_as_the_package_does(tmp_path):
    run = tessera.run("bare", layer="imr-rmw", workload="web-server", limit=300, out=tmp_path)
    for name in ("host.latency.mean", "host.latency.p99", "capacity.user", "metadata.bytes", "write_amplification.total", "run.simulated_seconds"):
        assert figure(run.metric(name), run.unit(name)) in run.printed, name


@pytest.mark.parametrize("name", ["run", "compare", "sweep", "search", "plot", "report", "curve", "describe"])
def test_the_help_of_a_command_has_examples(name):
    assert "Examples:" in command(name, "--help").output


def test_a_comparison_of_which_a_layer_is_refused_shows_the_others_and_ends_as_the_simulator_does(tmp_path):
    words = ["--workload", "random-4k", "--limit", "50", "--set", "nand.blocks=0", "--out", str(tmp_path / "some")]
    shown = CliRunner().invoke(app, ["compare", "bare", "--layers", "cmr,pore", *words])
    assert shown.exit_code == 2
    assert "\ncmr " in shown.stdout and "pore" in shown.stderr
    with pytest.raises(InputError, match="flash"):  # nothing could run
        tessera.compare("bare", layers=("pore", "mu-rmw"), workload="random-4k", limit=50, settings={"nand.blocks": 0})
