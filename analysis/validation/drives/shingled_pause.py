"""Fill, pause, fill again: how much a shingled drive takes at full speed after it had so many hours for its cleaning."""

from functools import cache

import numpy as np

from validation.drives.shingled_runs import GIB, MIB, Lab
from validation.drives.think_trace import Request, think_responses

FILL = 28.5  # GiB, half a GiB past the cliff of a new drive
AGAIN = {3: 1.0, 8: 30.0}  # GiB after so many hours
SLOW_MS = 50.0  # of a write of 1 MiB: far from both rates
SEVERAL = 16  # writes, of which a checkpoint stops one
RANGE = 7_900_000_000_000  # bytes: nearly all of the drive
SEED = 1


@cache
def absorbed_after(lab: Lab, drive: str, hours: int) -> float | None:
    """GiB of 1 MiB writes at random over the drive that a pause of so many hours makes room for; None where none of them becomes slow."""
    first, again = (round(gib * GIB / MIB) for gib in (FILL, AGAIN[hours]))
    places = np.random.default_rng(SEED).integers(0, RANGE // MIB, first + again)
    writes = (Request(True, int(place) * MIB, MIB, 3600 * hours if number == first - 1 else 0) for number, place in enumerate(places))
    times = think_responses(lab, f"pause-{hours}-h", drive, writes, "--prefill", 0)[first:]
    return absorbed_of(times)


def absorbed_of(times: np.ndarray) -> float | None:
    """GiB until writes of 1 MiB are slow, a single one that waits for a checkpoint aside.

    >>> absorbed_of(np.array([1.0] * 128 + [800.0] + [1.0] * 383 + [160.0] * 32))
    0.5
    """
    medians = np.median(np.lib.stride_tricks.sliding_window_view(times, SEVERAL), axis=1)
    slow = np.flatnonzero((medians > SLOW_MS) & (times[: len(medians)] > SLOW_MS))
    return float(slow[0] * MIB / GIB) if len(slow) else None
