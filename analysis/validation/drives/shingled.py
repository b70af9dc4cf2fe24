"""The shingled drives as sold next to what was measured on them: the checks of docs/validation/drives.md. Each says whether it restates an input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from tessera.progress import watched
from tessera.results.markdown import number, table
from tessera.results.marked_section import write_marked_section
from validation.drives import shingled_latency as small, shingled_runs as runs
from validation.drives.shingled_pause import absorbed_after
from validation.drives.shingled_reads import reads_table
from validation.drives.shingled_runs import Lab

HEADER = ("workload", "drive", "quantity", "row", "measured", "allowed", "model", "verdict")


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
    given: bool = False  # a parameter of the drive follows from this figure, so that it says nothing of the model

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
            self.workload, f"`{self.drive}`", self.quantity, "input" if self.given else "prediction", low if low == high else f"{low} to {high}",
            f"factor {self.allowed}" if self.factor else f"{100 * self.allowed:.0f} %", number(value, self.digits), verdict,
        )  # fmt: skip


def once(value: float) -> tuple[float, float]:
    return value, value


SEQUENTIAL = "sequential, 1 MiB, not synced"
SMALL = "4 KiB random over 8 GiB, one at a time, write cache on"
UNCACHED = "4 KiB random over 8 GiB, write cache off"
LARGE = "1 MiB uniform random over the drive, depth 64, 35 GiB"
OF_8, OF_22, OF_5 = "seagate-st8000as0002", "seagate-st8000as0022", "seagate-st5000as0011"

SYNCED = "1 MiB random, each synced"
SYNCED_4 = "4 MiB random, each synced"
SYNCED_IN_ORDER = "1 MiB sequential, each synced"
ZIPF = "1 MiB by Zipf's law, depth 64"
PAUSE = "1 MiB random, one at a time: 28.5 GiB, a pause, and again"

CHECKS = (
    Check(SEQUENTIAL, OF_22, "MB/s at 17 GB", once(193), 0.07, lambda lab: runs.sequential_rate(lab, OF_22, 17), digits=0, given=True),
    Check(SEQUENTIAL, OF_22, "MB/s at 4 TB", once(168), 0.08, lambda lab: runs.sequential_rate(lab, OF_22, 4000), digits=0, given=True),
    Check(SEQUENTIAL, OF_22, "MB/s at 6.5 TB", once(114), 0.07, lambda lab: runs.sequential_rate(lab, OF_22, 6500), digits=0, given=True),
    Check(SMALL, OF_8, "ms/write before the cliff", (0.30, 0.32), 0.15, lambda lab: runs.cliff(lab, OF_8).ms_before),
    Check(SMALL, OF_8, "writes until fewer than 1,000/s", once(190_000), 0.05, lambda lab: runs.cliff(lab, OF_8).writes, digits=0, given=True),
    Check(SMALL, OF_8, "writes/s, 250,000 to 500,000", (108, 123), 1.5, lambda lab: runs.cliff(lab, OF_8).rate_behind, True, 0),
    Check(UNCACHED, OF_8, "writes from one checkpoint to the next", once(240), 0.02, lambda lab: runs.stalls(lab, OF_8).period, digits=0, given=True),
    Check(UNCACHED, OF_8, "s/checkpoint", once(0.80), 0.15, lambda lab: runs.stalls(lab, OF_8).seconds, given=True),
    Check(UNCACHED, OF_5, "writes from one checkpoint to the next", once(240), 0.02, lambda lab: runs.stalls(lab, OF_5).period, digits=0, given=True),
    Check(UNCACHED, OF_5, "s/checkpoint", once(0.30), 0.15, lambda lab: runs.stalls(lab, OF_5).seconds, given=True),
    Check(UNCACHED, OF_5, "ms/write, head on the log", once(24.8), 0.10, lambda lab: runs.stalls(lab, OF_5).ms_between, digits=1),
    Check(LARGE, OF_22, "GiB until the cliff", once(28.0), 0.02, lambda lab: runs.absorbed(lab, OF_22).gib, digits=1, given=True),
    Check(LARGE, OF_22, "MiB/s before it", once(122), 0.10, lambda lab: runs.absorbed(lab, OF_22).before, digits=0),
    Check(LARGE, OF_22, "MiB/s after it", (5.8, 6.8), 0.20, lambda lab: runs.absorbed(lab, OF_22).behind, digits=1),
    Check(LARGE, OF_22, "s in all", (1400, 1434), 0.15, lambda lab: runs.absorbed(lab, OF_22).seconds, digits=0),
    Check(SYNCED, OF_8, "GiB until the cliff", once(17.0), 0.06, lambda lab: runs.synced(lab, OF_8, 1).gib, digits=1, given=True),
    Check(SYNCED, OF_8, "MiB/s before it", once(46.5), 0.12, lambda lab: runs.synced(lab, OF_8, 1).before, digits=1),
    Check(SYNCED, OF_8, "MiB/s after it", (6, 14), 0.12, lambda lab: runs.synced(lab, OF_8, 1).behind, digits=1),
    Check(SYNCED_4, OF_8, "GiB until the cliff", once(27.2), 0.06, lambda lab: runs.synced(lab, OF_8, 4).gib, digits=1, given=True),
    Check(SYNCED_4, OF_8, "MiB/s before it", once(91), 0.12, lambda lab: runs.synced(lab, OF_8, 4).before, digits=0),
    Check(SYNCED_4, OF_8, "MiB/s after it", (8, 10), 0.12, lambda lab: runs.synced(lab, OF_8, 4).behind, digits=1),
    Check(SYNCED_IN_ORDER, OF_8, "MiB/s at first", once(53), 0.12, lambda lab: runs.synced(lab, OF_8, 1, "sequential").before, digits=0),
    Check(SYNCED_IN_ORDER, OF_8, "MiB/s later", once(42), 0.12, lambda lab: runs.synced(lab, OF_8, 1, "sequential").behind, digits=0),
    Check(SYNCED_IN_ORDER, OF_8, "GiB until it steps", once(17.2), 0.08, lambda lab: runs.synced(lab, OF_8, 1, "sequential").gib, digits=1),
    Check(ZIPF, OF_22, "GiB absorbed, exponent 0.1", once(28.0), 0.04, lambda lab: runs.zipf_absorbed(lab, OF_22, 0.1).gib, digits=1),
    Check(ZIPF, OF_22, "GiB absorbed, exponent 0.952", once(29.5), 0.04, lambda lab: runs.zipf_absorbed(lab, OF_22, 0.952).gib, digits=1),
    Check(PAUSE, OF_22, "GiB absorbed after 3 h", once(0.13), 0.20, lambda lab: absorbed_after(lab, OF_22, 3)),
    Check(PAUSE, OF_22, "GiB absorbed after 8 h", once(28.0), 0.20, lambda lab: absorbed_after(lab, OF_22, 8), digits=1, given=True),
    *small.checks(Check, OF_8),
)

TOLD = """What others measured on drives of the Seagate Archive family next to what [media-cache](../layers/media-cache.md) does with what was published of them. A row is an **input** where
a parameter of the drive follows from its figure (the drive's file says which), so that it only shows that nothing is lost on the way; a **prediction** otherwise. Only predictions
count. One unit per source, firmware unknown. Small writes meet a drive that is full of data, the others one that is new; what state the measured ones were in, nobody says. Made by
`tessera validate drives`.

"""


def in_a_sentence(figures: Sequence[tuple[Check, float | None]]) -> str:
    """What the section opens with."""
    predictions = [check.within(value) for check, value in figures if not check.given]
    return f"{sum(predictions)} of {len(predictions)} predictions hold; {len(figures) - len(predictions)} more rows restate inputs.\n\n"


def experiments(lab: Lab) -> str:
    """What does not come out, each with the run that changes its cause alone."""
    plain, cheap = runs.cliff(lab, OF_8).ms_before, runs.cheap_checkpoints(lab, OF_8)
    uncached, verified = runs.stalls(lab, OF_5).ms_between, runs.verified(lab, OF_5)
    empty, full = runs.absorbed(lab, OF_22), runs.absorbed(lab, OF_22, full=True)
    stalled, coded = runs.stalls(lab, OF_5).seconds, runs.checkpoint_with_code(lab, OF_5)
    slow = runs.absorbed_with_code(lab, OF_22)
    circular, reclaimed = (runs.zipf_absorbed(lab, OF_22, 0.952, mark) for mark in (0, 75))
    stepwise, whole, in_log_order = (small.with_option(lab, OF_8, option) for option in ("", "merge_step=0 s", "collect_order=log"))
    return f"""
- **ms/write before the cliff.** Two published figures exclude the third: 0.80 s every 240 writes to the log of at most 8 each are 0.42 ms/write alone.
  With checkpoints written a track at a time, which take next to no time, it is {number(cheap)} ms instead of {number(plain)}. So either more than 8 small writes share
  what counts as one, or checkpoints are cheaper when writes are cached; neither was published.
- **p50 and p90** of small writes are the way to the write cache and back. The measured 0.10 ms is mostly the host's and the link's, of which nothing was published.
- **The longest stalls.** Measured over 8 GiB: 81 stalls of 1.21 s in 300 s. The model has only its checkpoints there. With each merge in one piece (`merge_step = 0`) over 8 GiB the longest
  write waits for {number(whole.longest, 0)} ms, and {number(whole.below_1, 1)} % take less than 1 ms.
- **The cost of an extent.** Read by address, as on these drives, each costs half a turn and a short seek: from one step to the next {number(stepwise.gap, 0)} writes get in. Read in the order of the log (`collect_order = "log"`)
  the window over 8 GiB has a mean of {number(in_log_order.mean)} ms instead of {number(stepwise.mean)}. Over 2 GiB the drive is slower than either; why, no source says.
- **ms/write, head on the log** is a figure of the sources' model, 2.4 turns and 0.7 ms, not of a drive. Here a packet is 0.4 turns and the turn that was just
  missed; what the other turn does is not said. With packets that are read back (`verify_packets`) it is {number(verified, 1)} ms instead of {number(uncached, 1)}.
- **Synced writes in order** cost the model what random ones do; the drive is faster, and stays so after the cliff, so it knows a sequence where the layer does not.
- **Zipf, 0.952.** A circular log gives nothing back for what is overwritten in its middle. Some 5 % of it is dead at the measured cliff: reclaimed by segments (`stay_mark = 75`) it
  ends at {number(reclaimed.gib, 1)} GiB as well, and after it the rate is {number(reclaimed.behind, 1)} MiB/s instead of {number(circular.behind, 1)}. A cache that overwrites in place would fit the figure.
- **After a pause of 3 hours** nothing was cleaned, in the drive and here: what it takes is its write cache. The drive's 0.13 GiB are all of its DRAM of 128 MB; how much of that holds
  written data nobody says otherwise, and the description has 16 MiB.
- **No code is priced on these drives**, as on the other drives that were measured: what processor they have, and what of our firmware's work their controllers do without it (the CRC of
  a checkpoint's words, copies by sector), nobody says. With what our firmware's images take on the model's core of 500 MHz (`controller.costs.source = "measured"`) the 5 TB drive's checkpoint
  is {number(coded, 2)} s instead of {number(stalled, 2)}, and the rate before the cliff of large writes {number(slow, 0)} MiB/s instead of {number(empty.before, 0)}.
- **After the cliff of large writes** it is decided by what the bands hold: on a drive that is full of data {number(full.behind, 1)} MiB/s instead of
  {number(empty.behind, 1)}, because all of a band from the cached track on is read, copied and rewritten.
"""


def write_shingled(console: Console, out: Path, page: Path | None) -> bool:
    """Runs every check, prints the table, and puts it between its marks where a page is named; whether all of them hold."""
    lab = Lab(out)
    figures = [(check, check.model(lab)) for check in watched(CHECKS, "checks")]
    text = in_a_sentence(figures) + TOLD + table(HEADER, [check.row(value) for check, value in figures]) + small.tables(lab, OF_8) + experiments(lab)
    text += reads_table(lab, (OF_22, OF_8, OF_5))
    console.print(text, soft_wrap=True, markup=False, highlight=False)
    if page is not None:
        write_marked_section(page, "tessera validate drives", text)
    return all(check.within(value) for check, value in figures)


