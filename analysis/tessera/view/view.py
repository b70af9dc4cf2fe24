"""Writes the view of a run, or of two runs of a comparison side by side."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tessera.api import open_results
from tessera.comparison import Comparison
from tessera.errors import InputError
from tessera.output_file import write
from tessera.run_folder import Run
from tessera.view.again import Ask, with_logs
from tessera.view.page import render
from tessera.view.side import side_of

SIDES = 2  # runs next to one another


def write_view(
    results: str | Path, file: str | Path | None = None, layers: Sequence[str] = (), ask: Ask = lambda _: False, firmware: Path | None = None, progress: bool = False
) -> Path:
    """Writes the view of a folder of a run or a comparison, RESULTS/view.html where no file is named. `ask` says whether a run whose logs
    are missing may be repeated for them. Raises InputError where the folder holds nothing that can be viewed."""
    runs = _runs(results, layers)
    sides: list[dict[str, Any]] = []
    for name, run in runs.items():
        with ExitStack() as stack:  # one at a time: a repeated run takes room on the disk
            shown, head = stack.enter_context(with_logs(run, ask, firmware, progress))
            sides.append(side_of(shown, head, name))
    title = f"The disk at work: {' and '.join(runs)} on {next(iter(runs.values())).summary['run'].get('drive', 'a drive')}"
    data = {"title": title, "origin": str(min(side.pop("begin") for side in sides)), "sides": sides}
    return write(Path(file) if file else Path(results) / "view.html", render(title, data))


def _runs(results: str | Path, layers: Sequence[str]) -> dict[str, Run]:
    """By the names that they have on the page."""
    if Path(results).is_file():
        raise InputError(f"{results} is a file: expected the folder of a run or a comparison; a trace or a saved state is run first, with 'tessera run ... --requests --out FOLDER'")
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
