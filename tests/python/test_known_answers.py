"""Known answers: designs that are equal, that differ by a known factor, runs whose mean is known. What is equal is found to differ in at most 5 %
of each family of comparisons, intervals cover in at least 93 %, and what differs by a third is found.

A commit tries a share; `./dev known-answers`, a step of the night, tries all, and prints what it found."""

import math
import os

import numpy as np
import optuna
import polars as pl
import pytest

import tessera
from tessera import Simulation
from tessera.evidence.blocks import pseudo_values, without_each
from tessera.evidence.front import places
from tessera.evidence.paired import BETTER, NOT_SETTLED, WORSE, verdicts
from tessera.evidence.ratios import Difference, Measured, ratio
from tessera.evidence.steadiness import quantile, steadiness_of
from tessera.evidence.verdict import best_of, least_that_is_enough
from tessera.evidence.warmup import latencies_after_each, left_out, part_of, rest_of
from tessera.explore.confirming import Confirmed, confirm
from tessera.explore.effort import steadiness
from tessera.explore.search_plan import SearchPlan
from tessera.explore.search_rows import Trial
from tessera.kernel import _extension
from tessera.reports.effects import effect_of
from tessera.results.request_log import latency_ms

WHOLE = os.environ.get("TESSERA_KNOWN_ANSWERS") == "all"
TRIES = 1000 if WHOLE else 100
SPREAD = 0.3  # of the logarithm, from seed to seed: half of it is beyond the margin, which therefore hides no difference of chance

pytestmark = pytest.mark.usefixtures("the_built_simulator")


def rare(found: int, tries: int, share: float = 0.05) -> bool:
    """Whether so many are no more than a share: chance goes beyond three deviations once in a thousand."""
    return found <= share * tries + 3 * math.sqrt(tries * share * (1 - share))


def covers(found: int, tries: int, share: float) -> bool:
    return found >= share * tries - 3 * math.sqrt(tries * share * (1 - share))


def said(what: str, found: int, tries: int) -> None:
    print(f"{what}: {found} of {tries} ({100 * found / tries:.1f} %)")


def designs(draw: np.random.Generator, count: int, seeds: int, shift: float = 0.0, spread: float = SPREAD) -> dict[str, dict[int, float]]:
    """Figures by seed, which have the seeds' effect in common; the last design is `shift` larger, of the logarithm."""
    logs = draw.normal(0, 1, (seeds, 1)) + draw.normal(0, spread, (seeds, count))
    logs[:, -1] += shift
    return {f"design {place}": dict(enumerate(np.exp(logs[:, place]).tolist(), 1)) for place in range(count)}


# What a family of comparisons finds between equal designs: each has its own way to be wrong.


def finding(found: dict[str, dict[int, float]]) -> bool:
    rows = [(name, float(seed), figure) for name, figures in found.items() for seed, figure in figures.items()]
    good = pl.DataFrame(rows, schema=["axis.layer", "axis.seed", "m"], orient="row")
    return effect_of(good, ["layer", "seed"], "layer", "m").ratio.difference is Difference.APART


def against_a_baseline(found: dict[str, dict[int, float]]) -> bool:
    return bool({BETTER, WORSE} & set(verdicts(found, "design 0").values()))


def against_the_best(found: dict[str, dict[int, float]]) -> bool:
    best = min(found, key=lambda name: np.mean(list(found[name].values())))
    return bool({BETTER, WORSE} & set(verdicts(found, best, chosen=True).values()))


def measured(found: dict[str, dict[int, float]]) -> dict[str, Measured]:
    return {name: Measured(figures) for name, figures in found.items()}


def answer_best(found: dict[str, dict[int, float]]) -> bool:
    verdict = best_of(measured(found), False)
    doubted = {doubt.one for doubt in verdict.doubts}
    return any(name not in doubted and name not in verdict.alike for name in found if name != verdict.best)


