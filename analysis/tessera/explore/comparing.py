"""Makes a comparison: a sweep over seed and layer on one input, whose run folders stay, and compare.json with its columns."""

import json
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tessera.engine.folder_lock import owned
from tessera.engine.output_file import make_way, own_folder, write_inside
from tessera.engine.libraries import fitted, full_names
from tessera.engine.libraries import layers as known_layers
from tessera.engine.simulation import OF_ONE_RUN, RECORD, Simulation
from tessera.engine.simulator import BAD_INPUT, STOPPED, ask_simulator, simulator_digest
from tessera.engine.temporary import remove_abandoned
from tessera.errors import InputError, read_text, regular, unknown_name
from tessera.explore.comparison import SCHEMA, Comparison
from tessera.explore.fold import Fold, folded, smallest_fold
from tessera.explore.margin import percent_of
from tessera.explore.place import places
from tessera.explore.sweep import Count, placed
from tessera.explore.worker import Task
from tessera.results.layer_table import LATENCY, SERVED, USUAL, Column, Seed, columns_with, layer_columns
from tessera.results.percentiles import names_of
from tessera.evidence.blocks import BLOCKS, LEAST, in_a_log, pseudo_values
from tessera.evidence.family import PERCENT, judged_within
from tessera.evidence.marks import BEST_CASE, MEANING, UNSTABLE, of_run_marks, row_of, told
from tessera.evidence.paired import BEST, NOT_SETTLED, BySeed, paired, verdicts
from tessera.evidence.ratios import Ratio
from tessera.evidence.warmup import after, part_of, words
from tessera.results.run_folder import Run
from tessera.results.terms import terms

ALL = "all"
ENOUGH_SEEDS = 10  # fewer say too little of how far a difference would repeat
MOST_SEEDS = 10_000


@dataclass
class Planned:
    """A run of a comparison, and how it ended."""

    layer: str
    seed: int
    folder: Path
    simulation: Simulation
    status: int | None = None
    """None: it was not made."""
    message: str = ""
    blocks: tuple[str, ...] = ()
    """Figures that are wanted by blocks of a recorded trace."""
    by_block: dict[str, dict[int, float]] = field(default_factory=dict)
    """Figure -> block -> replicate."""
    row: Mapping[str, Any] = field(default_factory=dict)
    """Its figures after several warm-ups, and what says how long its own is."""
    part: int | None = None
    """The warm-up that all leave out, as one request in so many."""

    @cached_property
    def run(self) -> Run | None:
        """Asked for when it has ended; None where it left no figures."""
        return Run(self.folder) if (self.folder / "summary.json").exists() else None

    @property
    def unstable(self) -> bool:
        """Whether the layer was overloaded."""
        return bool(self.run and UNSTABLE in of_run_marks(self.run))

    @property
    def in_table(self) -> Seed:
        return Seed(self.run, self.status == 0, after(self.row, self.part), 1 / self.part if self.part else 0.0)


def chosen_layers(wanted: Sequence[str], simulation: Simulation) -> tuple[list[str], dict[str, str]]:
    """The layers asked for, of the simulator's and of the run's own library, and today's names of those that had others. Raises InputError
    with the nearest name for one that there is not."""
    listed = known_layers(simulation.firmware, simulation.called_words()).values()
    current = {former: entry["name"] for entry in listed for former in entry.get("former_names", ())}
    if list(wanted) == [ALL]:
        return [entry["name"] for entry in listed if not entry["zones"]], current
    known = [name for entry in listed for name in full_names(entry)]
    for word in wanted:
        if word == ALL:
            raise InputError(f"--layers: '{ALL}' stands alone")
        if wanted.count(word) > 1:
            raise InputError(f"--layers: '{word}' is named twice")
        if current.get(word, word) not in known:
            raise InputError(f"--layers: {unknown_name('layer', word, [*known, ALL])}")
    return list(dict.fromkeys(current.get(word, word) for word in wanted)), current


def plan_of(simulation: Simulation, layers: Sequence[str], seeds: int, out: Path) -> Iterator[Planned]:
    """The runs, all layers of one seed before those of the next: whatever ends them, the layers have as many each."""
    for seed in range(simulation.seed, simulation.seed + seeds):
        for layer in layers:
            one = fitted(simulation.but(layer=layer, seed=seed))
            for option in ("load_state", "save_state"):  # of a comparison a folder of them
                if states := getattr(simulation, option):
                    one = one.but(**{option: Path(states) / layer / f"{seed}.state"})
            yield Planned(layer, seed, out / layer / str(seed), one)


