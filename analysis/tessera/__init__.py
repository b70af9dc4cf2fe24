"""Run, compare, sweep and plot simulations made by tessera-sim."""

from typing import TYPE_CHECKING

from tessera.lazily import names_of

if TYPE_CHECKING:
    from tessera import trace
    from tessera.api import Options, compare, run, score, search, sweep, validate
    from tessera.engine.simulation import Simulation
    from tessera.engine.simulator import SimulatorError, run_simulator
    from tessera.errors import InputError
    from tessera.explore.results_folder import open_results
    from tessera.results.request_log import latency_ms, life_causes, life_phases
    from tessera.results.run_folder import Run

    __version__: str

__all__ = [
    "InputError", "Options", "Run", "Simulation", "SimulatorError", "compare", "latency_ms", "life_causes", "life_phases", "open_results", "run",
    "run_simulator", "score", "search", "sweep", "trace", "validate",
]  # fmt: skip

_named = names_of(
    __name__,
    "trace",
    **{
        "api": ("Options", "compare", "run", "score", "search", "sweep", "validate"),
        "engine.simulation": ("Simulation",),
        "engine.simulator": ("SimulatorError", "run_simulator"),
        "errors": ("InputError",),
        "explore.results_folder": ("open_results",),
        "results.request_log": ("latency_ms", "life_causes", "life_phases"),
        "results.run_folder": ("Run",),
    },
)


def __getattr__(name: str) -> object:
    if name != "__version__":
        from tessera.figures.notebook import show_pictures

        show_pictures()
        return _named(name)
    from importlib import metadata

    try:
        return metadata.version(__name__)
    except metadata.PackageNotFoundError:
        raise AttributeError("tessera has a __version__ where it is installed: pip install it, or './dev build'") from None


def __dir__() -> list[str]:
    """For completion: also the names that nobody has asked for yet."""
    return sorted({*globals(), *__all__, "__version__"})