def answer_enough(found: dict[str, dict[int, float]]) -> bool:
    """That a larger one is better, or worse, than a smaller one."""
    verdict = least_that_is_enough(measured(found), False)
    return bool(verdict.worse) or (verdict.second is not None and not verdict.doubts)


def point_of_a_front(found: dict[str, dict[int, float]]) -> bool:
    """That a design is beaten, at one cost for all."""
    same = Measured(dict.fromkeys(next(iter(found.values())), 1.0))
    return any(place.settled and place.point is None for place in places([[figures, same] for figures in measured(found).values()], [False, False]))


FAMILIES = (finding, against_a_baseline, against_the_best, answer_best, answer_enough, point_of_a_front)


def plan_of_a_search(count: int) -> SearchPlan:
    return SearchPlan(title="", run={"workload": "random-4k"}, axes={"layer": ["cmr"]}, objectives={"m": "minimise", "price": "minimise"}, trials=count, confirm=20 * count)


def searched(draw: np.random.Generator, count: int, slower: float = 0.0) -> tuple[list[Trial], Confirmed]:
    """A search of designs that are equal at one price, the last `slower` by that (of the logarithm), with the runs that it asks for."""
    run = Simulation(workload="random-4k", limit=1)
    row = lambda seed, place: {"exit_status": 0, "seed": seed, "price": 1.0, "m": float(np.exp(draw.normal(slower * (place == count - 1), SPREAD)))}  # noqa: E731
    trials = [Trial({}, run.but(settings={"media.rpm": place}), [row(1, place)]) for place in range(count)]
    return trials, confirm(plan_of_a_search(count), trials, lambda wanted: [row(of.seed, int(of.settings["media.rpm"])) for _, of in wanted])


@pytest.mark.parametrize("count", [3, 12])
def test_a_search_of_equal_designs_settles_in_one_of_twenty_at_most_that_one_is_beaten(count):
    """The luckiest of them are chosen, and run again."""
    draw = np.random.default_rng(count)
    tries = TRIES // 4
    false = 0
    for _ in range(tries):
        _, found = searched(draw, count)
        false += any(place.settled and place.point is None and number not in found.once for number, place in found.places.items())
    said(f"search of {count} equal designs", false, tries)
    assert rare(false, tries)


def test_a_search_settles_that_a_design_of_ten_times_the_latency_is_beaten_or_does_not_run_it_again():
    draw = np.random.default_rng(1)
    tries = TRIES // 4
    found = sum(place.settled for _, each in (searched(draw, 4, math.log(10)) for _ in range(tries)) for number, place in each.places.items() if number == 3 and not place.on)
    said("search, ten times slower", found, tries)
    assert found >= 0.9 * tries


@pytest.mark.parametrize("count", [2, 4, 8, 22] if WHOLE else [2, 8])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_equal_designs_are_found_to_differ_in_one_answer_of_twenty_at_most(family, count):
    draw = np.random.default_rng(count)
    tries = TRIES if count < 22 else TRIES // 5
    false = sum(family(designs(draw, count, seeds=8)) for _ in range(tries))
    said(f"{family.__name__}, {count} equal designs", false, tries)
    assert rare(false, tries)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_a_design_that_is_a_third_slower_is_found(family):
    draw = np.random.default_rng(1)
    tries = TRIES // 2
    if family is answer_enough:  # of designs from little to much, more that is worse
        found = sum(bool(least_that_is_enough(measured(designs(draw, 4, 8, math.log(4 / 3), 0.05)), False).worse) for _ in range(tries))
    else:
        found = sum(family(designs(draw, 4, 8, math.log(4 / 3), 0.05)) for _ in range(tries))
    said(f"{family.__name__}, a third slower", found, tries)
    assert found >= 0.9 * tries


