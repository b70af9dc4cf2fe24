"""The calls of `import tessera`."""

import dataclasses
import inspect
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from tessera.engine.simulation import Setting, Simulation, meanings, setting_text
from tessera.engine.simulator import BAD_INPUT, SimulatorError
from tessera.engine.temporary import work_folder
from tessera.errors import flag_of, mapping_of, path_of, text_of, texts_of, whole_of
from tessera.results.run_folder import Run

if TYPE_CHECKING:
    from tessera.explore import Sweep
    from tessera.explore.comparison import Comparison
    from tessera.explore.searching import Search
    from tessera.identify.against_measurement import Validation
    from tessera.scoring.card import Scored


Call = TypeVar("Call", bound=Callable)
OPTIONS = "Options, None where it is left out:"


class Options(TypedDict, total=False):
    """The options of a run, as `tessera-sim run` has them; see Simulation, whose fields they are."""

    layer: str | None
    trace: str | Path | None
    workload: str | Path | None
    format: str | None
    volume: str | None
    columns: str | None
    time_unit: str | None
    sort: str | None
    spread: str | None
    arrival: str | None
    limit: int | str | None
    skip: int | str | None
    warmup: int | str | None
    replay: str | None
    time_scale: float | str | None
    adapt: str | None
    prefill: int | str | None
    caches: str | None
    content: str | None
    intervals: str | None
    percentiles: str | None
    seed: int | str
    load_state: str | Path | None
    save_state: str | Path | None
    fold_at: str | None
    fold: bool
    fold_prefilled: bool
    check: bool
    requests: bool
    events: bool
    places: bool
    cut_at: str | tuple[str, ...]
    restart_at: str | tuple[str, ...]
    firmware: str | Path | tuple[str, ...]
    elf: str | Path | None
    settings: Mapping[str, Setting]
    more: tuple[str, ...]


def with_options(*without: str) -> Callable[[Call], Call]:
    """Gives a call the options of a run in its signature and its docstring, each with its default and meaning as Simulation declares it."""

    def known_to(call: Call) -> Call:
        signature, kinds = inspect.signature(call), Options.__annotations__
        own = [item for item in signature.parameters.values() if item.kind is not item.VAR_KEYWORD]
        fields = [item for item in dataclasses.fields(Simulation) if item.name in kinds and item.name not in without]
        defaults = {item.name: {} if item.default is dataclasses.MISSING else item.default for item in fields}
        options = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=kinds[name]) for name in defaults]
        call.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        lines = [f"    {name} = {default!r}: {meanings().get(name, '')}" for name, default in defaults.items()]
        call.__doc__ = "\n".join([f"{inspect.getdoc(call)}\n", OPTIONS, *lines])
        return call

    return known_to


def _simulation(drive: str | Path, options: Mapping[str, Any]) -> Simulation:
    return Simulation.of({"drive": str(path_of("drive", drive)), **options})


def _places(jobs: int | None, scheduler: str | None) -> dict[str, Any]:
    return {"jobs": None if jobs is None else whole_of("jobs", jobs, 1), "scheduler": None if scheduler is None else text_of("scheduler", scheduler)}


@with_options()
def run(drive: str | Path = "common", *, out: str | Path | None = None, until: str | None = None, **options: Unpack[Options]) -> Run:
    """Simulates one drive on one trace or workload.

    `out` is the folder of the results; without it they lie in a folder that goes with the Run. `until="host.latency.p99:5%"` lengthens
    the run until half the 95 % interval of that figure is at most 5 % of it. Raises InputError (one sentence) for what cannot be run.

    >>> result = run("common", layer="cmr", workload="random-4k", limit=500, requests=True, settings={"media.rpm": "5400 rpm"})
    >>> result.metric("host.served")
    500
    >>> result.frames.requests.select("op", "latency_ms").height
    500
    >>> run("common", layer="imr-rwm", workload="random-4k")
    Traceback (most recent call last):
    tessera.errors.InputError: unknown layer 'imr-rwm'; did you mean 'imr-rmw'? ...
    """
    simulation = _simulation(drive, options)
    named = None if out is None else path_of("out", out)
    wanted = None if until is None else text_of("until", until)
    temporary = tempfile.TemporaryDirectory(dir=work_folder()) if named is None else None
    folder = named if temporary is None else Path(temporary.name)
    if wanted is None:
        result = simulation.run(folder)
    else:
        from tessera.explore.effort import run_until
        from tessera.results.steadiness import Until

        result, result.effort = run_until(simulation, Until.parse(wanted), folder)
    result.temporary = temporary
    return result


@with_options("layer")
def compare(
    drive: str | Path = "common",
    *,
    layers: str | Sequence[str] = ("all",),
    seeds: int | str = 1,
    baselines: str | Sequence[str] = (),
    margin: float = 5.0,
    jobs: int | str | None = None,
    out: str | Path | None = None,
    **options: Unpack[Options],
) -> "Comparison":
    """Runs many layers on one input, each with each seed. `layers`: several, or a text such as "cmr,imr-rmw". `baselines`: layers, or "best", to
    which `Comparison.ratios` compares each; figures within `margin` percent are equal in practice.

    >>> both = compare("common", layers=("cmr", "imr-rmw"), workload="random-4k", limit=300, seeds=2)
    >>> both.layers["layer"].to_list()
    ['cmr', 'imr-rmw']
    >>> both.paired("host.latency.mean", "imr-rmw", "cmr").value > 0
    True
    """
    from tessera.explore.comparing import compare_layers

    simulation, chosen, against = _simulation(drive, options), texts_of("layers", layers), texts_of("baselines", baselines)
    count = whole_of("seeds", seeds, 1)
    given = _places(jobs, None)["jobs"]
    named = None if out is None else path_of("out", out)
    temporary = tempfile.TemporaryDirectory(dir=work_folder()) if named is None else None
    result = compare_layers(simulation, chosen, count, given, temporary.name if temporary else str(named), baselines=against, margin=margin)
    if result.status not in (0, BAD_INPUT):
        raise SimulatorError([], result.status, result.text(), f"did not end well: {', '.join(result.refused)} (status in {result.folder / 'compare.json'} says why)")
    result.temporary = temporary
    return result


