"""Sweeps: many runs over axes, placed by Dask, each kept by what made it."""

from tessera.sweeps.dataset import Sweep
from tessera.sweeps.plan import Plan, read_plan
from tessera.sweeps.sweep import run_sweep

__all__ = ["Plan", "Sweep", "read_plan", "run_sweep"]