def compare_layers(
    simulation: Simulation, layers: Sequence[str], seeds: int, jobs: int | None, out: str | Path, progress: Callable[[Count], None] | None = None,
    baselines: Sequence[str] = (), margin: float = PERCENT,
) -> Comparison:  # fmt: skip
    """Runs every layer with each seed. A layer that the drive cannot carry has its reason under `status`. `margin`: figures within so many
    percent are equal. Raises InputError where nothing could run. KeyboardInterrupt passes through: the runs so far are in compare.json, which says that they are a part."""
    simulation, margin = _of_many_runs(simulation), percent_of(margin)
    if not 1 <= seeds <= MOST_SEEDS:
        raise InputError(f"--seeds: expected a whole number from 1 to {MOST_SEEDS}, found {seeds}")
    chosen, current = chosen_layers(layers, simulation)
    against = [current.get(baseline, baseline) for baseline in baselines]
    for baseline in against:
        if baseline not in (*chosen, BEST):
            raise InputError(f"--baseline: {unknown_name('baseline', baseline, [*chosen, BEST])}")
    if simulation.trace and Path(simulation.trace).exists():
        regular(Path(simulation.trace))  # every run reads it, which a pipe does not allow
    percentiles = names_of(simulation.percentiles) if simulation.percentiles else USUAL
    columns = columns_with(percentiles)
    folder, runs = Path(out), list(plan_of(simulation, chosen, seeds, Path(out)))
    if against and simulation.trace:  # seeds move the spindle only, so one run of each layer tells how its figures differ between stretches
        for run in runs[: len(chosen)]:
            run.blocks = tuple(column.metric for column in (SERVED, *columns) if column.divides and in_a_log(column.metric))
    remove_abandoned()
    with owned(folder):
        fold, partial = smallest_fold(run.simulation for run in runs), True
        _begin(folder, runs)
        try:
            _make(runs, fold, jobs, progress or (lambda _: None))
            partial = False
            part = part_of(run.row for run in runs)
            for run in runs:
                run.part = part
        finally:
            if not partial or any(run.run for run in runs):
                write_inside(folder / RECORD, json.dumps({**simulation.record(), "layers": list(layers), "seeds": seeds, "baselines": against, "margin": margin}, indent=1) + "\n")
                columns = columns_with(percentiles, any(run.unstable for run in runs))
                facts = {**_facts(simulation, runs, fold, seeds, partial), "margin": margin, "warm_up": runs[0].part}
                with judged_within(margin):
                    write_inside(folder / "compare.json", json.dumps(_document(facts, runs, columns, against), indent=1) + "\n")
            else:
                _remove_empty(folder, chosen)
    return Comparison(out)


def list_inputs(simulation: Simulation, layers: Sequence[str], seeds: int) -> str:
    """What the runs would read, as `run --list-inputs` prints it; of a folder of states those that are there."""
    simulation = _of_many_runs(simulation)
    found: dict[tuple[str, str], Any] = {}
    for run in plan_of(simulation, chosen_layers(layers, simulation)[0], seeds, Path()):
        state = run.simulation.load_state
        one = run.simulation if state is None or Path(state).exists() else run.simulation.but(load_state=None)
        listed = json.loads(ask_simulator(one.words()))
        found |= {(entry["role"], entry["path"]): entry for entry in listed["inputs"]}
        if state is None and not simulation.firmware:
            break
    return json.dumps({**listed, "inputs": list(found.values())}, indent=1)


def _of_many_runs(simulation: Simulation) -> Simulation:
    """With every option as a field; raises InputError for those that only one run can have."""
    spelled = Simulation.of_words(simulation.words()[1:])
    if spelled.layer is not None:
        raise InputError("a comparison takes its layers from 'layers', not from 'layer'")
    if spelled.elf is not None:
        raise InputError(f"--elf {spelled.elf}: an image is of one layer; run it by itself ('run')")
    for at, word in enumerate(spelled.more):
        if word in OF_ONE_RUN:
            raise InputError(f"{' '.join(spelled.more[at : at + 2])}: {OF_ONE_RUN[word]}; run it by itself ('run')")
    return spelled


