"""The shingled drives as sold beside what was measured on them: the checks of docs/validation.md. No parameter of a drive was chosen by these."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.drives import shingled_runs as runs
from tessera.drives.shingled_runs import Lab
from tessera.marked_section import write_marked_section
from tessera.papers.page import number, table

HEADER = ("workload", "drive", "quantity", "measured", "allowed", "model", "verdict")


@dataclass(frozen=True)
class Check:
    """A figure that was measured, as a span, and how far the model may be outside: a share, or a factor."""

    workload: str
    drive: str
    quantity: str
    measured: tuple[float, float]
    allowed: float
    model: Callable[[Lab], float | None]
    factor: bool = False
    digits: int = 2

    def within(self, value: float | None) -> bool:
        low, high = self.measured
        if value is None:
            return False
        if self.factor:
            return low / self.allowed <= value <= high * self.allowed
        return low * (1 - self.allowed) <= value <= high * (1 + self.allowed)

    def off(self, value: float) -> float:
        """How far outside the measured span, as a share of its nearer end."""
        low, high = self.measured
        return min(value / low - 1, 0.0) + max(value / high - 1, 0.0)

    def row(self, value: float | None) -> tuple[str, ...]:
        low, high = (number(end, self.digits) for end in self.measured)
        verdict = "holds" if self.within(value) else "does not hold"
        if value is not None and not self.within(value):
            verdict += f", {100 * self.off(value):+.0f} %"
        return (
            self.workload, f"`{self.drive}`", self.quantity, low if low == high else f"{low} to {high}",
            f"factor {self.allowed}" if self.factor else f"{100 * self.allowed:.0f} %", number(value, self.digits), verdict,
        )  # fmt: skip


def once(value: float) -> tuple[float, float]:
    return value, value


SEQUENTIAL = "sequential, 1 MiB, not synced"
SMALL = "4 KiB random over 8 GiB, one at a time, write cache on"
UNCACHED = "4 KiB random over 8 GiB, write cache off"
LARGE = "1 MiB uniform random over the drive, depth 64, 35 GiB"
OF_8, OF_22, OF_5 = "seagate_st8000as0002", "seagate_st8000as0022", "seagate_st5000as0011"

CHECKS = (
    Check(SEQUENTIAL, OF_22, "MB/s at 17 GB", once(193), 0.07, lambda lab: runs.sequential_rate(lab, OF_22, 17), digits=0),
    Check(SEQUENTIAL, OF_22, "MB/s at 6.5 TB", once(114), 0.07, lambda lab: runs.sequential_rate(lab, OF_22, 6500), digits=0),
    Check(SMALL, OF_8, "ms a write before the cliff", (0.30, 0.32), 0.15, lambda lab: runs.cliff(lab, OF_8).ms_before),
    Check(SMALL, OF_8, "writes until fewer than 1,000 a second", once(190_000), 0.05, lambda lab: runs.cliff(lab, OF_8).writes, digits=0),
    Check(SMALL, OF_8, "writes a second, 250,000 to 500,000", (108, 123), 1.5, lambda lab: runs.cliff(lab, OF_8).rate_behind, True, 0),
    Check(UNCACHED, OF_8, "writes from one checkpoint to the next", once(240), 0.02, lambda lab: runs.stalls(lab, OF_8).period, digits=0),
    Check(UNCACHED, OF_8, "s that one takes", once(0.80), 0.15, lambda lab: runs.stalls(lab, OF_8).seconds),
    Check(UNCACHED, OF_5, "writes from one checkpoint to the next", once(240), 0.02, lambda lab: runs.stalls(lab, OF_5).period, digits=0),
    Check(UNCACHED, OF_5, "s that one takes", once(0.30), 0.15, lambda lab: runs.stalls(lab, OF_5).seconds),
    Check(UNCACHED, OF_5, "ms a write, head on the log", once(24.8), 0.10, lambda lab: runs.stalls(lab, OF_5).ms_between, digits=1),
    Check(LARGE, OF_22, "GiB until the cliff", once(28.0), 0.02, lambda lab: runs.absorbed(lab, OF_22).gib, digits=1),
    Check(LARGE, OF_22, "MiB/s before it", once(122), 0.10, lambda lab: runs.absorbed(lab, OF_22).before, digits=0),
    Check(LARGE, OF_22, "MiB/s behind it", (5.8, 6.8), 0.20, lambda lab: runs.absorbed(lab, OF_22).behind, digits=1),
    Check(LARGE, OF_22, "s in all", (1400, 1434), 0.15, lambda lab: runs.absorbed(lab, OF_22).seconds, digits=0),
)

TOLD = """What others measured on drives of the Seagate Archive family beside what [media-cache](layers/media-cache.md) does with what was published of them. No parameter was
chosen by these figures; each comes from the line of a publication that stands beside it in the drive's file. The tracks of the 8 TB models are among
them: they follow from the published rates of sequential writes, so that the first two rows say only that nothing is lost on the way to the platters. One unit a
source, firmware unknown. Small writes meet a drive that is full of data, the others one that is new; what state the measured ones were in, nobody says. Made by
`tessera validate drives`.

"""

def experiments(lab: Lab) -> str:
    """What does not come out, each with the run that changes its cause alone."""
    plain, cheap = runs.cliff(lab, OF_8).ms_before, runs.cheap_checkpoints(lab, OF_8)
    uncached, verified = runs.stalls(lab, OF_5).ms_between, runs.verified(lab, OF_5)
    empty, full = runs.absorbed(lab, OF_22), runs.absorbed(lab, OF_22, full=True)
    stalled, coded = runs.stalls(lab, OF_5).seconds, runs.checkpoint_with_code(lab, OF_5)
    slow = runs.absorbed_with_code(lab, OF_22)
    return f"""
- **ms a write before the cliff.** Two published figures exclude the third: 0.80 s every 240 writes to the log of at most 8 each are 0.42 ms a write alone.
  With checkpoints written a track at a time, which take next to no time, it is {number(cheap)} ms instead of {number(plain)}. So either more than 8 small writes share
  what counts as one, or checkpoints are cheaper when writes are cached; neither was published.
- **ms a write, head on the log** is a figure of the sources' model, 2.4 turns and 0.7 ms, not of a drive. Here a packet is 0.4 turns and the turn that was just
  missed; what the other turn does is not said. With packets that are read back (`verify_packets`) it is {number(verified, 1)} ms instead of {number(uncached, 1)}.
- **No code is priced on these drives**, as on the other drives that were measured: what processor they have, and what of our firmware's work their controllers do without it (the CRC of
  a checkpoint's words, copies by sector), nobody says. With what our firmware's images take on the model's core of 500 MHz (`controller.costs.source = "measured"`) the 5 TB drive's checkpoint
  is {number(coded, 2)} s instead of {number(stalled, 2)}, and the rate before the cliff of large writes {number(slow, 0)} MiB/s instead of {number(empty.before, 0)}: neither holds then.
- **Behind the cliff of large writes** it is decided by what the bands hold: on a drive that is full of data {number(full.behind, 1)} MiB/s instead of
  {number(empty.behind, 1)}, because all of a band from the cached track on is read, copied and rewritten.
"""


def write_shingled(console: Console, out: Path, page: Path | None) -> bool:
    """Runs every check, prints the table, and puts it between its marks where a page is named; whether all of them hold."""
    lab = Lab(out)
    figures = [(check, check.model(lab)) for check in CHECKS]
    text = TOLD + table(HEADER, [check.row(value) for check, value in figures]) + experiments(lab)
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is not None:
        write_marked_section(page, "tessera validate drives", text)
    return all(check.within(value) for check, value in figures)


