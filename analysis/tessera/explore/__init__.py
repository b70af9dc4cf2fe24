"""Sweeps: many runs over axes, placed by Dask, each kept by what made it."""

from typing import TYPE_CHECKING

from tessera.lazily import names_of

if TYPE_CHECKING:
    from tessera.explore.dataset import Sweep
    from tessera.explore.plan import Plan, read_plan
    from tessera.explore.sweep import run_sweep

__all__ = ["Plan", "Sweep", "read_plan", "run_sweep"]

__getattr__ = names_of(__name__, dataset=("Sweep",), plan=("Plan", "read_plan"), sweep=("run_sweep",))
