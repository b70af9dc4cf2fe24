"""Confidence intervals of means, and of what batches of a run say."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

# Student's t, 0.975, by degrees of freedom (1 to 30).
_T_975 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


_ROUNDING = 1e-12  # of a figure: a mean over seeds errs by some 1e-16 of it


@dataclass(frozen=True)
class Estimate:
    """A figure and half the width of its 95 % confidence interval."""

    value: float
    half_width: float

    @property
    def relative(self) -> float:
        """Half the width over the figure."""
        return self.half_width / abs(self.value) if self.value else math.inf


def student_t_975(degrees: int) -> float:
    """The quantile of a two-sided 95 % interval; beyond the table two terms of its expansion in 1/degrees.

    >>> student_t_975(9), round(student_t_975(60), 3)
    (2.262, 2.0)
    """
    if degrees <= len(_T_975):
        return _T_975[degrees - 1]
    z = 1.959964  # of the normal distribution
    return z + (z**3 + z) / (4 * degrees) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)


def student_t(degrees: int, probability: float) -> float:
    """The quantile of Student's t, by the finite series of its distribution for whole degrees (Abramowitz and Stegun 26.7.3, 26.7.4) and
    bisection. For intervals that several comparisons share.

    >>> round(student_t(9, 0.975), 3), round(student_t(2, 0.995), 3)
    (2.262, 9.925)
    """
    low, high = 0.0, 1.0
    while share_within(degrees, high) < 2 * probability - 1:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share_within(degrees, middle) < 2 * probability - 1 else (low, middle)
    return (low + high) / 2


def share_within(degrees: int, t: float) -> float:
    """Of Student's t, between -t and t."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine = math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term if degrees > 1 or not odd else 0.0
    for step in range(2 + odd, degrees, 2):
        term *= cosine * cosine * (step - 1) / step
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def beyond_rounding(half_width: float | None, size: float) -> float:
    """Half an interval of figures as large as `size`; 0 where it is no more than the rounding that equal figures leave.

    >>> beyond_rounding(1.67e-16, 1.3), beyond_rounding(0.02, 1.3), beyond_rounding(None, 1.3)
    (0.0, 0.02, 0.0)
    """
    return half_width if half_width and half_width > _ROUNDING * abs(size) else 0.0


def of_mean(samples: "np.ndarray") -> Estimate:
    """The mean of two or more independent samples.

    >>> import numpy as np
    >>> of_mean(np.array([1.0, 2.0, 3.0]))  # half width 4.303 / sqrt(3)
    Estimate(value=2.0, half_width=2.484...)
    """
    import numpy as np  # which few commands need

    count = len(samples)
    half_width = student_t_975(count - 1) * float(np.std(samples, ddof=1)) / math.sqrt(count)
    return Estimate(float(np.mean(samples)), beyond_rounding(half_width, float(np.abs(samples).max())))
