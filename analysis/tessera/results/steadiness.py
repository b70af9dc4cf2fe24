"""How sure a figure of a run is: what was asked for, what batches of its requests say, and how the run ended."""

import math
import re
from dataclasses import dataclass

from tessera.errors import InputError, unknown_name
from tessera.evidence.intervals import Estimate
from tessera.results.percentiles import ALWAYS, fraction_of

BATCHES = 20  # of which the means are an interval
BATCH = 5  # requests of a batch of MSER-5
_STATISTICS = {"mean": None, **ALWAYS}
METRICS = tuple(f"host.{of}latency.{name}" for of in ("", "read.", "write.") for name in _STATISTICS)


@dataclass(frozen=True)
class Until:
    """A metric, and how wide half its 95 % interval may be, over the metric."""

    metric: str
    relative: float

    @classmethod
    def parse(cls, text: str) -> "Until":
        """
        >>> Until.parse("host.latency.p99:5%")
        Until(metric='host.latency.p99', relative=0.05)
        >>> Until.parse("host.latency.p99_99:5%")
        Until(metric='host.latency.p99_99', relative=0.05)
        >>> Until.parse("host.latency.max:5%")
        Traceback (most recent call last):
        tessera.errors.InputError: unknown metric of --until 'host.latency.max'; did you mean 'host.latency.mean'?
        """
        match = re.fullmatch(r"([a-z0-9_.]+):\s*([0-9]+(?:\.[0-9]+)?)\s*%", text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"--until: expected METRIC:PERCENT such as host.latency.p99:5%, found '{text}'")
        of, _, statistic = match.group(1).rpartition(".")
        if match.group(1) not in METRICS and (f"{of}.mean" not in METRICS or fraction_of(statistic) is None):
            raise unknown_name("metric of --until", match.group(1), METRICS)
        share = float(match.group(2)) / 100
        if not 0 < share < 1:
            raise InputError(f"--until: expected a share above 0 % and below 100 %, found {match.group(2)} %")
        return cls(match.group(1), share)


@dataclass(frozen=True)
class Steadiness:
    """What a run says of one figure, by batches of the requests after its warm-up."""

    estimate: Estimate | None
    """None where the run is too short for batches."""
    warmup: int
    """Requests that MSER-5 leaves out at the start."""
    requests: int
    batch_correlation: float = 0.0
    """Of one batch with the next; far from 0, the batches are too short for the interval to mean what it says."""

    @property
    def steady(self) -> bool:
        """Whether the warm-up ended before the half: a cut at the last place where one may be says that a later one would be better."""
        last_cut = BATCH * (self.requests // BATCH // 2)
        return self.warmup < last_cut or self.warmup == 0

    @property
    def independent(self) -> bool:
        """Whether batches are long enough to know nothing of each other: a correlation of this many has a deviation of 1/sqrt(n)."""
        return abs(self.batch_correlation) <= 2 / math.sqrt(BATCHES)


@dataclass(frozen=True)
class Effort:
    """How an adaptive run ended."""

    until: Until
    steadiness: Steadiness
    limit: int
    attempts: int
    met: bool

    def sentence(self) -> str:
        found = self.steadiness
        if found.estimate is None:
            return (
                f"{self.until.metric}: {found.requests:,} requests, {found.warmup:,} of them warm-up, are too few for {BATCHES} batches; "
                "the input or the limit ends there"
            )
        how = "met" if self.met else "not met, the input or the limit ended"
        text = (
            f"{self.until.metric} is {found.estimate.value:.4g} ± {found.estimate.half_width:.2g} ms ({100 * found.estimate.relative:.1f} %; "
            f"{100 * self.until.relative:g} % asked for: {how}) after {found.requests:,} requests, {found.warmup:,} of them warm-up"
        )
        if not found.independent:
            text += f"; batches depend on each other (correlation {found.batch_correlation:.2f}), so the interval is too narrow or too wide"
        return text if found.steady else text + "; not steady: the warm-up reaches past the half"
