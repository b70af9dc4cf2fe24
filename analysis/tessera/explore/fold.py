"""One workload for all designs: addresses fold at the smallest capacity among them, and not where each design ends."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from tessera.engine.simulation import Simulation, setting_text
from tessera.engine.simulator import SimulatorError, ask_simulator
from tessera.errors import InputError

AT_A_TIME = 4  # processes that say what a design holds; each takes a fraction of a second


@dataclass(frozen=True)
class Fold:
    at: int
    """Bytes."""
    design: str
    """The smallest design in words."""

    def text(self) -> str:
        """
        >>> Fold(4096, "layer sblock").text()
        'Addresses fold at 4,096 B for every design, the smallest capacity among them (layer sblock), so that all get one workload.'
        """
        return f"Addresses fold at {self.at:,} B for every design, the smallest capacity among them ({self.design}), so that all get one workload."


def smallest_fold(simulations: Iterable[Simulation]) -> Fold | None:
    """Where the runs that fold at their drive's end are to fold instead; None where they all end at one place. Designs that no drive can
    be made of have no capacity: their runs say why."""
    designs = {_question(simulation): simulation for simulation in simulations if folds_at_end(simulation)}
    if len(designs) < 2:
        return None
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        found = [(size, design) for size, design in zip(threads.map(_capacity, designs), designs.values()) if size is not None]
    if not found or len({size for size, _ in found}) == 1:
        return None
    least = min(size for size, _ in found)
    return Fold(least, _in_words([design for size, design in found if size == least], [design for _, design in found]))


def folds_at_end(simulation: Simulation) -> bool:
    return (simulation.fold or simulation.fold_prefilled) and simulation.fold_at is None


def folded(simulation: Simulation, fold: Fold | None) -> Simulation:
    """The run that folds there, if it folds at its drive's end."""
    return simulation.but(fold_at=f"{fold.at} B") if fold is not None and folds_at_end(simulation) else simulation


def _question(simulation: Simulation) -> tuple[str, ...]:
    words = ["check", str(simulation.drive), *(("--layer", simulation.layer) if simulation.layer else ()), "--capacity"]
    for path, value in simulation.settings.items():
        words += ["--set", f"{path}={setting_text(value)}"]
    return (*words, *simulation.firmware_words(), *(("--elf", str(simulation.elf)) if simulation.elf else ()))


@cache
def _capacity(question: tuple[str, ...]) -> int | None:
    try:
        return int(ask_simulator(question))
    except (InputError, SimulatorError):
        return None


def forget_capacities() -> None:
    """What a drive's file says may have changed."""
    _capacity.cache_clear()


def _in_words(smallest: list[Simulation], all_: list[Simulation]) -> str:
    """What the smallest designs share and others have not; where that is nothing, what makes the first of them another design than others."""
    what = {name: lambda each, name=name: getattr(each, name) for name in ("drive", "layer")}
    what |= {path: lambda each, path=path: each.settings.get(path) for path in smallest[0].settings}
    varied = {name: value for name, value in what.items() if len(set(map(value, all_))) > 1}
    shared = [name for name, value in varied.items() if len(set(map(value, smallest))) == 1]
    words = ", ".join(f"{name} {varied[name](smallest[0])}" for name in shared or varied)
    return words if shared else f"for one {words}"
