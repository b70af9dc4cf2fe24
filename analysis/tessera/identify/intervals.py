"""What each found value says of the true one: an interval that holds in 95 of 100 drives. Standard errors count twice; bounds that reads or tried
values leave open count whole."""

import math
from dataclasses import dataclass

from tessera.identify.findings import Findings

CERTAIN = 2.0  # standard errors
MS = 1e3
UNLIMITED = math.inf


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def holds(self, value: float) -> bool:
        slack = 1e-9 * max(abs(value), 1.0)
        return self.low - slack <= value <= self.high + slack

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2


def _around(value: float, off: float) -> Interval:
    return Interval(value - off, value + off)


def intervals(found: Findings) -> dict[str, Interval]:
    """By parameter, in its unit of the description: rpm, ms, us, B/s, sectors. What was not found is not there."""
    turn, curve, reads = found.rotation, found.seeks, found.reads
    known = {"media.rpm": _around(60 / turn.period, CERTAIN * 60 * turn.error / turn.period**2)}
    if curve.switch is not None and found.geometry.surfaces > 1:
        known["media.head_switch"] = _around(curve.switch[0] * MS, curve.switch[1] * MS)
    if curve.fits:
        cylinders = sum(found.geometry.cylinders())
        errors = curve.covariance.diagonal() ** 0.5
        known["media.seek_min"] = _around(curve.shortest * MS, (CERTAIN * errors[0] + curve.overhead_error) * MS)
        off = CERTAIN * (errors[0] ** 2 + (cylinders - 1) * errors[1] ** 2 + 2 * curve.covariance[0, 1] * (cylinders - 1) ** 0.5) ** 0.5
        known["media.seek_full_stroke"] = _around((curve.shortest + curve.slope * (cylinders - 1) ** 0.5) * MS, (off + curve.overhead_error) * MS)
    if reads.link is not None:
        known["host.link_rate"] = Interval(reads.link[0] - reads.link[1], UNLIMITED)
    if reads.ahead is not None:
        ahead, off = reads.ahead  # the second of the two reads in a row may lengthen it by its own block
        known["firmware.read_cache.read_ahead"] = Interval(ahead - off, ahead + off + 1)
    if reads.segments is not None:
        known["firmware.read_cache.segments"] = _around(*reads.segments)
    if found.writes is not None and found.writes.capacity is not None:
        known["firmware.write_cache.capacity"] = _around(*found.writes.capacity)
    return known
