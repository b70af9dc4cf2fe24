"""The figure that a question is about: its short name, its unit, and which way is better."""

import re
from dataclasses import dataclass

from tessera.errors import InputError, unknown_name
from tessera.evidence.blocks import in_a_log
from tessera.results.human import figure

_STATISTICS = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
SHORT = {
    **{name: f"host.latency.{name}" for name in _STATISTICS},
    **{f"{of}-{name}": f"host.{of}.latency.{name}" for of in ("read", "write") for name in _STATISTICS},
    "write-amplification": "write_amplification.total", "energy": "energy.total", "lifetime": "nand.lifetime.years.worst_block",
    "throughput": "host.throughput",
}  # fmt: skip
UNITS = {"energy.total": "J", "nand.lifetime.years.worst_block": "years", "host.throughput": "1/s"}
MORE_IS_BETTER = ("nand.lifetime.years.worst_block", "host.throughput")


@dataclass(frozen=True)
class Metric:
    name: str
    """As the simulator reports it."""
    short: str

    @property
    def more_is_better(self) -> bool:
        return self.name in MORE_IS_BETTER

    @property
    def of_requests(self) -> bool:
        """Whether a log of requests has it."""
        return in_a_log(self.name)

    @property
    def phrase(self) -> str:
        """As a sentence has it."""
        return "a flash lifetime of" if self.short == "lifetime" else self.short.replace("-", " ")

    def text(self, value: float | None) -> str:
        return figure(value, unit_of(self.name))


def unit_of(metric: str) -> str:
    """The unit of a metric that a question may be about; "1" where it has none."""
    return "ms" if ".latency." in metric else UNITS.get(metric, "1")


def metric_of(word: str) -> Metric:
    """From a short name or the full one. Raises InputError with the nearest.

    >>> metric_of("p99").name, metric_of("host.latency.mean").short
    ('host.latency.p99', 'mean')
    >>> metric_of("p98")
    Traceback (most recent call last):
    tessera.errors.InputError: unknown metric 'p98'; did you mean 'p99'? (p99.9 is p999; other percentiles: 'tessera run --percentiles')
    """
    plain = word.strip().lower().replace("_", "-").replace("p99.9", "p999") if word not in SHORT.values() else word
    if plain in SHORT:
        return Metric(SHORT[plain], plain)
    for short, name in SHORT.items():
        if name == word:
            return Metric(name, short)
    hint = " (p99.9 is p999; other percentiles: 'tessera run --percentiles')" if re.fullmatch(r"p[0-9.]+", plain) else ""
    raise InputError(f"{unknown_name('metric', word, SHORT)}{hint}")