def test_blocks_of_a_recording_cover():
    draw = np.random.default_rng(1)

    def recording() -> Measured:
        latencies = draw.lognormal(0, 1, 20_000)
        figure = lambda values: quantile(values, 0.99)  # noqa: E731
        return Measured(pseudo_values(figure(latencies), without_each(latencies, figure)), whole=figure(latencies))

    tries = TRIES
    covered = sum(each.low <= 1 <= each.high for each in (ratio(recording(), recording(), 1) for _ in range(tries)))
    said("ratio of two equal designs over 10 blocks, p99", covered, tries)
    assert covers(covered, tries, 0.93)


def remembering(draw: np.random.Generator, memory: float, count: int = 40_000) -> np.ndarray:
    """Latencies that remember those before them: the logarithm is an autoregression."""
    noise = draw.normal(0, math.sqrt(1 - memory**2), count).tolist()
    value, values = draw.normal(), []
    for each in noise:
        value = memory * value + each
        values.append(value)
    return np.exp(values)


@pytest.mark.parametrize("fraction, memory, true", [(None, 0.9, math.exp(0.5)), (None, 0.99, math.exp(0.5)), (0.9, 0.9, 3.602), (0.99, 0.9, 10.240)])
def test_an_interval_of_one_run_covers_and_is_no_wider_than_it_has_to_be(fraction, memory, true):
    draw = np.random.default_rng(1)
    tries = TRIES // 2
    found = [steadiness_of(remembering(draw, memory), fraction, warmup=0, requests=40_000, steady=True).estimate for _ in range(tries)]
    covered = sum(abs(each.value - true) <= each.half_width for each in found)
    exact = 1.96 * float(np.std([each.value for each in found], ddof=1))
    wider = float(np.mean([each.half_width for each in found])) / exact
    said(f"interval of one run, {fraction or 'mean'}, memory {memory}, {wider:.2f} times the exact width", covered, tries)
    assert covers(covered, tries, 0.93)
    assert wider <= 1.3 * (1 + 2 / math.sqrt(tries))


def found_in(latencies: np.ndarray) -> tuple[int, bool]:
    """What the simulator finds in a run of such latencies: its warm-up, and whether it is steady."""
    return _extension().warm_up((latencies * 1e9).astype(np.uint64).tolist())


def row_of(latencies: np.ndarray) -> dict[str, float]:
    """As a run of a comparison has it."""
    count = len(latencies)
    figures = dict(latencies_after_each(latencies, {"host.latency.mean": None, "host.latency.p99": 0.99}, lambda part: left_out(count, part)))
    whole = {"host.latency.mean": float(latencies.mean()), "host.latency.p99": quantile(latencies, 0.99)}
    warm_up, steady = found_in(latencies)
    return {"exit_status": 0, "host.requests": float(count), **whole, "host.steady.from": float(warm_up), "host.steady.reached": float(steady), **figures}


TRANSIENTS = {  # of what is a mean of 1 in the long run; how many times that at the start, and requests until it is e times less
    "a slow start": (4.0, 500), "a long slow start": (3.0, 1500), "caches that fill": (0.2, 1500), "nothing": (1.0, 1),
}  # fmt: skip