def sweep(
    plan: str | Path | Mapping[str, Any],
    *,
    out: str | Path,
    jobs: int | None = None,
    scheduler: str | None = None,
    yes: bool = False,
) -> "Sweep":
    """Makes what is missing of a sweep: of a TOML file, or of the same tables as a mapping.

    >>> import tempfile
    >>> plan = {"run": {"workload": "random-4k", "limit": 200}, "axes": {"layer": ["cmr", "imr-rmw"], "seed": [1, 2]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = sweep(plan, out=folder, jobs=1)
    ...     made.good.select("axis.layer", "axis.seed", "host.served").sort("axis.layer", "axis.seed").rows()
    [('cmr', 1.0, 200.0), ('cmr', 2.0, 200.0), ('imr-rmw', 1.0, 200.0), ('imr-rmw', 2.0, 200.0)]
    """
    from tessera.explore import read_plan, run_sweep
    from tessera.explore.plan import plan_of

    read = plan_of(mapping_of("plan", plan)) if isinstance(plan, Mapping) else read_plan(path_of("plan", plan))
    return run_sweep(read, path_of("out", out), **_places(jobs, scheduler), yes=flag_of("yes", yes))


def search(plan: str | Path | Mapping[str, Any], *, out: str | Path, jobs: int | None = None, scheduler: str | None = None) -> "Search":
    """Searches for Pareto-optimal designs: of a TOML file, or of the same tables as a mapping.

    >>> import tempfile
    >>> plan = {
    ...     "run": {"workload": "random-4k", "limit": 1000}, "axes": {"media.rpm": ["5400 rpm", "7200 rpm"]},
    ...     "objectives": {"host.latency.mean": "minimise", "cost": "minimise"},
    ...     "cost": {"media": {"rpm": {"price": 1.0, "per": "rpm"}}}, "search": {"trials": 8, "batch": 4},
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = search(plan, out=folder, jobs=1)
    ...     found.front.select("axis.media.rpm", "cost").sort("cost").rows()
    [('5400 rpm', 5400.0), ('7200 rpm', 7200.0)]
    """
    from tessera.explore.search_plan import read_search, search_plan_of
    from tessera.explore.searching import run_search

    read = search_plan_of(mapping_of("plan", plan)) if isinstance(plan, Mapping) else read_search(path_of("plan", plan))
    return run_search(read, path_of("out", out), **_places(jobs, scheduler))


def score(
    layer: str | Path, *, firmware: str | Path | Sequence[str | Path] = (), suite: str | None = None, out: str | Path, jobs: int | None = None,
    traces: Sequence[str | Path] = (), next_to: str | Sequence[str] = (), limit: int | str = 20_000,
) -> "Scored":  # fmt: skip
    """Scores a layer, by name or by the file of one of your own, as `tessera score` does: ranks among all shipped layers, measure by measure. The
    folder `out` has the runs and the card. `traces`: recordings of your own, a table next to the score with the first `limit` requests of each, `next_to` more
    layers. Raises InputError for what cannot be scored, SimulatorError for a layer that gets no score.

    >>> score("imr-rwm", out="out/score")
    Traceback (most recent call last):
    tessera.errors.InputError: unknown layer 'imr-rwm'; did you mean 'imr-rmw'?
    """
    from tessera.scoring.scoring import NoScore, score_layer
    from tessera.scoring.suite import NEWEST, suite_named

    libraries = [str(path_of("firmware", each)) for each in ([firmware] if isinstance(firmware, str | Path) else firmware)]
    chosen, recordings = suite_named(text_of("suite", suite or NEWEST)), [path_of("traces", each) for each in traces]
    try:
        return score_layer(chosen, str(layer), libraries, path_of("out", out), f"tessera.score({str(layer)!r})", _places(jobs, None)["jobs"], recordings, texts_of("next_to", next_to), limit)
    except NoScore as error:
        if error.status == BAD_INPUT:
            raise InputError(str(error)) from None
        raise SimulatorError([], error.status, "", str(error)) from None


def validate(
    drive: str | Path, trace: str | Path, *, out: str | Path | None = None, settings: Mapping[str, Setting] | None = None, seed: int = 1
) -> "Validation":
    """Holds a drive of the model against a trace of measured responses (DiskSim's validation format, a line a request: R|W class block blocks
    service_us think_us): it is replayed with its think times, and the responses compared by class. Raises InputError.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
    ...     _ = file.write("R Miss 100 8 14000.5 2000.0\\nW Miss 50000 8 9000.0 3000.0\\n")
    ...     file.flush()
    ...     found = validate("hp-c3323a", file.name)
    >>> whole = found.errors[0]
    >>> whole.name, whole.requests, round(whole.measured, 2)
    ('all', 2, 11.5)
    """
    from tessera.identify.against_measurement import compare as hold_against

    described, measured = str(path_of("drive", drive)), path_of("trace", trace)
    words = [f"{path}={setting_text(value)}" for path, value in mapping_of("settings", settings or {}).items()]
    number = whole_of("seed", seed)
    named = None if out is None else path_of("out", out)
    temporary = tempfile.TemporaryDirectory(dir=work_folder()) if named is None else None
    result = hold_against(described, measured, Path(temporary.name) if temporary else named, words, number)
    result.temporary = temporary
    return result
