"""Latencies of small random writes to the shingled drives, one at a time, and what a stalled host sees of their cleaning."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tessera.results.markdown import number, table
from validation.drives.shingled_runs import GIB, Lab, Load, responses

WARM_UP_S, WINDOW_S = 180.0, 300.0  # of the measurements
STALL_MS = 20.0  # of a write that waited for the drive, as the sources count them
LONG_MS = 500.0  # between a step of a merge and a checkpoint
REQUESTS = 500_000
REACH_OF_4_TIB = 187_000  # writes: enough to get through warm-up and window, as nearly all come before the cliff


@cache
def small_writes(lab: Lab, drive: str, gib: int) -> np.ndarray:
    """ms of each of the writes over so many GiB of a full drive, in order; 0: over 128 MiB."""
    load = Load("uniform", REACH_OF_4_TIB if gib >= 4096 else REQUESTS, 4096, range=gib * GIB or 128 << 20)
    return responses(lab.run(f"small-{gib}", drive, load, "--requests", full=True))


@dataclass(frozen=True)
class Latencies:
    """Of the window; times in ms."""

    writes: int
    mean: float
    below_1: float  # percent
    p50: float
    p90: float
    p99: float
    p999: float
    longest: float
    gap: float  # writes from one stall to the next
    stall: float  # median
    long_stalls: int
    long_stall: float  # mean


def latencies_of(times: np.ndarray) -> Latencies:
    ends = np.cumsum(times) / 1000
    window = times[(ends > WARM_UP_S) & (ends <= WARM_UP_S + WINDOW_S)]
    stalls = np.flatnonzero(window > STALL_MS)
    long = window[window > LONG_MS]
    p50, p90, p99, p999 = (float(np.percentile(window, percent)) for percent in (50, 90, 99, 99.9))
    return Latencies(
        len(window), float(window.mean()), float(100 * (window < 1).mean()), p50, p90, p99, p999, float(window.max()),
        float(np.diff(stalls).mean()), float(np.median(window[stalls])), len(long), float(long.mean()) if len(long) else 0.0,
    )  # fmt: skip


def latencies(lab: Lab, drive: str, gib: int) -> Latencies:
    return latencies_of(small_writes(lab, drive, gib))


def seconds_by_50_000(times: np.ndarray) -> list[float]:
    return [float(part.sum() / 1000) for part in np.array_split(times, len(times) // 50_000)]


def behind_the_cliff(lab: Lab, drive: str, gib: int) -> float:
    """s for each 50,000 writes, 250,000 to 500,000."""
    return float(np.mean(seconds_by_50_000(small_writes(lab, drive, gib))[5:]))


def with_option(lab: Lab, drive: str, option: str) -> Latencies:
    """Over 8 GiB, with one parameter of the layer changed."""
    if not option:
        return latencies(lab, drive, 8)
    load = Load("uniform", 280_000, 4096, range=8 * GIB)
    return latencies_of(responses(lab.run(f"small-{option.split('=')[0]}", drive, load, "--requests", "--set", f"layers.media_cache.{option}", full=True)))


# s for each 50,000 writes, by GiB of range (0: 128 MiB)
MEASURED_SECONDS = {
    0: (15, 15, 15, 16, 16, 15, 16, 15, 16, 16),
    2: (14, 15, 14, 15, 255, 546, 622, 564, 493, 456),
    8: (15, 15, 16, 97, 411, 461, 442, 410, 435, 405),
    32: (14, 15, 15, 143, 376, 361, 367, 364, 370, 380),
}
MEASURED = {
    8: Latencies(35_489, 8.45, 92, 0.10, 0.22, 111, 1305, 2072, 18.7, 104, 81, 1210),
    4096: Latencies(1327, 226, 5, 243, 276, 483, 516, 516, 1.06, 244, 0, 0),
}
FACTOR = 1.5  # ours, as the measurements allow it of the rate behind the cliff: one unit, one run
POINTS = 0.06  # ours: of the share below 1 ms, by its size


def named(gib: int) -> str:
    return {0: "128 MiB", 4096: "4 TiB"}.get(gib, f"{gib} GiB")


def checks(check, drive: str) -> list:
    """`check`: makes one of the page's rows. The length of a step and the order of collection were chosen from what a host sees over 8 GiB (the drive's file says how):
    how long and how often it stalls, and what follows from these, restates them."""
    rows = []
    for gib, told in MEASURED.items():
        chosen_from = gib == 8
        workload = f"4 KiB random over {named(gib)}, one at a time, from 180 s on, for 300 s"

        def model(name: str, gib: int = gib):
            return lambda lab: getattr(latencies(lab, drive, gib), name)

        rows.append(check(workload, drive, "mean, ms", (told.mean,) * 2, FACTOR, model("mean"), True))
        if gib != 4096:
            rows.append(check(workload, drive, "below 1 ms, percent", (told.below_1,) * 2, POINTS, model("below_1"), digits=1, given=chosen_from))
        else:
            rows.append(check(workload, drive, "below 1 ms, percent", (told.below_1,) * 2, FACTOR, model("below_1"), True, 1))
        for name, quantity in (("p50", "p50, ms"), ("p90", "p90, ms"), ("p99", "p99, ms"), ("longest", "longest, ms")):
            rows.append(check(workload, drive, quantity, (getattr(told, name),) * 2, FACTOR, model(name), True, given=chosen_from and name == "p99"))
        rows.append(check(workload, drive, "writes from one stall over 20 ms to the next", (told.gap,) * 2, FACTOR, model("gap"), True, 1, chosen_from))
        rows.append(check(workload, drive, "stall, median, ms", (told.stall,) * 2, 0.15, model("stall"), digits=0, given=chosen_from))
    for gib, told in MEASURED_SECONDS.items():
        workload = f"4 KiB random over {named(gib)}, one at a time"
        mean = float(np.mean(told[5:]))
        rows.append(
            check(workload, drive, "s/50,000 writes, 250,000 to 500,000", (mean, mean), FACTOR, lambda lab, gib=gib: behind_the_cliff(lab, drive, gib), True, 0)
        )
    return rows


def tables(lab: Lab, drive: str) -> str:
    """The distributions, and the course of the runs."""
    columns = (
        ("writes", 0), ("mean", 2), ("below_1", 1), ("p50", 2), ("p90", 2), ("p99", 0), ("p999", 0), ("longest", 0), ("gap", 1), ("stall", 0),
        ("long_stalls", 0), ("long_stall", 0),
    )  # fmt: skip
    heads = ("range", "", "writes", "mean", "below 1 ms, %", "p50", "p90", "p99", "p99.9", "longest", "writes/stall", "stall", "over 500 ms", "mean of these")
    rows = []
    for gib, told in MEASURED.items():
        for who, figures in (("drive", told), ("model", latencies(lab, drive, gib))):
            rows.append((named(gib), who, *(number(getattr(figures, name), digits) for name, digits in columns)))
    course = []
    for gib, told in MEASURED_SECONDS.items():
        course.append((named(gib), "drive", *map(str, told)))
        course.append((named(gib), "model", *(number(seconds, 0) for seconds in seconds_by_50_000(small_writes(lab, drive, gib)))))
    return (
        f"\n4 KiB random writes, one at a time, write cache on, `{drive}`, from 180 s to 480 s: ms per write. A stall is a write over 20 ms. The drive's stalls over 500 ms are those\n"
        "that its source counts apart from its short ones.\n\n" + table(heads, rows) + "\nThe same from the start: seconds for each 50,000 writes.\n\n"
        + table(("range", "", *(str(i + 1) for i in range(10))), course)
    )  # fmt: skip