@pytest.mark.parametrize("transient", TRANSIENTS)
@pytest.mark.parametrize("noise", ["even", "heavy"])
def test_a_known_transient_is_left_out_of_all_designs_and_nothing_else_is(transient, noise):
    """Two designs with the same mean in the long run, of which one begins elsewhere: whole runs differ by it, and what is compared does not."""
    draw = np.random.default_rng(1)
    times, memory = TRANSIENTS[transient]
    tries, count = TRIES // 2, 20_000
    shape = 1 + (times - 1) * np.exp(-np.arange(count) / memory)
    law = (lambda: draw.exponential(1.0, count)) if noise == "even" else (lambda: draw.lognormal(-0.5, 1.0, count))
    bias, rest, parts, unsteady = [], [], [], 0
    for _ in range(tries):
        rows = [row_of(law() * shape), row_of(law())]
        if not rows[0]["host.steady.reached"]:
            unsteady += 1
            continue
        part = part_of(rows)
        parts.append(part)
        compared = [rest_of(row, part)["host.latency.mean"] for row in rows]
        bias.append(math.log(rows[0]["host.latency.mean"] / rows[1]["host.latency.mean"]))
        rest.append(math.log(compared[0] / compared[1]))
    said(f"{transient}, {noise}: whole runs differ by {100 * math.expm1(np.mean(bias)):.1f} %, after the warm-up by {100 * math.expm1(np.mean(rest)):.2f} %; left out", sum(part is not None for part in parts), tries)
    if transient == "nothing":
        assert sum(part is not None for part in parts) <= 0.02 * tries + 1
    else:
        assert unsteady <= tries / 2  # of a long one some drift on, for a longer run to settle
        assert None not in parts and abs(np.mean(bias)) > 0.04
        assert abs(np.mean(rest)) < 0.02 and abs(np.mean(rest)) < 0.4 * abs(np.mean(bias))


def test_rare_bursts_are_no_warm_up():
    """MSER-5 alone leaves out five of six, and the mean without them is a better one than the design has."""
    draw = np.random.default_rng(1)
    tries = TRIES // 2
    latencies = []
    for _ in range(tries):
        values = draw.exponential(1.0, 20_000)
        for begin in (2_000, 4_000, 6_000, 8_000, 9_000, 18_000):
            values[begin : begin + 50] += 2_000
        latencies.append(values)
    found = sum(part_of([row_of(values)]) is not None for values in latencies)
    said("rare bursts taken for a warm-up", found, tries)
    assert found <= 0.02 * tries + 1


STEADY = {
    "even": lambda draw: draw.exponential(1.0, 20_000), "heavy": lambda draw: draw.lognormal(-0.5, 1.0, 20_000),
    "memory 0.9": lambda draw: remembering(draw, 0.9, 20_000), "memory 0.99": lambda draw: remembering(draw, 0.99, 20_000),
}  # fmt: skip


@pytest.mark.parametrize("noise", STEADY)
def test_of_steady_runs_one_in_a_hundred_is_called_not_steady(noise):
    draw = np.random.default_rng(1)
    false = sum(not found_in(STEADY[noise](draw))[1] for _ in range(TRIES))
    said(f"steady runs, {noise}", false, TRIES)
    assert rare(false, TRIES, 0.01)


@pytest.mark.parametrize("times", [1.2, 1 / 1.2], ids=["rise", "fall"])
@pytest.mark.parametrize("noise", ["even", "heavy"])
def test_a_drift_of_a_fifth_is_found(noise, times):
    draw = np.random.default_rng(1)
    tries = TRIES // 2
    found = sum(not found_in(STEADY[noise](draw) * np.linspace(1, times, 20_000))[1] for _ in range(tries))
    said(f"drift to {times:.2f} times, {noise}", found, tries)
    assert covers(found, tries, 0.95)


def test_a_search_chooses_by_what_it_compares(tmp_path, monkeypatch):
    """By figures after the warm-up, as it then compares them, and not by those of whole runs."""
    told = set()
    tell = optuna.study.Study.tell
    monkeypatch.setattr(optuna.study.Study, "tell", lambda study, trial, values=None, **more: (told.update(values or ()), tell(study, trial, values, **more))[1])
    monkeypatch.setattr("tessera.explore.searching.part_of", lambda rows: 8 if list(rows) else None)
    plan = {"run": {"drive": "bare", "workload": "zipf-writes", "replay": "closed:8", "limit": 300}, "axes": {"layer": ["cmr", "imr-rmw"]}, "objectives": {"host.latency.mean": "minimise"}}
    found = tessera.search(plan | {"search": {"trials": 4, "confirm": 0}}, out=tmp_path, jobs=1)
    rows = found.sweep.everything()
    assert told == set(rows["host.latency.mean.after.8"]) == set(found.trials["host.latency.mean"]) and not told & set(rows["host.latency.mean"])


