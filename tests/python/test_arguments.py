"""What callers of the package hand in is checked where it comes in: a wrong kind is one sentence, and no error of an inner class."""

import pytest

import tessera
from tessera import curves, trace
from tessera.asking.prices import Prices
from tessera.explore.axes import amount

pytestmark = pytest.mark.usefixtures("the_built_simulator")

PLAN = {"run": {"workload": "random-4k"}, "axes": {"seed": [1]}}
CALLS = {
    "drive: expected a path, found 3": lambda: tessera.run(3),
    "workload: expected a text, found 3": lambda: tessera.run("demo", workload=3),
    "unknown option of a run 'layr'; did you mean 'layer'?": lambda: tessera.run("demo", workload="random-4k", layr="cmr"),
    "out: expected a path, found 4": lambda: tessera.run("demo", workload="random-4k", out=4),
    "until: expected a text, found 5": lambda: tessera.run("demo", workload="random-4k", until=5),
    "set: expected the path of a parameter, found 1": lambda: tessera.run("demo", workload="random-4k", settings={1: 2}),
    "layers: expected several texts": lambda: tessera.compare(layers=3, workload="random-4k"),
    "seeds: expected a whole number of at least 1, found 'two'": lambda: tessera.compare(seeds="two", workload="random-4k"),
    "baselines: expected several texts": lambda: tessera.compare(baselines=[1], workload="random-4k"),
    "plan: expected a path, found 3": lambda: tessera.sweep(3, out="x"),
    "out: expected a path, found None": lambda: tessera.sweep(PLAN, out=None),
    "jobs: expected a whole number of at least 1, found 'x'": lambda: tessera.sweep(PLAN, out="x", jobs="x"),
    "yes: expected True or False, found 3": lambda: tessera.sweep(PLAN, out="x", yes=3),
    "axes: expected a mapping with texts as keys": lambda: tessera.sweep({**PLAN, "axes": {3: [1]}}, out="x"),
    "settings: expected a mapping": lambda: tessera.validate("hp-c3323a", "x", settings=[1]),
    "folder: expected a path, found None": lambda: tessera.open_results(None),
    "folder: expected a path, found 3": lambda: tessera.Run(3),
    "words: expected a drive and options of a run, found none": lambda: tessera.Simulation.of_words([]),
    "--limit: expected a value": lambda: tessera.Simulation.of_words(["demo", "--limit"]),
    "options of a run: expected a mapping": lambda: tessera.Simulation.of(3),
    "trace: expected a path, found 3": lambda: trace.read_trace(3),
    "source: expected a path, found 3": lambda: curves.miss_ratios(3),
    "sample: expected a share": lambda: curves.miss_ratios("x", sample="all"),
    "--price: expected dram=PRICE, a number of 0 or more, found 'dram=nan'": lambda: Prices.of(["dram=nan"]),
    "--price: expected flash=PRICE, a number of 0 or more, found 'flash=-1'": lambda: Prices.of(["flash=-1"]),
    "found inf": lambda: amount(float("inf")),
}


@pytest.mark.parametrize("said", CALLS)
def test_a_wrong_kind_is_one_sentence(said):
    with pytest.raises(tessera.InputError) as refused:
        CALLS[said]()
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_metric_that_a_run_has_not_is_an_input_error_and_a_key_error(tmp_path):
    (tmp_path / "summary.json").write_text('{"schema": 1, "run": {}, "metrics": {"host.latency.mean": {"value": 1, "unit": "ms", "description": "d"}}}')
    with pytest.raises(KeyError) as refused:
        tessera.Run(tmp_path).metric("host.latency.men")
    assert isinstance(refused.value, tessera.InputError) and str(refused.value).endswith("the run has no metric 'host.latency.men'; did you mean 'host.latency.mean'?")
