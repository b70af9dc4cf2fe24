"""The demonstration over a stand-in for the simulator."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tessera.cli import app
from tessera.explore.fold import forget_capacities
from tessera.results.layer_table import COLUMNS

STAND_IN = """
import json, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from samples import metric, requests_of, write_run
arguments = sys.argv[1:]
if arguments == ["list", "layers", "--json"]:
    print(json.dumps([{{"name": name}} for name in ("cmr", "mu-rmw", "imr-rmw", "new")]))
    sys.exit()
if arguments[0] == "check":
    print(8192 if "mu-rmw" in arguments else 12288)
    sys.exit()
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
names = ["host.requests", "host.latency.mean", "host.latency.p99", "host.latency.p999", "host.latency.max", "capacity.gain_vs_cmr", "cleaning.count", "metadata.bytes", "cost.per_user_tb", "run.requests_per_cpu_second"]
metrics = {{name: metric(index + 1234.5) for index, name in enumerate(names)}}
metrics["write_amplification.total"] = metric(None)
facts = {{"cleans": "mu-rmw" in arguments, "tool": "tessera-sim", "unstable": False, "notes": []}}
metrics["cleaning.count"] = metric(19 if "mu-rmw" in arguments else 20)
write_run(Path(arguments[arguments.index("--out") + 1]), metrics, requests_of([1, 2]), facts)
"""


@pytest.fixture(autouse=True)
def no_capacity_of_another_simulator():
    forget_capacities()
    yield
    forget_capacities()


def run_demo(*arguments):
    return CliRunner().invoke(app, ["demo", *map(str, arguments)])


def use_stand_in(stand_in, tmp_path):
    script = STAND_IN.format(tests=str(Path(__file__).parent), log=str(tmp_path / "log"))
    stand_in(f"import sys; sys.path[:0] = {sys.path!r}\n" + script)
    return lambda: [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def test_the_demo_runs_each_layer_and_leaves_table_and_picture(stand_in, tmp_path):
    calls = use_stand_in(stand_in, tmp_path)
    result = run_demo("--out", tmp_path / "demo", "--limit", "500")
    assert result.exit_code == 0, result.output
    assert sorted(call[:4] for call in calls()) == [["run", "demo", "--layer", layer] for layer in ("cmr", "imr-rmw", "mu-rmw", "new")]
    assert all(call[4:9] == ["--workload", "web-server", "--limit", "500", "--fold"] for call in calls())
    assert all(call[9:11] == ["--fold-at", "8192 B"] for call in calls())  # the capacity of mu-rmw, so that all get one workload
    assert "Addresses fold at 8,192 B for every design" in " ".join(result.output.split())
    assert [call[3] for call in calls() if "--vcd" in call] == ["imr-rmw"]
    assert (tmp_path / "demo" / "latency.png").exists()
    rows = (tmp_path / "demo" / "table.md").read_text().splitlines()[4:]  # after what all share and the head
    assert [row.split("`")[1] for row in rows] == ["cmr", "imr-rmw", "mu-rmw", "new"]
    assert rows[0].startswith("| `cmr` | 1,235.5 | 1,236 | 1,238 | 1,238 | - | 1239.50 | 1242.5 | 20 | 1.2 | 1.2 | - |")
    assert rows[2].startswith("| `mu-rmw` | 1,235.5* | 1,236* | 1,238* | 1,238* | - | 1239.50 | 1242.5 | 19* | 1.2 | 1.2 | - |")  # 20 cleanings rank, 19 do not
    assert "\n  ! mu-rmw*: fewer than 20 cleanings" in result.output
    assert (tmp_path / "demo" / "report.html").exists() and str(tmp_path / "demo" / "report.html") in result.output.replace("\n", "")
    assert "first_rmw.gtkw" in result.output
    assert f"tessera explain {tmp_path / 'demo' / 'imr-rmw'} 0" in result.output  # a command that every installation has
    assert result.output.rstrip().endswith(f"tessera view {tmp_path / 'demo' / 'imr-rmw'} --yes")


@pytest.mark.parametrize("width", [40, 64, 200])
def test_the_table_has_whole_columns_and_its_legend_is_of_those(stand_in, tmp_path, monkeypatch, width):
    use_stand_in(stand_in, tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run_demo("--out", tmp_path / "demo").output.splitlines()
    head = next(line.split() for line in lines if line.split()[:1] == ["layer"])
    first = next(line.split() for line in lines if line.split()[:1] == ["cmr"])
    shown = [column for column in COLUMNS if column.title.split()[-1] in head]
    assert shown == list(COLUMNS[: len(shown)]) and len(first) == 1 + len(shown)  # no figure is cut or folded
    legend = " ".join(line.strip() for line in lines)
    assert [column.title for column in COLUMNS if column.about and f"{column.title}: {column.about}." in legend] == [column.title for column in shown if column.about]
    assert 0 < len(shown) < len(COLUMNS) and max(len(line) for line in lines if line.startswith(("layer", "cmr", "---"))) <= min(width, 80)
    assert f"less {tmp_path / 'demo' / 'table.md'}" in "".join(lines)  # which has them all


def test_a_named_trace_is_replayed_whole_with_addresses_folded(stand_in, tmp_path):
    calls = use_stand_in(stand_in, tmp_path)
    assert run_demo("/a/trace.csv.xz", "--out", tmp_path / "demo").exit_code == 0
    assert all(call[4:7] == ["--trace", "/a/trace.csv.xz", "--fold"] and "--limit" not in call for call in calls())


def test_an_error_of_the_simulator_ends_the_demo_with_its_status(stand_in, tmp_path):
    stand_in("import sys; print('half a table'); print('bad trace', file=sys.stderr); sys.exit(2)")
    result = run_demo("--out", tmp_path / "demo")
    assert result.exit_code == 2
    assert "half a table" in result.output


def test_a_simulator_that_is_killed_ends_the_demo_as_a_shell_would(stand_in, tmp_path):
    stand_in("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert run_demo("--out", tmp_path / "demo").exit_code == 137
