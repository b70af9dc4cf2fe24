"""Writes the view of a run, or of two runs of a comparison side by side."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tessera.engine.output_file import PARTIAL, write, write_inside
from tessera.engine.saved_state import facts_of, is_state
from tessera.errors import InputError, fitting
from tessera.explore.comparison import Comparison
from tessera.explore.results_folder import open_results
from tessera.results.run_folder import Run
from tessera.view.again import Ask, booted, with_logs
from tessera.view.page import render
from tessera.view.side import side_of

SIDES = 2  # runs next to one another


def write_view(
    results: str | Path, file: str | Path | None = None, layers: Sequence[str] = (), ask: Ask = lambda _: False, firmware: Path | None = None, progress: bool = False,
    drive: str | None = None,
) -> Path:  # fmt: skip
    """Writes the view of a folder of a run or a comparison, RESULTS/view.html where no file is named, or of a saved state, STATE.html. `ask`
    says whether a run whose logs are missing may be repeated for them. `drive`: the description of a state's drive, where it is not the one
    that the state names. Raises InputError where there is nothing that can be viewed."""
    if is_state(results):
        return _write_state(Path(results), file, drive, firmware, progress)
    if drive is not None:
        raise InputError("--drive names the description of a saved state's drive: a folder of results has its own")
    with fitting(results):
        page = _page(results, layers, ask, firmware, progress)
    return write(file, page) if file else write_inside(Path(results) / "view.html", page)


def _page(results: str | Path, layers: Sequence[str], ask: Ask, firmware: Path | None, progress: bool) -> str:
    runs = _runs(results, layers)
    sides: list[dict[str, Any]] = []
    for name, run in runs.items():
        with ExitStack() as stack:  # one at a time: a repeated run takes room on the disk
            shown, head = stack.enter_context(with_logs(run, ask, firmware, progress))
            sides.append(side_of(shown, head, name))
    title = f"The disk at work: {' and '.join(runs)} on {next(iter(runs.values())).summary['run'].get('drive', 'a drive')}"
    data = {"title": title, "origin": str(min(side.pop("begin") for side in sides)), "sides": sides}
    return render(title, data)


def _write_state(state: Path, file: str | Path | None, drive: str | None, firmware: Path | None, progress: bool) -> Path:
    """How the drive boots from it, from power-on, and how full its bands are."""
    facts = facts_of(state)
    with booted(state, drive, firmware, progress) as (run, head):
        side = side_of(run, head, facts["layer"])
    side["facts"] = [f"layer {facts['layer']}", f"drive {facts['drive']}", f"saved after {facts['requests']:,} requests", f"seed {facts['seed']}"]
    side["notes"].append("A saved state: the drive boots from it, and serves one request. Bars show how full its bands are.")
    side["marks"] = []  # of figures, which a boot has none of
    del side["begin"]
    title = f"A saved state: {facts['layer']} on {facts['drive']}"
    return write(Path(file) if file else Path(f"{state}.html"), render(title, {"title": title, "origin": "0", "sides": [side]}))


def _runs(results: str | Path, layers: Sequence[str]) -> dict[str, Run]:
    """By the names that they have on the page."""
    if Path(results).is_file():
        raise InputError(f"{results} is a file: expected the folder of a run or a comparison, or a saved state; a trace is run first, with 'tessera run ... --requests --out FOLDER'")
    if not (Path(results) / "summary.json").exists() and (Path(results) / f"requests.npy{PARTIAL}").exists():
        raise InputError(f"{results}: the run has not ended: --live follows one that is under way")
    if len(layers) > SIDES:
        raise InputError(f"--layers: expected one or two layers, found {len(layers)}")
    opened = open_results(results)
    if isinstance(opened, Comparison):
        return {layer: opened.run(layer) for layer in (layers or _best_and_worst(opened))}
    if layers:
        raise InputError(f"{results} is not the folder of a comparison: --layers chooses among the layers of one")
    if not isinstance(opened, Run):
        raise InputError(f"{results} is the folder of a sweep: name one of its runs")
    return {str(opened.summary["run"].get("layer", "run")): opened}


def _best_and_worst(comparison: Comparison) -> list[str]:
    """The layers of the lowest and of the highest mean latency."""
    columns = comparison.columns["layers"]
    means = [(mean, layer) for layer, status, mean in zip(columns["layer"], columns["status"], columns["host.latency.mean"]) if status == "ok" and mean is not None]
    if not means:
        raise InputError(f"{comparison.folder} holds no layer that ran: there is nothing to view")
    ordered = [layer for _, layer in sorted(means)]
    return [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
