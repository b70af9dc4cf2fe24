"""Run, compare and plot simulations made by tessera-sim."""

from tessera.run_folder import Run, latency_ms, life_phases
from tessera.simulator import SimulatorError, run_simulator

__all__ = ["Run", "SimulatorError", "latency_ms", "life_phases", "run_simulator"]
