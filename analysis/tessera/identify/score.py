"""How well a description answers requests that it was not fitted to."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tessera.identify.findings import Findings, half
from tessera.identify.simulated import simulate

FIRST = 8  # requests left out: where the spindle stands at the first one is nobody's


@dataclass(frozen=True)
class Score:
    requests: int
    rms: float          # ms, request by request
    distribution: float  # ms, of sorted responses
    within_tenth: float  # shares
    within_one: float
    mean: float

    def text(self) -> str:
        return (
            f"Held out: {self.requests:,} requests of mixed, mean {self.mean:.2f} ms: RMS {self.rms:.3f} ms request by request, {self.distribution:.3f} ms of sorted responses; "
            f"{100 * self.within_tenth:.1f} % within 0.1 ms, {100 * self.within_one:.1f} % within 1 ms"
        )


def score(found: Findings, drive: Path) -> Score | None:
    """The second half of the mixed job on the description; the first half goes ahead of it, so that caches are as they were."""
    log = found.logs.get("mixed")
    if log is None:
        return None
    model = simulate(str(drive), log.requests, np.full(len(log.requests), log.gap))
    begin = max(half(log), FIRST)
    measured, modelled = log.latency[begin:] * 1e3, model[begin:] * 1e3
    off = modelled - measured
    return Score(
        len(off), float(np.sqrt((off**2).mean())), float(np.sqrt(((np.sort(modelled) - np.sort(measured)) ** 2).mean())),
        float((np.abs(off) <= 0.1).mean()), float((np.abs(off) <= 1).mean()), float(measured.mean()),
    )  # fmt: skip
