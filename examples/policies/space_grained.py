"""Space-grained cleaning for layers with a cache in front of bands, after C.-H. Wu, C.-T. Lee, Y.-R. Tsai, C.-Y. Wu, "A Space-Grained Cleaning Method to Reduce
Long-Tail Latency of DM-SMR Disks", ACM TECS 23(2), 2024.

From its abstract: idle periods of various lengths are used, each for a space that suits it, so that no request waits for a cleaning. From published summaries:
three grains of cleaning, lists of spaces by grain, a score for the order within a list. Ours, as the text was not open to us: a space is a band; the grain is
the time that its cleaning takes, by what it moves and collects; a quiet that has lasted so long will last as long again; the score is what is freed per unit of that
time, and less for a band that was written lately."""

from tessera.layer import MS, US, time
from tessera.policy import Cleaning, Policy, Unit


class SpaceGrained(Policy):
    """Idle periods of three lengths, each for bands whose cleaning fits (after Wu et al. 2024)"""

    short = time(300 * MS, 1, 3_600_000 * MS, "quiet after which bands of the smallest grain are cleaned, which take no longer")
    middle = time(1000 * MS, 1, 3_600_000 * MS, "the same of the middle grain")
    long = time(3000 * MS, 1, 3_600_000 * MS, "quiet after which any band is cleaned")
    sector = time(30 * US, 0, 1000 * MS, "of a cleaning, per sector that is read and written")
    extent = time(12 * MS, 0, 1000 * MS, "of a cleaning, per extent that is collected from the cache")

    def cost(self, unit: Unit) -> int:
        return unit.held * 2 * self.sector + unit.entries * self.extent

    def score(self, unit: Unit) -> float:
        return unit.cached * unit.newest / (unit.newest + unit.cached) / (self.cost(unit) + 1)

    def grain(self, unit: Unit) -> int:
        """The quiet that it needs."""
        cost = self.cost(unit)
        return self.short if cost <= self.short else self.middle if cost <= self.middle else self.long

    def when(self, cleaning: Cleaning) -> int:
        if cleaning.outstanding:
            return cleaning.now + self.short
        least = min(self.grain(unit) for unit in self.units())
        return cleaning.last_activity + least

    def choose(self, cleaning: Cleaning) -> int:
        quiet = cleaning.now - cleaning.last_activity
        units = self.units()
        if not cleaning.needed:  # the second band of a cleaning may find that none fits any more: then the smallest
            units = [unit for unit in units if self.grain(unit) <= quiet] or [min(units, key=self.cost)]
        return max(units, key=self.score).number
