"""What lies in a folder of results."""

from pathlib import Path
from typing import TYPE_CHECKING

from tessera.errors import InputError, path_of
from tessera.results.run_folder import Run, unended

if TYPE_CHECKING:
    from tessera.explore.comparison import Comparison
    from tessera.explore.dataset import Sweep


def open_results(folder: str | Path) -> "Run | Comparison | Sweep":
    """What lies in a folder of results: of a run, a comparison or a sweep."""
    path = path_of("folder", folder)
    if (path / "sweep.json").exists():
        from tessera.explore.dataset import Sweep

        return Sweep(path)
    if (path / "compare.json").exists():
        from tessera.explore.comparison import Comparison

        return Comparison(path)
    if (path / "summary.json").exists():
        return Run(path)
    if reason := unended(path):
        raise InputError(f"{path} holds no results: {reason}")
    inner = sorted(file.parent for depth in ("*", "*/*") for file in path.glob(f"{depth}/*.json") if file.name in ("summary.json", "compare.json", "sweep.json"))
    hint = f"; {inner[0]} holds some" if inner else ""
    raise InputError(f"{path} holds no results: expected summary.json of a run, compare.json of a comparison or sweep.json of a sweep{hint}")
