"""Idle-time cleaning as train.py has learned it: 6 rounds of 12 designs, 4 episodes each of 2000 requests of web-server on demo, media-cache, firmware.write_cache.capacity=0 B."""

from tessera.policy import Cleaning, Watcher

WEIGHTS = [0.8034, -3.3885, 1.3373, 2.3831, -4.8725, -0.3491, -0.2456, -2.348]
BIAS = 0.8987


class Learned(Watcher):
    """Cleans when a weighted sum of what it sees says so"""

    def when(self, cleaning: Cleaning) -> int:
        cleans = BIAS + sum(weight * scaled for weight, scaled in zip(WEIGHTS, scaled_of(self.features(cleaning)))) > 0
        return cleaning.now if cleans else cleaning.now + 100_000_000_000  # 100 ms, as the environment looks


def scaled_of(features: tuple[float, ...]) -> list[float]:
    """Times and numbers without a bound to between 0 and 1."""
    quiet, outstanding, fill, entries, live, gap, writes, waited = features
    return [quiet / (1 + quiet), outstanding / (1 + outstanding), fill, entries, live, gap / (1 + gap), writes, waited / (1 + waited)]