def _begin(out: Path, runs: Sequence[Planned]) -> None:
    """Nothing of an earlier comparison is seen with this one, whatever becomes of it."""
    for run in runs:
        own_folder(run.folder.parent)
        make_way(run.folder)
        if state := run.simulation.save_state:
            Path(state).parent.parent.mkdir(parents=True, exist_ok=True)
            own_folder(Path(state).parent)
            make_way(Path(state))
    for file in (out / "compare.json", out / RECORD, *(run.folder / name for run in runs for name in ("summary.json", RECORD))):
        make_way(file)
        file.unlink(missing_ok=True)


def _make(runs: Sequence[Planned], fold: Fold | None, jobs: int | None, tell: Callable[[Count], None]) -> None:
    """Raises InputError where every layer is refused, as soon as that is known."""
    by_key = {f"{run.layer}/{run.seed}": run for run in runs}
    digest, layers = simulator_digest(), len({run.layer for run in runs})
    count = Count(runs=len(runs), kept=0)
    tell(count)
    tasks = (Task(key, folded(run.simulation, fold).record(), {}, digest, keep=str(run.folder), blocks=run.blocks, compared=True) for key, run in by_key.items())
    try:
        with places(jobs) as place:
            for row in placed(place, tasks, count, largest=1):
                run = by_key[row["key"]]
                run.status, run.message = row["exit_status"], row["message"]
                run.row = row
                _keep_blocks(run, row)
                count.done, count.failed = count.done + 1, count.failed + (run.status != 0)
                count.work_seconds += row["wall_seconds"]
                tell(count)
                if count.failed == count.done and run.status == BAD_INPUT:
                    _check_refusals(runs, layers)
    finally:
        for run in runs:
            if run.status is None and (ended := run.run) is not None:  # a signal ended it in order
                run.status, run.message = (STOPPED[-1], "interrupted") if ended.summary["run"].get("partial") else (0, "")


def _keep_blocks(run: Planned, row: Mapping[str, Any]) -> None:
    """What the log of a run's requests says of its blocks."""
    for metric in run.blocks:
        if row.get(f"{metric}.of_all") is not None:
            run.by_block[metric] = pseudo_values(row[f"{metric}.of_all"], [row[f"{metric}.without.{block}"] for block in range(1, BLOCKS + 1)])


def _check_refusals(runs: Sequence[Planned], layers: int) -> None:
    """Raises InputError where every layer has been refused: once where the reason is that of the drive, the input or an option."""
    ended = [run for run in runs if run.status is not None]
    reasons = {run.layer: run.message for run in ended if run.status == BAD_INPUT}
    if len(reasons) == layers and all(run.status == BAD_INPUT for run in ended):
        once = len(set(reasons.values())) == 1
        raise InputError(ended[0].message if once else "; ".join(f"{layer}: {reason}" for layer, reason in reasons.items()))


def _remove_empty(out: Path, layers: Sequence[str]) -> None:
    for layer in layers:
        for folder in (*(out / layer).glob("*"), out / layer):
            with suppress(OSError):  # it holds results
                folder.rmdir()


def _by_layer(runs: Sequence[Planned]) -> dict[str, list[Planned]]:
    return {layer: [run for run in runs if run.layer == layer] for layer in dict.fromkeys(run.layer for run in runs)}


def _status(runs: Sequence[Planned]) -> str:
    """Of a layer: "ok", or what went wrong in one sentence."""
    bad = [run for run in runs if run.status != 0]
    if not bad:
        return "ok"
    what = bad[0].message or "not run"
    return what if len(bad) == len(runs) else f"{len(bad)} of {len(runs)} runs, first with seed {bad[0].seed}: {what}"


