"""Makes the score of a layer: torture first, then its runs of the suite, in a sweep's folder that goes on where it was interrupted; then, for a table
next to the score, the user's own recordings."""

import hashlib
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tessera.asking.plan_file import write_plan
from tessera.engine.libraries import check_layer
from tessera.engine.libraries import layers as known_layers
from tessera.engine.output_file import make_way, write_inside
from tessera.engine.simulation import Simulation
from tessera.engine.simulator import BAD_INPUT, STOPPED, SimulatorError, ask_simulator, simulator_digest
from tessera.errors import InputError, read_json
from tessera.explore import read_plan, run_sweep
from tessera.explore.comparing import compare_layers
from tessera.explore.comparison import Comparison
from tessera.explore.keys import key_of
from tessera.explore.sweep import Count, keyed
from tessera.results.stem import stem
from tessera.scoring import measures
from tessera.scoring.card import Scored
from tessera.scoring.standing import old
from tessera.scoring.suite import Suite

PLAN, TORTURE, VOLUMES, KEY = "score.toml", "torture.json", "volumes", "key.txt"
TRACE_LIMIT = 20_000  # requests of a recording
LIBRARIES = (".so", ".py", ".dylib")
Layers = Mapping[str, Mapping[str, Mapping[str, Any]]]


class NoScore(Exception):
    """The layer gets none: it lost data, or did not end well."""

    def __init__(self, why: str, status: int):
        super().__init__(why)
        self.status = status


