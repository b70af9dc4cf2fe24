"""Warm drives of a sweep: runs that differ only after their warm-up begin with one saved state, which is made once and kept by what made it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tessera.engine.simulation import Simulation
from tessera.engine.simulator import SimulatorError, ask_simulator
from tessera.errors import InputError, unknown_name
from tessera.explore.keys import key_of

# Of the run that warms: where its requests come from, and how they are replayed. All else is the drive's, and the same in both runs.
OPTIONS = (
    "trace", "workload", "format", "volume", "columns", "time_unit", "sort", "spread", "arrival", "limit", "skip", "replay", "time_scale", "adapt", "prefill",
    "fold", "fold_at", "fold_prefilled", "seed",
)  # fmt: skip
FILES = ("trace", "workload")


def check_warm(table: Mapping[str, Any], run: Mapping[str, Any], axes: Iterable[str]) -> None:
    """Raises InputError where [warm] holds what is not the warm-up's to say."""
    for name in table:
        if name in ("drive", "layer", "firmware", "elf", "set", "check", "content"):
            raise InputError(f"warm: {name} is the same before and after the warm-up; it belongs to [run] or an axis")
        if name not in OPTIONS:
            raise unknown_name("option of [warm]", name, OPTIONS)
    if ("trace" in table) == ("workload" in table):
        raise InputError("warm: expected trace or workload, which warms the drive")
    if "load_state" in run or "load_state" in axes:
        raise InputError("warm and load_state exclude each other: a run begins with one state")
    if "prefill" in table and ("prefill" in run or "prefill" in axes):
        raise InputError("prefill stands in [warm] and in [run] or an axis: the drive is prefilled once, before it is warmed")


def split(simulation: Simulation, table: Mapping[str, Any], folder: Path) -> tuple[Simulation, Simulation]:
    """The run behind the warm-up, and the one that warms. The prefilled share is the latter's, and so is the seed unless [warm] names one."""
    options = {name: str((folder / value).resolve()) if _is_file(name, value) else value for name, value in table.items()}
    shared = {
        "drive": simulation.drive, "layer": simulation.layer, "settings": dict(simulation.settings), "check": simulation.check,
        "content": simulation.content, "seed": simulation.seed, "prefill": simulation.prefill, "caches": simulation.caches,
        "firmware": simulation.firmware, "elf": simulation.elf, "more": simulation.but(firmware=()).firmware_words(),
    }  # fmt: skip
    return simulation.but(prefill=None, caches=None), Simulation.of({**shared, **options})


def _is_file(name: str, value: Any) -> bool:
    return name in FILES and isinstance(value, str) and (name == "trace" or value.endswith(".toml"))


def state_file(folder: str | Path, warm: Simulation) -> Path:
    """Where a sweep in `folder` keeps the state that `warm` ends with: another description, input, seed or simulator is another file."""
    return Path(folder).resolve() / "warm" / f"{key_of(warm)}.state"


def is_good(file: Path, warm: Simulation) -> bool:
    """Whether the state is there and whole, and of this drive."""
    if not file.exists():
        return False
    words = ["check", warm.drive, *(("--layer", warm.layer) if warm.layer else ()), *warm.firmware_words()]
    words += ["--elf", str(warm.elf)] if warm.elf else []
    for path, value in warm.settings.items():
        words += ["--set", f"{path}={value}"]
    try:
        ask_simulator([*words, "--load-state", file])
    except (InputError, SimulatorError):
        return False
    return True