def _facts(simulation: Simulation, runs: Sequence[Planned], fold: Fold | None, seeds: int, partial: bool) -> dict[str, Any]:
    measured = {layer: [run for each in found if (run := each.run)] for layer, found in _by_layer(runs).items()}
    first = {layer: found[0] for layer, found in measured.items() if found}
    facts = next(iter(first.values())).summary["run"] if first else {}
    return {
        "tool": facts.get("tool", "tessera-sim"), "drive": str(simulation.drive),
        "input": facts.get("input") or (f"workload {simulation.workload}" if simulation.workload else Path(str(simulation.trace)).name), "options": simulation.words()[2:],
        "recorded": simulation.trace is not None, "warnings": _warnings(measured), "terms": terms(first), "first_seed": simulation.seed, "seeds": seeds, "partial": partial,
        "notes": [*filter(None, [words(runs[0].part, hint=True)]), *_notes_of_table(simulation, first, seeds), *_notes_of_blocks(simulation, runs, seeds), *_notes_of_clocks(measured), *_notes_of_runs(measured), *([fold.text()[:-1]] if fold else [])],
    }  # fmt: skip


def _notes_of_table(simulation: Simulation, first: Mapping[str, Run], seeds: int) -> list[str]:
    """What keeps the whole from being a ranking."""
    found = [f"a ranking takes at least {ENOUGH_SEEDS} seeds (--seeds), this has {seeds}"] if seeds < ENOUGH_SEEDS and not simulation.trace else []
    described = next((run.folder / "drive.toml" for run in first.values() if (run.folder / "drive.toml").exists()), None)
    filled = simulation.prefill
    if filled is None and described:
        filled = tomllib.loads(read_text(described)).get("simulation", {}).get("prefill")
    if filled == 0 and simulation.load_state is None:
        found.append("the drive was empty at the start; --prefill puts it into its used state")
    return found


def _notes_of_blocks(simulation: Simulation, runs: Sequence[Planned], seeds: int) -> list[str]:
    """What verdicts and intervals on a recorded trace are over."""
    if not simulation.trace:
        return []
    spindle = ["± is over the spindle's phase alone"] if seeds > 1 else []
    if any(run.by_block for run in runs):
        over = f"verdicts and intervals of ratios are over {BLOCKS} blocks of it, and hold on this recording; figures other than latencies and throughput are not settled"
    elif any(run.blocks for run in runs):
        over = f"verdicts need {BLOCKS} blocks of it, {BLOCKS * LEAST} requests or more"
    else:
        over = "seeds move the spindle only, and --baseline has verdicts over its blocks"
    return ["; ".join([f"a recorded trace is one sample: {over}", *spindle])]


def _notes_of_clocks(measured: Mapping[str, Sequence[Run]]) -> list[str]:
    """Mechanisms that have not come far enough, and cannot move the mean."""
    said: dict[str, None] = {f"{layer}: {line}": None for layer, runs in measured.items() for run in runs for line in told(row_of(run), [f"{LATENCY}mean"])}
    return list(said)


def _warnings(measured: Mapping[str, Sequence[Run]]) -> list[str]:
    """What makes the figures of some layers better than they will be."""
    best = [layer for layer, runs in measured.items() if any(BEST_CASE in of_run_marks(run) for run in runs)]
    return [f"{', '.join(best)}: {BEST_CASE}: {MEANING[BEST_CASE]}"] if best else []


def _notes_of_runs(measured: Mapping[str, Sequence[Run]]) -> list[str]:
    """What the runs say of their input, each sentence once; with the layers that say it where not all do."""
    said: dict[str, list[str]] = {}
    for layer, runs in measured.items():
        for note in dict.fromkeys(note for run in runs for note in run.notes if not note.startswith("unstable")):  # which is a mark
            said.setdefault(note, []).append(layer)
    there = sum(map(bool, measured.values()))
    return [note + (f" ({', '.join(layers)})" if len(layers) < there else "") for note, layers in said.items()]


def _document(facts: Mapping[str, Any], runs: Sequence[Planned], columns: Sequence[Column], baselines: Sequence[str]) -> dict[str, Any]:
    """Of compare.json (docs/guide/compare.md)."""
    by_layer = _by_layer(runs)
    ordered = [run for found in by_layer.values() for run in found]
    summaries = [run.run.summary["metrics"] if run.run else {} for run in ordered]
    units = {name: entry["unit"] for metrics in summaries for name, entry in metrics.items()}
    seeds = [run.in_table if run.run else None for run in ordered]
    table = layer_columns({layer: [run.in_table for run in found if run.run] for layer, found in by_layer.items()}, columns)
    return {
        "schema": SCHEMA, "comparison": facts, "units": dict(sorted(units.items())),
        "layers": {"layer": list(by_layer), "status": [_status(found) for found in by_layer.values()], **table},
        **({"blocks": blocks} if (blocks := _blocks_of(by_layer, columns)) else {}),
        "baselines": {baseline: ratio_columns(by_layer, table, [column for column in columns if column.divides], baseline) for baseline in baselines},
        "runs": {
            "layer": [run.layer for run in ordered], "seed": [run.seed for run in ordered], "exit_status": [run.status for run in ordered],
            "message": [run.message or None for run in ordered], **{name: [seed.find(name) if seed else None for seed in seeds] for name in sorted(units)},
        },
    }  # fmt: skip


