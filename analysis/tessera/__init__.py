"""Run, compare, sweep and plot simulations made by tessera-sim."""

from tessera import trace
from tessera.api import Options, compare, open_results, run, search, sweep, validate
from tessera.errors import InputError
from tessera.run_folder import Run, latency_ms, life_causes, life_phases
from tessera.simulation import Simulation
from tessera.simulator import SimulatorError, run_simulator

__all__ = [
    "InputError", "Options", "Run", "Simulation", "SimulatorError", "compare", "latency_ms", "life_causes", "life_phases", "open_results", "run",
    "run_simulator", "search", "sweep", "trace", "validate",
]  # fmt: skip
