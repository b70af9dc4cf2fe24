"""How sure a figure of a run is to be: what was asked for, and how the run ended."""

import re
from dataclasses import dataclass

from tessera.errors import InputError, unknown_name
from tessera.evidence.steadiness import BATCHES, EPISODES, Steadiness
from tessera.results.percentiles import ALWAYS, fraction_of

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
class Effort:
    """How an adaptive run ended."""

    until: Until
    steadiness: Steadiness
    limit: int
    attempts: int
    met: bool
    drawn: bool = False
    """The input was drawn by the run's seed: another seed's may differ by more than this interval says."""

    def sentence(self) -> str:
        found = self.steadiness
        counts = f"{found.requests:,} requests, of which the first {found.warmup:,} are left out as warm-up"
        if found.estimate is None and found.episodes is not None:
            text = (
                f"{self.until.metric} is {found.value:.4g} ms after {counts}; its interval is not known, as what is slower came in "
                f"{found.episodes} stretches, fewer than {EPISODES}"
            )
            return text if found.steady else text + "; not steady"
        if found.estimate is None:
            return f"{self.until.metric}: {counts}, are too few for {BATCHES} batches; the input or the limit ends there"
        how = "met" if self.met else "not met, the input or the limit ended"
        text = (
            f"{self.until.metric} is {found.estimate.value:.4g} ± {found.estimate.half_width:.2g} ms ({100 * found.estimate.relative:.1f} %; "
            f"{100 * self.until.relative:g} % asked for: {how}) after {counts}"
        )
        if self.drawn:
            text += "; of this seed's draw: others may differ by more"
        if not found.independent:
            text += f"; batches depend on each other (correlation {found.batch_correlation:.2f}), so the interval is too narrow or too wide"
        return text if found.steady else text + "; not steady: latencies still changed after the warm-up"
