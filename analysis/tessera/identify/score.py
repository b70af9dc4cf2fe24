"""How well a description answers requests that it was not fitted to."""

import tempfile
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from tessera.identify.description import description
from tessera.identify.findings import Choice, Findings, half
from tessera.identify.simulated import simulate

ENOUGH = 0.9  # of the held-out requests within 0.1 ms: with fewer the description is another drive's
UNTIL = ("next_command", "limit")
TURNED = 1.0  # ms: a read that is off by more has missed a turn, which says nothing of a step
FIRST = 8  # requests left out: where the spindle stands at the first one is nobody's


@dataclass(frozen=True)
class Score:
    requests: int
    rms: float          # ms, request by request
    distribution: float  # ms, of sorted responses
    within_tenth: float  # shares
    within_one: float
    mean: float

    @property
    def fits(self) -> bool:
        """Whether the description is the drive's."""
        return self.within_tenth >= ENOUGH

    def failure(self) -> str:
        return (
            f"NOT the drive: {100 * self.within_tenth:.1f} % of the held-out requests came within 0.1 ms of it, and a description that holds has {100 * ENOUGH:.0f} % or more; "
            "what was not identified says where to look"
        )

    def text(self) -> str:
        return (
            f"Held out: {self.requests:,} requests of mixed, mean {self.mean:.2f} ms: RMS {self.rms:.3f} ms request by request, {self.distribution:.3f} ms of sorted responses; "
            f"{100 * self.within_tenth:.1f} % within 0.1 ms, {100 * self.within_one:.1f} % within 1 ms"
        )


def _responses(found: Findings, drive: Path, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Measured and modelled, in ms, of the first requests of the mixed job."""
    log = found.logs["mixed"]
    model = simulate(str(drive), log.requests[:count], np.full(count, log.gap))
    return log.latency[:count] * 1e3, model * 1e3


def with_step(found: Findings) -> Findings:
    """The same with the read-ahead's step that answers the mixed job's first half best, with what ends the read-ahead: they are what a read in front of a
    read-ahead waits for."""
    log = found.logs.get("mixed")
    if log is None or found.reads.ahead is None or found.reads.ahead[0] < 2:
        return found
    errors = {}
    for until, step in product(UNTIL, 2 ** np.arange(1, int(np.log2(found.reads.ahead[0])) + 1)):
        tried = replace(found, step=int(step), queue=(Choice("firmware.read_cache", "read_ahead_until", f'"{until}"', ()),))
        with tempfile.TemporaryDirectory() as folder:
            drive = Path(folder) / "drive.toml"
            drive.write_text(description(tried, "trial"), encoding="utf-8")
            measured, modelled = _responses(tried, drive, half(log))
        errors[until, int(step)] = float(np.minimum(np.abs(modelled - measured)[FIRST:], TURNED).mean())
    until, step = min(errors, key=errors.__getitem__)
    return replace(found, step=step, queue=(Choice("firmware.read_cache", "read_ahead_until", f'"{until}"', ()),))


def score(found: Findings, drive: Path) -> Score | None:
    """The second half of the mixed job on the description; the first half goes ahead of it, so that caches are as they were."""
    log = found.logs.get("mixed")
    if log is None:
        return None
    begin = max(half(log), FIRST)
    measured, modelled = (times[begin:] for times in _responses(found, drive, len(log.requests)))
    off = modelled - measured
    return Score(
        len(off), float(np.sqrt((off**2).mean())), float(np.sqrt(((np.sort(modelled) - np.sort(measured)) ** 2).mean())),
        float((np.abs(off) <= 0.1).mean()), float((np.abs(off) <= 1).mean()), float(measured.mean()),
    )  # fmt: skip
