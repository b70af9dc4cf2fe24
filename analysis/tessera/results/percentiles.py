"""Percentiles of the latency: those that every run has, and those that its user named (--percentiles)."""

import re
from collections.abc import Iterable

from tessera.errors import InputError

ALWAYS = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}
LATENCY = "host.latency."


def fraction_of(name: str) -> float | None:
    """Of the last part of a metric's name; None where it is no percentile.

    >>> fraction_of("p99_99"), fraction_of("p999"), fraction_of("p5"), fraction_of("mean")
    (0.9999, 0.999, 0.05, None)
    """
    if name in ALWAYS:
        return ALWAYS[name]
    digits = re.fullmatch(r"p([0-9]{1,2}(?:_[0-9]+)?)", name)
    return round(float(digits[1].replace("_", ".")) / 100, 12) if digits else None


def title_of(name: str) -> str:
    """
    >>> title_of("p99_99"), title_of("p999"), title_of("p50")
    ('p99.99', 'p99.9', 'p50')
    """
    return "p99.9" if name == "p999" else name.replace("_", ".")


def percentiles_in(metrics: Iterable[str]) -> dict[str, float]:
    """Those of all requests among the names of metrics, rising: the last part of each name, and its fraction.

    >>> percentiles_in(["host.latency.p99_99", "host.latency.mean", "host.latency.p50", "host.read.latency.p90"])
    {'p50': 0.5, 'p99_99': 0.9999}
    """
    found = {name.removeprefix(LATENCY): fraction_of(name.removeprefix(LATENCY)) for name in metrics if name.startswith(LATENCY)}
    return dict(sorted(((name, fraction) for name, fraction in found.items() if fraction is not None), key=lambda pair: pair[1]))


def named_in(metrics: Iterable[str]) -> list[tuple[str, str]]:
    """Those that the user named: title and metric.

    >>> named_in(["host.latency.p50", "host.latency.p99_99"])
    [('p99.99', 'host.latency.p99_99')]
    """
    return [(title_of(name), LATENCY + name) for name in percentiles_in(metrics) if name not in ALWAYS]


def parse(text: str) -> tuple[float, ...]:
    """
    >>> parse("50,99.9")
    (50.0, 99.9)
    >>> parse("50,101")
    Traceback (most recent call last):
    tessera.errors.InputError: --percentiles: expected numbers above 0 and below 100 such as 50,99,99.9, found '101'
    """
    found = []
    for word in text.split(","):
        value = float(word) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", word.strip()) else 0.0
        if not 0 < value < 100:
            raise InputError(f"--percentiles: expected numbers above 0 and below 100 such as 50,99,99.9, found '{word}'")
        found.append(value)
    return tuple(sorted(set(found)))


def names_of(text: str) -> list[str]:
    """The last parts of their metrics' names, rising.

    >>> names_of("99.95,50,99.9")
    ['p50', 'p999', 'p99_95']
    """
    return ["p999" if value == 99.9 else f"p{value:.12g}".replace(".", "_") for value in parse(text)]