def _blocks_of(by_layer: Mapping[str, Sequence[Planned]], columns: Sequence[Column]) -> dict[str, dict[str, list[float]]]:
    """Metric -> layer -> a replicate for each block of the recording."""
    found = {column.metric: {layer: list(run.by_block[column.metric].values()) for layer, runs in by_layer.items() for run in runs if column.metric in run.by_block} for column in columns}
    return {metric: layers for metric, layers in found.items() if layers}


def ratio_columns(by_layer: Mapping[str, Sequence[Planned]], table: Mapping[str, list], columns: Sequence[Column], baseline: str) -> dict[str, Any]:
    """For each column METRIC.against, the layer that it is divided by, the ratios to it with their intervals, and the verdicts. On a recorded
    trace intervals are over its blocks; a figure that has none is not settled."""
    found: dict[str, Any] = {"layer": list(by_layer)}
    recorded = any(run.blocks for runs in by_layer.values() for run in runs)
    for column in columns:
        metric, why = column.metric, dict(zip(by_layer, table[f"{column.metric}.unranked"]))
        figures: dict[str, BySeed] = {layer: {run.seed: run.in_table.find(metric) for run in runs if run.status == 0 and run.run} for layer, runs in by_layer.items()}
        of_all = dict(zip(by_layer, table[metric]))
        means = {layer: mean for layer, mean in of_all.items() if mean is not None and why[layer] is None}
        best = max if column.more_is_better else min
        against = best(means, key=means.__getitem__, default=None) if baseline == BEST else baseline
        if recorded:
            figures = {layer: next((run.by_block[metric] for run in runs if metric in run.by_block), {}) for layer, runs in by_layer.items()}
        ratios = [_ratio(layer, against, figures, of_all if recorded else None) if against else None for layer in by_layer]
        found[f"{metric}.against"] = against
        found[f"{metric}.ratio"] = [ratio and ratio.value for ratio in ratios]
        for place, end in enumerate(("low_95", "high_95")):
            found[f"{metric}.ratio.{end}"] = [ratio.interval[place] if ratio and ratio.interval else None for ratio in ratios]
        found[f"{metric}.ratio.seeds"] = [ratio.count if ratio else 0 for ratio in ratios]
        reasons = [[reason for each in (why[layer], why.get(against)) if each for reason in each.split("; ")] for layer in by_layer]
        found[f"{metric}.ratio.unranked"] = ["; ".join(dict.fromkeys(each)) or None for each in reasons]
        wholes = {layer: mean for layer, mean in means.items() if mean > 0} if recorded else None
        of_family = {layer: figures[layer] for layer in means if wholes is None or layer in wholes}
        said = verdicts(of_family, against, baseline == BEST, wholes, column.more_is_better) if against in of_family else {}
        unsaid = [NOT_SETTLED if recorded and ratio and layer != against and layer in means and against in means else None for layer, ratio in zip(by_layer, ratios)]
        found[f"{metric}.verdict"] = [said.get(layer) or other for layer, other in zip(by_layer, unsaid)]
    return found


def _ratio(layer: str, against: str, figures: Mapping[str, BySeed], of_all: Mapping[str, float | None] | None) -> Ratio | None:
    """`of_all`: the figures of a recording, whose blocks only say how sure they are; of one without blocks the ratio has no interval."""
    if of_all is None:
        return paired(figures[layer], figures[against])
    one, other = of_all[layer], of_all.get(against)
    if not one or not other or min(one, other) <= 0:
        return None
    return paired(figures[layer], figures[against], one / other) or Ratio.of([math.log(one / other)])