# The same from runs of the simulator: one layer with other seeds is equal to itself.


@pytest.fixture(scope="module")
def alike(tmp_path_factory):
    """Means of runs of one layer, each with a seed of its own."""
    plan = {"run": {"drive": "bare", "layer": "imr-rmw", "workload": "zipf-writes", "replay": "closed:8", "limit": 300}, "axes": {"seed": list(range(1, (801 if WHOLE else 81)))}}
    with pytest.MonkeyPatch.context() as patch:
        from simulate import SIMULATOR

        patch.setenv("TESSERA_SIM", str(SIMULATOR))
        return tessera.sweep(plan, out=tmp_path_factory.mktemp("alike"), jobs=2).good["host.latency.mean"].to_numpy()


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_one_layer_is_not_found_to_differ_from_itself(family, alike):
    draw = np.random.default_rng(1)
    tries = TRIES
    false = 0
    for _ in range(tries):
        chosen = draw.permutation(alike)[: 4 * 5].reshape(4, 5)
        false += family({f"design {place}": dict(enumerate(row.tolist(), 1)) for place, row in enumerate(chosen)})
    said(f"{family.__name__}, one layer under other seeds", false, tries)
    assert rare(false, tries)


def test_the_interval_of_a_run_covers_the_mean_of_a_longer_one(tmp_path):
    """As `--until` takes it, with the warm-up that the run finds: the figure of the same draw of the workload, from what follows. Another seed
    draws other places for the hot blocks, and has another mean."""
    seeds, first = 40 if WHOLE else 4, 24_000
    covered = dict.fromkeys(("host.latency.mean", "host.latency.p99"), 0)
    for seed in range(1, seeds + 1):
        of = Simulation(drive="bare", layer="cmr", workload="web-server", replay="closed:8", seed=seed, requests=True)
        run, longer = of.but(limit=first).run(tmp_path / "short"), of.but(limit=4 * first).run(tmp_path / "long")
        log = longer.requests[longer.requests["number"] >= first]
        for metric, true in (("host.latency.mean", latency_ms(log).mean()), ("host.latency.p99", quantile(latency_ms(log), 0.99))):
            found = steadiness(run, metric).estimate
            covered[metric] += found is not None and abs(found.value - true) <= found.half_width
    for metric, count in covered.items():
        said(f"{metric} of one run of cmr", count, seeds)
        assert covers(count, seeds, 0.93)


def test_an_overload_is_marked_and_an_equal_one_as_well(tmp_path):
    """Ten thousand requests that arrive within a second, and take fifty times that."""
    for number, layer in enumerate(("cmr", "imr-rmw")):
        trace = tmp_path / "overload.csv"
        trace.write_text("".join(f"{128166372003061629 + n * 1000},hm,0,Write,{n * 7919 % 5_000_000 * 4096},4096,1\n" for n in range(10_000)))
        run = Simulation(drive="bare", layer=layer, trace=str(trace)).run(tmp_path / str(number))
        assert run.summary["run"]["unstable"], layer


def test_a_cache_that_has_not_filled_is_not_ranked(tmp_path):
    """A read cache of flash that 20,000 requests fill in part: the full one is a third better, and nothing is settled before."""
    settings = {"firmware.flash_cache.use": "reads", "nand.blocks": 8192, "firmware.flash_cache.capacity": "1 GiB"}
    row = Simulation(drive="demo", layer="cmr", workload="oltp", limit=5_000, settings=settings).run(tmp_path).summary["metrics"]
    done, of = (row[f"progress.flash_cache.{end}"]["value"] for end in ("done", "of"))
    assert done < of and verdicts({"a": {1: 1.0}, "b": {1: 2.0}}, "a") == {"b": NOT_SETTLED}
