"""Looking for good designs: Optuna chooses the runs, the Pareto front is what comes out."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from tessera.engine.folder_lock import owned
from tessera.engine.output_file import own_folder, write_inside
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import simulator_digest
from tessera.engine.temporary import remove_abandoned
from tessera.errors import InputError
from tessera.evidence.family import judged_within
from tessera.evidence.marks import ranks_not
from tessera.evidence.warmup import part_of, rest_of
from tessera.explore.axes import Point, Range, matches, read_range, values
from tessera.explore.confirming import Confirmed, confirm, blocks_of
from tessera.explore.corners import corners
from tessera.explore.dataset import AXIS, FACTS, Sweep, axis_column, write_frame
from tessera.explore.fold import Fold, folded, smallest_fold
from tessera.explore.keys import digest_of_firmware, key_of, read_again
from tessera.explore.place import places
from tessera.explore.plan import kinds_of, simulation_at
from tessera.explore.search_plan import SearchPlan
from tessera.explore.search_notes import notes_of
from tessera.explore.search_rows import EXCESS, Row, Trial, check_objectives, design_row, nearest_of, replicates
from tessera.explore.sweep import FINAL, placed
from tessera.explore.worker import Task
from tessera.results.human import counted, figure
from tessera.results.shown import Card, Shown

STANDING = {"front": pl.Boolean, "ties": pl.Int64, "settled": pl.Boolean, "point": pl.String, "rival": pl.String}
"""Columns that say where a design stands: whether it is a point of the front, with how many designs that are like it; whether that is settled (null: it
ran once, far from the front);
the key of the point that it is, or that stands for it; and of the design against which it is not settled."""


@dataclass(frozen=True, repr=False)
class Search(Shown):
    """What a search found."""

    sweep: Sweep
    trials: pl.DataFrame
    """A row a run that ended well: axes, objectives, cost."""
    objectives: Mapping[str, str]
    descriptions: tuple[Path, ...]
    """A drive file for each design of the front, in the order of the first objective."""

    def _card(self) -> Card:
        marked = self.front.filter(pl.col("marks") != "").height
        warnings = [f"{counted(marked, 'design')} of the front carry a mark (.front says which)"] if marked else []
        names = [name for name in self.front.columns if name in self.objectives or name.startswith(AXIS)]
        table = [[name.removeprefix(AXIS) for name in names]]
        table += [[figure(value) if isinstance(value, float) else "" if value is None else str(value) for value in row] for row in self.front.select(names).rows()]
        aims = ", ".join(f"{direction} {name}" for name, direction in self.objectives.items())
        warnings += [note for note in self.notes if note.startswith("not settled")]
        rows = [("designs", f"{self.trials.height:,} tried, {self.front.height:,} on the Pareto front"), ("objectives", aims)]
        return Card("Search", ", ".join(filter(None, (self.sweep.facts.get("title"), str(self.sweep.folder)))), warnings, rows, table, ".front")

    @property
    def front(self) -> pl.DataFrame:
        """The Pareto front: designs that no other beats in every objective."""
        return self.trials.filter(pl.col("front"))

    @property
    def notes(self) -> list[str]:
        """How sure the front is, and what would settle the rest."""
        with judged_within(self.sweep.margin):
            return notes_of(self.trials, self.sweep.facts)

    @property
    def unranked(self) -> int:
        """How many designs of the front carry a mark with which figures must not be ranked."""
        return sum(ranks_not((marks or "").split("; ")) for marks in self.front["marks"])


Progress = Callable[[float, int, int], None]


def run_search(plan: SearchPlan, out: str | Path, *, jobs: int | None = None, scheduler: str | None = None, progress: Progress | None = None) -> Search:
    """Makes the runs that the sampler asks for, and writes the front's descriptions into OUT/front. Results that are there already are
    taken, so that a search that is repeated or lengthened goes on. `progress` is told designs done (parts of them by their seeds; after the last, runs that confirm the front), how many in all, and how many failed."""
    remove_abandoned()
    with owned(out), judged_within(plan.margin):
        return _search(plan, out, jobs, scheduler, progress)


def _search(plan: SearchPlan, out: str | Path, jobs: int | None, scheduler: str | None, progress: Progress | None) -> Search:
    optuna = _optuna()
    read_again()
    sweep = Sweep(out)
    there = sweep.everything().iter_rows(named=True) if (sweep.folder / "sweep.json").exists() else ()
    known = {row["key"]: row for row in there if row["exit_status"] in FINAL}
    study = optuna.create_study(
        directions=[direction.replace("ise", "ize") for direction in plan.objectives.values()],
        sampler=optuna.samplers.NSGAIISampler(seed=plan.seed, population_size=max(2, plan.batch, plan.trials // 4)),
    )
    digest = simulator_digest()
    trials: dict[str, Trial] = {}
    blocks = blocks_of(plan)
    fold = _shared_fold(plan)
    facts = {"title": plan.title, "axes": plan.axis_names(), "run": {name: value for name, value in plan.run.items() if isinstance(value, str | int | float)}, "simulator": digest, "objectives": dict(plan.objectives), "kinds": kinds_of(plan.axis_names(), plan.libraries()), "margin": plan.margin}
    sweep.begin(facts | ({"fold": fold.text()} if fold else {}), ())
    failed = 0

    def tell(done: float, whole: int = plan.trials) -> None:
        if progress:
            progress(done, whole, failed)

    try:
        with places(jobs, scheduler, plan.cluster) as place:
            while len(study.trials) < plan.trials:
                asked = [study.ask() for _ in range(min(plan.batch, plan.trials - len(study.trials)))]
                points = [_point_of(trial, plan) for trial in asked]
                runs = [[folded(run, fold) for run in replicates(plan, point)] for point in points]
                keys = [[key_of(run, plan.until, blocks=_blocks(run, blocks)) for run in seeds] for seeds in runs]
                tasks = {
                    key: Task(key, run.record(), point, digest, plan.until, blocks=_blocks(run, blocks), firmware=digest_of_firmware(run), compared=True)
                    for of_design, seeds, point in zip(keys, runs, points) for key, run in zip(of_design, seeds) if key not in known
                }  # fmt: skip
                for made, row in enumerate(placed(place, tasks.values()), start=1):
                    sweep.add(row)
                    known[row["key"]] = row
                    tell(len(study.trials) - len(asked) + len(asked) * made / (len(tasks) + 1))
                batch = [Trial(point, seeds[0], [known[key] for key in of_design]) for point, seeds, of_design in zip(points, runs, keys)]
                part = part_of(row for trial in (*trials.values(), *batch) for row in trial.rows)  # the longest so far: figures told before keep theirs
                for trial, tried in zip(asked, batch):
                    row = design_row(plan, _rested(tried, part))
                    found = [row.get(name) for name in plan.objectives] if row["exit_status"] == 0 else [None]
                    if None in found:
                        failed += 1
                        study.tell(trial, state=optuna.trial.TrialState.FAIL)
                    else:
                        for each, excess in zip(plan.constraints, row[EXCESS]):
                            trial.set_constraint(each.text(), excess)
                        study.tell(trial, found)
                        trials.setdefault(row["key"], tried)
                check_objectives(plan.objectives, known.values())
                tell(len(study.trials))

            def make(wanted: Sequence[tuple[Trial, Simulation]]) -> list[Row]:
                keys = [key_of(run, plan.until) for _, run in wanted]
                again = {
                    key: Task(key, run.record(), of.point, digest, plan.until, firmware=digest_of_firmware(run), compared=True)
                    for key, (of, run) in zip(keys, wanted) if key not in known
                }  # fmt: skip
                whole = len(study.trials) + len(again)
                for made, row in enumerate(placed(place, again.values()), start=1):
                    sweep.add(row)
                    known[row["key"]] = row
                    tell(len(study.trials) + made, whole)
                return [rest_of(known[key], part) for key in keys]

            part = part_of(row for trial in trials.values() for row in trial.rows)
            tried_out = [_rested(trial, part) for trial in trials.values()]
            confirmed = confirm(plan, tried_out, make)
            sweep.add_facts({"warm_up": part})
    finally:
        sweep.save()
        write_inside(sweep.folder / "plan.keys", "".join(f"{row}\n" for row in dict.fromkeys(row["key"] for row in known.values())))
    return _found(plan, sweep, tried_out, confirmed)


def _rested(trial: Trial, part: int | None) -> Trial:
    """With figures after the warm-up."""
    return replace(trial, rows=[rest_of(row, part) for row in trial.rows])


def _shared_fold(plan: SearchPlan) -> Fold | None:
    """Where the runs of all designs fold, known before any is chosen."""
    if not (plan.run.get("fold") or plan.run.get("fold_prefilled")) or plan.run.get("fold_at"):
        return None
    return smallest_fold(simulation_at(plan.run, point, plan.folder) for point in corners(plan.axes, plan.branches))


def _blocks(simulation: Simulation, figures: tuple[str, ...]) -> tuple[str, ...]:
    """What is wanted by blocks: of a recorded trace, which has no other replicates."""
    return figures if simulation.trace is not None else ()


def _found(plan: SearchPlan, sweep: Sweep, tried: Sequence[Trial], confirmed: Confirmed) -> Search:
    rows = [design_row(plan, trial) for trial in tried]
    standing = [place for place, row in enumerate(rows) if row["exit_status"] == 0]
    if not standing:
        message = sweep.failed["message"][0] if sweep.failed.height else "no run has every objective"
        raise InputError(f"no design of the search could be measured; the first says: {message}")
    if not confirmed.places:
        raise InputError(f"none of {len(standing)} designs keeps {' and '.join(each.text() for each in plan.constraints)}; the nearest: {nearest_of([rows[place] for place in standing])}")
    for number, place in confirmed.places.items():
        point, rival = place.point, place.rival
        ties = sum(other.point == number and not other.on and other.settled for other in confirmed.places.values()) if place.on else 0
        rows[number] |= {"front": place.on, "ties": ties, "settled": None if number in confirmed.once else place.settled, "point": None if point is None else rows[point]["key"], "rival": None if rival is None else rows[rival]["key"]}
    widths = [f"{name}.{of}" for of in ("half_width", *(("low_95", "high_95") if any(trial.recorded for trial in tried) else ())) for name in plan.objectives]
    constrained = [each.metric for each in plan.constraints if each.metric not in plan.objectives]
    names = ["key", *(AXIS + name for name in plan.axis_names()), *plan.objectives, *widths, *constrained, "runs", "marks", "keeps", "command", *STANDING]
    kinds = kinds_of(plan.axis_names(), plan.libraries())
    trials = pl.DataFrame([_column(name, [{"front": False, "ties": 0, **rows[place]}.get(name) for place in standing], kinds) for name in names]).sort(next(iter(plan.objectives)))
    write_frame(sweep.folder / "trials.parquet", trials)
    what = {"runs": confirmed.runs, "wanted": confirmed.wanted, "budget": plan.budget, "seeds": plan.seeds, "recorded": any(trial.recorded for trial in tried)}
    sweep.add_facts({"confirmed": what})
    points = {rows[place]["key"]: {name: tried[place].point.get(name) for name in plan.axis_names()} for place in standing}
    return Search(sweep, trials, plan.objectives, _write_descriptions(plan, sweep.folder / "front", trials.filter("front"), points))


def _column(name: str, found: list, kinds: Mapping[str, bool]) -> pl.Series:
    """A column of the trials, whose type does not depend on its values."""
    if name.startswith(AXIS):
        return axis_column(name, found, kinds)
    return pl.Series(name, found, dtype={**FACTS, "marks": pl.String, "keeps": pl.Boolean, "runs": pl.Int64, **STANDING}.get(name, pl.Float64), strict=False)


def _point_of(trial: Any, plan: SearchPlan) -> Point:
    """What the sampler chooses, with the axes of the branches that the choice is in."""
    point = _point(trial, plan.axes)
    for branch in plan.branches:
        if matches(point, branch["where"]):
            point |= _point(trial, branch["axes"])
    return point


def _point(trial: Any, axes: Mapping[str, Any]) -> Point:
    """What the sampler chooses on each axis: of a range with steps one of them, of a list one value, else any amount."""
    point: Point = {}
    for name, given in axes.items():
        if isinstance(given, Mapping) and "steps" not in given:
            over: Range = read_range(name, given)
            point[name] = over.at(trial.suggest_float(name, 0.0, 1.0))
        else:
            listed = values(name, given)
            ordered = isinstance(given, Mapping) or not isinstance(listed[0], str) or listed[0][:1].isdigit()
            point[name] = listed[trial.suggest_int(name, 0, len(listed) - 1)] if ordered else trial.suggest_categorical(name, listed)
    return point


def _write_descriptions(plan: SearchPlan, folder: Path, best: pl.DataFrame, points: Mapping[str, Point]) -> tuple[Path, ...]:
    """A drive file for each design: what it extends, its layer and parameters, and what it reaches."""
    own_folder(folder)
    for stale in folder.glob("*.toml"):
        stale.unlink()
    written = []
    for number, row in enumerate(best.iter_rows(named=True), 1):
        simulation = simulation_at(plan.run, {name: value for name, value in points[row["key"]].items() if value is not None}, plan.folder)
        reached = ", ".join(f"{name} {row[name]:.6g}" for name in plan.objectives)
        lines = [f"extends = {json.dumps(str(simulation.drive))}", f"summary = {json.dumps(f'design {number} of the front: {reached}')}"]
        lines += [f"# run it with --firmware {library}" for library in simulation.firmware]
        if simulation.layer:
            lines.append(f"layer = {json.dumps(simulation.layer)}")
        lines += [f"{path} = {json.dumps(_whole(value))}" for path, value in simulation.settings.items()]
        file = folder / f"{number}.toml"
        write_inside(file, "\n".join(lines) + "\n")
        written.append(file)
    return tuple(written)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise InputError("a search needs Optuna: pip install 'tessera[search]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