def subject_of(word: str, libraries: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The layer that a word names, or the only one of the library that it names; and the libraries. Raises InputError."""
    is_file = word.endswith(LIBRARIES)
    libraries = (*([word] if is_file else ()), *libraries)
    listed = known_layers(libraries)
    if is_file:
        own = [name for name, entry in listed.items() if entry.get("library")]
        if not own:
            decided = [f"{name}:{policy}" for name, entry in listed.items() for policy in entry.get("policies", ())]
            raise InputError(f"{word} has no layer but a policy; name a layer with it: tessera score {decided[0]} --firmware {word}")
        if len(own) != 1:
            raise InputError(f"{word} has the layers {', '.join(own)}; name one: tessera score {own[0]} --firmware {word}")
        word = own[0]
    check_layer(word, libraries)
    layer = next((name for name, entry in listed.items() if word in entry.get("former_names", ())), word)
    name, _, decided_by = layer.partition(":")
    if listed[name].get("zones"):
        raise InputError(f"{layer}: a score is of layers that take writes anywhere, and this one has a host's zones")
    return layer, tuple(libraries) if decided_by or listed[name].get("library") else ()


def score_layer(
    suite: Suite, word: str, libraries: Sequence[str] = (), out: Path | None = None, command: str = "", jobs: int | None = None, traces: Sequence[Path] = (), next_to: Sequence[str] = (),
    limit: int | str = TRACE_LIMIT, begun: Callable[[], None] | None = None, progress: Callable[[Count], None] | None = None,
) -> Scored:  # fmt: skip
    """The score of a layer, and its card in the folder: card.html, card.pdf, card.json. `begun` is called after torture. Raises InputError and NoScore."""
    layer, libraries = subject_of(word, libraries)
    for trace in traces:
        if not trace.is_file():
            raise InputError(f"{trace}: expected the file of a block trace")
    folder = out or Path("out/score") / layer
    torture(suite, layer, libraries, folder)
    if begun:
        begun()
    known = measures.shipped(suite)
    found = run_suite(suite, [layer], known, libraries, folder, command, jobs, progress)
    volumes = [_volume(suite, layer, libraries, trace, next_to, limit, folder, jobs, progress) for trace in traces]
    library = {"file": libraries[0], "sha256": digest_of(libraries) or ""} if libraries else None
    commands = [command, f"tessera sweep {shlex.quote(str(folder / PLAN))} --out {shlex.quote(str(folder))}"]
    scored = Scored(suite, layer, library, found[layer], known, old(suite, found, known), commands, folder, volumes)
    write_card(scored, folder)
    return scored


def write_card(scored: Scored, folder: Path) -> None:
    from tessera.figures.page import render
    from tessera.scoring.sheet import write_pdf

    write_inside(folder / "card.json", json.dumps(scored.record(), indent=1) + "\n")
    write_inside(folder / "card.html", render(scored.page()))
    write_pdf(scored, folder / "card.pdf")


def _volume(
    suite: Suite, layer: str, libraries: Sequence[str], trace: Path, next_to: Sequence[str], limit: int | str, folder: Path, jobs: int | None, progress: Callable[[Count], None] | None
) -> Comparison:  # fmt: skip
    """A recording on the suite's full drive, next to the yardstick and other layers; what is there already stays."""
    options = {name: value for name, value in suite.canary.options.items() if name not in ("workload", "limit")}
    own = Simulation(drive=suite.drive, settings=dict(suite.settings), firmware=tuple(libraries), trace=trace, limit=limit, **options)
    layers = list(dict.fromkeys((layer, suite.yardstick, *next_to)))
    key = hashlib.sha256("\n".join([",".join(layers), *(key_of(own.but(layer=each, firmware=libraries if each == layer else ())) for each in layers)]).encode()).hexdigest()
    place = folder / VOLUMES / stem(str(trace))
    file = place / KEY
    if not (file.exists() and file.read_text() == key):
        compare_layers(own, layers, 1, jobs, place, progress, baselines=[suite.yardstick])
        write_inside(file, key)
    return Comparison(place)


def digest_of(libraries: Sequence[str]) -> str | None:
    return hashlib.sha256(Path(libraries[0]).read_bytes()).hexdigest() if libraries else None


def torture(suite: Suite, layer: str, libraries: Sequence[str], out: Path) -> None:
    """The suite's campaign of power cuts, once for each build of layer and simulator. Raises NoScore where data is lost."""
    words = ["torture", "torture", "--layer", layer, *(word for library in libraries for word in ("--firmware", library)), *suite.torture]
    key = hashlib.sha256(json.dumps([simulator_digest(), digest_of(libraries), layer, suite.torture]).encode()).hexdigest()
    file = out / TORTURE
    if file.exists() and (kept := read_json(file)).get("key") == key:
        found = kept["found"]
    else:
        found = _tortured(layer, words)
        make_way(file)
        write_inside(file, json.dumps({"key": key, "found": found}, indent=1) + "\n")
    if found:
        raise NoScore(f"{layer} gets no score, as {found}. Torture shows it: tessera {' '.join(words)}", 3)


def _tortured(layer: str, words: Sequence[str]) -> str:
    """What went wrong, or ""."""
    try:
        ask_simulator(words)
    except InputError as error:
        raise NoScore(f"{layer} gets no score, as torture refuses it: {error}", BAD_INPUT) from None
    except SimulatorError as error:
        if error.status in STOPPED:
            raise KeyboardInterrupt from None
        first = next((line for line in error.output.splitlines() if line.startswith(("loss:", "failure:"))), "")
        kind, _, where = first.partition(": ")
        said = where.removeprefix(f"{layer}, ")
        return f"it lost acknowledged data in a power cut ({said})" if kind == "loss" else f"it failed under power cuts ({said or error.message or error})"
    return ""


def run_suite(
    suite: Suite, layers: Sequence[str], canaries: Iterable[str], libraries: Sequence[str], out: Path, command: str, jobs: int | None = None, progress: Callable[[Count], None] | None = None
) -> dict[str, dict[str, dict[str, Any]]]:  # fmt: skip
    """The figures of the layers, and of the canaries. Raises NoScore where a run of `layers` did not end well."""
    plan = read_plan(write_plan(out, suite.plan_table(layers, canaries, [str(Path(library).resolve()) for library in libraries]), command, PLAN))
    sweep = run_sweep(plan, out, jobs=jobs, progress=progress)
    sweep.add_facts({"warm_up": suite.warm_up})
    at = {key: {"layer": run.point["layer"], "cell": suite.cell_at(run.point)} for key, run in keyed(plan).items()}
    rows = [{**row, **at[row["key"]]} for row in sweep.compared()[0].iter_rows(named=True)]
    for row in rows:
        if row["exit_status"] != 0 and row["layer"] in layers:
            again = "" if row["exit_status"] == BAD_INPUT else f". Reproduce: {row['command']}"
            raise NoScore(f"{row['layer']} gets no score, as it did not end well on {row['cell']}, seed {row['seed']}: {row['message']}{again}", row["exit_status"])
    return measures.figures_of(suite, [row for row in rows if row["exit_status"] == 0])
