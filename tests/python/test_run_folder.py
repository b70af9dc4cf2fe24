import numpy as np
import pytest
from samples import metric, requests_of, write_run

from tessera import Run, latency_ms, life_phases
from tessera.figures.latency_plot import distribution, plot_latency
from tessera.results.sameness import differences


def test_metrics_are_read_with_units_and_undefined_ones_are_none(tmp_path):
    run = Run(write_run(tmp_path, {"a": metric(1.5, "ms"), "b": metric(None)}))
    assert run.metric("a") == 1.5
    assert run.unit("a") == "ms"
    assert run.metric("b") is None
    with pytest.raises(KeyError, match="c"):
        run.metric("c")


def test_a_summary_of_another_schema_is_refused(tmp_path):
    (tmp_path / "summary.json").write_text('{"schema": 2}')
    with pytest.raises(ValueError, match="results of schema 2, this version reads 1"):
        _ = Run(tmp_path).summary


def test_latency_and_phases_come_from_the_request_log(tmp_path):
    run = Run(write_run(tmp_path, {}, requests_of([1, 2.5])))
    assert latency_ms(run.requests).tolist() == [1, 2.5]
    assert life_phases(run.requests) == ("link", "seek")


def test_intervals_and_events_are_read(tmp_path):
    (tmp_path / "intervals.csv").write_text("start_s,end_s,mean_latency_ms\n0,1,2.5\n1,2,\n")
    (tmp_path / "events.csv").write_text("time_ps,kind,edge,subject,amount\n18446744073709551615,rmw,begin,3,8\n")
    assert Run(tmp_path).intervals == [
        {"start_s": 0, "end_s": 1, "mean_latency_ms": 2.5},
        {"start_s": 1, "end_s": 2, "mean_latency_ms": None},
    ]
    assert Run(tmp_path).events == [{"time_ps": 2**64 - 1, "kind": "rmw", "edge": "begin", "subject": 3, "amount": 8}]


def test_a_distribution_is_exact_where_it_is_not_thinned():
    latencies, shares = distribution(np.array([3.0, 1.0, 2.0, 4.0]))
    assert latencies.tolist() == [1, 2, 3, 4]
    assert shares.tolist() == [0.25, 0.5, 0.75, 1]


def test_a_thinned_distribution_keeps_both_ends_and_the_median():
    latencies, shares = distribution(np.arange(1, 100_001, dtype=float), points=101)
    assert len(latencies) == 101
    assert latencies[0] == 1 and shares[0] == 1e-5
    assert latencies[-1] == 100_000 and shares[-1] == 1
    assert latencies[50] == pytest.approx(50_000, rel=1e-3)
    assert (shares * 100_000).round().tolist() == latencies.tolist()


def test_the_latency_plot_copes_with_runs_without_reads_and_latencies_of_zero(tmp_path):
    run = Run(write_run(tmp_path, {}, requests_of([0, 1, 5])))
    plot_latency({"interlaced": {"cmr": run, "imr-rmw": run}}, tmp_path / "plot.png", "title", "cmr")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_runs_that_differ_only_in_the_machine_s_figures_are_the_same(tmp_path):
    first = Run(write_run(tmp_path / "a", {"x": metric(1), "run.cpu_seconds": metric(2)}))
    second = Run(write_run(tmp_path / "b", {"x": metric(1), "run.cpu_seconds": metric(3)}))
    assert differences(first, second) == []


def test_a_difference_in_a_figure_a_name_or_the_description_is_found(tmp_path):
    first = Run(write_run(tmp_path / "a", {"x": metric(1), "y": metric(1)}, run={"seed": 1}))
    second = Run(write_run(tmp_path / "b", {"x": metric(2)}, run={"seed": 2}))
    assert differences(first, second) == ["run.seed", "x: 1 and 2", "y: only in one of the two"]
    assert differences(first, second, figures_only=True) == ["x: 1 and 2"]
